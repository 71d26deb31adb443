// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of DMA hints.  The functions have configuration spaces in memory
 * with bits that cannot be written, and the host bridge has registers in memory:
 *
 *	host ---+-- bridge --+-- a	conventional, PCI
 *	(root)	|	     +-- b	the same: they share a REQ#
 *		+-- c			conventional, with a PCI-X capability
 *		+-- port ----+-- pf	PCI Express
 *			     +-- vf
 */

#include <kunit/test.h>
#include <linux/dma-hints.h>
#include <linux/dma-map-ops.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include "../../parisc/dma_hints.h"

#define FAKE_CAP	0x40

struct fake_fn {
	struct pci_dev pdev;
	struct dma_hint_provider *p;
	u8 config[256];
	u8 fixed[256];		/* bits that cannot be written */
};

struct fake_bus {
	struct pci_bus bus;
	struct fake_fn *fn[3];	/* by device number */
};

#define HOST_REGS	6
#define NR_WRITES	64

/* The host bridge's registers, one a REQ#, and one that all share */
struct fake_host {
	u32 reg[HOST_REGS];
	u32 fixed[HOST_REGS];
	int fail_from;		/* writes fail from this one on, counted from 1 */
	int writes;
	u8 order[NR_WRITES];	/* registers as they were written */
};

#define HOST_SHARED	4	/* the register that all share */
#define HOST_SANE	5

struct hints_kunit {
	struct fake_bus root, below, express;
	struct fake_fn bridge, a, b, c, port, pf, vf;
	struct pci_host_bridge bridge_dev;
	struct device host;
	struct dma_hint_provider *hp;
	struct fake_host regs;
};

static int fake_access(struct pci_bus *bus, unsigned int devfn, int where,
		       int size, u32 *val, bool write)
{
	struct fake_bus *fake = container_of(bus, struct fake_bus, bus);
	struct fake_fn *fn = PCI_SLOT(devfn) < ARRAY_SIZE(fake->fn) ?
			     fake->fn[PCI_SLOT(devfn)] : NULL;
	int i;

	if (!write)
		*val = 0;
	if (!fn || where + size > sizeof(fn->config))
		return PCIBIOS_DEVICE_NOT_FOUND;
	for (i = 0; i < size; i++) {
		u8 *byte = &fn->config[where + i], fixed = fn->fixed[where + i];

		if (write)
			*byte = (*byte & fixed) | (*val >> 8 * i & ~fixed);
		else
			*val |= *byte << 8 * i;
	}
	return PCIBIOS_SUCCESSFUL;
}

static int fake_read(struct pci_bus *bus, unsigned int devfn, int where,
		     int size, u32 *val)
{
	return fake_access(bus, devfn, where, size, val, false);
}

static int fake_write(struct pci_bus *bus, unsigned int devfn, int where,
		      int size, u32 val)
{
	return fake_access(bus, devfn, where, size, &val, true);
}

static struct pci_ops fake_ops = {
	.read	= fake_read,
	.write	= fake_write,
};

static void fake_release(struct device *dev)
{
	/* the memory is the test's */
}

/* The PCI core must not find it: it joins the bus when that does not look. */
static void fake_add(struct kunit *test, struct fake_bus *bus, unsigned int slot,
		     struct fake_fn *fn, const char *name)
{
	struct pci_dev *pdev = &fn->pdev;

	bus->fn[slot] = fn;
	pdev->bus = &bus->bus;
	pdev->devfn = PCI_DEVFN(slot, 0);
	pdev->hdr_type = PCI_HEADER_TYPE_NORMAL;
	pdev->error_state = pci_channel_io_normal;
	pdev->dev.release = fake_release;
	pdev->dev.init_name = name;
	pdev->dev.parent = bus->bus.self ? &bus->bus.self->dev : bus->bus.bridge;
	KUNIT_ASSERT_EQ(test, device_register(&pdev->dev), 0);
	pdev->dev.bus = &pci_bus_type;
	fn->config[PCI_VENDOR_ID] = 0x55;
	/* writing ones clears status, which is never set here */
	memset(&fn->fixed[PCI_STATUS], 0xff, 2);
	fn->p = dma_hint_provider_register(&pdev->dev, &pci_dma_hint_ops, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fn->p));
}

static void fake_remove(struct fake_fn *fn)
{
	if (!device_is_registered(&fn->pdev.dev))
		return;
	dma_hints_forget(&fn->pdev.dev);
	if (!IS_ERR_OR_NULL(fn->p))
		dma_hint_provider_unregister(fn->p);
	fn->pdev.dev.bus = NULL;
	device_unregister(&fn->pdev.dev);
}

