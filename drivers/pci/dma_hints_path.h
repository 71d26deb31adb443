/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints: the path from a function to memory.
 */
#ifndef _DRIVERS_PCI_DMA_HINTS_PATH_H
#define _DRIVERS_PCI_DMA_HINTS_PATH_H

#include <linux/mutex.h>
#include "dma_hints.h"

/* from a function to its IOMMU */
#define DMA_HINT_MAX_HOPS	8

/* Somebody who carries hints of a function */
struct dma_hint_hop {
	const struct dma_hint_ops *ops;
	void *priv;
	struct device *dev;
};

extern struct mutex dma_hint_lock;

int dma_hint_hops(struct pci_dev *pdev, struct dma_hint_hop *hops);
const struct dma_hint_field *
dma_hint_next_field(const struct dma_hint_hop *hop, enum dma_hint_id id,
		    const struct dma_hint_field *f);
u32 dma_hint_reg(const struct dma_hint_hop *hop, struct pci_dev *pdev,
		 const struct dma_hint_field *f);
int dma_hint_is_below(struct device *dev, const void *top);
int dma_hint_get(const struct dma_hint_hop *hop, struct pci_dev *pdev, u32 reg,
		 u32 mask, u32 *bits);
int dma_hint_set(const struct dma_hint_hop *hop, struct pci_dev *pdev, u32 reg, u32 mask,
		 u32 bits);
int dma_hint_open(struct pci_dev *pdev);
void dma_hint_close(struct pci_dev *pdev);
int dma_hint_obstacle(struct pci_dev *pdev, enum dma_hint_id id, u32 val,
		      char *limit, size_t size);

#endif /* _DRIVERS_PCI_DMA_HINTS_PATH_H */
