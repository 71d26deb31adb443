// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: devices whose driver takes part, what sysfs
 * shows of their errors, and the recovery that a driver asks for.
 */

#define pr_fmt(fmt) "io_check: " fmt

#include <linux/interrupt.h>
#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <ras/ras_event.h>
#include "io_check.h"

/* As EEH's eeh_max_freezes */
#define IO_CHECK_LIMIT	5
/* Between the resets for other devices' errors */
#define IO_CHECK_BACKOFF_MS	100u
#define IO_CHECK_BACKOFF_MAX_MS	10000u

/* struct io_check_dev by the address of its pci_dev; read under RCU */
static DEFINE_XARRAY(io_check_devs);
static struct workqueue_struct *io_check_wq;

static const char * const io_check_cause_names[IO_CHECK_NR_CAUSES] = {
	[IO_CHECK_NONE]		= "none",
	[IO_CHECK_PARITY]	= "parity",
	[IO_CHECK_ABORT]	= "abort",
	[IO_CHECK_NO_RESPONSE]	= "no_response",
	[IO_CHECK_TIMEOUT]	= "timeout",
	[IO_CHECK_FROZEN]	= "frozen",
	[IO_CHECK_GONE]		= "gone",
	[IO_CHECK_SHARED]	= "shared",
};

static const char * const io_check_state_names[] = {
	[IO_CHECK_OK]		= "ok",
	[IO_CHECK_RECOVERING]	= "recovering",
	[IO_CHECK_OFFLINE]	= "offline",
};

/* Under rcu_read_lock() */
struct io_check_dev *io_check_dev_find(struct pci_dev *pdev)
{
	return xa_load(&io_check_devs, (unsigned long)pdev);
}
EXPORT_SYMBOL_GPL(io_check_dev_find);	/* for the KUnit suite */

/* What the driver told, or nothing */
struct io_check_ops io_check_dev_ops(struct pci_dev *pdev)
{
	struct io_check_ops ops = { };
	struct io_check_dev *idev;

	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev)
		ops = idev->ops;
	rcu_read_unlock();
	return ops;
}

/* Make an error known; any context but NMI. */
void io_check_dev_error(const struct io_check_err *err)
{
	struct io_check_dev *idev;
	unsigned long flags;

	trace_io_check_error(pci_name(err->pdev),
			     io_check_cause_names[err->cause], err);
	rcu_read_lock();
	idev = io_check_dev_find(err->pdev);
	if (idev) {
		raw_spin_lock_irqsave(&idev->lock, flags);
		idev->errors[err->cause]++;
		idev->last = *err;
		raw_spin_unlock_irqrestore(&idev->lock, flags);
	}
	rcu_read_unlock();
}

static void io_check_dev_release(struct kref *ref)
{
	struct io_check_dev *idev = container_of(ref, struct io_check_dev, ref);

	kfree_rcu(idev, rcu);
}

static void io_check_set_state(struct io_check_dev *idev,
			       enum io_check_state state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&idev->lock, flags);
	idev->state = state;
	raw_spin_unlock_irqrestore(&idev->lock, flags);
}

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
		io_check_set_state(idev, IO_CHECK_OFFLINE);
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
EXPORT_SYMBOL_GPL(io_check_backoff);	/* for the KUnit suite */

/* Count a failure.  Return true if it is one too many for an hour. */
static bool io_check_over_limit(struct io_check_dev *idev)
{
	unsigned long flags;
	bool over;

	raw_spin_lock_irqsave(&idev->lock, flags);
	io_check_new_hour(idev);
	idev->failures++;
	over = idev->offline_on_error || idev->failures > idev->limit;
	raw_spin_unlock_irqrestore(&idev->lock, flags);
	return over;
}

/* No handler of the device's interrupts runs with what it read before. */
void io_check_synchronize_irqs(struct pci_dev *pdev)
{
	int i, irq;

	if (!pci_dev_msi_enabled(pdev)) {
		synchronize_irq(pdev->irq);
		return;
	}
	for (i = 0; (irq = pci_irq_vector(pdev, i)) > 0; i++)
		synchronize_irq(irq);
}

/*
 * The steps of Documentation/PCI/pci-error-recovery.rst.  The bus did nothing
 * but fail an access: the channel is normal, and only a driver that asks for it
 * gets its device reset.
 */
static pci_ers_result_t io_check_run_handlers(struct pci_dev *pdev,
					      const struct pci_error_handlers *h)
{
	pci_ers_result_t res;

	res = h->error_detected(pdev, pci_channel_io_normal);
	if (res == PCI_ERS_RESULT_CAN_RECOVER)
		res = h->mmio_enabled ? h->mmio_enabled(pdev) :
					PCI_ERS_RESULT_RECOVERED;
	if (res == PCI_ERS_RESULT_NEED_RESET && h->slot_reset) {
		/* a device that the bus cannot reset is its driver's to reset */
		if (__pci_reset_function_locked(pdev))
			pci_dbg(pdev, "io_check: no reset of the function\n");
		res = h->slot_reset(pdev);
	}
	if (res != PCI_ERS_RESULT_RECOVERED)
		return PCI_ERS_RESULT_DISCONNECT;
	if (h->resume)
		h->resume(pdev);
	return res;
}

