/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a checked access continues after its machine check.  The accesses
 * themselves are in <asm/io_check.h>.
 *
 *	r0	the value loaded, all-ones, or the value to store
 *	r6-r9	SRR1, DSISR, DAR and NIP; 32-bit CPUs have nothing in DSISR
 *		and DAR
 *	r11	struct io_check
 *	r12	address
 *	ctr	where to go on
 *
 * All else survives, and there is no stack frame.
 */

#include <asm/asm-compat.h>
#include <asm/asm-offsets.h>
#include <asm/ppc_asm.h>
#include <asm-generic/io_check.h>

	.section .kprobes.text, "ax"

	/* a plain label: C wants the address, not a descriptor's */
	.globl	io_check_landing
io_check_landing:
	PPC_STL	r9,IO_CHECK_FAULT_IP(r11)
	PPC_STL	r12,IO_CHECK_FAULT_ADDR(r11)
#ifdef CONFIG_PPC64
	std	r0,IO_CHECK_FAULT_VALUE(r11)
#else
	li	r9,0
	stw	r9,IO_CHECK_FAULT_VALUE(r11)
	stw	r0,IO_CHECK_FAULT_VALUE+4(r11)
#endif
	PPC_STL	r6,IO_CHECK_FAULT_RAW(r11)
	PPC_STL	r7,IO_CHECK_FAULT_RAW+SZL(r11)
	PPC_STL	r8,IO_CHECK_FAULT_RAW+2*SZL(r11)
	lbz	r9,IO_CHECK_STOP(r11)
	ori	r9,r9,1			/* IO_CHECK_STOP_FAULT */
	stb	r9,IO_CHECK_STOP(r11)
	bctr
