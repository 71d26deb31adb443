// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: what may be set for a device, and doing it: all or nothing, read
 * back, and undone when it does not stick.  See <linux/dma-hints.h>.
 */

#define pr_fmt(fmt) "dma_hints: " fmt

#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/dma-map-ops.h>
#include <linux/export.h>
#include <linux/iommu.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

/* from a function to its IOMMU */
#define HINT_PATH_MAX	8

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "dma_hints."

bool dma_hints_unsafe;
EXPORT_SYMBOL_GPL(dma_hints_unsafe);	/* for the KUnit suite */
module_param_named(unsafe, dma_hints_unsafe, bool, 0400);
MODULE_PARM_DESC(unsafe, "let CAP_SYS_RAWIO set what is refused as not safe");

/* The values of a device's slots */
struct hint_vec {
	u64 valid;
	u16 val[DMA_HINT_NR_SLOTS];
};

/* A register's change */
struct hint_change {
	struct dma_hint_provider *p;
	u32 reg;
	u32 mask;
	u32 val;
	u64 old;
	bool written;
};

struct hint_plan {
	unsigned int n;
	bool unsafe;
	struct hint_change change[DMA_HINT_MAX_REGS];
};

/* Bits that a device has set, and what they were before anybody did */
struct hint_claim {
	struct list_head node;
	struct dma_hint_provider *p;
	u32 reg;
	u32 mask;
	u32 val;
	u32 old;
};

/* A device that has asked for hints */
struct hint_dev {
	struct list_head node;
	struct device *dev;
	struct list_head claims;
	char error[96];
};

/* of the lists, of all they lead to, and of the registers */
static DEFINE_MUTEX(hint_lock);
static LIST_HEAD(hint_providers);
static LIST_HEAD(hint_devs);
static struct dentry *hint_debugfs;

/*
 * struct hint_desc - a hint
 * @name: in sysfs
 * @offset: of its member in struct dma_hint or struct dma_hint_dev
 * @min: the least value; if not 0 the hint is a number of bytes, a power of two
 *	in a u16, else the member is a u8 or a bool
 * @max: the largest value
 */
struct hint_desc {
	const char *name;
	u8 offset;
	u16 min;
	u16 max;
};

#define HINT_DESC(_name, _struct, _member, _min, _max) {		\
	.name = _name,							\
	.offset = offsetof(struct _struct, _member),			\
	.min = _min,							\
	.max = _max,							\
}

static_assert(sizeof_field(struct dma_hint, block_bytes) == sizeof(u16));
static_assert(sizeof_field(struct dma_hint_dev, max_read) == sizeof(u16));

static const struct hint_desc hint_descs[DMA_HINT_NR] = {
	[DMA_HINT_PREFETCH] =
		HINT_DESC("prefetch", dma_hint, prefetch_lines, 0, 3),
	[DMA_HINT_BLOCK] =
		HINT_DESC("block_size", dma_hint, block_bytes, 512, 4096),
	[DMA_HINT_RELAXED_OUT] =
		HINT_DESC("relaxed_order", dma_hint, relaxed_out, 0, 1),
	[DMA_HINT_READ_CURRENT] =
		HINT_DESC("read_current", dma_hint, read_current, 0, 1),
	[DMA_HINT_LATENCY_TIMER] =
		HINT_DESC("latency_timer", dma_hint_dev, latency_timer, 0, 255),
	[DMA_HINT_CACHE_LINE_SIZE] =
		HINT_DESC("cache_line_size", dma_hint_dev, cls_dwords, 0, 255),
	[DMA_HINT_MWI] =
		HINT_DESC("mwi", dma_hint_dev, mwi, 0, 1),
	[DMA_HINT_MAX_READ] =
		HINT_DESC("max_read", dma_hint_dev, max_read, 128, 4096),
	[DMA_HINT_RELAXED] =
		HINT_DESC("relaxed_order", dma_hint_dev, relaxed, 0, 1),
	[DMA_HINT_NO_SNOOP] =
		HINT_DESC("no_snoop", dma_hint_dev, no_snoop, 0, 1),
	[DMA_HINT_READ_WORDS] =
		HINT_DESC("read_words", dma_hint_dev, read_words, 0, 255),
	[DMA_HINT_WRITE_WORDS] =
		HINT_DESC("write_words", dma_hint_dev, write_words, 0, 255),
};

/* A hint's name in sysfs */
const char *dma_hint_name(enum dma_hint_id id)
{
	return hint_descs[id].name;
}

/* What everybody on the path has to allow; of the others the nearest decides */
#define HINT_ALL_OF_PATH	(BIT(DMA_HINT_RELAXED_OUT) |		\
				 BIT(DMA_HINT_READ_CURRENT) |		\
				 BIT(DMA_HINT_RELAXED) | BIT(DMA_HINT_NO_SNOOP))

/* Take the lowest slot from a mask that is not empty. */
static unsigned int take_slot(u64 *slots)
{
	unsigned int slot = __ffs64(*slots);

	*slots &= *slots - 1;
	return slot;
}

static enum dma_hint_id slot_id(unsigned int slot)
{
	if (slot >= DMA_HINT_DEV_SLOT(DMA_HINT_NR_CELL))
		return slot - DMA_HINT_DEV_SLOT(DMA_HINT_NR_CELL) +
		       DMA_HINT_NR_CELL;
	return slot / (DMA_HINT_NR_CLASSES * DMA_HINT_NR_CMDS);
}

static enum dma_hint_class slot_class(unsigned int slot)
{
	return slot / DMA_HINT_NR_CMDS % DMA_HINT_NR_CLASSES;
}

static enum dma_hint_cmd slot_cmd(unsigned int slot)
{
	return slot % DMA_HINT_NR_CMDS;
}

/* Where a set has the structure of a slot, which begins with its valid */
static size_t slot_offset(unsigned int slot)
{
	static_assert(!offsetof(struct dma_hint, valid));
	static_assert(!offsetof(struct dma_hint_dev, valid));

	if (slot_id(slot) >= DMA_HINT_NR_CELL)
		return offsetof(struct dma_hint_set, dev);
	return offsetof(struct dma_hint_set, cell) + sizeof(struct dma_hint) *
		(slot_class(slot) * DMA_HINT_NR_CMDS + slot_cmd(slot));
}

/* A slot's value; whether the set says anything of it */
static bool slot_get(const struct dma_hint_set *set, unsigned int slot, u16 *val)
{
	const struct hint_desc *d = &hint_descs[slot_id(slot)];
	const void *h = (const void *)set + slot_offset(slot);

	*val = d->min ? *(const u16 *)(h + d->offset) :
			*(const u8 *)(h + d->offset);
	return *(const u32 *)h & BIT(slot_id(slot));
}

static void slot_set(struct dma_hint_set *set, unsigned int slot, u16 val)
{
	const struct hint_desc *d = &hint_descs[slot_id(slot)];
	void *h = (void *)set + slot_offset(slot);

	*(u32 *)h |= BIT(slot_id(slot));
	if (d->min)
		*(u16 *)(h + d->offset) = val;
	else
		*(u8 *)(h + d->offset) = d->max == 1 ? !!val : val;
}

static void set_to_vec(const struct dma_hint_set *set, struct hint_vec *vec)
{
	unsigned int slot;

	vec->valid = 0;
	for (slot = 0; slot < DMA_HINT_NR_SLOTS; slot++)
		if (slot_get(set, slot, &vec->val[slot]))
			vec->valid |= BIT_ULL(slot);
}

/* Under the lock: a device's record, made when it is wanted first */
static struct hint_dev *hint_dev_of(struct device *dev, bool make)
{
	struct hint_dev *hd;

	list_for_each_entry(hd, &hint_devs, node)
		if (hd->dev == dev)
			return hd;
	hd = make ? kzalloc(sizeof(*hd), GFP_KERNEL) : NULL;
	if (hd) {
		hd->dev = dev;
		INIT_LIST_HEAD(&hd->claims);
		list_add_tail(&hd->node, &hint_devs);
	}
	return hd;
}

/* Keep what a device was refused for its last_error, and return the error. */
static int __printf(3, 4) hint_error(struct hint_dev *hd, int error,
				     const char *fmt, ...)
{
	va_list args;
	int len;

	len = scnprintf(hd->error, sizeof(hd->error), "%d ", error);
	va_start(args, fmt);
	vscnprintf(hd->error + len, sizeof(hd->error) - len, fmt, args);
	va_end(args);
	return error;
}

static int hint_access(struct dma_hint_provider *p, struct pci_dev *pdev,
		       u32 reg, u64 *val, bool write)
{
	struct dma_hint_event *e = &p->log[p->logged++ % ARRAY_SIZE(p->log)];
	int ret;

	if (p->nth && !--p->nth)
		ret = -EIO;
	else if (write)
		ret = p->ops->write(p, pdev, reg, *val);
	else
		ret = p->ops->read(p, pdev, reg, val);
	*e = (struct dma_hint_event) {
		.reg = reg,
		.val = write || !ret ? *val : ~0ULL,
		.error = ret,
		.write = write,
	};
	return ret;
}

static int hint_read(struct dma_hint_provider *p, struct pci_dev *pdev,
		     u32 reg, u64 *val)
{
	return hint_access(p, pdev, reg, val, false);
}

/* Write a register's bits, and look whether they are there. */
static int hint_write(struct dma_hint_provider *p, struct pci_dev *pdev,
		      u32 reg, u64 val, u32 mask)
{
	u64 now;
	int ret;

	ret = hint_access(p, pdev, reg, &val, true);
	if (ret)
		return ret;
	ret = hint_read(p, pdev, reg, &now);
	if (ret)
		return ret;
	return (now ^ val) & mask ? -EIO : 0;
}

/*
 * Which registers are there?  One that is not implemented fails, or reads as
 * all-ones while the provider itself answers.
 */
static int hint_probe(struct dma_hint_provider *p, struct pci_dev *pdev)
{
	const struct dma_hint_reg *r;
	u32 absent = 0;
	u64 val;

	if (p->probed)
		return 0;
	if (p->ops->sane != DMA_HINT_NO_REG &&
	    (hint_read(p, pdev, p->ops->sane, &val) || (u32)val == ~0U))
		return -EIO;
	for (r = p->ops->regs; r->name; r++)
		if (hint_read(p, pdev, r->reg, &val) ||
		    (p->ops->sane != DMA_HINT_NO_REG && (u32)val == ~0U))
			absent |= BIT(r - p->ops->regs);
	p->absent = absent;
	p->probed = true;
	return 0;
}

static bool hint_is_absent(struct dma_hint_provider *p, u32 reg)
{
	const struct dma_hint_reg *r;

	for (r = p->ops->regs; r->name; r++)
		if (r->reg == reg)
			return p->absent & BIT(r - p->ops->regs);
	return true;
}

