/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands for firmware when inject.py raises an HPMC: real mode, PSW M on, Q
 * off, as PDCE_CHECK leaves the machine (PA-RISC 2.0 Architecture, appendix F).
 * The interrupted instruction queue and PSW are in the two words at the end.
 * Firmware uses the general registers: they are wiped, but for arg0, which is the
 * address of PDCE_PROC (page zero, MEM_PDC_LO).  The HPMC vector is the second.
 */
	.level	1.1
	.text
	bl	1f, %r1
	nop
1:	depi	0, 31, 2, %r1
	ldw	2f-1b(%r1), %r31
	mtctl	%r0, %cr17
	mtctl	%r0, %cr17
	mtctl	%r31, %cr18
	ldo	4(%r31), %r31
	mtctl	%r31, %cr18
	ldw	2f-1b+4(%r1), %r31
	mtctl	%r31, %cr22
	ldil	L%0x0badb000, %r31
	copy	%r31, %r2
	copy	%r31, %r3
	copy	%r31, %r4
	copy	%r31, %r5
	copy	%r31, %r6
	copy	%r31, %r7
	copy	%r31, %r8
	copy	%r31, %r9
	copy	%r31, %r10
	copy	%r31, %r11
	copy	%r31, %r12
	copy	%r31, %r13
	copy	%r31, %r14
	copy	%r31, %r15
	copy	%r31, %r16
	copy	%r31, %r17
	copy	%r31, %r18
	copy	%r31, %r19
	copy	%r31, %r20
	copy	%r31, %r21
	copy	%r31, %r22
	copy	%r31, %r23
	copy	%r31, %r24
	copy	%r31, %r25
	copy	%r31, %r27
	copy	%r31, %r28
	copy	%r31, %r29
	copy	%r31, %r30
	ldw	0x388(%r0), %r26
	mfctl	%cr14, %r1
	ldo	32(%r1), %r1
	bv	%r0(%r1)
	nop
	.align	8
2:	.word	0, 0
