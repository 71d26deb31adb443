// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what sysfs shows of a device, and lets an administrator
 * choose.
 */

#include <linux/device.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/sysfs.h>
#include "io_check_dev.h"

static const char * const io_check_state_names[] = {
	[IO_CHECK_OK]		= "ok",
	[IO_CHECK_RECOVERING]	= "recovering",
	[IO_CHECK_OFFLINE]	= "offline",
};

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
				     io_check_cause_name(i),
				     READ_ONCE(idev->log.errors[i]));
	return len;
}
static DEVICE_ATTR_RO(errors_by_cause);

static ssize_t last_error_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct io_check_dev *idev = io_check_of(dev);
	struct io_check_err err;
	unsigned long flags;

	raw_spin_lock_irqsave(&idev->log.lock, flags);
	err = idev->log.last;
	raw_spin_unlock_irqrestore(&idev->log.lock, flags);
	if (!err.cause)
		return 0;
	return sysfs_emit(buf,
			  "cause=%s error=%d %s bar=%d offset=0x%llx size=%u value=0x%llx shared=%d injected=%d ip=%pS cpu=%d time_ns=%llu\n",
			  io_check_cause_name(err.cause), err.error,
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

static umode_t io_check_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return io_check_of(kobj_to_dev(kobj)) ? attr->mode : 0;
}

static const struct attribute_group io_check_group = {
	.name = "io_check",
	.attrs = io_check_attrs,
	.is_visible = io_check_visible,
};

/* The driver core has them there while the driver is bound. */
const struct attribute_group *io_check_groups[] = {
	&io_check_group,
	NULL
};
EXPORT_SYMBOL_GPL(io_check_groups);
