// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fault injection for error-checked register accesses:
 * Documentation/fault-injection/io-check-fault-injection.rst
 */

#include <linux/debugfs.h>
#include <linux/fault-inject.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "io_check.h"
#include "io_check_inject.h"
#include "io_check_latch.h"
#include "io_check_locate.h"
#include "io_check_record.h"
#include "io_check_target.h"

enum io_check_inject_kind {
	INJECT_ONES,
	INJECT_FLIP,
	INJECT_FROZEN,
	INJECT_GONE,
	INJECT_SHARED,
	INJECT_TIMEOUT,
};

static const char * const io_check_inject_kinds[] = {
	[INJECT_ONES]	= "ones",
	[INJECT_FLIP]	= "flip",
	[INJECT_FROZEN]	= "frozen",
	[INJECT_GONE]	= "gone",
	[INJECT_SHARED]	= "shared",
	[INJECT_TIMEOUT] = "timeout",
};

static const char * const io_check_inject_modes[] = { "suppress", "pop" };

static DECLARE_FAULT_ATTR(io_check_inject_attr);

/* nth of the next device: its probe is over before its attributes are there */
static atomic_t io_check_next_nth;

/* Under rcu_read_lock() */
static struct io_check_inject *io_check_inject_of(struct pci_dev *pdev)
{
	struct io_check_target *t = io_check_target(pdev);

	return t ? READ_ONCE(t->inject) : NULL;
}

/* Each access of a session whose device has injection armed goes out of line */
static void io_check_inject_begin(struct io_check *c)
{
	struct io_check_inject *inj;

	rcu_read_lock();
	inj = io_check_inject_of(c->pdev);
	if (inj && (READ_ONCE(inj->attr.probability) || atomic_read(&inj->nth) ||
		    READ_ONCE(inj->gone)))
		c->stop |= IO_CHECK_STOP_INJECT;
	rcu_read_unlock();
}

/* Is this the access to fail?  The filters come before the count. */
static bool io_check_inject_hit(struct io_check_inject *inj,
				const struct io_check_err *err)
{
	if (inj->gone)
		return true;
	if (err->write ? !inj->writes : !inj->reads)
		return false;
	if (err->bar >= 0 && !(inj->bars & BIT(err->bar)))
		return false;
	if (err->offset < inj->first || err->offset > inj->last)
		return false;
	if (inj->size && inj->size != err->size)
		return false;
	/* an interrupt handler's access counts: current's fail-nth would not do */
	if (atomic_dec_if_positive(&inj->nth) == 0) {
		atomic_set(&inj->nth, atomic_xchg(&inj->then, 0));
		return true;
	}
	return should_fail(&inj->attr, 1);
}

/*
 * Inject an error into the access of @err.  Returns true if that was all of
 * the access, with @val what a read gives; else it goes its way.
 */
static bool io_check_inject(struct io_check *c, struct io_check_err *err,
			    u64 *val)
{
	void __iomem *addr = (void __iomem *)err->addr;
	unsigned int bits = err->size * 8;
	struct io_check_inject *inj;
	bool done = true;

	err->pdev = c->pdev;
	err->injected = true;
	io_check_locate(err);
	rcu_read_lock();
	inj = io_check_inject_of(c->pdev);
	if (!inj || !io_check_inject_hit(inj, err)) {
		done = false;
		goto out;
	}
	switch (inj->gone ? INJECT_GONE : inj->kind) {
	case INJECT_SHARED:
		io_check_bus_error(c->pdev->bus);
		done = false;
		goto out;
	case INJECT_FLIP:
		/* parity that only a harvest sees: see IO_CHECK_HARVEST */
		atomic_or(PCI_STATUS_DETECTED_PARITY, &inj->flipped);
		*val = (err->write ? err->value :
			io_check_do_read(c, addr, err->size)) ^
		       BIT_ULL(get_random_u32() % bits);
		if (err->write)
			io_check_do_write(c, *val, addr, err->size);
		goto out;
	case INJECT_FROZEN:
		err->cause = IO_CHECK_FROZEN;
		break;
	case INJECT_TIMEOUT:
		err->cause = IO_CHECK_TIMEOUT;
		break;
	case INJECT_GONE:
		inj->gone = true;
		err->cause = IO_CHECK_GONE;
		break;
	default:
		err->cause = IO_CHECK_NO_RESPONSE;
		break;
	}
	if (inj->pop && err->cause != IO_CHECK_GONE) {
		if (err->write)
			io_check_do_write(c, err->value, addr, err->size);
		else
			io_check_do_read(c, addr, err->size);
	}
	if (!err->write)
		*val = err->value = GENMASK_ULL(bits - 1, 0);
	/* unless the bus failed it by itself */
	if (!(c->stop & IO_CHECK_STOP_FAULT))
		io_check_access_failed(c, err);
out:
	rcu_read_unlock();
	return done;
}

static bool io_check_inject_read(struct io_check *c, const void __iomem *addr,
				 unsigned int size, unsigned long ip, u64 *val)
{
	struct io_check_err err = { .addr = addr, .size = size, .ip = ip };

	return io_check_inject(c, &err, val);
}

