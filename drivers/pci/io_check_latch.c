// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: errors that hardware latches, and whose they may be.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include "io_check_latch.h"

/* struct io_check_latch by the address of a pci_dev, or of a host bridge's root bus */
static DEFINE_XARRAY(io_check_latches);
static DEFINE_MUTEX(io_check_latch_mutex);

/* All that is on the way of no device whose driver called pci_io_check_enable() */
static struct io_check_latch io_check_elsewhere = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(io_check_elsewhere.lock),
};

/* Under rcu_read_lock() */
struct io_check_latch *io_check_latch(const void *key)
{
	return xa_load(&io_check_latches, (unsigned long)key) ?: &io_check_elsewhere;
}

/*
 * Where else errors of a function are latched: in the physical function of a virtual one,
 * in the event collector of an integrated endpoint, and in the ports above.
 */
struct pci_dev *io_check_above(struct pci_dev *pdev)
{
	if (pdev->is_virtfn)
		return pci_physfn(pdev);
#ifdef CONFIG_PCIEPORTBUS
	if (pdev->rcec)
		return pdev->rcec;
#endif
	return pci_upstream_bridge(pdev);
}

static struct pci_bus *io_check_root(struct pci_dev *pdev)
{
	struct pci_bus *bus = pdev->bus;

	while (bus->parent)
		bus = bus->parent;
	return bus;
}

/*
 * The sequence number wraps, and is compared by its sign: what is further apart than
 * half of its range is told the wrong way round.  So no stamp is left older than a
 * quarter, by whoever counts each sixteenth.  models/sequence.pml of the bench has the
 * argument.
 */
#define IO_CHECK_SEQ_OLD	((u32)BIT(30))
#define IO_CHECK_SEQ_PERIOD	((u32)BIT(28))

static void io_check_refresh_one(struct io_check_latch *l, u32 seq)
{
	int i, old;

	for (i = 0; i < ARRAY_SIZE(l->stamp); i++) {
		old = atomic_read(&l->stamp[i]);
		if ((s32)(seq - old) > (s32)IO_CHECK_SEQ_OLD)
			atomic_cmpxchg(&l->stamp[i], old, seq - IO_CHECK_SEQ_OLD);
	}
}

static void io_check_refresh(u32 seq)
{
	struct io_check_latch *l;
	unsigned long key;

	rcu_read_lock();
	io_check_refresh_one(&io_check_elsewhere, seq);
	xa_for_each(&io_check_latches, key, l)
		io_check_refresh_one(l, seq);
	rcu_read_unlock();
}

/* Of two at once the later stamp stays. */
static void io_check_stamp(struct io_check_latch *l, unsigned int kinds, u32 seq)
{
	int i, old;

	for (i = 0; i < ARRAY_SIZE(l->stamp); i++) {
		if (!(kinds & BIT(i)))
			continue;
		old = atomic_read(&l->stamp[i]);
		while ((s32)(seq - old) > 0)
			if (atomic_try_cmpxchg(&l->stamp[i], &old, seq))
				break;
	}
}

/*
 * Errors of @kinds were noted in @l.  Under rcu_read_lock(); with the lock of @l only
 * where status was cleared: configuration cycles find errors too, and may be made under it.
 */
void io_check_bump(struct io_check_latch *l, unsigned int kinds)
{
	u32 seq = atomic_add_return(IO_CHECK_SEQ_ONE, &io_check_seq);

	io_check_stamp(l, kinds, seq);
	if (READ_ONCE(l->dying))
		io_check_stamp(&io_check_elsewhere, kinds, seq);
	if (!(seq % IO_CHECK_SEQ_PERIOD))
		io_check_refresh(seq);
}

/**
 * io_check_domain_error() - tell open sessions of an asynchronous error
 * @pdev: the device or port that saw it
 *
 * For code that finds an error no access explains.  Each session open, of the device or
 * of one below the port, is in doubt: see Documentation/driver-api/io-check.rst.  Status
 * that is latched has to be cleared with io_check_clear_status() instead.
 *
 * Context: Any but NMI.
 */
void io_check_domain_error(struct pci_dev *pdev)
{
	rcu_read_lock();
	io_check_bump(io_check_latch(pdev), LATCH_ALL);
	rcu_read_unlock();
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_domain_error);

