/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DISK_STAT_H
#define DISK_STAT_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DISKS	16

static void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(errno));
	exit(1);
}

/* Read a file of the kernel's again, from its beginning. */
static void reread(int file, char *text, size_t size, const char *what)
{
	ssize_t len = pread(file, text, size - 1, 0);

	if (len < 0)
		die(what);
	text[len] = 0;
}

/* Open a disk's counters; name is sda, for instance. */
static int disk_open(const char *name)
{
	char path[128];
	int disk;

	snprintf(path, sizeof(path), "/sys/block/%s/stat", name);
	disk = open(path, O_RDONLY);
	if (disk < 0)
		die(path);
	return disk;
}

/* Reads and writes completed: fields 1 and 5 (Documentation/block/stat.rst). */
static unsigned long long disk_completed(int disk)
{
	unsigned long long reads, writes;
	char text[256];

	reread(disk, text, sizeof(text), "reading a disk's stat");
	if (sscanf(text, "%llu %*u %*u %*u %llu", &reads, &writes) != 2) {
		errno = EPROTO;
		die(text);
	}
	return reads + writes;
}

#endif /* DISK_STAT_H */
