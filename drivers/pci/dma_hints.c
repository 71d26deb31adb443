// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints of PCI functions: the registers in their configuration space, and
 * what sysfs shows of all that is set for them.  See <linux/dma-hints.h>.
 */

#define pr_fmt(fmt) "dma_hints: " fmt

#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/init.h>
#include <linux/io_check.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/xarray.h>

/* Numbers of the registers: where they are depends on the function */
enum { REG_COMMAND, REG_CLS, REG_LATENCY, REG_PCIX, REG_DEVCTL };

#define PCIX_MASK	(PCI_X_CMD_ERO | PCI_X_CMD_MAX_READ)
#define DEVCTL_MASK	(PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | \
			 PCI_EXP_DEVCTL_READRQ)

static const struct dma_hint_reg pci_regs[] = {
	{ "COMMAND", REG_COMMAND, PCI_COMMAND_INVALIDATE },
	{ "CACHE_LINE_SIZE", REG_CLS, 0xff },
	{ "LATENCY_TIMER", REG_LATENCY, 0xff },
	{ "PCIX_COMMAND", REG_PCIX, PCIX_MASK },
	{ "DEVCTL", REG_DEVCTL, DEVCTL_MASK },
	{ }
};

/* PCI Express 7.5.3.4, PCI-X 1.0b 7.2.3 */
static const u16 pcie_max_read[] = { 128, 256, 512, 1024, 2048, 4096 };
static const u16 pcix_max_read[] = { 512, 1024, 2048, 4096 };

#define DEV_SLOT(id)	BIT_ULL(DMA_HINT_DEV_SLOT(id))

static const struct dma_hint_field conventional_fields[] = {
	{ .slots = DEV_SLOT(DMA_HINT_LATENCY_TIMER),
	  .reg = REG_LATENCY, .mask = 0xff, .unit = 1 },
	{ .slots = DEV_SLOT(DMA_HINT_CACHE_LINE_SIZE),
	  .reg = REG_CLS, .mask = 0xff, .unit = 1 },
	{ .slots = DEV_SLOT(DMA_HINT_MWI), .reg = REG_COMMAND,
	  .mask = PCI_COMMAND_INVALIDATE, .unit = PCI_COMMAND_INVALIDATE },
	{ .slots = DEV_SLOT(DMA_HINT_RELAXED), .reg = REG_PCIX,
	  .mask = PCI_X_CMD_ERO, .unit = PCI_X_CMD_ERO },
	{ .slots = DEV_SLOT(DMA_HINT_MAX_READ), .reg = REG_PCIX,
	  .mask = PCI_X_CMD_MAX_READ, .unit = 1 << 2,
	  .values = pcix_max_read, .nr_values = ARRAY_SIZE(pcix_max_read) },
};

static const struct dma_hint_field pcie_fields[] = {
	{ .slots = DEV_SLOT(DMA_HINT_RELAXED), .reg = REG_DEVCTL,
	  .mask = PCI_EXP_DEVCTL_RELAX_EN, .unit = PCI_EXP_DEVCTL_RELAX_EN },
	{ .slots = DEV_SLOT(DMA_HINT_NO_SNOOP), .reg = REG_DEVCTL,
	  .mask = PCI_EXP_DEVCTL_NOSNOOP_EN, .unit = PCI_EXP_DEVCTL_NOSNOOP_EN },
	{ .slots = DEV_SLOT(DMA_HINT_MAX_READ), .reg = REG_DEVCTL,
	  .mask = PCI_EXP_DEVCTL_READRQ, .unit = 1 << 12,
	  .values = pcie_max_read, .nr_values = ARRAY_SIZE(pcie_max_read) },
};

static int pci_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
		      struct dma_hint_field *fields)
{
	/* those below have registers of their own */
	if (p->dev != &pdev->dev)
		return 0;
	if (pci_is_pcie(pdev)) {
		memcpy(fields, pcie_fields, sizeof(pcie_fields));
		return ARRAY_SIZE(pcie_fields);
	}
	memcpy(fields, conventional_fields, sizeof(conventional_fields));
	return ARRAY_SIZE(conventional_fields);
}

