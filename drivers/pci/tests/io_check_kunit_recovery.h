/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver's recovery, whose resets fail or not */
#ifndef _IO_CHECK_KUNIT_RECOVERY_H
#define _IO_CHECK_KUNIT_RECOVERY_H

#include <linux/io_check_recovery.h>

struct fake_recovery {
	struct io_check_recovery r;
	int error;
	int resets;
	int offline;
	bool reclaims;
};

extern const struct io_check_recovery_ops io_check_kunit_ops;

struct io_check_recovery *io_check_kunit_recovery(struct kunit *test, int error);
int io_check_kunit_ends(struct io_check_recovery *r);
int io_check_kunit_fails(struct io_check_recovery *r, bool shared);

#endif
