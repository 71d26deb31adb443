// SPDX-License-Identifier: GPL-2.0
/*
 * pci_burst - take bits of a PCI device's command register, or a BAR, away for a while
 *
 * With memory decoding off (PCI 3.0, 6.2.2, bit 1) the device claims no memory
 * access; what the bus makes of that is the test.  Only the masked bits are
 * toggled, and only the bytes that hold any of them are written, so that a
 * driver's own writes to the register survive: it may set INTx Disable, in the
 * high byte, at any time.
 */

#define _GNU_SOURCE
#include <ctype.h>
#include <endian.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "disk_stat.h"

#define PCI_COMMAND	4
#define PCI_BASE_ADDRESS_0	0x10
#define AWAY		0x7e000000	/* where no bridge leads */
#define NSEC_PER_SEC	1000000000LL
#define FLOWING		8	/* I/Os of a disk that is back in service */
#define PATIENCE	60	/* seconds to wait for them */
#define RECOVERY	120	/* the same for a recovery, which gives up before */

struct range {
	double min, max;	/* in microseconds */
};

static int config;
static int errors = -1;
static int disk_stat[MAX_DISKS];
static int disks;
static int state = -1;
static uint16_t mask = 2;
static int bar = -1;
static uint32_t address;	/* of @bar, as read */
static sigset_t signals;

static void fail(const char *what)
{
	fprintf(stderr, "pci_burst: %s\n", what);
	exit(1);
}

