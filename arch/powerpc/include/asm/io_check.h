/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>, and what powerpc can tell of them.
 */
#ifndef _ASM_POWERPC_IO_CHECK_H
#define _ASM_POWERPC_IO_CHECK_H

#ifdef CONFIG_HAVE_ARCH_IO_CHECK

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/stringify.h>
#include <linux/swab.h>
#include <asm/eeh.h>
#include <asm/mmiowb.h>
#include <asm/pte-walk.h>

/*
 * The access is in line.  A load is consumed by twi and isync, as in_le32() does,
 * so that its machine check comes before they are done (Power ISA Book II,
 * "Instruction Synchronization").  A store's comes at the store, or so late that
 * no access owns it; 32-bit CPUs wait for it in a sync.  32-bit CPUs take a machine
 * check at any of these instructions, or at the one after them, as __do_in_asm()
 * and __do_out_asm() in <asm/io.h> have it: their range has that one, which is not
 * done yet, and is where things go on after a fault.  A 64-bit CPU's range ends with
 * isync, or with the store: an error of what comes after it is not the access'.
 *
 * The entry is a struct io_check_stub, but what stands for pad is an instruction
 * that never runs: it names the registers of the value, the address and the
 * session.  There is one landing pad, io_check_landing, with what io_check_fixup()
 * leaves in the registers that are clobbered here.
 */
#ifdef CONFIG_PPC64
#define IO_CHECK_STUB_NEXT	0
#else
#define IO_CHECK_STUB_NEXT	4
#endif

#define __IO_CHECK_STUB(access, wait, size, write)			\
	"sync\n"							\
	"1:	" access "\n"						\
	wait								\
	"2:\n"								\
	"	.pushsection __io_check_stubs, \"a\"\n"			\
	"	.balign	4\n"						\
	"	.long	1b - .\n"					\
	"	.long	2b + " __stringify(IO_CHECK_STUB_NEXT) " - .\n"	\
	"	or	%[data], %[at], %[ses]\n"			\
	"	.byte	" __stringify(size) ", " #write ", 0, 0\n"	\
	"	.popsection"

#define __IO_CHECK_CLOBBERS						\
	"memory", "ctr", "r0", "r6", "r7", "r8", "r9", "r11", "r12"

#define __IO_CHECK_LOAD8	"lbzx	%[data],0,%[at]"
#define __IO_CHECK_STORE8	"stbx	%[data],0,%[at]"
#ifdef __BIG_ENDIAN__
#define __IO_CHECK_LOAD16	"lhbrx	%[data],0,%[at]"
#define __IO_CHECK_LOAD32	"lwbrx	%[data],0,%[at]"
#define __IO_CHECK_STORE16	"sthbrx	%[data],0,%[at]"
#define __IO_CHECK_STORE32	"stwbrx	%[data],0,%[at]"
#else
#define __IO_CHECK_LOAD16	"lhzx	%[data],0,%[at]"
#define __IO_CHECK_LOAD32	"lwzx	%[data],0,%[at]"
#define __IO_CHECK_STORE16	"sthx	%[data],0,%[at]"
#define __IO_CHECK_STORE32	"stwx	%[data],0,%[at]"
#endif
#define __IO_CHECK_LOAD64	"ldx	%[data],0,%[at]"
#define __IO_CHECK_STORE64	"stdx	%[data],0,%[at]"

#ifdef CONFIG_PPC64
#define __IO_CHECK_STORED	""
#else
#define __IO_CHECK_STORED	"	sync\n"
#endif

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

/*
 * A narrow value has zeros above it, that of a failed read too.  It is in r10, as
 * io_check_fixup() can change volatile registers alone: a machine check gives the
 * others back as they were.
 */
#define arch_io_check_read(bits, c, addr)				\
({									\
	register typeof((u##bits)0 + 0U) __ret asm("r10");		\
									\
	asm volatile(__IO_CHECK_STUB(__IO_CHECK_LOAD##bits,		\
				     "	twi	0,%[data],0\n"		\
				     "	isync\n", (bits) / 8, 0)	\
		     : [data] "=&r" (__ret)				\
		     : [ses] "r" (c), [at] "r" (addr)			\
		     : __IO_CHECK_CLOBBERS);				\
	__io_check_order##bits(__ret);					\
})

#define arch_io_check_write(bits, c, value, addr)			\
do {									\
	asm volatile(__IO_CHECK_STUB(__IO_CHECK_STORE##bits,		\
				     __IO_CHECK_STORED, (bits) / 8, 1)	\
		     : : [data] "r" (__io_check_order##bits((u##bits)(value))),	\
			 [ses] "r" (c), [at] "r" (addr)			\
		     : __IO_CHECK_CLOBBERS);				\
	mmiowb_set_pending();						\
} while (0)

bool io_check_fixup_load(struct pt_regs *regs, unsigned long addr);

/* For tests */
struct io_check_stub;
struct rtas_error_log;
const struct io_check_stub *io_check_test_stub(bool write);
bool pseries_load_failed(struct rtas_error_log *log, unsigned long *addr);

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
					     io_check_query(c, addr, ~0ULL);
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
