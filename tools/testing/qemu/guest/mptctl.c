// SPDX-License-Identifier: GPL-2.0
/*
 * mptctl - what management tools ask of a Fusion MPT adapter, again and again
 *
 *	mptctl IOC SECONDS
 *
 * Pages of the configuration, an INQUIRY of the first disk and, once in 50 times, a reset,
 * by the ioctls of drivers/message/fusion/mptctl.h.  EAGAIN is an adapter that recovers,
 * ETIME a request that a reset ended; nothing else may fail, and no answer may be stale.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct header {
	unsigned int ioc, port;
	int max_data_size;
};

struct command {
	struct header hdr;
	int timeout;				/* s */
	void *reply, *in, *out, *sense;
	int max_reply, in_size, out_size, max_sense;	/* bytes */
	int sge_offset;				/* words */
	unsigned char frame[1];
};

#define MPTCOMMAND	_IOWR('m', 20, struct command)
#define MPTHARDRESET	_IOWR('m', 24, struct header)

/* MPI 1.5: Config_t and SCSIIORequest_t, in lsi/mpi_cnfg.h and lsi/mpi_init.h */
#define SCSI_IO		0x00
#define CONFIG		0x04
#define IO_UNIT		0x00	/* a page's type */

static union {
	struct command command;
	unsigned char bytes[sizeof(struct command) + 256];
} request;

static unsigned char reply[128], data[36], sense[64];

static int ask(int fd, int ioc, unsigned int n)
{
	struct header reset = { .ioc = ioc };
	struct command *c = &request.command;

	if (n % 50 == 49)
		return ioctl(fd, MPTHARDRESET, &reset);
	memset(&request, 0, sizeof(request));
	memset(reply, 0, sizeof(reply));
	memset(data, 0, sizeof(data));
	c->hdr.ioc = ioc;
	c->timeout = 20;
	c->reply = reply;
	c->max_reply = sizeof(reply);
	c->sense = sense;
	c->max_sense = sizeof(sense);
	if (n % 2) {
		c->frame[3] = CONFIG;
		c->frame[0x17] = IO_UNIT;
		c->sge_offset = 0x1c / 4;
	} else {
		c->frame[3] = SCSI_IO;
		c->frame[4] = 6;
		c->frame[0x18] = 0x12;		/* INQUIRY */
		c->frame[0x18 + 4] = sizeof(data);
		c->in = data;
		c->in_size = sizeof(data);
		c->sge_offset = 0x30 / 4;
	}
	return ioctl(fd, MPTCOMMAND, c);
}

static long ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	unsigned int n, good = 0, again = 0, ended = 0, stale = 0, resets = 0;
	long end, longest = 0, start, took;
	int fd, ioc, failed = 0;

	if (argc != 3)
		errx(1, "usage: mptctl IOC SECONDS");
	ioc = atoi(argv[1]);
	end = ms() + 1000 * atoi(argv[2]);
	fd = open("/dev/mptctl", O_RDWR);
	if (fd < 0)
		err(1, "/dev/mptctl");
	for (n = 0; ms() < end; n++) {
		start = ms();
		if (!ask(fd, ioc, n)) {
			good++;
			resets += n % 50 == 49;
			if (n % 50 != 49 && (n % 2 ? reply[3] != CONFIG :
					     memcmp(data + 8, "QEMU", 4)))
				stale++;
		} else if (errno == EAGAIN) {
			again++;
		} else if (errno == ETIME || n % 50 == 49) {
			ended++;
		} else {
			warn("request %u", n);
			failed++;
		}
		took = ms() - start;
		if (took > longest)
			longest = took;
		usleep(3000);
	}
	printf("# mptctl good=%u resets_asked=%u again=%u ended=%u stale=%u failed=%d longest_ms=%ld\n",
	       good, resets, again, ended, stale, failed, longest);
	return failed || stale || !good || longest > 8000;
}
