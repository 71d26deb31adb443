// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what a session does once something failed.
 * The fast paths are in <linux/io_check.h>, the accesses themselves in the
 * architecture.
 */

#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/io_check.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "io_check.h"

/*
 * Counts the errors of all domains.  A session that begins and ends at the
 * same count saw none; only where it differs is the session's own domain
 * asked, so that the common end costs a load and a compare.
 */
atomic_t io_check_seq __read_mostly;
EXPORT_SYMBOL_GPL(io_check_seq);

/*
 * An error domain is what one latched error may have come from: all devices
 * below a host bridge, whose bridges are theirs in common.  Domains that share
 * a slot of the table share their errors; that can report an error twice, but
 * not lose one.
 */
struct io_check_domain {
	raw_spinlock_t lock;	/* error status is cleared under it */
	atomic_t stamp;		/* io_check_seq after the last error here */
};

#define IO_CHECK_DOMAIN_BITS	4

static struct io_check_domain io_check_domains[1 << IO_CHECK_DOMAIN_BITS] = {
	[0 ... (1 << IO_CHECK_DOMAIN_BITS) - 1] = {
		.lock = __RAW_SPIN_LOCK_UNLOCKED(io_check_domains.lock),
	},
};

/* An architecture whose latched status is of less than a host bridge says so */
#ifndef arch_io_check_domain
static const void *arch_io_check_domain(struct pci_dev *pdev)
{
	struct pci_bus *bus = pdev->bus;

	while (bus->parent)
		bus = bus->parent;
	return bus;
}
#endif

static struct io_check_domain *io_check_domain(struct pci_dev *pdev)
{
	return &io_check_domains[hash_ptr(arch_io_check_domain(pdev),
					  IO_CHECK_DOMAIN_BITS)];
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

/*
 * An error was seen in @d, and its status is still there.  Without the lock:
 * configuration cycles find errors too, and may be made under it.  Of two at
 * once the later stamp stays.
 */
static void io_check_bump(struct io_check_domain *d)
{
	u32 seq = atomic_add_return(IO_CHECK_SEQ_ONE, &io_check_seq);
	int old = atomic_read(&d->stamp);

	while ((s32)(seq - old) > 0)
		if (atomic_try_cmpxchg(&d->stamp, &old, seq))
			break;
}

/**
 * io_check_domain_error() - tell open sessions of an asynchronous error
 * @pdev: a device of the error domain that saw it
 *
 * For code that finds an error no access explains.  Each session open in the
 * domain ends with -EIO and a record marked shared.  Status that is latched
 * has to be cleared with io_check_clear_status() instead.
 *
 * Context: Any but NMI.
 */
void io_check_domain_error(struct pci_dev *pdev)
{
	io_check_bump(io_check_domain(pdev));
}
EXPORT_SYMBOL_GPL(io_check_domain_error);

/**
 * io_check_bus_error() - io_check_domain_error() for a host bridge's driver
 * @root: the root bus below it
 *
 * Context: Any but NMI, inside a configuration cycle too.
 */
void io_check_bus_error(struct pci_bus *root)
{
	io_check_bump(&io_check_domains[hash_ptr(root, IO_CHECK_DOMAIN_BITS)]);
}

/*
 * Clear the bits of @mask in a status register that are set.
 *
 * Whoever clears status holds the lock of its domain and moves the sequence
 * first.  A harvesting session takes its snapshot of the sequence under the
 * lock, too, with the status clean.  So an error of the session's time either
 * is still latched when the session harvests at its end, or somebody cleared
 * it after the snapshot, and the sequence has moved.
 */
static u16 io_check_harvest_one(struct io_check_domain *d,
				struct pci_dev *pdev, int where, u16 mask)
{
	u16 status;

