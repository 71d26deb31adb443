// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what a session does once something failed.
 * The fast paths are in <linux/io_check.h>, the accesses themselves in the
 * architecture.
 */

#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/*
 * Counts the errors of all domains.  A session that begins and ends at the
 * same count saw none; only where it differs is the session's own domain
 * asked, so that the common end costs a load and a compare.
 */
atomic_t io_check_seq = ATOMIC_INIT(0);
EXPORT_SYMBOL_GPL(io_check_seq);

/*
 * An error domain is what one latched error may have come from: here the PCI
 * domain (segment) of the device.  Segments that share a slot of the table
 * share their errors; that can report an error twice, but not lose one.
 */
struct io_check_domain {
	raw_spinlock_t lock;	/* error status and @stamp change under it */
	u32 stamp;		/* io_check_seq after the last error here */
};

static struct io_check_domain io_check_domains[16] = {
	[0 ... 15] = { .lock = __RAW_SPIN_LOCK_UNLOCKED(io_check_domains.lock) },
};

static struct io_check_domain *io_check_domain(struct pci_dev *pdev)
{
	return &io_check_domains[pci_domain_nr(pdev->bus) %
				 ARRAY_SIZE(io_check_domains)];
}

static const int io_check_errno[IO_CHECK_NR_CAUSES] = {
	[IO_CHECK_PARITY]	= -EBADMSG,
	[IO_CHECK_ABORT]	= -EIO,
	[IO_CHECK_NO_RESPONSE]	= -ENXIO,
	[IO_CHECK_TIMEOUT]	= -ETIMEDOUT,
	[IO_CHECK_FROZEN]	= -EAGAIN,
	[IO_CHECK_GONE]		= -ENODEV,
	[IO_CHECK_SHARED]	= -EIO,
};

/**
 * io_check_domain_error() - tell open sessions of an asynchronous error
 * @pdev: a device of the error domain that saw it
 *
 * For code that finds an error no access explains, a latched status bit for
 * instance: to be called before the status is cleared.  Each session open in
 * the domain ends with -EIO and a record marked shared.
 *
 * Context: Any but NMI.
 */
void io_check_domain_error(struct pci_dev *pdev)
{
	struct io_check_domain *d = io_check_domain(pdev);
	unsigned long flags;

	raw_spin_lock_irqsave(&d->lock, flags);
	d->stamp = atomic_inc_return(&io_check_seq);
	raw_spin_unlock_irqrestore(&d->lock, flags);
}
EXPORT_SYMBOL_GPL(io_check_domain_error);

/* Did @c's domain see an error since @c began? */
static bool io_check_domain_hit(const struct io_check *c)
{
	struct io_check_domain *d = io_check_domain(c->pdev);
	unsigned long flags;
	bool hit;

	raw_spin_lock_irqsave(&d->lock, flags);
	hit = (s32)(d->stamp - c->seq) > 0;
	raw_spin_unlock_irqrestore(&d->lock, flags);
	return hit;
}

/* Name the BAR of an access, where the architecture finds its address. */
static void io_check_locate(struct io_check_err *err)
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
		if (r->flags && phys >= r->start && phys <= r->end) {
			err->bar = bar;
			err->offset = phys - r->start;
			return;
		}
	}
}

/* Failed accesses since boot, by direction */
static atomic_long_t io_check_reads, io_check_writes;

/* Record an error.  @err is complete but for what the core knows itself. */
static void io_check_record(struct io_check *c, const struct io_check_err *err)
{
	if (!err->shared)
		atomic_long_inc(err->write ? &io_check_writes : &io_check_reads);
	if (!(c->flags & IO_CHECK_CONTINUE))
		c->stop |= IO_CHECK_STOP_DEAD;
	if (c->failed) {
		c->err.count++;
		return;
	}
	c->failed = 1;
	c->err = *err;
	c->err.pdev = c->pdev;
	c->err.count = 1;
	c->err.seq = atomic_read(&io_check_seq);
	c->err.cpu = raw_smp_processor_id();
	c->err.time_ns = local_clock();
	c->err.error = io_check_errno[err->cause];
	if (err->addr)
		io_check_locate(&c->err);
	else
		c->err.bar = -1;
}

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

/* A read returned all-ones: it failed, or the platform has to be asked. */
void __io_check_ones(struct io_check *c, const void __iomem *addr,
		     unsigned int size)
{
	struct io_check_err err = { .addr = addr, .value = ~0ULL };

	if (c->stop & IO_CHECK_STOP_FAULT) {
		io_check_take_fault(c);
		return;
	}
	err.cause = arch_io_check_ones(addr);
	if (err.cause == IO_CHECK_NONE)
		return;
	err.size = size;
	io_check_record(c, &err);
}
EXPORT_SYMBOL_GPL(__io_check_ones);

bool __io_check_failed(const struct io_check *c)
{
	return c->state || io_check_domain_hit(c);
}
EXPORT_SYMBOL_GPL(__io_check_failed);

int __io_check_end(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(c);
	if (!c->failed && io_check_domain_hit(c)) {
		struct io_check_err err = {
			.cause = IO_CHECK_SHARED,
			.shared = true,
		};

		io_check_record(c, &err);
	}
	return c->failed ? c->err.error : 0;
}
EXPORT_SYMBOL_GPL(__io_check_end);

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

static int io_check_errors_show(struct seq_file *m, void *v)
{
	seq_printf(m, "reads %ld\nwrites %ld\n",
		   atomic_long_read(&io_check_reads),
		   atomic_long_read(&io_check_writes));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(io_check_errors);

static int __init io_check_debugfs_init(void)
{
	debugfs_create_file("errors", 0444, debugfs_create_dir("io_check", NULL),
			    NULL, &io_check_errors_fops);
	return 0;
}
late_initcall(io_check_debugfs_init);
