// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what sessions are told of a device.
 */

#include <linux/export.h>
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>
#include "io_check.h"
#include "io_check_target.h"

/*
 * struct io_check_target by the address of its pci_dev; read under RCU, and only where
 * something failed: that is not worth a field of each struct pci_dev.
 */
static DEFINE_XARRAY(io_check_targets);

/* Tell sessions of a device, once. */
int io_check_target_add(struct io_check_target *t)
{
	return xa_insert(&io_check_targets, (unsigned long)t->pdev, t, GFP_KERNEL);
}

/* The memory of @t is the caller's, to be freed with RCU. */
void io_check_target_del(struct io_check_target *t)
{
	xa_erase(&io_check_targets, (unsigned long)t->pdev);
}

/* Under rcu_read_lock() */
struct io_check_target *io_check_target(struct pci_dev *pdev)
{
	return xa_load(&io_check_targets, (unsigned long)pdev);
}

/* Is its recovery under way? */
bool io_check_recovers(struct pci_dev *pdev)
{
	struct io_check_target *t;
	bool recovers;

	rcu_read_lock();
	t = io_check_target(pdev);
	recovers = t && READ_ONCE(t->recovers);
	rcu_read_unlock();
	return recovers;
}

/* The register that tells whether it lives, or NULL */
const void __iomem *io_check_sentinel(struct pci_dev *pdev)
{
	const void __iomem *sentinel = NULL;
	struct io_check_target *t;

	rcu_read_lock();
	t = io_check_target(pdev);
	if (t)
		sentinel = t->sentinel;
	rcu_read_unlock();
	return sentinel;
}

static bool io_check_thawed(struct pci_dev *pdev)
{
	struct io_check_target *t;
	bool thawed;

	rcu_read_lock();
	t = io_check_target(pdev);
	thawed = t && READ_ONCE(t->thawed);
	rcu_read_unlock();
	return thawed;
}

static int __init io_check_target_init(void)
{
	io_check_hooks.thawed = io_check_thawed;
	return 0;
}
core_initcall(io_check_target_init);
