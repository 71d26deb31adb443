/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KUnit tests of io_check.  The registers are memory, mapped as a BAR is, which
 * the checked accessors reach as they reach a BAR; a fault is planted by leaving
 * what an architecture's landing pad leaves.  The devices are made by hand: two
 * below a bridge, and one below another host bridge, with a configuration space
 * in memory whose status bits are cleared by writing ones, as PCI's are.
 */
#ifndef _IO_CHECK_KUNIT_H
#define _IO_CHECK_KUNIT_H

#include <kunit/test.h>
#include <linux/pci.h>
#include <asm/byteorder.h>
#include "../io_check.h"
#include "../io_check_dev.h"

/* A function of the fake PCI: of its configuration space, what is used */
struct fake_fn {
	struct pci_dev pdev;
	bool absent;
	u16 command;
	atomic_t status;
	atomic_t sec_status;
	u16 stuck;		/* bits of sec_status that cannot be cleared */
	u16 again;		/* those of an error that comes as they are cleared */
	u16 devsta;
	u16 devsta_again;
	u32 uncor;		/* AER's uncorrectable errors */
	u32 uncor_mask;
	u16 dpc;		/* DPC's status */
};

#define FAKE_EXP	0x40
#define FAKE_AER	0x100
#define FAKE_DPC	0x200

struct fake_bus {
	struct pci_bus bus;
	struct fake_fn *fn[2];	/* by device number */
};

struct io_check_kunit {
	struct fake_bus root, below, other;
	struct fake_fn bridge, dev, neighbour, foreign;
	struct pci_host_bridge *host;
	struct pci_dev *pdev;	/* of dev */
	struct io_check_dev *idev;
	void *group;		/* devres of the driver's time */
	void *mem;
	void __iomem *regs;
};

/* The registers: what they hold is the test's, but for this */
#define SENTINEL	0x10

int io_check_kunit_init(struct kunit *test);
void io_check_kunit_exit(struct kunit *test);
int io_check_kunit_bind(struct io_check_kunit *k);
void io_check_kunit_unbind(struct io_check_kunit *k);

/* What a landing pad does: no stub has this address, so nothing is decoded */
static inline void io_check_kunit_fault(struct io_check *c, void __iomem *addr)
{
	c->fault.ip = 0x10;
	c->fault.addr = addr;
	c->fault.value = 0x55;
	c->fault.raw[0] = 1;
	c->fault.raw[1] = 2;
	c->fault.raw[2] = 3;
	c->stop |= IO_CHECK_STOP_FAULT;
}

#endif
