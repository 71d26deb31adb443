/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error-checked register access.
 *
 * A driver brackets the register accesses of one transaction in a session
 * and asks once, at its end, whether the bus failed any of them:
 *
 *	struct io_check c;
 *	u32 pa;
 *
 *	io_check_begin(&c, pdev, 0);
 *	pa = readl_check(&c, &chip->reply_fifo);
 *	if (io_check_end(&c))
 *		return recover(io_check_error(&c));
 *
 * A failed read returns all-ones.  The first error is sticky: later accesses
 * of the session skip the bus, unless it began with IO_CHECK_CONTINUE.  No
 * value read in a session may reach a pointer, an index or a command before
 * io_check_failed() or io_check_end() was asked.
 *
 * Sessions live on the stack, or in a structure whose lock is held
 * throughout.  They take no lock, nest, and work in process, softirq and
 * hardirq context, but not in NMI context.  io_check_begin() sets what is read
 * of one: on a hot path it can be __uninitialized, where kernels zero all of
 * the stack's variables.
 *
 * A driver with an option of its own defines IO_CHECK_OFF before it includes
 * this file while that option is off: the accessors are then the plain ones.
 */
#include <linux/io_check_types.h>

#ifndef _LINUX_IO_CHECK_H
#define _LINUX_IO_CHECK_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Session flags
 *
 * CONTINUE: go on after an error: clean-up that has to reach the device
 * whatever happened, also one whose channel is frozen.
 *
 * HARVEST: at the end, ask the error status that the device and the bridges
 * above it have latched.  The only way to see an error that the bus reports to
 * nobody else, such as parity on conventional PCI.  There is no verdict before
 * the end, so never around a read that takes a value away.  Costs configuration
 * cycles.
 *
 * ONES_OK: the session reads a register that says all-ones when it is empty.
 * Where only a query tells that from a failure it is asked until the first read
 * that gave another value.  Where a failed access faults none is asked, and EEH
 * is always asked, as readl() does.
 *
 * GATED: io_check_begin() does not look at the device's channel: the caller has
 * asked its recovery, io_check_recovering() for instance, which hears of a device
 * that is isolated.  A read finds out about one that was removed; a write may not.
 *
 * READS: the session posts no write whose loss matters.  An access of a neighbour's that
 * got lost then puts nothing in doubt but reads that gave all-ones without a fault.
 */
#define IO_CHECK_CONTINUE	BIT(0)
#define IO_CHECK_HARVEST	BIT(1)
#define IO_CHECK_ONES_OK	BIT(2)
#define IO_CHECK_GATED		BIT(3)
#define IO_CHECK_READS		BIT(4)

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* The error sequence number counts in these, above the bits of a session's stop */
#define IO_CHECK_SEQ_ONE	BIT(8)

/* The error sequence number */
extern atomic_t io_check_seq;

void __cold __io_check_begin(struct io_check *c);
u64 __cold __io_check_slow_read(struct io_check *c, const void __iomem *addr, unsigned int size);
void __cold __io_check_slow_write(struct io_check *c, u64 val, void __iomem *addr,
				  unsigned int size);
bool __io_check_stopped(struct io_check *c);
u64 __io_check_suspect(struct io_check *c, const void __iomem *addr, unsigned int size, u64 val);
enum io_check_cause io_check_query(struct io_check *c, const void __iomem *addr, u64 val);
bool __io_check_failed(struct io_check *c);
int __io_check_end(struct io_check *c);

#include <asm/io_check.h>

/**
 * io_check_restart() - begin a session again
 * @c: the session, with IO_CHECK_GATED and without IO_CHECK_HARVEST
 *
 * For a session in a structure, on a hot path: its device and its flags are there
 * already.  It forgets the last verdict.  One user at a time, as always.
 *
 * Context: As io_check_begin().
 */
