// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints of HP's host bridges and their IOMMUs: Dino, Elroy and its
 * successors, Astro, Pluto.  Registers are accessed for the sake of a function
 * below, whose session notices if they fail.
 *
 * Pages are those of HP's External Reference Specifications: Dino Rev 3.1,
 * Elroy Rev A 1.4, Astro (ioc) 1.2.
 */

#include <linux/dma-hints.h>
#include <linux/err.h>
#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/swab.h>
#include <asm/parisc-device.h>
#include <asm/ropes.h>
#include "dma_hints.h"

#define DINO_BRDG_FEAT	0x820
#define DINO_PCIROR	0x824
#define DINO_PCIWOR	0x828

static u32 base_readl(struct dma_hint_provider *p, struct io_check *c, u32 reg)
{
	return readl_check(c, (void __iomem *)p->priv + reg);
}

static void base_writel(struct dma_hint_provider *p, struct io_check *c,
			u32 reg, u32 val)
{
	writel_check(c, val, (void __iomem *)p->priv + reg);
}

/*
 * Dino.  Which master a slot is, nobody tells: all six are set alike, and a
 * device shares its hints with its bus.
 */

static const struct dma_hint_reg dino_regs[] = {
	/* prefetch on MRL and MRM, post MWI */
	{ "BRDG_FEAT", DINO_BRDG_FEAT, 0x00000e00 },
	{ "PCIROR", DINO_PCIROR, 0xf * DINO_ALL_MASTERS },
	{ "PCIWOR", DINO_PCIWOR, 0x3 * DINO_ALL_MASTERS },
	{ }
};

/* ERS pp. 40-42; codes that are not named there are not used */
static const u16 dino_read_words[] = {
	1, 2, 4, 8, 16, 24, DMA_HINT_NO_VALUE, DMA_HINT_NO_VALUE,
	DMA_HINT_NO_VALUE, DMA_HINT_NO_VALUE, DMA_HINT_NO_VALUE,
	[0xb] = DMA_HINT_KEEP_HALF, DMA_HINT_NO_VALUE, DMA_HINT_NO_VALUE,
	DMA_HINT_NO_VALUE, [0xf] = DMA_HINT_KEEP_FULL,
};

static const u16 dino_write_words[] = { 1, 2, 4, 8 };

static int dino_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
		       struct dma_hint_field *fields)
{
	fields[0] = (struct dma_hint_field) {
		.slots = BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS)),
		.reg = DINO_PCIROR,
		.mask = 0xf * DINO_ALL_MASTERS,
		.unit = DINO_ALL_MASTERS,
		.values = dino_read_words,
		.nr_values = ARRAY_SIZE(dino_read_words),
	};
	fields[1] = (struct dma_hint_field) {
		.slots = BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_WRITE_WORDS)),
		.reg = DINO_PCIWOR,
		.mask = 0x3 * DINO_ALL_MASTERS,
		.unit = DINO_ALL_MASTERS,
		.values = dino_write_words,
		.nr_values = ARRAY_SIZE(dino_write_words),
	};
	return 2;
}

static int is_master_below(struct pci_dev *pdev, void *masters)
{
	u16 cmd;

	if (!pci_read_config_word(pdev, PCI_COMMAND, &cmd) &&
	    pdev->hdr_type == PCI_HEADER_TYPE_NORMAL && cmd & PCI_COMMAND_MASTER)
		++*(int *)masters;
	return 0;
}

/* Dino has one read buffer: what it keeps filled for one master, another waits
 * for.
 */
static int dino_refuse(struct dma_hint_provider *p, struct pci_dev *pdev,
		       unsigned int slot, u16 val)
{
	struct pci_bus *bus = pdev->bus;
	int masters = 0;

	if (slot != DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS) ||
	    val < DMA_HINT_KEEP_HALF)
		return 0;
	while (bus->parent)
		bus = bus->parent;
	pci_walk_bus(bus, is_master_below, &masters);
	return masters > 1 ? -EPERM : 0;
}

/* Its registers are as the CPU is, big endian. */
static int dino_read(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		     u64 *val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	*val = swab32(base_readl(p, &c, reg));
	return io_check_end(&c);
}

static int dino_write(struct dma_hint_provider *p, struct pci_dev *pdev,
		      u32 reg, u64 val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	base_writel(p, &c, reg, swab32(val));
	return io_check_end(&c);
}

static const struct dma_hint_ops dino_ops = {
	.name	= "dino",
	.scope	= DMA_HINT_SCOPE_BUS,
	.live	= true,
	.regs	= dino_regs,
	.sane	= DINO_BRDG_FEAT,
	.fields	= dino_fields,
	.refuse	= dino_refuse,
	.read	= dino_read,
	.write	= dino_write,
};

/*
 * Elroy, Mercury, Quicksilver.  What the fields of a hint register mean is not
 * documented: there are no typed hints, but raw ones in debugfs.
 */

#define LBA_HINT(n)	{ "HINT" #n, LBA_HINT_BASE + 8 * (n), 0x3fffffff }

