/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>, and what powerpc can tell of them.
 */
#ifndef _ASM_POWERPC_IO_CHECK_H
#define _ASM_POWERPC_IO_CHECK_H

#ifdef CONFIG_HAVE_ARCH_IO_CHECK

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/swab.h>
#include <asm/eeh.h>
#include <asm/mmiowb.h>
#include <asm/pte-walk.h>

/*
 * The stubs keep to fewer registers than a C function, and need no frame.
 * r11, r12 and ctr are the linker's, for a branch out of reach.
 */
#define __IO_CHECK_CLOBBERS						\
	"memory", "lr", "ctr", "r0", "r6", "r7", "r8", "r9", "r11", "r12"

/*
 * As in in_le64(): not every 64-bit CPU has byte-reversed accesses of a
 * doubleword, so that stub's are in the CPU's order.
 */
#define __io_check_order8(val)		(val)
#define __io_check_order16(val)		(val)
#define __io_check_order32(val)		(val)
#ifdef __BIG_ENDIAN__
#define __io_check_order64(val)		swab64(val)
#else
#define __io_check_order64(val)		(val)
#endif

#define arch_io_check_read(bits, c, addr)				\
({									\
	register typeof((u##bits)0 + 0U) __r3 asm("r3");		\
	register const void __iomem *__r4 asm("r4") = (addr);		\
	register struct io_check *__r5 asm("r5") = (c);			\
									\
	asm volatile("bl %[stub]"					\
		     : "=r" (__r3)					\
		     : [stub] "i" (__io_check_ld##bits),		\
		       "r" (__r4), "r" (__r5)				\
		     : __IO_CHECK_CLOBBERS);				\
	__io_check_order##bits(__r3);					\
})

#define arch_io_check_write(bits, c, val, addr)				\
do {									\
	register u##bits __r3 asm("r3") = __io_check_order##bits(val); \
	register void __iomem *__r4 asm("r4") = (addr);			\
	register struct io_check *__r5 asm("r5") = (c);			\
									\
	asm volatile("bl %[stub]"					\
		     : "+r" (__r3)					\
		     : [stub] "i" (__io_check_st##bits),		\
		       "r" (__r4), "r" (__r5)				\
		     : __IO_CHECK_CLOBBERS);				\
	mmiowb_set_pending();						\
} while (0)

/* Elsewhere ports go through hooks, to firmware for instance */
#ifndef CONFIG_PPC_INDIRECT_PIO
#define arch_io_check_port(port)	((void __iomem *)_IO_BASE + (port))
#endif

/* A read returned all-ones: EEH isolates a failed device that way. */
#define arch_io_check_ones arch_io_check_ones
static inline enum io_check_cause arch_io_check_ones(struct io_check *c,
						     const void __iomem *addr)
{
	if (eeh_enabled())
		return eeh_check_failure(addr) ? IO_CHECK_FROZEN : IO_CHECK_NONE;
	return c->flags & IO_CHECK_ONES_OK ? IO_CHECK_NONE :
					     io_check_query(c, ~0ULL);
}

/* In line, as readl() asks it */
#define arch_io_check_empty(c, addr)					\
	(eeh_enabled() ? !eeh_check_failure(addr) :			\
			 (c)->flags & IO_CHECK_ONES_OK)

/* Did EEH isolate the device, for DMA of its own for instance? */
#define arch_io_check_frozen arch_io_check_frozen
static inline bool arch_io_check_frozen(struct pci_dev *pdev)
{
	return eeh_enabled() &&
	       eeh_dev_check_failure(pci_dev_to_eeh_dev(pdev)) > 0;
}

/* Physical address of a mapped one, without locks; 0 if there is none. */
#define arch_io_check_phys arch_io_check_phys
static inline phys_addr_t arch_io_check_phys(const void __iomem *addr)
{
	unsigned long ea = (__force unsigned long)addr;
	unsigned int shift = 0;
	pte_t *ptep = find_init_mm_pte(ea, &shift);

	if (!ptep || !pte_present(*ptep))
		return 0;
	return PFN_PHYS(pte_pfn(*ptep)) | (ea & (BIT(shift ?: PAGE_SHIFT) - 1));
}

#endif /* CONFIG_HAVE_ARCH_IO_CHECK */

#include <asm-generic/io_check.h>

#endif /* _ASM_POWERPC_IO_CHECK_H */
