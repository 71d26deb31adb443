// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of DMA hints.  The functions have configuration spaces in memory
 * with bits that cannot be written, and the host bridge has registers in memory:
 *
 *	host ---+-- bridge --+-- a	conventional
 *	(root)	|	     +-- b	the same
 *		+-- c			conventional, with a PCI-X capability
 *		+-- port ----+-- pf	PCI Express
 *			     +-- vf
 *
 * On PA-RISC SBA's own code maps memory for a, with an I/O page directory and
 * registers in memory.
 */

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/dma-hints.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include "../dma_hints.h"
#if IS_BUILTIN(CONFIG_IOMMU_SBA)
#include <asm/ropes.h>
#include "../../parisc/sba_hints.h"
#endif

#define FAKE_CAP	0x40
#define DEVCTL		(FAKE_CAP + PCI_EXP_DEVCTL)
#define BOTH		(BIT(DMA_HINT_CONSISTENT) | BIT(DMA_HINT_STREAMING))

struct fake_fn {
	struct pci_dev pdev;
	u8 config[256];
	u8 fixed[256];		/* bits that cannot be written */
	int silent;		/* accesses to come that are lost; < 0: all */
	int writes;		/* lost or not */
};

struct fake_bus {
	struct pci_bus bus;
	struct fake_fn *fn[3];	/* by device number */
};

/* The host bridge's registers: prefetch, read current, order */
enum { HOST_PREFETCH, HOST_CURRENT, HOST_ORDER, HOST_REGS };

struct fake_host {
	u32 reg[HOST_REGS];
	u32 fixed;		/* BIT() of registers that do not change */
	int fail;		/* accesses that fail from now on, counted down */
	int writes;
	u8 order[16];		/* registers as they were written */
};

struct hints_kunit {
	struct fake_bus root, below, express;
	struct fake_fn bridge, a, b, c, port, pf, vf;
	struct pci_host_bridge bridge_dev;
	struct device host;
	struct dma_hint_provider hp, mapping;
	bool mapped;
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
	fn->writes += write;
	/* as hardware does it: all-ones, and no error; a lost write is only lost */
	if (fn->silent) {
		if (fn->silent > 0)
			fn->silent--;
		if (!write)
			*val = ~0U >> (32 - 8 * size);
		return PCIBIOS_SUCCESSFUL;
	}
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
	spin_lock_init(&pdev->pcie_cap_lock);
	pdev->bus = &bus->bus;
	pdev->devfn = PCI_DEVFN(slot, 0);
	pdev->hdr_type = PCI_HEADER_TYPE_NORMAL;
	pdev->error_state = pci_channel_io_normal;
	pdev->dma_mask = DMA_BIT_MASK(32);
	pdev->dev.dma_mask = &pdev->dma_mask;
	pdev->dev.coherent_dma_mask = DMA_BIT_MASK(32);
	pdev->dev.release = fake_release;
	pdev->dev.init_name = name;
	pdev->dev.parent = bus->bus.self ? &bus->bus.self->dev : bus->bus.bridge;
	KUNIT_ASSERT_EQ(test, device_register(&pdev->dev), 0);
	pdev->dev.bus = &pci_bus_type;
	fn->config[PCI_VENDOR_ID] = 0x55;
	/* writing ones clears status, which is never set here */
	memset(&fn->fixed[PCI_STATUS], 0xff, 2);
}

static void fake_remove(struct fake_fn *fn)
{
	if (!device_is_registered(&fn->pdev.dev))
		return;
	fn->silent = 0;
	dma_hints_forget(&fn->pdev);
	fn->pdev.dev.bus = NULL;
	fn->pdev.dev.platform_data = NULL;
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
	fn->config[DEVCTL + 1] = 2 << 4;	/* 512 bytes */
}

/* Reads ahead for streaming MRM only; order and read current for all */
static const u32 host_prefetch[] = { 32, 64, 0, 128, [6] = DMA_HINT_KEEP_HALF };

