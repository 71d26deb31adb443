/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints: how memory that a PCI function accesses is to be treated by the
 * function and by the bridges above it.
 *
 * Four hints, by class of mapping and, where hardware has it, by PCI command.  A
 * hint is carried by the address of a mapping, or by a register of the function or
 * of a bridge.  See Documentation/core-api/dma-hints.rst.
 */
#ifndef _LINUX_DMA_HINTS_H
#define _LINUX_DMA_HINTS_H

#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/pci.h>
#include <linux/types.h>

/**
 * enum dma_hint_class - mappings that a hint is for
 * @DMA_HINT_CONSISTENT: those of dma_alloc_coherent() and its like
 * @DMA_HINT_STREAMING: those of dma_map_*()
 * @DMA_HINT_ALL: both, for what does not tell them apart
 */
enum dma_hint_class { DMA_HINT_CONSISTENT, DMA_HINT_STREAMING, DMA_HINT_ALL };

/* Members of struct dma_hints; BIT() of them in &dma_hints.valid */
enum dma_hint_id {
	DMA_HINT_RELAXED_ORDER,
	DMA_HINT_READ_CURRENT,
	DMA_HINT_PREFETCH,
	DMA_HINT_BLOCK,
	DMA_HINT_NR
};

/* PCI's Memory Read, Read Line, Read Multiple, and writes, in a mask */
#define DMA_HINT_MR		BIT(0)
#define DMA_HINT_MRL		BIT(1)
#define DMA_HINT_MRM		BIT(2)
#define DMA_HINT_MW		BIT(3)
#define DMA_HINT_READS		(DMA_HINT_MR | DMA_HINT_MRL | DMA_HINT_MRM)
#define DMA_HINT_COMMANDS	(DMA_HINT_READS | DMA_HINT_MW)

/* &dma_hints.prefetch: keep the buffer half filled, or full; no number of bytes */
#define DMA_HINT_KEEP_HALF	0xfffffffe
#define DMA_HINT_KEEP_FULL	0xffffffff

/**
 * struct dma_hints - hints for a class of mappings
 * @valid: which of the others count, BIT() of enum dma_hint_id
 * @commands: the PCI commands that they are for, DMA_HINT_MR and so on; 0: all
 * @relaxed_order: a transaction may pass earlier ones
 * @read_current: memory is read without taking the line from a CPU's cache
 * @prefetch: bytes that a bridge fetches for a read
 * @block: bytes of the longest read request, or that a bridge gathers for a write
 *
 * Bytes are rounded down to what the hardware has.
 */
struct dma_hints {
	u32 valid;
	u8 commands;
	bool relaxed_order;
	bool read_current;
	u32 prefetch;
	u32 block;
};

/**
 * enum dma_hint_grain - whose DMA a carrier of a hint governs
 * @DMA_HINT_MAPPING: the mapping's
 * @DMA_HINT_FUNCTION: the function's
 * @DMA_HINT_ROPE: that of all behind one link of the IOMMU
 * @DMA_HINT_BUS: that of all on the bus
 * @DMA_HINT_SYSTEM: everybody's
 */
enum dma_hint_grain {
	DMA_HINT_MAPPING,
	DMA_HINT_FUNCTION,
	DMA_HINT_ROPE,
	DMA_HINT_BUS,
	DMA_HINT_SYSTEM,
};

/**
 * struct dma_hint_cap - what a function's path has of one hint
 * @possible: there is a carrier, and nothing on the path stands against it
 * @commands: commands that it can be set for, together
 * @grain: the widest carrier's
 * @max: the largest value
 * @limit: who on the path limits it and why, or empty
 */
struct dma_hint_cap {
	bool possible;
	u8 commands;
	u8 grain;
	u32 max;
	char limit[64];
};

/**
 * struct dma_hints_caps - what a function's path has
 * @hint: by enum dma_hint_id
 */
