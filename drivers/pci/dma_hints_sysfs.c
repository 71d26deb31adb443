// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: what sysfs shows of a function's, and an administrator's word.
 * See Documentation/ABI/testing/sysfs-bus-pci-devices-dma_hints.
 */

#include <linux/device.h>
#include <linux/dma-hints.h>
#include <linux/kstrtox.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "dma_hints.h"
#include "pci.h"

static const char * const class_names[] = { "consistent", "streaming", "all" };
static const char * const command_names[] = { "mr", "mrl", "mrm", "mw" };
static const char * const owner_names[] = { "firmware", "driver", "administrator" };
static const char * const grain_names[] = {
	[DMA_HINT_MAPPING]	= "mapping",
	[DMA_HINT_FUNCTION]	= "function",
	[DMA_HINT_ROPE]		= "rope",
	[DMA_HINT_BUS]		= "bus",
	[DMA_HINT_SYSTEM]	= "system",
};

struct hint_attribute {
	struct device_attribute attr;
	enum dma_hint_id id;
};

struct hint_text {
	char *buf;
	ssize_t len;
};

static ssize_t commands_emit(char *buf, ssize_t len, u8 commands)
{
	ssize_t start = len;
	int i;

	if (commands == DMA_HINT_COMMANDS)
		return sysfs_emit_at(buf, len, "all");
	for (i = 0; i < ARRAY_SIZE(command_names); i++)
		if (commands & BIT(i))
			len += sysfs_emit_at(buf, len, "%s%s", len > start ? "," : "",
					     command_names[i]);
	return len - start;
}

static const char *classes_name(u8 classes)
{
	return class_names[classes == BIT(DMA_HINT_CONSISTENT) ? DMA_HINT_CONSISTENT :
			   classes == BIT(DMA_HINT_STREAMING) ? DMA_HINT_STREAMING :
			   DMA_HINT_ALL];
}

static void hint_line(void *data, const struct dma_hint_ops *ops,
		      const struct dma_hint_field *f, const u32 *val,
		      enum dma_hint_owner owner)
{
	struct hint_text *t = data;

	t->len += sysfs_emit_at(t->buf, t->len, "%s ", classes_name(f->classes));
	t->len += commands_emit(t->buf, t->len, f->commands);
	if (!val)
		t->len += sysfs_emit_at(t->buf, t->len, " mixed");
	else if (*val >= DMA_HINT_KEEP_HALF)
		t->len += sysfs_emit_at(t->buf, t->len, " %s",
					*val == DMA_HINT_KEEP_HALF ? "half" : "full");
	else
		t->len += sysfs_emit_at(t->buf, t->len, " %u", *val);
	t->len += sysfs_emit_at(t->buf, t->len, " %s %s\n", owner_names[owner],
				grain_names[ops->grain]);
}

static ssize_t hint_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct hint_attribute *a = container_of(attr, struct hint_attribute, attr);
	struct hint_text t = { .buf = buf };
	int ret;

	ret = dma_hints_walk(to_pci_dev(dev), a->id, hint_line, &t);
	return ret ?: t.len;
}

static int parse_commands(char *text, u8 *commands)
{
	char *name;
	int i;

	while ((name = strsep(&text, ","))) {
		i = match_string(command_names, ARRAY_SIZE(command_names), name);
		if (i < 0)
			return i;
		*commands |= BIT(i);
	}
	return 0;
}

/* "[CLASS] [COMMAND,...] VALUE" */
static int parse_hint(char *text, enum dma_hint_id id, int *class,
		      struct dma_hints *hints)
{
	char *word, *next;
	int i, ret;
	bool flag;
	u32 val;

	text = strim(text);
	word = strsep(&text, " ");
	i = match_string(class_names, ARRAY_SIZE(class_names), word);
	if (i >= 0 && text) {
		*class = i;
		word = strsep(&text, " ");
	}
	if (text) {
		next = strsep(&text, " ");
		if (text)
			return -EINVAL;
		ret = parse_commands(word, &hints->commands);
		if (ret)
			return ret;
		word = next;
	}
	hints->valid = BIT(id);
	if (dma_hint_descs[id].is_bool) {
		ret = kstrtobool(word, &flag);
		hints->relaxed_order = flag;
		hints->read_current = flag;
		return ret;
	}
	if (id == DMA_HINT_PREFETCH && !strcmp(word, "half"))
		val = DMA_HINT_KEEP_HALF;
	else if (id == DMA_HINT_PREFETCH && !strcmp(word, "full"))
		val = DMA_HINT_KEEP_FULL;
	else if (kstrtou32(word, 0, &val) || val >= DMA_HINT_KEEP_HALF)
		return -EINVAL;
	hints->prefetch = val;
	hints->block = val;
	return 0;
}

