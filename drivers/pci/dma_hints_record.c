// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: what has been set, for whom, and what was there before.
 *
 * A field that could not be brought to what it should be is tried again later.
 */

#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include "dma_hints.h"
#include "dma_hints_record.h"

static LIST_HEAD(hint_records);

/* What a field should be: the administrator's word, a driver's, or as found */
static u32 hint_wanted(struct dma_hint_record *r)
{
	struct dma_hint_claim *c;

	list_for_each_entry(c, &r->claims, node)
		if (c->owner == DMA_HINT_ADMIN)
			return c->bits;
	c = list_first_entry_or_null(&r->claims, struct dma_hint_claim, node);
	return c ? c->bits : r->old;
}

void dma_hint_record_free(struct dma_hint_record *r)
{
	struct dma_hint_claim *c, *next;

	list_for_each_entry_safe(c, next, &r->claims, node)
		kfree(c);
	list_del(&r->node);
	kfree(r);
}

struct dma_hint_claim *dma_hint_claim_of(const struct dma_hint_record *r,
					 const struct pci_dev *pdev,
					 enum dma_hint_owner owner)
{
	struct dma_hint_claim *c;

	list_for_each_entry(c, &r->claims, node)
		if (c->pdev == pdev && c->owner == owner)
			return c;
	return NULL;
}

int dma_hint_record_set(const struct dma_hint_record *r, struct pci_dev *pdev, u32 bits)
{
	return dma_hint_set(&r->hop, pdev, r->reg, r->mask, bits);
}

/* Bring a field to what it should be.  One that fails is tried again later. */
static int hint_settle(struct dma_hint_record *r, struct pci_dev *pdev)
{
	u32 now, bits = hint_wanted(r);
	int ret;

	ret = dma_hint_get(&r->hop, pdev, r->reg, r->mask, &now);
	if (!ret && now != bits && (r->dirty || now == r->left))
		ret = dma_hint_record_set(r, pdev, bits);
	if (!ret)
		r->left = bits;
	r->dirty = ret;
	if (!ret && list_empty(&r->claims))
		dma_hint_record_free(r);
	return ret;
}

/* What failed before and this function can reach */
void dma_hint_settle_all(struct pci_dev *pdev)
{
	struct dma_hint_record *r, *next;

	list_for_each_entry_safe(r, next, &hint_records, node)
		if (r->dirty && dma_hint_is_below(&pdev->dev, r->hop.dev))
			hint_settle(r, pdev);
}

struct dma_hint_record *dma_hint_record_of(const struct dma_hint_hop *hop,
					   struct pci_dev *pdev, u32 reg, u32 mask)
{
	const void *hw = hop->priv ?: pdev;
	struct dma_hint_record *r;

	list_for_each_entry(r, &hint_records, node)
		if (r->hw == hw && r->reg == reg && r->mask == mask)
			return r;
	return NULL;
}

/* A record that is new has no claims yet, and goes with the plan. */
struct dma_hint_record *dma_hint_record_get(const struct dma_hint_hop *hop,
					    struct pci_dev *pdev, u32 reg, u32 mask)
{
	struct dma_hint_record *r = dma_hint_record_of(hop, pdev, reg, mask);
	int ret;

	if (r)
		return r;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	ret = dma_hint_get(hop, pdev, reg, mask, &r->old);
	if (ret) {
		kfree(r);
		return ERR_PTR(ret);
	}
	INIT_LIST_HEAD(&r->claims);
	r->left = r->old;
	r->hop = *hop;
	r->hw = hop->priv ?: pdev;
	r->reg = reg;
	r->mask = mask;
	list_add_tail(&r->node, &hint_records);
	return r;
}

/* Give an owner's claims up.  A register that fails is tried again later. */
static int hint_release(struct pci_dev *pdev, enum dma_hint_owner owner, bool gone)
{
	struct dma_hint_record *r, *next;
	struct dma_hint_claim *c;
	int ret = 0;

	list_for_each_entry_safe_reverse(r, next, &hint_records, node) {
		c = dma_hint_claim_of(r, pdev, owner);
		if (c) {
			list_del(&c->node);
			kfree(c);
		} else if (!(gone && r->hw == pdev)) {
			continue;
		}
		if (!gone || r->hop.dev != &pdev->dev) {
			ret = hint_settle(r, pdev) ?: ret;
		} else if (list_empty(&r->claims)) {
			/* the register went with the function */
			dma_hint_record_free(r);
		}
	}
	return ret;
}

/* Bring back what an owner's hints were before.  0; -EAGAIN; -EIO */
int dma_hints_release(struct pci_dev *pdev, enum dma_hint_owner owner)
{
	int ret;

	mutex_lock(&dma_hint_lock);
	ret = dma_hint_open(pdev);
	if (!ret) {
		dma_hint_settle_all(pdev);
		ret = hint_release(pdev, owner, false);
		dma_hint_close(pdev);
	} else if (owner == DMA_HINT_DRIVER) {
		/* it is not asked again */
		hint_release(pdev, owner, false);
	}
	mutex_unlock(&dma_hint_lock);
	return ret;
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hints_release);

/* The function goes away, and all that was set for it. */
void dma_hints_forget(struct pci_dev *pdev)
{
	mutex_lock(&dma_hint_lock);
	hint_release(pdev, DMA_HINT_DRIVER, true);
	hint_release(pdev, DMA_HINT_ADMIN, true);
	mutex_unlock(&dma_hint_lock);
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hints_forget);

#if IS_ENABLED(CONFIG_DMA_HINTS_KUNIT_TEST)
/* A suite's provider ends with its module; its functions are gone. */
void dma_hint_provider_unregister(struct dma_hint_provider *p)
{
	struct dma_hint_record *r, *next;

	mutex_lock(&dma_hint_lock);
	list_del(&p->node);
	list_for_each_entry_safe(r, next, &hint_records, node)
		if (r->hw == p->priv)
			dma_hint_record_free(r);
	mutex_unlock(&dma_hint_lock);
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hint_provider_unregister);
#endif

static int hint_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	if (action == BUS_NOTIFY_UNBOUND_DRIVER || action == BUS_NOTIFY_DRIVER_NOT_BOUND)
		dma_hints_release(pdev, DMA_HINT_DRIVER);
	else if (action == BUS_NOTIFY_DEL_DEVICE)
		dma_hints_forget(pdev);
	return NOTIFY_DONE;
}

static struct notifier_block hint_nb = {
	.notifier_call	= hint_notify,
};

/* after the PCI bus, before the first function on it */
static int __init hint_init(void)
{
	return bus_register_notifier(&pci_bus_type, &hint_nb);
}
postcore_initcall_sync(hint_init);