static void fake_capability(struct fake_fn *fn, u8 id)
{
	fn->config[PCI_STATUS] |= PCI_STATUS_CAP_LIST;
	fn->config[PCI_CAPABILITY_LIST] = FAKE_CAP;
	fn->config[FAKE_CAP] = id;
}

static void fake_express(struct fake_fn *fn, int type)
{
	fake_capability(fn, PCI_CAP_ID_EXP);
	fn->pdev.pcie_cap = FAKE_CAP;
	fn->pdev.pcie_flags_reg = type << 4;
	fn->config[FAKE_CAP + PCI_EXP_DEVCTL + 1] = 2 << 4;	/* 512 bytes */
}

/*
 * The host bridge: reads ahead by REQ#, for consistent and streaming MRM alike;
 * in blocks by REQ#; order and read current for all.
 */
static const u16 fake_blocks[] = { 512, 1024, 2048, 4096 };

static const struct dma_hint_reg host_regs[] = {
	{ "REQ0", 0, 0xff }, { "REQ1", 1, 0xff }, { "REQ2", 2, 0xff },
	{ "ABSENT", 3, 0xff }, { "SHARED", HOST_SHARED, 0xff },
	{ }
};

static struct hints_kunit *host_kunit(struct dma_hint_provider *p)
{
	return p->priv;
}

static int host_fields(struct dma_hint_provider *p, struct pci_dev *pdev,
		       struct dma_hint_field *fields)
{
	struct pci_dev *top = pdev;
	u32 req;

	while (pci_upstream_bridge(top))
		top = pci_upstream_bridge(top);
	req = PCI_SLOT(top->devfn);
	fields[0] = (struct dma_hint_field) {
		.slots = BIT_ULL(DMA_HINT_CELL_SLOT(DMA_HINT_PREFETCH,
						    DMA_HINT_CONSISTENT,
						    DMA_HINT_MRM)) |
			 BIT_ULL(DMA_HINT_CELL_SLOT(DMA_HINT_PREFETCH,
						    DMA_HINT_STREAMING,
						    DMA_HINT_MRM)),
		.reg = req, .mask = 0x03, .unit = 0x01,
	};
	fields[1] = (struct dma_hint_field) {
		.slots = dma_hint_all_read_slots(DMA_HINT_BLOCK),
		.reg = req, .mask = 0x0c, .unit = 0x04,
		.values = fake_blocks, .nr_values = ARRAY_SIZE(fake_blocks),
	};
	fields[2] = (struct dma_hint_field) {
		.slots = dma_hint_all_read_slots(DMA_HINT_READ_CURRENT),
		.reg = HOST_SHARED, .mask = 0x01, .unit = 0x01,
	};
	fields[3] = (struct dma_hint_field) {
		.slots = DMA_HINT_READ_SLOTS(DMA_HINT_RELAXED_OUT,
					     DMA_HINT_STREAMING),
		.reg = HOST_SHARED, .mask = 0x02, .unit = 0x02, .invert = true,
	};
	/* a repeated one, in a register that is not there */
	fields[4] = (struct dma_hint_field) {
		.slots = BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_WRITE_WORDS)),
		.reg = 3, .mask = 0x33, .unit = 0x11,
	};
	/* and one in one that is */
	fields[5] = (struct dma_hint_field) {
		.slots = BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_READ_WORDS)),
		.reg = HOST_SHARED, .mask = 0xcc, .unit = 0x44,
	};
	return 6;
}

static int host_read(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		     u64 *val)
{
	*val = host_kunit(p)->regs.reg[reg];
	return 0;
}

static int host_write(struct dma_hint_provider *p, struct pci_dev *pdev, u32 reg,
		      u64 val)
{
	struct fake_host *h = &host_kunit(p)->regs;

	if (h->writes < NR_WRITES)
		h->order[h->writes] = reg;
	h->writes++;
	if (h->fail_from && h->writes >= h->fail_from)
		return -EIO;
	h->reg[reg] = (h->reg[reg] & h->fixed[reg]) | (val & ~h->fixed[reg]);
	return 0;
}

static const struct dma_hint_ops host_ops = {
	.name	= "fake",
	.scope	= DMA_HINT_SCOPE_REQ,
	.live	= true,
	.regs	= host_regs,
	.sane	= HOST_SANE,
	.fields	= host_fields,
	.read	= host_read,
	.write	= host_write,
};

