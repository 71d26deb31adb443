/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_RECOVERY_H
#define _DRIVERS_PCI_IO_CHECK_RECOVERY_H

#include <linux/io_check_recovery.h>
#include "io_check_dev.h"

/* Bits of io_check_recovery.flags beyond those in the header */
#define RECOVERY_IRQ_OFF	8	/* disable_irq_nosync() called */
#define RECOVERY_FROZEN		9	/* isolated by EEH or AER */
#define RECOVERY_OVER_LIMIT	10	/* it failed too often */
#define RECOVERY_EXITED		11	/* the driver lets go of the device */

void io_check_recovery_start(struct io_check_recovery *r,
			     const struct io_check_err *err);
void io_check_recovery_done(struct io_check_recovery *r);
void io_check_recovery_give_up(struct io_check_recovery *r);
struct pci_dev *io_check_own_bridge(struct pci_dev *pdev);
void io_check_save_state(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_RECOVERY_H */
