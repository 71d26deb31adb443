// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery of checked accesses from synchronous external aborts, and what the
 * syndrome says of the cause.
 */

#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/kprobes.h>
#include <asm/asm-extable.h>
#include <asm/esr.h>
#include <asm/memory.h>
#include <asm/ptrace.h>

/*
 * ESR_EL1 of a data abort (ARM DDI 0487, D17.2.37).  DFSC tells the external
 * abort of an access from that of a table walk, which is memory's error and
 * not the device's, and a parity or ECC error from others; with FEAT_RAS the
 * latter is an external abort as well, and only RAS records tell.  EA is an
 * IMPLEMENTATION DEFINED classification: nothing there says portably who
 * refused the access, or why.  FAR need not be valid.  With FEAT_RAS, SET says
 * whether the error is contained in what the access returned.
 */
#define ESR_FSC_PARITY		0x18
#define ESR_SET_UNCONTAINED	(UL(2) << ESR_ELx_SET_SHIFT)

static __always_inline bool io_check_external(unsigned long esr)
{
	if (ESR_ELx_EC(esr) != ESR_ELx_EC_DABT_CUR)
		return false;
	if ((esr & ESR_ELx_FSC) == ESR_ELx_FSC_EXTABT)
		return (esr & ESR_ELx_SET_MASK) != ESR_SET_UNCONTAINED;
	return (esr & ESR_ELx_FSC) == ESR_FSC_PARITY;
}

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
u32 io_check_test_extable(const void __iomem *addr)
{
	u32 val = ~0;

	asm volatile("0:	ldr	%w0, [%1]\n"
		     "1:\n"
		     _ASM_EXTABLE_UACCESS(0b, 1b)
		     : "+r" (val) : "r" (addr) : "memory");
	return le32_to_cpu((__force __le32)val);
}
EXPORT_SYMBOL_GPL(io_check_test_extable);
#endif

/**
 * io_check_fixup() - continue a checked access after its fault
 * @regs: registers of the abort
 * @status: its ESR
 * @addr: its FAR
 *
 * A synchronous abort is precise: the program counter is that of the access.
 * The table is one of its own, as page faults are looked up in the exception
 * table, and a stray pointer is no error of a device.
 *
 * Context: Any: no locks, no printk, no per-CPU data.
 * Return: true if a stub owned the fault; @regs then continue at its pad.
 */
bool notrace io_check_fixup(struct pt_regs *regs, unsigned long status,
			    unsigned long addr)
{
	const struct io_check_stub *s;

	if (io_check_nohook || user_mode(regs) || !io_check_external(status))
		return false;
	s = io_check_find_stub(regs->pc);
	if (!s)
		return false;
	regs->regs[3] = status;
	/* the tag is UNKNOWN */
	regs->regs[4] = status & ESR_ELx_FnV ? 0 : __untagged_addr(addr);
	regs->regs[5] = regs->pc;
	regs->pc = io_check_address(&s->pad);
	return true;
}

NOKPROBE_SYMBOL(io_check_fixup);

void arch_io_check_decode(struct io_check_err *err)
{
	if (!io_check_decode_stub(err))
		return;
	if ((err->raw[0] & ESR_ELx_FSC) == ESR_FSC_PARITY)
		err->cause = IO_CHECK_PARITY;
}
