/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What continues a checked access after its high priority machine check
 * (HPMC).  The accesses themselves are in <asm/io_check.h>.
 *
 * Firmware gets an HPMC first, and what it does to the registers is its own
 * affair (PA-RISC 2.0 Architecture, appendix F, "PDCE_CHECK").  It has stored
 * them in processor internal memory (PIM) before, which os_hpmc asks for with
 * PDC_PIM, and PIM says which of them are valid.  Nothing of an access has to be
 * saved by the kernel, so one that works costs next to nothing.
 *
 * The floating-point registers are the process's, and PIM does not say whether it has
 * them.  os_hpmc saves them before it calls PDC_PIM; what firmware does to them before
 * os_hpmc is not undone.
 */

#include <asm/assembly.h>
#include <asm/psw.h>
#include <linux/linkage.h>

#ifndef CONFIG_64BIT
	.level	PA_ASM_LEVEL
#endif

/* struct pim_cpu_state_cf: IIA queue, GRs, CRs, SRs and CR24 to CR31 are valid,
 * and the IIA queue is no failure's.  What HP's own examples of an HPMC show has
 * the bit of the interruption parameter registers clear: they are for the record
 * alone, and not asked for.
 */
#define STATE_IPV	2
/* The check type's top bits: a bus check, and no cache, TLB or assists check beside it,
 * which are no access's failure (PA-RISC 2.0 Architecture, appendix F, "PIM").
 */
#define CHECK_BITS	4
#define CHECK_BUS	2
#define STATE_BITS	7
#define STATE_NEEDED	0x4f

/* io_check_pim: GR 0 to 31, CR 0 to 31, SR 0 to 7, as PIM has them in front */
#define PIM_REGS	72
#define GR(n)		((n) * REG_SZ)
#define CR(n)		((32 + (n)) * REG_SZ)
#define SR(n)		((64 + (n)) * REG_SZ)

/* struct io_check_stub, with what <asm/io_check.h> has in pad */
#define STUB_START	0
#define STUB_END	4
#define STUB_REGS	8
#define STUB_WRITE	13
#define STUB_SIZE	16

	/* rel: \t is where the word at \off(\base) points, which is relative to
	 * \base; two registers
	 */
	.macro	rel off, base, t
	ldw	\off(\base), \t
#ifdef CONFIG_64BIT
	extrd,s	\t, 63, 32, \t
#endif
	addl	\base, \t, \t
	.endm

	/* saved: \t is where the GR is that bits \p - 4 to \p of \r name */
	.macro	saved r, p, t
	extru_safe \r, \p, 5, \t
#ifdef CONFIG_64BIT
	sh3addl	\t, %r3, \t
#else
	sh2addl	\t, %r3, \t
#endif
	.endm

	.section .bss
	.align	8
io_check_pim:
	.block	PIM_REGS * REG_SZ

/*
 * io_check_hpmc - continue a checked access after its HPMC
 *
 * os_hpmc branches here when PDC_PIM has given it PIM: real mode, narrow, PSW M
 * off and Q on.  An HPMC of another kind goes back to os_hpmc_go_on, with all
 * that os_hpmc reads (r3, sp) and the vector's checksum as they were.
 *
 *	r6	with SMP: this CPU is alone in os_hpmc, if not 0
 *
 * No stack is used, no lock is waited for, and no memory but the kernel's image.
 */
	.section .text.io_check, "ax"
	.align	4
ENTRY(io_check_hpmc)
#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
	load32	PA(io_check_nohook), %r1
	ldb	0(%r1), %r8
	cmpib,<>,n 0, %r8, .Lnot_ours
#endif
#ifdef CONFIG_SMP
	cmpib,=,n 0, %r6, .Lnot_ours
#endif
	/* the layout that transfer_pim_to_trap_frame() knows, as registers */
	load32	PA(hpmc_pim_data), %r7
#ifdef CONFIG_64BIT
	ldi	8, %r9
	ldw	PIM_20_STATE(%r7), %r10
	ldw	PIM_20_CHECK(%r7), %r14
#else
	load32	PA(boot_cpu_data), %r1
	ldw	CPU_TYPE(%r1), %r8
	ldi	4, %r9
	ldw	PIM_11_CHECK(%r7), %r14
	cmpib,>	CPU_TYPE_PCXU, %r8, .Lcopy
	ldw	PIM_11_STATE(%r7), %r10
	ldi	8, %r9
	ldw	PIM_20_STATE(%r7), %r10
	ldw	PIM_20_CHECK(%r7), %r14
	ldo	4(%r7), %r7			/* low halves */
.Lcopy:
#endif
	load32	PA(io_check_pim), %r11
	copy	%r11, %r8
	ldi	PIM_REGS, %r12