static const struct dma_hint_field host_fields[] = {
	{ .id = DMA_HINT_PREFETCH, .classes = BIT(DMA_HINT_STREAMING),
	  .commands = DMA_HINT_MRM, .reg = HOST_PREFETCH, .mask = 0x77, .unit = 0x11,
	  .values = host_prefetch, .nr_values = ARRAY_SIZE(host_prefetch) },
	{ .id = DMA_HINT_READ_CURRENT, .classes = BOTH, .commands = DMA_HINT_READS,
	  .reg = HOST_CURRENT, .mask = 0x1, .unit = 0x1 },
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BOTH, .commands = DMA_HINT_READS,
	  .reg = HOST_ORDER, .mask = 0x2, .unit = 0x2, .invert = true },
	{ }
};

static struct fake_host *host_regs(void *priv)
{
	return &((struct hints_kunit *)priv)->regs;
}

static int host_get(void *priv, struct pci_dev *pdev, u32 reg, u32 *val)
{
	struct fake_host *h = host_regs(priv);

	*val = h->reg[reg];
	if (!h->fail)
		return 0;
	h->fail -= h->fail > 0;
	return -EIO;
}

static int host_set(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits)
{
	struct fake_host *h = host_regs(priv);

	if (h->fail) {
		h->fail -= h->fail > 0;
		return -EIO;
	}
	h->order[h->writes++ % ARRAY_SIZE(h->order)] = reg;
	if (!(h->fixed & BIT(reg)))
		h->reg[reg] = (h->reg[reg] & ~mask) | bits;
	return 0;
}

static const struct dma_hint_ops host_ops = {
	.name	= "fake",
	.grain	= DMA_HINT_BUS,
	.fields	= host_fields,
	.get	= host_get,
	.set	= host_set,
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
		k->regs.reg[i] = 0xa500 | (i == HOST_PREFETCH ? 0 : 0x3);
	k->hp.dev = &k->host;
	k->hp.ops = &host_ops;
	k->hp.priv = k;
	dma_hint_provider_register(&k->hp);
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
	k->port.pdev.hdr_type = PCI_HEADER_TYPE_BRIDGE;
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
	return 0;
}

static void hints_kunit_exit(struct kunit *test)
{
	struct hints_kunit *k = test->priv;

	if (!k || !device_is_registered(&k->host))
		return;
	k->regs.fail = 0;
	fake_remove(&k->vf);
	fake_remove(&k->pf);
	fake_remove(&k->b);
	fake_remove(&k->a);
	fake_remove(&k->port);
	fake_remove(&k->c);
	fake_remove(&k->bridge);
	if (device_is_registered(&k->bridge_dev.dev))
		device_unregister(&k->bridge_dev.dev);
	if (k->mapped)
		dma_hint_provider_unregister(&k->mapping);
	dma_hint_provider_unregister(&k->hp);
	device_unregister(&k->host);
}

/* The host bridge's IOMMU hands out addresses that carry hints. */
static void fake_mapping(struct hints_kunit *k)
{
	k->mapping.dev = &k->host;
	k->mapping.ops = &dma_hint_mapping_ops;
	dma_hint_provider_register(&k->mapping);
	k->mapped = true;
}

/* All that hints may change */
struct state {
	u32 reg[HOST_REGS];
	u8 config[5][256];
	u8 relaxed;
};

static struct state *kept(struct kunit *test)
{
	struct state *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct hints_kunit *k = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, s);
	memcpy(s->reg, k->regs.reg, sizeof(s->reg));
	memcpy(s->config[0], k->a.config, 256);
	memcpy(s->config[1], k->b.config, 256);
	memcpy(s->config[2], k->c.config, 256);
	memcpy(s->config[3], k->pf.config, 256);
	memcpy(s->config[4], k->vf.config, 256);
	s->relaxed = k->a.pdev.dma_relaxed;
	return s;
}

static bool unchanged(struct kunit *test, const struct state *s)
{
	return !memcmp(s, kept(test), sizeof(*s));
}

static struct dma_hints order_hint(bool val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_RELAXED_ORDER), .relaxed_order = val,
	};
}

static struct dma_hints current_hint(bool val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_READ_CURRENT), .read_current = val,
	};
}

static struct dma_hints prefetch_hint(u32 val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_PREFETCH), .commands = DMA_HINT_MRM, .prefetch = val,
	};
}

static struct dma_hints block_hint(u32 val)
{
	return (struct dma_hints) { .valid = BIT(DMA_HINT_BLOCK), .block = val };
}

static int driver(struct fake_fn *fn, enum dma_hint_class class, struct dma_hints hints)
{
	return dma_set_hints(&fn->pdev.dev, class, &hints);
}

