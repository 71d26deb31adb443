/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architectures behind <linux/io_check.h> have in common.  Their
 * <asm/io_check.h> include this at their end, and define by its own name each
 * function that they have another one of.
 *
 * For architectures without loads and stores that survive a bus error this is
 * all of it: a failed read returns a value of the platform's choice there, and
 * io_check_query() tells whether that is data.  A write that fails is not seen.
 */
#ifndef _ASM_GENERIC_IO_CHECK_H
#define _ASM_GENERIC_IO_CHECK_H

#ifdef __ASSEMBLY__

#include <asm-generic/io_check_stub.h>

#else /* !__ASSEMBLY__ */

#include <linux/types.h>

#ifdef CONFIG_HAVE_ARCH_IO_CHECK

#include <asm-generic/io_check_stub.h>

/* May the value be that of a read that failed?  @ones has the bits of its size. */
static __always_inline bool io_check_suspect(u64 val, u64 ones)
{
	return val == ones;
}

/*
 * What failed has faulted; all-ones of a device that was removed may be without
 * a fault.  Registers that are all-ones when they are empty need not be asked.
 */
#ifndef arch_io_check_ones
static inline enum io_check_cause arch_io_check_ones(struct io_check *c,
						     const void __iomem *addr)
{
	return c->flags & IO_CHECK_ONES_OK ? IO_CHECK_NONE :
					     io_check_query(c, addr, ~0ULL);
}
#endif

/* All-ones: of a register that is empty, without asking more?  If it faulted the
 * next access or the end of the session sees that.
 */
#ifndef arch_io_check_empty
#define arch_io_check_empty(c, addr)	((c)->flags & IO_CHECK_ONES_OK)
#endif

#else /* !CONFIG_HAVE_ARCH_IO_CHECK */

#define arch_io_check_empty(c, addr)	false

#ifdef CONFIG_GENERIC_IOMAP	/* a port's cookie is no address */
#define __io_check_raw_r8	ioread8
#define __io_check_raw_r16	ioread16
#define __io_check_raw_r32	ioread32
#define __io_check_raw_w8	iowrite8
#define __io_check_raw_w16	iowrite16
#define __io_check_raw_w32	iowrite32
#else
#define __io_check_raw_r8	readb
#define __io_check_raw_r16	readw
#define __io_check_raw_r32	readl
#define __io_check_raw_w8	writeb
#define __io_check_raw_w16	writew
#define __io_check_raw_w32	writel
#endif
#define __io_check_raw_r64	readq
#define __io_check_raw_w64	writeq

/* A read that gave another value before has ended what IO_CHECK_ONES_OK asks. */
#define arch_io_check_read(bits, c, addr)				\
({									\
	const u##bits __gones = -1;					\
	u##bits __gv = __io_check_raw_r##bits((void __iomem *)(addr));	\
									\
	(c)->answered |= __gv != __gones;				\
	__gv;								\
})

#define arch_io_check_write(bits, c, val, addr)				\
	((void)(c), __io_check_raw_w##bits(val, addr))

/* There are none but those that tests plant. */
static inline void arch_io_check_decode(struct io_check_err *err)
{
	err->cause = IO_CHECK_ABORT;
}

static inline u32 io_check_test_extable(const void __iomem *addr)
{
	return readl(addr);
}

/* All-ones, or what the platform gives for a read that failed instead */
extern unsigned long io_check_dead_value;

static __always_inline bool io_check_suspect(u64 val, u64 ones)
{
	return val == ones || val == (io_check_dead_value & ones);
}

static inline enum io_check_cause arch_io_check_ones(struct io_check *c,
						     const void __iomem *addr)
{
	return c->flags & IO_CHECK_ONES_OK && c->answered ?
	       IO_CHECK_NONE : io_check_query(c, addr, ~0ULL);
}

#endif /* CONFIG_HAVE_ARCH_IO_CHECK */

/*
 * The snapshot of a session is older than its accesses.  Most accessors, and loads of
 * registers on x86, order what is before them.
 */
#ifndef arch_io_check_snapshot
#define arch_io_check_snapshot()	atomic_read(&io_check_seq)
#endif

/*
 * Is it a port's cookie, which ioread8() and its like translate, and no load may use?
 * The generic back end has them do it.
 */
#ifndef arch_io_check_cookie
#if defined(CONFIG_HAVE_ARCH_IO_CHECK) && defined(CONFIG_GENERIC_IOMAP)
/* PIO_RESERVED of lib/iomap.c */
#define arch_io_check_cookie(addr)	((unsigned long)(addr) < 0x40000UL)
#else
#define arch_io_check_cookie(addr)	((void)(addr), false)
#endif
#endif

/* A device is going to be checked */
#ifndef arch_io_check_enable
#define arch_io_check_enable(pdev)	((void)0)
#endif

/* Did the platform isolate the device, for DMA of its own for instance? */
#ifndef arch_io_check_frozen
static inline bool arch_io_check_frozen(struct pci_dev *pdev)
{
	return false;
}
#endif

/* For the KUnit suites, and nobody else */
#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
#define EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(sym)	EXPORT_SYMBOL_NS_GPL(sym, IO_CHECK_KUNIT)
#else
#define EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(sym)
#endif

/* For the negative tests: the boot parameter that turns the hook off */
#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
extern bool io_check_nohook;
#else
#define io_check_nohook	false
#endif

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_GENERIC_IO_CHECK_H */
