// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: a driver's recovery, from the first access that
 * failed to the reset that brings the device back.
 *
 * It never takes the device's lock: the probe that holds it may wait for a command that
 * only the recovery completes.
 */

#include <linux/io_check_recovery.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include "io_check.h"
#include "io_check_query.h"
#include "io_check_recovery.h"

#define IO_CHECK_POLL_MIN_MS	10u
#define IO_CHECK_POLL_MAX_MS	100u
/* A device that does not answer configuration cycles for so many polls was removed. */
#define IO_CHECK_ABSENT_POLLS	14
/* A device that answers has so many dead_timeouts until a reset of it works. */
#define IO_CHECK_RESET_TIMEOUTS	3
/* AER that has not reset a slot after so many has failed. */
#define IO_CHECK_SLOT_TIMEOUTS	5

static int io_check_set_timeout(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, 3600);
}

static const struct kernel_param_ops io_check_timeout_ops = {
	.set = io_check_set_timeout,
	.get = param_get_uint,
};

static unsigned int dead_timeout = 20;
module_param_cb(dead_timeout, &io_check_timeout_ops, &dead_timeout, 0644);
MODULE_PARM_DESC(dead_timeout,
		 "seconds, 1 to 3600, without an answer until a device goes offline (20)");

/*
 * The one beginning of a recovery: silence the device, and leave the rest to the work.
 * @err is the access that failed, or NULL if the platform tells of an error, which it
 * has logged.  In any context but NMI; io_check_recovery_exit() waits for it by RCU, for
 * the work, or by the device's lock.
 */
void io_check_recovery_start(struct io_check_recovery *r,
			     const struct io_check_err *err)
{
	unsigned long delay = 0;

	if (r->ops->quiesce)
		r->ops->quiesce(r);
	io_check_mask_irq(r);
	if (test_and_set_bit(IO_CHECK_R_RECOVERING, &r->flags))
		return;
	io_check_dev_recovers(r->pdev, true);
	if (err && err->shared)
		delay = msecs_to_jiffies(io_check_backoff(r->pdev));
	if (err && io_check_report(r->pdev, err))
		set_bit(RECOVERY_OVER_LIMIT, &r->flags);
	r->since = jiffies + delay;
	r->heard = r->since;
	r->reachable = r->since;
	r->unfrozen = r->since;
	r->absent = 0;
	queue_delayed_work(r->wq, &r->work, delay);
}

/**
 * io_check_recovery_error() - begin to recover from a failed access
 * @r: the device's recovery
 * @err: record of the failure
 *
 * Context: Any but NMI.
 * Return: The error as a negative errno.
 */
int io_check_recovery_error(struct io_check_recovery *r,
			    const struct io_check_err *err)
{
	set_bit(IO_CHECK_R_FAILED, &r->flags);
	/* pairs with io_check_recovery_arm(): one of the two sees the other */
	smp_mb__after_atomic();
	/* io_check_recovery_exit() waits for this */
	rcu_read_lock();
	/* probe and remove give up by themselves */
	if (io_check_armed(r) && !io_check_dead(r)) {
		if (err->cause == IO_CHECK_FROZEN && !err->injected)
			set_bit(RECOVERY_FROZEN, &r->flags);
		io_check_recovery_start(r, err);
	}
	rcu_read_unlock();
	return err->error;
}
EXPORT_SYMBOL_GPL(io_check_recovery_error);

/**
 * io_check_recovery_join() - begin the recovery of what a reset of something else resets
 * @r: recovery of another function of the same chip
 *
 * Its own work calls its @reset as well, which may find that all is done.
 *
 * Context: Process, may sleep.
 * Return: true if no handler of its interrupts and no request of it runs until its end,
 *	false if it has no recovery: its driver is not ready for commands.
 */
bool io_check_recovery_join(struct io_check_recovery *r)
{
	bool joined;

	/* io_check_recovery_exit() waits for this */
	rcu_read_lock();
	joined = io_check_armed(r) && !io_check_dead(r);
	if (joined) {
		/* for its interrupt handler */
		set_bit(IO_CHECK_R_FAILED, &r->flags);
		io_check_recovery_start(r, NULL);
	}
	rcu_read_unlock();
	if (!joined)
		return false;
	synchronize_rcu();
	io_check_synchronize_irqs(r->pdev);
	clear_bit(IO_CHECK_R_FAILED, &r->flags);
	return true;
}
EXPORT_SYMBOL_GPL(io_check_recovery_join);