static int admin(struct fake_fn *fn, enum dma_hint_class class, struct dma_hints hints)
{
	return dma_hints_apply(&fn->pdev, DMA_HINT_ADMIN, class, &hints);
}

/* Refused with this error, to either owner, and nothing is different after it */
static void refused(struct kunit *test, struct fake_fn *fn, enum dma_hint_class class,
		    struct dma_hints hints, int error)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);
	int writes = k->regs.writes + fn->writes;

	KUNIT_EXPECT_EQ(test, driver(fn, class, hints), error);
	KUNIT_EXPECT_EQ(test, admin(fn, class, hints), error);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_EXPECT_EQ(test, k->regs.writes + fn->writes, writes);
}

static u16 devctl(const struct fake_fn *fn)
{
	return fn->config[DEVCTL] | fn->config[DEVCTL + 1] << 8;
}

static void test_refusals(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints both = prefetch_hint(64);

	/* what is nothing at all */
	refused(test, &k->pf, DMA_HINT_ALL + 1, block_hint(512), -EINVAL);
	both.commands = 0x10;
	refused(test, &k->a, DMA_HINT_STREAMING, both, -EINVAL);
	both.valid = BIT(DMA_HINT_NR);
	refused(test, &k->a, DMA_HINT_STREAMING, both, -EINVAL);
	refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(31), -EINVAL);
	refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(DMA_HINT_KEEP_FULL), -EINVAL);
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(127), -EINVAL);
	/* classes and commands that are not told apart */
	refused(test, &k->pf, DMA_HINT_STREAMING, block_hint(512), -EINVAL);
	refused(test, &k->pf, DMA_HINT_STREAMING, order_hint(true), -EINVAL);
	refused(test, &k->a, DMA_HINT_STREAMING, current_hint(false), -EINVAL);
	both = current_hint(true);
	both.commands = DMA_HINT_MR;
	refused(test, &k->a, DMA_HINT_ALL, both, -EINVAL);
	/* places */
	refused(test, &k->a, DMA_HINT_ALL, block_hint(512), -EOPNOTSUPP);
	refused(test, &k->a, DMA_HINT_CONSISTENT, prefetch_hint(64), -EOPNOTSUPP);
	refused(test, &k->pf, DMA_HINT_STREAMING, prefetch_hint(64), -EOPNOTSUPP);
	k->root.bus.cur_bus_speed = PCI_SPEED_100MHz_PCIX;
	refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(64), -EOPNOTSUPP);
	k->root.bus.cur_bus_speed = PCI_SPEED_66MHz;
	KUNIT_EXPECT_EQ(test, dma_set_hints(&k->host, DMA_HINT_ALL, &both), -EOPNOTSUPP);
	/* what is not safe */
	refused(test, &k->a, DMA_HINT_ALL, current_hint(false), -EPERM);
	both = order_hint(true);
	both.commands = DMA_HINT_MW;
	refused(test, &k->a, DMA_HINT_ALL, both, -EPERM);
	k->port.pdev.dev_flags = PCI_DEV_FLAGS_NO_RELAXED_ORDERING;
	refused(test, &k->pf, DMA_HINT_ALL, order_hint(true), -EPERM);
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, order_hint(false)), 0);
	k->port.pdev.dev_flags = 0;
	k->bridge_dev.no_inc_mrrs = 1;
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EPERM);
	k->bridge_dev.no_inc_mrrs = 0;
	k->root.bus.bus_flags = PCI_BUS_FLAGS_NO_MMRBC;
	refused(test, &k->c, DMA_HINT_ALL, block_hint(1024), -EPERM);
	k->root.bus.bus_flags = 0;
	refused(test, &k->c, DMA_HINT_ALL, block_hint(4096), -EPERM);	/* as designed */
}

/* Each hint reaches its bits, rounded down, and no others. */
static void test_set(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);
	struct dma_hints both = order_hint(true);

	both.valid |= BIT(DMA_HINT_BLOCK);
	both.block = 1500;
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, both), 0);
	KUNIT_EXPECT_EQ(test, devctl(&k->pf),
			PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_READRQ_1024B);
	/* order is what all of the path allow */
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);
	KUNIT_EXPECT_EQ(test, driver(&k->c, DMA_HINT_ALL, both), 0);
	KUNIT_EXPECT_EQ(test, k->c.config[FAKE_CAP + PCI_X_CMD],
			PCI_X_CMD_ERO | PCI_X_CMD_READ_1K);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(127)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(100000)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING,
				     prefetch_hint(DMA_HINT_KEEP_HALF)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa566);
	/* unbound */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);	/* c's, too */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->c.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
}