.Lnext_reg:
	LDREG	0(%r7), %r13
	STREG	%r13, 0(%r8)
	addl	%r7, %r9, %r7
	addib,>	-1, %r12, .Lnext_reg
	ldo	REG_SZ(%r8), %r8

	depi	0, STATE_IPV, 1, %r10
	extru_safe %r10, STATE_BITS - 1, STATE_BITS, %r10
	ldi	STATE_NEEDED, %r8
	cmpb,<>,n %r10, %r8, .Lnot_ours
	extru_safe %r14, CHECK_BITS - 1, CHECK_BITS, %r14
	cmpib,<>,n CHECK_BUS, %r14, .Lnot_ours
	/* another task's PIM is another CPU's */
	LDREG	CR(30)(%r11), %r8
	mfctl	%cr30, %r10
	cmpb,COND(<>),n %r10, %r8, .Lnot_ours
	/* the front of the queue, in a stub of the kernel's space? */
	LDREG	CR(17)(%r11), %r8
	cmpb,COND(<>),n %r0, %r8, .Lnot_ours
	LDREG	CR(18)(%r11), %r9
	tophys_r1 %r9
	load32	PA(__io_check_stubs), %r12
	load32	PA(__io_check_stubs_end), %r13
.Lnext_stub:
	cmpb,COND(=),n %r12, %r13, .Lnot_ours
	rel	STUB_START, %r12, %r14
	ldo	STUB_END(%r12), %r16
	rel	0, %r16, %r15
	cmpb,COND(<<),n %r9, %r14, .Lno_match
	cmpb,COND(<<),n %r9, %r15, .Lours
.Lno_match:
	b	.Lnext_stub
	ldo	STUB_SIZE(%r12), %r12

.Lours:
	/* PDC may have used any of these.  CR24 and CR25 are the page tables. */
	.irp	reg, 8, 9, 10, 11, 12, 13, 15, 24, 25, 26, 27, 28, 29, 31
	LDREG	CR(\reg)(%r11), %r8
	mtctl	%r8, %cr\reg
	.endr
	.irp	reg, 0, 1, 2, 3, 4, 5, 6, 7
	LDREG	SR(\reg)(%r11), %r8
	mtsp	%r8, %sr\reg
	.endr

	load32	PA(hpmc_fp), %r8
	ldo	31 * 8(%r8), %r8
	rest_fp	%r8

	rsm	PSW_SM_Q, %r0
	/* The next HPMC is taken again: undo what os_hpmc did to the checksum. */
	mfctl	%cr14, %r8
	ldw	52(%r8), %r9
	addi	-1, %r9, %r9
	stw	%r9, 52(%r8)
	mtctl	%r0, %pcsq
	mtctl	%r0, %pcsq
	load32	io_check_landing, %r8
	mtctl	%r8, %pcoq
	ldo	4(%r8), %r8
	mtctl	%r8, %pcoq
	load32	KERNEL_PSW, %r8			/* M off, I off */
	mtctl	%r8, %ipsw
	rfi
	nop

.Lnot_ours:
	load32	PA(os_hpmc_go_on), %r1
	bv,n	%r0(%r1)
	nop
ENDPROC(io_check_hpmc)

/*
 * The landing pad of all accesses: virtual mode, interrupts off, which the
 * access' last instruction undoes.  r12 is the stub, physical, and all general
 * registers of the access are in io_check_pim.
 */
ENTRY(io_check_landing)
	load32	io_check_pim, %r3
	tovirt_r1 %r12
	ldw	STUB_REGS(%r12), %r4
	saved	%r4, 15, %r5
	LDREG	0(%r5), %r5			/* struct io_check */
	saved	%r4, 31, %r6
	LDREG	0(%r6), %r6			/* address */
	saved	%r4, 10, %r7			/* where the value is */
	ldb	STUB_WRITE(%r12), %r8
	ldi	-1, %r9
	cmpib,=,n 0, %r8, .Lread
	LDREG	0(%r7), %r9
.Lread:
	STREG	%r9, 0(%r7)
#ifdef CONFIG_64BIT
	std	%r9, IO_CHECK_FAULT_VALUE(%r5)
#else
	stw	%r0, IO_CHECK_FAULT_VALUE(%r5)
	stw	%r9, IO_CHECK_FAULT_VALUE + 4(%r5)
#endif
	STREG	%r6, IO_CHECK_FAULT_ADDR(%r5)
	LDREG	CR(18)(%r3), %r8
	STREG	%r8, IO_CHECK_FAULT_IP(%r5)
	LDREG	CR(22)(%r3), %r8		/* IPSW, IIR, IOR */
	STREG	%r8, IO_CHECK_FAULT_RAW(%r5)
	LDREG	CR(19)(%r3), %r8
	STREG	%r8, IO_CHECK_FAULT_RAW + REG_SZ(%r5)
	LDREG	CR(21)(%r3), %r8
	STREG	%r8, IO_CHECK_FAULT_RAW + 2 * REG_SZ(%r5)
	ldb	IO_CHECK_STOP(%r5), %r8
	depi	1, 31, 1, %r8			/* IO_CHECK_STOP_FAULT */
	stb	%r8, IO_CHECK_STOP(%r5)

	/* continue at the stub's last instruction; r1 and r31 are lost */
	ldo	STUB_END(%r12), %r9
	rel	0, %r9, %r8
	ldo	-4(%r8), %r8
	STREG	%r8, GR(1)(%r3)
	copy	%r3, %r1
	.irp	reg, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, \
		17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	LDREG	GR(\reg)(%r1), %r\reg
	.endr
	LDREG	GR(1)(%r1), %r1
#ifdef CONFIG_SMP
	/* PIM's copy was read: os_hpmc is free for another CPU */
	load32	hpmc_free, %r31
	stw	%r1, 0(%r31)
#endif
	bv,n	%r0(%r1)
	nop
ENDPROC(io_check_landing)
