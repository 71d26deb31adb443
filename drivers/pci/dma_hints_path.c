// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: who carries a function's hints on its path to memory, and what stands in
 * their way.  See <linux/dma-hints.h>.
 *
 * Registers are accessed with the function awake, by the helpers that their other
 * writers use, and are read back.
 */

#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/export.h>
#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/sysfs.h>
#include "dma_hints.h"
#include "dma_hints_path.h"
#include "pci.h"

const struct dma_hint_desc dma_hint_descs[DMA_HINT_NR] = {
	[DMA_HINT_RELAXED_ORDER] = { "relaxed_order", true, true },
	[DMA_HINT_READ_CURRENT]	 = { "read_current", true, true },
	[DMA_HINT_PREFETCH]	 = { "prefetch", false, false },
	[DMA_HINT_BLOCK]	 = { "block", false, false },
};

/* of the lists, and of all changes */
DEFINE_MUTEX(dma_hint_lock);
static LIST_HEAD(hint_providers);

/* Who carries hints of a function, from the function to memory */
int dma_hint_hops(struct pci_dev *pdev, struct dma_hint_hop *hops)
{
	struct dma_hint_provider *p;
	struct device *dev;
	int n = 0;

	hops[n].ops = dma_hint_function_ops(pdev);
	hops[n].priv = NULL;
	hops[n].dev = &pdev->dev;
	if (hops[n].ops)
		n++;
	for (dev = &pdev->dev; dev; dev = dev->parent)
		list_for_each_entry(p, &hint_providers, node)
			if (p->dev == dev && n < DMA_HINT_MAX_HOPS)
				hops[n++] = (struct dma_hint_hop) {
					p->ops, p->priv, p->priv ? dev : &pdev->dev
				};
	return n;
}

/* What a hop has of a hint, one field after the other */
const struct dma_hint_field *
dma_hint_next_field(const struct dma_hint_hop *hop, enum dma_hint_id id,
		    const struct dma_hint_field *f)
{
	for (f = f ? f + 1 : hop->ops->fields; f->mask; f++)
		if (f->id == id)
			return f;
	return NULL;
}

u32 dma_hint_reg(const struct dma_hint_hop *hop, struct pci_dev *pdev,
		 const struct dma_hint_field *f)
{
	return hop->ops->where ? hop->ops->where(hop->priv, pdev, f) : f->reg;
}

static bool hint_is_reachable(struct pci_dev *pdev)
{
	return pdev->error_state == pci_channel_io_normal &&
	       pdev->current_state != PCI_D3cold;
}

int dma_hint_is_below(struct device *dev, const void *top)
{
	if (!hint_is_reachable(to_pci_dev(dev)))
		return 0;
	for (; dev; dev = dev->parent)
		if (dev == top)
			return 1;
	return 0;
}

/*
 * Bridges are accessed for a function's sake, whose session tells of errors.  One
 * that is off or isolated must not keep the others from it.
 */
static struct pci_dev *hint_session(const struct dma_hint_hop *hop, struct pci_dev *pdev)
{
	struct device *dev;

	if (hop->dev == &pdev->dev || hint_is_reachable(pdev))
		return pci_dev_get(pdev);
	dev = bus_find_device(&pci_bus_type, NULL, hop->dev, dma_hint_is_below);
	return dev ? to_pci_dev(dev) : NULL;
}

int dma_hint_get(const struct dma_hint_hop *hop, struct pci_dev *pdev, u32 reg,
		 u32 mask, u32 *bits)
{
	struct pci_dev *session = hint_session(hop, pdev);
	int ret;

	if (!session)
		return -EIO;
	ret = hop->ops->get(hop->priv, session, reg, bits);
	if (!ret)
		*bits &= mask;
	pci_dev_put(session);
	return ret;
}

