// SPDX-License-Identifier: GPL-2.0
/*
 * board - rates of files and of memory that fio has no job for
 *
 *	board files DIR BYTES COUNT	create COUNT files, then delete them
 *	board memory MIB		read, write, copy, clear memory
 *
 * It prints name=value pairs on one line: files a second, or MB/s (10^6 bytes),
 * each the best of three rounds.  A file that cannot be had is an error.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	3

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int files(const char *dir, size_t bytes, int count)
{
	double start, created, deleted;
	static char data[1 << 16];
	char name[32];
	int i, fd;

	if (chdir(dir) || bytes > sizeof(data))
		die(dir);
	start = now();
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd))
			die(name);
	}
	created = now();
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		if (unlink(name))
			die(name);
	}
	deleted = now();
	printf("create=%.0f delete=%.0f\n", count / (created - start),
	       count / (deleted - created));
	return 0;
}

static volatile uint32_t sink;

static void rd(uint32_t *to, const uint32_t *from, size_t words)
{
	uint32_t sum = 0;

	(void)to;
	while (words--)
		sum += *from++;
	sink = sum;
}

static void wr(uint32_t *to, const uint32_t *from, size_t words)
{
	volatile uint32_t *word = to;

	(void)from;
	while (words--)
		*word++ = 1;
}

static void cp(uint32_t *to, const uint32_t *from, size_t words)
{
	volatile uint32_t *word = to;

	while (words--)
		*word++ = *from++;
}

static void clear(uint32_t *to, const uint32_t *from, size_t words)
{
	(void)from;
	memset(to, 0, words * sizeof(*to));
}

static void copy(uint32_t *to, const uint32_t *from, size_t words)
{
	memcpy(to, from, words * sizeof(*to));
}

static int memory(size_t mib)
{
	static const struct {
		const char *name;
		void (*run)(uint32_t *to, const uint32_t *from, size_t words);
	} ways[] = { { "rd", rd }, { "wr", wr }, { "cp", cp }, { "bzero", clear },
		     { "bcopy", copy } };
	size_t bytes = mib << 20, words = bytes / sizeof(uint32_t), i;
	uint32_t *to = malloc(bytes), *from = malloc(bytes);
	double start, best;
	int round;

	if (!to || !from)
		die("malloc");
	memset(from, 1, bytes);
	memset(to, 1, bytes);
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		for (round = 0, best = 1e9; round < ROUNDS; round++) {
			start = now();
			ways[i].run(to, from, words);
			if (now() - start < best)
				best = now() - start;
		}
		printf("%s%s=%.1f", i ? " " : "", ways[i].name, bytes / 1e6 / best);
	}
	printf("\n");
	return sink == 1;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "files"))
		return files(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "memory"))
		return memory(atoi(argv[2]));
	fprintf(stderr, "usage: board files DIR BYTES COUNT | memory MIB\n");
	return 2;
}
