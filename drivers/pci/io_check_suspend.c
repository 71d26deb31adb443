// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: a recovery, and the suspend or shutdown beside it.
 */

#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include "io_check_recovery.h"

/**
 * io_check_recovery_disarm() - no further recovery, for the driver's suspend or shutdown
 * @r: the device's recovery
 *
 * Waits for the one that is under way, and for the work that follows it, so the device
 * still has to take requests.  From here to io_check_recovery_rearm() a failed access
 * gives its error, and that is all.
 *
 * Context: Process, with the device's lock, may sleep as io_check_wait() does.
 * Return: 0, or -ENODEV if the device is offline.
 */
int io_check_recovery_disarm(struct io_check_recovery *r)
{
	for (;;) {
		if (io_check_wait(r))
			return -ENODEV;
		/* which queues what follows after it has said that it is over */
		flush_work(&r->work.work);
		flush_work(&r->resume);
		clear_bit(IO_CHECK_R_ARMED, &r->flags);
		/* who saw it armed has begun a recovery by then */
		synchronize_rcu();
		if (!io_check_recovering(r) && !work_pending(&r->resume))
			return 0;
		/* the work may have run meanwhile, and done nothing */
		set_bit(IO_CHECK_R_ARMED, &r->flags);
		queue_delayed_work(r->wq, &r->work, 0);
	}
}
EXPORT_SYMBOL_GPL(io_check_recovery_disarm);

/**
 * io_check_recovery_rearm() - what io_check_recovery_disarm() undid
 * @r: the recovery of a device that has its interrupt handler again
 * @reset: it is not ready for commands
 *
 * That, or an access that has failed meanwhile, begins a recovery, which resets it.
 *
 * Context: Process, with the device's lock.
 */
void io_check_recovery_rearm(struct io_check_recovery *r, bool reset)
{
	if (io_check_dead(r))
		return;
	io_check_save_state(r->pdev);
	set_bit(IO_CHECK_R_ARMED, &r->flags);
	/* pairs with io_check_recovery_error() */
	smp_mb__after_atomic();
	if (reset || io_check_has_failed(r))
		io_check_recovery_start(r, NULL);
}
EXPORT_SYMBOL_GPL(io_check_recovery_rearm);
