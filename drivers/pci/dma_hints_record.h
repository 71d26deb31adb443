/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints: what has been set.  All with dma_hint_lock held.
 */
#ifndef _DRIVERS_PCI_DMA_HINTS_RECORD_H
#define _DRIVERS_PCI_DMA_HINTS_RECORD_H

#include <linux/list.h>
#include "dma_hints.h"
#include "dma_hints_path.h"

/*
 * A field that is, or was, somebody's to set.  It stays while it has claims, and
 * while its register could not be brought to what it should be.  @old is what it was
 * first, @left how it was left from here: what others have made of it since is theirs.
 */
struct dma_hint_record {
	struct list_head node;
	struct list_head claims;
	struct dma_hint_hop hop;
	const void *hw;
	u32 reg;
	u32 mask;
	u32 old;
	u32 left;
	bool dirty;
};

struct dma_hint_claim {
	struct list_head node;
	struct pci_dev *pdev;
	enum dma_hint_owner owner;
	u32 bits;
};

struct dma_hint_record *dma_hint_record_of(const struct dma_hint_hop *hop,
					   struct pci_dev *pdev, u32 reg, u32 mask);
struct dma_hint_record *dma_hint_record_get(const struct dma_hint_hop *hop,
					    struct pci_dev *pdev, u32 reg, u32 mask);
void dma_hint_record_free(struct dma_hint_record *r);
struct dma_hint_claim *dma_hint_claim_of(const struct dma_hint_record *r,
					 const struct pci_dev *pdev,
					 enum dma_hint_owner owner);
int dma_hint_record_set(const struct dma_hint_record *r, struct pci_dev *pdev, u32 bits);
void dma_hint_settle_all(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_DMA_HINTS_RECORD_H */
