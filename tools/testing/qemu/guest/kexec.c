// SPDX-License-Identifier: GPL-2.0
/*
 * kexec - kexec_file_load(2), and reboot(2) into what was loaded
 *
 *	kexec [-p] KERNEL INITRAMFS COMMAND-LINE
 *	kexec
 *
 * -p: for a panic, in the memory that crashkernel= has kept for it
 */

#include <err.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int opened(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned long flags = 0;

	if (argc == 1) {
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_KEXEC, NULL);
		err(1, "no kernel begins");
	}
	if (argc == 5 && !strcmp(argv[1], "-p")) {
		flags = KEXEC_FILE_ON_CRASH;
		argc--;
		argv++;
	}
	if (argc != 4)
		errx(1, "usage: kexec [[-p] KERNEL INITRAMFS COMMAND-LINE]");
	if (syscall(SYS_kexec_file_load, opened(argv[1]), opened(argv[2]),
		    strlen(argv[3]) + 1, argv[3], flags))
		err(1, "%s is not loaded", argv[1]);
	return 0;
}