/**
 * io_check_doubt() - recover from a value that a living device cannot give
 * @r: the device's recovery
 *
 * Where the bus answers zeros for a device that is not there no access fails.
 * The device's sentinel tells: call this when a command times out, or when an
 * interrupt handler finds nothing to handle.
 *
 * Context: Any but NMI.
 * Return: true if a recovery is under way.
 */
bool io_check_doubt(struct io_check_recovery *r)
{
	struct io_check_err err;
	struct io_check c;

	if (io_check_recovering(r))
		return true;
	if (io_check_dead(r) || io_check_alive(r->pdev, &err))
		return false;
	io_check_begin(&c, r->pdev, IO_CHECK_CONTINUE);
	io_check_fail(&c, &err);
	io_check_recovery_error(r, &c.err);
	return io_check_recovering(r);
}
EXPORT_SYMBOL_GPL(io_check_doubt);

/**
 * io_check_timed_out() - is a command's time-out a matter of recovery?
 * @r: the device's recovery
 *
 * No register access sees an error of the device's DMA.
 *
 * Context: Any but NMI.
 * Return: true if a recovery is under way, which completes the command.
 */
bool io_check_timed_out(struct io_check_recovery *r)
{
	struct io_check_err err;

	if (io_check_recovering(r))
		return true;
	if (io_check_dead(r))
		return false;
	if (!pci_io_check_dma(r->pdev, &err))
		return io_check_doubt(r);
	io_check_recovery_error(r, &err);
	return io_check_recovering(r);
}
EXPORT_SYMBOL_GPL(io_check_timed_out);

void io_check_recovery_done(struct io_check_recovery *r)
{
	io_check_dev_recovers(r->pdev, false);
	clear_bit(IO_CHECK_R_RECOVERING, &r->flags);
	wake_up_all(&r->wait);
}

/* Without DMA, and with its interrupt masked, the device can do no harm. */
void io_check_recovery_give_up(struct io_check_recovery *r)
{
	set_bit(IO_CHECK_R_DEAD, &r->flags);
	r->ops->offline(r);
	io_check_offline(r->pdev);
	io_check_recovery_done(r);
}

/*
 * Was it removed?  Then it answers no configuration cycle, and for a while: one that the
 * platform has isolated does not, either.
 */
static bool io_check_recovery_removed(struct io_check_recovery *r)
{
	struct pci_dev *pdev = r->pdev;

	if (r->flags & (BIT(RECOVERY_FROZEN) | BIT(RECOVERY_HELD)) ||
	    pci_device_is_present(pdev) || arch_io_check_frozen(pdev))
		r->absent = 0;
	else
		r->absent++;
	return r->absent > IO_CHECK_ABSENT_POLLS;
}

/* The bridge above, if it has no driver that restores it after a reset */
static struct pci_dev *io_check_own_bridge(struct pci_dev *pdev)
{
	struct pci_dev *bridge = pci_upstream_bridge(pdev);

	if (bridge && (!pci_is_pcie(bridge) ||
		       pci_pcie_type(bridge) == PCI_EXP_TYPE_PCI_BRIDGE))
		return bridge;
	return NULL;
}

/* What a reset of the slot loses; the PCI core drops it when it resumes the device. */
void io_check_save_state(struct pci_dev *pdev)
{
	while (pdev && pci_device_is_present(pdev)) {
		pci_save_state(pdev);
		pdev = io_check_own_bridge(pdev);
	}
}

/* From the top down: the lower ones are not reached before */
void io_check_restore(struct pci_dev *pdev)
{
	struct pci_dev *bridge = io_check_own_bridge(pdev);

	if (bridge)
		io_check_restore(bridge);
	/* what is read from one that is gone are no settings */
	if (!pci_device_is_present(pdev))
		return;
	pci_restore_state(pdev);
	pci_save_state(pdev);
}

/*
 * Is it isolated, or being reset?  AER may fail without a word to drivers, as it does
 * where one function below the port has no error handlers: pcie_do_recovery(), before it
 * made the last call of error_detected() then.  The link was reset before that.
 */
