/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which machine checks are those of a checked access: what SRR1, DSISR and DAR, or
 * firmware's log, have to say for it.  Without state, so that a test can ask.
 */
#ifndef _ASM_POWERPC_IO_CHECK_MCE_H
#define _ASM_POWERPC_IO_CHECK_MCE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <asm/cputable.h>

#ifdef CONFIG_PPC64

/* The cause is in DSISR, if the next one is not one of the codes below it */
#define SRR1_MC_LOADSTORE	BIT(63 - 42)
#define SRR1_MC_CODE		0x081c0000
/* A store's error of POWER9 and 10, which comes late and without an address */
#define SRR1_MC_STORE_RA	0x08140000
/* The same for a link that timed out, POWER9 alone */
#define SRR1_MC_STORE_LINK	0x08180000

/* DSISR: an uncorrectable error; a link that timed out; an address that nobody
 * claims, and one behind another chip
 */
#define DSISR_MC_UE		0x8000
#define DSISR_MC_LINK		0x2000
#define DSISR_MC_RA		0x0040
#define DSISR_MC_RA_FOREIGN	0x0008

/**
 * struct io_check_mce_rows - mce_power.c's table of a CPU's loads and stores
 * @all: the bits of DSISR that it has a row for
 * @load: those that a load ends with which the bus failed
 * @dar: of these, the ones with a DAR
 * @unknown: such a load may end with none of them
 */
struct io_check_mce_rows {
	u16 all;
	u16 load;
	u16 dar;
	bool unknown;
};

/* mce_p7_derror_table and its successors */
static const struct io_check_mce_rows io_check_mce_p7 = {
	.all = 0xcdc0, .load = DSISR_MC_UE,
};

static const struct io_check_mce_rows io_check_mce_p8 = {
	.all = 0xff80, .load = DSISR_MC_UE | DSISR_MC_LINK, .dar = DSISR_MC_LINK,
	.unknown = true,
};

static const struct io_check_mce_rows io_check_mce_p9 = {
	.all = 0xfff8,
	.load = DSISR_MC_UE | DSISR_MC_LINK | DSISR_MC_RA | DSISR_MC_RA_FOREIGN,
	.dar = DSISR_MC_LINK | DSISR_MC_RA,
};

static const struct io_check_mce_rows io_check_mce_p10 = {
	.all = 0xcff8, .load = DSISR_MC_UE | DSISR_MC_RA | DSISR_MC_RA_FOREIGN,
	.dar = DSISR_MC_RA,
};

static __always_inline const struct io_check_mce_rows *io_check_mce_rows(void)
{
	if (cpu_has_feature(CPU_FTR_ARCH_31))
		return &io_check_mce_p10;
	if (cpu_has_feature(CPU_FTR_ARCH_300))
		return &io_check_mce_p9;
	if (cpu_has_feature(CPU_FTR_ARCH_207S))
		return &io_check_mce_p8;
	return &io_check_mce_p7;
}

/*
 * Is a machine check at a checked access, of the address @at, that access'?
 *
 * A load's is, if DSISR has nothing but what a failed load ends with.  All else is the
 * platform's, as before: SLB, ERAT and TLB errors, which it has flushed, and what it
 * cannot survive.
 *
 * A store's machine check comes when the CPU has gone on, without an address, and is
 * fatal.  Emulators give one at the store, with that very code and with its address in
 * DAR, where hardware leaves what was there.
 */
static __always_inline bool
io_check_mce_claims(const struct io_check_mce_rows *cpu, bool write, unsigned long srr1,
		    unsigned long dsisr, unsigned long dar, unsigned long at)
{
	unsigned long code = srr1 & SRR1_MC_CODE, row = dsisr & cpu->all;

	if (!(srr1 & SRR1_MC_LOADSTORE))
		return false;
	if (code == SRR1_MC_STORE_RA)
		return write && dar == at;
	if (write || code == SRR1_MC_STORE_LINK)
		return false;
	if (!row)
		return cpu->unknown && dar == at;
	if (row & ~cpu->load)
		return false;
	return !(row & cpu->dar) || dar == at;
}

#else /* CONFIG_PPC32 */

/*
 * What 6xx and 7xx CPUs have in SRR1 of a machine check, all of it in
 * machine_check_generic().  An access ends with the transfer error acknowledge, on a
 * 7450 together with its memory subsystem's bit, with the machine-check pin, which
 * errors of DMA pull as well, or with nothing, as check_io_access() knows.  Parity and
 * caches are the platform's.
 */
#define SRR1_MC_CAUSES		0x601f0000
#define SRR1_MC_MSS		0x00100000
#define SRR1_MC_MCP		0x00080000
#define SRR1_MC_TEA		0x00040000

static __always_inline bool io_check_mce_claims(unsigned long srr1)
{
	switch (srr1 & SRR1_MC_CAUSES) {
	case 0:
	case SRR1_MC_TEA:
	case SRR1_MC_TEA | SRR1_MC_MSS:
	case SRR1_MC_MCP:
		return true;
	}
	return false;
}

#endif /* CONFIG_PPC32 */

#endif /* _ASM_POWERPC_IO_CHECK_MCE_H */