/* Where a register is; a VF has its PF's (SR-IOV 1.1 3.5.4) */
static int pci_where(struct pci_dev *pdev, u32 reg)
{
	int cap;

	switch (reg) {
	case REG_COMMAND:
		return PCI_COMMAND;
	case REG_CLS:
		return PCI_CACHE_LINE_SIZE;
	case REG_LATENCY:
		return PCI_LATENCY_TIMER;
	case REG_PCIX:
		cap = pci_find_capability(pdev, PCI_CAP_ID_PCIX);
		return cap ? cap + PCI_X_CMD : -ENOENT;
	default:
		cap = pci_pcie_cap(pdev);
		return cap ? cap + PCI_EXP_DEVCTL : -ENOENT;
	}
}

static bool pci_is_byte(u32 reg)
{
	return reg == REG_CLS || reg == REG_LATENCY;
}

static int pci_reg_read(struct dma_hint_provider *p, struct pci_dev *pdev,
			u32 reg, u64 *val)
{
	struct io_check c;
	int where, ret;
	u16 word;
	u8 byte;

	pdev = pci_physfn(pdev);
	where = pci_where(pdev, reg);
	if (where < 0)
		return where;
	io_check_begin(&c, pdev, IO_CHECK_READS);
	if (pci_is_byte(reg)) {
		ret = pci_read_config_byte(pdev, where, &byte);
		*val = byte;
	} else {
		ret = pci_read_config_word(pdev, where, &word);
		*val = word;
	}
	return io_check_end(&c) ?: pcibios_err_to_errno(ret);
}

static int pci_reg_write(struct dma_hint_provider *p, struct pci_dev *pdev,
			 u32 reg, u64 val)
{
	struct io_check c;
	int where, ret;

	where = pci_where(pdev, reg);
	if (where < 0)
		return where;
	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	if (pci_is_byte(reg))
		ret = pci_write_config_byte(pdev, where, val);
	else
		ret = pci_write_config_word(pdev, where, val);
	return io_check_end(&c) ?: pcibios_err_to_errno(ret);
}

static int pcix_refuse_max_read(struct pci_dev *pdev, u16 val)
{
	int cap = pci_find_capability(pdev, PCI_CAP_ID_PCIX);
	u32 status;
	u16 cmd;

	if (pci_read_config_dword(pdev, cap + PCI_X_STATUS, &status) ||
	    pci_read_config_word(pdev, cap + PCI_X_CMD, &cmd))
		return -EIO;
	if (val > 512 << ((status & PCI_X_STATUS_MAX_READ) >> 21))
		return -EINVAL;		/* more than it was designed for */
	if (pdev->bus->bus_flags & PCI_BUS_FLAGS_NO_MMRBC &&
	    val > 512 << ((cmd & PCI_X_CMD_MAX_READ) >> 2))
		return -EPERM;
	return 0;
}

static int pcie_refuse_max_read(struct pci_dev *pdev, u16 val)
{
	if (pci_find_host_bridge(pdev->bus)->no_inc_mrrs &&
	    val > pcie_get_readrq(pdev))
		return -EPERM;
	/* as pcie_set_readrq(): nobody is asked for more than the path carries */
	if (pcie_bus_config == PCIE_BUS_PERFORMANCE && val > pcie_get_mps(pdev))
		return -EPERM;
	return 0;
}

static int pci_refuse(struct dma_hint_provider *p, struct pci_dev *pdev,
		      unsigned int slot, u16 val)
{
	struct pci_dev *root;

	if (pdev->is_virtfn)
		return -EOPNOTSUPP;	/* the PF's to set */
	switch (slot) {
	case DMA_HINT_DEV_SLOT(DMA_HINT_RELAXED):
		root = pci_is_pcie(pdev) ? pcie_find_root_port(pdev) : NULL;
		if (val && root &&
		    root->dev_flags & PCI_DEV_FLAGS_NO_RELAXED_ORDERING)
			return -EPERM;
		return 0;
	case DMA_HINT_DEV_SLOT(DMA_HINT_MAX_READ):
		return pci_is_pcie(pdev) ? pcie_refuse_max_read(pdev, val) :
					   pcix_refuse_max_read(pdev, val);
	default:
		return 0;
	}
}

