/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_PARISC_IO_CHECK_LBA_H
#define _ASM_PARISC_IO_CHECK_LBA_H

#include <linux/io_check_types.h>

enum io_check_cause lba_io_check_ones(const void __iomem *addr);
void lba_io_check_enable(struct pci_dev *pdev);

#endif /* _ASM_PARISC_IO_CHECK_LBA_H */
