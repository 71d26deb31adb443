/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMA hints: what a PCI function and the bridges above it may assume of its DMA,
 * by class of mapping and PCI command.
 *
 * Hints belong to the bus and the IOMMU, not to a mapping: they are set for a
 * device, refused where the path to memory has no register for them or where
 * they are not safe, and read back.  See Documentation/core-api/dma-hints.rst.
 */
#ifndef _LINUX_DMA_HINTS_H
#define _LINUX_DMA_HINTS_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/types.h>

struct dentry;
struct device;
struct pci_dev;

/* Mappings by dma_alloc_coherent() and its like; by dma_map_*() */
enum dma_hint_class { DMA_HINT_CONSISTENT, DMA_HINT_STREAMING,
		      DMA_HINT_NR_CLASSES };

/* PCI's Memory Read, Memory Read Line, Memory Read Multiple; Memory Write, with
 * or without Invalidate
 */
enum dma_hint_cmd { DMA_HINT_MR, DMA_HINT_MRL, DMA_HINT_MRM, DMA_HINT_MW,
		    DMA_HINT_NR_CMDS };

/**
 * enum dma_hint_id - one hint; BIT() of it stands in valid members
 * @DMA_HINT_PREFETCH: &dma_hint.prefetch_lines
 * @DMA_HINT_BLOCK: &dma_hint.block_bytes
 * @DMA_HINT_RELAXED_OUT: &dma_hint.relaxed_out
 * @DMA_HINT_READ_CURRENT: &dma_hint.read_current
 * @DMA_HINT_NR_CELL: hints from here on are of the whole device
 * @DMA_HINT_LATENCY_TIMER: &dma_hint_dev.latency_timer
 * @DMA_HINT_CACHE_LINE_SIZE: &dma_hint_dev.cls_dwords
 * @DMA_HINT_MWI: &dma_hint_dev.mwi
 * @DMA_HINT_MAX_READ: &dma_hint_dev.max_read
 * @DMA_HINT_RELAXED: &dma_hint_dev.relaxed
 * @DMA_HINT_NO_SNOOP: &dma_hint_dev.no_snoop
 * @DMA_HINT_READ_WORDS: &dma_hint_dev.read_words
 * @DMA_HINT_WRITE_WORDS: &dma_hint_dev.write_words
 * @DMA_HINT_NR: their number
 */
enum dma_hint_id {
	DMA_HINT_PREFETCH,
	DMA_HINT_BLOCK,
	DMA_HINT_RELAXED_OUT,
	DMA_HINT_READ_CURRENT,
	DMA_HINT_NR_CELL,
	DMA_HINT_LATENCY_TIMER = DMA_HINT_NR_CELL,
	DMA_HINT_CACHE_LINE_SIZE,
	DMA_HINT_MWI,
	DMA_HINT_MAX_READ,
	DMA_HINT_RELAXED,
	DMA_HINT_NO_SNOOP,
	DMA_HINT_READ_WORDS,
	DMA_HINT_WRITE_WORDS,
	DMA_HINT_NR
};

/* &dma_hint_dev.read_words: fill the FIFO when it is half empty; always */
#define DMA_HINT_KEEP_HALF	0xfe
#define DMA_HINT_KEEP_FULL	0xff

/**
 * struct dma_hint - hints for one command on one class of mappings
 * @valid: which members count, BIT() of enum dma_hint_id
 * @prefetch_lines: cache lines that the bridge reads ahead of the demanded
 *	one, 0 to 3
 * @block_bytes: reading ahead stops where a block of this size ends; a power
 *	of 2 from 512 to 4096
 * @relaxed_out: read data may pass the CPU's writes to the device
 * @read_current: read memory without taking the line from a CPU's cache
 */
struct dma_hint {
	u32 valid;
	u8 prefetch_lines;
	u16 block_bytes;
	bool relaxed_out;
	bool read_current;
};

/**
 * struct dma_hint_dev - hints for all of a device's DMA
 * @valid: which members count, BIT() of enum dma_hint_id
 * @latency_timer: how long a burst may go on when others want the bus, in PCI
 *	clocks
 * @cls_dwords: the cache line size that the device assumes, in 32-bit words
 * @max_read: longest read request, in bytes: PCI Express' Max_Read_Request_Size,
 *	PCI-X' Maximum Memory Read Byte Count
 * @mwi: the device may use Memory Write and Invalidate
 * @relaxed: the device may set the attribute Relaxed Ordering
 * @no_snoop: the device may set the attribute No Snoop
 * @read_words: what the host bridge fetches for a read, in 32-bit words, or
 *	DMA_HINT_KEEP_HALF, DMA_HINT_KEEP_FULL
 * @write_words: what the host bridge gathers before it writes, in 32-bit words
 */
