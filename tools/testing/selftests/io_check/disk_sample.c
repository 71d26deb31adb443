// SPDX-License-Identifier: GPL-2.0
/*
 * disk_sample - how many I/Os each disk has completed, again and again
 *
 * One line, and one write(), a sample: the last ones before a panic count.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DISKS		16
#define NSEC_PER_SEC	1000000000LL

static void die(const char *what)
{
	fprintf(stderr, "disk_sample: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Reads and writes completed: fields 1 and 5 (Documentation/block/stat.rst). */
static unsigned long long completed(int stat)
{
	unsigned long long reads, writes;
	char text[256];
	ssize_t len;

	len = pread(stat, text, sizeof(text) - 1, 0);
	if (len < 0)
		die("reading a disk's stat");
	text[len] = 0;
	if (sscanf(text, "%llu %*u %*u %*u %llu", &reads, &writes) != 2) {
		fprintf(stderr, "disk_sample: stat says: %s\n", text);
		exit(1);
	}
	return reads + writes;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct timespec now;
	int i, len, stat[DISKS];
	char line[512];

	if (argc < 2 || argc > DISKS + 1) {
		fprintf(stderr, "usage: disk_sample DISK... (such as sda)\n"
			"CSV to stdout, a line and a pause of 10 ms: CLOCK_MONOTONIC in ns, I/Os completed by each\n");
		return 2;
	}
	printf("ns");
	for (i = 1; i < argc; i++) {
		snprintf(line, sizeof(line), "/sys/block/%s/stat", argv[i]);
		stat[i - 1] = open(line, O_RDONLY);
		if (stat[i - 1] < 0)
			die(line);
		printf(",%s", argv[i]);
	}
	printf("\n");
	fflush(stdout);

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		len = snprintf(line, sizeof(line), "%lld", now.tv_sec *
			       NSEC_PER_SEC + now.tv_nsec);
		for (i = 0; i < argc - 1; i++)
			len += snprintf(line + len, sizeof(line) - len,
					",%llu", completed(stat[i]));
		line[len++] = '\n';
		if (write(1, line, len) != len)
			die("writing a sample");
		nanosleep(&pause, NULL);
	}
}
