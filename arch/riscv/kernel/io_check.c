// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery of checked accesses from access faults, and what is known of their
 * cause.
 */

#include <linux/export.h>
#include <linux/extable.h>
#include <linux/io_check.h>
#include <linux/kprobes.h>
#include <asm/asm-extable.h>
#include <asm/csr.h>
#include <asm/ptrace.h>

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
u32 io_check_test_extable(const void __iomem *addr)
{
	u32 val = ~0;

	asm volatile("0:	lw	%0, 0(%1)\n"
		     "1:\n"
		     _ASM_EXTABLE(0b, 1b)
		     : "+r" (val) : "r" (addr) : "memory");
	return val;
}
EXPORT_SYMBOL_GPL(io_check_test_extable);
#endif

/**
 * ex_handler_io_check() - continue a checked access after its fault
 * @ex: the stub's entry in the exception table
 * @regs: registers of the trap
 *
 * Page faults and misaligned accesses come here, too: they are errors of the
 * driver's, and remain what they are.
 *
 * Context: Any: no locks, no printk, no per-CPU data.
 * Return: true if it was an access fault; @regs then continue at the pad.
 */
bool notrace ex_handler_io_check(const struct exception_table_entry *ex,
				 struct pt_regs *regs)
{
	if (io_check_nohook || (regs->cause != EXC_LOAD_ACCESS &&
				regs->cause != EXC_STORE_ACCESS))
		return false;
	regs->t0 = regs->cause;
	regs->t1 = regs->badaddr;
	regs->t2 = regs->epc;
	regs->epc = (unsigned long)&ex->fixup + ex->fixup;
	return true;
}

NOKPROBE_SYMBOL(ex_handler_io_check);

/*
 * An access fault says that an access was refused, by physical memory
 * attributes or protection or by the bus, and no more (RISC-V Privileged
 * Architecture, "Supervisor Cause Register").
 */
void arch_io_check_decode(struct io_check_err *err)
{
	const struct exception_table_entry *ex = search_exception_tables(err->ip);

	err->cause = IO_CHECK_ABORT;
	if (!ex || ex->type != EX_TYPE_IO_CHECK)
		return;
	err->size = ex->data & EX_DATA_IO_CHECK_SIZE;
	err->write = ex->data & EX_DATA_IO_CHECK_WRITE;
}
