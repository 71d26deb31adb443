// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions and the host bridge of the KUnit tests of DMA hints, in memory. */

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include "dma_hints_kunit.h"

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

/**
 * hints_kunit_init() - make the functions and the host bridge
 * @test: test
 *
 * Context: Process; may end the test.
 * Return: 0.
 */
int hints_kunit_init(struct kunit *test)
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

/**
 * hints_kunit_exit() - take them away
 * @test: test
 *
 * Context: Process.
 */
void hints_kunit_exit(struct kunit *test)
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

/**
 * hints_map() - let addresses of the host bridge's IOMMU carry hints
 * @k: functions
 *
 * Context: Process.
 */
void hints_map(struct hints_kunit *k)
{
	k->mapping.dev = &k->host;
	k->mapping.ops = &dma_hint_mapping_ops;
	dma_hint_provider_register(&k->mapping);
	k->mapped = true;
}

MODULE_IMPORT_NS(DMA_HINTS_KUNIT);
MODULE_LICENSE("GPL");
