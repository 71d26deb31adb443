// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: errors that PCI Express functions latch, in AER's
 * uncorrectable status or, without AER, in Device Status.
 */

#include <linux/export.h>
#include <linux/pci.h>
#include "io_check_express.h"

/* Does the kernel clear AER's status and Device Status, not the firmware? */
bool io_check_aer_native(struct pci_dev *pdev)
{
	return pcie_ports_native || pci_find_host_bridge(pdev->bus)->native_aer;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_aer_native);

/*
 * News in Device Status (PCI Express 6.0, 7.5.3.5), of a function without AER, as causes.
 * Where the firmware clears it, it is noted once.
 */
static unsigned int io_check_take_devsta(struct io_check_latch *l, struct pci_dev *pdev)
{
	unsigned int causes = 0;
	u16 status, news;

	if (pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &status) || status == 0xffff)
		return 0;
	status &= PCI_EXP_DEVSTA_NFED | PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD;
	l->blind[LATCH_DEVSTA] &= status;
	news = status & ~l->blind[LATCH_DEVSTA];
	if (!news)
		return 0;
	if (io_check_aer_native(pdev))
		pcie_capability_write_word(pdev, PCI_EXP_DEVSTA, news);
	else
		l->blind[LATCH_DEVSTA] = status;
	io_check_bump(l, LATCH_ALL);
	if (news & PCI_EXP_DEVSTA_URD)
		causes |= BIT(IO_CHECK_NO_RESPONSE);
	else
		causes |= BIT(IO_CHECK_ABORT);
	return causes;
}

#ifdef CONFIG_PCIEAER
static const struct {
	u32 bit;
	u8 cause, kind;
} io_check_aer[] = {
	{ PCI_ERR_UNC_POISON_TLP, IO_CHECK_PARITY, LATCH_PARITY },
	{ PCI_ERR_UNC_COMP_TIME, IO_CHECK_TIMEOUT, LATCH_ABORT },
	{ PCI_ERR_UNC_UNSUP, IO_CHECK_NO_RESPONSE, LATCH_ABORT },
	{ PCI_ERR_UNC_COMP_ABORT, IO_CHECK_ABORT, LATCH_ABORT },
};

/* Kinds of uncorrectable errors, and as causes.  Masked errors are logged as well, and are
 * no evidence (6.2.3.2.2).
 */
static unsigned int io_check_aer_kinds(struct pci_dev *pdev, u32 status,
				       unsigned int *causes)
{
	unsigned int i, kinds = 0;
	u32 mask;

	if (pci_read_config_dword(pdev, pdev->aer_cap + PCI_ERR_UNCOR_MASK, &mask))
		return 0;
	for (i = 0; i < ARRAY_SIZE(io_check_aer); i++) {
		if (status & ~mask & io_check_aer[i].bit) {
			*causes |= BIT(io_check_aer[i].cause);
			kinds |= io_check_aer[i].kind;
		}
	}
	return kinds;
}

/*
 * News in AER's uncorrectable errors (7.8.4.2), as causes.  They are AER's to clear, or
 * the firmware's: what was noted is no news until somebody did.
 */
static unsigned int io_check_take_aer(struct io_check_latch *l, struct pci_dev *pdev)
{
	unsigned int causes = 0, kinds;
	u32 status;

	if (pci_read_config_dword(pdev, pdev->aer_cap + PCI_ERR_UNCOR_STATUS, &status) ||
	    status == ~0U)
		return 0;
	kinds = io_check_aer_kinds(pdev, status & ~l->blind[LATCH_AER], &causes);
	l->blind[LATCH_AER] = status;
	if (kinds)
		io_check_bump(l, kinds);
	return causes;
}

/**
 * io_check_clear_aer() - clear AER's uncorrectable errors
 * @pdev: device or port
 * @where: its PCI_ERR_UNCOR_STATUS
 * @status: bits to clear
 *
 * As io_check_clear_status(), for AER.  A further error may have joined one that was noted,
 * so all of them are told.
 *
 * Context: Any but NMI.
 */
void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status)
{
	unsigned int causes = 0, kinds = io_check_aer_kinds(pdev, status, &causes);
	struct io_check_latch *l;
	unsigned long flags;

	rcu_read_lock();
	l = io_check_latch(pdev);
	raw_spin_lock_irqsave(&l->lock, flags);
	pci_write_config_dword(pdev, where, status);
	l->blind[LATCH_AER] &= ~status;
	if (kinds)
		io_check_bump(l, kinds);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	rcu_read_unlock();
}

static void io_check_clear_old_aer(struct pci_dev *pdev)
{
	int where = pdev->aer_cap + PCI_ERR_UNCOR_STATUS;
	u32 status;

	if (pdev->aer_cap && io_check_aer_native(pdev) &&
	    !pci_read_config_dword(pdev, where, &status) && status != ~0U)
		pci_write_config_dword(pdev, where, status);
}

static bool io_check_has_aer(struct pci_dev *pdev)
{
	return pdev->aer_cap;
}
#else
static unsigned int io_check_take_aer(struct io_check_latch *l, struct pci_dev *pdev)
{
	return 0;
}

static void io_check_clear_old_aer(struct pci_dev *pdev)
{
}

static bool io_check_has_aer(struct pci_dev *pdev)
{
	return false;
}
#endif

/* News of PCI Express, as causes; with the latch's lock */
unsigned int io_check_take_express(struct io_check_latch *l, struct pci_dev *pdev)
{
	if (io_check_has_aer(pdev))
		return io_check_take_aer(l, pdev);
	return pci_is_pcie(pdev) ? io_check_take_devsta(l, pdev) : 0;
}

/*
 * What is latched now is old: clear what is the kernel's to clear; the rest is blind.  With
 * another user there may be news that AER has not looked at.
 */
void io_check_express_begins(struct io_check_latch *l, struct pci_dev *pdev)
{
	u16 old, word;

	if (l->users == 1)
		io_check_clear_old_aer(pdev);
	io_check_take_express(l, pdev);
	if (l->users > 1 || !pci_is_pcie(pdev) ||
	    pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &old))
		return;
	io_check_take_express(l, pdev);
	if (!pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &word) && word != 0xffff)
		l->blind[LATCH_DEVSTA] = word & old;
}