static int hints_kunit_init(struct kunit *test)
{
	struct hints_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, k);
	test->priv = k;
	k->host.init_name = "fake_host";
	k->host.release = fake_release;
	KUNIT_ASSERT_EQ(test, device_register(&k->host), 0);
	for (i = 0; i < HOST_REGS; i++)
		k->regs.reg[i] = 0xa500 | (i == HOST_SHARED ? 0x03 : 0x0d);
	k->regs.reg[3] = ~0;
	k->hp = dma_hint_provider_register(&k->host, &host_ops, k);
	KUNIT_ASSERT_FALSE(test, IS_ERR(k->hp));
	k->root.bus.bridge = &k->bridge_dev.dev;
	k->root.bus.bridge->parent = &k->host;
	k->root.bus.ops = &fake_ops;
	k->below.bus.ops = &fake_ops;
	k->below.bus.parent = &k->root.bus;
	k->express.bus.ops = &fake_ops;
	k->express.bus.parent = &k->root.bus;
	k->bridge_dev.dev.release = fake_release;
	k->bridge_dev.dev.init_name = "fake_root";
	KUNIT_ASSERT_EQ(test, device_register(&k->bridge_dev.dev), 0);
	fake_add(test, &k->root, 0, &k->bridge, "fake_bridge");
	k->bridge.pdev.hdr_type = PCI_HEADER_TYPE_BRIDGE;
	k->below.bus.self = &k->bridge.pdev;
	fake_add(test, &k->root, 1, &k->c, "fake_c");
	fake_capability(&k->c, PCI_CAP_ID_PCIX);
	/* designed for 2048 bytes */
	k->c.config[FAKE_CAP + PCI_X_STATUS + 2] = 2 << 5;
	fake_add(test, &k->root, 2, &k->port, "fake_port");
	fake_express(&k->port, PCI_EXP_TYPE_ROOT_PORT);
	k->express.bus.self = &k->port.pdev;
	fake_add(test, &k->below, 0, &k->a, "fake_a");
	fake_add(test, &k->below, 1, &k->b, "fake_b");
	fake_add(test, &k->express, 0, &k->pf, "fake_pf");
	fake_express(&k->pf, PCI_EXP_TYPE_ENDPOINT);
	fake_add(test, &k->express, 1, &k->vf, "fake_vf");
	fake_express(&k->vf, PCI_EXP_TYPE_ENDPOINT);
#ifdef CONFIG_PCI_IOV
	k->pf.pdev.is_physfn = 1;
	k->vf.pdev.is_virtfn = 1;
	k->vf.pdev.physfn = &k->pf.pdev;
#endif
	dma_hints_unsafe = false;
	return 0;
}

static void hints_kunit_exit(struct kunit *test)
{
	struct hints_kunit *k = test->priv;

	dma_hints_unsafe = false;
	if (!k || !device_is_registered(&k->host))
		return;
	fake_remove(&k->vf);
	fake_remove(&k->pf);
	fake_remove(&k->b);
	fake_remove(&k->a);
	fake_remove(&k->port);
	fake_remove(&k->c);
	fake_remove(&k->bridge);
	if (device_is_registered(&k->bridge_dev.dev))
		device_unregister(&k->bridge_dev.dev);
	if (!IS_ERR_OR_NULL(k->hp))
		dma_hint_provider_unregister(k->hp);
	device_unregister(&k->host);
}

/* All that hints may change */
struct state {
	u32 reg[HOST_REGS];
	u8 config[5][256];
};

static void keep(struct hints_kunit *k, struct state *s)
{
	memcpy(s->reg, k->regs.reg, sizeof(s->reg));
	memcpy(s->config[0], k->a.config, 256);
	memcpy(s->config[1], k->b.config, 256);
	memcpy(s->config[2], k->c.config, 256);
	memcpy(s->config[3], k->pf.config, 256);
	memcpy(s->config[4], k->vf.config, 256);
}

static struct state *kept(struct kunit *test)
{
	struct state *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	keep(test->priv, s);
	return s;
}

static bool unchanged(struct kunit *test, const struct state *s)
{
	struct state *now = kept(test);

	return !memcmp(s, now, sizeof(*s));
}

static struct dma_hint *cell(struct dma_hint_set *set, enum dma_hint_class class,
			     enum dma_hint_cmd cmd, enum dma_hint_id id)
{
	struct dma_hint *h = &set->cell[class][cmd];

	h->valid |= BIT(id);
	return h;
}

static struct dma_hint_dev *whole(struct dma_hint_set *set, enum dma_hint_id id)
{
	set->dev.valid |= BIT(id);
	return &set->dev;
}

/* Refused with this error, by try and set, and nothing is different after it. */
static void refused(struct kunit *test, struct fake_fn *fn,
		    struct dma_hint_set *set, int error)
{
	struct state *before = kept(test);
	char *text = (char *)get_zeroed_page(GFP_KERNEL);
	struct hints_kunit *k = test->priv;
	int writes = k->regs.writes;