struct walked {
	int n;
	u32 val;
	bool none;
	enum dma_hint_owner owner;
};

static void walk(void *data, const struct dma_hint_ops *ops,
		 const struct dma_hint_field *f, const u32 *val, enum dma_hint_owner owner)
{
	struct walked *w = data;

	w->n++;
	w->none = !val;
	w->val = val ? *val : 0;
	w->owner = owner;
}

static void expect_walk(struct kunit *test, struct fake_fn *fn, enum dma_hint_id id,
			u32 val, enum dma_hint_owner owner)
{
	struct walked w = { };

	KUNIT_EXPECT_EQ(test, dma_hints_walk(&fn->pdev, id, walk, &w), 0);
	KUNIT_EXPECT_EQ(test, w.n, 1);
	KUNIT_EXPECT_EQ(test, w.val, val);
	KUNIT_EXPECT_EQ(test, w.owner, owner);
}

/* A driver's default, an administrator's word, and who gives what back */
static void test_owners(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);

	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 512, DMA_HINT_FIRMWARE);
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 1024, DMA_HINT_DRIVER);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	/* the driver's does not show */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(2048)), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	/* but for the reset: then the driver's last word counts */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 2048, DMA_HINT_DRIVER);
	/* unbind keeps the administrator's, and the reset brings firmware's */
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 512, DMA_HINT_FIRMWARE);
	/* where the driver has set nothing, an unbind undoes nothing */
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	/* what a driver does by itself meanwhile is its own */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	KUNIT_EXPECT_EQ(test, pcie_set_readrq(&k->pf.pdev, 2048), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	expect_walk(test, &k->pf, DMA_HINT_BLOCK, 2048, DMA_HINT_FIRMWARE);
	KUNIT_EXPECT_EQ(test, pcie_set_readrq(&k->pf.pdev, 512), 0);
	/* order that the driver keeps stays */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, order_hint(false)), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, order_hint(true)), -EPERM);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
}

/* Two behind one bridge: busy is what would really change for the other. */
static void test_busy(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);

	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), -EBUSY);
	/* an administrator's word is above drivers', and is not another one's */
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), -EBUSY);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->b.pdev, DMA_HINT_ADMIN), 0);
	/* what rounds to the same is the same; another field is free */
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(80)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_ALL, current_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	/* nobody else is there any more */
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	dma_hints_forget(&k->b.pdev);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	/* a default that does not show is in nobody's way */
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(32)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
}

/* A field that does not take its value: all are put back, the last one first. */
static void test_put_back(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints both = prefetch_hint(64);
	struct state *before = kept(test);

	both.valid |= BIT(DMA_HINT_RELAXED_ORDER);
	both.relaxed_order = true;
	both.commands = 0;
	k->regs.fixed = BIT(HOST_PREFETCH);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_ALL, both), -EIO);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
	KUNIT_ASSERT_EQ(test, k->regs.writes, 4);
	KUNIT_EXPECT_EQ(test, k->regs.order[0], HOST_ORDER);
	KUNIT_EXPECT_EQ(test, k->regs.order[2], HOST_PREFETCH);
	KUNIT_EXPECT_EQ(test, k->regs.order[3], HOST_ORDER);
	/* nobody has claimed anything */
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_ALL, order_hint(true)), 0);
	/* DEVCTL, whose ordering is hardwired, as QEMU's */
	k->pf.fixed[DEVCTL] = 0xff;
	before = kept(test);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, order_hint(true)), -EIO);
	KUNIT_EXPECT_TRUE(test, unchanged(test, before));
}

