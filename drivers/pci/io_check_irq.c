// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: the interrupt of a device that fails.
 */

#include <linux/interrupt.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include "io_check_irq.h"

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
static bool keep_irq;
module_param(keep_irq, bool, 0);
MODULE_PARM_DESC(keep_irq,
		 "negative test: do not silence the interrupt of a failing device");
static bool no_intx_masking;
module_param(no_intx_masking, bool, 0);
MODULE_PARM_DESC(no_intx_masking,
		 "test: as if no device could mask its INTx, as those before PCI 2.3");
#else
#define keep_irq	false
#define no_intx_masking	false
#endif

/* No handler of the device's interrupts runs with what it read before. */
void io_check_synchronize_irqs(struct pci_dev *pdev)
{
	int i, irq;

	if (!pci_dev_msi_enabled(pdev)) {
		synchronize_irq(pdev->irq);
		return;
	}
	for (i = 0; (irq = pci_irq_vector(pdev, i)) > 0; i++)
		synchronize_irq(irq);
}

/* Undo disable_irq_nosync(), once; false if there was none */
bool io_check_irq_on(struct io_check_recovery *r)
{
	if (!test_and_clear_bit(RECOVERY_IRQ_OFF, &r->flags))
		return false;
	enable_irq(r->pdev->irq);
	return true;
}

/**
 * io_check_mask_irq() - silence the interrupt of a device that fails
 * @r: its recovery
 *
 * A level interrupt stays asserted for as long as the handler cannot read what
 * ends it.  It is masked in the device, which leaves a shared line to others,
 * or in the line where the device cannot do that.  The end of the recovery
 * gives it back.
 *
 * Context: Any but NMI.
 * Return: Whether the device asked for the interrupt that is masked now.
 */
bool io_check_mask_irq(struct io_check_recovery *r)
{
	struct pci_dev *pdev = r->pdev;

	/* an MSI comes once, and no read of the device has to end it */
	if (keep_irq || pci_dev_msi_enabled(pdev))
		return true;
	if (!pdev->broken_intx_masking && !no_intx_masking)
		return pci_check_and_mask_intx(pdev);
	/* whatever comes now is the kernel's spurious interrupt, until it is freed */
	if (test_bit(RECOVERY_EXITED, &r->flags))
		return false;
	if (!test_and_set_bit(RECOVERY_IRQ_OFF, &r->flags))
		disable_irq_nosync(pdev->irq);
	/* pairs with io_check_recovery_exit(): one of the two gives it back */
	smp_mb__after_atomic();
	if (!test_bit(RECOVERY_EXITED, &r->flags))
		return true;
	io_check_irq_on(r);
	return false;
}
EXPORT_SYMBOL_GPL(io_check_mask_irq);

void io_check_unmask_irq(struct io_check_recovery *r)
{
	if (pci_dev_msi_enabled(r->pdev) || io_check_irq_on(r))
		return;
	/* not pci_check_and_unmask_intx(): an interrupt may be pending */
	pci_cfg_access_lock(r->pdev);
	pci_intx(r->pdev, 1);
	pci_cfg_access_unlock(r->pdev);
}