	/* all-ones is no status but a device that is not there */
	if (pci_read_config_word(pdev, where, &status) || status == 0xffff)
		return 0;
	status &= mask;
	if (status) {
		io_check_bump(d);
		pci_write_config_word(pdev, where, status);
	}
	return status;
}

/* Harvest @pdev and the bridges above it, with the lock of @d held. */
static u16 io_check_harvest(struct io_check_domain *d, struct pci_dev *pdev,
			    u16 mask)
{
	u16 status;

	status = io_check_harvest_one(d, pdev, PCI_STATUS, mask);
	while ((pdev = pci_upstream_bridge(pdev)))
		status |= io_check_harvest_one(d, pdev, PCI_SEC_STATUS, mask);
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
	struct io_check_domain *d = io_check_domain(pdev);
	unsigned long flags;
	u16 status;

	raw_spin_lock_irqsave(&d->lock, flags);
	status = io_check_harvest_one(d, pdev, where, mask);
	raw_spin_unlock_irqrestore(&d->lock, flags);
	return status;
}
EXPORT_SYMBOL_GPL(io_check_clear_status);

/* What latched status says (PCI Local Bus 3.0, 6.2.3; as bridge: P2P 3.2.5.7) */
static enum io_check_cause io_check_status_cause(u16 status)
{
	if (status & (PCI_STATUS_DETECTED_PARITY | PCI_STATUS_PARITY))
		return IO_CHECK_PARITY;
	if (status & PCI_STATUS_REC_MASTER_ABORT)
		return IO_CHECK_NO_RESPONSE;
	if (status)
		return IO_CHECK_ABORT;
	return IO_CHECK_NONE;
}

/* Did @c's domain see an error since @c began? */
static bool io_check_domain_hit(const struct io_check *c)
{
	struct io_check_domain *d = io_check_domain(c->pdev);
	u32 seq = c->word - c->stop;
	unsigned long flags;
	bool hit;

	raw_spin_lock_irqsave(&d->lock, flags);
	hit = (s32)(atomic_read(&d->stamp) - seq) > 0;
	raw_spin_unlock_irqrestore(&d->lock, flags);
	return hit;
}

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
		if (r->flags && phys >= r->start && phys <= r->end) {
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
		struct io_check_domain *d = io_check_domain(c->pdev);
		unsigned long flags;

		/* see io_check_harvest_one() */
		raw_spin_lock_irqsave(&d->lock, flags);
		io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);
		c->word = atomic_read(&io_check_seq) | c->stop;
		raw_spin_unlock_irqrestore(&d->lock, flags);
	}
	if (!(c->flags & IO_CHECK_GATED)) {
		if (c->pdev->error_state == pci_channel_io_perm_failure)
			err.cause = IO_CHECK_GONE;
		else if (c->pdev->error_state == pci_channel_io_frozen &&
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
		cause = io_check_query(c, val);
	if (likely(cause == IO_CHECK_NONE))
		return val;
	io_check_found(c, addr, size, val, cause);
	return ones;
}
EXPORT_SYMBOL_GPL(__io_check_suspect);

bool __io_check_failed(const struct io_check *c)
{
	/* some bits say what is to be done, not what was wrong */
	return c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK) ||
	       io_check_domain_hit(c);
}
EXPORT_SYMBOL_GPL(__io_check_failed);

#ifndef CONFIG_HAVE_ARCH_IO_CHECK
/* What a failed read gives, besides all-ones, by the user's word */
unsigned long io_check_dead_value = ~0UL;
EXPORT_SYMBOL_GPL(io_check_dead_value);
module_param_named(dead_value, io_check_dead_value, ulong, 0444);
MODULE_PARM_DESC(dead_value,
		 "what a failed register read gives, if not all-ones, such as 0");
#endif

enum io_check_sentinel {
	IO_CHECK_NO_SENTINEL,
	IO_CHECK_ANSWERS,
	IO_CHECK_SILENT,
};

/* The access alone: no query of a query */
static enum io_check_sentinel io_check_ask_sentinel(struct pci_dev *pdev)
{
	const void __iomem *sentinel = io_check_dev_ops(pdev).sentinel;
	struct io_check c = { .pdev = pdev };
	u32 val;

	if (!sentinel)
		return IO_CHECK_NO_SENTINEL;
	val = io_check_do_read(&c, sentinel, sizeof(val));
	return !c.stop && val && val != ~0U ? IO_CHECK_ANSWERS :
						IO_CHECK_SILENT;
}

/*
 * What @pdev, the device or a port above it, knows of an error; @aer: of one that
 * PCI Express reports as well.  A device that is not there knows nothing.
 */
static enum io_check_cause io_check_ask_port(struct pci_dev *pdev, bool aer)
{
	u32 status = 0;
	u16 word;

#ifdef CONFIG_PCIE_DPC
	/* it isolates what is below (PCI Express 6.0, 7.9.14.5) */
	if (pdev->dpc_cap &&
	    !pci_read_config_word(pdev, pdev->dpc_cap + PCI_EXP_DPC_STATUS,
				  &word) &&
	    word != 0xffff && word & PCI_EXP_DPC_STATUS_TRIGGER)
		return IO_CHECK_FROZEN;
#endif
	/* decodes nothing, and forwards nothing, after a reset for instance */
	if (!pci_read_config_word(pdev, PCI_COMMAND, &word) &&
	    !(word & PCI_COMMAND_MEMORY))
		return IO_CHECK_NO_RESPONSE;
#ifdef CONFIG_PCIEAER
	/* 7.8.4.2; it is AER's to clear */
	if (aer && pdev->aer_cap &&
	    pci_read_config_dword(pdev, pdev->aer_cap + PCI_ERR_UNCOR_STATUS,
				  &status))
		status = 0;
#endif
	if (status == ~0U)
		return IO_CHECK_NONE;
	if (status & PCI_ERR_UNC_POISON_TLP)
		return IO_CHECK_PARITY;
	if (status & PCI_ERR_UNC_COMP_TIME)
		return IO_CHECK_TIMEOUT;
	if (status & PCI_ERR_UNC_UNSUP)
		return IO_CHECK_NO_RESPONSE;
	if (status & PCI_ERR_UNC_COMP_ABORT)
		return IO_CHECK_ABORT;
	return IO_CHECK_NONE;
}

