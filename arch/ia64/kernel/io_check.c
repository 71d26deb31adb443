// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of a checked access that ended in a machine check abort.
 */

#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/workqueue.h>
#include <asm/sal.h>
#include "mca_drv.h"

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
u32 io_check_test_extable(const void __iomem *addr)
{
	register long err asm("r8") = 0;
	register u32 val asm("r9");

	asm volatile("[1:]	ld4.acq %0=[%2]\n"
		     "	.xdata4 \"__ex_table\", 1b-., 1f-.+4\n"
		     "[1:]"
		     : "=r" (val), "+r" (err) : "r" (addr) : "memory");
	return err ? ~0U : val;
}
EXPORT_SYMBOL_GPL(io_check_test_extable);
#endif

/* The MCA handler's messages wait in a buffer that nobody looks at otherwise. */
static void io_check_dump_log(struct work_struct *work)
{
	ia64_mlogbuf_dump();
}

static DECLARE_WORK(io_check_dump_work, io_check_dump_log);

/*
 * BUS_CHECK has no word for what the bus made of the access (Intel Itanium
 * Architecture Software Developer's Manual, volume 2, 11.3.2.4).
 */
void arch_io_check_decode(struct io_check_err *err)
{
	io_check_decode_stub(err);
	schedule_work(&io_check_dump_work);
}