	KUNIT_EXPECT_EQ(test, dma_hints_try(&fn->pdev.dev, set), error);
	KUNIT_EXPECT_EQ(test, dma_hints_set(&fn->pdev.dev, set), error);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_EXPECT_EQ(test, k->regs.writes, writes);
	/* last_error is for sysfs, whose buffers are pages */
	KUNIT_EXPECT_NOT_NULL(test, text);
	if (text)
		KUNIT_EXPECT_GT(test, dma_hints_last_error(&fn->pdev.dev, text), 0);
	free_page((unsigned long)text);
	memset(set, 0, sizeof(*set));
}

static void test_refusals(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };

	/* values */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 4;
	refused(test, &k->a, &s, -EINVAL);
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 768;
	refused(test, &k->a, &s, -EINVAL);
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 256;
	refused(test, &k->a, &s, -EINVAL);
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 8192;
	refused(test, &k->a, &s, -EINVAL);
	whole(&s, DMA_HINT_MAX_READ)->max_read = 64;
	refused(test, &k->pf, &s, -EINVAL);
	whole(&s, DMA_HINT_READ_WORDS)->read_words = 4;
	refused(test, &k->a, &s, -EINVAL);	/* no such code */
	/* a block larger than the IOMMU's page */
	k->hp->page = 2048;
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 4096;
	refused(test, &k->a, &s, -EINVAL);
	k->hp->page = 0;
	/* cells that the bridge cannot tell apart */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 1;
	cell(&s, DMA_HINT_CONSISTENT, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 2;
	refused(test, &k->a, &s, -EINVAL);

	/* places */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MR, DMA_HINT_PREFETCH)->prefetch_lines = 1;
	refused(test, &k->a, &s, -EOPNOTSUPP);
	whole(&s, DMA_HINT_NO_SNOOP)->no_snoop = false;
	refused(test, &k->a, &s, -EOPNOTSUPP);
	whole(&s, DMA_HINT_WRITE_WORDS)->write_words = 1;
	refused(test, &k->a, &s, -EOPNOTSUPP);	/* its register is absent */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 1;
	refused(test, &k->pf, &s, -EOPNOTSUPP);	/* PCI Express */
	k->root.bus.cur_bus_speed = PCI_SPEED_100MHz_PCIX;
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 1;
	refused(test, &k->c, &s, -EOPNOTSUPP);	/* PCI-X */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 512;
	refused(test, &k->a, &s, -EOPNOTSUPP);	/* behind it */
	k->root.bus.cur_bus_speed = PCI_SPEED_66MHz;

	/* what is not safe */
	cell(&s, DMA_HINT_CONSISTENT, DMA_HINT_MR, DMA_HINT_READ_CURRENT)->read_current = false;
	refused(test, &k->a, &s, -EPERM);
	/* the bridge has one bit for both classes */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MR, DMA_HINT_READ_CURRENT)->read_current = false;
	refused(test, &k->a, &s, -EPERM);
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MW, DMA_HINT_RELAXED_OUT)->relaxed_out = true;
	refused(test, &k->a, &s, -EPERM);
	if (dev_is_dma_coherent(&k->pf.pdev.dev)) {
		whole(&s, DMA_HINT_NO_SNOOP)->no_snoop = true;
		refused(test, &k->pf, &s, -EPERM);
	}
	k->port.pdev.dev_flags = PCI_DEV_FLAGS_NO_RELAXED_ORDERING;
	whole(&s, DMA_HINT_RELAXED)->relaxed = true;
	refused(test, &k->pf, &s, -EPERM);
	k->port.pdev.dev_flags = 0;
	k->bridge_dev.no_inc_mrrs = 1;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 1024;
	refused(test, &k->pf, &s, -EPERM);
	k->bridge_dev.no_inc_mrrs = 0;
	k->root.bus.bus_flags = PCI_BUS_FLAGS_NO_MMRBC;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 1024;
	refused(test, &k->c, &s, -EPERM);
	k->root.bus.bus_flags = 0;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 4096;
	refused(test, &k->c, &s, -EINVAL);	/* designed for less */

	/* no PCI function at all */
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->host, &s), -EOPNOTSUPP);
}

static void test_virtual_function(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };

	if (!IS_ENABLED(CONFIG_PCI_IOV)) {
		kunit_skip(test, "no CONFIG_PCI_IOV");
		return;
	}
	whole(&s, DMA_HINT_RELAXED)->relaxed = true;
	refused(test, &k->vf, &s, -EOPNOTSUPP);
	/* it reports its PF's */
	whole(&s, DMA_HINT_RELAXED)->relaxed = true;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 2048;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->pf.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_get(&k->vf.pdev.dev, &s), 0);
	KUNIT_EXPECT_TRUE(test, s.dev.valid & BIT(DMA_HINT_RELAXED));
	KUNIT_EXPECT_TRUE(test, s.dev.relaxed);
	KUNIT_EXPECT_EQ(test, s.dev.max_read, 2048);
}

