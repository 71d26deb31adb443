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
#ifndef _LINUX_IO_CHECK_H
#define _LINUX_IO_CHECK_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/io.h>
#include <linux/io_check_types.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct io_check_ops - what a driver tells of its device
 * @sentinel: a 32-bit register that a living device never reads as 0 or
 *	all-ones, and that has no side effects; or NULL.  It decides whether a
 *	shared error was this device's.
 * @flush: a 32-bit register whose read flushes posted writes and has no side
 *	effects; or NULL.  IO_CHECK_FLUSH reads it.
 * @offline_on_error: the default of sysfs' io_check/offline_on_error: take the
 *	device offline at its first error
 */
struct io_check_ops {
	const void __iomem *sentinel;
	const void __iomem *flush;
	bool offline_on_error;
};

struct io_check_recovery;

/**
 * struct io_check_recovery_ops - a driver's part in the recovery of its device
 * @quiesce: stop new requests; in any context but NMI; or NULL
 * @answers: does a register read work?  A failure is no news.  Process context
 * @reset: stop DMA, reset the device, give its commands back to be retried;
 *	0, or an error to be called again.  No handler of the device and no
 *	request runs meanwhile.  Process context
 * @offline: the device is given up, at remove as well: stop DMA with Bus Master,
 *	and fail all commands.  Process context
 */
struct io_check_recovery_ops {
	void (*quiesce)(struct io_check_recovery *r);
	bool (*answers)(struct io_check_recovery *r);
	int (*reset)(struct io_check_recovery *r);
	void (*offline)(struct io_check_recovery *r);
};

/* For all who clear latched error status; ask IS_ENABLED() as well. */
u16 io_check_clear_status(struct pci_dev *pdev, int where, u16 mask);

#ifdef CONFIG_IO_CHECK
void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status);
#else
static inline void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status)
{
	pci_write_config_dword(pdev, where, status);
}
#endif

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
 * FLUSH: at the end, read the device's flush register, so that posted writes
 * have reached the device, or failed.  Costs a read: not where commands are
 * submitted.
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
#define IO_CHECK_FLUSH		BIT(2)
#define IO_CHECK_ONES_OK	BIT(3)
#define IO_CHECK_GATED		BIT(4)
#define IO_CHECK_READS		BIT(5)

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* The error sequence number counts in these, above the bits of a session's stop */
#define IO_CHECK_SEQ_ONE	BIT(8)

/* The error sequence number */
extern atomic_t io_check_seq;

void __cold __io_check_begin(struct io_check *c);
u64 __cold __io_check_slow_read(struct io_check *c, const void __iomem *addr,
				unsigned int size);
void __cold __io_check_slow_write(struct io_check *c, u64 val,
				  void __iomem *addr, unsigned int size);
bool __io_check_stopped(struct io_check *c);
u64 __io_check_suspect(struct io_check *c, const void __iomem *addr,
		       unsigned int size, u64 val);
enum io_check_cause io_check_query(struct io_check *c, const void __iomem *addr, u64 val);
bool __io_check_failed(struct io_check *c);
int __io_check_end(struct io_check *c);
void io_check_domain_error(struct pci_dev *pdev);
void io_check_bus_error(struct pci_bus *bus);
int pci_io_check_enable(struct pci_dev *pdev, const struct io_check_ops *ops);
int pci_io_check_dma(struct pci_dev *pdev);
void io_check_report(struct pci_dev *pdev, const struct io_check_err *err);
void io_check_offline(struct pci_dev *pdev);

/* Bits of io_check_recovery.flags */
#define IO_CHECK_R_FAILED	0	/* an access failed since the last reset */
#define IO_CHECK_R_RECOVERING	1	/* from the first failure to the end */
#define IO_CHECK_R_DEAD		2	/* offline until the driver is bound again */
#define IO_CHECK_R_ARMED	3	/* probe is over, remove not begun */

/**
 * struct io_check_recovery - a device's recovery; its members are the core's own
 * @pdev: the device
 * @ops: the driver's part
 * @flags: IO_CHECK_R_*, and others
 * @since: when it began, in jiffies
 * @heard: when the device last answered, or @since
 * @absent: polls since it last answered configuration cycles
 * @wq: it waits for resets that others began, and those may flush theirs
 * @work: the recovery
 * @wait: for its end
 */
struct io_check_recovery {
	struct pci_dev *pdev;
	const struct io_check_recovery_ops *ops;
	unsigned long flags;
	unsigned long since;
	unsigned long heard;
	unsigned int absent;
	struct workqueue_struct *wq;
	struct delayed_work work;
	wait_queue_head_t wait;
};

/* Is a failed access recovered from, or does it fail the probe? */
static inline bool io_check_armed(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_ARMED, &r->flags);
}

/* Did an access fail since the last reset? */
static inline bool io_check_has_failed(const struct io_check_recovery *r)
{
	return READ_ONCE(r->flags) & BIT(IO_CHECK_R_FAILED);
}