/**
 * io_check_own_error() - tell a device's open sessions of a failed access to it
 * @pdev: the device
 *
 * For code that accesses a device's registers in sessions of its own, on behalf of a
 * driver that has to know, and has no way to say so.  Each session open of the device
 * fails, in a reset too; no other device's does.
 *
 * Context: Any but NMI.
 */
void io_check_own_error(struct pci_dev *pdev)
{
	struct io_check_latch *l;

	rcu_read_lock();
	l = io_check_latch(pdev);
	/* who does not take part has none to itself */
	io_check_bump(l, l == &io_check_elsewhere ? LATCH_ALL : LATCH_OWN);
	rcu_read_unlock();
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_own_error);

/**
 * io_check_bus_error() - io_check_domain_error() for a host bridge's driver
 * @bus: a bus below it
 *
 * Context: Any but NMI, inside a configuration cycle too.
 */
void io_check_bus_error(struct pci_bus *bus)
{
	while (bus->parent)
		bus = bus->parent;
	rcu_read_lock();
	io_check_bump(io_check_latch(bus), LATCH_ALL);
	rcu_read_unlock();
}

/* What status says (PCI Local Bus 3.0, 6.2.3; of a bridge: P2P 1.2, 3.2.5.7) */
unsigned int io_check_status_causes(u16 status)
{
	unsigned int causes = 0;

	if (status & (PCI_STATUS_DETECTED_PARITY | PCI_STATUS_PARITY))
		causes |= BIT(IO_CHECK_PARITY);
	if (status & PCI_STATUS_REC_MASTER_ABORT)
		causes |= BIT(IO_CHECK_NO_RESPONSE);
	if (status & (PCI_STATUS_REC_TARGET_ABORT | PCI_STATUS_SIG_TARGET_ABORT |
		      PCI_STATUS_SIG_SYSTEM_ERROR))
		causes |= BIT(IO_CHECK_ABORT);
	return causes;
}

/* SERR# may be of an address's parity. */
static unsigned int io_check_status_kinds(u16 status)
{
	return (status & (PCI_STATUS_DETECTED_PARITY | PCI_STATUS_PARITY |
			  PCI_STATUS_SIG_SYSTEM_ERROR) ? LATCH_PARITY : 0) |
	       (status & (PCI_STATUS_REC_MASTER_ABORT | PCI_STATUS_REC_TARGET_ABORT |
			  PCI_STATUS_SIG_TARGET_ABORT | PCI_STATUS_SIG_SYSTEM_ERROR) ?
		LATCH_ABORT : 0);
}

/*
 * Clear the bits of @mask in a status register that are set, and return them; of those
 * @news are not known already.
 *
 * Whoever clears status holds the lock of its latch, and moves the sequence before
 * letting go of it, when the status is clean.  Who looks at the status takes the lock,
 * too.  So an error of a session's time either is still latched when the session looks,
 * or somebody cleared it, and moved the latch's stamp after the session began: also if
 * the error joined an older one whose clearing was under way.
 */
u16 io_check_take_status(struct io_check_latch *l, struct pci_dev *pdev,
			 int where, u16 mask, u16 *news)
{
	u32 *blind = &l->blind[where == PCI_STATUS ? LATCH_STATUS : LATCH_SEC_STATUS];
	u16 status;

	*news = 0;
	/* all-ones is no status but a device that is not there */
	if (pci_read_config_word(pdev, where, &status) || status == 0xffff)
		return 0;
	*blind &= status;
	status &= mask;
	*news = status & ~*blind;
	if (*news) {
		pci_write_config_word(pdev, where, *news);
		io_check_bump(l, io_check_status_kinds(*news));
	}
	return status;
}

/**
 * io_check_clear_status() - read and clear latched error status
 * @pdev: device or bridge
 * @where: PCI_STATUS or PCI_SEC_STATUS
 * @mask: bits to clear
 *
 * All code that clears error status has to use it: a bit that is cleared
 * behind the back of a session may be the session's error.
 *
 * Context: Any but NMI.
 * Return: the bits of @mask that were set.
 */
u16 io_check_clear_status(struct pci_dev *pdev, int where, u16 mask)
{
	struct io_check_latch *l;
	unsigned long flags;
	u16 status, news;

	rcu_read_lock();
	l = io_check_latch(pdev);
	raw_spin_lock_irqsave(&l->lock, flags);
	status = io_check_take_status(l, pdev, where, mask, &news);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	rcu_read_unlock();
	return status;
}
EXPORT_SYMBOL_GPL(io_check_clear_status);