static bool io_check_inject_write(struct io_check *c, u64 val, void __iomem *addr,
				  unsigned int size, unsigned long ip)
{
	struct io_check_err err = {
		.addr = addr,
		.size = size,
		.ip = ip,
		.write = true,
		.value = val,
	};

	return io_check_inject(c, &err, &val);
}

/* Status bits that a harvest of @c's device finds */
static u16 io_check_inject_status(struct io_check *c)
{
	struct io_check_inject *inj;
	u16 status = 0;

	rcu_read_lock();
	inj = io_check_inject_of(c->pdev);
	if (inj)
		status = atomic_xchg(&inj->flipped, 0);
	rcu_read_unlock();
	return status;
}

static ssize_t io_check_inject_choose(const char __user *ubuf, size_t len,
				      const char * const *names, size_t n)
{
	char buf[16] = "";
	int ret;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	ret = __sysfs_match_string(names, n, buf);
	return ret;
}

static int io_check_inject_kind_show(struct seq_file *m, void *v)
{
	struct io_check_inject *inj = m->private;

	seq_printf(m, "%s\n", io_check_inject_kinds[inj->kind]);
	return 0;
}

static int io_check_inject_kind_open(struct inode *inode, struct file *file)
{
	return single_open(file, io_check_inject_kind_show, inode->i_private);
}

static ssize_t io_check_inject_kind_write(struct file *file,
					  const char __user *ubuf, size_t len,
					  loff_t *ppos)
{
	struct io_check_inject *inj = file_inode(file)->i_private;
	ssize_t kind = io_check_inject_choose(ubuf, len, io_check_inject_kinds,
					      ARRAY_SIZE(io_check_inject_kinds));

	if (kind < 0)
		return kind;
	inj->kind = kind;
	/* a device that was removed is back */
	inj->gone = false;
	return len;
}

static const struct file_operations io_check_inject_kind_fops = {
	.owner		= THIS_MODULE,
	.open		= io_check_inject_kind_open,
	.read		= seq_read,
	.write		= io_check_inject_kind_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int io_check_inject_mode_show(struct seq_file *m, void *v)
{
	struct io_check_inject *inj = m->private;

	seq_printf(m, "%s\n", io_check_inject_modes[inj->pop]);
	return 0;
}

static int io_check_inject_mode_open(struct inode *inode, struct file *file)
{
	return single_open(file, io_check_inject_mode_show, inode->i_private);
}

static ssize_t io_check_inject_mode_write(struct file *file,
					  const char __user *ubuf, size_t len,
					  loff_t *ppos)
{
	struct io_check_inject *inj = file_inode(file)->i_private;
	ssize_t mode = io_check_inject_choose(ubuf, len, io_check_inject_modes,
					      ARRAY_SIZE(io_check_inject_modes));

	if (mode < 0)
		return mode;
	inj->pop = mode;
	return len;
}

static const struct file_operations io_check_inject_mode_fops = {
	.owner		= THIS_MODULE,
	.open		= io_check_inject_mode_open,
	.read		= seq_read,
	.write		= io_check_inject_mode_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* The memory of @inj lasts as long as that of @t. */
void io_check_inject_enable(struct io_check_target *t, struct io_check_inject *inj)
{
	struct dentry *dir;

	inj->attr = io_check_inject_attr;
	/* an access may fail where a dump of the stack takes too long */
	inj->attr.verbose = 0;
	inj->bars = GENMASK(PCI_STD_NUM_BARS - 1, 0);
	inj->last = U32_MAX;
	inj->reads = true;
	inj->writes = true;
	inj->dir = debugfs_create_dir(pci_name(t->pdev), io_check_debugfs);
	dir = fault_create_debugfs_attr("fault_inject", inj->dir, &inj->attr);
	debugfs_create_file("kind", 0600, dir, inj, &io_check_inject_kind_fops);
	debugfs_create_file("mode", 0600, dir, inj, &io_check_inject_mode_fops);
	debugfs_create_x8("bars", 0600, dir, &inj->bars);
	debugfs_create_x32("first", 0600, dir, &inj->first);
	debugfs_create_x32("last", 0600, dir, &inj->last);
	debugfs_create_u32("size", 0600, dir, &inj->size);
	debugfs_create_bool("reads", 0600, dir, &inj->reads);
	debugfs_create_bool("writes", 0600, dir, &inj->writes);
	debugfs_create_atomic_t("nth", 0600, dir, &inj->nth);
	debugfs_create_atomic_t("then", 0600, dir, &inj->then);
	atomic_set(&inj->nth, atomic_xchg(&io_check_next_nth, 0));
	WRITE_ONCE(t->inject, inj);
}

void io_check_inject_disable(struct io_check_inject *inj)
{
	debugfs_remove_recursive(inj->dir);
}

static int __init io_check_inject_init(void)
{
	io_check_hooks.inject_status = io_check_inject_status;
	io_check_hooks.inject_write = io_check_inject_write;
	io_check_hooks.inject_read = io_check_inject_read;
	io_check_hooks.inject_begin = io_check_inject_begin;
	debugfs_create_atomic_t("next_nth", 0600, io_check_debugfs,
				&io_check_next_nth);
	return 0;
}
fs_initcall(io_check_inject_init);
