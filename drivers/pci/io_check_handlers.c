// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: pci_error_handlers of a driver with a recovery.
 */

#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include "io_check_recovery.h"

/* Under rcu_read_lock(), or with the device's lock: the driver stays */
static struct io_check_recovery *io_check_recovery_of(struct pci_dev *pdev)
{
	struct io_check_dev *idev = io_check_dev_find(pdev);

	return idev ? READ_ONCE(idev->recovery) : NULL;
}

/*
 * PCI error recovery, called by EEH, AER or DPC for an error that they found.  It joins a
 * recovery that is under way.
 *
 * One answer to disconnect is all devices' that they ask, of a slot or below a port: EEH
 * removes them, and AER has none of them resume.  So a device that was given up, or is
 * given up in this recovery, goes along: it needs nothing, and gets a reset.
 */
static pci_ers_result_t io_check_error_detected(struct pci_dev *pdev,
						pci_channel_state_t state)
{
	struct io_check_recovery *r = io_check_recovery_of(pdev);

	if (!r || (io_check_dead(r) && state == pci_channel_io_perm_failure))
		return PCI_ERS_RESULT_DISCONNECT;
	if (state == pci_channel_io_perm_failure) {
		set_bit(IO_CHECK_R_FAILED, &r->flags);
		set_bit(IO_CHECK_R_RECOVERING, &r->flags);
		io_check_dev_recovers(pdev, true);
		if (r->ops->quiesce)
			r->ops->quiesce(r);
		io_check_mask_irq(r);
		cancel_delayed_work_sync(&r->work);
		/* the work may have given it up by itself */
		if (io_check_dead(r))
			io_check_recovery_done(r);
		else
			io_check_recovery_give_up(r);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	if (state == pci_channel_io_frozen) {
		io_check_dev_thawed(pdev, false);
		set_bit(RECOVERY_FROZEN, &r->flags);
	}
	set_bit(IO_CHECK_R_FAILED, &r->flags);
	/* else it is suspended, and that is left to its resume */
	if (io_check_armed(r) && !io_check_dead(r))
		io_check_recovery_start(r, NULL);
	return state == pci_channel_io_frozen ? PCI_ERS_RESULT_NEED_RESET :
						PCI_ERS_RESULT_CAN_RECOVER;
}

static pci_ers_result_t io_check_mmio_enabled(struct pci_dev *pdev)
{
	struct io_check_recovery *r = io_check_recovery_of(pdev);

	if (!r)
		return PCI_ERS_RESULT_DISCONNECT;
	return io_check_wait(r) ? PCI_ERS_RESULT_NONE : PCI_ERS_RESULT_RECOVERED;
}

static pci_ers_result_t io_check_slot_reset(struct pci_dev *pdev)
{
	struct io_check_recovery *r = io_check_recovery_of(pdev);

	if (!r)
		return PCI_ERS_RESULT_DISCONNECT;
	io_check_restore(pdev);
	/* it may be bound again, and does nothing until then */
	if (io_check_dead(r))
		pci_clear_master(pdev);
	/* AER says so no sooner than resume; without it each access fails */
	io_check_dev_thawed(pdev, true);
	return io_check_mmio_enabled(pdev);
}

/*
 * The PCI core resets the function, as sysfs or VFIO asks.  Without memory and Bus Master
 * from here to reset_done, it forgets all: its recovery begins now, for no request and no
 * interrupt to meet the reset, and goes on after it.  A reset by the driver that is under
 * way is waited for, and no more: what follows it waits for pci_cfg_access_lock(), which
 * the core holds.
 */
static void io_check_reset_prepare(struct pci_dev *pdev)
{
	struct io_check_recovery *r = io_check_recovery_of(pdev);

	/* a suspended one is its resume's, and this one is the device's lock's */
	if (!r || !io_check_armed(r) || io_check_dead(r))
		return;
	set_bit(RECOVERY_HELD, &r->flags);
	/* the next one sees that */
	mutex_lock(&r->attempt);
	mutex_unlock(&r->attempt);
	set_bit(IO_CHECK_R_FAILED, &r->flags);
	io_check_recovery_start(r, NULL);
	synchronize_rcu();
	io_check_synchronize_irqs(pdev);
}

static void io_check_reset_done(struct pci_dev *pdev)
{
	struct io_check_recovery *r = io_check_recovery_of(pdev);

	if (!r)
		return;
	/* the core has dropped what a slot's reset restores */
	io_check_save_state(pdev);
	clear_bit(RECOVERY_HELD, &r->flags);
}

const struct pci_error_handlers io_check_error_handlers = {
	.error_detected	= io_check_error_detected,
	.mmio_enabled	= io_check_mmio_enabled,
	.slot_reset	= io_check_slot_reset,
	.reset_prepare	= io_check_reset_prepare,
	.reset_done	= io_check_reset_done,
};
EXPORT_SYMBOL_GPL(io_check_error_handlers);