/* The fields of a provider for a device, but for those that are not there */
static int hint_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
		       struct dma_hint_field *fields)
{
	int i, n, kept = 0;

	if (hint_probe(p, pdev) || !p->ops->fields)
		return 0;
	n = p->ops->fields(p, pdev, fields);
	for (i = 0; i < n; i++)
		if (!hint_is_absent(p, fields[i].reg))
			fields[kept++] = fields[i];
	return kept;
}

/* Who has a say in a device's DMA, from the device to memory */
static int hint_path(struct device *dev, struct dma_hint_provider **path)
{
	struct dma_hint_provider *p;
	int n = 0;

	for (; dev; dev = dev->parent)
		list_for_each_entry(p, &hint_providers, node)
			if (p->dev == dev && n < HINT_PATH_MAX)
				path[n++] = p;
	return n;
}

static bool bus_is_pcix(struct pci_bus *bus)
{
	switch (bus->cur_bus_speed) {
	case PCI_SPEED_66MHz_PCIX ... PCI_SPEED_133MHz_PCIX:
	case PCI_SPEED_66MHz_PCIX_ECC ... PCI_SPEED_133MHz_PCIX_ECC:
	case PCI_SPEED_66MHz_PCIX_266 ... PCI_SPEED_133MHz_PCIX_533:
		return true;
	default:
		return false;
	}
}

/*
 * PCI-X and PCI Express requests say how much they want (PCI-X 1.0b 2.7.1, PCI
 * Express 2.2.7): nothing is left to be guessed by who serves them.
 */
static bool path_says_length(struct pci_dev *pdev)
{
	for (; pdev; pdev = pci_upstream_bridge(pdev))
		if (pci_is_pcie(pdev) || bus_is_pcix(pdev->bus))
			return true;
	return false;
}

/* Find a slot's field of one provider. */
static bool hint_field(struct dma_hint_provider *p, struct pci_dev *pdev,
		       unsigned int slot, struct dma_hint_field *field)
{
	struct dma_hint_field fields[DMA_HINT_MAX_FIELDS];
	int i, n = hint_fields(p, pdev, fields);

	for (i = 0; i < n; i++)
		if (fields[i].slots & BIT_ULL(slot)) {
			*field = fields[i];
			return true;
		}
	return false;
}

static int hint_encode(const struct dma_hint_field *f, u16 val, u32 *bits)
{
	u32 code = f->invert ? !val : val;

	if (f->values) {
		for (code = 0; code < f->nr_values; code++)
			if (f->values[code] == val)
				break;
		if (code == f->nr_values || val == DMA_HINT_NO_VALUE)
			return -EINVAL;
	}
	if (code > f->mask / f->unit || code * f->unit & ~f->mask)
		return -EINVAL;
	*bits = code * f->unit;
	return 0;
}

static int hint_decode(const struct dma_hint_field *f, u64 reg, u16 *val)
{
	u32 bits = reg & f->mask;
	u32 code = bits / f->unit;

	if (code * f->unit != bits)
		return -ENODATA;	/* copies that differ */
	if (f->values) {
		if (code >= f->nr_values || f->values[code] == DMA_HINT_NO_VALUE)
			return -ENODATA;
		*val = f->values[code];
		return 0;
	}
	*val = f->invert ? !code : code;
	return 0;
}

/* What no platform allows unless it is told to */
static int hint_refuse(struct hint_dev *hd, unsigned int slot, u16 val)
{
	struct device *dev = hd->dev;

	switch (slot_id(slot)) {
	case DMA_HINT_READ_CURRENT:
		/* the paper's authors crashed a zx1 with it */
		if (slot_class(slot) == DMA_HINT_CONSISTENT && !val)
			return hint_error(hd, -EPERM,
					  "consistent mappings are read current");
		return 0;
	case DMA_HINT_RELAXED_OUT:
		if (slot_cmd(slot) == DMA_HINT_MW && val)
			return hint_error(hd, -EPERM,
					  "writes to memory stay in order");
		return 0;
	case DMA_HINT_NO_SNOOP:
		if (!val)
			return 0;
		if (dev_is_dma_coherent(dev))
			return hint_error(hd, -EPERM,
					  "no_snoop: drivers count on coherent DMA");
		if (device_iommu_capable(dev, IOMMU_CAP_CACHE_COHERENCY))
			return hint_error(hd, -EPERM,
					  "no_snoop: the IOMMU makes DMA coherent");
		return 0;
	default:
		return 0;
	}
}

static int hint_check_value(struct hint_dev *hd, unsigned int slot, u16 val)
{
	const struct hint_desc *d = &hint_descs[slot_id(slot)];

	if (val >= d->min && val <= d->max && (!d->min || is_power_of_2(val)))
		return 0;
	return hint_error(hd, -EINVAL, "%s: %u is out of range", d->name, val);
}

/* An -EPERM may be overridden; the plan keeps that it was. */
static int hint_override(struct hint_plan *plan, int error)
{
	if (error != -EPERM || !dma_hints_unsafe || !capable(CAP_SYS_RAWIO))
		return error;
	plan->unsafe = true;
	return 0;
}

/* Add a field's new value to the plan, together with others of its register. */
static int hint_plan_add(struct hint_plan *plan, struct dma_hint_provider *p,
			 const struct dma_hint_field *f, u32 bits)
{
	struct hint_change *c;

	for (c = plan->change; c < plan->change + plan->n; c++)
		if (c->p == p && c->reg == f->reg) {
			if ((c->val ^ bits) & c->mask & f->mask)
				return -EINVAL;
			c->mask |= f->mask;
			c->val |= bits;
			return 0;
		}
	if (plan->n == DMA_HINT_MAX_REGS)
		return -ENOSPC;
	plan->n++;
	*c = (struct hint_change) {
		.p = p,
		.reg = f->reg,
		.mask = f->mask,
		.val = bits,
	};
	return 0;
}