static void help(void)
{
	fprintf(stderr,
		"usage: pci_burst -d BDF [-n COUNT] [-l USEC[:USEC]] [-g USEC[:USEC]]\n"
		"                 [-m MASK | -b BAR] [-s SEED] [-o FILE]\n"
		"                 [-e FILE [-H HITS]] [-w DISK]... [-i]\n"
		"  -d  device, for instance 0000:01:00.0\n"
		"  -n  bursts (1)\n"
		"  -l  length of a burst, log-uniform in the range (1000)\n"
		"  -g  gap before a burst, likewise (500000)\n"
		"  -m  bits of the command register to clear (2, memory decode)\n"
		"  -b  move this base address register away instead\n"
		"  -s  seed of lengths and gaps (1)\n"
		"  -o  CSV of bursts: number, start, end, length in ns, errors (stdout)\n"
		"  -e  file of the kernel's count of errors, such as io_check/errors\n"
		"  -H  stop once so many bursts have raised that count, before -n is reached\n"
		"  -w  the gap begins when this disk completes I/Os again, sda for instance\n"
		"  -i  bursts may begin inside the kernel's recovery from the one before;\n"
		"      else the gap begins when that is over, if the kernel has one\n");
	exit(2);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Return non-zero if a signal came instead. */
static int sleep_until(int64_t ns)
{
	struct timespec ts;
	int64_t left;

	while ((left = ns - now()) > 0) {
		ts.tv_sec = left / NSEC_PER_SEC;
		ts.tv_nsec = left % NSEC_PER_SEC;
		if (sigtimedwait(&signals, NULL, &ts) > 0)
			return 1;
	}
	return 0;
}

/*
 * Configuration space is little endian on every machine.  Bus Master is in the byte as
 * well, and a driver that resets its device clears it: on one CPU no driver's process
 * runs between the read and the write.  On several CPUs it may be set again, and the
 * device go on with commands whose memory the driver has given back: see move().
 */
static void decode(int on)
{
	struct sched_param fifo = { .sched_priority = 1 }, other = { };
	uint8_t b, bits;
	int i;

	sched_setscheduler(0, SCHED_FIFO, &fifo);
	for (i = 0; i < 2; i++) {
		bits = mask >> 8 * i;
		if (!bits)
			continue;
		if (pread(config, &b, 1, PCI_COMMAND + i) != 1)
			die("reading PCI_COMMAND");
		b = on ? b | bits : b & ~bits;
		if (pwrite(config, &b, 1, PCI_COMMAND + i) != 1)
			die("writing PCI_COMMAND");
	}
	sched_setscheduler(0, SCHED_OTHER, &other);
}

/* No driver writes its BARs in a reset. */
static void move(int back)
{
	uint32_t to = back ? address : htole32(AWAY) | (address & htole32(0xf));

	if (pwrite(config, &to, 4, PCI_BASE_ADDRESS_0 + 4 * bar) != 4)
		die("writing a BAR");
}

static void access_memory(int on)
{
	if (bar < 0)
		decode(on);
	else
		move(on);
}

/* The kernel's lines "reads N" and "writes N", summed. */
static long long error_count(void)
{
	long long reads, writes;
	char text[128];

	reread(errors, text, sizeof(text), "reading the count of errors");
	if (sscanf(text, "reads %lld writes %lld", &reads, &writes) != 2) {
		fprintf(stderr, "pci_burst: no count of errors: %s\n", text);
		exit(1);
	}
	return reads + writes;
}

/* Return non-zero if a signal came instead. */
static int wait_for_disks(const unsigned long long *since)
{
	int64_t limit = now() + PATIENCE * NSEC_PER_SEC;
	int i;

	for (i = 0; i < disks; i++)
		while (disk_completed(disk_stat[i]) < since[i] + FLOWING && now() < limit)
			if (sleep_until(now() + NSEC_PER_SEC / 50))
				return 1;
	return 0;
}

/*
 * A machine may be too slow to end a recovery in any gap that is fixed.
 * Return non-zero if a signal came instead.
 */
static int wait_for_recovery(void)
{
	int64_t limit = now() + RECOVERY * NSEC_PER_SEC;
	char text[32];

	while (state >= 0) {
		reread(state, text, sizeof(text), "reading the state");
		if (!strcmp(text, "offline\n"))
			fail("the kernel gave the device up");
		if (strcmp(text, "recovering\n"))
			break;
		if (now() > limit)
			fail("the kernel's recovery does not end");
		if (sleep_until(now() + NSEC_PER_SEC / 500))
			return 1;
	}
	return 0;
}

static struct range parse(const char *arg)
{
	struct range r;
	char *end;

	r.min = strtod(arg, &end);
	r.max = r.min;
	if (*end == ':')
		r.max = strtod(end + 1, &end);
	if (*end || r.min <= 0 || r.max < r.min) {
		fprintf(stderr, "pci_burst: no range of microseconds: %s\n",
			arg);
		help();
	}
	return r;
}

static int64_t draw(struct range r)
{
	return 1000 * r.min * exp(drand48() * log(r.max / r.min));
}

int main(int argc, char **argv)
{
	struct range length = { 1000, 1000 }, gap = { 500000, 500000 };
	int64_t start, end, wait, len;
	const char *bdf = NULL;
	FILE *out = stdout;
	long i, count = 1, hits = 0, wanted = 0;
	unsigned long long since[MAX_DISKS] = { 0 };
	long long before = 0, failed;
	char path[128];
	int opt, disk, inside = 0, stop = 0;

	srand48(1);
	while ((opt = getopt(argc, argv, "d:n:l:g:m:b:s:o:e:H:w:i")) != -1) {
		switch (opt) {
		case 'd':
			bdf = optarg;
			break;
		case 'n':
			count = strtol(optarg, NULL, 0);
			break;
		case 'l':
			length = parse(optarg);
			break;
		case 'g':
			gap = parse(optarg);
			break;
		case 'm':
			mask = strtol(optarg, NULL, 0);
			break;
		case 'b':
			if (!isdigit(*optarg) || atoi(optarg) > 5)
				help();
			bar = atoi(optarg);
			break;
		case 's':
			srand48(strtol(optarg, NULL, 0));
			break;
		case 'o':
			out = fopen(optarg, "w");
			if (!out)
				die(optarg);
			break;
		case 'e':
			errors = open(optarg, O_RDONLY);
			if (errors < 0)
				die(optarg);
			break;
		case 'H':
			wanted = strtol(optarg, NULL, 0);
			break;
		case 'w':
			if (disks == MAX_DISKS)
				help();
			disk_stat[disks++] = disk_open(optarg);
			break;
		case 'i':
			inside = 1;
			break;
		default:
			help();
		}
	}
	if (!bdf || optind != argc || (wanted && errors < 0))
		help();

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", bdf);
	config = open(path, O_RDWR);
	if (config < 0)
		die(path);
	if (bar >= 0 &&
	    pread(config, &address, 4, PCI_BASE_ADDRESS_0 + 4 * bar) != 4)
		die("reading a BAR");
	if (!inside) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/io_check/state",
			 bdf);
		state = open(path, O_RDONLY);
		/* a kernel or a driver without recovery has no such file */
		if (state < 0 && errno != ENOENT)
			die(path);
	}
	/* a signal ends the run, but never inside a burst's bookkeeping */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);

	fprintf(out, "burst,start_ns,end_ns,length_ns,errors\n");
	for (i = 0; i < count && !stop && (!wanted || hits < wanted); i++) {
		wait = draw(gap);
		len = draw(length);
		if (wait_for_recovery() || wait_for_disks(since) ||
		    sleep_until(now() + wait))
			break;
		if (errors >= 0)
			before = error_count();
		/* the kernel may not live to have more written */
		fprintf(out, "%ld,", i);
		fflush(out);
		start = now();
		access_memory(0);
		stop = sleep_until(start + len);
		access_memory(1);
		end = now();
		for (disk = 0; disk < disks; disk++)
			since[disk] = disk_completed(disk_stat[disk]);
		fprintf(out, "%lld,%lld,%lld,", (long long)start,
			(long long)end, (long long)(end - start));
		if (errors >= 0) {
			failed = error_count() - before;
			hits += failed > 0;
			fprintf(out, "%lld", failed);
		}
		fprintf(out, "\n");
		fflush(out);
	}
	return 0;
}
