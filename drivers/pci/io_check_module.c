// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: the accessors, for modules.
 */

#include <linux/export.h>
#include <linux/io_check.h>

u8 io_check_read8(struct io_check *c, const void __iomem *addr)
{
	return readb_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read8);

void io_check_write8(struct io_check *c, u8 val, void __iomem *addr)
{
	writeb_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write8);

u16 io_check_read16(struct io_check *c, const void __iomem *addr)
{
	return readw_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read16);

void io_check_write16(struct io_check *c, u16 val, void __iomem *addr)
{
	writew_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write16);

u32 io_check_read32(struct io_check *c, const void __iomem *addr)
{
	return readl_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read32);

void io_check_write32(struct io_check *c, u32 val, void __iomem *addr)
{
	writel_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write32);

#ifdef CONFIG_64BIT
u64 io_check_read64(struct io_check *c, const void __iomem *addr)
{
	return readq_check(c, addr);
}
EXPORT_SYMBOL_GPL(io_check_read64);

void io_check_write64(struct io_check *c, u64 val, void __iomem *addr)
{
	writeq_check(c, val, addr);
}
EXPORT_SYMBOL_GPL(io_check_write64);
#endif
