// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: devices whose driver takes part, and how many errors
 * they may have.
 */

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "io_check.h"
#include "io_check_dev.h"
#include "io_check_query.h"

/* As EEH's eeh_max_freezes */
#define IO_CHECK_LIMIT	5
/* Between the resets for other devices' errors */
#define IO_CHECK_BACKOFF_MS	100u
#define IO_CHECK_BACKOFF_MAX_MS	10000u

/* Under rcu_read_lock(), or where the driver stays bound */
struct io_check_dev *io_check_dev_find(struct pci_dev *pdev)
{
	struct io_check_target *t = io_check_target(pdev);

	return t ? container_of(t, struct io_check_dev, target) : NULL;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_dev_find);

/* What sysfs shows */
enum io_check_state io_check_dev_state(struct io_check_dev *idev)
{
	if (READ_ONCE(idev->offline))
		return IO_CHECK_OFFLINE;
	return READ_ONCE(idev->target.recovers) || READ_ONCE(idev->driver_recovers) ?
		IO_CHECK_RECOVERING : IO_CHECK_OK;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_dev_state);

/* Its recovery has begun, or has ended. */
void io_check_dev_recovers(struct pci_dev *pdev, bool recovers)
{
	struct io_check_target *t;

	rcu_read_lock();
	t = io_check_target(pdev);
	if (t)
		WRITE_ONCE(t->recovers, recovers);
	rcu_read_unlock();
}

/* Its slot was reset, which the channel's state does not say yet; or it was isolated. */
void io_check_dev_thawed(struct pci_dev *pdev, bool thawed)
{
	struct io_check_target *t;

	rcu_read_lock();
	t = io_check_target(pdev);
	if (t)
		WRITE_ONCE(t->thawed, thawed);
	rcu_read_unlock();
}

/* A recovery ended well. */
void io_check_dev_reset(struct pci_dev *pdev)
{
	struct io_check_dev *idev;
	unsigned long flags;

	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev) {
		raw_spin_lock_irqsave(&idev->lock, flags);
		idev->resets++;
		raw_spin_unlock_irqrestore(&idev->lock, flags);
	}
	rcu_read_unlock();
}

/**
 * io_check_driver_recovers() - a driver's own recovery has begun, or has ended well
 * @pdev: the device
 * @recovers: it has begun
 *
 * For what sysfs says.  Sessions are judged as ever, and so the sentinel of such a device
 * has to answer in its resets.
 *
 * Context: Any but NMI.
 */
void io_check_driver_recovers(struct pci_dev *pdev, bool recovers)
{
	struct io_check_dev *idev;

	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev)
		WRITE_ONCE(idev->driver_recovers, recovers);
	rcu_read_unlock();
	if (!recovers)
		io_check_dev_reset(pdev);
}
EXPORT_SYMBOL_GPL(io_check_driver_recovers);

/**
 * io_check_offline() - a driver gave its device up
 * @pdev: the device
 *
 * DMA and interrupts are off by now, and the driver makes no more requests.  Until it is
 * bound again.  The channel's state is not touched: a device that is removed meanwhile
 * stays so for whoever looks.
 *
 * Context: Any but NMI.
 */
void io_check_offline(struct pci_dev *pdev)
{
	struct io_check_dev *idev;

	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev)
		WRITE_ONCE(idev->offline, true);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(io_check_offline);

/* With the device's lock */
static void io_check_new_hour(struct io_check_dev *idev)
{
	time64_t now = ktime_get_boottime_seconds();

	if (now - idev->since >= 3600) {
		idev->since = now;
		idev->failures = 0;
		idev->doubts = 0;
	}
}

/**
 * io_check_backoff() - how long to put off a reset for an error that may be another's
 * @pdev: the device
 *
 * A neighbour that fails again and again must not keep a device in resets.  Its requests
 * wait meanwhile, so that no error is lost.
 *
 * Context: Any but NMI.
 * Return: ms, 0 for the first errors of an hour.
 */
unsigned int io_check_backoff(struct pci_dev *pdev)
{
	struct io_check_dev *idev;
	unsigned int doubts = 0;
	unsigned long flags;

	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev) {
		raw_spin_lock_irqsave(&idev->lock, flags);
		io_check_new_hour(idev);
		doubts = idev->doubts++;
		raw_spin_unlock_irqrestore(&idev->lock, flags);
	}
	rcu_read_unlock();
	if (doubts < IO_CHECK_LIMIT)
		return 0;
	if (doubts == IO_CHECK_LIMIT)
		pci_warn(pdev, "io_check: errors on its way that may be other devices': it is reset less often\n");
	return min(IO_CHECK_BACKOFF_MS << min(doubts - IO_CHECK_LIMIT, 16u),
		   IO_CHECK_BACKOFF_MAX_MS);
}
EXPORT_SYMBOL_GPL(io_check_backoff);

/* Count a failure.  Return true if it is one too many for an hour. */
static bool io_check_over_limit(struct io_check_dev *idev)
{
	struct pci_dev *pdev = idev->target.pdev;
	u32 failures, limit = READ_ONCE(idev->limit);
	unsigned long flags;

	raw_spin_lock_irqsave(&idev->lock, flags);
	io_check_new_hour(idev);
	failures = ++idev->failures;
	raw_spin_unlock_irqrestore(&idev->lock, flags);
	if (READ_ONCE(idev->offline_on_error)) {
		pci_err(pdev, "io_check: offline_on_error is set: offline\n");
		return true;
	}
	if (failures > limit) {
		pci_err(pdev, "io_check: %u failures within an hour, limit %u: offline\n",
			failures, limit);
		return true;
	}
	return false;
}

