// SPDX-License-Identifier: GPL-2.0-or-later
/* The PCI bus of io_check's KUnit tests, in memory. */

#include <linux/module.h>
#include <linux/vmalloc.h>
#include "io_check_kunit.h"

static struct fake_fn *fake_find(struct pci_bus *bus, unsigned int devfn)
{
	struct fake_bus *fake = container_of(bus, struct fake_bus, bus);
	struct fake_fn *fn;

	if (PCI_SLOT(devfn) >= ARRAY_SIZE(fake->fn))
		return NULL;
	fn = fake->fn[PCI_SLOT(devfn)];
	return fn && !fn->absent ? fn : NULL;
}

static int fake_read(struct pci_bus *bus, unsigned int devfn, int where,
		     int size, u32 *val)
{
	struct fake_fn *fn = fake_find(bus, devfn);

	*val = ~0;
	if (!fn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	switch (where) {
	case PCI_VENDOR_ID:
		*val = 0x00541000;
		break;
	case PCI_COMMAND:
		*val = fn->command;
		break;
	case PCI_STATUS:
		*val = atomic_read(&fn->status);
		break;
	case PCI_SEC_STATUS:
		*val = atomic_read(&fn->sec_status);
		break;
	case FAKE_EXP + PCI_EXP_DEVSTA:
		*val = fn->devsta;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_STATUS:
		*val = fn->uncor;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_MASK:
		*val = fn->uncor_mask;
		break;
	case FAKE_DPC + PCI_EXP_DPC_STATUS:
		*val = fn->dpc;
		break;
	default:
		*val = 0;
	}
	return PCIBIOS_SUCCESSFUL;
}

static int fake_write(struct pci_bus *bus, unsigned int devfn, int where,
		      int size, u32 val)
{
	struct fake_fn *fn = fake_find(bus, devfn);
	int i;

	if (!fn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	/* configuration cycles take their time; races get theirs */
	for (i = 0; i < 20; i++)
		cpu_relax();
	switch (where) {
	case PCI_COMMAND:
		fn->command = val;
		break;
	case PCI_STATUS:
		atomic_andnot(val, &fn->status);
		break;
	case PCI_SEC_STATUS:
		atomic_andnot(val & ~fn->stuck, &fn->sec_status);
		atomic_or(fn->again, &fn->sec_status);
		fn->again = 0;
		break;
	case FAKE_EXP + PCI_EXP_DEVSTA:
		fn->devsta = (fn->devsta & ~val) | fn->devsta_again;
		fn->devsta_again = 0;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_STATUS:
		fn->uncor &= ~val;
		break;
	}
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops fake_ops = {
	.read	= fake_read,
	.write	= fake_write,
};

static void fake_release(struct device *dev)
{
	/* the memory is the test's */
}

static int fake_add(struct fake_bus *bus, unsigned int slot,
		    struct fake_fn *fn, const char *name)
{
	struct pci_dev *pdev = &fn->pdev;

	bus->fn[slot] = fn;
	fn->command = PCI_COMMAND_MEMORY;
	pdev->bus = &bus->bus;
	pdev->devfn = PCI_DEVFN(slot, 0);
	pdev->error_state = pci_channel_io_normal;
	pdev->dev.release = fake_release;
	pdev->dev.init_name = name;
	return device_register(&pdev->dev);
}

static struct pci_driver fake_driver = {
	.name	= "io_check_kunit",
};

/**
 * io_check_kunit_bind() - bind a driver to the device under test
 * @k: devices
 *
 * Context: Process.
 * Return: 0, or what pci_io_check_enable() returns.
 */
int io_check_kunit_bind(struct io_check_kunit *k)
{
	int ret;

	k->pdev->driver = &fake_driver;
	k->group = devres_open_group(&k->pdev->dev, NULL, GFP_KERNEL);
	ret = pci_io_check_enable(k->pdev, k->regs + SENTINEL);
	devres_close_group(&k->pdev->dev, k->group);
	k->idev = io_check_dev_find(k->pdev);
	return ret;
}

/**
 * io_check_kunit_unbind() - unbind the driver again
 * @k: devices
 *
 * Context: Process.
 */
void io_check_kunit_unbind(struct io_check_kunit *k)
{
	device_lock(&k->pdev->dev);
	devres_release_group(&k->pdev->dev, k->group);
	k->pdev->driver = NULL;
	device_unlock(&k->pdev->dev);
}

/**
 * io_check_kunit_init() - make the devices, and bind the driver of one
 * @test: test
 *
 * Context: Process; may end the test.
 * Return: 0.
 */
int io_check_kunit_init(struct kunit *test)
{
	struct io_check_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	test->priv = k;
	k->mem = vzalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, k->mem);
	k->regs = (__force void __iomem *)k->mem;
	*(__le32 *)(k->mem + SENTINEL) = cpu_to_le32(9);
	k->root.bus.ops = &fake_ops;
	k->below.bus.ops = &fake_ops;
	k->below.bus.parent = &k->root.bus;
	k->below.bus.self = &k->bridge.pdev;
	k->other.bus.ops = &fake_ops;
	k->bridge.pdev.subordinate = &k->below.bus;
	/* its errors are the kernel's to clear */
	k->host = pci_alloc_host_bridge(0);
	KUNIT_ASSERT_NOT_NULL(test, k->host);
	k->root.bus.bridge = &k->host->dev;
	k->other.bus.bridge = &k->host->dev;
	k->pdev = &k->dev.pdev;
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->root, 0, &k->bridge, "fake_bridge"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->below, 0, &k->dev, "fake_dev"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->below, 1, &k->neighbour, "fake_neighbour"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->other, 0, &k->foreign, "fake_foreign"));
	KUNIT_ASSERT_EQ(test, 0, io_check_kunit_bind(k));
	return 0;
}

/**
 * io_check_kunit_exit() - take the devices away
 * @test: test
 *
 * Context: Process.
 */
void io_check_kunit_exit(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	if (!k)
		return;
	if (k->pdev->driver)
		io_check_kunit_unbind(k);
	device_unregister(&k->foreign.pdev.dev);
	device_unregister(&k->neighbour.pdev.dev);
	device_unregister(&k->dev.pdev.dev);
	device_unregister(&k->bridge.pdev.dev);
	pci_free_host_bridge(k->host);
	vfree(k->mem);
}

MODULE_IMPORT_NS(IO_CHECK_KUNIT);
MODULE_LICENSE("GPL");
