/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints of HP's host bridges: what their drivers and dma_hints.c share.
 */
#ifndef _DRIVERS_PARISC_DMA_HINTS_H
#define _DRIVERS_PARISC_DMA_HINTS_H

/* Dino's PCIROR and PCIWOR: a code for each of six masters (ERS 3.1 pp. 36-42) */
#define DINO_ALL_MASTERS	0x00111111
#define DINO_4_WORDS		2

struct ioc;
struct parisc_device;
struct sba_device;

#ifdef CONFIG_DMA_HINTS
void dino_hints_register(struct parisc_device *dev, void __iomem *base);
void lba_hints_register(struct parisc_device *dev, void __iomem *base,
			const struct ioc *ioc);
void sba_hints_register(struct sba_device *sba);
#else
static inline void dino_hints_register(struct parisc_device *dev, void __iomem *base)
{
}

static inline void lba_hints_register(struct parisc_device *dev, void __iomem *base,
				      const struct ioc *ioc)
{
}

static inline void sba_hints_register(struct sba_device *sba)
{
}
#endif

#endif /* _DRIVERS_PARISC_DMA_HINTS_H */
