/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KUnit tests of DMA hints.  The functions have configuration spaces in memory
 * with bits that cannot be written, and the host bridge has registers in memory:
 *
 *	host ---+-- bridge --+-- a	conventional
 *	(root)	|	     +-- b	the same
 *		+-- c			conventional, with a PCI-X capability
 *		+-- port ----+-- pf	PCI Express
 *			     +-- vf
 *
 * On PA-RISC SBA's own code maps memory for a, with an I/O page directory and
 * registers in memory.
 */
#ifndef _DMA_HINTS_KUNIT_H
#define _DMA_HINTS_KUNIT_H

#include <kunit/test.h>
#include <linux/dma-hints.h>
#include <linux/pci.h>
#include "../dma_hints.h"

#define FAKE_CAP	0x40
#define DEVCTL		(FAKE_CAP + PCI_EXP_DEVCTL)
#define BOTH		(BIT(DMA_HINT_CONSISTENT) | BIT(DMA_HINT_STREAMING))

struct fake_fn {
	struct pci_dev pdev;
	u8 config[256];
	u8 fixed[256];		/* bits that cannot be written */
	int silent;		/* accesses to come that are lost; < 0: all */
	int writes;		/* lost or not */
};

struct fake_bus {
	struct pci_bus bus;
	struct fake_fn *fn[3];	/* by device number */
};

/* The host bridge's registers: prefetch, read current, order */
enum { HOST_PREFETCH, HOST_CURRENT, HOST_ORDER, HOST_REGS };

struct fake_host {
	u32 reg[HOST_REGS];
	u32 fixed;		/* BIT() of registers that do not change */
	int fail;		/* accesses that fail from now on, counted down */
	int writes;
	u8 order[16];		/* registers as they were written */
};

struct hints_kunit {
	struct fake_bus root, below, express;
	struct fake_fn bridge, a, b, c, port, pf, vf;
	struct pci_host_bridge bridge_dev;
	struct device host;
	struct dma_hint_provider hp, mapping;
	bool mapped;
	struct fake_host regs;
};

int hints_kunit_init(struct kunit *test);
void hints_kunit_exit(struct kunit *test);
void hints_map(struct hints_kunit *k);

#endif
