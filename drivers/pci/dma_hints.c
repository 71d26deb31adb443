// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: setting them for a driver or an administrator.  See <linux/dma-hints.h>.
 *
 * Registers change one field at a time, and are put back in reverse order when one
 * does not take its value.
 */

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include <linux/security.h>
#include <linux/slab.h>
#include "dma_hints.h"
#include "dma_hints_record.h"

#define HINT_MAX_CHANGES	8

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"dma_hints."

static bool hint_unsafe;
module_param_named(unsafe, hint_unsafe, bool, 0400);
MODULE_PARM_DESC(unsafe, "let CAP_SYS_RAWIO set what is refused as not safe");

/* Of a plan: what a claim says, and what the register is and will be */
struct hint_change {
	struct dma_hint_record *record;
	struct dma_hint_claim *claim;
	u32 bits;
	u32 now;
	u32 then;
};

struct hint_plan {
	struct pci_dev *pdev;
	enum dma_hint_owner owner;
	bool unsafe;
	bool overridden;
	unsigned int n;
	struct hint_change change[HINT_MAX_CHANGES];
};

bool dma_hints_may_be_unsafe(void)
{
	return hint_unsafe && capable(CAP_SYS_RAWIO) &&
	       !security_locked_down(LOCKDOWN_PCI_ACCESS);
}

/* Tell an administrator why; a driver is one of many that state what may not be here. */
static int __printf(3, 4) hint_error(const struct hint_plan *plan, int error,
				     const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	if (plan->owner == DMA_HINT_ADMIN)
		pci_info_ratelimited(plan->pdev, "dma_hints: %pV (%d)\n", &vaf, error);
	else
		pci_dbg(plan->pdev, "dma_hints: %pV (%d)\n", &vaf, error);
	va_end(args);
	return error;
}

/* Not safe: an administrator may insist. */
static int hint_deny(struct hint_plan *plan, enum dma_hint_id id, const char *why)
{
	if (plan->unsafe) {
		plan->overridden = true;
		return 0;
	}
	return hint_error(plan, -EPERM, "%s: %s", dma_hint_descs[id].name, why);
}

/* The field's bits for a value, which is rounded down */
static int hint_encode(const struct dma_hint_field *f, u32 val, u32 *bits)
{
	u32 code = f->invert ? !val : val, i;

	if (f->values) {
		code = f->nr_values;
		for (i = 0; i < f->nr_values; i++)
			if (f->values[i] && (f->values[i] == val ||
					     (val < DMA_HINT_KEEP_HALF &&
					      f->values[i] < val)))
				code = i;
		if (code == f->nr_values)
			return -EINVAL;
	}
	*bits = code * f->unit;
	return *bits & ~f->mask ? -EINVAL : 0;
}

static int hint_decode(const struct dma_hint_field *f, u32 bits, u32 *val)
{
	u32 code = bits / f->unit;

	if (code * f->unit != bits)
		return -ENODATA;	/* copies that differ */
	if (f->values) {
		if (code >= f->nr_values || !f->values[code])
			return -ENODATA;
		*val = f->values[code];
		return 0;
	}
	*val = f->invert ? !code : code;
	return 0;
}

/* Plan one field's part: what the register should be with this claim in it. */
static int hint_plan_field(struct hint_plan *plan, const struct dma_hint_hop *hop,
			   const struct dma_hint_field *f, u32 val)
{
	const char *name = dma_hint_descs[f->id].name;
	struct pci_dev *pdev = plan->pdev;
	struct hint_change *change;
	struct dma_hint_claim *c;
	struct dma_hint_record *r;
	u32 bits;
	int ret;

	if (hint_encode(f, val, &bits))
		return hint_error(plan, -EINVAL, "%s: %s has nothing for %u", name,
				  hop->ops->name, val);
	if (plan->n == HINT_MAX_CHANGES)
		return -ENOSPC;
	r = dma_hint_record_get(hop, pdev, dma_hint_reg(hop, pdev, f), f->mask);
	if (IS_ERR(r))
		return hint_error(plan, PTR_ERR(r), "%s: %s could not be read", name,
				  hop->ops->name);
	change = &plan->change[plan->n++];
	change->record = r;
	change->bits = bits;
	change->claim = kzalloc(sizeof(*change->claim), GFP_KERNEL);
	if (!change->claim)
		return -ENOMEM;
	change->claim->pdev = pdev;
	change->claim->owner = plan->owner;
	ret = dma_hint_get(hop, pdev, r->reg, r->mask, &change->now);
	if (ret)
		return hint_error(plan, ret, "%s: %s could not be read", name,
				  hop->ops->name);
	/* a driver's default does not show below an administrator's word, whosoever's */
	change->then = bits;
	list_for_each_entry(c, &r->claims, node)
		if (c->owner > plan->owner)
			change->then = change->now;
	list_for_each_entry(c, &r->claims, node)
		if (c->pdev != pdev && c->owner >= plan->owner && c->bits != bits &&
		    change->then != change->now)
			return hint_error(plan, -EBUSY, "%s: %s has set it otherwise",
					  name, pci_name(c->pdev));
	c = dma_hint_claim_of(r, pdev, DMA_HINT_DRIVER);
	if (f->id == DMA_HINT_RELAXED_ORDER && val && plan->owner == DMA_HINT_ADMIN &&
	    c && c->bits != bits)
		return hint_deny(plan, f->id, "the driver keeps the order");
	/* the paper's authors crashed a zx1 with it */
	if (f->id == DMA_HINT_READ_CURRENT && !val &&
	    f->classes & BIT(DMA_HINT_CONSISTENT))
		return hint_deny(plan, f->id, "consistent mappings are read current");
	if (hop->ops->refuse && hop->ops->refuse(hop->priv, pdev, f, val))
		return hint_deny(plan, f->id, hop->ops->name);
	return 0;
}

