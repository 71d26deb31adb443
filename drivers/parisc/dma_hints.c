// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints of HP's host bridges and their IOMMUs: Dino, Elroy and its
 * successors, Astro, Pluto.  Registers are accessed for the sake of a function
 * below, whose session notices if they fail.
 *
 * Pages are those of HP's External Reference Specifications: Dino Rev 3.1,
 * Elroy Rev A 1.4, Astro (ioc) 1.2.
 */

#include <linux/debugfs.h>
#include <linux/dma-hints.h>
#include <linux/fs.h>
#include <linux/io_check.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/swab.h>
#include <linux/uaccess.h>
#include <asm/parisc-device.h>
#include <asm/ropes.h>
#include "dma_hints.h"
#include "sba_hints.h"

#define DINO_PCIROR	0x824
#define DINO_PCIWOR	0x828

#define BOTH_CLASSES	(BIT(DMA_HINT_CONSISTENT) | BIT(DMA_HINT_STREAMING))

/*
 * Dino.  Which master a slot is, nobody tells: all six are set alike, and a
 * function shares its hints with its bus.
 */

/* ERS pp. 40-42, in bytes; codes that are not named there are not used */
static const u32 dino_prefetch[] = {
	4, 8, 16, 32, 64, 96, [0xb] = DMA_HINT_KEEP_HALF, [0xf] = DMA_HINT_KEEP_FULL,
};

static const u32 dino_block[] = { 4, 8, 16, 32 };

static const struct dma_hint_field dino_fields[] = {
	{ .id = DMA_HINT_PREFETCH, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_READS, .reg = DINO_PCIROR,
	  .mask = 0xf * DINO_ALL_MASTERS, .unit = DINO_ALL_MASTERS,
	  .values = dino_prefetch, .nr_values = ARRAY_SIZE(dino_prefetch) },
	{ .id = DMA_HINT_BLOCK, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_MW, .reg = DINO_PCIWOR,
	  .mask = 0x3 * DINO_ALL_MASTERS, .unit = DINO_ALL_MASTERS,
	  .values = dino_block, .nr_values = ARRAY_SIZE(dino_block) },
	{ }
};

static int is_master_below(struct pci_dev *pdev, void *masters)
{
	u16 cmd;

	if (!pci_read_config_word(pdev, PCI_COMMAND, &cmd) &&
	    pdev->hdr_type == PCI_HEADER_TYPE_NORMAL && cmd & PCI_COMMAND_MASTER)
		++*(int *)masters;
	return 0;
}

/* Dino has one read buffer: what it keeps filled for one master, another waits for. */
static int dino_refuse(void *priv, struct pci_dev *pdev,
		       const struct dma_hint_field *f, u32 val)
{
	struct pci_bus *bus = pdev->bus;
	int masters = 0;

	if (val < DMA_HINT_KEEP_HALF)
		return 0;
	while (bus->parent)
		bus = bus->parent;
	pci_walk_bus(bus, is_master_below, &masters);
	return masters > 1 ? -EPERM : 0;
}

/* Its registers are as the CPU is, big endian. */
static int dino_get(void *priv, struct pci_dev *pdev, u32 reg, u32 *val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	*val = swab32(readl_check(&c, (void __iomem *)priv + reg));
	return io_check_end(&c);
}

static int dino_set(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits)
{
	struct io_check c;
	u32 old;
	int ret;

	ret = dino_get(priv, pdev, reg, &old);
	if (ret)
		return ret;
	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	writel_check(&c, swab32((old & ~mask) | bits), (void __iomem *)priv + reg);
	return io_check_end(&c);
}

static const struct dma_hint_ops dino_ops = {
	.name	= "dino",
	.grain	= DMA_HINT_BUS,
	.fields	= dino_fields,
	.refuse	= dino_refuse,
	.get	= dino_get,
	.set	= dino_set,
};

/* Astro: read current for all (ERS p. 23) */