/* What is refused as not safe can be set by who insists. */
static void test_unsafe(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };

	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MR, DMA_HINT_READ_CURRENT)->read_current = false;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), -EPERM);
	dma_hints_unsafe = true;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_SHARED], 0xa502);
	KUNIT_EXPECT_TRUE(test, test_taint(TAINT_USER));
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->a.pdev.dev), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_SHARED], 0xa503);
	/* nonsense stays nonsense */
	memset(&s, 0, sizeof(s));
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 4;
	refused(test, &k->a, &s, -EINVAL);
}

static void test_caps(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_caps caps;

	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->a.pdev.dev, &caps), 0);
	KUNIT_EXPECT_EQ(test, caps.cell[DMA_HINT_CONSISTENT][DMA_HINT_MRM],
			BIT(DMA_HINT_PREFETCH) | BIT(DMA_HINT_BLOCK) |
			BIT(DMA_HINT_READ_CURRENT));
	KUNIT_EXPECT_EQ(test, caps.cell[DMA_HINT_STREAMING][DMA_HINT_MR],
			BIT(DMA_HINT_BLOCK) | BIT(DMA_HINT_READ_CURRENT) |
			BIT(DMA_HINT_RELAXED_OUT));
	KUNIT_EXPECT_EQ(test, caps.cell[DMA_HINT_STREAMING][DMA_HINT_MW], 0);
	KUNIT_EXPECT_EQ(test, caps.dev,
			BIT(DMA_HINT_LATENCY_TIMER) | BIT(DMA_HINT_MWI) |
			BIT(DMA_HINT_CACHE_LINE_SIZE) | BIT(DMA_HINT_READ_WORDS));
	KUNIT_EXPECT_EQ(test, caps.scope[DMA_HINT_PREFETCH], DMA_HINT_SCOPE_REQ);
	KUNIT_EXPECT_EQ(test, caps.scope[DMA_HINT_MWI], DMA_HINT_SCOPE_DEVICE);
	KUNIT_EXPECT_TRUE(test, caps.live & BIT(DMA_HINT_PREFETCH));
	KUNIT_EXPECT_FALSE(test, caps.live & BIT(DMA_HINT_MWI));

	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->pf.pdev.dev, &caps), 0);
	KUNIT_EXPECT_EQ(test, caps.cell[DMA_HINT_CONSISTENT][DMA_HINT_MRM],
			BIT(DMA_HINT_READ_CURRENT));
	KUNIT_EXPECT_EQ(test, caps.dev & ~BIT(DMA_HINT_READ_WORDS),
			BIT(DMA_HINT_RELAXED) | BIT(DMA_HINT_NO_SNOOP) |
			BIT(DMA_HINT_MAX_READ));
	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->c.pdev.dev, &caps), 0);
	KUNIT_EXPECT_TRUE(test, caps.dev & BIT(DMA_HINT_RELAXED));
	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->host, &caps), -EOPNOTSUPP);
}

/* Each hint reaches its bits, and no others. */
static void test_set(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };
	struct state *before = kept(test);

	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 3;
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 1024;
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_RELAXED_OUT)->relaxed_out = true;
	whole(&s, DMA_HINT_READ_WORDS)->read_words = 2;
	whole(&s, DMA_HINT_CACHE_LINE_SIZE)->cls_dwords = 16;
	whole(&s, DMA_HINT_LATENCY_TIMER)->latency_timer = 0x40;
	whole(&s, DMA_HINT_MWI)->mwi = true;
	KUNIT_EXPECT_EQ(test, dma_hints_try(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[0], 0xa507);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_SHARED], 0xa589);
	KUNIT_EXPECT_EQ(test, k->regs.reg[1], before->reg[1]);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_CACHE_LINE_SIZE], 16);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_LATENCY_TIMER], 0x40);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_COMMAND], PCI_COMMAND_INVALIDATE);
	KUNIT_EXPECT_EQ(test, dma_hints_get(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, s.cell[0][DMA_HINT_MRM].prefetch_lines, 3);
	KUNIT_EXPECT_EQ(test, s.cell[1][DMA_HINT_MRM].block_bytes, 1024);
	KUNIT_EXPECT_TRUE(test, s.cell[1][DMA_HINT_MR].relaxed_out);
	KUNIT_EXPECT_EQ(test, s.dev.cls_dwords, 16);
	KUNIT_EXPECT_EQ(test, s.dev.read_words, 2);
	KUNIT_EXPECT_TRUE(test, s.dev.mwi);
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->a.pdev.dev), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	/* copies that differ are no value */
	k->regs.reg[HOST_SHARED] = 0x04;
	KUNIT_EXPECT_EQ(test, dma_hints_get(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_FALSE(test, s.dev.valid & BIT(DMA_HINT_READ_WORDS));
}

static void test_pcix(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };

	whole(&s, DMA_HINT_RELAXED)->relaxed = true;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 2048;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->c.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->c.config[FAKE_CAP + PCI_X_CMD],
			PCI_X_CMD_ERO | PCI_X_CMD_READ_2K);
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->c.pdev.dev), 0);
	KUNIT_EXPECT_EQ(test, k->c.config[FAKE_CAP + PCI_X_CMD], 0);
}

