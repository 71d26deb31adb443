// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a board makes of reads that nobody answers: a report to be sent in.
 *
 *	insmod io_check_board.ko device=DOMAIN:BUS:DEV.FN [bar=N] [offset=N] [count=N]
 *
 * Reads a register of a function that has no driver, by checked reads, while its memory
 * decoding is off (PCI 3.0, 6.2.2), and says what came back.  A machine without recovery
 * for what it reports panics.  The module does not stay: insmod fails with "Operation
 * canceled" after a report.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/dmi.h>
#include <linux/io.h>
#include <linux/io_check.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/utsname.h>
#ifdef CONFIG_ARM64
#include <asm/cputype.h>
#elif defined(CONFIG_PPC)
#include <asm/reg.h>
#endif

static char *device = "";
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "the function, 0000:01:00.0 for instance; it must have no driver");
static unsigned int bar;
module_param(bar, uint, 0);
MODULE_PARM_DESC(bar, "one of memory (0)");
static unsigned int offset;
module_param(offset, uint, 0);
MODULE_PARM_DESC(offset, "of a register of 32 bits in it (0)");
static unsigned int count = 100;
module_param(count, uint, 0);
MODULE_PARM_DESC(count, "reads, up to 1000000 (100)");

struct board {
	unsigned int good;	/* sessions without an error */
	unsigned int ones;	/* of these, all-ones */
	unsigned int failed;
	unsigned int others;	/* of these, with another cause than the first */
	struct io_check_err first;
};

static void board_reads(struct pci_dev *pdev, void __iomem *addr, struct board *b)
{
	struct io_check c;
	unsigned int i;
	u32 val;

	for (i = 0; i < count; i++) {
		io_check_begin(&c, pdev, IO_CHECK_READS);
		val = readl_check(&c, addr);
		if (!io_check_end(&c)) {
			b->good++;
			b->ones += val == U32_MAX;
			continue;
		}
		if (!b->failed++)
			b->first = *io_check_error(&c);
		b->others += io_check_error(&c)->cause != b->first.cause;
		cond_resched();
	}
}

static void board_machine(void)
{
	const char *model = dmi_get_system_info(DMI_PRODUCT_NAME);
	struct device_node *root = of_find_node_by_path("/");

	if (!model && of_property_read_string(root, "model", &model))
		model = "unknown";
	pr_info("kernel %s %s, machine %s\n", init_utsname()->release,
		init_utsname()->machine, model);
	of_node_put(root);
	if (dmi_get_system_info(DMI_BIOS_VERSION))
		pr_info("firmware %s %s\n", dmi_get_system_info(DMI_BIOS_VENDOR),
			dmi_get_system_info(DMI_BIOS_VERSION));
#ifdef CONFIG_ARM64
	pr_info("MIDR_EL1 0x%08x\n", read_cpuid_id());
#elif defined(CONFIG_PPC)
	pr_info("PVR 0x%08lx\n", mfspr(SPRN_PVR));
#endif
}

static void board_report(struct pci_dev *pdev, const struct board *b)
{
	const struct io_check_err *err = &b->first;

	pr_info("a report, to be sent in with /proc/cpuinfo\n");
	board_machine();
	pr_info("%s %04x:%04x, BAR %u at %pR, offset 0x%x\n", pci_name(pdev), pdev->vendor,
		pdev->device, bar, &pdev->resource[bar], offset);
	pr_info("accesses %s\n", IS_ENABLED(CONFIG_IO_CHECK_ARCH) ?
		"that survive a fault" : "as ever, the bus is asked");
	pr_info("%u reads: %u failed, %u did not, %u of them with all-ones\n", count,
		b->failed, b->good, b->ones);
	if (!b->failed)
		return;
	pr_info("first: error %d, cause %u, raw 0x%lx 0x%lx 0x%lx, %pS\n", err->error,
		err->cause, err->raw[0], err->raw[1], err->raw[2], (void *)err->ip);
	if (b->others)
		pr_info("%u with another cause\n", b->others);
}

static int board_try(struct pci_dev *pdev)
{
	struct board b = { };
	void __iomem *addr;
	u16 command;

	if (pdev->dev.driver) {
		pr_err("%s has the driver %s: unbind it first\n", device,
		       pdev->dev.driver->name);
		return -EBUSY;
	}
	if (pdev->hdr_type != PCI_HEADER_TYPE_NORMAL) {
		pr_err("%s is a bridge\n", device);
		return -EINVAL;
	}
	if (bar >= PCI_STD_NUM_BARS || !(pci_resource_flags(pdev, bar) & IORESOURCE_MEM) ||
	    offset % 4 || pci_resource_len(pdev, bar) < 4 ||
	    offset > pci_resource_len(pdev, bar) - 4) {
		pr_err("%s has no BAR %u of memory with a register at 0x%x\n", device, bar,
		       offset);
		return -ENXIO;
	}
	addr = ioremap(pci_resource_start(pdev, bar) + offset, 4);
	if (!addr)
		return -ENOMEM;
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	pci_write_config_word(pdev, PCI_COMMAND, command & ~PCI_COMMAND_MEMORY);
	board_reads(pdev, addr, &b);
	pci_write_config_word(pdev, PCI_COMMAND, command);
	iounmap(addr);
	board_report(pdev, &b);
	/* there is nothing to stay for */
	return -ECANCELED;
}

static int __init board_init(void)
{
	unsigned int domain, bus, dev, fn;
	struct pci_dev *pdev;
	int ret;

	if (sscanf(device, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4) {
		pr_err("device='%s': it is DOMAIN:BUS:DEV.FN, see lspci -D\n", device);
		return -EINVAL;
	}
	if (count < 1 || count > 1000000) {
		pr_err("count=%u: it is 1 to 1000000\n", count);
		return -EINVAL;
	}
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(dev, fn));
	if (!pdev) {
		pr_err("there is no %s\n", device);
		return -ENODEV;
	}
	/* no driver comes meanwhile */
	device_lock(&pdev->dev);
	pm_runtime_get_sync(&pdev->dev);
	ret = board_try(pdev);
	pm_runtime_put(&pdev->dev);
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
	return ret;
}
module_init(board_init);

MODULE_DESCRIPTION("A board's report of reads that nobody answers");
MODULE_LICENSE("GPL");