/* Each access fails once, or all from it on: never dead, and mended at last. */
static void test_fail_nth(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct state *before = kept(test);
	int n, ret;

	for (n = 1; n < 8; n++) {
		k->regs.fail = 0;
		KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
		k->regs.fail = n;
		ret = dma_hints_release(&k->a.pdev, DMA_HINT_ADMIN);
		KUNIT_EXPECT_EQ(test, ret, -EIO);
		k->regs.fail = 0;
		/* somebody else's next call puts it right */
		KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_ALL, current_hint(true)), 0);
		KUNIT_EXPECT_TRUE_MSG(test, unchanged(test, before), "%d failed", n);
	}
	k->regs.fail = -1;
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), -EIO);
	k->regs.fail = 0;
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
}

/*
 * A function that is off, or in reset, reads as all-ones: nothing is made of that,
 * least of all a write with Initiate Function Level Reset in it.
 */
static void test_all_ones(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints_caps caps;
	int lost, ret;

	for (lost = 1; lost < 16; lost++) {
		k->pf.config[DEVCTL] = 0;
		k->pf.config[DEVCTL + 1] = 2 << 4;
		k->pf.silent = lost;	/* then it is back */
		ret = admin(&k->pf, DMA_HINT_ALL, block_hint(1024));
		k->pf.silent = 0;
		KUNIT_EXPECT_EQ_MSG(test, devctl(&k->pf) & ~PCI_EXP_DEVCTL_READRQ, 0,
				    "%d lost, DEVCTL 0x%x, %d", lost, devctl(&k->pf), ret);
		ret = pcie_set_readrq(&k->pf.pdev, 512);
		KUNIT_EXPECT_EQ(test, ret, 0);
		k->pf.silent = lost;
		pcie_set_readrq(&k->pf.pdev, 1024);
		k->pf.silent = 0;
		KUNIT_EXPECT_EQ_MSG(test, devctl(&k->pf) & ~PCI_EXP_DEVCTL_READRQ, 0,
				    "%d lost, DEVCTL 0x%x", lost, devctl(&k->pf));
		dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN);
	}
	/* it does not come back */
	k->pf.silent = -1;
	refused(test, &k->pf, DMA_HINT_ALL, order_hint(true), -EIO);
	/* nor is a limit made of it */
	k->bridge_dev.no_inc_mrrs = 1;
	dma_hints_query(&k->pf.pdev.dev, &caps);
	k->bridge_dev.no_inc_mrrs = 0;
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 0);
	k->c.silent = -1;
	KUNIT_EXPECT_NE(test, admin(&k->c, DMA_HINT_ALL, block_hint(1024)), 0);
	KUNIT_EXPECT_EQ(test, k->c.writes, 0);
	k->c.silent = 0;
}

/* Off, isolated, gone, in a reset: refused, and nothing is written. */
static void test_not_now(struct kunit *test)
{
	struct hints_kunit *k = test->priv;

	k->pf.pdev.current_state = PCI_D3cold;
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.current_state = PCI_D0;
	k->pf.pdev.error_state = pci_channel_io_frozen;
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.error_state = pci_channel_io_perm_failure;
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.error_state = pci_channel_io_normal;
	pci_cfg_access_lock(&k->pf.pdev);	/* as pci_reset_function() */
	refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EAGAIN);
	pci_cfg_access_unlock(&k->pf.pdev);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	/* an adapter that is offline leaves what it shares, and others mend it */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	k->a.pdev.error_state = pci_channel_io_perm_failure;
	KUNIT_EXPECT_NE(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->b.pdev, DMA_HINT_ADMIN), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa500);
}

