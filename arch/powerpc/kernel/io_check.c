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
#include <asm/io_check_mce.h>
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

const struct io_check_stub *io_check_test_stub(bool write)
{
	const struct io_check_stub *s = __io_check_stubs;

	while (s->write != write)
		s++;
	return s;
}
EXPORT_SYMBOL_GPL(io_check_test_stub);
#endif

extern const char io_check_landing[];

/* The stub that @regs may go on after, or NULL */
static __always_inline const struct io_check_stub *
io_check_stub_of(const struct pt_regs *regs)
{
	if (io_check_nohook || user_mode(regs) || !(regs->msr & MSR_RI))
		return NULL;
#ifdef CONFIG_KVM_BOOK3S_64_HANDLER
	/* a guest's address may be that of an access of ours */
	if (local_paca->kvm_hstate.in_guest)
		return NULL;
#endif
	return io_check_find_stub(regs->nip);
}

/* The address that a stub accesses; for pad see __IO_CHECK_STUB() */
static __always_inline unsigned long
io_check_stub_address(const struct io_check_stub *s, const struct pt_regs *regs)
{
	return regs->gpr[(u32)s->pad >> 21 & 31];
}

static __always_inline void io_check_land(const struct io_check_stub *s,
					  struct pt_regs *regs,
					  unsigned long status,
					  unsigned long addr)
{
	/* or RA,RS,RB */
	unsigned long data = (u32)s->pad >> 16 & 31;
	unsigned long session = regs->gpr[(u32)s->pad >> 11 & 31];
	unsigned long at = io_check_stub_address(s, regs);
	unsigned long value = regs->gpr[data];

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
	regs->ctr = io_check_address(&s->end) - IO_CHECK_STUB_NEXT;
	regs_set_return_ip(regs, (unsigned long)io_check_landing);
#ifdef CONFIG_PPC64
	/* a store's machine check leaves the one of the last interrupt there */
	mtspr(SPRN_DAR, 0);
#endif
}

#ifdef CONFIG_PPC64
static __always_inline bool io_check_claims(const struct io_check_stub *s,
					    const struct pt_regs *regs,
					    unsigned long status, unsigned long addr)
{
	/* a store waits for nothing: it is the range's only instruction */
	return io_check_mce_claims(io_check_mce_rows(), s->write, regs->msr, status, addr,
				   io_check_stub_address(s, regs));
}
#else
static __always_inline bool io_check_claims(const struct io_check_stub *s,
					    const struct pt_regs *regs,
					    unsigned long status, unsigned long addr)
{
	return io_check_mce_claims(regs->msr);
}
#endif

/**
 * io_check_fixup() - continue a checked access after its fault
 * @regs: registers of the machine check
 * @status: its DSISR; 0 on 32-bit CPUs, which do not set it
 * @addr: its DAR; likewise
 *
 * On 64-bit CPUs the platform has decoded the machine check before, and flushed what
 * was to be flushed.  <asm/io_check_mce.h> has what a checked access may claim.
 *
 * Context: Machine check, on 64-bit CPUs in real mode: no locks, no printk, no
 * per-CPU data.
 * Return: true if an access owned the fault; @regs then continue at the landing
 * pad.
 */
bool notrace io_check_fixup(struct pt_regs *regs, unsigned long status,
			    unsigned long addr)
{
	const struct io_check_stub *s = io_check_stub_of(regs);

	if (!s)
		return false;
	if (!io_check_claims(s, regs, status, addr))
		return false;
	io_check_land(s, regs, status, addr);
	return true;
}
EXPORT_SYMBOL_FOR_IO_CHECK_KUNIT(io_check_fixup);

NOKPROBE_SYMBOL(io_check_fixup);

#ifdef CONFIG_PPC_PSERIES
/**
 * io_check_fixup_load() - the same, where firmware has decoded the machine check
 * @regs: registers of the machine check
 * @addr: the address of the load that failed; 0 if firmware does not say
 *
 * Context: As io_check_fixup().
 * Return: true if a checked load owned the fault.
 */
bool notrace io_check_fixup_load(struct pt_regs *regs, unsigned long addr)
{
	const struct io_check_stub *s = io_check_stub_of(regs);

	if (!s || s->write || (addr && addr != io_check_stub_address(s, regs)))
		return false;
	io_check_land(s, regs, regs->dsisr, addr);
	return true;
}

NOKPROBE_SYMBOL(io_check_fixup_load);
#endif

/*
 * The cause is in DSISR on POWER9 and 10; POWER8 has none for an address that nobody
 * claims.  On 32-bit CPUs SRR1 says which pin it was, and no more.
 */
void arch_io_check_decode(struct io_check_err *err)
{
	if (io_check_decode_stub(err) && err->size == 8 &&
	    IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		err->value = swab64(err->value);
#ifdef CONFIG_PPC32
	/* DMA's errors pull that pin, too */
	err->shared = err->raw[0] & SRR1_MC_MCP;
#else
	if (err->write || !(err->raw[0] & SRR1_MC_LOADSTORE))
		return;
	if (err->raw[1] & DSISR_MC_UE)
		err->cause = IO_CHECK_PARITY;
	else if (err->raw[1] & DSISR_MC_LINK)
		err->cause = IO_CHECK_TIMEOUT;
	else if (err->raw[1] & (DSISR_MC_RA | DSISR_MC_RA_FOREIGN))
		err->cause = IO_CHECK_NO_RESPONSE;
#endif
}
