// SPDX-License-Identifier: GPL-2.0
/*
 * Switch Bus Master of a function on and off, by its configuration space, and look
 * whether anybody else has changed the command register.
 *
 * usage: config_toggle FILE COUNT
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PCI_COMMAND		4
#define PCI_COMMAND_MASTER	4

static uint8_t transfer(int fd, int write, uint8_t val)
{
	if ((write ? pwrite(fd, &val, 1, PCI_COMMAND) :
		     pread(fd, &val, 1, PCI_COMMAND)) != 1)
		err(1, "configuration space");
	return val;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	long i, lost = 0;
	uint8_t old, val;

	if (fd < 0)
		err(1, "usage: config_toggle FILE COUNT");
	old = transfer(fd, 0, 0);
	val = old;
	for (i = 0; i < atol(argv[2]); i++) {
		val ^= PCI_COMMAND_MASTER;
		transfer(fd, 1, val);
		lost += transfer(fd, 0, 0) != val;
	}
	transfer(fd, 1, old);
	printf("%ld changes, %ld lost\n", i, lost);
	return lost != 0;
}