/* Plan a hint: its carriers have to take the class and the commands as they are. */
static int hint_plan_id(struct hint_plan *plan, enum dma_hint_class class,
			enum dma_hint_id id, u32 val, u8 commands)
{
	const struct dma_hint_desc *desc = &dma_hint_descs[id];
	u8 classes = class == DMA_HINT_ALL ? 3 : BIT(class);
	struct dma_hint_hop hops[DMA_HINT_MAX_HOPS];
	const struct dma_hint_field *f;
	bool found = false;
	char limit[64];
	bool coarse = false;
	int i, n, ret = 0;

	if (id == DMA_HINT_RELAXED_ORDER && val && commands == DMA_HINT_MW)
		ret = hint_deny(plan, id, "writes to memory stay in order");
	if (ret)
		return ret;
	commands = commands ?: DMA_HINT_COMMANDS;
	ret = dma_hint_obstacle(plan->pdev, id, val, limit, sizeof(limit));
	if (ret == -EPERM)
		ret = hint_deny(plan, id, limit);
	else if (ret)
		hint_error(plan, ret, "%s: %s", desc->name, limit);
	if (ret)
		return ret;
	n = dma_hint_hops(plan->pdev, hops);
	for (i = 0; i < n && !(found && !desc->of_path); i++)
		for (f = NULL; (f = dma_hint_next_field(&hops[i], id, f));) {
			if (!(f->classes & classes) || !(f->commands & commands))
				continue;
			if (f->classes & ~classes || f->commands & ~commands) {
				coarse = true;
				continue;
			}
			ret = hint_plan_field(plan, &hops[i], f, val);
			if (ret)
				return ret;
			found = true;
		}
	if (found)
		return 0;
	if (coarse)
		return hint_error(plan, -EINVAL,
				  "%s: not for this class or these commands alone",
				  desc->name);
	return hint_error(plan, -EOPNOTSUPP, "%s: nobody has it", desc->name);
}

/* Write the plan's registers, all or none. */
static int hint_commit(struct hint_plan *plan)
{
	struct hint_change *change;
	struct dma_hint_claim *c;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < plan->n && !ret; i++)
		if (plan->change[i].then != plan->change[i].now)
			ret = dma_hint_record_set(plan->change[i].record, plan->pdev,
						  plan->change[i].then);
	for (; ret && i--; )
		if (plan->change[i].then != plan->change[i].now &&
		    dma_hint_record_set(plan->change[i].record, plan->pdev,
					plan->change[i].now))
			plan->change[i].record->dirty = true;
	if (ret)
		return hint_error(plan, ret, "a register did not take its value");
	for (i = 0; i < plan->n; i++) {
		change = &plan->change[i];
		c = dma_hint_claim_of(change->record, plan->pdev, plan->owner);
		if (!c) {
			c = change->claim;
			change->claim = NULL;
			list_add_tail(&c->node, &change->record->claims);
		}
		c->bits = change->bits;
		change->record->left = change->then;
	}
	return 0;
}

/* Records that a plan made and that nobody claims */
static void hint_plan_free(struct hint_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->n; i++) {
		struct dma_hint_record *r = plan->change[i].record;

		kfree(plan->change[i].claim);
		if (list_empty(&r->claims) && !r->dirty)
			dma_hint_record_free(r);
	}
	kfree(plan);
}