const struct dma_hint_ops pci_dma_hint_ops = {
	.name	= "pci",
	.scope	= DMA_HINT_SCOPE_DEVICE,
	.regs	= pci_regs,
	.sane	= DMA_HINT_NO_REG,
	.fields	= pci_fields,
	.refuse	= pci_refuse,
	.read	= pci_reg_read,
	.write	= pci_reg_write,
};
EXPORT_SYMBOL_GPL(pci_dma_hint_ops);	/* for the KUnit suite */

/* A function's place in sysfs */
struct pci_hints {
	struct dma_hint_provider *p;
	struct kobject *dir;
	struct kobject *class[DMA_HINT_NR_CLASSES];
};

static DEFINE_XARRAY(pci_hints);
static bool pci_hints_sysfs;

struct hint_attr {
	struct kobj_attribute kobj;
	unsigned int slot;
};

static const char * const scope_names[] = {
	[DMA_HINT_SCOPE_DEVICE]	= "device",
	[DMA_HINT_SCOPE_REQ]	= "req",
	[DMA_HINT_SCOPE_BUS]	= "bus",
	[DMA_HINT_SCOPE_ROPE]	= "rope",
	[DMA_HINT_SCOPE_SYSTEM]	= "system",
};

static struct hint_attr slot_attrs[DMA_HINT_NR_SLOTS];
static struct attribute *
cell_attrs[DMA_HINT_NR_CLASSES][DMA_HINT_NR_CMDS][DMA_HINT_NR_CELL + 1];
static struct attribute *dev_attrs[DMA_HINT_NR - DMA_HINT_NR_CELL + 1];
static const char * const class_names[] = { "consistent", "streaming" };
static const char * const cmd_names[] = { "mr", "mrl", "mrm", "mw" };

/* The device whose dma_hints/, or dma_hints/consistent/, it is */
static struct device *hint_device(struct kobject *kobj)
{
	if (strcmp(kobj->name, "dma_hints"))
		kobj = kobj->parent;
	return kobj_to_dev(kobj->parent);
}

static ssize_t slot_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct hint_attr *a = container_of(attr, struct hint_attr, kobj);
	u16 val;
	int ret;

	ret = dma_hints_get_slot(hint_device(kobj), a->slot, &val);
	if (ret == -ENODATA)
		return sysfs_emit(buf, "mixed\n");
	if (ret)
		return ret;
	if (a->slot == DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS) &&
	    val >= DMA_HINT_KEEP_HALF)
		return sysfs_emit(buf, val == DMA_HINT_KEEP_HALF ? "half\n" :
								  "full\n");
	return sysfs_emit(buf, "%u\n", val);
}

static ssize_t slot_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	struct hint_attr *a = container_of(attr, struct hint_attr, kobj);
	int ret = 0;
	u16 val;

	if (a->slot == DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS) &&
	    sysfs_streq(buf, "half"))
		val = DMA_HINT_KEEP_HALF;
	else if (a->slot == DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS) &&
		 sysfs_streq(buf, "full"))
		val = DMA_HINT_KEEP_FULL;
	else
		ret = kstrtou16(buf, 0, &val);
	if (!ret)
		ret = dma_hints_set_slot(hint_device(kobj), a->slot, val);
	return ret ?: count;
}

static umode_t slot_is_visible(struct kobject *kobj, struct attribute *attr,
			       int n)
{
	struct hint_attr *a = container_of(attr, struct hint_attr, kobj.attr);
	struct device *dev = hint_device(kobj);

	if (!(dma_hints_slots(dev) & BIT_ULL(a->slot)))
		return 0;
	return to_pci_dev(dev)->is_virtfn ? 0444 : attr->mode;
}