static void test_query(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints_caps caps;
	struct dma_hint_cap *cap = &caps.hint[DMA_HINT_RELAXED_ORDER];
	struct walked w = { };

	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->pf.pdev.dev, &caps), 0);
	KUNIT_EXPECT_TRUE(test, cap->possible);
	KUNIT_EXPECT_EQ(test, cap->grain, DMA_HINT_BUS);	/* the widest */
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 4096);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].grain, DMA_HINT_FUNCTION);
	KUNIT_EXPECT_FALSE(test, caps.hint[DMA_HINT_PREFETCH].possible);
	KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_PREFETCH].limit,
			   "requests say their length");
	k->port.pdev.dev_flags = PCI_DEV_FLAGS_NO_RELAXED_ORDERING;
	k->bridge_dev.no_inc_mrrs = 1;
	dma_hints_query(&k->pf.pdev.dev, &caps);
	KUNIT_EXPECT_FALSE(test, cap->possible);
	KUNIT_EXPECT_STREQ(test, cap->limit, "fake_port no relaxed ordering, a quirk");
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 512);
	k->bridge_dev.no_inc_mrrs = 0;
	k->port.pdev.dev_flags = 0;
	dma_hints_query(&k->c.pdev.dev, &caps);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 2048);
	KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_BLOCK].limit, "function, as designed");
	dma_hints_query(&k->a.pdev.dev, &caps);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_PREFETCH].max, 128);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 0);
	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->host, &caps), -EOPNOTSUPP);
	/* copies that differ are no value */
	k->regs.reg[HOST_PREFETCH] = 0x10;
	KUNIT_EXPECT_EQ(test, dma_hints_walk(&k->a.pdev, DMA_HINT_PREFETCH, walk, &w), 0);
	KUNIT_EXPECT_TRUE(test, w.none);
	k->regs.reg[HOST_PREFETCH] = 0x22;	/* nor is a code that has none */
	dma_hints_walk(&k->a.pdev, DMA_HINT_PREFETCH, walk, &w);
	KUNIT_EXPECT_TRUE(test, w.none);
	if (IS_ENABLED(CONFIG_PCI_IOV)) {
		refused(test, &k->vf, DMA_HINT_ALL, block_hint(512), -EOPNOTSUPP);
		dma_hints_query(&k->vf.pdev.dev, &caps);
		KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_BLOCK].limit,
				   "the PF's to set");
	}
}

/* Any user may look: that clears no status, which a session may be waiting for. */
static void test_look(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct walked w = { };
	int writes;

	/* here a write of status stores it, and clears nothing */
	memset(&k->port.fixed[PCI_STATUS], 0, 2);
	k->port.config[PCI_STATUS + 1] = PCI_STATUS_PARITY >> 8;
	writes = k->port.writes + k->pf.writes;
	KUNIT_EXPECT_EQ(test, dma_hints_walk(&k->pf.pdev, DMA_HINT_BLOCK, walk, &w), 0);
	KUNIT_EXPECT_EQ(test, k->port.config[PCI_STATUS + 1], PCI_STATUS_PARITY >> 8);
	KUNIT_EXPECT_EQ(test, k->port.writes + k->pf.writes, writes);
	k->port.config[PCI_STATUS + 1] = 0;
	memset(&k->port.fixed[PCI_STATUS], 0xff, 2);
}

/* What an address carries is a default by class, and needs no register. */
static void test_mapping(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct device *dev = &k->a.pdev.dev;

	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), -EINVAL);
	fake_mapping(k);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.writes, 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_CONSISTENT, 0), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 3);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_CONSISTENT,
					      DMA_ATTR_WEAK_ORDERING), 2);
	/* the neighbour's are its own */
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(&k->b.pdev.dev, DMA_HINT_STREAMING, 0), 1);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, order_hint(false)), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 1);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING,
					      DMA_ATTR_WEAK_ORDERING), 3);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_ADMIN), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 3);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, 0);
	/* it is the function's own: no neighbour is asked for it while that is off */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	k->a.pdev.error_state = pci_channel_io_frozen;
	dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER);
	k->a.pdev.error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, 0);
	/* all: the mappings' defaults, and who is on the way to memory */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_ALL, order_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, BOTH);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);
}

#define RACES	100000

struct racer {
	struct fake_fn *fn;
	struct completion done;
	bool conventional;
};

/* Somebody who changes other bits of the same register by the same helpers */
static int race(void *data)
{
	struct racer *r = data;
	int i;

	for (i = 0; i < RACES; i++) {
		if (r->conventional && i & 1)
			pci_clear_master(&r->fn->pdev);
		else if (r->conventional)
			pci_set_master(&r->fn->pdev);
		else if (i & 1)
			pcie_capability_clear_word(&r->fn->pdev, PCI_EXP_DEVCTL,
						   PCI_EXP_DEVCTL_CERE);
		else
			pcie_capability_set_word(&r->fn->pdev, PCI_EXP_DEVCTL,
						 PCI_EXP_DEVCTL_CERE);
		if (!(i % 1000))
			cond_resched();
	}
	complete(&r->done);
	return 0;
}