struct dma_hints_caps {
	struct dma_hint_cap hint[DMA_HINT_NR];
};

#ifdef CONFIG_DMA_HINTS

int dma_set_hints(struct device *dev, enum dma_hint_class class,
		  const struct dma_hints *hints);
int dma_hints_query(struct device *dev, struct dma_hints_caps *caps);

/**
 * dma_hint_set_of() - which of a platform's hint sets a mapping chooses
 * @dev: the device that is mapped for
 * @class: of the mapping, not DMA_HINT_ALL
 * @attrs: its DMA_ATTR_*
 *
 * For IOMMU drivers whose addresses carry hints.
 *
 * Context: Any.
 * Return: the class, plus 2 if the mapping's order is relaxed, by its attributes
 * or by default.
 */
static inline unsigned int dma_hint_set_of(struct device *dev,
					   enum dma_hint_class class,
					   unsigned long attrs)
{
	bool relaxed = attrs & DMA_ATTR_WEAK_ORDERING ||
		       (dev_is_pci(dev) &&
			READ_ONCE(to_pci_dev(dev)->dma_relaxed) & BIT(class));

	return class + 2 * relaxed;
}

/**
 * struct dma_hint_field - a register's field that carries a hint
 * @id: the hint
 * @classes: BIT() of the classes that it governs, together
 * @commands: the commands that it governs, together
 * @invert: 0 stands for true
 * @reg: the register, a number that get and set know
 * @mask: its bits
 * @unit: what a code counts for in the register: the field's lowest bit, or a bit
 *	for each copy of a field that is repeated
 * @values: the value of each code, ascending, 0 for those that must not be used;
 *	or NULL where the code is the value
 * @nr_values: number of @values
 */
struct dma_hint_field {
	enum dma_hint_id id;
	u8 classes;
	u8 commands;
	bool invert;
	u32 reg;
	u32 mask;
	u32 unit;
	const u32 *values;
	u8 nr_values;
};

/**
 * struct dma_hint_ops - who carries hints
 * @name: in sysfs
 * @grain: whose DMA is governed
 * @fields: those that there are, ends with an empty mask
 * @where: the register that a field has for a function, if not &dma_hint_field.reg
 * @refuse: whether a value must not be set: -EPERM if it is not safe; or NULL
 * @get: read a register for a function's sake, checked: 0 or an error
 * @set: change a register's bits under the lock of its other writers, checked
 *
 * All are called in process context with the core's mutex held.
 */
struct dma_hint_ops {
	const char *name;
	enum dma_hint_grain grain;
	const struct dma_hint_field *fields;
	u32 (*where)(void *priv, struct pci_dev *pdev,
		     const struct dma_hint_field *f);
	int (*refuse)(void *priv, struct pci_dev *pdev,
		      const struct dma_hint_field *f, u32 val);
	int (*get)(void *priv, struct pci_dev *pdev, u32 reg, u32 *val);
	int (*set)(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits);
};

/**
 * struct dma_hint_provider - a bridge or an IOMMU that carries hints
 * @node: the core's
 * @dev: functions below it may have its hints
 * @ops: its operations
 * @priv: for them, and what tells its registers from others'
 */
struct dma_hint_provider {
	struct list_head node;
	struct device *dev;
	const struct dma_hint_ops *ops;
	void *priv;
};

void dma_hint_provider_register(struct dma_hint_provider *p);
bool dma_hints_may_be_unsafe(void);

extern const struct dma_hint_ops dma_hint_mapping_ops;

#else /* !CONFIG_DMA_HINTS */

static inline int dma_set_hints(struct device *dev, enum dma_hint_class class,
				const struct dma_hints *hints)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_query(struct device *dev, struct dma_hints_caps *caps)
{
	return -EOPNOTSUPP;
}

#endif /* CONFIG_DMA_HINTS */

#endif /* _LINUX_DMA_HINTS_H */
