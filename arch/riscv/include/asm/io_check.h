/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>.
 */
#ifndef _ASM_RISCV_IO_CHECK_H
#define _ASM_RISCV_IO_CHECK_H

#ifdef CONFIG_HAVE_ARCH_IO_CHECK

#include <asm/mmiowb.h>

/* The stubs keep to fewer registers than a C function, and need no frame. */
#define __IO_CHECK_CLOBBERS	"memory", "t0", "t1", "t2", "t3", "ra"

#define arch_io_check_read(bits, c, addr)				\
({									\
	register u##bits __a0 asm("a0");				\
	register const void __iomem *__a1 asm("a1") = (addr);		\
	register struct io_check *__a2 asm("a2") = (c);			\
									\
	asm volatile("call %[stub]"					\
		     : "=r" (__a0)					\
		     : [stub] "i" (__io_check_ld##bits),		\
		       "r" (__a1), "r" (__a2)				\
		     : __IO_CHECK_CLOBBERS);				\
	__a0;								\
})

#define arch_io_check_write(bits, c, val, addr)				\
do {									\
	register u##bits __a0 asm("a0") = (val);			\
	register void __iomem *__a1 asm("a1") = (addr);			\
	register struct io_check *__a2 asm("a2") = (c);			\
									\
	asm volatile("call %[stub]"					\
		     : "+r" (__a0)					\
		     : [stub] "i" (__io_check_st##bits),		\
		       "r" (__a1), "r" (__a2)				\
		     : __IO_CHECK_CLOBBERS);				\
	mmiowb_set_pending();						\
} while (0)

/* readl() has nothing before its load that would order an earlier one */
#define arch_io_check_snapshot()	atomic_read_acquire(&io_check_seq)

/* No arch_io_check_port(): ports have fences of their own, see __io_pbr() */

#endif /* CONFIG_HAVE_ARCH_IO_CHECK */

#include <asm-generic/io_check.h>

#endif /* _ASM_RISCV_IO_CHECK_H */