static void race_start(struct kunit *test, struct racer *r, struct fake_fn *fn,
		       bool conventional)
{
	struct task_struct *task;

	r->fn = fn;
	r->conventional = conventional;
	init_completion(&r->done);
	task = kthread_run(race, r, "dma_hints_race");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

/* 100,000 changes of either side; each one's own bits are there after each. */
static void test_races(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct racer r;
	u32 lost = 0;
	int i;

	race_start(test, &r, &k->pf, false);
	for (i = 0; i < RACES; i++) {
		pcie_capability_clear_and_set_word(&k->pf.pdev, PCI_EXP_DEVCTL,
						   PCI_EXP_DEVCTL_RELAX_EN,
						   i & 1 ? PCI_EXP_DEVCTL_RELAX_EN : 0);
		lost += !(devctl(&k->pf) & PCI_EXP_DEVCTL_RELAX_EN) != !(i & 1);
		if (!(i % 100)) {
			lost += admin(&k->pf, DMA_HINT_ALL, block_hint(128 << i / 100 % 6)) != 0;
			lost += pcie_get_readrq(&k->pf.pdev) != 128 << i / 100 % 6;
		}
	}
	wait_for_completion(&r.done);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, devctl(&k->pf) & PCI_EXP_DEVCTL_CERE, 0);

	race_start(test, &r, &k->a, true);
	for (i = 0; i < RACES; i++) {
		if (i & 1)
			lost += pci_set_mwi(&k->a.pdev) != 0;
		else
			pci_clear_mwi(&k->a.pdev);
#ifdef PCI_DISABLE_MWI		/* the architecture leaves it to firmware */
		continue;
#endif
		lost += !(k->a.config[PCI_COMMAND] & PCI_COMMAND_INVALIDATE) != !(i & 1);
	}
	wait_for_completion(&r.done);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_COMMAND] & PCI_COMMAND_MASTER, 0);
}

#if IS_BUILTIN(CONFIG_IOMMU_SBA)

#define IOV_BITS	20

struct fake_sba {
	struct pci_hba_data hba;
	struct ioc ioc;
	/* __le64 from Linux 6.12 on */
	typeof(*((struct ioc *)NULL)->pdir_base) pdir[1 << (IOV_BITS - PAGE_SHIFT)];
	u8 res_map[(1 << (IOV_BITS - PAGE_SHIFT)) / 8] __aligned(8);
	u8 regs[PAGE_SIZE] __aligned(8);
};

/* The IOMMU's own driver maps for a, in an I/O virtual space of 1 MB. */
static struct fake_sba *fake_sba(struct kunit *test, unsigned long ibase)
{
	struct fake_sba *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct hints_kunit *k = test->priv;
	unsigned int use;

	KUNIT_ASSERT_NOT_NULL(test, f);
	spin_lock_init(&f->ioc.res_lock);
	f->ioc.ioc_hpa = (void __iomem *)f->regs;
	f->ioc.pdir_base = f->pdir;
	f->ioc.pdir_size = sizeof(f->pdir);
	f->ioc.res_map = f->res_map;
	f->ioc.res_size = sizeof(f->res_map);
	f->ioc.res_hint = (unsigned long *)f->res_map;
	f->ioc.ibase = ibase;
	f->ioc.iovp_mask = sba_iovp_mask(IOV_BITS, PAGE_SHIFT);
	for (use = 0; use < SBA_NR_HINTS; use++)
		f->ioc.hint[use] = sba_hint_bits(IOV_BITS, ibase, use);
	f->hba.iommu = &f->ioc;
	k->a.pdev.dev.platform_data = &f->hba;
	return f;
}

