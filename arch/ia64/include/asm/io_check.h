/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses behind <linux/io_check.h>.
 */
#ifndef _ASM_IA64_IO_CHECK_H
#define _ASM_IA64_IO_CHECK_H

#ifdef CONFIG_HAVE_ARCH_IO_CHECK

#include <linux/io.h>
#include <linux/processor.h>
#include <asm/page.h>

struct io_check;

/* Assembly, but C functions all the same */
u64 ia64_io_check_ld8(const void __iomem *addr, struct io_check *c);
u64 ia64_io_check_ld16(const void __iomem *addr, struct io_check *c);
u64 ia64_io_check_ld32(const void __iomem *addr, struct io_check *c);
u64 ia64_io_check_ld64(const void __iomem *addr, struct io_check *c);
void ia64_io_check_st8(void __iomem *addr, struct io_check *c, u64 val);
void ia64_io_check_st16(void __iomem *addr, struct io_check *c, u64 val);
void ia64_io_check_st32(void __iomem *addr, struct io_check *c, u64 val);
void ia64_io_check_st64(void __iomem *addr, struct io_check *c, u64 val);

#define arch_io_check_port(port)					\
	((void __force __iomem *)__ia64_mk_io_addr(port))

/* What ioreadX() takes may be a port's cookie, see PIO_OFFSET. */
static inline void __iomem *ia64_io_check_addr(const void __iomem *addr)
{
	unsigned long a = (__force unsigned long)addr;

	return (a & ~PIO_MASK) == PIO_OFFSET ?
		arch_io_check_port(a & PIO_MASK) : (void __iomem *)addr;
}

#define arch_io_check_read(bits, c, addr)				\
	((u##bits)ia64_io_check_ld##bits(ia64_io_check_addr(addr), c))

/* Without mmiowb_set_pending(): the stub has an mf.a of its own */
#define arch_io_check_write(bits, c, val, addr)				\
	ia64_io_check_st##bits(ia64_io_check_addr(addr), c, val)

/* Registers are in region 6, which maps addresses to themselves */
#define arch_io_check_phys arch_io_check_phys
static inline phys_addr_t arch_io_check_phys(const void __iomem *addr)
{
	unsigned long va = (__force unsigned long)ia64_io_check_addr(addr);

	return REGION_NUMBER(va) == RGN_UNCACHED ? REGION_OFFSET(va) :
						   ia64_tpa(va);
}

#endif /* CONFIG_HAVE_ARCH_IO_CHECK */

#include <asm-generic/io_check.h>

#endif /* _ASM_IA64_IO_CHECK_H */