static ssize_t caps_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct dma_hint_caps caps;
	int class, cmd, id;
	ssize_t len = 0;
	int ret;

	ret = dma_hints_query(hint_device(kobj), &caps);
	if (ret)
		return ret;
	for (class = 0; class < DMA_HINT_NR_CLASSES; class++)
		for (cmd = 0; cmd < DMA_HINT_NR_CMDS; cmd++)
			for (id = 0; id < DMA_HINT_NR_CELL; id++)
				if (caps.cell[class][cmd] & BIT(id))
					len += sysfs_emit_at(buf, len, "%s/%s/%s %s\n",
							     class_names[class],
							     cmd_names[cmd],
							     dma_hint_name(id),
							     caps.live & BIT(id) ?
							     "live" : "quiet");
	for (id = DMA_HINT_NR_CELL; id < DMA_HINT_NR; id++)
		if (caps.dev & BIT(id))
			len += sysfs_emit_at(buf, len, "device/%s %s\n",
					     dma_hint_name(id),
					     caps.live & BIT(id) ? "live" :
								   "quiet");
	return len;
}

static ssize_t scope_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct dma_hint_caps caps;
	int id, ret, i;
	ssize_t len = 0;
	u32 ids;

	ret = dma_hints_query(hint_device(kobj), &caps);
	if (ret)
		return ret;
	ids = caps.dev;
	for (i = 0; i < DMA_HINT_NR_CLASSES * DMA_HINT_NR_CMDS; i++)
		ids |= caps.cell[i / DMA_HINT_NR_CMDS][i % DMA_HINT_NR_CMDS];
	for (id = 0; id < DMA_HINT_NR; id++)
		if (ids & BIT(id))
			len += sysfs_emit_at(buf, len, "%s %s\n",
					     dma_hint_name(id),
					     scope_names[caps.scope[id]]);
	return len;
}

static ssize_t path_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return dma_hints_path(hint_device(kobj), buf);
}

static ssize_t last_error_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return dma_hints_last_error(hint_device(kobj), buf);
}

static ssize_t reset_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t count)
{
	bool val;
	int ret;

	ret = kstrtobool(buf, &val);
	if (!ret && !val)
		ret = -EINVAL;
	if (!ret)
		ret = dma_hints_reset(hint_device(kobj));
	return ret ?: count;
}

static struct kobj_attribute caps_attr = __ATTR_RO(caps);
static struct kobj_attribute scope_attr = __ATTR_RO(scope);
static struct kobj_attribute path_attr = __ATTR_RO(path);
static struct kobj_attribute last_error_attr = __ATTR_RO(last_error);
static struct kobj_attribute reset_attr = __ATTR_WO(reset);

static struct attribute *common_attrs[] = {
	&caps_attr.attr,
	&scope_attr.attr,
	&path_attr.attr,
	&last_error_attr.attr,
	&reset_attr.attr,
	NULL
};

static const struct attribute_group common_group = {
	.attrs		= common_attrs,
};

static const struct attribute_group dev_group = {
	.name		= "device",
	.attrs		= dev_attrs,
	.is_visible	= slot_is_visible,
};

/* filled at boot: a group for each command of each class */
static struct attribute_group
cell_groups[DMA_HINT_NR_CLASSES][DMA_HINT_NR_CMDS];

/* The directories that have files; sysfs removes them with the first one. */
static int pci_hints_create(struct pci_dev *pdev, struct pci_hints *h)
{
	const u64 cell = (1ULL << DMA_HINT_NR_CMDS) - 1;
	u64 slots = dma_hints_slots(&pdev->dev);
	int class, cmd, id, ret;
	u64 group;

	if (h->dir || !slots)
		return 0;
	h->dir = kobject_create_and_add("dma_hints", &pdev->dev.kobj);
	if (!h->dir)
		return -ENOMEM;
	ret = sysfs_create_group(h->dir, &common_group);
	if (!ret && slots >> DMA_HINT_DEV_SLOT(DMA_HINT_NR_CELL))
		ret = sysfs_create_group(h->dir, &dev_group);
	for (class = 0; !ret && class < DMA_HINT_NR_CLASSES; class++) {
		for (id = 0, group = 0; id < DMA_HINT_NR_CELL; id++)
			group |= slots >> DMA_HINT_CELL_SLOT(id, class, 0) & cell;
		if (!group)
			continue;
		h->class[class] = kobject_create_and_add(class_names[class],
							 h->dir);
		if (!h->class[class])
			return -ENOMEM;
		for (cmd = 0; !ret && cmd < DMA_HINT_NR_CMDS; cmd++)
			if (group & BIT(cmd))
				ret = sysfs_create_group(h->class[class],
							 &cell_groups[class][cmd]);
	}
	return ret;
}