#define IOC_CTRL_READ_CURRENT	BIT(6)

static const struct dma_hint_field astro_fields[] = {
	{ .id = DMA_HINT_READ_CURRENT, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_READS, .reg = IOC_CTRL,
	  .mask = IOC_CTRL_READ_CURRENT, .unit = IOC_CTRL_READ_CURRENT },
	{ }
};

/* Pluto: for each rope, that is each LBA, whether order is kept */

#define PLUTO_ROPE(n)	(PLUTO_IOC_OFFSET + IOC_ROPE0_CFG + 8 * (n))

static const struct dma_hint_field pluto_fields[] = {
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_READS, .mask = IOC_ROPE_AO, .unit = IOC_ROPE_AO,
	  .invert = true },
	{ }
};

/* as setup_ibase_imask_callback() */
static u32 pluto_where(void *priv, struct pci_dev *pdev, const struct dma_hint_field *f)
{
	struct device *lba = pci_find_host_bridge(pdev->bus)->dev.parent;

	return PLUTO_ROPE(to_parisc_device(lba)->hpa.start >> 13 & 7);
}

/* As wide as the IOMMU's driver accesses them */
#ifdef CONFIG_64BIT
#define sba_reg_read	readq_check
#define sba_reg_write	writeq_check
#else
#define sba_reg_read	readl_check
#define sba_reg_write	writel_check
#endif

/* Two functions of 4 KB, mapped one by one */
static void __iomem *sba_where(struct sba_device *sba, u32 reg)
{
	if (reg >= PLUTO_IOC_OFFSET)
		return sba->ioc[0].ioc_hpa + reg - PLUTO_IOC_OFFSET;
	return sba->sba_hpa + reg;
}

static int sba_get(void *priv, struct pci_dev *pdev, u32 reg, u32 *val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	*val = sba_reg_read(&c, sba_where(priv, reg));
	return io_check_end(&c);
}

static int sba_set(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits)
{
	struct io_check c;
	unsigned long old;
	int ret;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	old = sba_reg_read(&c, sba_where(priv, reg));
	ret = io_check_end(&c);
	if (ret)
		return ret;
	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	sba_reg_write(&c, (old & ~(unsigned long)mask) | bits, sba_where(priv, reg));
	return io_check_end(&c);
}

static const struct dma_hint_ops astro_ops = {
	.name	= "astro",
	.grain	= DMA_HINT_SYSTEM,
	.fields	= astro_fields,
	.get	= sba_get,
	.set	= sba_set,
};

static const struct dma_hint_ops pluto_ops = {
	.name	= "pluto",
	.grain	= DMA_HINT_ROPE,
	.fields	= pluto_fields,
	.where	= pluto_where,
	.get	= sba_get,
	.set	= sba_set,
};

/*
 * Elroy, Mercury, Quicksilver: fourteen registers, two for each REQ# line, with
 * nine bits for each command.  What the bits mean is not documented: there are no
 * typed hints of them, but raw ones in debugfs.
 */

#define LBA_NR_HINTS	14
#define LBA_HINT_BITS	0x3fffffff

struct lba_hints {
	struct device *dev;
	void __iomem *base;
};

/* One below, for whose sake the registers are accessed; none while nobody answers */
static struct pci_dev *lba_any_below(const struct lba_hints *h)
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev)
		if (pci_find_host_bridge(pdev->bus)->dev.parent == h->dev &&
		    pdev->error_state == pci_channel_io_normal)
			return pdev;
	return NULL;
}