/* Is a recovery under way?  Then no request may be sent. */
static inline bool io_check_recovering(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_RECOVERING, &r->flags);
}

/* Is a recovery under way, or was the device given up?  One test for requests */
static inline bool io_check_closed(const struct io_check_recovery *r)
{
	return READ_ONCE(r->flags) & (BIT(IO_CHECK_R_RECOVERING) | BIT(IO_CHECK_R_DEAD));
}

/* Was the device given up? */
static inline bool io_check_dead(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_DEAD, &r->flags);
}

extern const struct pci_error_handlers io_check_error_handlers;

int io_check_recovery_init(struct io_check_recovery *r, struct pci_dev *pdev,
			   const struct io_check_recovery_ops *ops);
int io_check_recovery_arm(struct io_check_recovery *r);
void io_check_recovery_exit(struct io_check_recovery *r);
int io_check_recovery_error(struct io_check_recovery *r,
			    const struct io_check_err *err);
bool io_check_doubt(struct io_check_recovery *r);
bool io_check_timed_out(struct io_check_recovery *r);
int io_check_wait(struct io_check_recovery *r);
bool io_check_mask_irq(struct io_check_recovery *r);

#include <asm/io_check.h>

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
static __always_inline void io_check_begin(struct io_check *c,
					   struct pci_dev *pdev, u32 flags)
{
	c->word = arch_io_check_snapshot();
	/* it is 0 in io_check_seq, but the compiler does not know */
	c->stop = 0;
	c->flags = flags;
	c->pdev = pdev;
#ifndef CONFIG_HAVE_ARCH_IO_CHECK
	c->answered = false;
#endif
	if (flags & (IO_CHECK_HARVEST | IO_CHECK_FLUSH) ||
	    (!(flags & IO_CHECK_GATED) &&
	     unlikely(pdev->error_state != pci_channel_io_normal)) ||
	    IS_ENABLED(CONFIG_IO_CHECK_FAULT_INJECTION))
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
	if (likely(io_check_clean(c)))
		return false;
	return __io_check_failed(c);
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
	if (likely(io_check_clean(c)))
		return 0;
	return __io_check_end(c);
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
	/* wide: what a load leaves above a narrow value is known to be 0 */ \
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
			/* a landing pad gives all-ones: the next access */ \
			/* need not look */				\
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

/* Ports that are not memory mapped: a dead session skips them, no more */
#define __io_check_skip_r(bits, plain, c, port)				\
({									\
	struct io_check *__ic = (c);					\
	u##bits __iv = -1;						\
									\
	if (likely(!__ic->stop) || !__io_check_stopped(__ic))		\
		__iv = plain(port);					\
	__iv;								\
})

#define __io_check_skip_w(bits, plain, c, val, port)			\
do {									\
	struct io_check *__oc = (c);					\
									\
	if (likely(!__oc->stop) || !__io_check_stopped(__oc))		\
		plain(val, port);					\
} while (0)

/* What ioremap() gave, or a port's cookie, see arch_io_check_cookie() */
#define __io_check_ior(bits, plain, c, addr)				\
({									\
	const void __iomem *__ca = (addr);				\
									\
	arch_io_check_cookie(__ca) ?					\
		__io_check_skip_r(bits, plain, c, (void __iomem *)__ca) : \
		__io_check_r(bits, plain, c, __ca);			\
})

#define __io_check_iow(bits, plain, c, val, addr)			\
do {									\
	void __iomem *__ca = (addr);					\
									\
	if (arch_io_check_cookie(__ca))					\
		__io_check_skip_w(bits, plain, c, val, __ca);		\
	else								\
		__io_check_w(bits, plain, c, val, __ca);		\
} while (0)

#ifdef arch_io_check_port
#define __io_check_in(bits, plain, c, port)				\
	__io_check_r(bits, plain, c, arch_io_check_port(port))
#define __io_check_out(bits, plain, c, val, port)			\
	__io_check_w(bits, plain, c, val, arch_io_check_port(port))
#else
#define __io_check_in			__io_check_skip_r
#define __io_check_out			__io_check_skip_w
#endif

#else /* the plain accessors, and no other code */

/* Macros: what follows a constant is gone before the compiler lays out
 * a function, and the driver's code is the same as without.
 */
#define io_check_begin(c, pdev, flags)	((void)(c))
#define io_check_failed(c)		false
#define io_check_end(c)			({ 0; })
#define io_check_resume(c)		((void)(c))

static inline const struct io_check_err *io_check_error(const struct io_check *c)
{
	return NULL;
}

static inline void io_check_domain_error(struct pci_dev *pdev)
{
}

static inline int pci_io_check_enable(struct pci_dev *pdev,
				      const struct io_check_ops *ops)
{
	return 0;
}

static inline int pci_io_check_dma(struct pci_dev *pdev)
{
	return 0;
}

static inline void io_check_report(struct pci_dev *pdev,
				   const struct io_check_err *err)
{
}

/* r may be a member that is not there */
#define io_check_has_failed(r)		false
#define io_check_recovering(r)		false
#define io_check_closed(r)		false
#define io_check_dead(r)		false
#define io_check_doubt(r)		false
#define io_check_timed_out(r)		false
#define io_check_wait(r)		0
#define io_check_mask_irq(r)		false

#define __io_check_r(bits, plain, c, addr)	((void)(c), plain(addr))
#define __io_check_w(bits, plain, c, val, addr)	((void)(c), plain(val, addr))
#define __io_check_in			__io_check_r
#define __io_check_out			__io_check_w
#define __io_check_ior			__io_check_r
#define __io_check_iow			__io_check_w

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
#define readb_relaxed_check(c, addr)	__io_check_r(8, readb_relaxed, c, addr)
#define readw_relaxed_check(c, addr)	__io_check_r(16, readw_relaxed, c, addr)
#define readl_relaxed_check(c, addr)	__io_check_r(32, readl_relaxed, c, addr)
#define readq_relaxed_check(c, addr)	__io_check_r(64, readq_relaxed, c, addr)
#define ioread8_check(c, addr)		__io_check_ior(8, ioread8, c, addr)
#define ioread16_check(c, addr)		__io_check_ior(16, ioread16, c, addr)
#define ioread32_check(c, addr)		__io_check_ior(32, ioread32, c, addr)
#define ioread64_check(c, addr)		__io_check_r(64, ioread64, c, addr)

#define writeb_check(c, val, addr)	__io_check_w(8, writeb, c, val, addr)
#define writew_check(c, val, addr)	__io_check_w(16, writew, c, val, addr)
#define writel_check(c, val, addr)	__io_check_w(32, writel, c, val, addr)
#define writeq_check(c, val, addr)	__io_check_w(64, writeq, c, val, addr)
#define writeb_relaxed_check(c, val, addr) \
	__io_check_w(8, writeb_relaxed, c, val, addr)
#define writew_relaxed_check(c, val, addr) \
	__io_check_w(16, writew_relaxed, c, val, addr)
#define writel_relaxed_check(c, val, addr) \
	__io_check_w(32, writel_relaxed, c, val, addr)
#define writeq_relaxed_check(c, val, addr) \
	__io_check_w(64, writeq_relaxed, c, val, addr)
#define iowrite8_check(c, val, addr)	__io_check_iow(8, iowrite8, c, val, addr)
#define iowrite16_check(c, val, addr)	__io_check_iow(16, iowrite16, c, val, addr)
#define iowrite32_check(c, val, addr)	__io_check_iow(32, iowrite32, c, val, addr)
#define iowrite64_check(c, val, addr)	__io_check_w(64, iowrite64, c, val, addr)

#define inb_check(c, port)		__io_check_in(8, inb, c, port)
#define inw_check(c, port)		__io_check_in(16, inw, c, port)
#define inl_check(c, port)		__io_check_in(32, inl, c, port)
#define outb_check(c, val, port)	__io_check_out(8, outb, c, val, port)
#define outw_check(c, val, port)	__io_check_out(16, outw, c, val, port)
#define outl_check(c, val, port)	__io_check_out(32, outl, c, val, port)

/**
 * memcpy_toio_check() - memcpy_toio() in a session
 * @c: the session
 * @to: where to, aligned to 4 bytes
 * @from: what
 * @count: how many bytes
 *
 * In 32-bit writes, and bytes for what is left.
 *
 * Context: Any but NMI.
 */
static inline void memcpy_toio_check(struct io_check *c, void __iomem *to,
				     const void *from, size_t count)
{
#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)
	__le32 word;

	for (; count >= 4; count -= 4, from += 4, to += 4) {
		memcpy(&word, from, sizeof(word));
		writel_check(c, le32_to_cpu(word), to);
	}
	for (; count; count--, from++, to++)
		writeb_check(c, *(const u8 *)from, to);
#else
	memcpy_toio(to, from, count);
#endif
}

#ifdef CONFIG_PCI
/**
 * readl_check_once() - read a register of a device that may not be there
 * @pdev: the device
 * @addr: the register
 * @val: where to put its value; all-ones if the read failed
 *
 * For hotplug and probing: all-ones is confirmed with the device's vendor ID.
 * Without CONFIG_IO_CHECK that is all it knows.
 *
 * Context: Any but NMI.
 * Return: 0, -ENODEV if the device does not answer configuration cycles, or
 * what io_check_end() returns.
 */
static inline int __must_check readl_check_once(struct pci_dev *pdev,
						const void __iomem *addr,
						u32 *val)
{
	struct io_check c;
	int ret;

	io_check_begin(&c, pdev, 0);
	*val = readl_check(&c, addr);
	ret = io_check_end(&c);
	if (*val == ~0U && !pci_device_is_present(pdev))
		ret = -ENODEV;
	return ret;
}
#endif

#endif /* _LINUX_IO_CHECK_H */
