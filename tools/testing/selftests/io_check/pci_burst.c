// SPDX-License-Identifier: GPL-2.0
/*
 * pci_burst - take bits of a PCI device's command register away for a while
 *
 * With memory decoding off (PCI 3.0, 6.2.2, bit 1) the device claims no memory
 * access; what the bus makes of that is the test.  Only the masked bits are
 * toggled, so that a driver's own writes to the register survive.
 */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PCI_COMMAND	4
#define NSEC_PER_SEC	1000000000LL

struct range {
	double min, max;	/* in microseconds */
};

static int config;
static uint16_t mask = 2;
static sigset_t signals;

static void help(void)
{
	fprintf(stderr,
		"usage: pci_burst -d BDF [-n COUNT] [-l USEC[:USEC]] [-g USEC[:USEC]]\n"
		"                 [-m MASK] [-s SEED] [-o FILE]\n"
		"  -d  device, for instance 0000:01:00.0\n"
		"  -n  bursts (1)\n"
		"  -l  length of a burst, log-uniform in the range (1000)\n"
		"  -g  gap before a burst, likewise (500000)\n"
		"  -m  bits of the command register to clear (2, memory decode)\n"
		"  -s  seed of lengths and gaps (1)\n"
		"  -o  CSV of bursts: number, start, end, length in ns (stdout)\n");
	exit(2);
}

static void die(const char *what)
{
	fprintf(stderr, "pci_burst: %s: %s\n", what, strerror(errno));
	exit(1);
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

/* Configuration space is little endian on every machine. */
static void decode(int on)
{
	uint8_t b[2];
	uint16_t v;

	if (pread(config, b, 2, PCI_COMMAND) != 2)
		die("reading PCI_COMMAND");
	v = b[0] | b[1] << 8;
	v = on ? v | mask : v & ~mask;
	b[0] = v;
	b[1] = v >> 8;
	if (pwrite(config, b, 2, PCI_COMMAND) != 2)
		die("writing PCI_COMMAND");
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
	long i, count = 1;
	char path[128];
	int opt, stop = 0;

	srand48(1);
	while ((opt = getopt(argc, argv, "d:n:l:g:m:s:o:")) != -1) {
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
		case 's':
			srand48(strtol(optarg, NULL, 0));
			break;
		case 'o':
			out = fopen(optarg, "w");
			if (!out)
				die(optarg);
			break;
		default:
			help();
		}
	}
	if (!bdf || optind != argc)
		help();

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", bdf);
	config = open(path, O_RDWR);
	if (config < 0)
		die(path);
	/* a signal ends the run, but never inside a burst's bookkeeping */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);

	fprintf(out, "burst,start_ns,end_ns,length_ns\n");
	for (i = 0; i < count && !stop; i++) {
		wait = draw(gap);
		len = draw(length);
		if (sleep_until(now() + wait))
			break;
		start = now();
		decode(0);
		stop = sleep_until(start + len);
		decode(1);
		end = now();
		fprintf(out, "%ld,%lld,%lld,%lld\n", i, (long long)start,
			(long long)end, (long long)(end - start));
		fflush(out);
	}
	return 0;
}