/* A register that is not there is all-ones. */
static int lba_hint_access(const struct lba_hints *h, unsigned int n, u32 *val, bool write)
{
	struct pci_dev *pdev = lba_any_below(h);
	struct io_check c;
	u32 now;
	int ret;

	if (!pdev)
		return -ENODEV;
	/* who only looks clears no status */
	io_check_begin(&c, pdev, IO_CHECK_ONES_OK |
		       (write ? IO_CHECK_HARVEST : IO_CHECK_READS));
	now = readl_check(&c, h->base + LBA_HINT_BASE + 8 * n);
	if (write && now != ~0U) {
		writel_check(&c, (now & ~LBA_HINT_BITS) | *val,
			     h->base + LBA_HINT_BASE + 8 * n);
		now = readl_check(&c, h->base + LBA_HINT_BASE + 8 * n);
	}
	ret = io_check_end(&c);
	if (!ret && (now == ~0U || (write && (now ^ *val) & LBA_HINT_BITS)))
		ret = -EIO;
	*val = now;
	pci_dev_put(pdev);
	return ret;
}

static int lba_hints_show(struct seq_file *s, void *unused)
{
	const struct lba_hints *h = s->private;
	unsigned int i;
	u32 val;

	for (i = 0; i < LBA_NR_HINTS; i++)
		if (lba_hint_access(h, i, &val, false))
			seq_printf(s, "%u absent\n", i);
		else
			seq_printf(s, "%u 0x%08x\n", i, val);
	return 0;
}

static int lba_hints_open(struct inode *inode, struct file *file)
{
	return single_open(file, lba_hints_show, inode->i_private);
}

/* "NUMBER VALUE" */
static ssize_t lba_hints_write(struct file *file, const char __user *user,
			       size_t count, loff_t *pos)
{
	const struct lba_hints *h = ((struct seq_file *)file->private_data)->private;
	unsigned int n;
	char buf[32], end;
	u32 val;
	int ret;

	if (!dma_hints_may_be_unsafe())
		return -EPERM;
	if (count >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, user, count))
		return -EFAULT;
	buf[count] = '\0';
	if (sscanf(buf, "%u %i %c", &n, &val, &end) != 2 || n >= LBA_NR_HINTS ||
	    val & ~LBA_HINT_BITS)
		return -EINVAL;
	ret = lba_hint_access(h, n, &val, true);
	if (!ret)
		add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	return ret ?: count;
}

static const struct file_operations lba_hints_fops = {
	.owner		= THIS_MODULE,
	.open		= lba_hints_open,
	.read		= seq_read,
	.write		= lba_hints_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void __init hints_register(struct parisc_device *dev,
				  const struct dma_hint_ops *ops, void *priv)
{
	struct dma_hint_provider *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return;
	p->dev = &dev->dev;
	p->ops = ops;
	p->priv = priv;
	dma_hint_provider_register(p);
}

void __init dino_hints_register(struct parisc_device *dev, void __iomem *base)
{
	hints_register(dev, &dino_ops, (__force void *)base);
}

/* Addresses carry hints if relaxed order has a set of its own. */
void __init lba_hints_register(struct parisc_device *dev, void __iomem *base,
			       const struct ioc *ioc)
{
	struct lba_hints *h = kzalloc(sizeof(*h), GFP_KERNEL);

	if (!h)
		return;
	h->dev = &dev->dev;
	h->base = base;
	debugfs_create_file(dev_name(&dev->dev), 0600,
			    debugfs_lookup("lba_hints", NULL) ?:
			    debugfs_create_dir("lba_hints", NULL), h, &lba_hints_fops);
	if (ioc->hint[SBA_HINT_RELAXED] != ioc->hint[SBA_HINT_CONSISTENT] ||
	    ioc->hint[SBA_HINT_RELAXED | SBA_HINT_STREAMING] !=
	    ioc->hint[SBA_HINT_STREAMING])
		hints_register(dev, &dma_hint_mapping_ops, NULL);
}

/* Ike and Reo have none that is known */
void __init sba_hints_register(struct sba_device *sba)
{
	if (IS_ASTRO(sba->dev))
		hints_register(sba->dev, &astro_ops, sba);
	else if (IS_PLUTO(sba->dev))
		hints_register(sba->dev, &pluto_ops, sba);
}
