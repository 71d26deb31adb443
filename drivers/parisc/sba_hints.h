/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hint sets in the DMA addresses that SBA hands out.  The two bits above the I/O
 * virtual space choose one of an LBA's four sets (Elroy ERS Rev A 1.4 p. 61), which
 * has to know them from address bits: IMASK leaves them out.
 */
#ifndef _DRIVERS_PARISC_SBA_HINTS_H
#define _DRIVERS_PARISC_SBA_HINTS_H

#include <linux/build_bug.h>
#include <linux/dma-mapping.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/ropes.h>

/* Mappings that have a set of their own; &ioc.hint is by these */
#define SBA_HINT_CONSISTENT	0
#define SBA_HINT_STREAMING	1
#define SBA_HINT_RELAXED	2	/* either, with DMA_ATTR_WEAK_ORDERING */
#define SBA_NR_HINTS		4

/**
 * sba_hint_bits() - what chooses a hint set in a DMA address
 * @iov_bits: bits of the I/O virtual space, page offset and all
 * @ibase: where the space begins
 * @set: the hint set, 0 to 3
 *
 * Return: the bits, or 0 if there is no such set, or an address has no room for it
 * beside ibase.
 */
static inline dma_addr_t sba_hint_bits(unsigned int iov_bits, unsigned long ibase,
				       unsigned int set)
{
	/* they are in the low word whatever the size of an address */
	if (set > 3 || iov_bits > 30 || ibase & (3UL << iov_bits))
		return 0;
	return (dma_addr_t)set << iov_bits;
}

/**
 * sba_iovp_mask() - what of a DMA address is a page of the I/O virtual space
 * @iov_bits: bits of the I/O virtual space, page offset and all
 * @page_shift: bits of a page's offset
 *
 * Return: the mask.
 */
static inline dma_addr_t sba_iovp_mask(unsigned int iov_bits, unsigned int page_shift)
{
	return (((dma_addr_t)1 << iov_bits) - 1) >> page_shift << page_shift;
}

#ifdef CONFIG_DMA_HINTS
static_assert(sizeof_field(struct ioc, hint) == SBA_NR_HINTS * sizeof(dma_addr_t));

/**
 * sba_hint() - what a mapping's address carries
 * @ioc: the IOMMU
 * @dev: whom it is mapped for
 * @last: the mapping's last address, without hints
 * @use: of the mapping, SBA_HINT_STREAMING and so on
 *
 * A device that cannot address the bits gets none: set 0.
 *
 * Return: the bits.
 */
static inline dma_addr_t sba_hint(const struct ioc *ioc, struct device *dev,
				  dma_addr_t last, unsigned int use)
{
	dma_addr_t hint = ioc->hint[use];

	if (likely(!hint))
		return 0;
	return (last | hint) > (use & SBA_HINT_STREAMING ? dma_get_mask(dev) :
				dev->coherent_dma_mask) ? 0 : hint;
}
#else
#define sba_hint(ioc, dev, last, use)	0
#endif

#endif /* _DRIVERS_PARISC_SBA_HINTS_H */
