/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints: what the core, the functions' registers and sysfs share.
 */
#ifndef _DRIVERS_PCI_DMA_HINTS_H
#define _DRIVERS_PCI_DMA_HINTS_H

#include <linux/dma-hints.h>
#include <linux/export.h>

enum dma_hint_owner { DMA_HINT_FIRMWARE, DMA_HINT_DRIVER, DMA_HINT_ADMIN };

/**
 * struct dma_hint_desc - a hint
 * @name: in sysfs
 * @is_bool: not a number of bytes
 * @of_path: all on the path have a say in it; else the nearest decides
 */
struct dma_hint_desc {
	const char *name;
	bool is_bool;
	bool of_path;
};

extern const struct dma_hint_desc dma_hint_descs[DMA_HINT_NR];

/* dma_hints_walk(): @val is NULL for a code that has none, or copies that differ */
typedef void (*dma_hint_fn)(void *data, const struct dma_hint_ops *ops,
			    const struct dma_hint_field *f, const u32 *val,
			    enum dma_hint_owner owner);

int dma_hints_apply(struct pci_dev *pdev, enum dma_hint_owner owner,
		    enum dma_hint_class class, const struct dma_hints *hints);
int dma_hints_release(struct pci_dev *pdev, enum dma_hint_owner owner);
void dma_hints_forget(struct pci_dev *pdev);
void dma_hint_provider_unregister(struct dma_hint_provider *p);
int dma_hints_walk(struct pci_dev *pdev, enum dma_hint_id id, dma_hint_fn fn, void *data);

const struct dma_hint_ops *dma_hint_function_ops(struct pci_dev *pdev);
int dma_hint_pcix_cap(struct pci_dev *pdev);
bool dma_hint_bus_is_pcix(struct pci_bus *bus);
void dma_hint_limit_block(struct pci_dev *pdev, struct dma_hint_cap *cap);
ssize_t dma_hint_functions_show(struct pci_dev *pdev, char *buf, ssize_t len);
ssize_t dma_hints_path(struct pci_dev *pdev, char *buf);

/* For the KUnit suites, and nobody else */
#if IS_ENABLED(CONFIG_DMA_HINTS_KUNIT_TEST)
#define EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(sym)	EXPORT_SYMBOL_NS_GPL(sym, DMA_HINTS_KUNIT)
#else
#define EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(sym)
#endif

#endif /* _DRIVERS_PCI_DMA_HINTS_H */
