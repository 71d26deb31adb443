/* SPDX-License-Identifier: GPL-2.0 */
/* Entry and system calls of init.c */

	.text
	.align	32
	.global	_start
	.proc	_start
_start:
	alloc	r32=ar.pfs,0,1,0,0
	movl	gp=__gp
	;;
	br.call.sptk.many rp=cmain
	break	0
	.endp	_start

/* long syscall(nr, ...): number in r15, arguments from out0, break 0x100000;
 * r10 says whether r8 is an error
 */
	.align	32
	.global	syscall
	.proc	syscall
syscall:
	alloc	r39=ar.pfs,7,1,6,0
	;;
	mov	r15=r32
	mov	r40=r33
	mov	r41=r34
	mov	r42=r35
	mov	r43=r36
	mov	r44=r37
	mov	r45=r38
	break	0x100000
	;;
	cmp.eq	p6,p0=-1,r10
	;;
(p6)	sub	r8=r0,r8
	mov	ar.pfs=r39
	br.ret.sptk.many rp
	.endp	syscall
