// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: what becomes of the record of an error.
 */

#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <ras/ras_event.h>
#include "io_check.h"
#include "io_check_locate.h"
#include "io_check_record.h"
#include "io_check_target.h"

static const char * const io_check_cause_names[IO_CHECK_NR_CAUSES] = {
	[IO_CHECK_NONE]		= "none",
	[IO_CHECK_PARITY]	= "parity",
	[IO_CHECK_ABORT]	= "abort",
	[IO_CHECK_NO_RESPONSE]	= "no_response",
	[IO_CHECK_TIMEOUT]	= "timeout",
	[IO_CHECK_FROZEN]	= "frozen",
	[IO_CHECK_GONE]		= "gone",
	[IO_CHECK_SHARED]	= "shared",
};

const char *io_check_cause_name(enum io_check_cause cause)
{
	return io_check_cause_names[cause];
}

/* Any context but NMI */
static void io_check_record(struct io_check_err *err)
{
	struct io_check_target *t;
	unsigned long flags;

	if (err->addr)
		io_check_locate(err);
	trace_io_check_error(pci_name(err->pdev), io_check_cause_name(err->cause), err);
	rcu_read_lock();
	t = io_check_target(err->pdev);
	if (t) {
		raw_spin_lock_irqsave(&t->log->lock, flags);
		t->log->errors[err->cause]++;
		t->log->last = *err;
		raw_spin_unlock_irqrestore(&t->log->lock, flags);
	}
	rcu_read_unlock();
}

static int io_check_errors_show(struct seq_file *m, void *v)
{
	seq_printf(m, "reads %ld\nwrites %ld\n",
		   atomic_long_read(&io_check_failures[0]),
		   atomic_long_read(&io_check_failures[1]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(io_check_errors);

struct dentry *io_check_debugfs;

static int __init io_check_record_init(void)
{
	io_check_hooks.record = io_check_record;
	io_check_debugfs = debugfs_create_dir("io_check", NULL);
	debugfs_create_file("errors", 0444, io_check_debugfs, NULL,
			    &io_check_errors_fops);
	return 0;
}
subsys_initcall(io_check_record_init);