/* "read of BAR 1 offset 0x44", as far as it is known */
static void io_check_describe(const struct io_check_err *err, char *buf,
			      size_t len)
{
	if (!err->addr)
		scnprintf(buf, len, "%s", err->cause == IO_CHECK_FROZEN ||
			  err->cause == IO_CHECK_GONE ? "channel" : "bus");
	else if (err->bar < 0)
		scnprintf(buf, len, "%s of no BAR",
			  err->write ? "write" : "read");
	else
		scnprintf(buf, len, "%s of BAR %d offset 0x%llx",
			  err->write ? "write" : "read", err->bar, err->offset);
}

/**
 * io_check_report() - a recovery begins
 * @pdev: device whose driver called pci_io_check_enable()
 * @err: what it begins with, from io_check_error()
 *
 * Names device, register and cause in the kernel log, and counts the failure: but for one
 * that may be another device's, and one that the platform recovers from.
 *
 * Context: Any but NMI.
 * Return: true if the device failed more often within an hour than its limit in sysfs
 * allows, and has to be given up.
 */
bool io_check_report(struct pci_dev *pdev, const struct io_check_err *err)
{
	struct io_check_dev *idev;
	bool over = false;
	char what[64];

	io_check_describe(err, what, sizeof(what));
	dev_err_ratelimited(&pdev->dev, "io_check: %s failed: %s (%d)%s\n", what,
			    io_check_cause_name(err->cause), err->error,
			    err->injected ? ", injected" : "");
	if (err->shared || (err->cause == IO_CHECK_FROZEN && !err->injected))
		return false;
	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev)
		over = io_check_over_limit(idev);
	rcu_read_unlock();
	return over;
}
EXPORT_SYMBOL_GPL(io_check_report);

/**
 * pci_io_check_dma() - ask whether DMA of a device failed
 * @pdev: the device
 * @err: the record of the error, if there is one
 *
 * For a driver whose command timed out: no register access sees an error of
 * the device's own accesses to memory.  Asks the platform whether it isolated
 * the device, and the status that the device latched.  Sessions of the device that are
 * open hear of a latched error.  The driver then resets the device.
 *
 * Context: Any but NMI.
 * Return: 0, -EAGAIN if the device is isolated, -EBADMSG for parity or
 * poison, -ENXIO for a master abort, -EIO for other errors.
 */
int pci_io_check_dma(struct pci_dev *pdev, struct io_check_err *err)
{
	*err = (struct io_check_err) { .pdev = pdev };
	if (arch_io_check_frozen(pdev)) {
		err->cause = IO_CHECK_FROZEN;
	} else {
		err->value = io_check_clear_status(pdev, PCI_STATUS,
						   PCI_STATUS_ERROR_BITS);
		err->cause = io_check_status_cause(err->value);
	}
	if (!err->cause)
		return 0;
	io_check_note(err);
	return err->error;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(pci_io_check_dma);

/* The driver was unbound, or its probe failed; under the device's lock. */
static void io_check_dev_disable(void *data)
{
	struct io_check_dev *idev = data;

	io_check_inject_disable(&idev->inject);
	io_check_latch_disable(idev->target.pdev);
	io_check_target_del(&idev->target);
	kfree_rcu(idev, rcu);
}

/**
 * pci_io_check_enable() - take part in io_check's statistics and recovery
 * @pdev: the device, while its driver probes it
 * @sentinel: a 32-bit register that a living device never reads as 0 or all-ones, and
 *	that has no side effects; or NULL.  It decides whether an error that somebody else
 *	found was this device's.
 *
 * Errors of the device are counted and told from those of others.  With io_check_groups
 * among the driver's dev_groups there is a directory io_check/ in sysfs.  Ends by itself
 * when the driver is unbound.
 *
 * Context: Process, may sleep.
 * Return: 0, -EBUSY if it is enabled already, -ENOMEM.
 */
int pci_io_check_enable(struct pci_dev *pdev, const void __iomem *sentinel)
{
	struct io_check_dev *idev;
	int ret;

	idev = kzalloc(sizeof(*idev), GFP_KERNEL);
	if (!idev)
		return -ENOMEM;
	raw_spin_lock_init(&idev->lock);
	raw_spin_lock_init(&idev->log.lock);
	idev->limit = IO_CHECK_LIMIT;
	idev->since = ktime_get_boottime_seconds();
	idev->target.pdev = pdev;
	idev->target.sentinel = sentinel;
	idev->target.log = &idev->log;
	/* what froze it for an earlier driver did not end well, and says no more */
	idev->target.thawed = pdev->error_state == pci_channel_io_frozen;
	ret = io_check_target_add(&idev->target);
	if (ret)
		goto free;
	arch_io_check_enable(pdev);
	/* what was latched before is none of this driver's */
	ret = io_check_latch_enable(pdev, io_check_begins);
	if (ret)
		goto del;
	io_check_inject_enable(&idev->target, &idev->inject);
	return devm_add_action_or_reset(&pdev->dev, io_check_dev_disable, idev);

del:
	io_check_target_del(&idev->target);
free:
	kfree_rcu(idev, rcu);
	return ret;
}
EXPORT_SYMBOL_GPL(pci_io_check_enable);
