/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_RECORD_H
#define _DRIVERS_PCI_IO_CHECK_RECORD_H

#include <linux/io_check_types.h>
#include <linux/spinlock.h>

struct dentry;

/**
 * struct io_check_log - errors of a device
 * @lock: of all
 * @last: last error
 * @errors: by cause
 */
struct io_check_log {
	raw_spinlock_t lock;
	struct io_check_err last;
	u32 errors[IO_CHECK_NR_CAUSES];
};

extern struct dentry *io_check_debugfs;

const char *io_check_cause_name(enum io_check_cause cause);

#endif /* _DRIVERS_PCI_IO_CHECK_RECORD_H */
