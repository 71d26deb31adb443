/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_TARGET_H
#define _DRIVERS_PCI_IO_CHECK_TARGET_H

#include <linux/pci.h>
#include <linux/types.h>

struct io_check_inject;
struct io_check_log;

/**
 * struct io_check_target - what sessions are told of a device
 * @pdev: the device
 * @sentinel: a 32-bit register that a living device never reads as 0 or all-ones, or NULL
 * @recovers: its recovery is under way
 * @thawed: its slot was reset, and the channel's state does not say so yet
 * @log: where its errors are counted
 * @inject: its fault injection
 */
struct io_check_target {
	struct pci_dev *pdev;
	const void __iomem *sentinel;
	bool recovers;
	bool thawed;
	struct io_check_log *log;
	struct io_check_inject *inject;
};

int io_check_target_add(struct io_check_target *t);
void io_check_target_del(struct io_check_target *t);
struct io_check_target *io_check_target(struct pci_dev *pdev);
const void __iomem *io_check_sentinel(struct pci_dev *pdev);
bool io_check_recovers(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_TARGET_H */
