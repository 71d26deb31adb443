/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_QUERY_H
#define _DRIVERS_PCI_IO_CHECK_QUERY_H

#include "io_check_express.h"

enum io_check_cause io_check_status_cause(u16 status);
bool io_check_alive(struct pci_dev *pdev, struct io_check_err *err);
void io_check_begins(struct pci_dev *pdev, struct pci_dev *p, struct io_check_latch *l);

#endif /* _DRIVERS_PCI_IO_CHECK_QUERY_H */
