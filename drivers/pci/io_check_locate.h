/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_LOCATE_H
#define _DRIVERS_PCI_IO_CHECK_LOCATE_H

#include <linux/io_check_types.h>

void io_check_locate(struct io_check_err *err);

#endif /* _DRIVERS_PCI_IO_CHECK_LOCATE_H */