/**
 * io_check_query() - why a read may have returned what it returned
 * @c: the session
 * @val: a value that failed reads return on this platform
 *
 * Asks, where no fault tells a failed read from data, who would know: the
 * device and the bridges above it, in configuration space, and the device's
 * sentinel register.  What was over before the query is seen if a bridge has
 * latched it.  All-ones is rare, so the whole way is gone for it; a dead value
 * of zero is not, and a sentinel that answers is enough to believe it.
 *
 * Context: Any but NMI; the lock of the error domain is taken.
 * Return: IO_CHECK_NONE if the value is data.
 */
enum io_check_cause io_check_query(struct io_check *c, u64 val)
{
	struct pci_dev *pdev = c->pdev, *port;
	struct io_check_domain *d = io_check_domain(pdev);
	/* in a reset the sentinel, and what was latched before it, say nothing */
	bool resets = io_check_dev_recovers(pdev);
	enum io_check_cause cause;
	unsigned long flags;
	u16 status;

	if ((u8)val != 0xff && !resets && io_check_ask_sentinel(pdev) == IO_CHECK_ANSWERS)
		return IO_CHECK_NONE;
	for (port = pdev; port; port = pci_upstream_bridge(port)) {
		cause = io_check_ask_port(port, !resets);
		if (cause)
			return cause;
	}
	if (!pci_device_is_present(pdev))
		return IO_CHECK_GONE;
	raw_spin_lock_irqsave(&d->lock, flags);
	/* SERR# and error messages tell of anything but the end of a read */
	status = io_check_harvest(d, pdev, PCI_STATUS_ERROR_BITS &
					   ~PCI_STATUS_SIG_SYSTEM_ERROR);
	raw_spin_unlock_irqrestore(&d->lock, flags);
	cause = io_check_status_cause(status);
	if (!cause && !resets && io_check_ask_sentinel(pdev) == IO_CHECK_SILENT)
		cause = IO_CHECK_NO_RESPONSE;
	return cause;
}
EXPORT_SYMBOL_GPL(io_check_query);

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
	const void __iomem *flush;
	struct io_check_err err = { .shared = true };

	if (c->flags & IO_CHECK_FLUSH) {
		flush = io_check_dev_ops(c->pdev).flush;
		if (flush)
			readl_check(c, flush);
		if (c->stop & IO_CHECK_STOP_FAULT)
			io_check_take_fault(c);
	}
	if (c->flags & IO_CHECK_HARVEST) {
		struct io_check_domain *d = io_check_domain(c->pdev);
		unsigned long flags;

		raw_spin_lock_irqsave(&d->lock, flags);
		err.value = io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);
		raw_spin_unlock_irqrestore(&d->lock, flags);
		err.value |= io_check_inject_harvest(c);
		err.cause = io_check_status_cause(err.value);
		if (err.cause)
			io_check_record(c, &err);
	}
}

int __io_check_end(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(c);
	if (c->stop & IO_CHECK_STOP_ASK)
		io_check_ask(c);
	c->stop &= ~IO_CHECK_STOP_ASK;
	if (!(c->stop & IO_CHECK_STOP_FAILED) && io_check_domain_hit(c)) {
		struct io_check_err err;

		/* an error of somebody's: of this device, if it is not there */
		if (io_check_alive(c->pdev, &err))
			err = (struct io_check_err) {
				.cause = IO_CHECK_SHARED,
				.shared = true,
			};
		io_check_record(c, &err);
	}
	return c->stop & IO_CHECK_STOP_FAILED ? c->err.error : 0;
}
EXPORT_SYMBOL_GPL(__io_check_end);

/**
 * pci_io_check_dma() - ask whether DMA of a device failed
 * @pdev: the device
 *
 * For a driver whose command timed out: no register access sees an error of
 * the device's own accesses to memory.  Asks the platform whether it isolated
 * the device, and the status that the device latched.  A latched error is
 * broadcast to the sessions of its domain.  The driver then resets the device.
 *
 * Context: Any but NMI.
 * Return: 0, -EAGAIN if the device is isolated, -EBADMSG for parity or
 * poison, -ENXIO for a master abort, -EIO for other errors.
 */
int pci_io_check_dma(struct pci_dev *pdev)
{
	struct io_check_err err = { .pdev = pdev, .shared = true, .bar = -1 };

	if (arch_io_check_frozen(pdev)) {
		err.cause = IO_CHECK_FROZEN;
	} else {
		err.value = io_check_clear_status(pdev, PCI_STATUS,
						  PCI_STATUS_ERROR_BITS);
		err.cause = io_check_status_cause(err.value);
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
