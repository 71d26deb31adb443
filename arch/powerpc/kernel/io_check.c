// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery of checked accesses from machine checks, and what the words that
 * the machine check left say of the cause.
 */

#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/kprobes.h>
#include <linux/swab.h>
#include <asm/extable.h>
#include <asm/paca.h>
#include <asm/ptrace.h>

#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
u32 io_check_test_extable(const void __iomem *addr)
{
	u32 val = ~0;

	asm volatile("sync\n"
		     "0:	lwzx	%0,0,%1\n"
		     "1:	twi	0,%0,0\n"
		     "2:	isync\n"
		     "3:\n"
		     EX_TABLE(0b, 3b)
		     EX_TABLE(1b, 3b)
		     EX_TABLE(2b, 3b)
		     : "+r" (val) : "r" (addr) : "memory");
	return le32_to_cpu((__force __le32)val);
}
EXPORT_SYMBOL_GPL(io_check_test_extable);
#endif

extern const char io_check_landing[];

#ifdef CONFIG_PPC32
/* What 6xx and 7xx CPUs have in SRR1 of a machine check, all of it in
 * machine_check_generic(), and the two that an access may end with.
 */
#define SRR1_MC_CAUSES		0x601f0000
#define SRR1_MCP		0x00080000	/* machine-check pin */
#define SRR1_TEA		0x00040000	/* transfer error acknowledge */
#endif

/**
 * io_check_fixup() - continue a checked access after its fault
 * @regs: registers of the machine check
 * @status: its DSISR; 0 on 32-bit CPUs, which do not set it
 * @addr: its DAR; likewise
 *
 * Decides on the instruction pointer alone: DSISR is left over from an
 * earlier interrupt when a store faults, and POWER8 has no bit for what
 * POWER9 calls a bad real address.  32-bit CPUs have bits in SRR1 for errors
 * that are of no access, as check_io_access() knows.
 *
 * Context: Machine check, on 64-bit CPUs in real mode: no locks, no printk, no
 * per-CPU data.
 * Return: true if an access owned the fault; @regs then continue at the landing
 * pad.
 */
bool notrace io_check_fixup(struct pt_regs *regs, unsigned long status,
			    unsigned long addr)
{
	unsigned long data, at, session, value;
	const struct io_check_stub *s;

	if (io_check_nohook || user_mode(regs) || !(regs->msr & MSR_RI))
		return false;
#ifdef CONFIG_PPC32
	if ((regs->msr & SRR1_MC_CAUSES) && !(regs->msr & (SRR1_MCP | SRR1_TEA)))
		return false;
#endif
#ifdef CONFIG_KVM_BOOK3S_64_HANDLER
	/* a guest's address may be that of an access of ours */
	if (local_paca->kvm_hstate.in_guest)
		return false;
#endif
	s = io_check_find_stub(regs->nip);
	if (!s)
		return false;
	/* or RA,RS,RB */
	data = (u32)s->pad >> 16 & 31;
	at = regs->gpr[(u32)s->pad >> 21 & 31];
	session = regs->gpr[(u32)s->pad >> 11 & 31];
	value = regs->gpr[data];
	if (!s->write) {
		value = GENMASK(s->size * 8 - 1, 0);
		regs->gpr[data] = value;
	}
	regs->gpr[0] = value;
	regs->gpr[6] = regs->msr;
	regs->gpr[7] = status;
	regs->gpr[8] = addr;
	regs->gpr[9] = regs->nip;
	regs->gpr[11] = session;
	regs->gpr[12] = at;
	/* after the access: the range has one instruction more */
	regs->ctr = io_check_address(&s->end) - 4;
	regs_set_return_ip(regs, (unsigned long)io_check_landing);
	return true;
}

NOKPROBE_SYMBOL(io_check_fixup);

/*
 * POWER9 and POWER10 report a load of memory with an uncorrectable error with
 * DSISR bit 48, one of a real address that nobody claims with bit 57
 * (mce_p9_derror_table).  SRR1 bit 42 says that DSISR is valid.  On 32-bit
 * CPUs SRR1 says which pin it was, and no more.
 */
#define SRR1_MC_LOADSTORE	BIT(63 - 42)
#define DSISR_UE		BIT(63 - 48)
#define DSISR_REAL_ADDRESS	BIT(63 - 57)

void arch_io_check_decode(struct io_check_err *err)
{
	if (io_check_decode_stub(err) && err->size == 8 &&
	    IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		err->value = swab64(err->value);
	if (IS_ENABLED(CONFIG_PPC32) || err->write ||
	    !(err->raw[0] & SRR1_MC_LOADSTORE))
		return;
	if (err->raw[1] & DSISR_UE)
		err->cause = IO_CHECK_PARITY;
	else if (err->raw[1] & DSISR_REAL_ADDRESS)
		err->cause = IO_CHECK_NO_RESPONSE;
}
