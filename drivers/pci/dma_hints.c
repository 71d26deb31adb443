// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: who carries a function's hints, what stands in their way, and setting
 * them for a driver or an administrator.  See <linux/dma-hints.h>.
 *
 * Registers change one field at a time, by the helpers that their other writers
 * use, with the function awake; they are read back, and put back in reverse order
 * when one does not take its value.
 */

#define pr_fmt(fmt) "dma_hints: " fmt

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/export.h>
#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "dma_hints.h"
#include "pci.h"

/* from a function to its IOMMU */
#define HINT_MAX_HOPS		8
#define HINT_MAX_CHANGES	8

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"dma_hints."

static bool hint_unsafe;
module_param_named(unsafe, hint_unsafe, bool, 0400);
MODULE_PARM_DESC(unsafe, "let CAP_SYS_RAWIO set what is refused as not safe");

const struct dma_hint_desc dma_hint_descs[DMA_HINT_NR] = {
	[DMA_HINT_RELAXED_ORDER] = { "relaxed_order", true, true },
	[DMA_HINT_READ_CURRENT]	 = { "read_current", true, true },
	[DMA_HINT_PREFETCH]	 = { "prefetch", false, false },
	[DMA_HINT_BLOCK]	 = { "block", false, false },
};

/* Somebody who carries hints of a function */
struct hint_hop {
	const struct dma_hint_ops *ops;
	void *priv;
	struct device *dev;
};

/*
 * A field that is, or was, somebody's to set.  It stays while it has claims, and
 * while its register could not be brought to what it should be.  @old is what it was
 * first, @left how it was left from here: what others have made of it since is theirs.
 */
struct hint_record {
	struct list_head node;
	struct list_head claims;
	struct hint_hop hop;
	const void *hw;
	u32 reg;
	u32 mask;
	u32 old;
	u32 left;
	bool dirty;
};

struct hint_claim {
	struct list_head node;
	struct pci_dev *pdev;
	enum dma_hint_owner owner;
	u32 bits;
};

/* Of a plan: what a claim says, and what the register is and will be */
struct hint_change {
	struct hint_record *record;
	struct hint_claim *claim;
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

/* of the lists, and of all changes */
static DEFINE_MUTEX(hint_lock);
static LIST_HEAD(hint_providers);
static LIST_HEAD(hint_records);

bool dma_hints_may_be_unsafe(void)
{
	return hint_unsafe && capable(CAP_SYS_RAWIO) &&
	       !security_locked_down(LOCKDOWN_PCI_ACCESS);
}
EXPORT_SYMBOL_GPL(dma_hints_may_be_unsafe);	/* for the KUnit suite */

/* Who carries hints of a function, from the function to memory */
static int hint_hops(struct pci_dev *pdev, struct hint_hop *hops)
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
			if (p->dev == dev && n < HINT_MAX_HOPS)
				hops[n++] = (struct hint_hop) {
					p->ops, p->priv, p->priv ? dev : &pdev->dev
				};
	return n;
}

/* What a hop has of a hint, one field after the other */
static const struct dma_hint_field *
hint_next_field(const struct hint_hop *hop, enum dma_hint_id id,
		const struct dma_hint_field *f)
{
	for (f = f ? f + 1 : hop->ops->fields; f->mask; f++)
		if (f->id == id)
			return f;
	return NULL;
}

static u32 hint_reg(const struct hint_hop *hop, struct pci_dev *pdev,
		    const struct dma_hint_field *f)
{
	return hop->ops->where ? hop->ops->where(hop->priv, pdev, f) : f->reg;
}

static bool hint_is_reachable(struct pci_dev *pdev)
{
	return pdev->error_state == pci_channel_io_normal &&
	       pdev->current_state != PCI_D3cold;
}

static int hint_is_below(struct device *dev, const void *top)
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
static struct pci_dev *hint_session(const struct hint_hop *hop, struct pci_dev *pdev)
{
	struct device *dev;

	if (hop->dev == &pdev->dev || hint_is_reachable(pdev))
		return pci_dev_get(pdev);
	dev = bus_find_device(&pci_bus_type, NULL, hop->dev, hint_is_below);
	return dev ? to_pci_dev(dev) : NULL;
}

