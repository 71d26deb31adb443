/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architectures behind <linux/io_check.h> have in common.  Their
 * <asm/io_check.h> include this at their end, and define by its own name each
 * function that they have another one of.
 */
#ifndef _ASM_GENERIC_IO_CHECK_H
#define _ASM_GENERIC_IO_CHECK_H

#ifdef __ASSEMBLY__

/* Emit a struct io_check_stub, see below. */
	.macro	io_check_stub start, end, pad, size, write
	.pushsection .rodata.io_check, "a"
	.balign	4
	.long	\start - .
	.long	\end - .
	.long	\pad - .
	.byte	\size, \write, 0, 0
	.popsection
	.endm

#else /* !__ASSEMBLY__ */

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/types.h>

/*
 * One stub, where the architecture has a table of them of its own, apart from
 * the exception table.  start, end and pad are relative to themselves.
 */
struct io_check_stub {
	s32 start;	/* the access */
	s32 end;	/* behind the last instruction that it may be blamed on */
	s32 pad;	/* where to continue after a fault */
	u8 size;	/* in bytes */
	u8 write;
	u8 unused[2];
};

extern const struct io_check_stub __io_check_stubs[];
extern const struct io_check_stub __io_check_stubs_end[];

/* Assembly; not for calls from C, see the registers there */
void __io_check_ld8(void);
void __io_check_ld16(void);
void __io_check_ld32(void);
void __io_check_ld64(void);
void __io_check_st8(void);
void __io_check_st16(void);
void __io_check_st32(void);
void __io_check_st64(void);

static __always_inline unsigned long io_check_address(const s32 *rel)
{
	return (unsigned long)rel + *rel;
}

/* For fault handlers, in real mode too: a bounded search in the kernel image. */
static __always_inline const struct io_check_stub *
io_check_find_stub(unsigned long ip)
{
	const struct io_check_stub *s;

	for (s = __io_check_stubs; s < __io_check_stubs_end; s++)
		if (ip >= io_check_address(&s->start) &&
		    ip < io_check_address(&s->end))
			return s;
	return NULL;
}

/*
 * Decode what the table knows of a fault at @err->ip, with the cause of a fault
 * that says no more.  Returns the stub, or NULL where there is none.
 */
static inline const struct io_check_stub *
io_check_decode_stub(struct io_check_err *err)
{
	const struct io_check_stub *s = io_check_find_stub(err->ip);

	err->cause = IO_CHECK_ABORT;
	if (s) {
		err->size = s->size;
		err->write = s->write;
	}
	return s;
}

void arch_io_check_decode(struct io_check_err *err);

/* A read returned all-ones.  Without a platform to ask that is data. */
#ifndef arch_io_check_ones
static inline enum io_check_cause arch_io_check_ones(const void __iomem *addr)
{
	return IO_CHECK_NONE;
}
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

/*
 * Physical address of a mapped one; 0 if there is none.  The tables of a
 * mapping in use stay, so there is nothing to lock; a BAR has no struct page.
 */
#ifndef arch_io_check_phys
static inline phys_addr_t arch_io_check_phys(const void __iomem *addr)
{
	unsigned long va = (__force unsigned long)addr;
	pgd_t *pgd = pgd_offset_k(va);
	p4d_t *p4d;
	pud_t *pud;
	pmd_t *pmd;
	pte_t pte;

	if (pgd_none(*pgd) || pgd_leaf(*pgd) || pgd_bad(*pgd))
		return 0;
	p4d = p4d_offset(pgd, va);
	if (p4d_none(*p4d) || p4d_leaf(*p4d) || p4d_bad(*p4d))
		return 0;
	pud = pud_offset(p4d, va);
#ifdef CONFIG_HAVE_ARCH_HUGE_VMAP
	if (pud_leaf(*pud))
		return PFN_PHYS(pud_pfn(*pud)) | (va & ~PUD_MASK);
#endif
	if (pud_none(*pud) || pud_bad(*pud))
		return 0;
	pmd = pmd_offset(pud, va);
#ifdef CONFIG_HAVE_ARCH_HUGE_VMAP
	if (pmd_leaf(*pmd))
		return PFN_PHYS(pmd_pfn(*pmd)) | (va & ~PMD_MASK);
#endif
	if (pmd_none(*pmd) || pmd_bad(*pmd))
		return 0;
	pte = READ_ONCE(*pte_offset_kernel(pmd, va));
	if (!pte_present(pte))
		return 0;
	return PFN_PHYS(pte_pfn(pte)) | (va & ~PAGE_MASK);
}
#endif

/* For the negative tests: the boot parameter that turns the hook off, and a
 * load with nothing but an exception table entry.
 */
#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
extern bool io_check_nohook;
#else
#define io_check_nohook	false
#endif
u32 io_check_test_extable(const void __iomem *addr);

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_GENERIC_IO_CHECK_H */