struct dma_hint_dev {
	u32 valid;
	u8 latency_timer;
	u8 cls_dwords;
	u16 max_read;
	bool mwi;
	bool relaxed;
	bool no_snoop;
	u8 read_words;
	u8 write_words;
};

/**
 * struct dma_hint_set - the hints of a device
 * @cell: by enum dma_hint_class and enum dma_hint_cmd
 * @dev: of the whole device
 */
struct dma_hint_set {
	struct dma_hint cell[DMA_HINT_NR_CLASSES][DMA_HINT_NR_CMDS];
	struct dma_hint_dev dev;
};

/**
 * enum dma_hint_scope - whose DMA a hint's register governs
 * @DMA_HINT_SCOPE_DEVICE: the function's own
 * @DMA_HINT_SCOPE_REQ: that of all who share its REQ# line: those behind the
 *	same PCI-PCI bridge
 * @DMA_HINT_SCOPE_BUS: that of its bus
 * @DMA_HINT_SCOPE_ROPE: that of the link between its host bridge and the IOMMU
 * @DMA_HINT_SCOPE_SYSTEM: that of all devices
 */
enum dma_hint_scope {
	DMA_HINT_SCOPE_DEVICE,
	DMA_HINT_SCOPE_REQ,
	DMA_HINT_SCOPE_BUS,
	DMA_HINT_SCOPE_ROPE,
	DMA_HINT_SCOPE_SYSTEM,
};

/**
 * struct dma_hint_caps - what can be set for a device
 * @cell: BIT() of enum dma_hint_id, by class and command
 * @dev: the same, of the whole device
 * @live: hints that may change while DMA is under way
 * @scope: enum dma_hint_scope of each hint that can be set: the widest of those
 *	who have a say in it
 */
struct dma_hint_caps {
	u32 cell[DMA_HINT_NR_CLASSES][DMA_HINT_NR_CMDS];
	u32 dev;
	u32 live;
	u8 scope[DMA_HINT_NR];
};

#ifdef CONFIG_DMA_HINTS

int dma_hints_query(struct device *dev, struct dma_hint_caps *caps);
int dma_hints_try(struct device *dev, const struct dma_hint_set *set);
int dma_hints_set(struct device *dev, const struct dma_hint_set *set);
int dma_hints_set_possible(struct device *dev, const struct dma_hint_set *set);
int devm_dma_hints_set_possible(struct device *dev,
				const struct dma_hint_set *set);
int dma_hints_get(struct device *dev, struct dma_hint_set *set);
int dma_hints_reset(struct device *dev);

/*
 * For those who have the registers.
 *
 * A hint of a device is a slot: DMA_HINT_NR_CELL of them for each class and
 * command, then the device's.  A register field holds one slot, or several where
 * the hardware does not tell them apart.
 */
#define DMA_HINT_NR_SLOTS	(DMA_HINT_NR_CELL * DMA_HINT_NR_CLASSES *	\
				 DMA_HINT_NR_CMDS + DMA_HINT_NR - DMA_HINT_NR_CELL)
#define DMA_HINT_CELL_SLOT(id, class, cmd)					\
	(((id) * DMA_HINT_NR_CLASSES + (class)) * DMA_HINT_NR_CMDS + (cmd))
#define DMA_HINT_DEV_SLOT(id)							\
	(DMA_HINT_NR_CELL * DMA_HINT_NR_CLASSES * DMA_HINT_NR_CMDS +		\
	 (id) - DMA_HINT_NR_CELL)
/* the reading commands of one class; of both */
#define DMA_HINT_READ_SLOTS(id, class)						\
	(7ULL << DMA_HINT_CELL_SLOT(id, class, DMA_HINT_MR))
static inline u64 dma_hint_all_read_slots(enum dma_hint_id id)
{
	return DMA_HINT_READ_SLOTS(id, DMA_HINT_CONSISTENT) |
	       DMA_HINT_READ_SLOTS(id, DMA_HINT_STREAMING);
}

/**
 * struct dma_hint_field - a register's field with a hint in it
 * @slots: BIT_ULL() of the slots that it holds
 * @reg: the register, a number that the provider's read and write know
 * @mask: its bits
 * @unit: what a value counts for in the register: the field's lowest bit, or
 *	one bit for each copy of a field that the hardware repeats
 * @values: the value that each code stands for, 0xffff for none, or NULL where
 *	the code is the value
 * @nr_values: number of @values
 * @invert: 0 stands for true
 */
struct dma_hint_field {
	u64 slots;
	u32 reg;
	u32 mask;
	u32 unit;
	const u16 *values;
	u8 nr_values;
	bool invert;
};

