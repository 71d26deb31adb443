/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device whose driver makes checked accesses: sessions of <linux/io_check.h> ask its
 * sentinel, its errors are counted, and sysfs shows them.
 */
#include <linux/io_check.h>

#ifndef _LINUX_IO_CHECK_DEV_H
#define _LINUX_IO_CHECK_DEV_H

#include <linux/pci.h>
#include <linux/sysfs.h>

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* For dev_groups of the driver */
extern const struct attribute_group *io_check_groups[];

int pci_io_check_enable(struct pci_dev *pdev, const void __iomem *sentinel);
int pci_io_check_dma(struct pci_dev *pdev);
bool io_check_report(struct pci_dev *pdev, const struct io_check_err *err);
unsigned int io_check_backoff(struct pci_dev *pdev);
void io_check_driver_recovers(struct pci_dev *pdev, bool recovers);
void io_check_offline(struct pci_dev *pdev);

#else

#define io_check_groups	NULL

static inline int pci_io_check_enable(struct pci_dev *pdev,
				      const void __iomem *sentinel)
{
	return 0;
}

static inline int pci_io_check_dma(struct pci_dev *pdev)
{
	return 0;
}

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

#ifdef CONFIG_PCI
/**
 * readl_check_once() - read a register of a device that may not be there
 * @pdev: the device
 * @addr: the register
 * @val: where to put its value; all-ones if the read failed
 *
 * For hotplug and probing: all-ones is confirmed with the device's vendor ID.
 * Without CONFIG_IO_CHECK that is all it knows.
 *
 * Context: Any but NMI.
 * Return: 0, -ENODEV if the device does not answer configuration cycles, or
 * what io_check_end() returns.
 */
static inline int __must_check readl_check_once(struct pci_dev *pdev,
						const void __iomem *addr,
						u32 *val)
{
	struct io_check c;
	int ret;

	io_check_begin(&c, pdev, 0);
	*val = readl_check(&c, addr);
	ret = io_check_end(&c);
	if (*val == ~0U && !pci_device_is_present(pdev))
		ret = -ENODEV;
	return ret;
}
#endif

#endif /* _LINUX_IO_CHECK_DEV_H */