static void io_check_recover(struct work_struct *work)
{
	struct io_check_dev *idev = container_of(work, struct io_check_dev, work);
	struct pci_dev *pdev = idev->pdev;
	const struct pci_error_handlers *h;
	unsigned long flags;
	bool give_up;

	device_lock(&pdev->dev);
	/* it is the driver's device as long as its driver is bound */
	if (idev->disabled || idev->state == IO_CHECK_OFFLINE)
		goto out;
	h = pdev->driver ? pdev->driver->err_handler : NULL;
	if (!h || !h->error_detected) {
		pci_warn(pdev, "io_check: its driver has no error handlers\n");
		goto out;
	}
	io_check_synchronize_irqs(pdev);
	/* errors that may be a neighbour's do not count */
	give_up = xchg(&idev->own, 0) && io_check_over_limit(idev);
	if (!pci_device_is_present(pdev)) {
		give_up = true;
		pci_err(pdev, "io_check: it was removed\n");
	} else if (give_up) {
		if (idev->offline_on_error)
			pci_err(pdev, "io_check: offline_on_error is set: offline\n");
		else
			pci_err(pdev, "io_check: %u failures within an hour, limit %u: offline\n",
				idev->failures, idev->limit);
	} else {
		io_check_set_state(idev, IO_CHECK_RECOVERING);
		give_up = io_check_run_handlers(pdev, h) != PCI_ERS_RESULT_RECOVERED;
	}
	if (give_up) {
		h->error_detected(pdev, pci_channel_io_perm_failure);
		pci_clear_master(pdev);
		io_check_offline(pdev);
		goto out;
	}
	raw_spin_lock_irqsave(&idev->lock, flags);
	if (idev->state == IO_CHECK_RECOVERING) {
		idev->state = IO_CHECK_OK;
		idev->resets++;
	}
	raw_spin_unlock_irqrestore(&idev->lock, flags);
out:
	device_unlock(&pdev->dev);
	kref_put(&idev->ref, io_check_dev_release);
	pci_dev_put(pdev);
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
 * io_check_report() - hand an error to recovery
 * @pdev: device whose driver called pci_io_check_enable()
 * @err: its record, from io_check_error()
 *
 * Names device, register and cause in the kernel log, and runs the driver's
 * &pci_error_handlers in process context: error_detected with
 * pci_channel_io_normal, then mmio_enabled or slot_reset as the driver wants,
 * then resume.  A device that failed more often within an hour than its sysfs
 * limit allows goes offline: error_detected with pci_channel_io_perm_failure.
 *
 * An error that the platform recovers from, with EEH for instance, is logged
 * only; the platform runs the same handlers.
 *
 * Context: Any but NMI.
 */
void io_check_report(struct pci_dev *pdev, const struct io_check_err *err)
{
	struct io_check_dev *idev;
	char what[64];

	io_check_describe(err, what, sizeof(what));
	dev_err_ratelimited(&pdev->dev, "io_check: %s failed: %s (%d)%s\n", what,
			    io_check_cause_names[err->cause], err->error,
			    err->injected ? ", injected" : "");
	if (err->cause == IO_CHECK_FROZEN && !err->injected)
		return;
	rcu_read_lock();
	idev = io_check_dev_find(pdev);
	if (idev && !err->shared)
		WRITE_ONCE(idev->own, 1);
	if (idev && kref_get_unless_zero(&idev->ref)) {
		/* the work's references; the caller has its own */
		pci_dev_get(pdev);
		if (!queue_work(io_check_wq, &idev->work)) {
			pci_dev_put(pdev);
			kref_put(&idev->ref, io_check_dev_release);
		}
	}
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(io_check_report);

static struct io_check_dev *io_check_of(struct device *dev)
{
	struct io_check_dev *idev;

	/* the attributes go before the device does */
	rcu_read_lock();
	idev = io_check_dev_find(to_pci_dev(dev));
	rcu_read_unlock();
	return idev;
}

static ssize_t errors_by_cause_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct io_check_dev *idev = io_check_of(dev);
	int i, len = 0;

	for (i = IO_CHECK_NONE + 1; i < IO_CHECK_NR_CAUSES; i++)
		len += sysfs_emit_at(buf, len, "%s %u\n",
				     io_check_cause_names[i],
				     READ_ONCE(idev->errors[i]));
	return len;
}
static DEVICE_ATTR_RO(errors_by_cause);

static ssize_t last_error_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct io_check_dev *idev = io_check_of(dev);
	struct io_check_err err;
	unsigned long flags;

	raw_spin_lock_irqsave(&idev->lock, flags);
	err = idev->last;
	raw_spin_unlock_irqrestore(&idev->lock, flags);
	if (!err.cause)
		return 0;
	return sysfs_emit(buf,
			  "cause=%s error=%d %s bar=%d offset=0x%llx size=%u value=0x%llx shared=%d injected=%d ip=%pS cpu=%d time_ns=%llu\n",
			  io_check_cause_names[err.cause], err.error,
			  err.write ? "write" : "read", err.bar, err.offset,
			  err.size, err.value, err.shared, err.injected,
			  (void *)err.ip, err.cpu, err.time_ns);
}