static int hint_get(const struct hint_hop *hop, struct pci_dev *pdev, u32 reg,
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
static int hint_set(struct hint_record *r, struct pci_dev *pdev, u32 bits)
{
	struct pci_dev *session = hint_session(&r->hop, pdev);
	u32 now;
	int ret;

	if (!session)
		return -EIO;
	ret = r->hop.ops->set(r->hop.priv, session, r->reg, r->mask, bits);
	if (!ret)
		ret = r->hop.ops->get(r->hop.priv, session, r->reg, &now);
	if (!ret && (now ^ bits) & r->mask)
		ret = -EIO;
	pci_dev_put(session);
	return ret;
}

/* What a field should be: the administrator's word, a driver's, or as found */
static u32 hint_wanted(struct hint_record *r)
{
	struct hint_claim *c;

	list_for_each_entry(c, &r->claims, node)
		if (c->owner == DMA_HINT_ADMIN)
			return c->bits;
	c = list_first_entry_or_null(&r->claims, struct hint_claim, node);
	return c ? c->bits : r->old;
}

static void hint_record_free(struct hint_record *r)
{
	struct hint_claim *c, *next;

	list_for_each_entry_safe(c, next, &r->claims, node)
		kfree(c);
	list_del(&r->node);
	kfree(r);
}

static struct hint_claim *hint_claim_of(const struct hint_record *r,
					const struct pci_dev *pdev,
					enum dma_hint_owner owner)
{
	struct hint_claim *c;

	list_for_each_entry(c, &r->claims, node)
		if (c->pdev == pdev && c->owner == owner)
			return c;
	return NULL;
}

/* Bring a field to what it should be.  One that fails is tried again later. */
static int hint_settle(struct hint_record *r, struct pci_dev *pdev)
{
	u32 now, bits = hint_wanted(r);
	int ret;

	ret = hint_get(&r->hop, pdev, r->reg, r->mask, &now);
	if (!ret && now != bits && (r->dirty || now == r->left))
		ret = hint_set(r, pdev, bits);
	if (!ret)
		r->left = bits;
	r->dirty = ret;
	if (!ret && list_empty(&r->claims))
		hint_record_free(r);
	return ret;
}

/* What failed before and this function can reach */
static void hint_settle_all(struct pci_dev *pdev)
{
	struct hint_record *r, *next;

	list_for_each_entry_safe(r, next, &hint_records, node)
		if (r->dirty && hint_is_below(&pdev->dev, r->hop.dev))
			hint_settle(r, pdev);
}

/*
 * The function's own registers need it awake, and nobody who resets it.  An error
 * that is being recovered from, or a function that is gone, is no time for hints.
 */
static int hint_open(struct pci_dev *pdev)
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

static void hint_close(struct pci_dev *pdev)
{
	pci_cfg_access_unlock(pdev);
	pci_config_pm_runtime_put(pdev);
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

/* PCI-X and PCI Express requests say their length (PCI-X 1.0b 2.7.1, PCI Express
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
static int hint_obstacle(struct pci_dev *pdev, enum dma_hint_id id, u32 val,
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

static struct hint_record *hint_record_of(const struct hint_hop *hop,
					  struct pci_dev *pdev, u32 reg, u32 mask)
{
	const void *hw = hop->priv ?: pdev;
	struct hint_record *r;

	list_for_each_entry(r, &hint_records, node)
		if (r->hw == hw && r->reg == reg && r->mask == mask)
			return r;
	return NULL;
}

/* A record that is new has no claims yet, and goes with the plan. */
static struct hint_record *hint_record_get(const struct hint_hop *hop,
					   struct pci_dev *pdev, u32 reg, u32 mask)
{
	struct hint_record *r = hint_record_of(hop, pdev, reg, mask);
	int ret;

	if (r)
		return r;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	ret = hint_get(hop, pdev, reg, mask, &r->old);
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

/* Plan one field's part: what the register should be with this claim in it. */
static int hint_plan_field(struct hint_plan *plan, const struct hint_hop *hop,
			   const struct dma_hint_field *f, u32 val)
{
	const char *name = dma_hint_descs[f->id].name;
	struct pci_dev *pdev = plan->pdev;
	struct hint_change *change;
	struct hint_claim *c;
	struct hint_record *r;
	u32 bits;
	int ret;

	if (hint_encode(f, val, &bits))
		return hint_error(plan, -EINVAL, "%s: %s has nothing for %u", name,
				  hop->ops->name, val);
	if (plan->n == HINT_MAX_CHANGES)
		return -ENOSPC;
	r = hint_record_get(hop, pdev, hint_reg(hop, pdev, f), f->mask);
	if (IS_ERR(r))
		return hint_error(plan, PTR_ERR(r), "%s: %s does not answer", name,
				  hop->ops->name);
	change = &plan->change[plan->n++];
	change->record = r;
	change->bits = bits;
	change->claim = kzalloc(sizeof(*change->claim), GFP_KERNEL);
	if (!change->claim)
		return -ENOMEM;
	change->claim->pdev = pdev;
	change->claim->owner = plan->owner;
	ret = hint_get(hop, pdev, r->reg, r->mask, &change->now);
	if (ret)
		return hint_error(plan, ret, "%s: %s does not answer", name,
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
	c = hint_claim_of(r, pdev, DMA_HINT_DRIVER);
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
	struct hint_hop hops[HINT_MAX_HOPS];
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
	ret = hint_obstacle(plan->pdev, id, val, limit, sizeof(limit));
	if (ret == -EPERM)
		ret = hint_deny(plan, id, limit);
	else if (ret)
		hint_error(plan, ret, "%s: %s", desc->name, limit);
	if (ret)
		return ret;
	n = hint_hops(plan->pdev, hops);
	for (i = 0; i < n && !(found && !desc->of_path); i++)
		for (f = NULL; (f = hint_next_field(&hops[i], id, f));) {
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
	struct hint_claim *c;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < plan->n && !ret; i++)
		if (plan->change[i].then != plan->change[i].now)
			ret = hint_set(plan->change[i].record, plan->pdev,
				       plan->change[i].then);
	for (; ret && i--; )
		if (plan->change[i].then != plan->change[i].now &&
		    hint_set(plan->change[i].record, plan->pdev, plan->change[i].now))
			plan->change[i].record->dirty = true;
	if (ret)
		return hint_error(plan, ret, "a register did not take its value");
	for (i = 0; i < plan->n; i++) {
		change = &plan->change[i];
		c = hint_claim_of(change->record, plan->pdev, plan->owner);
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
		struct hint_record *r = plan->change[i].record;

		kfree(plan->change[i].claim);
		if (list_empty(&r->claims) && !r->dirty)
			hint_record_free(r);
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
	mutex_lock(&hint_lock);
	ret = hint_open(pdev);
	if (ret) {
		hint_error(plan, ret, "off, isolated, or being reset");
		goto unlock;
	}
	hint_settle_all(pdev);
	for (id = 0; id < DMA_HINT_NR && !ret; id++)
		if (hints->valid & BIT(id))
			ret = hint_plan_id(plan, class, id, val[id], hints->commands);
	if (!ret)
		ret = hint_commit(plan);
	hint_close(pdev);
unlock:
	if (!ret && plan->overridden)
		add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	hint_plan_free(plan);
	mutex_unlock(&hint_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(dma_hints_apply);	/* for the KUnit suite */

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

/* Give an owner's claims up.  A register that fails is tried again later. */
static int hint_release(struct pci_dev *pdev, enum dma_hint_owner owner, bool gone)
{
	struct hint_record *r, *next;
	struct hint_claim *c;
	int ret = 0;

	list_for_each_entry_safe_reverse(r, next, &hint_records, node) {
		c = hint_claim_of(r, pdev, owner);
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
			hint_record_free(r);
		}
	}
	return ret;
}

/* Bring back what an owner's hints were before.  0; -EAGAIN; -EIO */
int dma_hints_release(struct pci_dev *pdev, enum dma_hint_owner owner)
{
	int ret;

	mutex_lock(&hint_lock);
	ret = hint_open(pdev);
	if (!ret) {
		hint_settle_all(pdev);
		ret = hint_release(pdev, owner, false);
		hint_close(pdev);
	} else if (owner == DMA_HINT_DRIVER) {
		/* it is not asked again */
		hint_release(pdev, owner, false);
	}
	mutex_unlock(&hint_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(dma_hints_release);	/* for the KUnit suite */

/* The function goes away, and all that was set for it. */
void dma_hints_forget(struct pci_dev *pdev)
{
	mutex_lock(&hint_lock);
	hint_release(pdev, DMA_HINT_DRIVER, true);
	hint_release(pdev, DMA_HINT_ADMIN, true);
	mutex_unlock(&hint_lock);
}
EXPORT_SYMBOL_GPL(dma_hints_forget);	/* for the KUnit suite */

/* Call @fn for each field that carries a hint, with its value and owner. */
int dma_hints_walk(struct pci_dev *pdev, enum dma_hint_id id, dma_hint_fn fn, void *data)
{
	struct hint_hop hops[HINT_MAX_HOPS];
	const struct dma_hint_field *f;
	enum dma_hint_owner owner;
	struct hint_record *r;
	int i, n, ret = 0;
	bool found = false;
	u32 bits, val;

	mutex_lock(&hint_lock);
	ret = hint_open(pdev);
	if (ret)
		goto unlock;
	n = hint_hops(pdev, hops);
	for (i = 0; i < n && !ret && !(found && !dma_hint_descs[id].of_path); i++)
		for (f = NULL; (f = hint_next_field(&hops[i], id, f));) {
			u32 reg = hint_reg(&hops[i], pdev, f);

			found = true;
			ret = hint_get(&hops[i], pdev, reg, f->mask, &bits);
			if (ret)
				break;
			r = hint_record_of(&hops[i], pdev, reg, f->mask);
			owner = !r || list_empty(&r->claims) ? DMA_HINT_FIRMWARE :
				list_first_entry(&r->claims, struct hint_claim,
						 node)->owner;
			if (r && hint_claim_of(r, pdev, DMA_HINT_ADMIN))
				owner = DMA_HINT_ADMIN;
			fn(data, hops[i].ops, f,
			   hint_decode(f, bits, &val) ? NULL : &val, owner);
		}
	hint_close(pdev);
unlock:
	mutex_unlock(&hint_lock);
	return ret ?: found ? 0 : -EOPNOTSUPP;
}
EXPORT_SYMBOL_GPL(dma_hints_walk);	/* for the KUnit suite */

/* The path, a line each: functions, then who else carries hints, then the IOMMU */
ssize_t dma_hints_path(struct pci_dev *pdev, char *buf)
{
	struct hint_hop hops[HINT_MAX_HOPS];
	ssize_t len = 0;
	int i, n;

	mutex_lock(&hint_lock);
	len = hint_open(pdev);
	if (len)
		goto unlock;
	len = dma_hint_functions_show(pdev, buf, 0);
	n = hint_hops(pdev, hops);
	for (i = 0; i < n; i++)
		if (hops[i].priv)
			len += sysfs_emit_at(buf, len, "%s %s\n", dev_name(hops[i].dev),
					     hops[i].ops->name);
		else if (hops[i].ops == &dma_hint_mapping_ops)
			len += sysfs_emit_at(buf, len, "addresses carry hints\n");
	if (device_iommu_mapped(&pdev->dev))
		len += sysfs_emit_at(buf, len, "iommu group %d\n",
				     iommu_group_id(pdev->dev.iommu_group));
	hint_close(pdev);
unlock:
	mutex_unlock(&hint_lock);
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
	struct hint_hop hops[HINT_MAX_HOPS];
	const struct dma_hint_field *f;
	struct pci_dev *pdev;
	struct dma_hint_cap *cap;
	int i, n, id;

	memset(caps, 0, sizeof(*caps));
	if (!dev_is_pci(dev))
		return -EOPNOTSUPP;
	pdev = to_pci_dev(dev);
	mutex_lock(&hint_lock);
	n = hint_hops(pdev, hops);
	for (id = 0; id < DMA_HINT_NR; id++) {
		cap = &caps->hint[id];
		for (i = 0; i < n && !(cap->max && !dma_hint_descs[id].of_path); i++)
			for (f = NULL; (f = hint_next_field(&hops[i], id, f));) {
				cap->commands |= f->commands;
				cap->grain = max_t(u8, cap->grain, hops[i].ops->grain);
				cap->max = max(cap->max, hint_largest(f));
			}
		cap->possible = cap->max &&
				!hint_obstacle(pdev, id, 1, cap->limit,
					       sizeof(cap->limit));
		if (!cap->max)
			strscpy(cap->limit, pdev->is_virtfn ? "the PF's to set" :
				"nobody has it", sizeof(cap->limit));
	}
	if (!hint_open(pdev)) {
		dma_hint_limit_block(pdev, &caps->hint[DMA_HINT_BLOCK]);
		hint_close(pdev);
	}
	mutex_unlock(&hint_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(dma_hints_query);

/**
 * dma_hint_provider_register() - offer a bridge's or an IOMMU's hints
 * @p: filled in; functions below &dma_hint_provider.dev may have its hints
 *
 * Context: Process, may sleep.
 */
void dma_hint_provider_register(struct dma_hint_provider *p)
{
	mutex_lock(&hint_lock);
	list_add_tail(&p->node, &hint_providers);
	mutex_unlock(&hint_lock);
}
EXPORT_SYMBOL_GPL(dma_hint_provider_register);	/* for the KUnit suite */

/**
 * dma_hint_provider_unregister() - take them back
 * @p: the provider, whose functions are gone
 *
 * Context: Process, may sleep.
 */
void dma_hint_provider_unregister(struct dma_hint_provider *p)
{
	struct hint_record *r, *next;

	mutex_lock(&hint_lock);
	list_del(&p->node);
	list_for_each_entry_safe(r, next, &hint_records, node)
		if (r->hw == p->priv)
			hint_record_free(r);
	mutex_unlock(&hint_lock);
}
EXPORT_SYMBOL_GPL(dma_hint_provider_unregister);	/* for the KUnit suite */

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
EXPORT_SYMBOL_GPL(dma_hint_mapping_ops);	/* for the KUnit suite */

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