static bool io_check_recovery_frozen(struct io_check_recovery *r, unsigned long limit)
{
	struct pci_dev *pdev = r->pdev;
	bool platform = arch_io_check_frozen(pdev);

	/* a session may have told of it after the slot's reset was over */
	if (test_bit(RECOVERY_FROZEN, &r->flags) && !platform && !io_check_isolated(pdev))
		clear_bit(RECOVERY_FROZEN, &r->flags);
	if (platform || !test_bit(RECOVERY_FROZEN, &r->flags)) {
		r->unfrozen = jiffies;
	} else if (time_after(jiffies, r->unfrozen + IO_CHECK_SLOT_TIMEOUTS * limit)) {
		pci_warn(pdev, "io_check: nobody says that its slot was reset, going on\n");
		io_check_restore(pdev);
		io_check_dev_thawed(pdev, true);
		clear_bit(RECOVERY_FROZEN, &r->flags);
	}
	return r->flags & (BIT(RECOVERY_FROZEN) | BIT(RECOVERY_HELD));
}

/*
 * Reset the device if it answers.  A device that the platform has isolated is left alone
 * until its slot was reset.  True if it works: requests are let in.
 */
static bool io_check_recovery_attempt(struct io_check_recovery *r, unsigned long limit)
{
	struct pci_dev *pdev = r->pdev;

	if (io_check_recovery_frozen(r, limit)) {
		r->heard = jiffies;
		r->reachable = jiffies;
		return false;
	}
	if (!io_check_alive(pdev, NULL) || !r->ops->answers(r))
		return false;
	/*
	 * queuecommand runs in RCU read sections, and asks first: after
	 * these two no request is on its way to the device.
	 */
	synchronize_rcu();
	io_check_synchronize_irqs(pdev);
	clear_bit(IO_CHECK_R_FAILED, &r->flags);
	if (!r->ops->reset(r) && !io_check_has_failed(r)) {
		io_check_dev_reset(pdev);
		io_check_recovery_done(r);
		return true;
	}
	set_bit(IO_CHECK_R_FAILED, &r->flags);
	/* it ended with the first access that failed */
	r->heard = jiffies;
	pci_info(pdev, "io_check: reset failed, again\n");
	return false;
}

/*
 * Look whether the device answers, soon at first and then ten times a second, reset
 * it when it does, and start again when an access fails in the reset.  One that does
 * not answer for dead_timeout is given up, and later one that answers and cannot be
 * reset.
 */
static void io_check_recovery_step(struct io_check_recovery *r)
{
	struct pci_dev *pdev = r->pdev;
	unsigned long limit = READ_ONCE(dead_timeout) * HZ;
	unsigned long start = r->since;
	unsigned int poll;
	bool recovered;

	if (!io_check_armed(r))
		return;
	/* it may have been given up while it was queued, or as this one began */
	if (io_check_dead(r)) {
		io_check_recovery_done(r);
		return;
	}
	if (test_bit(RECOVERY_OVER_LIMIT, &r->flags)) {
		io_check_recovery_give_up(r);
		return;
	}
	mutex_lock(&r->attempt);
	recovered = io_check_recovery_attempt(r, limit);
	mutex_unlock(&r->attempt);
	if (recovered) {
		io_check_unmask_irq(r);
		/* one may have failed since: then it was not queued */
		if (io_check_has_failed(r))
			io_check_recovery_start(r, NULL);
		else if (r->ops->resume)
			queue_work(system_unbound_wq, &r->resume);
		pci_info(pdev, "io_check: recovered after %u ms\n",
			 jiffies_to_msecs(jiffies - start));
		return;
	}
	if (io_check_recovery_removed(r)) {
		pci_err(pdev, "io_check: it was removed in its recovery\n");
		io_check_recovery_give_up(r);
	} else if (time_after(jiffies, r->heard + limit)) {
		pci_err(pdev, "io_check: no answer for %u s, offline\n",
			jiffies_to_msecs(jiffies - r->heard) / 1000);
		io_check_recovery_give_up(r);
	} else if (time_after(jiffies, r->reachable + IO_CHECK_RESET_TIMEOUTS * limit)) {
		pci_err(pdev, "io_check: it answers, but no reset worked for %u s, offline\n",
			jiffies_to_msecs(jiffies - r->reachable) / 1000);
		io_check_recovery_give_up(r);
	} else {
		poll = clamp(jiffies_to_msecs(jiffies - start),
			     IO_CHECK_POLL_MIN_MS, IO_CHECK_POLL_MAX_MS);
		queue_delayed_work(r->wq, &r->work, msecs_to_jiffies(poll));
	}
}