/* &dma_hint_field.values of a code that must not be used */
#define DMA_HINT_NO_VALUE	0xffff
#define DMA_HINT_MAX_FIELDS	8
#define DMA_HINT_MAX_REGS	16

/**
 * struct dma_hint_reg - a register of a provider, for its debugfs files
 * @name: the manual's
 * @reg: a number that the provider's read and write know
 * @mask: bits that can be written
 */
struct dma_hint_reg {
	const char *name;
	u32 reg;
	u32 mask;
};

struct dma_hint_provider;

/**
 * struct dma_hint_ops - who has registers for hints
 * @name: in sysfs, debugfs and messages
 * @scope: whose DMA they govern
 * @live: whether they may change while DMA is under way
 * @regs: its registers, ends with an empty one
 * @sane: a register that is never all-ones while the provider answers, whatever
 *	is implemented; or DMA_HINT_NO_REG
 * @fields: those that hold hints of a device; at most DMA_HINT_MAX_FIELDS.
 *	Returns their number
 * @refuse: a slot's value that the provider does not allow for a device: -EPERM
 *	if it is not safe, other errors for good; or NULL
 * @read: a checked read of a register for a device's sake: 0 or an error
 * @write: a checked write, the same
 *
 * All are called in process context with the core's mutex held.
 */
struct dma_hint_ops {
	const char *name;
	enum dma_hint_scope scope;
	bool live;
	const struct dma_hint_reg *regs;
	u32 sane;
	int (*fields)(struct dma_hint_provider *p, struct pci_dev *pdev,
		      struct dma_hint_field *fields);
	int (*refuse)(struct dma_hint_provider *p, struct pci_dev *pdev,
		      unsigned int slot, u16 val);
	int (*read)(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		    u64 *val);
	int (*write)(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		     u64 val);
};

#define DMA_HINT_NO_REG		(~0U)

/**
 * struct dma_hint_provider - a registered one; but for the first three its
 *	members are the core's own
 * @ops: its operations
 * @priv: the provider's own
 * @page: bytes that its IOMMU maps at once, no block may be larger; 0: no limit
 * @dev: function, host bridge or IOMMU
 * @node: of the list of all
 * @probed: whether @absent is known
 * @absent: registers that do not answer, by their place in @ops->regs
 * @dead: its registers could not be brought back to what they were
 * @nth: fail this one of the register accesses to come, counted down; 0: none
 * @log: last accesses
 * @logged: their number since it was registered
 * @dir: in debugfs
 */
struct dma_hint_provider {
	const struct dma_hint_ops *ops;
	void *priv;
	u32 page;

	struct device *dev;
	struct list_head node;
	bool probed;
	u32 absent;
	bool dead;
	u32 nth;
	struct dma_hint_event {
		u32 reg;
		u64 val;
		s16 error;
		bool write;
	} log[32];
	unsigned int logged;
	struct dentry *dir;
};

struct dma_hint_provider *
dma_hint_provider_register(struct device *dev, const struct dma_hint_ops *ops,
			   void *priv);
void dma_hint_provider_unregister(struct dma_hint_provider *p);

/* Of the core, for sysfs and the KUnit suite */
u64 dma_hints_slots(struct device *dev);
int dma_hints_get_slot(struct device *dev, unsigned int slot, u16 *val);
int dma_hints_set_slot(struct device *dev, unsigned int slot, u16 val);
ssize_t dma_hints_path(struct device *dev, char *buf);
ssize_t dma_hints_last_error(struct device *dev, char *buf);
void dma_hints_forget(struct device *dev);
int dma_hints_raw(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		  u64 val);

extern bool dma_hints_unsafe;
extern const struct dma_hint_ops pci_dma_hint_ops;
const char *dma_hint_name(enum dma_hint_id id);

#else /* !CONFIG_DMA_HINTS */

#define dma_hints_unsafe	false

static inline int dma_hints_query(struct device *dev,
				  struct dma_hint_caps *caps)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_try(struct device *dev,
				const struct dma_hint_set *set)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_set(struct device *dev,
				const struct dma_hint_set *set)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_set_possible(struct device *dev,
					 const struct dma_hint_set *set)
{
	return -EOPNOTSUPP;
}

static inline int
devm_dma_hints_set_possible(struct device *dev, const struct dma_hint_set *set)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_get(struct device *dev, struct dma_hint_set *set)
{
	return -EOPNOTSUPP;
}

static inline int dma_hints_reset(struct device *dev)
{
	return 0;
}

#endif /* CONFIG_DMA_HINTS */

#endif /* _LINUX_DMA_HINTS_H */
