/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints of HP's host bridges: what their drivers and dma_hints.c share.
 */
#ifndef _DRIVERS_PARISC_DMA_HINTS_H
#define _DRIVERS_PARISC_DMA_HINTS_H

#include <linux/dma-mapping.h>
#include <linux/types.h>

/* Dino's PCIROR and PCIWOR: a code for each of six masters (ERS 3.1 pp. 36-42) */
#define DINO_ALL_MASTERS	0x00111111
#define DINO_4_WORDS		2

/* Which of an LBA's hint sets a mapping chooses */
enum sba_hint_use {
	SBA_HINT_CONSISTENT,
	SBA_HINT_STREAMING,
	SBA_HINT_RELAXED,	/* streaming, with DMA_ATTR_WEAK_ORDERING */
	SBA_NR_HINT_USES
};

#ifdef CONFIG_DMA_HINTS
static inline enum sba_hint_use sba_hint_streaming(unsigned long attrs)
{
	return attrs & DMA_ATTR_WEAK_ORDERING ? SBA_HINT_RELAXED :
						SBA_HINT_STREAMING;
}
#else
/* no function: gcc would lay sba_map_sg() out in another way */
#define sba_hint_streaming(attrs)	SBA_HINT_STREAMING
#endif

/**
 * sba_hint_bits() - what chooses a hint set in a DMA address
 * @iov_bits: bits of the I/O virtual space, page offset and all
 * @set: the hint set, 0 to 3
 *
 * The two bits above the space are the LBA's (Elroy ERS Rev A 1.4 p. 61), which
 * has to know them from address bits: IMASK leaves them out.
 *
 * Return: the bits, or 0 if there is no such set or an address has no room.
 */
static inline dma_addr_t sba_hint_bits(unsigned int iov_bits, unsigned int set)
{
	/* they are in the low word whatever the size of an address */
	if (set > 3 || iov_bits > 30)
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
static inline dma_addr_t sba_iovp_mask(unsigned int iov_bits,
				       unsigned int page_shift)
{
	return (((dma_addr_t)1 << iov_bits) - 1) >> page_shift << page_shift;
}

struct parisc_device;
struct sba_device;

#ifdef CONFIG_DMA_HINTS
void dino_hints_register(struct parisc_device *dev, void __iomem *base);
void lba_hints_register(struct parisc_device *dev, void __iomem *base);
void sba_hints_register(struct sba_device *sba);
#else
static inline void dino_hints_register(struct parisc_device *dev,
				       void __iomem *base)
{
}

static inline void lba_hints_register(struct parisc_device *dev,
				      void __iomem *base)
{
}

static inline void sba_hints_register(struct sba_device *sba)
{
}
#endif

#endif /* _DRIVERS_PARISC_DMA_HINTS_H */