/* dma_set_hints() for either owner */
int dma_hints_apply(struct pci_dev *pdev, enum dma_hint_owner owner,
		    enum dma_hint_class class, const struct dma_hints *hints)
{
	const u32 val[DMA_HINT_NR] = {
		[DMA_HINT_RELAXED_ORDER] = hints->relaxed_order,
		[DMA_HINT_READ_CURRENT]	 = hints->read_current,
		[DMA_HINT_PREFETCH]	 = hints->prefetch,
		[DMA_HINT_BLOCK]	 = hints->block,
	};
	struct hint_plan *plan;
	int id, ret;

	if (class > DMA_HINT_ALL || hints->commands & ~DMA_HINT_COMMANDS ||
	    hints->valid & ~(BIT(DMA_HINT_NR) - 1))
		return -EINVAL;
	plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	plan->pdev = pdev;
	plan->owner = owner;
	plan->unsafe = owner == DMA_HINT_ADMIN && dma_hints_may_be_unsafe();
	mutex_lock(&dma_hint_lock);
	ret = dma_hint_open(pdev);
	if (ret) {
		hint_error(plan, ret, "off, isolated, or being reset");
		goto unlock;
	}
	dma_hint_settle_all(pdev);
	for (id = 0; id < DMA_HINT_NR && !ret; id++)
		if (hints->valid & BIT(id))
			ret = hint_plan_id(plan, class, id, val[id], hints->commands);
	if (!ret)
		ret = hint_commit(plan);
	dma_hint_close(pdev);
unlock:
	if (!ret && plan->overridden)
		add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	hint_plan_free(plan);
	mutex_unlock(&dma_hint_lock);
	return ret;
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hints_apply);

/**
 * dma_set_hints() - set a driver's default of hints
 * @dev: a PCI function
 * @class: the mappings that they are for
 * @hints: the hints
 *
 * All or nothing.  A hint that an address carries holds for mappings made from now
 * on; one of a register, from now on.  What an administrator has set stays in
 * force, and the default is kept below it.  It is given back when the driver is
 * unbound.
 *
 * Context: Process, may sleep.  The function must not be bound to another driver.
 * Return: 0; -EOPNOTSUPP: nobody on the path to memory has such a hint; -EINVAL: a
 * value that the hardware has nothing for, or a class or a command that it does not
 * tell from others; -EPERM: not safe there; -EBUSY: a device that shares the
 * register has set it otherwise; -EAGAIN: the function is being reset; -EIO: it is
 * off or isolated, or a register failed or did not take its value; -ENOMEM.
 */
int dma_set_hints(struct device *dev, enum dma_hint_class class,
		  const struct dma_hints *hints)
{
	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	return dma_hints_apply(to_pci_dev(dev), DMA_HINT_DRIVER, class, hints);
}
EXPORT_SYMBOL_GPL(dma_set_hints);

/* Call @fn for each field that carries a hint, with its value and owner. */
int dma_hints_walk(struct pci_dev *pdev, enum dma_hint_id id, dma_hint_fn fn, void *data)
{
	struct dma_hint_hop hops[DMA_HINT_MAX_HOPS];
	const struct dma_hint_field *f;
	enum dma_hint_owner owner;
	struct dma_hint_record *r;
	int i, n, ret = 0;
	bool found = false;
	u32 bits, val;

	mutex_lock(&dma_hint_lock);
	ret = dma_hint_open(pdev);
	if (ret)
		goto unlock;
	n = dma_hint_hops(pdev, hops);
	for (i = 0; i < n && !ret && !(found && !dma_hint_descs[id].of_path); i++)
		for (f = NULL; (f = dma_hint_next_field(&hops[i], id, f));) {
			u32 reg = dma_hint_reg(&hops[i], pdev, f);

			found = true;
			ret = dma_hint_get(&hops[i], pdev, reg, f->mask, &bits);
			if (ret)
				break;
			r = dma_hint_record_of(&hops[i], pdev, reg, f->mask);
			owner = !r || list_empty(&r->claims) ? DMA_HINT_FIRMWARE :
				list_first_entry(&r->claims, struct dma_hint_claim,
						 node)->owner;
			if (r && dma_hint_claim_of(r, pdev, DMA_HINT_ADMIN))
				owner = DMA_HINT_ADMIN;
			fn(data, hops[i].ops, f,
			   hint_decode(f, bits, &val) ? NULL : &val, owner);
		}
	dma_hint_close(pdev);
unlock:
	mutex_unlock(&dma_hint_lock);
	return ret ?: found ? 0 : -EOPNOTSUPP;
}
EXPORT_SYMBOL_FOR_DMA_HINTS_KUNIT(dma_hints_walk);
