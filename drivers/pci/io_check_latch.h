/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_LATCH_H
#define _DRIVERS_PCI_IO_CHECK_LATCH_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/io_check_latch.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include "io_check.h"

/* Kinds of latched errors, which put different things in doubt */
#define LATCH_ABORT	BIT(0)	/* an access or a completion got lost */
#define LATCH_PARITY	BIT(1)	/* or any data may be wrong */
#define LATCH_ALL	(LATCH_ABORT | LATCH_PARITY)
/* An access to the function itself failed in a session of somebody else's */
#define LATCH_OWN	BIT(2)

/* Latched status, by register */
enum { LATCH_STATUS, LATCH_SEC_STATUS, LATCH_DEVSTA, LATCH_AER, LATCH_NR };

/**
 * struct io_check_latch - what one function, bridge or host bridge latches
 * @rcu: it is found under RCU
 * @users: devices whose errors may be latched here; under io_check_latch_mutex
 * @dying: errors are noted in io_check_elsewhere as well
 * @lock: status is read and cleared under it
 * @stamp: io_check_seq after the last error of each kind
 * @blind: status bits, by register, that cannot be cleared, or were noted and are
 *	somebody else's to clear: no news until they are 0
 */
struct io_check_latch {
	struct rcu_head rcu;
	unsigned int users;
	bool dying;
	raw_spinlock_t lock;
	atomic_t stamp[3];
	u32 blind[LATCH_NR];
};

/**
 * enum io_check_doubt - what an error that somebody noted leaves in doubt
 * @IO_CHECK_NO_DOUBT: nothing
 * @IO_CHECK_DOUBT_LOST: reads that gave all-ones, and posted writes
 * @IO_CHECK_DOUBT_ALL: each value
 * @IO_CHECK_DOUBT_OWN: whether the function is what its driver takes it for
 */
enum io_check_doubt {
	IO_CHECK_NO_DOUBT, IO_CHECK_DOUBT_LOST, IO_CHECK_DOUBT_ALL, IO_CHECK_DOUBT_OWN
};

struct io_check_latch *io_check_latch(const void *key);
struct pci_dev *io_check_above(struct pci_dev *pdev);
void io_check_bump(struct io_check_latch *l, unsigned int kinds);
unsigned int io_check_status_causes(u16 status);
u16 io_check_take_status(struct io_check_latch *l, struct pci_dev *pdev,
			 int where, u16 mask, u16 *news);
enum io_check_doubt io_check_heard(struct pci_dev *pdev, u32 seq);
int io_check_latch_enable(struct pci_dev *pdev,
			  void (*begins)(struct pci_dev *pdev, struct pci_dev *p,
					 struct io_check_latch *l));
void io_check_latch_disable(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_LATCH_H */
