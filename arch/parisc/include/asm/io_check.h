/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>, and what PA-RISC can tell of them.
 */
#ifndef _ASM_PARISC_IO_CHECK_H
#define _ASM_PARISC_IO_CHECK_H

#include <linux/stringify.h>
#include <linux/swab.h>
#include <asm/psw.h>

/*
 * The access is in line, with interrupts off: its HPMC has to come inside, not in
 * a handler.  A load's HPMC comes before its value is there, so the value is
 * used; a store waits in a sync.  mtsm, the last instruction, belongs to the
 * range, and runs after a fault as well.
 *
 * The entry is a struct io_check_stub, but what stands for pad is an instruction
 * that never runs: it names the registers of the session, the value and the
 * address.  There is one landing pad, io_check_landing; r1 and r31 are lost there.
 */
#define __IO_CHECK_STUB(access, wait, size, write)			\
	"rsm	%[irq], %[mask]\n"					\
	"1:	" access "\n"						\
	"	" wait "\n"						\
	"	mtsm	%[mask]\n"					\
	"2:\n"								\
	"	.pushsection __io_check_stubs, \"a\"\n"		\
	"	.balign	4\n"						\
	"	.word	1b - ., 2b - .\n"				\
	"	or	%[ses], %[data], %[at]\n"			\
	"	.byte	" __stringify(size) ", " #write ", 0, 0\n"	\
	"	.popsection"

#define __IO_CHECK_LOAD8	"ldb	0(%[at]), %[data]"
#define __IO_CHECK_LOAD16	"ldh	0(%[at]), %[data]"
#define __IO_CHECK_LOAD32	"ldw	0(%[at]), %[data]"
#define __IO_CHECK_LOAD64	"ldd	0(%[at]), %[data]"
#define __IO_CHECK_STORE8	"stb	%[data], 0(%[at])"
#define __IO_CHECK_STORE16	"sth	%[data], 0(%[at])"
#define __IO_CHECK_STORE32	"stw	%[data], 0(%[at])"
#define __IO_CHECK_STORE64	"std	%[data], 0(%[at])"

#define __io_check_order8(val)		(val)
#define __io_check_order16(val)		swab16(val)
#define __io_check_order32(val)		swab32(val)
#define __io_check_order64(val)		swab64(val)

#define arch_io_check_read(bits, c, addr)				\
({									\
	unsigned long __ret, __mask;					\
									\
	asm volatile(__IO_CHECK_STUB(__IO_CHECK_LOAD##bits,		\
				     "copy	%[data], %%r1", (bits) / 8, 0) \
		     : [data] "=&r" (__ret), [mask] "=&r" (__mask)	\
		     : [ses] "r" (c), [at] "r" (addr), [irq] "i" (PSW_I) \
		     : "memory", "r1", "r31");				\
	__io_check_order##bits((u##bits)__ret);				\
})

#define arch_io_check_write(bits, c, value, addr)			\
do {									\
	unsigned long __mask;						\
									\
	asm volatile(__IO_CHECK_STUB(__IO_CHECK_STORE##bits,		\
				     "sync", (bits) / 8, 1)		\
		     : [mask] "=&r" (__mask)				\
		     : [data] "r" (__io_check_order##bits((u##bits)(value))),	\
		       [ses] "r" (c), [at] "r" (addr), [irq] "i" (PSW_I) \
		     : "memory", "r1", "r31");				\
} while (0)

/* INDIRECT_ADDR() of lib/iomap.c, but for legacy pointers to memory, which have all bits */
#define arch_io_check_cookie(addr)					\
	((unsigned long)(addr) >> (BITS_PER_LONG - 4) == 8)

/* No arch_io_check_port(): ports go through the host bridge's own functions */

#ifdef CONFIG_PCI_LBA
#include <asm/io_check_lba.h>

/*
 * A read returned all-ones.  Below an LBA that is what a failed one returns
 * (lba_pci.c, "Hard Fail vs. Soft Fail"), and the LBA knows.
 */
#define arch_io_check_ones(c, addr)	lba_io_check_ones(addr)
#define arch_io_check_empty(c, addr)	false
#define arch_io_check_enable(pdev)	lba_io_check_enable(pdev)
#endif

#include <asm-generic/io_check.h>

#endif /* _ASM_PARISC_IO_CHECK_H */
