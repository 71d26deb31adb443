/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_GENERIC_IO_CHECK_PHYS_H
#define _ASM_GENERIC_IO_CHECK_PHYS_H

#include <linux/io_check.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

/*
 * Physical address of a mapped one; 0 if there is none, or a single entry maps
 * a gigabyte.  The tables of a mapping in use stay, so there is nothing to lock;
 * a BAR has no struct page.
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
	/* not every architecture has a pud_pfn() that may be called */
	if (pud_none(*pud) || pud_leaf(*pud) || pud_bad(*pud))
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

#endif /* _ASM_GENERIC_IO_CHECK_PHYS_H */
