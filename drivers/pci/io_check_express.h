/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_EXPRESS_H
#define _DRIVERS_PCI_IO_CHECK_EXPRESS_H

#include "io_check_latch.h"

bool io_check_aer_native(struct pci_dev *pdev);
unsigned int io_check_take_express(struct io_check_latch *l, struct pci_dev *pdev);
void io_check_express_begins(struct io_check_latch *l, struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_EXPRESS_H */
