/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_DEV_H
#define _DRIVERS_PCI_IO_CHECK_DEV_H

#include <linux/io_check_dev.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "io_check_inject.h"
#include "io_check_record.h"
#include "io_check_target.h"

struct io_check_recovery;

enum io_check_state { IO_CHECK_OK, IO_CHECK_RECOVERING, IO_CHECK_OFFLINE };

/**
 * struct io_check_dev - a device whose driver called pci_io_check_enable()
 * @target: what sessions are told
 * @rcu: it is found under RCU
 * @log: its errors
 * @inject: fault injection
 * @recovery: told by the driver's recovery, or NULL
 * @driver_recovers: a recovery of the driver's own is under way
 * @lock: of the members below
 * @offline: it was given up, until its driver is bound again
 * @resets: recoveries that ended well
 * @failures: in this hour
 * @doubts: errors in this hour that may be another device's
 * @since: when the hour began, in s since boot
 * @limit: failures an hour until the device goes offline
 * @offline_on_error: the limit is 0
 */
struct io_check_dev {
	struct io_check_target target;
	struct rcu_head rcu;
	struct io_check_log log;
	struct io_check_inject inject;
	struct io_check_recovery *recovery;
	bool driver_recovers;

	raw_spinlock_t lock;
	bool offline;
	u32 resets;
	u32 failures;
	u32 doubts;
	time64_t since;
	u32 limit;
	bool offline_on_error;
};

struct io_check_dev *io_check_dev_find(struct pci_dev *pdev);
enum io_check_state io_check_dev_state(struct io_check_dev *idev);
void io_check_dev_recovers(struct pci_dev *pdev, bool recovers);
void io_check_dev_thawed(struct pci_dev *pdev, bool thawed);
void io_check_dev_reset(struct pci_dev *pdev);

#endif /* _DRIVERS_PCI_IO_CHECK_DEV_H */