static void io_check_recovery_work(struct work_struct *work)
{
	struct io_check_recovery *r =
		container_of(work, struct io_check_recovery, work.work);
	unsigned int noio = memalloc_noio_save();

	/* one that cannot be resumed does not answer */
	pm_runtime_get_sync(&r->pdev->dev);
	io_check_recovery_step(r);
	pm_runtime_put(&r->pdev->dev);
	memalloc_noio_restore(noio);
}

/* The recovery's work must not wait for what this waits for. */
static void io_check_recovery_resume(struct work_struct *work)
{
	struct io_check_recovery *r = container_of(work, struct io_check_recovery, resume);

	r->ops->resume(r);
}

/**
 * io_check_wait() - wait for the end of a recovery
 * @r: the device's recovery
 *
 * Context: May sleep, up to IO_CHECK_RESET_TIMEOUTS dead timeouts and a reset.
 * Return: 0 if the device is in service, -ENODEV if it is offline.
 */
int io_check_wait(struct io_check_recovery *r)
{
	wait_event(r->wait, !io_check_recovering(r));
	return io_check_dead(r) ? -ENODEV : 0;
}
EXPORT_SYMBOL_GPL(io_check_wait);

/**
 * io_check_recovery_init() - prepare a device's recovery
 * @r: the recovery, all zeros
 * @pdev: the device, after pci_io_check_enable()
 * @ops: the driver's part
 *
 * Until io_check_recovery_arm() an error fails the probe, no more.
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int io_check_recovery_init(struct io_check_recovery *r, struct pci_dev *pdev,
			   const struct io_check_recovery_ops *ops)
{
	struct io_check_dev *idev;

	io_check_save_state(pdev);
	r->pdev = pdev;
	r->ops = ops;
	init_waitqueue_head(&r->wait);
	mutex_init(&r->attempt);
	INIT_DELAYED_WORK(&r->work, io_check_recovery_work);
	INIT_WORK(&r->resume, io_check_recovery_resume);
	r->wq = alloc_ordered_workqueue("io_check_%s", WQ_MEM_RECLAIM,
					pci_name(pdev));
	if (!r->wq)
		return -ENOMEM;
	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev)
		WRITE_ONCE(idev->recovery, r);
	rcu_read_unlock();
	return 0;
}
EXPORT_SYMBOL_GPL(io_check_recovery_init);

/**
 * io_check_recovery_arm() - from here on failed accesses are recovered from
 * @r: the recovery of a device that is ready for commands
 *
 * Context: Any but NMI.
 * Return: 0, or -EIO if an access has failed already.
 */
int io_check_recovery_arm(struct io_check_recovery *r)
{
	set_bit(IO_CHECK_R_ARMED, &r->flags);
	/* pairs with io_check_recovery_error() */
	smp_mb__after_atomic();
	if (!io_check_has_failed(r))
		return 0;
	clear_bit(IO_CHECK_R_ARMED, &r->flags);
	return -EIO;
}
EXPORT_SYMBOL_GPL(io_check_recovery_arm);

/**
 * io_check_recovery_exit() - end it, for the driver's remove
 * @r: a recovery, initialised or all zeros
 *
 * One that is under way ends with the device offline.
 *
 * Context: Process, may sleep.
 */
void io_check_recovery_exit(struct io_check_recovery *r)
{
	struct io_check_dev *idev;

	if (!r->wq)
		return;
	clear_bit(IO_CHECK_R_ARMED, &r->flags);
	synchronize_rcu();
	cancel_delayed_work_sync(&r->work);
	/* nobody else would complete the commands */
	if (io_check_recovering(r))
		io_check_recovery_give_up(r);
	cancel_work_sync(&r->resume);
	rcu_read_lock();
	idev = io_check_dev_find(r->pdev);
	if (idev)
		WRITE_ONCE(idev->recovery, NULL);
	rcu_read_unlock();
	destroy_workqueue(r->wq);
	r->wq = NULL;
	/* an interrupt handler may still run */
	set_bit(RECOVERY_EXITED, &r->flags);
	/* pairs with io_check_mask_irq() */
	smp_mb__after_atomic();
	io_check_irq_on(r);
}
EXPORT_SYMBOL_GPL(io_check_recovery_exit);
