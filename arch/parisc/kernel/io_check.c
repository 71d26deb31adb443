// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of a checked access that ended in a high priority machine
 * check.
 */

#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/kprobes.h>
#include <asm/assembly.h>
#include <asm/sections.h>

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
u32 io_check_test_extable(const void __iomem *addr)
{
	register unsigned long err asm("r29") = 0;
	u32 val = ~0;

	asm volatile("1:	ldw	0(%2), %0\n"
		     "2:\n"
		     ASM_EXCEPTIONTABLE_ENTRY_EFAULT(1b, 2b, "%1")
		     : "+r" (val), "+r" (err) : "r" (addr) : "memory");
	return swab32(val);
}
EXPORT_SYMBOL_GPL(io_check_test_extable);
#endif

#ifdef CONFIG_KPROBES
/* A copy of an access would fault outside of its range. */
bool arch_within_kprobe_blacklist(unsigned long addr)
{
	return (addr >= (unsigned long)__kprobes_text_start &&
		addr < (unsigned long)__kprobes_text_end) ||
	       io_check_find_stub(addr);
}
#endif

/* An HPMC does not say what the bus made of the access. */
void arch_io_check_decode(struct io_check_err *err)
{
	if (!io_check_decode_stub(err))
		return;
	/* the stub's value is as it was on the bus */
	switch (err->size) {
	case 2:
		err->value = swab16(err->value);
		break;
	case 4:
		err->value = swab32(err->value);
		break;
	case 8:
		err->value = swab64(err->value);
		break;
	}
}
