// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: why a read may have returned what it returned, and what
 * an error that somebody noted means for a session.
 */

#include <linux/errno.h>
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include "io_check_locate.h"
#include "io_check_query.h"
#include "io_check_target.h"

/**
 * struct io_check_found - what io_check_harvest() found
 * @status: bits of PCI_STATUS or PCI_SEC_STATUS of all
 * @own: mask of causes that the device itself has latched
 * @others: mask of those that ports above it have, for others below them as well
 */
struct io_check_found {
	u16 status;
	u8 own;
	u8 others;
};

static enum io_check_cause io_check_worst(unsigned int causes)
{
	static const u8 order[] = {
		IO_CHECK_PARITY, IO_CHECK_TIMEOUT, IO_CHECK_NO_RESPONSE, IO_CHECK_ABORT,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (causes & BIT(order[i]))
			return order[i];
	return IO_CHECK_NONE;
}

/* The worst that a status register says */
enum io_check_cause io_check_status_cause(u16 status)
{
	return io_check_worst(io_check_status_causes(status));
}

/* Of a port above a device it is the secondary side that has errors of the device. */
static int io_check_status_reg(const struct pci_dev *pdev, const struct pci_dev *p)
{
	return p != pdev && p->subordinate ? PCI_SEC_STATUS : PCI_STATUS;
}

/**
 * io_check_harvest() - take what is latched on a device's way
 * @pdev: the device
 * @mask: bits of PCI_STATUS and PCI_SEC_STATUS
 * @express: what PCI Express reports counts as well; it is noted in any case
 * @found: where to put what was found
 *
 * Context: Any but NMI.
 */
static void io_check_harvest(struct pci_dev *pdev, u16 mask, bool express,
			     struct io_check_found *found)
{
	struct io_check_latch *l;
	unsigned int causes;
	unsigned long flags;
	struct pci_dev *p;
	u16 news;

	*found = (struct io_check_found) { };
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p)) {
		l = io_check_latch(p);
		raw_spin_lock_irqsave(&l->lock, flags);
		io_check_take_status(l, p, io_check_status_reg(pdev, p), mask, &news);
		causes = io_check_take_express(l, p);
		raw_spin_unlock_irqrestore(&l->lock, flags);
		if (!express)
			causes = 0;
		causes |= io_check_status_causes(news);
		found->status |= news;
		/* a virtual function's are in part the physical one's to show */
		if (p == pdev || p == pci_physfn(pdev))
			found->own |= causes;
		else
			found->others |= causes;
	}
	rcu_read_unlock();
}

/* A fault has told of an error: what is latched of it concerns nobody else. */
static void io_check_forget(struct pci_dev *pdev)
{
	struct io_check_found found;

	if (pci_device_is_present(pdev))
		io_check_harvest(pdev, PCI_STATUS_ERROR_BITS, true, &found);
}

/* A session that wants what is latched begins: what is old is none of its own. */
static void io_check_harvest_begin(struct io_check *c)
{
	struct io_check_found old;

	c->stop |= IO_CHECK_STOP_ASK;
	io_check_harvest(c->pdev, PCI_STATUS_ERROR_BITS, true, &old);
	c->word = arch_io_check_snapshot() | c->stop;
}

static void io_check_harvest_end(struct io_check *c)
{
	struct io_check_found found;
	struct io_check_err err = { };
	u16 injected;

	io_check_harvest(c->pdev, PCI_STATUS_ERROR_BITS, true, &found);
	if (io_check_hooks.inject_status) {
		injected = io_check_hooks.inject_status(c);
		found.status |= injected;
		found.own |= io_check_status_causes(injected);
	}
	err.value = found.status;
	err.cause = io_check_worst(found.own | found.others);
	err.shared = !found.own;
	if (err.cause)
		io_check_fail(c, &err);
}

/**
 * io_check_begins() - a device takes part from now on
 * @pdev: the device
 * @p: the device, or a port above it
 * @l: the latch of @p
 *
 * What is latched is old.  Clear it, where it is the kernel's to clear; the rest is blind.
 * Errors of others come meanwhile: a bit that is still set has to stay so once more, and
 * of what others look at already they know.
 *
 * Context: Any but NMI, under rcu_read_lock().
 */
