// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what a session does once something failed.
 * The fast paths are in <linux/io_check.h>, the accesses themselves in the
 * architecture.
 */

#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/io_check.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include "io_check.h"

static const int io_check_errno[IO_CHECK_NR_CAUSES] = {
	[IO_CHECK_PARITY]	= -EBADMSG,
	[IO_CHECK_ABORT]	= -EIO,
	[IO_CHECK_NO_RESPONSE]	= -ENXIO,
	[IO_CHECK_TIMEOUT]	= -ETIMEDOUT,
	[IO_CHECK_FROZEN]	= -EAGAIN,
	[IO_CHECK_GONE]		= -ENODEV,
	[IO_CHECK_SHARED]	= -EIO,
};

/* Name the BAR of an access, where the architecture finds its address. */
void io_check_locate(struct io_check_err *err)
{
	phys_addr_t phys = arch_io_check_phys(err->addr);
	struct resource *r;
	int bar;

	err->bar = -1;
	err->offset = offset_in_page((__force const void *)err->addr);
	if (!phys)
		return;
	for (bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
		r = &err->pdev->resource[bar];
		if (resource_type(r) == IORESOURCE_MEM &&
		    phys >= r->start && phys <= r->end) {
			err->bar = bar;
			err->offset = phys - r->start;
			return;
		}
	}
}

/* Failed accesses since boot, by direction */
static atomic_long_t io_check_reads, io_check_writes;

static u32 io_check_seq_number(void)
{
	return (u32)atomic_read(&io_check_seq) / IO_CHECK_SEQ_ONE;
}

/* Record an error.  @err is complete but for what the core knows itself. */
void io_check_record(struct io_check *c, const struct io_check_err *err)
{
	if (err->addr)
		atomic_long_inc(err->write ? &io_check_writes : &io_check_reads);
	if (!(c->flags & IO_CHECK_CONTINUE) || err->cause == IO_CHECK_GONE)
		c->stop |= IO_CHECK_STOP_DEAD;
	if (c->stop & IO_CHECK_STOP_FAILED) {
		c->err.count++;
		return;
	}
	c->stop |= IO_CHECK_STOP_FAILED;
	c->err = *err;
	c->err.pdev = c->pdev;
	c->err.count = 1;
	c->err.seq = io_check_seq_number();
	c->err.cpu = raw_smp_processor_id();
	c->err.time_ns = local_clock();
	c->err.error = io_check_errno[err->cause];
	if (err->addr)
		io_check_locate(&c->err);
	else
		c->err.bar = -1;
	io_check_dev_error(&c->err);
}

void __io_check_begin(struct io_check *c)
{
	struct io_check_err err = { };

	if (c->flags & (IO_CHECK_HARVEST | IO_CHECK_FLUSH))
		c->stop |= IO_CHECK_STOP_ASK;
	if (c->flags & IO_CHECK_HARVEST) {
		struct io_check_found old;

		io_check_harvest(c->pdev, PCI_STATUS_ERROR_BITS, true, &old);
		c->word = arch_io_check_snapshot() | c->stop;
	}
	if (!(c->flags & IO_CHECK_GATED)) {
		if (c->pdev->error_state == pci_channel_io_perm_failure)
			err.cause = IO_CHECK_GONE;
		else if (io_check_dev_isolated(c->pdev) &&
			 !(c->flags & IO_CHECK_CONTINUE))
			err.cause = IO_CHECK_FROZEN;
	}
	if (err.cause)
		io_check_record(c, &err);
	io_check_inject_begin(c);
}
EXPORT_SYMBOL_GPL(__io_check_begin);

/* Turn what a landing pad left into a record. */
static void io_check_take_fault(struct io_check *c)
{
	struct io_check_err err = {
		.addr = c->fault.addr,
		.ip = c->fault.ip,
		.value = c->fault.value,
	};

	c->stop &= ~IO_CHECK_STOP_FAULT;
	memcpy(err.raw, c->fault.raw, sizeof(err.raw));
	arch_io_check_decode(&err);
	/* a register has more bits than the access, with anything in them */
	if (err.size)
		err.value &= GENMASK_ULL(err.size * 8 - 1, 0);
	io_check_record(c, &err);
}

/* An access found @c->stop set.  Return true if it has to skip the bus. */
bool __io_check_stopped(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(c);
	return c->stop & IO_CHECK_STOP_DEAD;
}
EXPORT_SYMBOL_GPL(__io_check_stopped);

/* The access itself, by size, for what goes out of line */
u64 io_check_do_read(struct io_check *c, const void __iomem *addr,
		     unsigned int size)
{
	switch (size) {
	case 1:
		return arch_io_check_read(8, c, addr);
	case 2:
		return arch_io_check_read(16, c, addr);
	case 4:
		return arch_io_check_read(32, c, addr);
#ifdef CONFIG_64BIT
	case 8:
		return arch_io_check_read(64, c, addr);
#endif
	}
	return ~0ULL;
}

