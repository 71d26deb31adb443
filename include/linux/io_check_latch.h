/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For all who clear error status that PCI hardware latches, and for those who find an
 * error that no access explains: sessions of <linux/io_check.h> wait for either.
 */
#ifndef _LINUX_IO_CHECK_LATCH_H
#define _LINUX_IO_CHECK_LATCH_H

#include <linux/pci.h>
#include <linux/types.h>

/* Ask IS_ENABLED(CONFIG_IO_CHECK) before. */
u16 io_check_clear_status(struct pci_dev *pdev, int where, u16 mask);

#ifdef CONFIG_IO_CHECK
void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status);
void io_check_domain_error(struct pci_dev *pdev);
void io_check_own_error(struct pci_dev *pdev);
void io_check_bus_error(struct pci_bus *bus);
#else
static inline void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status)
{
	pci_write_config_dword(pdev, where, status);
}

static inline void io_check_domain_error(struct pci_dev *pdev)
{
}
#endif

#endif /* _LINUX_IO_CHECK_LATCH_H */