static __always_inline void io_check_restart(struct io_check *c)
{
	c->word = arch_io_check_snapshot();
	/* io_check_seq has no such bits; worth 0.8 % of NVMe's pci.o on ppc64 */
	if (c->stop)
		__builtin_unreachable();
#ifndef CONFIG_HAVE_ARCH_IO_CHECK
	c->answered = false;
#endif
	if (IS_ENABLED(CONFIG_IO_CHECK_FAULT_INJECTION))
		__io_check_begin(c);
}

/**
 * io_check_begin() - begin a session of checked accesses
 * @c: the session
 * @pdev: device whose registers it will access
 * @flags: session flags, IO_CHECK_*
 *
 * The session of a device that was removed fails at once, with -ENODEV.  So does, with
 * -EAGAIN, one of a device that error recovery has isolated, unless it is an
 * IO_CHECK_CONTINUE session.
 *
 * Context: Any but NMI.
 */
static __always_inline void io_check_begin(struct io_check *c, struct pci_dev *pdev, u32 flags)
{
	c->flags = flags;
	c->pdev = pdev;
	io_check_restart(c);
	if (!IS_ENABLED(CONFIG_IO_CHECK_FAULT_INJECTION) &&
	    (flags & IO_CHECK_HARVEST ||
	     (!(flags & IO_CHECK_GATED) &&
	      unlikely(pdev->error_state != pci_channel_io_normal))))
		__io_check_begin(c);
}

/* No access failed, and no error was seen anywhere: io_check_end() would give 0. */
static __always_inline bool io_check_clean(const struct io_check *c)
{
	return (u32)atomic_read(&io_check_seq) == c->word;
}

/**
 * io_check_failed() - ask in the middle of a session
 * @c: the session
 *
 * Context: As io_check_begin().
 * Return: true if an access of the session failed, or an error that was noted since the
 * session began leaves it in doubt.
 */
static __always_inline bool io_check_failed(struct io_check *c)
{
	return unlikely(!io_check_clean(c)) && __io_check_failed(c);
}

/**
 * io_check_end() - end a session and give its verdict
 * @c: the session
 *
 * Context: As io_check_begin().
 * Return: 0, or the -errno of the session's first error: see
 * enum io_check_cause.
 */
static __always_inline int __must_check io_check_end(struct io_check *c)
{
	return likely(io_check_clean(c)) ? 0 : __io_check_end(c);
}

/**
 * io_check_resume() - go on with a session of which io_check_clean() was true
 * @c: the session
 *
 * For a session in a structure whose lock each entry point of the driver takes:
 * it stays open from one to the next, and costs no beginning.  The verdict is
 * io_check_clean() and, if that is false, io_check_end() and io_check_begin().
 * An error of the device's domain between two entries is the next verdict's.  As
 * with IO_CHECK_GATED the caller has asked its recovery.
 *
 * Context: As io_check_begin().
 */
static __always_inline void io_check_resume(struct io_check *c)
{
	/* it may have been armed since */
	if (IS_ENABLED(CONFIG_IO_CHECK_FAULT_INJECTION))
		io_check_begin(c, c->pdev, c->flags);
}

/**
 * io_check_error() - the record of a session's first error
 * @c: the session, after io_check_end() returned an error
 *
 * Context: Any.
 * Return: the record, which lives as long as @c, or NULL if nothing failed.
 */
static inline const struct io_check_err *io_check_error(const struct io_check *c)
{
	return c->stop & IO_CHECK_STOP_FAILED ? &c->err : NULL;
}

/* Modules call: the stubs, and the tables of accesses in line, are vmlinux's. */
u8 io_check_read8(struct io_check *c, const void __iomem *addr);
u16 io_check_read16(struct io_check *c, const void __iomem *addr);
u32 io_check_read32(struct io_check *c, const void __iomem *addr);
u64 io_check_read64(struct io_check *c, const void __iomem *addr);
void io_check_write8(struct io_check *c, u8 val, void __iomem *addr);
void io_check_write16(struct io_check *c, u16 val, void __iomem *addr);
void io_check_write32(struct io_check *c, u32 val, void __iomem *addr);
void io_check_write64(struct io_check *c, u64 val, void __iomem *addr);

