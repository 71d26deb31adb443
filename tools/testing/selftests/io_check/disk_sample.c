// SPDX-License-Identifier: GPL-2.0
/*
 * disk_sample - how many I/Os each disk has completed, again and again
 *
 * One line, and one write(), a sample: the last ones before a panic count.
 */

#define _GNU_SOURCE
#include <time.h>

#include "disk_stat.h"

#define NSEC_PER_SEC	1000000000LL

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct timespec now;
	int i, len, stat[MAX_DISKS];
	char line[512];

	if (argc < 2 || argc > MAX_DISKS + 1) {
		fprintf(stderr, "usage: disk_sample DISK... (such as sda)\n"
			"CSV to stdout, a line and a pause of 10 ms: CLOCK_MONOTONIC in ns, I/Os completed by each\n");
		return 2;
	}
	printf("ns");
	for (i = 1; i < argc; i++) {
		stat[i - 1] = disk_open(argv[i]);
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
					",%llu", disk_completed(stat[i]));
		line[len++] = '\n';
		if (write(1, line, len) != len)
			die("writing a sample");
		nanosleep(&pause, NULL);
	}
}