/* Plan one provider's part in a slot, and in those that it cannot tell from it. */
static int hint_plan_field(struct hint_plan *plan, struct hint_dev *hd,
			   struct dma_hint_provider *p,
			   const struct dma_hint_field *f,
			   const struct hint_vec *vec, unsigned int slot)
{
	struct pci_dev *pdev = to_pci_dev(hd->dev);
	const char *name = dma_hint_name(slot_id(slot));
	u16 val = vec->val[slot];
	u64 slots = f->slots;
	unsigned int other;
	u32 bits;
	int ret;

	if (p->dead)
		return hint_error(hd, -EIO, "%s: %s is dead", name, p->ops->name);
	if (slot_id(slot) == DMA_HINT_BLOCK && p->page && val > p->page)
		return hint_error(hd, -EINVAL, "%s: %u is more than a page of %s",
				  name, val, p->ops->name);
	if (hint_encode(f, val, &bits))
		return hint_error(hd, -EINVAL, "%s: %s has no code for %u",
				  name, p->ops->name, val);
	while (slots) {
		other = take_slot(&slots);
		if (vec->valid & BIT_ULL(other) && vec->val[other] != val)
			return hint_error(hd, -EINVAL,
					  "%s: %s cannot tell these commands apart",
					  name, p->ops->name);
		ret = hint_override(plan, hint_refuse(hd, other, val));
		if (ret)
			return ret;
	}
	if (p->ops->refuse) {
		ret = p->ops->refuse(p, pdev, slot, val);
		if (ret)
			hint_error(hd, ret, "%s: %s refuses %u", name,
				   p->ops->name, val);
		ret = hint_override(plan, ret);
		if (ret)
			return ret;
	}
	ret = hint_plan_add(plan, p, f, bits);
	return ret ? hint_error(hd, ret, "%s: contradicts another hint", name) : 0;
}

static int hint_plan_slot(struct hint_plan *plan, struct hint_dev *hd,
			  const struct hint_vec *vec, unsigned int slot)
{
	struct pci_dev *pdev = to_pci_dev(hd->dev);
	struct dma_hint_provider *path[HINT_PATH_MAX];
	enum dma_hint_id id = slot_id(slot);
	struct dma_hint_field field;
	bool found = false;
	int i, n, ret;

	ret = hint_check_value(hd, slot, vec->val[slot]);
	if (!ret)
		ret = hint_override(plan, hint_refuse(hd, slot, vec->val[slot]));
	if (ret)
		return ret;
	if (id <= DMA_HINT_BLOCK && path_says_length(pdev))
		return hint_error(hd, -EOPNOTSUPP,
				  "%s: requests say their length on PCI-X and PCI Express",
				  dma_hint_name(id));
	n = hint_path(hd->dev, path);
	for (i = 0; i < n; i++) {
		if (!hint_field(path[i], pdev, slot, &field))
			continue;
		found = true;
		ret = hint_plan_field(plan, hd, path[i], &field, vec, slot);
		if (ret)
			return ret;
		if (!(HINT_ALL_OF_PATH & BIT(id)))
			break;
	}
	return found ? 0 : hint_error(hd, -EOPNOTSUPP,
				      "%s: nobody on the path has it",
				      dma_hint_name(id));
}

/* One that has several host bridges below it may be registered for each. */
static bool hint_same_hardware(const struct dma_hint_provider *p,
			       const struct dma_hint_provider *q)
{
	return p == q || (p->ops == q->ops && p->priv && p->priv == q->priv);
}

/* Bits of a change that another device has set otherwise */
static int hint_check_claims(struct hint_dev *hd, const struct hint_change *c)
{
	struct hint_dev *other;
	struct hint_claim *claim;

	list_for_each_entry(other, &hint_devs, node) {
		if (other == hd)
			continue;
		list_for_each_entry(claim, &other->claims, node)
			if (hint_same_hardware(claim->p, c->p) &&
			    claim->reg == c->reg &&
			    (claim->val ^ c->val) & claim->mask & c->mask)
				return hint_error(hd, -EBUSY,
						  "%s is set otherwise for %s",
						  c->p->ops->name,
						  dev_name(other->dev));
	}
	return 0;
}

