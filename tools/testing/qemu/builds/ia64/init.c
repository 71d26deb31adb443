// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of an ia64 guest: Debian has no C library for it, so this has none.
 * Reads a register of an LSI adapter through io_check_test, with the BAR alive
 * and dead, and puts KTAP on the console.  With "bench.run=plain" on the
 * kernel's command line the reads are plain ones.
 */

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/reboot.h>

#define DEVICES	"/sys/bus/pci/devices/"
#define TEST	"/sys/kernel/debug/io_check_test"
#define BAR	"1"	/* of registers, in both of LSI's adapters */
#define COUNT	"125"

struct entry {		/* struct linux_dirent64 */
	unsigned long ino, off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

long syscall(long nr, ...);
void cmain(void);

static unsigned long length(const char *s)
{
	unsigned long n = 0;

	while (s[n])
		n++;
	return n;
}

static void say(const char *s)
{
	syscall(__NR_write, 1, s, length(s));
}

/* Append to a string; returns its new end. */
static char *add(char *to, const char *s)
{
	while (*s)
		*to++ = *s++;
	*to = 0;
	return to;
}

static int has(const char *text, const char *part)
{
	for (; *text; text++) {
		unsigned long n = 0;

		while (part[n] && text[n] == part[n])
			n++;
		if (!part[n])
			return 1;
	}
	return 0;
}

static long get(const char *path, char *text, unsigned long size)
{
	long fd = syscall(__NR_open, path, O_RDONLY), n;

	if (fd < 0)
		return fd;
	n = syscall(__NR_read, fd, text, size - 1);
	syscall(__NR_close, fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

/* The first of LSI's adapters in sysfs */
static int find(char *device)
{
	static char names[4096];
	char path[128], vendor[16];
	long fd = syscall(__NR_open, DEVICES, O_RDONLY | O_DIRECTORY), n, at;

	while (fd >= 0 && (n = syscall(__NR_getdents64, fd, names, sizeof(names))) > 0)
		for (at = 0; at < n; at += ((struct entry *)(names + at))->reclen) {
			const char *name = ((struct entry *)(names + at))->name;

			add(add(add(path, DEVICES), name), "/vendor");
			if (get(path, vendor, sizeof(vendor)) > 0 && has(vendor, "0x1000")) {
				add(device, name);
				return 1;
			}
		}
	return 0;
}

/* PCI_COMMAND_MEMORY */
static void memory(const char *device, int on)
{
	unsigned char command[2];
	char path[128];
	long fd;

	add(add(add(path, DEVICES), device), "/config");
	fd = syscall(__NR_open, path, O_RDWR);
	syscall(__NR_pread64, fd, command, 2, 4);
	command[0] = on ? command[0] | 2 : command[0] & ~2;
	syscall(__NR_pwrite64, fd, command, 2, 4);
	syscall(__NR_close, fd);
}

/* Reads of one size; whether the result has a part. */
static int reads(const char *op, const char *device, const char *size, const char *part)
{
	char line[128], result[256];
	long fd = syscall(__NR_open, TEST, O_WRONLY);

	add(add(add(add(add(add(line, op), " "), device), " " BAR " 0 "), size), " " COUNT);
	syscall(__NR_write, fd, line, length(line));
	syscall(__NR_close, fd);
	if (get(TEST, result, sizeof(result)) <= 0)
		add(result, "nothing\n");
	say("# ");
	say(result);
	return has(result, part);
}

static void result(int good, const char *what)
{
	if (!good)
		say("not ");
	say(what);
}

void cmain(void)
{
	static const char * const sizes[] = { "1", "2", "4", "8" };
	static const char * const ones[] = {
		"value=0xff ", "value=0xffff ", "value=0xffffffff ",
		"value=0xffffffffffffffff "
	};
	char device[64] = "", command[512];
	const char *op = "R";
	int good = 1, i;

	syscall(__NR_mount, "proc", "/proc", "proc", 0, 0);
	syscall(__NR_mount, "sysfs", "/sys", "sysfs", 0, 0);
	syscall(__NR_mount, "debugfs", "/sys/kernel/debug", "debugfs", 0, 0);
	if (get("/proc/cmdline", command, sizeof(command)) > 0 &&
	    has(command, "bench.run=plain"))
		op = "r";
	if (!find(device)) {
		say("Bail out! no adapter of LSI's\n");
	} else {
		say("KTAP version 1\n1..3\n");
		result(reads(op, device, "4", "errors=0 "), "ok 1 a live device\n");
		memory(device, 0);
		for (i = 0; i < 4; i++)
			good &= reads(op, device, sizes[i], "errors=" COUNT " ") &&
				reads(op, device, sizes[i], ones[i]);
		if (!good && reads(op, device, "4", "value=0x0 "))
			say("# zeros of a dead BAR: this emulator has no machine checks\n");
		memory(device, 1);
		result(good, "ok 2 a dead device\n");
		result(reads(op, device, "4", "errors=0 "), "ok 3 the device back alive\n");
	}
	syscall(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		LINUX_REBOOT_CMD_POWER_OFF, 0);
	for (;;)
		;
}