static void test_pcie(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };
	u16 devctl;

	whole(&s, DMA_HINT_RELAXED)->relaxed = true;
	whole(&s, DMA_HINT_MAX_READ)->max_read = 4096;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->pf.pdev.dev, &s), 0);
	pci_read_config_word(&k->pf.pdev, FAKE_CAP + PCI_EXP_DEVCTL, &devctl);
	KUNIT_EXPECT_EQ(test, devctl, PCI_EXP_DEVCTL_RELAX_EN |
				      PCI_EXP_DEVCTL_READRQ_4096B);
}

/* Any user may look: that clears no status, which a session may be waiting for. */
static void test_look(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_caps caps;
	struct dma_hint_set s;

	/* here a write of status stores it, and clears nothing */
	memset(&k->a.fixed[PCI_STATUS], 0, 2);
	k->a.config[PCI_STATUS] = PCI_STATUS_66MHZ;
	k->a.config[PCI_STATUS + 1] = PCI_STATUS_PARITY >> 8;
	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->a.pdev.dev, &caps), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_get(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_STATUS], PCI_STATUS_66MHZ);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_STATUS + 1], PCI_STATUS_PARITY >> 8);
	memset(&k->a.fixed[PCI_STATUS], 0xff, 2);
	k->a.config[PCI_STATUS] = 0;
	k->a.config[PCI_STATUS + 1] = 0;
}

/* A register that does not hold its value undoes all the others. */
static void test_does_not_stick(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };
	struct state *before;

	k->a.fixed[PCI_LATENCY_TIMER] = 0xff;
	before = kept(test);
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 2;
	whole(&s, DMA_HINT_CACHE_LINE_SIZE)->cls_dwords = 16;
	whole(&s, DMA_HINT_LATENCY_TIMER)->latency_timer = 0x40;
	KUNIT_EXPECT_EQ(test, dma_hints_try(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), -EIO);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_EXPECT_FALSE(test, k->a.p->dead);
	/* the rest by itself is fine */
	s.dev.valid &= ~BIT(DMA_HINT_LATENCY_TIMER);
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_CACHE_LINE_SIZE], 16);
}

static void all_kinds(struct dma_hint_set *s)
{
	memset(s, 0, sizeof(*s));
	cell(s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 2;
	cell(s, DMA_HINT_STREAMING, DMA_HINT_MR, DMA_HINT_RELAXED_OUT)->relaxed_out = true;
	whole(s, DMA_HINT_CACHE_LINE_SIZE)->cls_dwords = 16;
	whole(s, DMA_HINT_MWI)->mwi = true;
}

/* Fail each access to a register once: all is done, or all is as it was. */
static void test_fail_nth(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);
	struct dma_hint_provider *providers[] = { k->hp, k->a.p };
	struct dma_hint_set s;
	unsigned int i, nth, failed = 0;
	int ret;

	/* probing is not what is failed here */
	KUNIT_ASSERT_EQ(test, dma_hints_get(&k->a.pdev.dev, &s), 0);
	for (i = 0; i < ARRAY_SIZE(providers); i++)
		for (nth = 1; nth < 100; nth++) {
			struct dma_hint_provider *p = providers[i];

			all_kinds(&s);
			p->nth = nth;
			ret = dma_hints_set(&k->a.pdev.dev, &s);
			if (p->nth) {		/* not reached */
				p->nth = 0;
				KUNIT_EXPECT_EQ(test, ret, 0);
				KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->a.pdev.dev), 0);
				break;
			}
			KUNIT_EXPECT_EQ(test, ret, -EIO);
			KUNIT_EXPECT_FALSE(test, p->dead);
			KUNIT_EXPECT_TRUE_MSG(test, unchanged(test, before),
					      "access %u of %s", nth, p->ops->name);
			failed++;
		}
	/* each of four registers is read, written and read back */
	KUNIT_EXPECT_EQ(test, failed, 12);
}

