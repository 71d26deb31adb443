// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checked accesses as fatal as plain ones, for the negative tests: the hooks of fault
 * handlers ask, so that it is in the kernel even if the tests are modules.
 */

#include <linux/init.h>
#include <linux/io_check.h>

bool io_check_nohook;

static int __init io_check_nohook_setup(char *str)
{
	io_check_nohook = true;
	return 0;
}
early_param("io_check_nohook", io_check_nohook_setup);