static void pci_hints_add(struct pci_dev *pdev)
{
	struct pci_hints *h;

	if (pdev->hdr_type != PCI_HEADER_TYPE_NORMAL)
		return;
	h = xa_load(&pci_hints, (unsigned long)pdev);
	if (!h) {
		h = kzalloc(sizeof(*h), GFP_KERNEL);
		if (!h || xa_insert(&pci_hints, (unsigned long)pdev, h, GFP_KERNEL)) {
			kfree(h);
			goto failed;
		}
		h->p = dma_hint_provider_register(&pdev->dev, &pci_dma_hint_ops,
						  NULL);
	}
	if (IS_ERR(h->p) || (pci_hints_sysfs && pci_hints_create(pdev, h)))
		goto failed;
	return;
failed:
	pci_warn(pdev, "dma_hints: out of memory\n");
}

static void pci_hints_remove(struct pci_dev *pdev)
{
	struct pci_hints *h = xa_erase(&pci_hints, (unsigned long)pdev);

	if (!h)
		return;
	kobject_put(h->class[DMA_HINT_CONSISTENT]);
	kobject_put(h->class[DMA_HINT_STREAMING]);
	kobject_put(h->dir);
	dma_hints_forget(&pdev->dev);
	if (!IS_ERR(h->p))
		dma_hint_provider_unregister(h->p);
	kfree(h);
}

static int pci_hints_notify(struct notifier_block *nb, unsigned long action,
			    void *data)
{
	if (action == BUS_NOTIFY_ADD_DEVICE)
		pci_hints_add(to_pci_dev(data));
	else if (action == BUS_NOTIFY_DEL_DEVICE)
		pci_hints_remove(to_pci_dev(data));
	return NOTIFY_DONE;
}

static struct notifier_block pci_hints_nb = {
	.notifier_call	= pci_hints_notify,
};

/* after the PCI bus, before the first function on it */
static int __init pci_hints_init(void)
{
	return bus_register_notifier(&pci_bus_type, &pci_hints_nb);
}
postcore_initcall_sync(pci_hints_init);

/* What a device's path has is known when all host bridges are */
static int __init pci_hints_sysfs_init(void)
{
	struct pci_dev *pdev = NULL;
	unsigned int slot;
	int class, cmd, id;

	for (slot = 0; slot < DMA_HINT_NR_SLOTS; slot++) {
		sysfs_attr_init(&slot_attrs[slot].kobj.attr);
		slot_attrs[slot].slot = slot;
		slot_attrs[slot].kobj.attr.mode = 0644;
		slot_attrs[slot].kobj.show = slot_show;
		slot_attrs[slot].kobj.store = slot_store;
	}
	for (class = 0; class < DMA_HINT_NR_CLASSES; class++)
		for (cmd = 0; cmd < DMA_HINT_NR_CMDS; cmd++) {
			for (id = 0; id < DMA_HINT_NR_CELL; id++) {
				slot = DMA_HINT_CELL_SLOT(id, class, cmd);
				slot_attrs[slot].kobj.attr.name = dma_hint_name(id);
				cell_attrs[class][cmd][id] =
					&slot_attrs[slot].kobj.attr;
			}
			cell_groups[class][cmd].name = cmd_names[cmd];
			cell_groups[class][cmd].attrs = cell_attrs[class][cmd];
			cell_groups[class][cmd].is_visible = slot_is_visible;
		}
	for (id = DMA_HINT_NR_CELL; id < DMA_HINT_NR; id++) {
		slot = DMA_HINT_DEV_SLOT(id);
		slot_attrs[slot].kobj.attr.name = dma_hint_name(id);
		dev_attrs[id - DMA_HINT_NR_CELL] = &slot_attrs[slot].kobj.attr;
	}
	pci_hints_sysfs = true;
	for_each_pci_dev(pdev)
		pci_hints_add(pdev);
	return 0;
}
late_initcall(pci_hints_sysfs_init);
