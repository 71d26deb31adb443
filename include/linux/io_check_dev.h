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
int pci_io_check_dma(struct pci_dev *pdev, struct io_check_err *err);
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

static inline int pci_io_check_dma(struct pci_dev *pdev, struct io_check_err *err)
{
	return 0;
}

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

#endif /* _LINUX_IO_CHECK_DEV_H */
