// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what a session does once something failed.
 * The fast paths are in <linux/io_check.h>, the accesses themselves in the
 * architecture.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include "io_check.h"

/*
 * Counts the errors that were found latched, anywhere.  A session that begins and ends at
 * the same count saw none; only where it differs is more to be asked, so that the common
 * end costs a load and a compare.
 */
atomic_t io_check_seq __read_mostly;
EXPORT_SYMBOL_GPL(io_check_seq);

struct io_check_hooks io_check_hooks __read_mostly;

/* Is its channel frozen?  Its state lasts longer than its slot's reset. */
bool io_check_isolated(struct pci_dev *pdev)
{
	return pdev->error_state == pci_channel_io_frozen &&
	       !(io_check_hooks.thawed && io_check_hooks.thawed(pdev));
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

/* Complete the record of an error, and make it known. */
void io_check_note(struct io_check_err *err)
{
	err->count = 1;
	err->seq = (u32)atomic_read(&io_check_seq) / IO_CHECK_SEQ_ONE;
	err->cpu = raw_smp_processor_id();
	err->time_ns = local_clock();
	err->error = io_check_errno[err->cause];
	err->bar = -1;
	if (io_check_hooks.record)
		io_check_hooks.record(err);
}

/* Failed accesses since boot: reads, writes */
atomic_long_t io_check_failures[2];
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_failures);

/* The session failed.  Without an error number @err lacks what io_check_note() adds. */
void io_check_fail(struct io_check *c, const struct io_check_err *err)
{
	if (!(c->flags & IO_CHECK_CONTINUE) || err->cause == IO_CHECK_GONE)
		c->stop |= IO_CHECK_STOP_DEAD;
	if (c->stop & IO_CHECK_STOP_FAILED) {
		c->err.count++;
		return;
	}
	c->stop |= IO_CHECK_STOP_FAILED;
	c->err = *err;
	c->err.pdev = c->pdev;
	if (!err->error)
		io_check_note(&c->err);
}

/* An access of the session failed. */
void io_check_access_failed(struct io_check *c, const struct io_check_err *err)
{
	if (err->addr)
		atomic_long_inc(&io_check_failures[err->write]);
	io_check_fail(c, err);
}

void __io_check_begin(struct io_check *c)
{
	struct io_check_err err = { };

	if (c->flags & IO_CHECK_HARVEST && io_check_hooks.begin)
		io_check_hooks.begin(c);
	if (!(c->flags & IO_CHECK_GATED)) {
		if (c->pdev->error_state == pci_channel_io_perm_failure)
			err.cause = IO_CHECK_GONE;
		else if (io_check_isolated(c->pdev) && !(c->flags & IO_CHECK_CONTINUE))
			err.cause = IO_CHECK_FROZEN;
	}
	if (err.cause)
		io_check_fail(c, &err);
	if (io_check_hooks.inject_begin)
		io_check_hooks.inject_begin(c);
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
	io_check_access_failed(c, &err);
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
u64 io_check_do_read(struct io_check *c, const void __iomem *addr, unsigned int size)
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
	    io_check_hooks.inject_read(c, addr, size, _RET_IP_, &val))
		return val;
	val = io_check_do_read(c, addr, size);
	if (!io_check_suspect(val, ones))
		return val;
	return __io_check_suspect(c, addr, size, val);
}

void __io_check_slow_write(struct io_check *c, u64 val, void __iomem *addr,
			   unsigned int size)
{
	if (__io_check_stopped(c))
		return;
	if (c->stop & IO_CHECK_STOP_INJECT &&
	    io_check_hooks.inject_write(c, val, addr, size, _RET_IP_))
		return;
	io_check_do_write(c, val, addr, size);
}

/* A query found out what a read died of that returned @val. */
static noinline void io_check_found(struct io_check *c, const void __iomem *addr,
				    unsigned int size, u64 val, enum io_check_cause cause)
{
	struct io_check_err err = {
		.addr = addr,
		.value = val,
		.size = size,
		.cause = cause,
		.shared = c->flags & IO_CHECK_OTHERS,
	};

	io_check_access_failed(c, &err);
}

/* Why may a read have returned @val?  As far as somebody above knows. */
enum io_check_cause io_check_query(struct io_check *c, const void __iomem *addr, u64 val)
{
	return io_check_hooks.query ? io_check_hooks.query(c, addr, val) : IO_CHECK_NONE;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_query);

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
	cause = likely(val == ones) ? arch_io_check_ones(c, addr) :
				      io_check_query(c, addr, val);
	if (likely(cause == IO_CHECK_NONE))
		return val;
	io_check_found(c, addr, size, val, cause);
	return ones;
}

bool __io_check_failed(struct io_check *c)
{
	/* some bits say what is to be done, not what was wrong */
	if (!(c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK)) &&
	    (u32)atomic_read(&io_check_seq) != c->word - c->stop && io_check_hooks.judge)
		io_check_hooks.judge(c);
	return c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK);
}
EXPORT_SYMBOL_GPL(__io_check_failed);

int __io_check_end(struct io_check *c)
{
	if (c->stop & IO_CHECK_STOP_FAULT)
		io_check_take_fault(c);
	if (io_check_hooks.end)
		io_check_hooks.end(c);
	return c->stop & IO_CHECK_STOP_FAILED ? c->err.error : 0;
}
EXPORT_SYMBOL_GPL(__io_check_end);
