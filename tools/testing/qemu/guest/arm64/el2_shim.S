/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code at EL2, its MMU off: performs the loads and stores that fault at stage 2, and
 * turns what the bus fails into a virtual SError (DDI 0487, D1.13.4: HCR_EL2.VSE).
 * SP is the CPU's struct el2_cpu.
 *
 * Position independent: it runs from a copy.
 */

#include <linux/linkage.h>
#include <asm/esr.h>
#include <asm/sysreg.h>
#include "el2.h"

#define HCR_VSE		(1 << 8)
#define MDCR_TDE	(1 << 8)
#define MDSCR_SS	(1 << 0)
#define SPSR_SS		(1 << 21)
/* ISS of a data abort (DDI 0487, D17.2.37) */
#define ISS_ISV		24
#define ISS_SAS		22
#define ISS_SRT		16
#define ISS_WNR		6

	.macro	vector to
	.align	7
	b	\to
	.endm

	.macro	add_one offset
	ldr	x9, [sp, #\offset]
	add	x9, x9, #1
	str	x9, [sp, #\offset]
	.endm

	.text
	.align	11
SYM_CODE_START(el2_shim)
	.rept	4			/* EL2 with SP_EL0 */
	vector	.Lodd
	.endr
	vector	.Lrefused		/* EL2's own: an access that it performs */
	.rept	3
	vector	.Lodd
	.endr
	vector	.Llower			/* EL1's */
	.rept	7
	vector	.Lodd
	.endr

.Lodd:
	add_one	EL2_ODD
	b	.

/* The bus has failed the access: ELR_EL2 and SPSR_EL2 are in x4 and x5 */
.Lrefused:
	mov	x8, #1
	adr	x9, .Lperformed
	msr	elr_el2, x9
	eret

.Llower:
	/* HVC comes before there is an area, and may use all that a call may */
	msr	tpidr_el2, x0
	mrs	x0, esr_el2
	lsr	x0, x0, #ESR_ELx_EC_SHIFT
	cmp	x0, #ESR_ELx_EC_HVC64
	mrs	x0, tpidr_el2
	b.eq	.Lhvc
	stp	x0, x1, [sp, #EL2_X]
	stp	x2, x3, [sp, #EL2_X + 0x10]
	stp	x4, x5, [sp, #EL2_X + 0x20]
	stp	x6, x7, [sp, #EL2_X + 0x30]
	stp	x8, x9, [sp, #EL2_X + 0x40]
	stp	x10, x11, [sp, #EL2_X + 0x50]
	stp	x12, x13, [sp, #EL2_X + 0x60]
	stp	x14, x15, [sp, #EL2_X + 0x70]
	stp	x16, x17, [sp, #EL2_X + 0x80]
	stp	x18, x19, [sp, #EL2_X + 0x90]
	stp	x20, x21, [sp, #EL2_X + 0xa0]
	stp	x22, x23, [sp, #EL2_X + 0xb0]
	stp	x24, x25, [sp, #EL2_X + 0xc0]
	stp	x26, x27, [sp, #EL2_X + 0xd0]
	stp	x28, x29, [sp, #EL2_X + 0xe0]
	str	x30, [sp, #EL2_X + 0xf0]
	ldr	x10, [sp, #EL2_KNOBS]
	mrs	x0, esr_el2
	lsr	x1, x0, #ESR_ELx_EC_SHIFT
	cmp	x1, #ESR_ELx_EC_SOFTSTP_LOW
	b.eq	.Lstepped
	cmp	x1, #ESR_ELx_EC_DABT_LOW
	b.ne	.Lodd
	tbz	x0, #ISS_ISV, .Lodd

	/* the access, at its intermediate physical address, which is the physical one */
	mrs	x4, elr_el2
	mrs	x5, spsr_el2
	mrs	x6, hpfar_el2
	ubfx	x6, x6, #4, #36
	lsl	x6, x6, #12
	mrs	x7, far_el2
	and	x7, x7, #0xfff
	orr	x6, x6, x7
	mov	x8, #0
	add	x11, sp, #EL2_X
	ubfx	x12, x0, #ISS_SRT, #5
	ubfx	x1, x0, #ISS_SAS, #2
	tbnz	x0, #ISS_WNR, .Lstore
	add_one	EL2_LOADS
	mov	x2, #EL2_GARBAGE
	cmp	x1, #1
	b.lo	1f
	b.eq	2f
	cmp	x1, #2
	b.eq	4f
	ldr	x2, [x6]
	b	.Lperformed
4:	ldr	w2, [x6]
	b	.Lperformed
2:	ldrh	w2, [x6]
	b	.Lperformed
1:	ldrb	w2, [x6]
	b	.Lperformed

.Lstore:
	ldr	x2, [x10, #EL2_LOSE]
	cbz	x2, 3f
	ldr	x3, [x10, #EL2_LOSE_AT]
	cmp	x3, x6
	b.ne	3f
	ldr	x3, [x10, #EL2_PASS]
	cbz	x3, 2f
	sub	x3, x3, #1
	str	x3, [x10, #EL2_PASS]
	b	3f
2:	sub	x2, x2, #1
	str	x2, [x10, #EL2_LOSE]
	add_one	EL2_DROPPED
	b	.Lperformed
3:	mov	x2, xzr
	cmp	x12, #31
	b.eq	5f
	ldr	x2, [x11, x12, lsl #3]
5:	cmp	x1, #1
	b.lo	1f
	b.eq	2f
	cmp	x1, #2
	b.eq	4f
	str	x2, [x6]
	b	.Lperformed
4:	str	w2, [x6]
	b	.Lperformed
2:	strh	w2, [x6]
	b	.Lperformed
1:	strb	w2, [x6]

.Lperformed:
	add	x4, x4, #4
	msr	elr_el2, x4
	msr	spsr_el2, x5
	isb
	tbnz	x0, #ISS_WNR, .Lstored
	cmp	x12, #31
	b.eq	6f
	str	x2, [x11, x12, lsl #3]
6:	cbz	x8, .Lback
	b	.Lfailed
.Lstored:
	cbz	x8, .Lback
	ldr	x2, [x10, #EL2_STORES]
	cbnz	x2, .Lfailed
	add_one	EL2_DROPPED
	b	.Lback

.Lfailed:
	ldr	x2, [x10, #EL2_WAIT]
	cbz	x2, 7f
	mov	x3, #0x2000000
8:	mrs	x2, isr_el1		/* bit 7: IRQ */
	tbnz	x2, #7, 7f
	sub	x3, x3, #1
	cbnz	x3, 8b
7:	ldr	x2, [x10, #EL2_DELAY]
	cbz	x2, .Lserror
	str	x2, [sp, #EL2_LEFT]
	mrs	x2, mdcr_el2
	orr	x2, x2, #MDCR_TDE
	msr	mdcr_el2, x2
	mrs	x2, mdscr_el1
	orr	x2, x2, #MDSCR_SS
	msr	mdscr_el1, x2
	b	.Lstep_on

	/* one instruction of EL1's is over */
.Lstepped:
	ldr	x2, [sp, #EL2_LEFT]
	sub	x2, x2, #1
	str	x2, [sp, #EL2_LEFT]
	cbnz	x2, .Lstep_on
	mrs	x2, mdscr_el1
	bic	x2, x2, #MDSCR_SS
	msr	mdscr_el1, x2
	mrs	x2, mdcr_el2
	bic	x2, x2, #MDCR_TDE
	msr	mdcr_el2, x2
.Lserror:
	add_one	EL2_SERRORS
	ldr	x2, [sp, #EL2_RAS]
	cbz	x2, 9f
	ldr	x2, [x10, #EL2_SYNDROME]
	msr_s	SYS_VSESR_EL2, x2
9:	mrs	x2, hcr_el2
	orr	x2, x2, #HCR_VSE
	msr	hcr_el2, x2
	isb

.Lback:
	/* an access between two steps is one of them */
	mrs	x2, mdcr_el2
	tbz	x2, #8, .Lreturn
	ldr	x2, [sp, #EL2_LEFT]
	cmp	x2, #1
	b.eq	.Lstep_on
	sub	x2, x2, #1
	str	x2, [sp, #EL2_LEFT]
.Lstep_on:
	mrs	x2, spsr_el2
	orr	x2, x2, #SPSR_SS
	msr	spsr_el2, x2
.Lreturn:
	ldp	x0, x1, [sp, #EL2_X]
	ldp	x2, x3, [sp, #EL2_X + 0x10]
	ldp	x4, x5, [sp, #EL2_X + 0x20]
	ldp	x6, x7, [sp, #EL2_X + 0x30]
	ldp	x8, x9, [sp, #EL2_X + 0x40]
	ldp	x10, x11, [sp, #EL2_X + 0x50]
	ldp	x12, x13, [sp, #EL2_X + 0x60]
	ldp	x14, x15, [sp, #EL2_X + 0x70]
	ldp	x16, x17, [sp, #EL2_X + 0x80]
	ldp	x18, x19, [sp, #EL2_X + 0x90]
	ldp	x20, x21, [sp, #EL2_X + 0xa0]
	ldp	x22, x23, [sp, #EL2_X + 0xb0]
	ldp	x24, x25, [sp, #EL2_X + 0xc0]
	ldp	x26, x27, [sp, #EL2_X + 0xd0]
	ldp	x28, x29, [sp, #EL2_X + 0xe0]
	ldr	x30, [sp, #EL2_X + 0xf0]
	eret

	/* x1: struct el2_cpu, x2: VTTBR_EL2, x3: VTCR_EL2, x4: more of HCR_EL2 */
.Lhvc:
	cmp	x0, #EL2_HVC_SETUP
	b.ne	.Lodd_hvc
	mov	sp, x1
	msr	vttbr_el2, x2
	msr	vtcr_el2, x3
	isb
	mrs	x0, hcr_el2
	orr	x0, x0, x4
	msr	hcr_el2, x0
	isb
	tlbi	vmalls12e1
	dsb	sy
	isb
	eret
.Lodd_hvc:
	mov	x0, #-1
	eret
SYM_CODE_END(el2_shim)
	.globl	el2_shim_end
el2_shim_end:
