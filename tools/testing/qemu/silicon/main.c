// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a checked access costs on this CPU, against memory in place of a register.
 *
 * usage: silicon CPUS ROUNDS LOOPS SEED
 *
 * CPUS threads, each on a CPU of its own, run each way ROUNDS times, in an order that
 * is another one in each round, all at the same time.  A line of CSV for each: round,
 * CPU, way, ticks of the TSC for LOOPS loops.  The way "chain" is LOOPS times 64
 * additions that wait for each other: each takes a cycle, whatever the CPU's clock is
 * at that moment.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

/* Kernel's, see ways.c */
struct ways {
	void *pdev;
	void *addr;
	unsigned int loops;
};

struct way {
	const char *name;
	void (*run)(const struct ways *w);
};

extern const struct way *const silicon_ways;
extern const unsigned int silicon_ways_count, silicon_pdev_size;
void silicon_set_up(void *pdev);
void silicon_off8(const struct ways *w);

static void chain(const struct ways *w)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < w->loops; i++)
		asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r" (sum) : "r" (1UL));
}

#define MOST_WAYS	32
#define MOST_CPUS	64

static struct way ways[MOST_WAYS];
static unsigned int count, rounds, cpus, seed;
static struct ways all;
static _Alignas(64) unsigned int memory[MOST_CPUS][16];
static unsigned long long *ticks;	/* of [CPU][round][way] */
static int cpu_of[MOST_CPUS];
static atomic_uint here;

/* Nobody sleeps: the ways start within some hundred cycles of each other. */
static void together(unsigned int *turn)
{
	atomic_fetch_add(&here, 1);
	*turn += cpus;
	while (atomic_load(&here) < *turn)
		_mm_pause();
}

static unsigned int next(unsigned int *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static unsigned long long now(void)
{
	unsigned int cpu;
	unsigned long long t;

	_mm_lfence();
	t = __rdtscp(&cpu);
	_mm_lfence();
	return t;
}

static void *work(void *data)
{
	unsigned int me = (unsigned long)data, state = seed, turn = 0, r, n;
	unsigned long long *mine = ticks + (unsigned long)me * rounds * count;
	unsigned int order[MOST_WAYS];
	struct ways args = all;
	cpu_set_t set;

	/* a line of memory of its own, as an adapter has registers of its own */
	args.addr = memory[me];

	CPU_ZERO(&set);
	CPU_SET(cpu_of[me], &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set)) {
		perror("silicon: pthread_setaffinity_np");
		exit(1);
	}
	for (n = 0; n < count; n++)
		order[n] = n;
	for (r = 0; r < rounds; r++) {
		/* the same order in each thread */
		for (n = count - 1; n > 0; n--) {
			unsigned int k = next(&state) % (n + 1), o = order[n];

			order[n] = order[k];
			order[k] = o;
		}
		for (n = 0; n < count; n++) {
			struct ways once = { args.pdev, args.addr, 16 };
			unsigned long long start;

			ways[order[n]].run(&once);
			together(&turn);
			start = now();
			ways[order[n]].run(&args);
			mine[(unsigned long)r * count + order[n]] = now() - start;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST_CPUS];
	cpu_set_t set;
	unsigned int n, r;
	int cpu;

	if (argc != 5 || sscanf(argv[1], "%u", &cpus) != 1 || !cpus || cpus > MOST_CPUS ||
	    sscanf(argv[2], "%u", &rounds) != 1 || !rounds ||
	    sscanf(argv[3], "%u", &all.loops) != 1 || !all.loops ||
	    sscanf(argv[4], "%u", &seed) != 1 || !seed) {
		fprintf(stderr, "usage: silicon CPUS ROUNDS LOOPS SEED, none of them 0\n");
		return 2;
	}
	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0, n = 0; cpu < CPU_SETSIZE && n < cpus; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpu_of[n++] = cpu;
	if (n < cpus) {
		fprintf(stderr, "silicon: this process may use %u CPUs, not %u\n", n, cpus);
		return 2;
	}
	for (n = 0; n < silicon_ways_count; n++)
		ways[count++] = silicon_ways[n];
	ways[count++] = (struct way){ "off8", silicon_off8 };
	ways[count++] = (struct way){ "chain", chain };
	all.pdev = calloc(1, silicon_pdev_size);
	ticks = calloc((unsigned long)cpus * rounds * count, sizeof(*ticks));
	if (!all.pdev || !ticks) {
		perror("silicon");
		return 1;
	}
	silicon_set_up(all.pdev);
	for (n = 0; n < cpus; n++)
		if (pthread_create(&threads[n], NULL, work, (void *)(unsigned long)n)) {
			perror("silicon: pthread_create");
			return 1;
		}
	for (n = 0; n < cpus; n++)
		pthread_join(threads[n], NULL);
	printf("round,cpu,way,ticks\n");
	for (n = 0; n < cpus; n++)
		for (r = 0; r < rounds * count; r++)
			printf("%u,%u,%s,%llu\n", r / count, n, ways[r % count].name,
			       ticks[(unsigned long)n * rounds * count + r]);
	return 0;
}
