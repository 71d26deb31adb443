/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floors of io_check, from the ground up.  Each includes the headers of those below
 * it and calls nothing above it:
 *
 *	io_check_generic.c	accesses without the architecture's help
 *	io_check.c		accesses and sessions
 *	io_check_module.c	... for modules
 *	io_check_locate.c	where an access went
 *	io_check_latch.c	errors that hardware latches, and whose they may be
 *	io_check_express.c	... those of PCI Express
 *	io_check_target.c	what sessions are told of devices
 *	io_check_query.c	why a read may have returned what it returned
 *	io_check_record.c	the tracepoint and the counts
 *	io_check_inject.c	fault injection
 *	io_check_dev.c		devices whose drivers take part: limits
 *	io_check_sysfs.c	... and what an administrator sees of them
 *	io_check_irq.c		the interrupt of a device that fails
 *	io_check_recovery.c	a driver's recovery
 *	io_check_handlers.c	... from what AER, DPC and EEH tell
 *	io_check_suspend.c	... and a suspend beside it
 *
 * What a floor has to ask of one above it, it was told before: &io_check_hooks by the
 * floor, when the kernel starts; struct io_check_target by the device.
 */
#ifndef _DRIVERS_PCI_IO_CHECK_H
#define _DRIVERS_PCI_IO_CHECK_H

#include <linux/io_check.h>

/**
 * struct io_check_hooks - what the floors above do for sessions
 * @begin: the session wants what is latched
 * @query: why may a read have returned this value?
 * @judge: errors were noted since the session began
 * @end: it ends, and something failed or is to be asked
 * @record: an error has a record
 * @thawed: was its slot reset, and the channel's state does not say so yet?
 * @inject_begin: may accesses of the session have to fail?
 * @inject_read: fail this read?  True if that was all of it
 * @inject_write: fail this write?
 * @inject_status: error bits that a harvest finds besides those of hardware
 */
struct io_check_hooks {
	void (*begin)(struct io_check *c);
	enum io_check_cause (*query)(struct io_check *c, const void __iomem *addr,
				     u64 val);
	void (*judge)(struct io_check *c);
	void (*end)(struct io_check *c);
	void (*record)(struct io_check_err *err);
	bool (*thawed)(struct pci_dev *pdev);
	void (*inject_begin)(struct io_check *c);
	bool (*inject_read)(struct io_check *c, const void __iomem *addr,
			    unsigned int size, unsigned long ip, u64 *val);
	bool (*inject_write)(struct io_check *c, u64 val, void __iomem *addr,
			     unsigned int size, unsigned long ip);
	u16 (*inject_status)(struct io_check *c);
};

extern struct io_check_hooks io_check_hooks;
extern atomic_long_t io_check_failures[2];

/* io_check.flags that are the core's own: a read was asked about, ... */
#define IO_CHECK_SUSPECT	BIT(30)
/* ... and what was found may be another device's */
#define IO_CHECK_OTHERS		BIT(31)

bool io_check_isolated(struct pci_dev *pdev);
void io_check_note(struct io_check_err *err);
void io_check_fail(struct io_check *c, const struct io_check_err *err);
void io_check_access_failed(struct io_check *c, const struct io_check_err *err);
u64 io_check_do_read(struct io_check *c, const void __iomem *addr,
		     unsigned int size);
void io_check_do_write(struct io_check *c, u64 val, void __iomem *addr,
		       unsigned int size);

#endif /* _DRIVERS_PCI_IO_CHECK_H */