#ifdef MODULE
#define __io_check_r(bits, plain, c, addr)	io_check_read##bits(c, addr)
#define __io_check_w(bits, plain, c, val, addr)	\
	io_check_write##bits(c, val, addr)
#else
#define __io_check_r(bits, plain, c, addr)				\
({									\
	struct io_check *__rc = (c);					\
	const void __iomem *__ra = (addr);				\
	const u##bits __ones = -1;					\
	/* wide: what a load leaves above a narrow value is known to be 0, */ \
	/* which is half a percent of sym53c8xx_2 on ppc64 */		\
	typeof((u##bits)0 + 0U) __rv;					\
									\
	if (likely(!__rc->stop)) {					\
		__rv = arch_io_check_read(bits, __rc, __ra);		\
		if (unlikely(io_check_suspect(__rv, __ones))) {		\
			if (!arch_io_check_empty(__rc, __ra))		\
				__rv = __io_check_suspect(__rc, __ra,	\
							  sizeof(__ones), \
							  __rv);	\
		} else if (__rc->stop) {				\
			/* what fails gives a suspect value; so the next */ \
			/* access need not look, which is 2 or 3 of its */ \
			/* instructions */				\
			__builtin_unreachable();			\
		}							\
	} else {							\
		__rv = __io_check_slow_read(__rc, __ra, sizeof(__ones)); \
	}								\
	(u##bits)__rv;							\
})

#define __io_check_w(bits, plain, c, val, addr)				\
do {									\
	struct io_check *__wc = (c);					\
	void __iomem *__wa = (addr);					\
	u##bits __wv = (val);						\
									\
	if (likely(!__wc->stop))					\
		arch_io_check_write(bits, __wc, __wv, __wa);		\
	else								\
		__io_check_slow_write(__wc, __wv, __wa, sizeof(__wv));	\
} while (0)
#endif /* MODULE */

#else /* the plain accessors, and no other code */

/* Macros: what follows a constant is gone before the compiler lays out
 * a function, and the driver's code is the same as without.
 */
#define io_check_begin(c, pdev, flags)	((void)(c))
#define io_check_restart(c)		((void)(c))
#define io_check_failed(c)		false
#define io_check_end(c)			({ 0; })
#define io_check_resume(c)		((void)(c))

static inline const struct io_check_err *io_check_error(const struct io_check *c)
{
	return NULL;
}

#define __io_check_r(bits, plain, c, addr)	((void)(c), plain(addr))
#define __io_check_w(bits, plain, c, val, addr)	((void)(c), plain(val, addr))

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

/*
 * The accessors are readX() and writeX() in a session, with their ordering;
 * a relaxed one may be stronger than its plain namesake.  In any context but
 * NMI.
 *
 * Reads return the value, or all-ones if this access failed, or an earlier
 * one of the session.  A write that the bus reports late, as hardware does
 * with posted ones, is not seen by the session that made it.
 */
#define readb_check(c, addr)		__io_check_r(8, readb, c, addr)
#define readw_check(c, addr)		__io_check_r(16, readw, c, addr)
#define readl_check(c, addr)		__io_check_r(32, readl, c, addr)
#define readq_check(c, addr)		__io_check_r(64, readq, c, addr)
#define readl_relaxed_check(c, addr)	__io_check_r(32, readl_relaxed, c, addr)

#define writeb_check(c, val, addr)	__io_check_w(8, writeb, c, val, addr)
#define writew_check(c, val, addr)	__io_check_w(16, writew, c, val, addr)
#define writel_check(c, val, addr)	__io_check_w(32, writel, c, val, addr)
#define writeq_check(c, val, addr)	__io_check_w(64, writeq, c, val, addr)

#endif /* _LINUX_IO_CHECK_H */
