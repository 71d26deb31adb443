/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_IRQ_H
#define _DRIVERS_PCI_IO_CHECK_IRQ_H

#include <linux/io_check_recovery.h>

/* Bits of io_check_recovery.flags beyond those in that header */
#define RECOVERY_IRQ_OFF	8	/* disable_irq_nosync() called */
#define RECOVERY_EXITED		9	/* the driver lets go of the device */

void io_check_synchronize_irqs(struct pci_dev *pdev);
bool io_check_irq_on(struct io_check_recovery *r);
void io_check_unmask_irq(struct io_check_recovery *r);

#endif /* _DRIVERS_PCI_IO_CHECK_IRQ_H */
