// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery of checked accesses from synchronous external aborts, and of checked loads
 * from SErrors, and what the syndrome says of the cause.
 */

#define pr_fmt(fmt) "io_check: " fmt

#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/asm-extable.h>
#include <asm/cpu.h>
#include <asm/cputype.h>
#include <asm/esr.h>
#include <asm/insn.h>
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
	if (!s || s->late)
		return false;
	regs->regs[3] = status;
	/* the tag is UNKNOWN */
	regs->regs[4] = status & ESR_ELx_FnV ? 0 : __untagged_addr(addr);
	regs->regs[5] = regs->pc;
	regs->pc = io_check_address(&s->pad);
	return true;
}

NOKPROBE_SYMBOL(io_check_fixup);

/*
 * Cores without FEAT_RAS report an interconnect's error response by an SError with a
 * syndrome of their own (Cortex-A53 TRM, 4.3.67 and 5.4.4): which error it was, and none
 * of it says whose.  2'b01 is an ECC error of the L2 cache.  With FEAT_RAS there is no such
 * thing: what an SError left behind there is in RAS records, and it may be in memory.
 */
#define ESR_SERROR_DECERR	(ESR_ELx_IDS | 0)
#define ESR_SERROR_SLVERR	(ESR_ELx_IDS | 2)

static const u32 io_check_cores[] = {
	MIDR_CORTEX_A53, MIDR_CORTEX_A57, MIDR_CORTEX_A72, MIDR_CORTEX_A73,
};

static enum { SERROR_OFF, SERROR_ON, SERROR_TEST } io_check_serrors __ro_after_init;

static bool io_check_core(u32 midr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(io_check_cores); i++)
		if ((midr & MIDR_CPU_MODEL_MASK) == io_check_cores[i])
			return true;
	/* QEMU's syndrome can be chosen only with FEAT_RAS */
	return io_check_serrors == SERROR_TEST;
}

static int __init io_check_serror_setup(char *str)
{
	if (!strcmp(str, "on"))
		io_check_serrors = SERROR_ON;
	else if (!strcmp(str, "off"))
		io_check_serrors = SERROR_OFF;
	else if (IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST) && !strcmp(str, "test"))
		io_check_serrors = SERROR_TEST;
	else
		pr_err("io_check.serror=%s ignored: it is \"on\" or \"off\"\n", str);
	return 0;
}
early_param("io_check.serror", io_check_serror_setup);

/* All CPUs own their loads' SErrors, or none does. */
static bool io_check_loads_own(void)
{
	int cpu;

	if (io_check_serrors == SERROR_OFF)
		return false;
	for_each_online_cpu(cpu)
		if (!io_check_core(per_cpu(cpu_data, cpu).reg_midr))
			return false;
	return true;
}

/*
 * A load's stub branches to the one that waits for an SError, or makes the load itself,
 * which is the fifth instruction there.
 */
void noinstr io_check_patch_load(struct alt_instr *alt, __le32 *origptr, __le32 *updptr,
				 int nr_inst)
{
	if (!io_check_loads_own())
		*updptr = origptr[aarch64_get_branch_offset(le32_to_cpu(*origptr)) /
				  AARCH64_INSN_SIZE + 4];
}

static int __init io_check_serror_show(void)
{
	int cpu;

	if (io_check_loads_own())
		pr_info("checked loads own their SErrors\n");
	else if (io_check_serrors != SERROR_OFF)
		for_each_online_cpu(cpu)
			if (!io_check_core(per_cpu(cpu_data, cpu).reg_midr))
				pr_err("io_check.serror=on ignored: not known of CPU%d, MIDR 0x%08llx\n",
				       cpu, per_cpu(cpu_data, cpu).reg_midr);
	return 0;
}
late_initcall(io_check_serror_show);

static bool io_check_serror_is_bus(unsigned long esr)
{
	switch (esr & ESR_ELx_ISS_MASK) {
	case ESR_SERROR_DECERR:
	case ESR_SERROR_SLVERR:
		return true;
	case 0:	/* QEMU's without FEAT_RAS */
		return io_check_serrors == SERROR_TEST;
	default:
		return false;
	}
}

/**
 * io_check_fixup_late() - continue a checked load after its SError
 * @regs: registers of the interrupted context
 * @status: its ESR
 *
 * The error is the load's if it was taken while its stub waited for it: all that is
 * older was complete before the load, and nothing else was issued after it.
 *
 * Context: Any: no locks, no printk, no per-CPU data.
 * Return: true if a stub owned the error; @regs then continue at its pad.
 */
bool notrace io_check_fixup_late(struct pt_regs *regs, unsigned long status)
{
	const struct io_check_stub *s;

	if (io_check_serrors == SERROR_OFF || io_check_nohook || user_mode(regs) ||
	    !io_check_serror_is_bus(status) || !io_check_core(read_cpuid_id()))
		return false;
	s = io_check_find_stub(regs->pc);
	if (!s || !s->late)
		return false;
	regs->regs[3] = status;
	regs->regs[4] = 0;
	/* the load */
	regs->regs[5] = io_check_address(&s->start) - AARCH64_INSN_SIZE;
	regs->pc = io_check_address(&s->pad);
	return true;
}

NOKPROBE_SYMBOL(io_check_fixup_late);

void arch_io_check_decode(struct io_check_err *err)
{
	unsigned long esr = err->raw[0];

	if (!io_check_decode_stub(err))
		return;
	if (ESR_ELx_EC(esr) == ESR_ELx_EC_SERROR) {
		if ((esr & ESR_ELx_ISS_MASK) == ESR_SERROR_DECERR)
			err->cause = IO_CHECK_NO_RESPONSE;
	} else if ((esr & ESR_ELx_FSC) == ESR_FSC_PARITY) {
		err->cause = IO_CHECK_PARITY;
	}
}