/* Map, look at the address, unmap: nothing stays in the IOMMU. */
static void expect_sets(struct kunit *test, struct fake_sba *f, unsigned long attrs,
			unsigned int consistent, unsigned int streaming)
{
	struct hints_kunit *k = test->priv;
	struct device *dev = &k->a.pdev.dev;
	struct scatterlist sg[3];
	dma_addr_t dma;
	void *mem;
	int i, n;

	mem = dma_alloc_attrs(dev, 3 * PAGE_SIZE, &dma, GFP_KERNEL, attrs);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_EXPECT_EQ(test, dma >> IOV_BITS & 3, consistent);
	dma_free_attrs(dev, 3 * PAGE_SIZE, mem, dma, attrs);

	mem = (void *)__get_free_pages(GFP_KERNEL, 2);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	dma = dma_map_single_attrs(dev, mem + 100, 2 * PAGE_SIZE, DMA_TO_DEVICE, attrs);
	KUNIT_EXPECT_EQ(test, dma >> IOV_BITS & 3, streaming);
	KUNIT_EXPECT_EQ(test, dma & ~PAGE_MASK, 100);
	dma_sync_single_for_cpu(dev, dma, PAGE_SIZE, DMA_TO_DEVICE);
	dma_unmap_single_attrs(dev, dma, 2 * PAGE_SIZE, DMA_TO_DEVICE, attrs);

	for (n = 1; n <= 3; n += 2) {
		sg_init_table(sg, n);
		for (i = 0; i < n; i++)		/* no two that join */
			sg_set_buf(&sg[i], mem + (n - 1 - i) * PAGE_SIZE + 8, 512);
		KUNIT_ASSERT_EQ(test, dma_map_sg_attrs(dev, sg, n, DMA_FROM_DEVICE, attrs), n);
		for (i = 0; i < n; i++) {
			KUNIT_EXPECT_EQ(test, sg_dma_address(&sg[i]) >> IOV_BITS & 3,
					streaming);
			KUNIT_EXPECT_EQ(test, sg_dma_address(&sg[i]) & ~PAGE_MASK, 8);
		}
		dma_unmap_sg_attrs(dev, sg, n, DMA_FROM_DEVICE, attrs);
	}
#if DELAYED_RESOURCE_CNT > 0
	/* what is unmapped is free when there is enough of it */
	while (f->ioc.saved_cnt) {
		dma = dma_map_single_attrs(dev, mem, 1, DMA_TO_DEVICE, attrs);
		dma_unmap_single_attrs(dev, dma, 1, DMA_TO_DEVICE, attrs);
	}
#endif
	free_pages((unsigned long)mem, 2);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(f->res_map, 0, sizeof(f->res_map)), NULL);
}

static void test_sba(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct fake_sba *f;

	if (!sba_list) {
		kunit_skip(test, "no SBA here");
		return;
	}
	f = fake_sba(test, 0);
	fake_mapping(k);
	expect_sets(test, f, 0, 0, 1);
	expect_sets(test, f, DMA_ATTR_WEAK_ORDERING, 2, 3);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	expect_sets(test, f, 0, 0, 3);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_CONSISTENT, order_hint(true)), 0);
	expect_sets(test, f, 0, 2, 3);
	/* masks that cannot hold the bits, asked when mapping */
	k->a.pdev.dma_mask = DMA_BIT_MASK(IOV_BITS + 1);
	expect_sets(test, f, 0, 2, 0);
	k->a.pdev.dev.coherent_dma_mask = DMA_BIT_MASK(IOV_BITS);
	expect_sets(test, f, 0, 0, 0);
	k->a.pdev.dma_mask = DMA_BIT_MASK(32);
	k->a.pdev.dev.coherent_dma_mask = DMA_BIT_MASK(32);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	/* no sets: an address is what it was */
	memset(f->ioc.hint, 0, sizeof(f->ioc.hint));
	expect_sets(test, f, DMA_ATTR_WEAK_ORDERING, 0, 0);
	/* ibase has one of the bits: there is no room for a set */
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 1 << IOV_BITS, 1), 0);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 4 << IOV_BITS, 1), 1 << IOV_BITS);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(30, 0, 3), 3UL << 30);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(31, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 0, 4), 0);
}
#endif

static struct kunit_case hints_cases[] = {
	KUNIT_CASE(test_refusals),
	KUNIT_CASE(test_set),
	KUNIT_CASE(test_owners),
	KUNIT_CASE(test_busy),
	KUNIT_CASE(test_put_back),
	KUNIT_CASE(test_fail_nth),
	KUNIT_CASE(test_all_ones),
	KUNIT_CASE(test_not_now),
	KUNIT_CASE(test_query),
	KUNIT_CASE(test_look),
	KUNIT_CASE(test_mapping),
	KUNIT_CASE(test_races),
#if IS_BUILTIN(CONFIG_IOMMU_SBA)
	KUNIT_CASE(test_sba),
#endif
	{ }
};

static struct kunit_suite hints_suite = {
	.name		= "dma_hints",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= hints_cases,
};

kunit_test_suite(hints_suite);

MODULE_LICENSE("GPL");