/* Change a field, and look whether it has changed. */
int dma_hint_set(const struct dma_hint_hop *hop, struct pci_dev *pdev, u32 reg, u32 mask,
		 u32 bits)
{
	struct pci_dev *session = hint_session(hop, pdev);
	u32 now;
	int ret;

	if (!session)
		return -EIO;
	ret = hop->ops->set(hop->priv, session, reg, mask, bits);
	if (!ret)
		ret = hop->ops->get(hop->priv, session, reg, &now);
	if (!ret && (now ^ bits) & mask)
		ret = -EIO;
	pci_dev_put(session);
	return ret;
}

/*
 * The function's own registers need it awake, and nobody who resets it.  An error
 * that is being recovered from, or a function that is gone, is no time for hints.
 */
int dma_hint_open(struct pci_dev *pdev)
{
	int ret = 0;

	pci_config_pm_runtime_get(pdev);
	if (!pci_cfg_access_trylock(pdev)) {
		ret = -EAGAIN;
		goto put;
	}
	if (hint_is_reachable(pdev) && !pci_dev_is_disconnected(pdev))
		return 0;
	ret = -EIO;
	pci_cfg_access_unlock(pdev);
put:
	pci_config_pm_runtime_put(pdev);
	return ret;
}

void dma_hint_close(struct pci_dev *pdev)
{
	pci_cfg_access_unlock(pdev);
	pci_config_pm_runtime_put(pdev);
}

/*
 * PCI-X and PCI Express requests say their length (PCI-X 1.0b 2.7.1, PCI Express
 * 2.2.7): nothing is left to be guessed.
 */
static bool hint_says_length(struct pci_dev *pdev)
{
	for (; pdev; pdev = pci_upstream_bridge(pdev))
		if (pci_is_pcie(pdev) || dma_hint_bus_is_pcix(pdev->bus))
			return true;
	return false;
}