/* One that cannot be brought back is not used any more. */
static void test_dead(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s;

	all_kinds(&s);
	k->regs.fail_from = 2;	/* the second register, and the way back */
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), -EIO);
	KUNIT_EXPECT_TRUE(test, k->hp->dead);
	/* what could be brought back, was */
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_CACHE_LINE_SIZE], 0);
	KUNIT_EXPECT_FALSE(test, k->a.p->dead);
	k->regs.fail_from = 0;
	refused(test, &k->a, &s, -EIO);
	memset(&s, 0, sizeof(s));
	whole(&s, DMA_HINT_CACHE_LINE_SIZE)->cls_dwords = 16;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
}

static void test_roll_back_order(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s;

	all_kinds(&s);
	k->a.fixed[PCI_CACHE_LINE_SIZE] = 0xff;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), -EIO);
	KUNIT_ASSERT_EQ(test, k->regs.writes, 4);
	KUNIT_EXPECT_EQ(test, k->regs.order[3], k->regs.order[0]);
	KUNIT_EXPECT_EQ(test, k->regs.order[2], k->regs.order[1]);
	KUNIT_EXPECT_NE(test, k->regs.order[0], k->regs.order[1]);
}

/* Who shares a REQ# shares its hints. */
static void test_busy(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };
	struct state *before = kept(test);

	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 3;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	/* the same is no conflict; another REQ# has another register */
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->b.pdev.dev, &s), 0);
	s.cell[DMA_HINT_STREAMING][DMA_HINT_MRM].prefetch_lines = 2;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->c.pdev.dev, &s), 0);
	refused(test, &k->b, &s, -EBUSY);
	/* other bits of the register are free */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_BLOCK)->block_bytes = 512;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->b.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[0], 0xa503);
	/* a's go, b's stay; with b's all is as it was */
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->a.pdev.dev), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[0], 0xa503);
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->b.pdev.dev), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->c.pdev.dev), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	/* free for others now */
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 2;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->b.pdev.dev, &s), 0);
}

/* One IOMMU with two host bridges below it */
static void test_busy_elsewhere(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_provider *second;
	struct dma_hint_set s = { };
	struct state *before = kept(test);

	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_RELAXED_OUT)->relaxed_out = true;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	dma_hint_provider_unregister(k->hp);
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), -EOPNOTSUPP);
	k->hp = dma_hint_provider_register(&k->bridge.pdev.dev, &host_ops, k);
	second = dma_hint_provider_register(&k->port.pdev.dev, &host_ops, k);
	KUNIT_ASSERT_FALSE(test, IS_ERR(k->hp) || IS_ERR(second));
	k->regs.reg[HOST_SHARED] = before->reg[HOST_SHARED];
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	s.cell[DMA_HINT_STREAMING][DMA_HINT_MRM].relaxed_out = false;
	refused(test, &k->pf, &s, -EBUSY);
	KUNIT_EXPECT_EQ(test, dma_hints_reset(&k->a.pdev.dev), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	dma_hint_provider_unregister(second);
}

/* A device that goes takes its hints along. */
static void test_forget(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s = { };
	struct state *before = kept(test);

	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 3;
	whole(&s, DMA_HINT_CACHE_LINE_SIZE)->cls_dwords = 16;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	dma_hints_forget(&k->a.pdev.dev);
	KUNIT_EXPECT_EQ(test, k->regs.reg[0], before->reg[0]);
	/* its own registers went with it: they are not accessed */
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_CACHE_LINE_SIZE], 16);
}

/* Order is what everybody on the path allows. */
static void test_path(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_provider *second;
	struct dma_hint_set s = { };

	/* the same registers once more, nearer to the device */
	second = dma_hint_provider_register(&k->bridge.pdev.dev, &host_ops, k);
	KUNIT_ASSERT_FALSE(test, IS_ERR(second));
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_PREFETCH)->prefetch_lines = 3;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	/* the nearest one only: read, written, read back, and probed before */
	KUNIT_EXPECT_EQ(test, k->regs.writes, 1);
	KUNIT_EXPECT_GT(test, second->logged, 2);
	KUNIT_EXPECT_EQ(test, k->hp->logged, 0);
	memset(&s, 0, sizeof(s));
	cell(&s, DMA_HINT_STREAMING, DMA_HINT_MRM, DMA_HINT_RELAXED_OUT)->relaxed_out = true;
	KUNIT_EXPECT_EQ(test, dma_hints_set(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_GT(test, k->hp->logged, 0);
	dma_hint_provider_unregister(second);
}

/* What a driver wants, as far as the path has it */
static void test_possible(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hint_set s;

	all_kinds(&s);
	whole(&s, DMA_HINT_NO_SNOOP)->no_snoop = true;
	KUNIT_EXPECT_EQ(test, dma_hints_set_possible(&k->a.pdev.dev, &s), 0);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_CACHE_LINE_SIZE], 16);
	KUNIT_EXPECT_EQ(test, dma_hints_set_possible(&k->host, &s), 0);
}