/* with addresses of the kernel */
static DEVICE_ATTR_ADMIN_RO(last_error);

static ssize_t resets_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(io_check_of(dev)->resets));
}
static DEVICE_ATTR_RO(resets);

/* What sysfs shows */
enum io_check_state io_check_dev_state(struct io_check_dev *idev)
{
	enum io_check_state state = READ_ONCE(idev->state);

	/* a recovery begins before the handlers run, and may begin without them */
	if (state == IO_CHECK_OK && io_check_dev_recovers(idev->pdev))
		state = IO_CHECK_RECOVERING;
	return state;
}
EXPORT_SYMBOL_GPL(io_check_dev_state);	/* for the KUnit suite */

static ssize_t state_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  io_check_state_names[io_check_dev_state(io_check_of(dev))]);
}
static DEVICE_ATTR_RO(state);

static ssize_t limit_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(io_check_of(dev)->limit));
}

static ssize_t limit_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	u32 limit;
	int ret = kstrtou32(buf, 0, &limit);

	if (ret)
		return ret;
	WRITE_ONCE(io_check_of(dev)->limit, limit);
	return count;
}
static DEVICE_ATTR_RW(limit);

static ssize_t offline_on_error_show(struct device *dev,
				     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  READ_ONCE(io_check_of(dev)->offline_on_error));
}

static ssize_t offline_on_error_store(struct device *dev,
				      struct device_attribute *attr,
				      const char *buf, size_t count)
{
	bool val;
	int ret = kstrtobool(buf, &val);

	if (ret)
		return ret;
	WRITE_ONCE(io_check_of(dev)->offline_on_error, val);
	return count;
}
static DEVICE_ATTR_RW(offline_on_error);

static struct attribute *io_check_attrs[] = {
	&dev_attr_errors_by_cause.attr,
	&dev_attr_last_error.attr,
	&dev_attr_limit.attr,
	&dev_attr_offline_on_error.attr,
	&dev_attr_resets.attr,
	&dev_attr_state.attr,
	NULL
};

static const struct attribute_group io_check_group = {
	.name = "io_check",
	.attrs = io_check_attrs,
};

/* The driver was unbound, or its probe failed; under the device's lock. */
static void io_check_dev_disable(void *data)
{
	struct io_check_dev *idev = data;
	struct pci_dev *pdev = idev->pdev;

	sysfs_remove_group(&pdev->dev.kobj, &io_check_group);
	io_check_inject_disable(idev);
	io_check_latch_disable(pdev);
	xa_erase(&io_check_devs, (unsigned long)pdev);
	idev->disabled = true;
	kref_put(&idev->ref, io_check_dev_release);
}

/**
 * pci_io_check_enable() - take part in io_check's recovery and statistics
 * @pdev: the device, while its driver probes it
 * @ops: what the core should know of it, copied; or NULL
 *
 * Gives the device a directory io_check/ in sysfs, and its driver
 * io_check_report() and the session flags that name a register of @ops.  Ends
 * by itself when the driver is unbound.
 *
 * Context: Process, may sleep.
 * Return: 0, -EBUSY if it is enabled already, -ENOMEM.
 */
int pci_io_check_enable(struct pci_dev *pdev, const struct io_check_ops *ops)
{
	struct io_check_dev *idev;
	int ret;

	idev = kzalloc(sizeof(*idev), GFP_KERNEL);
	if (!idev)
		return -ENOMEM;
	kref_init(&idev->ref);
	raw_spin_lock_init(&idev->lock);
	INIT_WORK(&idev->work, io_check_recover);
	idev->pdev = pdev;
	idev->limit = IO_CHECK_LIMIT;
	idev->since = ktime_get_boottime_seconds();
	if (ops) {
		idev->ops = *ops;
		idev->offline_on_error = ops->offline_on_error;
	}
	ret = xa_insert(&io_check_devs, (unsigned long)pdev, idev, GFP_KERNEL);
	if (ret)
		goto free;
	ret = sysfs_create_group(&pdev->dev.kobj, &io_check_group);
	if (ret)
		goto erase;
	arch_io_check_enable(pdev);
	/* what was latched before is none of this driver's */
	ret = io_check_latch_enable(pdev);
	if (ret)
		goto remove;
	io_check_inject_enable(idev);
	return devm_add_action_or_reset(&pdev->dev, io_check_dev_disable, idev);

remove:
	sysfs_remove_group(&pdev->dev.kobj, &io_check_group);
erase:
	xa_erase(&io_check_devs, (unsigned long)pdev);
free:
	kref_put(&idev->ref, io_check_dev_release);
	return ret;
}
EXPORT_SYMBOL_GPL(pci_io_check_enable);

static int __init io_check_dev_init(void)
{
	io_check_wq = alloc_workqueue("io_check", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return io_check_wq ? 0 : -ENOMEM;
}
core_initcall(io_check_dev_init);