void io_check_do_write(struct io_check *c, u64 val, void __iomem *addr,
		       unsigned int size)
{
	switch (size) {
	case 1:
		arch_io_check_write(8, c, val, addr);
		break;
	case 2:
		arch_io_check_write(16, c, val, addr);
		break;
	case 4:
		arch_io_check_write(32, c, val, addr);
		break;
#ifdef CONFIG_64BIT
	case 8:
		arch_io_check_write(64, c, val, addr);
		break;
#endif
	}
}

/* A read found @c->stop set.  The value is all-ones if it fails. */
u64 __io_check_slow_read(struct io_check *c, const void __iomem *addr,
			 unsigned int size)
{
	u64 val, ones = GENMASK_ULL(size * 8 - 1, 0);

	if (__io_check_stopped(c))
		return ones;
	if (c->stop & IO_CHECK_STOP_INJECT &&
	    io_check_inject_read(c, addr, size, _RET_IP_, &val))
		return val;
	val = io_check_do_read(c, addr, size);
	if (!io_check_suspect(val, ones))
		return val;
	return __io_check_suspect(c, addr, size, val);
}
EXPORT_SYMBOL_GPL(__io_check_slow_read);

void __io_check_slow_write(struct io_check *c, u64 val, void __iomem *addr,
			   unsigned int size)
{
	if (__io_check_stopped(c))
		return;
	if (c->stop & IO_CHECK_STOP_INJECT &&
	    io_check_inject_write(c, val, addr, size, _RET_IP_))
		return;
	io_check_do_write(c, val, addr, size);
}
EXPORT_SYMBOL_GPL(__io_check_slow_write);

/* A query found out what a read died of that returned @val. */
static noinline void io_check_found(struct io_check *c, const void __iomem *addr,
				    unsigned int size, u64 val,
				    enum io_check_cause cause)
{
	struct io_check_err err = {
		.addr = addr,
		.value = val,
		.size = size,
		.cause = cause,
		.shared = c->flags & IO_CHECK_OTHERS,
	};

	io_check_record(c, &err);
}

/*
 * A read returned @val, which may be that of a failed one: it failed, or the
 * platform has to be asked.  Return all-ones if it failed, else @val.
 */
u64 __io_check_suspect(struct io_check *c, const void __iomem *addr,
		       unsigned int size, u64 val)
{
	u64 ones = GENMASK_ULL(size * 8 - 1, 0);
	enum io_check_cause cause;

	if (unlikely(c->stop & IO_CHECK_STOP_FAULT)) {
		io_check_take_fault(c);
		return ones;
	}
	/* all-ones of a register that is empty is every I/O's */
	if (likely(val == ones))
		cause = arch_io_check_ones(c, addr);
	else
		cause = io_check_query(c, addr, val);
	if (likely(cause == IO_CHECK_NONE))
		return val;
	io_check_found(c, addr, size, val, cause);
	return ones;
}
EXPORT_SYMBOL_GPL(__io_check_suspect);

#ifndef CONFIG_HAVE_ARCH_IO_CHECK
/* What a failed read gives, besides all-ones, by the user's word */
unsigned long io_check_dead_value = ~0UL;
EXPORT_SYMBOL_GPL(io_check_dead_value);
module_param_named(dead_value, io_check_dead_value, ulong, 0444);
MODULE_PARM_DESC(dead_value,
		 "what a failed register read gives, if not all-ones, such as 0");
#endif

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
	const void __iomem *sentinel = io_check_dev_ops(pdev).sentinel;
	struct io_check c;
	u32 val;

	if (!sentinel)
		return true;
	io_check_begin(&c, pdev, IO_CHECK_CONTINUE);
	val = readl_check(&c, sentinel);
	/* a session of its own: the error may be the caller's to report */
	if (c.stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(&c);
	/* some machines read 0 where nothing is */
	if (!(c.stop & IO_CHECK_STOP_FAILED) && val && val != ~0U)
		return true;
	if (err) {
		*err = (struct io_check_err) {
			.addr = sentinel,
			.value = val,
			.size = sizeof(val),
			.cause = c.stop & IO_CHECK_STOP_FAILED ?
				 c.err.cause : IO_CHECK_NO_RESPONSE,
		};
	}
	return false;
}

