// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: where an access went.
 */

#include <linux/io_check.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <asm-generic/io_check_phys.h>
#include "io_check_locate.h"

/* Name the BAR of an access, where the architecture finds its address. */
void io_check_locate(struct io_check_err *err)
{
	phys_addr_t phys = arch_io_check_phys(err->addr);
	struct resource *r;
	int bar;

	err->bar = -1;
	err->offset = offset_in_page((__force const void *)err->addr);
	if (!phys)
		return;
	for (bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
		r = &err->pdev->resource[bar];
		if (resource_type(r) == IORESOURCE_MEM &&
		    phys >= r->start && phys <= r->end) {
			err->bar = bar;
			err->offset = phys - r->start;
			return;
		}
	}
}