static int hint_make_plan(struct hint_plan *plan, struct hint_dev *hd,
			  const struct hint_vec *vec)
{
	u64 slots = vec->valid;
	unsigned int i;
	int ret;

	memset(plan, 0, sizeof(*plan));
	while (slots) {
		ret = hint_plan_slot(plan, hd, vec, take_slot(&slots));
		if (ret)
			return ret;
	}
	for (i = 0; i < plan->n; i++) {
		ret = hint_check_claims(hd, &plan->change[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Bring written registers back, the last one first. */
static void hint_roll_back(struct hint_plan *plan, struct pci_dev *pdev)
{
	struct hint_change *c;

	for (c = plan->change + plan->n - 1; c >= plan->change; c--) {
		if (!c->written)
			continue;
		if (hint_write(c->p, pdev, c->reg, c->old, c->mask)) {
			c->p->dead = true;
			pci_err(pdev, "dma_hints: %s register 0x%x is not what it was: no more hints there\n",
				c->p->ops->name, c->reg);
		}
	}
}

/* Carry a plan out, or leave everything as it was. */
static int hint_commit(struct hint_plan *plan, struct pci_dev *pdev)
{
	struct hint_change *c, *end = plan->change + plan->n;
	u64 val;

	for (c = plan->change; c < end; c++)
		if (hint_read(c->p, pdev, c->reg, &c->old))
			return -EIO;
	if (plan->unsafe)
		add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	for (c = plan->change; c < end; c++) {
		val = (c->old & ~(u64)c->mask) | c->val;
		if (val == c->old)
			continue;
		c->written = true;
		if (hint_write(c->p, pdev, c->reg, val, c->mask)) {
			hint_roll_back(plan, pdev);
			return -EIO;
		}
	}
	return 0;
}

/* What bits were before anybody set them */
static u32 hint_original(const struct hint_change *c, struct hint_dev *hd)
{
	u32 original = c->old & c->mask;
	struct hint_claim *claim;
	struct hint_dev *other;
	u32 mask;

	list_for_each_entry(other, &hint_devs, node)
		list_for_each_entry(claim, &other->claims, node) {
			if (!hint_same_hardware(claim->p, c->p) ||
			    claim->reg != c->reg)
				continue;
			mask = claim->mask & c->mask;
			original = (original & ~mask) | (claim->old & mask);
		}
	return original;
}

/* A device's claim to a change's register */
static struct hint_claim *hint_claim_of(struct hint_dev *hd,
					const struct hint_change *c)
{
	struct hint_claim *claim;

	list_for_each_entry(claim, &hd->claims, node)
		if (claim->p == c->p && claim->reg == c->reg)
			return claim;
	claim = kzalloc(sizeof(*claim), GFP_KERNEL);
	if (claim) {
		claim->p = c->p;
		claim->reg = c->reg;
		list_add_tail(&claim->node, &hd->claims);
	}
	return claim;
}

static int hint_set_vec(struct hint_dev *hd, const struct hint_vec *vec,
			bool commit)
{
	struct pci_dev *pdev = to_pci_dev(hd->dev);
	struct hint_claim *claim;
	struct hint_change *c;
	struct hint_plan *plan;
	u32 original;
	int ret;

	plan = kmalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	ret = hint_make_plan(plan, hd, vec);
	if (ret || !commit)
		goto free;
	for (c = plan->change; c < plan->change + plan->n; c++)
		if (!hint_claim_of(hd, c)) {
			ret = -ENOMEM;
			goto free;
		}
	ret = hint_commit(plan, pdev);
	if (ret) {
		hint_error(hd, ret, "a register did not take it: see debugfs dma_hints/*/log");
		goto free;
	}
	for (c = plan->change; c < plan->change + plan->n; c++) {
		original = hint_original(c, hd);
		claim = hint_claim_of(hd, c);
		claim->old = (claim->old & ~c->mask) | original;
		claim->val = (claim->val & ~c->mask) | c->val;
		claim->mask |= c->mask;
	}
	hd->error[0] = '\0';
free:
	kfree(plan);
	return ret;
}

static int hint_set(struct device *dev, const struct hint_vec *vec, bool commit)
{
	struct hint_dev *hd;
	int ret;

	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	mutex_lock(&hint_lock);
	hd = hint_dev_of(dev, true);
	ret = hd ? hint_set_vec(hd, vec, commit) : -ENOMEM;
	mutex_unlock(&hint_lock);
	return ret;
}

/**
 * dma_hints_try() - would dma_hints_set() be refused?
 * @dev: a PCI function
 * @set: the hints
 *
 * Writes no register.
 *
 * Context: Process, may sleep.
 * Return: 0, or an error as dma_hints_set(); -EIO does not show before a
 * register is written.
 */
int dma_hints_try(struct device *dev, const struct dma_hint_set *set)
{
	struct hint_vec vec;

	set_to_vec(set, &vec);
	return hint_set(dev, &vec, false);
}
EXPORT_SYMBOL_GPL(dma_hints_try);

/**
 * dma_hints_set() - set hints for a device's DMA
 * @dev: a PCI function
 * @set: the hints; those that are not valid stay as they are
 *
 * All or nothing: registers are written and read back, and if one does not hold
 * its value all are brought back to what they were.  Where caps do not say live
 * it is the caller's duty that no DMA is under way.  The hints last until
 * dma_hints_reset(), or until the device is removed.
 *
 * Context: Process, may sleep.
 * Return: 0; -EINVAL: a value is out of range, or contradicts another one;
 * -EOPNOTSUPP: nobody on the path to memory has such a hint; -EPERM: it is not
 * safe there; -EBUSY: a device that shares the register has set it otherwise;
 * -EIO: a register did not take its value, or failed; -ENOMEM.
 */
int dma_hints_set(struct device *dev, const struct dma_hint_set *set)
{
	struct hint_vec vec;

	set_to_vec(set, &vec);
	return hint_set(dev, &vec, true);
}
EXPORT_SYMBOL_GPL(dma_hints_set);

/**
 * dma_hints_set_possible() - set those of a driver's hints that the path has
 * @dev: a PCI function
 * @set: the hints
 *
 * For drivers, that state what is good for their device wherever it sits.  Of
 * the hints that are left after those which nobody has, it sets all or none.
 *
 * Context: Process, may sleep.
 * Return: 0, also if none is left; or an error as dma_hints_set().
 */
int dma_hints_set_possible(struct device *dev, const struct dma_hint_set *set)
{
	struct hint_vec vec;

	set_to_vec(set, &vec);
	vec.valid &= dma_hints_slots(dev);
	return vec.valid ? hint_set(dev, &vec, true) : 0;
}
EXPORT_SYMBOL_GPL(dma_hints_set_possible);

/* Under the lock: the slots of a device that somebody has */
static u64 hint_slots(struct device *dev)
{
	struct dma_hint_field fields[DMA_HINT_MAX_FIELDS];
	struct dma_hint_provider *path[HINT_PATH_MAX];
	struct pci_dev *pdev = to_pci_dev(dev);
	int i, j, n = hint_path(dev, path);
	u64 slots = 0;

	for (i = 0; i < n; i++)
		for (j = hint_fields(path[i], pdev, fields); j--; )
			slots |= fields[j].slots;
	if (path_says_length(pdev))
		slots &= ~(BIT_ULL(DMA_HINT_CELL_SLOT(DMA_HINT_RELAXED_OUT, 0, 0)) - 1);
	return slots;
}

/* The slots of a device that somebody has: BIT_ULL() of each */
u64 dma_hints_slots(struct device *dev)
{
	u64 slots;

	if (!dev_is_pci(dev))
		return 0;
	mutex_lock(&hint_lock);
	slots = hint_slots(dev);
	mutex_unlock(&hint_lock);
	return slots;
}
EXPORT_SYMBOL_GPL(dma_hints_slots);

/**
 * dma_hints_query() - what can be set for a device
 * @dev: a PCI function
 * @caps: where to put it
 *
 * A hint that is there may still be refused: its value, or its place.
 *
 * Context: Process, may sleep.
 * Return: 0, or -EOPNOTSUPP if @dev is no PCI function.
 */
int dma_hints_query(struct device *dev, struct dma_hint_caps *caps)
{
	struct dma_hint_provider *path[HINT_PATH_MAX];
	struct dma_hint_field field;
	enum dma_hint_id id;
	unsigned int slot;
	u64 slots;
	int i, n;

	memset(caps, 0, sizeof(*caps));
	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	mutex_lock(&hint_lock);
	slots = hint_slots(dev);
	n = hint_path(dev, path);
	caps->live = ~0U;
	while (slots) {
		slot = take_slot(&slots);
		id = slot_id(slot);
		if (id < DMA_HINT_NR_CELL)
			caps->cell[slot_class(slot)][slot_cmd(slot)] |= BIT(id);
		else
			caps->dev |= BIT(id);
		for (i = 0; i < n; i++) {
			if (!hint_field(path[i], to_pci_dev(dev), slot, &field))
				continue;
			if (!path[i]->ops->live)
				caps->live &= ~BIT(id);
			caps->scope[id] = max_t(u8, caps->scope[id],
						path[i]->ops->scope);
			if (!(HINT_ALL_OF_PATH & BIT(id)))
				break;
		}
	}
	mutex_unlock(&hint_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(dma_hints_query);

/* Under the lock: a slot's value, as registers have it now */
static int hint_get_slot(struct device *dev, unsigned int slot, u16 *val)
{
	struct dma_hint_provider *path[HINT_PATH_MAX];
	struct pci_dev *pdev = to_pci_dev(dev);
	int i, ret, n = hint_path(dev, path);
	struct dma_hint_field field;
	bool found = false;
	u16 one;
	u64 reg;

	for (i = 0; i < n; i++) {
		if (!hint_field(path[i], pdev, slot, &field))
			continue;
		ret = hint_read(path[i], pdev, field.reg, &reg);
		if (!ret)
			ret = hint_decode(&field, reg, &one);
		if (ret)
			return ret;
		*val = found ? *val && one : one;
		found = true;
		if (!(HINT_ALL_OF_PATH & BIT(slot_id(slot))))
			break;
	}
	return found ? 0 : -EOPNOTSUPP;
}

/* A slot's value: 0 or an error; -ENODATA: copies of it differ, or no value */
int dma_hints_get_slot(struct device *dev, unsigned int slot, u16 *val)
{
	int ret;

	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	mutex_lock(&hint_lock);
	ret = hint_get_slot(dev, slot, val);
	mutex_unlock(&hint_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(dma_hints_get_slot);

/* dma_hints_set() of one slot */
int dma_hints_set_slot(struct device *dev, unsigned int slot, u16 val)
{
	struct hint_vec vec = { .valid = BIT_ULL(slot) };

	vec.val[slot] = val;
	return hint_set(dev, &vec, true);
}
EXPORT_SYMBOL_GPL(dma_hints_set_slot);

/**
 * dma_hints_get() - the hints of a device, as the registers have them
 * @dev: a PCI function
 * @set: where to put them; valid are those that could be read
 *
 * Where several on the path have a say, it is what all of them allow.
 *
 * Context: Process, may sleep.
 * Return: 0; -EOPNOTSUPP if @dev is no PCI function; -EIO if a register read
 * failed.
 */
int dma_hints_get(struct device *dev, struct dma_hint_set *set)
{
	unsigned int slot;
	int ret = 0;
	u64 slots;
	u16 val;

	memset(set, 0, sizeof(*set));
	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	mutex_lock(&hint_lock);
	slots = hint_slots(dev);
	while (slots) {
		slot = take_slot(&slots);
		ret = hint_get_slot(dev, slot, &val);
		if (!ret)
			slot_set(set, slot, val);
		else if (ret != -ENODATA)
			break;
		ret = 0;
	}
	mutex_unlock(&hint_lock);
	return ret ? -EIO : 0;
}
EXPORT_SYMBOL_GPL(dma_hints_get);

/* Under the lock: bits of a claim that no other device claims */
static u32 hint_sole(struct hint_dev *hd, const struct hint_claim *claim)
{
	u32 mask = claim->mask;
	struct hint_claim *theirs;
	struct hint_dev *other;

	list_for_each_entry(other, &hint_devs, node) {
		if (other == hd)
			continue;
		list_for_each_entry(theirs, &other->claims, node)
			if (hint_same_hardware(theirs->p, claim->p) &&
			    theirs->reg == claim->reg)
				mask &= ~theirs->mask;
	}
	return mask;
}

/* Give a device's claims up, and bring back what they changed. */
static int hint_release(struct hint_dev *hd, bool gone)
{
	struct pci_dev *pdev = to_pci_dev(hd->dev);
	struct hint_claim *claim, *next;
	int ret = 0;
	u32 mask;
	u64 now;

	list_for_each_entry_safe_reverse(claim, next, &hd->claims, node) {
		mask = hint_sole(hd, claim);
		/* a function's own registers went with it */
		if (mask && !claim->p->dead && !(gone && claim->p->dev == hd->dev) &&
		    (hint_read(claim->p, pdev, claim->reg, &now) ||
		     hint_write(claim->p, pdev, claim->reg,
				(now & ~(u64)mask) | (claim->old & mask), mask))) {
			claim->p->dead = true;
			ret = hint_error(hd, -EIO, "%s does not take its old value",
					 claim->p->ops->name);
		}
		list_del(&claim->node);
		kfree(claim);
	}
	return ret;
}

/**
 * dma_hints_reset() - bring back what a device's hints were before they were set
 * @dev: a PCI function
 *
 * But for what another device has set as well, which stays until that one is
 * reset.
 *
 * Context: Process, may sleep.
 * Return: 0, or -EIO if a register did not take its old value.
 */
int dma_hints_reset(struct device *dev)
{
	struct hint_dev *hd;
	int ret = 0;

	mutex_lock(&hint_lock);
	hd = hint_dev_of(dev, false);
	if (hd) {
		hd->error[0] = '\0';
		ret = hint_release(hd, false);
	}
	mutex_unlock(&hint_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(dma_hints_reset);

static void hint_devm_reset(void *dev)
{
	dma_hints_reset(dev);
}

/**
 * devm_dma_hints_set_possible() - dma_hints_set_possible() for a driver's time
 * @dev: a PCI function, while its driver probes it
 * @set: the hints
 *
 * Context: Process, may sleep.
 * Return: as dma_hints_set_possible().
 */
int devm_dma_hints_set_possible(struct device *dev,
				const struct dma_hint_set *set)
{
	int ret = dma_hints_set_possible(dev, set);

	return ret ?: devm_add_action_or_reset(dev, hint_devm_reset, dev);
}
EXPORT_SYMBOL_GPL(devm_dma_hints_set_possible);

/* The device goes away, and its claims with it. */
void dma_hints_forget(struct device *dev)
{
	struct hint_dev *hd;

	mutex_lock(&hint_lock);
	hd = hint_dev_of(dev, false);
	if (hd) {
		hint_release(hd, true);
		list_del(&hd->node);
		kfree(hd);
	}
	mutex_unlock(&hint_lock);
}
EXPORT_SYMBOL_GPL(dma_hints_forget);

/* Names of those who have a say in a device's DMA, a line each */
ssize_t dma_hints_path(struct device *dev, char *buf)
{
	struct dma_hint_provider *path[HINT_PATH_MAX];
	ssize_t len = 0;
	int i, n;

	mutex_lock(&hint_lock);
	n = hint_path(dev, path);
	for (i = 0; i < n; i++)
		len += sysfs_emit_at(buf, len, "%s %s%s\n", path[i]->ops->name,
				     dev_name(path[i]->dev),
				     path[i]->dead ? " dead" : "");
	mutex_unlock(&hint_lock);
	return len;
}

/* What a device was refused last, or nothing */
ssize_t dma_hints_last_error(struct device *dev, char *buf)
{
	struct hint_dev *hd;
	ssize_t len = 0;

	mutex_lock(&hint_lock);
	hd = hint_dev_of(dev, false);
	if (hd && hd->error[0])
		len = sysfs_emit(buf, "%s\n", hd->error);
	mutex_unlock(&hint_lock);
	return len;
}
EXPORT_SYMBOL_GPL(dma_hints_last_error);	/* for the KUnit suite */

/* Write a register as debugfs asks: one that is known, and only bits that are. */
int dma_hints_raw(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		  u64 val)
{
	const struct dma_hint_reg *r;
	struct hint_plan *plan;
	int ret = -EINVAL;

	if (!dma_hints_unsafe || !capable(CAP_SYS_RAWIO))
		return -EPERM;
	plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	mutex_lock(&hint_lock);
	for (r = p->ops->regs; r->name && r->reg != reg; r++)
		;
	if (!r->name || val & ~(u64)r->mask)
		goto unlock;
	ret = -EIO;
	if (p->dead || hint_probe(p, pdev) || hint_is_absent(p, reg))
		goto unlock;
	plan->n = 1;
	plan->unsafe = true;
	plan->change[0] = (struct hint_change) {
		.p = p,
		.reg = reg,
		.mask = r->mask,
		.val = val,
	};
	ret = hint_commit(plan, pdev);
unlock:
	mutex_unlock(&hint_lock);
	kfree(plan);
	return ret;
}
EXPORT_SYMBOL_GPL(dma_hints_raw);

static int hint_is_below(struct device *dev, const void *top)
{
	for (; dev; dev = dev->parent)
		if (dev == top)
			return 1;
	return 0;
}

/* A function for whose sake a provider's registers are accessed */
static struct pci_dev *hint_any_below(struct dma_hint_provider *p)
{
	struct device *dev;

	if (dev_is_pci(p->dev))
		return pci_dev_get(to_pci_dev(p->dev));
	dev = bus_find_device(&pci_bus_type, NULL, p->dev, hint_is_below);
	return dev ? to_pci_dev(dev) : NULL;
}

static int regs_show(struct seq_file *s, void *unused)
{
	struct dma_hint_provider *p = s->private;
	struct pci_dev *pdev = hint_any_below(p);
	const struct dma_hint_reg *r;
	u64 val;

	if (!pdev)
		return -ENODEV;
	mutex_lock(&hint_lock);
	hint_probe(p, pdev);
	for (r = p->ops->regs; r->name; r++) {
		seq_printf(s, "%s 0x%x ", r->name, r->reg);
		if (!p->probed || hint_is_absent(p, r->reg))
			seq_puts(s, "absent\n");
		else if (hint_read(p, pdev, r->reg, &val))
			seq_puts(s, "failed\n");
		else
			seq_printf(s, "0x%llx\n", val);
	}
	mutex_unlock(&hint_lock);
	pci_dev_put(pdev);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regs);

static int log_show(struct seq_file *s, void *unused)
{
	struct dma_hint_provider *p = s->private;
	const struct dma_hint_event *e;
	unsigned int i;

	mutex_lock(&hint_lock);
	i = p->logged > ARRAY_SIZE(p->log) ? p->logged - ARRAY_SIZE(p->log) : 0;
	for (; i < p->logged; i++) {
		e = &p->log[i % ARRAY_SIZE(p->log)];
		seq_printf(s, "%u %s 0x%x 0x%llx %d\n", i,
			   e->write ? "write" : "read", e->reg, e->val, e->error);
	}
	mutex_unlock(&hint_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(log);

/* "REG VALUE" */
static ssize_t raw_write(struct file *file, const char __user *user,
			 size_t count, loff_t *pos)
{
	struct dma_hint_provider *p = file->private_data;
	struct pci_dev *pdev;
	char buf[48];
	char end;
	u64 val;
	u32 reg;
	int ret;

	if (count >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, user, count))
		return -EFAULT;
	buf[count] = '\0';
	if (sscanf(buf, "%i %lli %c", &reg, &val, &end) != 2)
		return -EINVAL;
	pdev = hint_any_below(p);
	if (!pdev)
		return -ENODEV;
	ret = dma_hints_raw(p, pdev, reg, val);
	pci_dev_put(pdev);
	return ret ?: count;
}

static const struct file_operations raw_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= raw_write,
};

/**
 * dma_hint_provider_register() - offer registers for hints
 * @dev: the function, host bridge or IOMMU that has them: @dev itself and
 *	devices below it get their hints
 * @ops: the operations
 * @priv: for them, in &dma_hint_provider.priv; if not NULL it stands for the
 *	hardware: the same registers may be registered for several host bridges
 *
 * Registers are accessed when a device first asks, not before.
 *
 * Context: Process, may sleep.
 * Return: the provider, or an ERR_PTR(): -ENOMEM.
 */
struct dma_hint_provider *
dma_hint_provider_register(struct device *dev, const struct dma_hint_ops *ops,
			   void *priv)
{
	struct dma_hint_provider *p = kzalloc(sizeof(*p), GFP_KERNEL);
	char *name;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->ops = ops;
	p->priv = priv;
	p->dev = dev;
	mutex_lock(&hint_lock);
	list_add_tail(&p->node, &hint_providers);
	if (!hint_debugfs)
		hint_debugfs = debugfs_create_dir("dma_hints", NULL);
	mutex_unlock(&hint_lock);
	name = kasprintf(GFP_KERNEL, "%s-%s", ops->name, dev_name(dev));
	if (!name)
		return p;
	p->dir = debugfs_create_dir(name, hint_debugfs);
	debugfs_create_file("regs", 0400, p->dir, p, &regs_fops);
	debugfs_create_file("raw", 0200, p->dir, p, &raw_fops);
	debugfs_create_file("log", 0400, p->dir, p, &log_fops);
	debugfs_create_u32("inject", 0600, p->dir, &p->nth);
	kfree(name);
	return p;
}
EXPORT_SYMBOL_GPL(dma_hint_provider_register);

/**
 * dma_hint_provider_unregister() - take the registers back
 * @p: the provider
 *
 * What was set stays as it is.
 *
 * Context: Process, may sleep.
 */
void dma_hint_provider_unregister(struct dma_hint_provider *p)
{
	struct hint_claim *claim, *next;
	struct hint_dev *hd;

	debugfs_remove(p->dir);
	mutex_lock(&hint_lock);
	list_del(&p->node);
	list_for_each_entry(hd, &hint_devs, node)
		list_for_each_entry_safe(claim, next, &hd->claims, node)
			if (claim->p == p) {
				list_del(&claim->node);
				kfree(claim);
			}
	mutex_unlock(&hint_lock);
	kfree(p);
}
EXPORT_SYMBOL_GPL(dma_hint_provider_unregister);