void io_check_begins(struct pci_dev *pdev, struct pci_dev *p, struct io_check_latch *l)
{
	int where = io_check_status_reg(pdev, p);
	u32 *blind = &l->blind[where == PCI_STATUS ? LATCH_STATUS : LATCH_SEC_STATUS];
	unsigned long flags;
	u16 word, news;

	raw_spin_lock_irqsave(&l->lock, flags);
	io_check_take_status(l, p, where, PCI_STATUS_ERROR_BITS, &news);
	if (news && l->users == 1) {
		io_check_take_status(l, p, where, news, &news);
		if (!pci_read_config_word(p, where, &word) && word != 0xffff)
			*blind |= word & news;
	}
	io_check_express_begins(l, p);
	raw_spin_unlock_irqrestore(&l->lock, flags);
}

/**
 * io_check_alive() - ask a device's sentinel register
 * @pdev: the device
 * @err: where to put the error of a sentinel that cannot be read, or NULL
 *
 * Context: Any but NMI.
 * Return: true if the sentinel reads neither 0 nor all-ones, or if the driver
 * named none.
 */
bool io_check_alive(struct pci_dev *pdev, struct io_check_err *err)
{
	const void __iomem *sentinel = io_check_sentinel(pdev);
	struct io_check c;
	u32 val;

	if (!sentinel)
		return true;
	io_check_begin(&c, pdev, IO_CHECK_CONTINUE);
	val = readl_check(&c, sentinel);
	/* a session of its own: the error may be the caller's to report */
	__io_check_stopped(&c);
	/* some machines read 0 where nothing is */
	if (!(c.stop & IO_CHECK_STOP_FAILED) && val && val != ~0U)
		return true;
	if (c.stop & IO_CHECK_STOP_FAILED) {
		/* it has been counted, and has its record */
		if (err)
			*err = c.err;
	} else if (err) {
		atomic_long_inc(&io_check_failures[0]);
		*err = (struct io_check_err) {
			.pdev = pdev,
			.addr = sentinel,
			.value = val,
			.size = sizeof(val),
			.cause = IO_CHECK_NO_RESPONSE,
		};
	}
	return false;
}

enum io_check_answer {
	IO_CHECK_NO_SENTINEL,
	IO_CHECK_ANSWERS,
	IO_CHECK_SILENT,
};

/* The access alone: no query of a query */
static enum io_check_answer io_check_ask_sentinel(struct pci_dev *pdev)
{
	const void __iomem *sentinel = io_check_sentinel(pdev);
	struct io_check c = { .pdev = pdev };
	u32 val;

	if (!sentinel)
		return IO_CHECK_NO_SENTINEL;
	val = io_check_do_read(&c, sentinel, sizeof(val));
	return !c.stop && val && val != ~0U ? IO_CHECK_ANSWERS :
						IO_CHECK_SILENT;
}

/* Decode enables of which a function needs one for an access to @addr */
static u16 io_check_decodes(struct pci_dev *pdev, const void __iomem *addr)
{
	struct io_check_err err = { .pdev = pdev, .addr = addr };

	io_check_locate(&err);
	/* a port has no physical address here */
	return err.bar < 0 ? PCI_COMMAND_MEMORY | PCI_COMMAND_IO : PCI_COMMAND_MEMORY;
}

/* Does @p, the device or a port above it, keep an access from the device at all? */
static enum io_check_cause io_check_ask_port(struct pci_dev *p, u16 decodes)
{
	u16 word;

#ifdef CONFIG_PCIE_DPC
	/* it isolates what is below (PCI Express 6.0, 7.9.14.5) */
	if (p->dpc_cap &&
	    !pci_read_config_word(p, p->dpc_cap + PCI_EXP_DPC_STATUS, &word) &&
	    word != 0xffff && word & PCI_EXP_DPC_STATUS_TRIGGER)
		return IO_CHECK_FROZEN;
#endif
	/*
	 * It decodes nothing, and forwards nothing, after a reset for instance.  A virtual
	 * function has no such bit (SR-IOV, 9.3.4.1.3), nor has one of s390.
	 */
	if (!p->is_virtfn && !p->no_command_memory &&
	    !pci_read_config_word(p, PCI_COMMAND, &word) && !(word & decodes))
		return IO_CHECK_NO_RESPONSE;
	return IO_CHECK_NONE;
}

/**
 * io_check_why() - why a read may have returned what it returned
 * @c: the session
 * @addr: what was read
 * @val: a value that failed reads return on this platform
 *
 * Asks, where no fault tells a failed read from data, who would know: the
 * device and the bridges above it, in configuration space, and the device's
 * sentinel register.  What was over before the query is seen if one of them has
 * latched it.  All-ones is rare, so the whole way is gone for it; a dead value
 * of zero is not, and a sentinel that answers is enough to believe it.
 *
 * Context: Any but NMI.
 * Return: IO_CHECK_NONE if the value is data.
 */
static enum io_check_cause io_check_why(struct io_check *c, const void __iomem *addr,
					u64 val)
{
	/* in a reset the sentinel, and what PCI Express reports, say nothing */
	bool resets = io_check_recovers(c->pdev);
	struct pci_dev *pdev = c->pdev, *p;
	struct io_check_found found;
	enum io_check_cause cause;
	u16 decodes;

	c->flags |= IO_CHECK_SUSPECT;
	if ((u8)val != 0xff && !resets && io_check_ask_sentinel(pdev) == IO_CHECK_ANSWERS)
		return IO_CHECK_NONE;
	decodes = io_check_decodes(pdev, addr);
	for (p = pdev; p; p = pci_upstream_bridge(p)) {
		cause = io_check_ask_port(p, decodes);
		if (cause)
			return cause;
	}
	if (!pci_device_is_present(pdev))
		return IO_CHECK_GONE;
	/* SERR# and error messages tell of anything but the end of a read */
	io_check_harvest(pdev, PCI_STATUS_ERROR_BITS & ~PCI_STATUS_SIG_SYSTEM_ERROR,
			 !resets, &found);
	cause = io_check_worst(found.own);
	if (cause)
		return cause;
	if (!resets && io_check_ask_sentinel(pdev) == IO_CHECK_SILENT)
		return IO_CHECK_NO_RESPONSE;
	/* it may be another's: the value is in doubt, not the device */
	cause = io_check_worst(found.others);
	if (cause)
		c->flags |= IO_CHECK_OTHERS;
	return cause;
}

/*
 * Errors were noted since @c began.  Were any on the way of its device, and what of the
 * session is in doubt then?  What is not was judged once and for all.
 */
static void io_check_judge(struct io_check *c)
{
	u32 now = atomic_read(&io_check_seq);
	enum io_check_doubt doubt = io_check_heard(c->pdev, c->word - c->stop);
	struct io_check_err err;
	u16 status;

	/* what was noted later is looked at again */
	c->word = now | c->stop;
	if (doubt == IO_CHECK_NO_DOUBT)
		return;
	if (doubt == IO_CHECK_DOUBT_OWN) {
		/* which is on record */
		err = (struct io_check_err) { .cause = IO_CHECK_ABORT, .error = -EIO };
	} else if (io_check_alive(c->pdev, &err)) {
		err = (struct io_check_err) { };
		status = io_check_clear_status(c->pdev, PCI_STATUS, PCI_STATUS_ERROR_BITS &
					       ~PCI_STATUS_SIG_SYSTEM_ERROR);
		err.value = status;
		err.cause = io_check_status_cause(status);
		if (!err.cause && doubt == IO_CHECK_DOUBT_LOST &&
		    c->flags & IO_CHECK_READS && !(c->flags & IO_CHECK_SUSPECT))
			return;
		/* a neighbour's errors must not keep a reset from ending, which looks itself */
		if (!err.cause && io_check_recovers(c->pdev))
			return;
		if (!err.cause) {
			err.cause = IO_CHECK_SHARED;
			err.shared = true;
		}
	}
	io_check_fail(c, &err);
}

/* A session ends in which something failed, or which wants what is latched. */
static void io_check_verdict(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_ASK) {
		c->stop &= ~IO_CHECK_STOP_ASK;
		io_check_harvest_end(c);
	}
	if (!(c->stop & IO_CHECK_STOP_FAILED))
		io_check_judge(c);
	else if (c->err.ip && !c->err.injected)
		io_check_forget(c->pdev);
}

static int __init io_check_query_init(void)
{
	io_check_hooks.begin = io_check_harvest_begin;
	io_check_hooks.query = io_check_why;
	io_check_hooks.judge = io_check_judge;
	io_check_hooks.end = io_check_verdict;
	return 0;
}
core_initcall(io_check_query_init);
