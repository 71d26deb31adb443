// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access where the architecture has nothing of its own for it.
 */

#include <linux/io_check.h>
#include <linux/moduleparam.h>

/* as that of io_check.c, which users know */
#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "io_check."

/* What a failed read gives, besides all-ones, by the user's word */
unsigned long io_check_dead_value = ~0UL;
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_dead_value);
module_param_named(dead_value, io_check_dead_value, ulong, 0444);
MODULE_PARM_DESC(dead_value,
		 "what a failed register read gives, if not all-ones, such as 0");