static void test_raw(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);
	struct pci_dev *pdev = &k->a.pdev;

	KUNIT_EXPECT_EQ(test, dma_hints_raw(k->hp, pdev, 1, 0x5a), -EPERM);
	dma_hints_unsafe = true;
	KUNIT_EXPECT_EQ(test, dma_hints_raw(k->hp, pdev, HOST_SANE, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, dma_hints_raw(k->hp, pdev, 1, 0x100), -EINVAL);
	KUNIT_EXPECT_EQ(test, dma_hints_raw(k->hp, pdev, 3, 0x5a), -EIO);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_EXPECT_EQ(test, dma_hints_raw(k->hp, pdev, 1, 0x5a), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[1], 0xa55a);
}

/* A provider that does not answer has nothing, for now */
static void test_silent(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	u64 host = dma_hints_slots(&k->a.pdev.dev);

	k->hp->probed = false;
	k->regs.reg[HOST_SANE] = ~0;
	KUNIT_EXPECT_EQ(test, dma_hints_slots(&k->a.pdev.dev),
			host & (BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_LATENCY_TIMER)) |
				BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_CACHE_LINE_SIZE)) |
				BIT_ULL(DMA_HINT_DEV_SLOT(DMA_HINT_MWI))));
	KUNIT_EXPECT_FALSE(test, k->hp->probed);
	k->regs.reg[HOST_SANE] = 0;
	KUNIT_EXPECT_EQ(test, dma_hints_slots(&k->a.pdev.dev), host);
}

/* What chooses a hint set stands right above the I/O virtual space. */
static void test_sba_arithmetic(struct kunit *test)
{
	unsigned int bits, set;
	u64 space;

	for (bits = 20; bits <= 30; bits++) {
		space = (1ULL << bits) - 1;
		KUNIT_EXPECT_EQ(test, (u64)sba_iovp_mask(bits, 12),
				space & ~0xfffULL);
		for (set = 0; set < 4; set++) {
			u64 hint = sba_hint_bits(bits, set);

			KUNIT_EXPECT_EQ(test, hint, (u64)set << bits);
			/* it fits into 32 bits, and does not touch the space */
			KUNIT_EXPECT_EQ(test, hint >> 32, 0);
			KUNIT_EXPECT_EQ(test, hint & space, 0);
			/* an address finds back to its page */
			KUNIT_EXPECT_EQ(test, (hint | (space - 5)) &
					      sba_iovp_mask(bits, 12),
					space & ~0xfffULL);
		}
		KUNIT_EXPECT_EQ(test, (u64)sba_hint_bits(bits, 4), 0);
	}
	KUNIT_EXPECT_EQ(test, (u64)sba_hint_bits(31, 3), 0);
	KUNIT_EXPECT_EQ(test, sba_hint_streaming(0), SBA_HINT_STREAMING);
	KUNIT_EXPECT_EQ(test, sba_hint_streaming(DMA_ATTR_WEAK_ORDERING),
			SBA_HINT_RELAXED);
}

static struct kunit_case hints_kunit_cases[] = {
	KUNIT_CASE(test_refusals),
	KUNIT_CASE(test_virtual_function),
	KUNIT_CASE(test_unsafe),
	KUNIT_CASE(test_caps),
	KUNIT_CASE(test_set),
	KUNIT_CASE(test_pcix),
	KUNIT_CASE(test_pcie),
	KUNIT_CASE(test_look),
	KUNIT_CASE(test_does_not_stick),
	KUNIT_CASE(test_fail_nth),
	KUNIT_CASE(test_dead),
	KUNIT_CASE(test_roll_back_order),
	KUNIT_CASE(test_busy),
	KUNIT_CASE(test_busy_elsewhere),
	KUNIT_CASE(test_forget),
	KUNIT_CASE(test_path),
	KUNIT_CASE(test_possible),
	KUNIT_CASE(test_raw),
	KUNIT_CASE(test_silent),
	KUNIT_CASE(test_sba_arithmetic),
	{ }
};

static struct kunit_suite hints_kunit_suite = {
	.name = "dma_hints",
	.init = hints_kunit_init,
	.exit = hints_kunit_exit,
	.test_cases = hints_kunit_cases,
};

kunit_test_suite(hints_kunit_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of DMA hints");