/* What on the path stands against a hint, or rather against this value of it */
int dma_hint_obstacle(struct pci_dev *pdev, enum dma_hint_id id, u32 val,
		      char *limit, size_t size)
{
	bool attribute = pci_is_pcie(pdev) || dma_hint_pcix_cap(pdev);
	struct pci_dev *hop;

	*limit = '\0';
	if (id == DMA_HINT_PREFETCH && hint_says_length(pdev)) {
		snprintf(limit, size, "requests say their length");
		return -EOPNOTSUPP;
	}
	if (id != DMA_HINT_RELAXED_ORDER || !val)
		return 0;
	for (hop = pdev; hop; hop = pci_upstream_bridge(hop)) {
		if (hop->dev_flags & PCI_DEV_FLAGS_NO_RELAXED_ORDERING) {
			snprintf(limit, size, "%s no relaxed ordering, a quirk",
				 pci_name(hop));
			return -EPERM;
		}
		if (attribute && !pci_is_pcie(hop) && !dma_hint_pcix_cap(hop)) {
			snprintf(limit, size, "%s conventional PCI bridge",
				 pci_name(hop));
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* The path, a line each: functions, then who else carries hints, then the IOMMU */
ssize_t dma_hints_path(struct pci_dev *pdev, char *buf)
{
	struct dma_hint_hop hops[DMA_HINT_MAX_HOPS];
	ssize_t len = 0;
	int i, n;

	mutex_lock(&dma_hint_lock);
	len = dma_hint_open(pdev);
	if (len)
		goto unlock;
	len = dma_hint_functions_show(pdev, buf, 0);
	n = dma_hint_hops(pdev, hops);
	for (i = 0; i < n; i++)
		if (hops[i].priv)
			len += sysfs_emit_at(buf, len, "%s %s\n", dev_name(hops[i].dev),
					     hops[i].ops->name);
		else if (hops[i].ops == &dma_hint_mapping_ops)
			len += sysfs_emit_at(buf, len, "addresses carry hints\n");
	if (device_iommu_mapped(&pdev->dev))
		len += sysfs_emit_at(buf, len, "iommu group %d\n",
				     iommu_group_id(pdev->dev.iommu_group));
	dma_hint_close(pdev);
unlock:
	mutex_unlock(&dma_hint_lock);
	return len;
}

static u32 hint_largest(const struct dma_hint_field *f)
{
	u32 i, max = f->values ? 0 : 1;

	for (i = 0; f->values && i < f->nr_values; i++)
		if (f->values[i] < DMA_HINT_KEEP_HALF)
			max = max(max, f->values[i]);
	return max;
}

/**
 * dma_hints_query() - what a function's path to memory has
 * @dev: a PCI function
 * @caps: where to put it
 *
 * A value may still be refused.
 *
 * Context: Process, may sleep.
 * Return: 0, or -EOPNOTSUPP if @dev is no PCI function.
 */
int dma_hints_query(struct device *dev, struct dma_hints_caps *caps)
{
	struct dma_hint_hop hops[DMA_HINT_MAX_HOPS];
	const struct dma_hint_field *f;
	struct pci_dev *pdev;
	struct dma_hint_cap *cap;
	int i, n, id;

	memset(caps, 0, sizeof(*caps));
	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	pdev = to_pci_dev(dev);
	mutex_lock(&dma_hint_lock);
	n = dma_hint_hops(pdev, hops);
	for (id = 0; id < DMA_HINT_NR; id++) {
		cap = &caps->hint[id];
		for (i = 0; i < n && !(cap->max && !dma_hint_descs[id].of_path); i++)
			for (f = NULL; (f = dma_hint_next_field(&hops[i], id, f));) {
				cap->commands |= f->commands;
				cap->grain = max_t(u8, cap->grain, hops[i].ops->grain);
				cap->max = max(cap->max, hint_largest(f));
			}
		cap->possible = cap->max &&
				!dma_hint_obstacle(pdev, id, 1, cap->limit,
						   sizeof(cap->limit));
		if (!cap->max)
			strscpy(cap->limit, pdev->is_virtfn ? "the PF's to set" :
				"nobody has it", sizeof(cap->limit));
	}
	if (!dma_hint_open(pdev)) {
		dma_hint_limit_block(pdev, &caps->hint[DMA_HINT_BLOCK]);
		dma_hint_close(pdev);
	}
	mutex_unlock(&dma_hint_lock);
	return 0;
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hints_query);

/**
 * dma_hint_provider_register() - offer a bridge's or an IOMMU's hints
 * @p: filled in; functions below &dma_hint_provider.dev may have its hints
 *
 * Context: Process, may sleep.
 */
void dma_hint_provider_register(struct dma_hint_provider *p)
{
	mutex_lock(&dma_hint_lock);
	list_add_tail(&p->node, &hint_providers);
	mutex_unlock(&dma_hint_lock);
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hint_provider_register);

/* What an address carries: a bit for each class in the function's defaults */
static const struct dma_hint_field hint_mapping_fields[] = {
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BIT(DMA_HINT_CONSISTENT),
	  .commands = DMA_HINT_COMMANDS, .mask = BIT(DMA_HINT_CONSISTENT),
	  .unit = BIT(DMA_HINT_CONSISTENT) },
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BIT(DMA_HINT_STREAMING),
	  .commands = DMA_HINT_COMMANDS, .mask = BIT(DMA_HINT_STREAMING),
	  .unit = BIT(DMA_HINT_STREAMING) },
	{ }
};

static int hint_mapping_get(void *priv, struct pci_dev *pdev, u32 reg, u32 *val)
{
	*val = pdev->dma_relaxed;
	return 0;
}

static int hint_mapping_set(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits)
{
	WRITE_ONCE(pdev->dma_relaxed, (pdev->dma_relaxed & ~mask) | bits);
	return 0;
}

/* For providers whose IOMMU asks dma_hint_set_of(); they have no priv */
const struct dma_hint_ops dma_hint_mapping_ops = {
	.name	= "mapping",
	.grain	= DMA_HINT_MAPPING,
	.fields	= hint_mapping_fields,
	.get	= hint_mapping_get,
	.set	= hint_mapping_set,
};
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hint_mapping_ops);
