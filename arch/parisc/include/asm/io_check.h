/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>, and what PA-RISC can tell of them.
 */
#ifndef _ASM_PARISC_IO_CHECK_H
#define _ASM_PARISC_IO_CHECK_H

#include <linux/swab.h>

/*
 * Called as millicode is, with the return address in r31: the caller's frame
 * and rp are of no concern.  The path is long enough for any kernel.
 */
#define __IO_CHECK_CALL(stub)						\
	"ldil L%%" #stub ",%%r1\n\t"					\
	"ble R%%" #stub "(%%sr4,%%r1)\n\t"				\
	"nop"

#define __IO_CHECK_CLOBBERS						\
	"memory", "r1", "r19", "r20", "r21", "r22", "r23", "r29", "r31"

#define __io_check_order8(val)		(val)
#define __io_check_order16(val)		swab16(val)
#define __io_check_order32(val)		swab32(val)
#define __io_check_order64(val)		swab64(val)

#define arch_io_check_read(bits, c, addr)				\
({									\
	register unsigned long __ret asm("r28");			\
	register const void __iomem *__addr asm("r26") = (addr);	\
	register struct io_check *__c asm("r25") = (c);			\
									\
	asm volatile(__IO_CHECK_CALL(__io_check_ld##bits)		\
		     : "=r" (__ret)					\
		     : "r" (__addr), "r" (__c)				\
		     : __IO_CHECK_CLOBBERS, "r24");			\
	__io_check_order##bits((u##bits)__ret);				\
})

#define arch_io_check_write(bits, c, val, addr)				\
do {									\
	register unsigned long __val asm("r24") =			\
		__io_check_order##bits(val);				\
	register void __iomem *__addr asm("r26") = (addr);		\
	register struct io_check *__c asm("r25") = (c);			\
									\
	asm volatile(__IO_CHECK_CALL(__io_check_st##bits)		\
		     : "+r" (__val)					\
		     : "r" (__addr), "r" (__c)				\
		     : __IO_CHECK_CLOBBERS, "r28");			\
} while (0)

/* No arch_io_check_port(): ports go through the host bridge's own functions */

#ifdef CONFIG_PCI_LBA
enum io_check_cause lba_io_check_ones(phys_addr_t phys);
void lba_io_check_enable(struct pci_dev *pdev);

/*
 * A read returned all-ones.  Below an LBA that is what a failed one returns
 * (lba_pci.c, "Hard Fail vs. Soft Fail"), and the LBA knows.
 */
#define arch_io_check_ones(c, addr)	lba_io_check_ones(arch_io_check_phys(addr))
#define arch_io_check_empty(c, addr)	false
#define arch_io_check_enable(pdev)	lba_io_check_enable(pdev)
#endif

#include <asm-generic/io_check.h>

#endif /* _ASM_PARISC_IO_CHECK_H */