static ssize_t hint_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct hint_attribute *a = container_of(attr, struct hint_attribute, attr);
	struct dma_hints hints = { };
	int class = DMA_HINT_ALL, ret;
	char *text;

	text = kmemdup_nul(buf, count, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = parse_hint(text, a->id, &class, &hints);
	kfree(text);
	if (!ret)
		ret = dma_hints_apply(to_pci_dev(dev), DMA_HINT_ADMIN, class, &hints);
	return ret ?: count;
}

#define HINT_ATTR(_name, _id)							\
	static struct hint_attribute hint_attr_##_name = {			\
		.attr	= __ATTR(_name, 0644, hint_show, hint_store),		\
		.id	= _id,							\
	}

HINT_ATTR(relaxed_order, DMA_HINT_RELAXED_ORDER);
HINT_ATTR(read_current, DMA_HINT_READ_CURRENT);
HINT_ATTR(prefetch, DMA_HINT_PREFETCH);
HINT_ATTR(block, DMA_HINT_BLOCK);

static ssize_t query_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct dma_hint_cap *cap;
	struct dma_hints_caps caps;
	ssize_t len = 0;
	int id;

	dma_hints_query(dev, &caps);
	for (id = 0; id < DMA_HINT_NR; id++) {
		cap = &caps.hint[id];
		len += sysfs_emit_at(buf, len, "%s possible=%s", dma_hint_descs[id].name,
				     cap->possible ? "yes" : "no");
		if (cap->max) {
			len += sysfs_emit_at(buf, len, " grain=%s commands=",
					     grain_names[cap->grain]);
			len += commands_emit(buf, len, cap->commands);
			len += sysfs_emit_at(buf, len, " max=%u", cap->max);
		}
		if (cap->limit[0])
			len += sysfs_emit_at(buf, len, " limit=\"%s\"", cap->limit);
		len += sysfs_emit_at(buf, len, "\n");
	}
	return len;
}
static DEVICE_ATTR_RO(query);

static ssize_t path_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return dma_hints_path(to_pci_dev(dev), buf);
}
static DEVICE_ATTR_RO(path);

static ssize_t reset_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	bool val;
	int ret;

	ret = kstrtobool(buf, &val);
	if (!ret && !val)
		ret = -EINVAL;
	if (!ret)
		ret = dma_hints_release(to_pci_dev(dev), DMA_HINT_ADMIN);
	return ret ?: count;
}
static DEVICE_ATTR_WO(reset);

static struct attribute *hint_attrs[] = {
	&hint_attr_relaxed_order.attr.attr,
	&hint_attr_read_current.attr.attr,
	&hint_attr_prefetch.attr.attr,
	&hint_attr_block.attr.attr,
	&dev_attr_query.attr,
	&dev_attr_path.attr,
	&dev_attr_reset.attr,
	NULL
};

/* A function's own; no file for a hint that nobody on the path has. */
static umode_t hint_is_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct pci_dev *pdev = to_pci_dev(kobj_to_dev(kobj));
	struct dma_hints_caps caps;

	if (pdev->hdr_type != PCI_HEADER_TYPE_NORMAL)
		return 0;
	if (n >= DMA_HINT_NR)
		return attr->mode;
	dma_hints_query(&pdev->dev, &caps);
	return caps.hint[n].max ? attr->mode : 0;
}

const struct attribute_group dma_hints_group = {
	.name		= "dma_hints",
	.attrs		= hint_attrs,
	.is_visible	= hint_is_visible,
};

/* A host bridge may register after the functions below it were found. */
static int __init hint_sysfs_init(void)
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev)
		if (sysfs_update_group(&pdev->dev.kobj, &dma_hints_group))
			pci_warn(pdev, "dma_hints: sysfs shows too little\n");
	return 0;
}
late_initcall(hint_sysfs_init);
