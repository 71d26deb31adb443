/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_RECOVERY_H
#define _DRIVERS_PCI_IO_CHECK_RECOVERY_H

#include "io_check_dev.h"
#include "io_check_irq.h"

/* Bits of io_check_recovery.flags beyond those in the headers */
#define RECOVERY_FROZEN		10	/* isolated by EEH or AER */
#define RECOVERY_OVER_LIMIT	11	/* it failed too often */
#define RECOVERY_HELD		12	/* the PCI core resets its function */

void io_check_recovery_start(struct io_check_recovery *r,
			     const struct io_check_err *err);
void io_check_recovery_done(struct io_check_recovery *r);
void io_check_recovery_give_up(struct io_check_recovery *r);
void io_check_save_state(struct pci_dev *pdev);
void io_check_restore(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_RECOVERY_H */