static const struct dma_hint_reg lba_hint_regs[] = {
	{ "HINT_CFG", LBA_HINT_CFG, 0xff },
	LBA_HINT(0), LBA_HINT(1), LBA_HINT(2), LBA_HINT(3), LBA_HINT(4),
	LBA_HINT(5), LBA_HINT(6), LBA_HINT(7), LBA_HINT(8), LBA_HINT(9),
	LBA_HINT(10), LBA_HINT(11), LBA_HINT(12), LBA_HINT(13),
	{ }
};

static int lba_read(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		    u64 *val)
{
	struct io_check c;

	/* an empty register is all-ones: the core asks whether it is one */
	io_check_begin(&c, pdev, IO_CHECK_READS | IO_CHECK_ONES_OK);
	*val = base_readl(p, &c, reg);
	return io_check_end(&c);
}

static int lba_write(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		     u64 val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	base_writel(p, &c, reg, val);
	return io_check_end(&c);
}

static const struct dma_hint_ops lba_ops = {
	.name	= "lba",
	.scope	= DMA_HINT_SCOPE_REQ,
	.regs	= lba_hint_regs,
	.sane	= LBA_FCLASS,
	.read	= lba_read,
	.write	= lba_write,
};

/* Astro: read current for all (ERS p. 23) */

#define IOC_CTRL_READ_CURRENT	BIT(6)

static const struct dma_hint_reg astro_regs[] = {
	{ "IOC_CTRL", IOC_CTRL, IOC_CTRL_READ_CURRENT },
	{ }
};

static int astro_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
			struct dma_hint_field *fields)
{
	fields[0] = (struct dma_hint_field) {
		.slots = dma_hint_all_read_slots(DMA_HINT_READ_CURRENT),
		.reg = IOC_CTRL,
		.mask = IOC_CTRL_READ_CURRENT,
		.unit = IOC_CTRL_READ_CURRENT,
	};
	return 1;
}

/* Pluto: for each rope, that is each LBA, whether order is kept */

#define PLUTO_ROPE(n)	(PLUTO_IOC_OFFSET + IOC_ROPE0_CFG + 8 * (n))
#define PLUTO_REG(n)	{ "ROPE" #n "_CFG", PLUTO_ROPE(n), IOC_ROPE_AO }

static const struct dma_hint_reg pluto_regs[] = {
	PLUTO_REG(0), PLUTO_REG(1), PLUTO_REG(2), PLUTO_REG(3),
	PLUTO_REG(4), PLUTO_REG(5), PLUTO_REG(6), PLUTO_REG(7),
	{ }
};

static int pluto_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
			struct dma_hint_field *fields)
{
	struct device *lba = pci_find_host_bridge(pdev->bus)->dev.parent;

	fields[0] = (struct dma_hint_field) {
		.slots = dma_hint_all_read_slots(DMA_HINT_RELAXED_OUT),
		/* as setup_ibase_imask_callback() */
		.reg = PLUTO_ROPE(to_parisc_device(lba)->hpa.start >> 13 & 7),
		.mask = IOC_ROPE_AO,
		.unit = IOC_ROPE_AO,
		.invert = true,
	};
	return 1;
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
static void __iomem *sba_where(struct dma_hint_provider *p, u32 reg)
{
	struct sba_device *sba = p->priv;

	if (reg >= PLUTO_IOC_OFFSET)
		return sba->ioc[0].ioc_hpa + reg - PLUTO_IOC_OFFSET;
	return sba->sba_hpa + reg;
}

static int sba_read(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		    u64 *val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	*val = sba_reg_read(&c, sba_where(p, reg));
	return io_check_end(&c);
}

static int sba_write(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		     u64 val)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	sba_reg_write(&c, val, sba_where(p, reg));
	return io_check_end(&c);
}

static const struct dma_hint_ops astro_ops = {
	.name	= "astro",
	.scope	= DMA_HINT_SCOPE_SYSTEM,
	.regs	= astro_regs,
	.sane	= SBA_FUNC_ID,
	.fields	= astro_fields,
	.read	= sba_read,
	.write	= sba_write,
};

static const struct dma_hint_ops pluto_ops = {
	.name	= "pluto",
	.scope	= DMA_HINT_SCOPE_ROPE,
	.regs	= pluto_regs,
	.sane	= SBA_FUNC_ID,
	.fields	= pluto_fields,
	.read	= sba_read,
	.write	= sba_write,
};

static void hints_register(struct parisc_device *dev,
			   const struct dma_hint_ops *ops, void *priv, u32 page)
{
	struct dma_hint_provider *p;

	p = dma_hint_provider_register(&dev->dev, ops, priv);
	if (IS_ERR(p))
		dev_warn(&dev->dev, "no DMA hints: %ld\n", PTR_ERR(p));
	else
		p->page = page;
}

void dino_hints_register(struct parisc_device *dev, void __iomem *base)
{
	hints_register(dev, &dino_ops, (__force void *)base, 0);
}

void lba_hints_register(struct parisc_device *dev, void __iomem *base)
{
	hints_register(dev, &lba_ops, (__force void *)base, IOVP_SIZE);
}

/* Ike and Reo have none that is known */
void sba_hints_register(struct sba_device *sba)
{
	if (IS_ASTRO(sba->dev))
		hints_register(sba->dev, &astro_ops, sba, IOVP_SIZE);
	else if (IS_PLUTO(sba->dev))
		hints_register(sba->dev, &pluto_ops, sba, IOVP_SIZE);
}
