// SPDX-License-Identifier: GPL-2.0
/*
 * st - processes that read random blocks of a disk
 *
 *	st DISK BYTES load SECONDS PROCESSES...
 *	st DISK BYTES probe GAP_MS
 *
 * fio without shared memory has threads alone.  "load" forks until there are
 * PROCESSES of them, each of a wave beginning when all of the wave are there, and
 * lets them read for SECONDS; then it forks more.  It prints for each number of them
 *
 *	step PROCESSES BEGAN READY END READS LOAD SERVED IDLE
 *
 * with times in s since boot, the reads from READY to END, and the load average at
 * the end.  It goes on when each process has read something, or after PATIENCE: SERVED
 * is in s since READY, IDLE the number of those that have not.  One that cannot read
 * is an error.  "probe" reads in one process until SIGTERM, GAP_MS after the last read
 * is over, and prints of each its end, in s since boot, and its time, in ms.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES	4096
#define PATIENCE	60	/* seconds */

static volatile sig_atomic_t stop;
static size_t bytes;
static off_t blocks;
static int fd;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static void die(const char *what)
{
	perror(what);
	kill(0, SIGTERM);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Read a random block; return non-zero if that failed. */
static int transfer(void *data)
{
	return pread(fd, data, bytes, (off_t)(drand48() * blocks) * bytes) != (ssize_t)bytes;
}

static int reader(int begin, long seed, volatile unsigned int *reads)
{
	void *data;
	char c;

	srand48(seed);
	if (setpriority(PRIO_PROCESS, 0, 0) || posix_memalign(&data, bytes, bytes) ||
	    read(begin, &c, 1))
		return 1;
	for (; !stop; ++*reads)
		if (transfer(data))
			return 1;
	return 0;
}

static int probe(int gap_ms)
{
	double start, end;
	void *data;

	if (posix_memalign(&data, bytes, bytes))
		return 1;
	while (!stop) {
		start = now();
		if (transfer(data))
			return 1;
		end = now();
		printf("%.3f %.3f\n", end, 1000 * (end - start));
		fflush(stdout);
		usleep(1000 * gap_ms);
	}
	return 0;
}

static unsigned long long sum(const volatile unsigned int *reads, int count, int *idle)
{
	unsigned long long all = 0;
	int i;

	*idle = 0;
	for (i = 0; i < count; i++) {
		all += reads[i];
		*idle += !reads[i];
	}
	return all;
}

static int load(int seconds, int steps, char **processes)
{
	int begin[2], i, step, count = 0, status, idle, errors = 0;
	volatile unsigned int *reads;
	unsigned long long before;
	double began, ready, end, average;

	reads = mmap(NULL, MAX_PROCESSES * sizeof(*reads), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* what counts is not to wait behind those that it counts */
	if (reads == MAP_FAILED || setpriority(PRIO_PROCESS, 0, -20))
		die("st");
	for (step = 0; step < steps; step++) {
		began = now();
		if (pipe(begin) || atoi(processes[step]) > MAX_PROCESSES)
			die("st");
		for (; count < atoi(processes[step]); count++) {
			pid_t pid = fork();

			if (pid < 0)
				die("fork");
			if (!pid) {
				close(begin[1]);
				_exit(reader(begin[0], count + 1, &reads[count]));
			}
		}
		close(begin[0]);
		close(begin[1]);
		ready = now();
		before = sum(reads, count, &idle);
		sleep(seconds);
		before = sum(reads, count, &idle) - before;
		getloadavg(&average, 1);
		end = now();
		for (; idle && now() - end < PATIENCE; sum(reads, count, &idle))
			usleep(10000);
		printf("step %d %.3f %.3f %.3f %llu %.2f %.1f %d\n", count, began, ready, end,
		       before, average, now() - ready, idle);
		fflush(stdout);
	}
	kill(0, SIGTERM);
	for (i = 0; i < count; i++)
		errors += wait(&status) < 0 || status;
	printf("errors %d\n", errors);
	return errors != 0;
}

int main(int argc, char **argv)
{
	off_t size;

	if (argc < 5) {
		fprintf(stderr, "usage: st DISK BYTES load SECONDS PROCESSES... | probe GAP_MS\n");
		return 2;
	}
	setpgid(0, 0);
	signal(SIGTERM, on_term);
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	bytes = atoi(argv[2]);
	if (size <= 0 || !bytes)
		die(argv[1]);
	blocks = size / bytes;
	if (!strcmp(argv[3], "probe"))
		return probe(atoi(argv[4]));
	return load(atoi(argv[4]), argc - 5, argv + 5);
}
