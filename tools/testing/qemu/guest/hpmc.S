/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands for firmware when inject.py raises an HPMC: real mode, PSW M on, Q
 * off, as PDCE_CHECK leaves the machine (PA-RISC 2.0 Architecture, appendix F).
 * It stores the registers in a PIM block, wipes them, and goes to the HPMC vector,
 * which is the second, with a PDCE_PROC of its own in arg0.  That one answers
 * PDC_PIM for an HPMC from the block, if it was given a state of the CPU that is
 * not 0; all else goes to the real one (page zero, MEM_PDC_LO).
 *
 * The words at the end are inject.py's.  SIZE is that of PIM's registers, 8 with
 * PA 2.0: struct pdc_hpmc_pim_20, or _11.
 */
	.if	SIZE == 8
	.level	2.0
	.else
	.level	1.1
	.endif

	.macro	store reg, at
	.if	SIZE == 8
	std	\reg, \at(%r1)
	.else
	stw	\reg, \at(%r1)
	.endif
	.endm

	.text
	/* as in Linux' own handlers, nobody has anything in cr28 */
	mtctl	%r1, %cr28
	bl	here, %r1
	nop
here:	depi	0, 31, 2, %r1
	ldo	pim-here(%r1), %r1
	.irp	reg, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	store	%r\reg, SIZE*\reg
	.endr
	store	%r0, 0
	mfctl	%cr28, %r2
	store	%r2, SIZE
	.irp	reg, 0, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31
	mfctl	%cr\reg, %r2
	store	%r2, SIZE*(32+\reg)
	.endr
	.irp	reg, 0, 1, 2, 3, 4, 5, 6, 7
	mfsp	%sr\reg, %r2
	store	%r2, SIZE*(64+\reg)
	.endr
	store	%r0, SIZE*(32+17)
	ldw	words-pim(%r1), %r2
	mtctl	%r0, %cr17
	mtctl	%r0, %cr17
	store	%r2, SIZE*(32+18)
	mtctl	%r2, %cr18
	ldw	words-pim+4(%r1), %r2
	store	%r0, SIZE*72
	store	%r2, SIZE*73
	mtctl	%r2, %cr18
	ldw	words-pim+8(%r1), %r2
	store	%r2, SIZE*(32+22)
	mtctl	%r2, %cr22
	ldw	words-pim+12(%r1), %r2
	stw	%r2, SIZE*74+4(%r1)
	ldw	words-pim+16(%r1), %r2
	stw	%r2, SIZE*74(%r1)
	ldo	proc-pim(%r1), %r26

	/* firmware's own use; cr30 is kept, which os_hpmc relies on in vanilla */
	ldil	L%0x0badb000, %r1
	.irp	reg, 8, 9, 11, 12, 13, 24, 25, 26, 27, 28, 29, 31
	mtctl	%r1, %cr\reg
	.endr
	.irp	reg, 0, 1, 2, 3
	mtsp	%r1, %sr\reg
	.endr
	.irp	reg, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 29, 30, 31
	copy	%r1, %r\reg
	.endr
	mfctl	%cr14, %r1
	ldo	32(%r1), %r1
	bv	%r0(%r1)
	nop

	/* PDC_PIM is 3, PDC_PIM_HPMC 0; arg0 to arg3 are r26 to r23 */
proc:	comib,<>,n 3, %r26, real
	comib,<>,n 0, %r25, real
	bl	1f, %r1
	nop
1:	depi	0, 31, 2, %r1
	ldo	pim-1b(%r1), %r1
	ldw	SIZE*74+4(%r1), %r22
	comib,=,n 0, %r22, real
	ldw	-52(%r30), %r22
	ldi	SIZE*74+304, %r21
	comb,<<=,n %r21, %r22, 2f
	copy	%r22, %r21
2:	stw	%r21, 0(%r24)
	/* firmware is free to use these */
	.irp	reg, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	fcpy,dbl %fr0, %fr\reg
	.endr
3:	ldwm	4(%r1), %r22
	addib,>	-4, %r21, 3b
	stwm	%r22, 4(%r23)
	bv	%r0(%r2)
	copy	%r0, %r28
real:	ldw	0x388(%r0), %r1
	bv	%r0(%r1)
	nop

	.align	8
pim:	.block	896
words:	.word	0, 0, 0, 0, 0, 0