static unsigned int io_check_newer(struct io_check_latch *l, u32 seq)
{
	unsigned int kinds = 0;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&l->lock, flags);
	for (i = 0; i < ARRAY_SIZE(l->stamp); i++)
		if ((s32)(atomic_read(&l->stamp[i]) - seq) > 0)
			kinds |= BIT(i);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	return kinds;
}

/* What does an error on @pdev's way since @seq put in doubt? */
enum io_check_doubt io_check_heard(struct pci_dev *pdev, u32 seq)
{
	struct io_check_latch *l;
	unsigned int kinds = 0;
	struct pci_dev *p;

	/* or it is too old to tell */
	if ((s32)(atomic_read(&io_check_seq) - seq) < 0)
		return IO_CHECK_DOUBT_ALL;
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p)) {
		l = io_check_latch(p);
		kinds |= io_check_newer(l, seq) &
			 (p == pdev && l != &io_check_elsewhere ? ~0 : LATCH_ALL);
	}
	kinds |= io_check_newer(io_check_latch(io_check_root(pdev)), seq) & LATCH_ALL;
	rcu_read_unlock();
	if (kinds & LATCH_OWN)
		return IO_CHECK_DOUBT_OWN;
	if (kinds & LATCH_PARITY)
		return IO_CHECK_DOUBT_ALL;
	return kinds ? IO_CHECK_DOUBT_LOST : IO_CHECK_NO_DOUBT;
}

/* Free one that no device needs; what is noted meanwhile is noted elsewhere, too. */
static void io_check_put_latch(const void *key)
{
	struct io_check_latch *l = xa_load(&io_check_latches, (unsigned long)key);
	int i;

	if (!l || --l->users)
		return;
	WRITE_ONCE(l->dying, true);
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(l->stamp); i++)
		io_check_stamp(&io_check_elsewhere, BIT(i), atomic_read(&l->stamp[i]));
	xa_erase(&io_check_latches, (unsigned long)key);
	kfree_rcu(l, rcu);
}

static int io_check_get_latch(const void *key)
{
	struct io_check_latch *l = xa_load(&io_check_latches, (unsigned long)key);
	int i, ret;

	if (l) {
		l->users++;
		return 0;
	}
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->users = 1;
	raw_spin_lock_init(&l->lock);
	/* not older than the sequence's window */
	for (i = 0; i < ARRAY_SIZE(l->stamp); i++)
		atomic_set(&l->stamp[i], atomic_read(&io_check_elsewhere.stamp[i]));
	ret = xa_insert(&io_check_latches, (unsigned long)key, l, GFP_KERNEL);
	if (ret)
		kfree(l);
	return ret;
}

/**
 * io_check_latch_disable() - errors of a device concern nobody any more
 * @pdev: the device, after io_check_latch_enable()
 *
 * Context: Process, may sleep.
 */
void io_check_latch_disable(struct pci_dev *pdev)
{
	struct pci_dev *p;

	mutex_lock(&io_check_latch_mutex);
	for (p = pdev; p; p = io_check_above(p))
		io_check_put_latch(p);
	io_check_put_latch(io_check_root(pdev));
	mutex_unlock(&io_check_latch_mutex);
}

/**
 * io_check_latch_enable() - tell the errors of a device from those of others
 * @pdev: the device
 * @begins: called for it and each port above, under rcu_read_lock(): what is latched
 *	there now is no error of the device's
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int io_check_latch_enable(struct pci_dev *pdev,
			  void (*begins)(struct pci_dev *pdev, struct pci_dev *p,
					 struct io_check_latch *l))
{
	struct pci_dev *p, *q;
	int ret = 0;

	mutex_lock(&io_check_latch_mutex);
	for (p = pdev; p && !ret; p = ret ? p : io_check_above(p))
		ret = io_check_get_latch(p);
	if (!ret)
		ret = io_check_get_latch(io_check_root(pdev));
	if (ret) {
		for (q = pdev; q != p; q = io_check_above(q))
			io_check_put_latch(q);
		goto out;
	}
	/* who found no latch has noted its error elsewhere by now */
	synchronize_rcu();
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p))
		begins(pdev, p, io_check_latch(p));
	rcu_read_unlock();
out:
	mutex_unlock(&io_check_latch_mutex);
	return ret;
}
