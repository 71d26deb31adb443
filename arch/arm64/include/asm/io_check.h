/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>.
 */
#ifndef __ASM_IO_CHECK_H
#define __ASM_IO_CHECK_H

#include <linux/io.h>

/*
 * The stubs keep to fewer registers than a C function, and need no frame.
 * x16 and x17 are the linker's, for a branch out of reach.
 */
#define __IO_CHECK_CLOBBERS						\
	"memory", "x3", "x4", "x5", "x6", "x16", "x17", "x30"

#define arch_io_check_read(bits, c, addr)				\
({									\
	register u##bits __x0 asm("x0");				\
	register const void __iomem *__x1 asm("x1") = (addr);		\
	register struct io_check *__x2 asm("x2") = (c);			\
									\
	asm volatile("bl %c[stub]"					\
		     : "=r" (__x0)					\
		     : [stub] "i" (__io_check_ld##bits),		\
		       "r" (__x1), "r" (__x2)				\
		     : __IO_CHECK_CLOBBERS);				\
	__x0;								\
})

#define arch_io_check_write(bits, c, val, addr)				\
do {									\
	register u##bits __x0 asm("x0") = (val);			\
	register void __iomem *__x1 asm("x1") = (addr);			\
	register struct io_check *__x2 asm("x2") = (c);			\
									\
	asm volatile("bl %c[stub]"					\
		     : "+r" (__x0)					\
		     : [stub] "i" (__io_check_st##bits),		\
		       "r" (__x1), "r" (__x2)				\
		     : __IO_CHECK_CLOBBERS);				\
} while (0)

struct alt_instr;
void io_check_patch_load(struct alt_instr *alt, __le32 *origptr, __le32 *updptr,
			 int nr_inst);

/* readl() has nothing before its load that would order an earlier one */
#define arch_io_check_snapshot()	atomic_read_acquire(&io_check_seq)

/* Else there may be hooks behind a port, to an LPC bus for instance */
#ifndef CONFIG_INDIRECT_PIO
#define arch_io_check_port(port)	(PCI_IOBASE + (port))
#endif

#include <asm-generic/io_check.h>

#endif /* __ASM_IO_CHECK_H */