/* What the flags want done at the end */
static void io_check_ask(struct io_check *c)
{
	struct io_check_found found;
	struct io_check_err err = { };
	const void __iomem *flush;
	u16 injected;

	if (c->flags & IO_CHECK_FLUSH) {
		flush = io_check_dev_ops(c->pdev).flush;
		if (flush)
			readl_check(c, flush);
		if (c->stop & IO_CHECK_STOP_FAULT)
			io_check_take_fault(c);
	}
	if (c->flags & IO_CHECK_HARVEST) {
		io_check_harvest(c->pdev, PCI_STATUS_ERROR_BITS, true, &found);
		injected = io_check_inject_harvest(c);
		found.own |= io_check_status_causes(injected);
		err.value = found.status | injected;
		err.cause = io_check_worst(found.own | found.others);
		err.shared = !found.own;
		if (err.cause)
			io_check_record(c, &err);
	}
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
	if (io_check_alive(c->pdev, &err)) {
		err = (struct io_check_err) { };
		status = io_check_clear_status(c->pdev, PCI_STATUS, PCI_STATUS_ERROR_BITS &
					       ~PCI_STATUS_SIG_SYSTEM_ERROR);
		err.value = status;
		err.cause = io_check_worst(io_check_status_causes(status));
		if (!err.cause && doubt == IO_CHECK_DOUBT_LOST &&
		    c->flags & IO_CHECK_READS && !(c->flags & IO_CHECK_SUSPECT))
			return;
		/* a neighbour's errors must not keep a reset from ending, which looks itself */
		if (!err.cause && io_check_dev_recovers(c->pdev))
			return;
		if (!err.cause) {
			err.cause = IO_CHECK_SHARED;
			err.shared = true;
		}
	}
	io_check_record(c, &err);
}

bool __io_check_failed(struct io_check *c)
{
	/* some bits say what is to be done, not what was wrong */
	if (!(c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK)) &&
	    (u32)atomic_read(&io_check_seq) != c->word - c->stop)
		io_check_judge(c);
	return c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK);
}
EXPORT_SYMBOL_GPL(__io_check_failed);

int __io_check_end(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(c);
	if (c->stop & IO_CHECK_STOP_ASK)
		io_check_ask(c);
	c->stop &= ~IO_CHECK_STOP_ASK;
	if (!(c->stop & IO_CHECK_STOP_FAILED))
		io_check_judge(c);
	else if (c->err.ip && !c->err.injected)
		io_check_forget(c->pdev);
	return c->stop & IO_CHECK_STOP_FAILED ? c->err.error : 0;
}
EXPORT_SYMBOL_GPL(__io_check_end);

/**
 * pci_io_check_dma() - ask whether DMA of a device failed
 * @pdev: the device
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
int pci_io_check_dma(struct pci_dev *pdev)
{
	struct io_check_err err = { .pdev = pdev, .bar = -1 };

	if (arch_io_check_frozen(pdev)) {
		err.cause = IO_CHECK_FROZEN;
	} else {
		err.value = io_check_clear_status(pdev, PCI_STATUS,
						  PCI_STATUS_ERROR_BITS);
		err.cause = io_check_worst(io_check_status_causes(err.value));
	}
	if (!err.cause)
		return 0;
	err.error = io_check_errno[err.cause];
	err.count = 1;
	err.seq = io_check_seq_number();
	err.cpu = raw_smp_processor_id();
	err.time_ns = local_clock();
	io_check_dev_error(&err);
	return err.error;
}
EXPORT_SYMBOL_GPL(pci_io_check_dma);

/* The accessors, for modules. */
u8 io_check_read8(struct io_check *c, const void __iomem *addr)
{
	return readb_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read8);

void io_check_write8(struct io_check *c, u8 val, void __iomem *addr)
{
	writeb_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write8);

u16 io_check_read16(struct io_check *c, const void __iomem *addr)
{
	return readw_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read16);

void io_check_write16(struct io_check *c, u16 val, void __iomem *addr)
{
	writew_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write16);

u32 io_check_read32(struct io_check *c, const void __iomem *addr)
{
	return readl_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read32);

void io_check_write32(struct io_check *c, u32 val, void __iomem *addr)
{
	writel_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write32);

#ifdef CONFIG_64BIT
u64 io_check_read64(struct io_check *c, const void __iomem *addr)
{
	return readq_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read64);

void io_check_write64(struct io_check *c, u64 val, void __iomem *addr)
{
	writeq_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write64);
#endif

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
/* Checked accesses as fatal as plain ones, for the negative tests */
bool io_check_nohook;

static int __init io_check_nohook_setup(char *str)
{
	io_check_nohook = true;
	return 0;
}
early_param("io_check_nohook", io_check_nohook_setup);
#endif

static int io_check_errors_show(struct seq_file *m, void *v)
{
	seq_printf(m, "reads %ld\nwrites %ld\n",
		   atomic_long_read(&io_check_reads),
		   atomic_long_read(&io_check_writes));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(io_check_errors);

struct dentry *io_check_debugfs;

static int __init io_check_debugfs_init(void)
{
	io_check_debugfs = debugfs_create_dir("io_check", NULL);
	debugfs_create_file("errors", 0444, io_check_debugfs, NULL,
			    &io_check_errors_fops);
	return 0;
}
subsys_initcall(io_check_debugfs_init);
