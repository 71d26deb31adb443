/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and stores that may take a machine check.
 *
 *	r3	the value loaded, zeros above it; the value to store, kept
 *	r4	address, kept
 *	r5	struct io_check, kept
 *	lr	where to return to
 *	r0	scratch
 *	r6-r9	scratch: on a fault io_check_fixup() leaves SRR1, DSISR,
 *		DAR and NIP here and continues at the landing pad; 32-bit
 *		CPUs have nothing in DSISR and DAR
 *
 * All else survives.  There is no stack frame: a stub is a leaf, and so is a
 * landing pad.  A stub is entered with bl by the asm of <asm/io_check.h>.
 *
 * Each range runs from the access to the blr, and has it.  A load is consumed by twi and
 * isync, as in_le32() does, so that its machine check comes before the blr is
 * done (Power ISA Book II, "Instruction Synchronization").  A store's comes
 * at the store, or so late that no stub owns it.
 *
 * 32-bit CPUs take it at any of these instructions, or at the one behind them,
 * as __do_in_asm() and __do_out_asm() in <asm/io.h> have it: here that is the
 * blr, which is not done yet then; and a sync waits for the store.
 *
 * No probes here: a copy of an access would fault outside of its range.
 */

#include <asm/asm-compat.h>
#include <asm/asm-offsets.h>
#include <asm/ppc_asm.h>
#include <asm-generic/io_check.h>

#ifdef __BIG_ENDIAN__
#define LOAD16	lhbrx
#define LOAD32	lwbrx
#define STORE16	sthbrx
#define STORE32	stwbrx
#else
#define LOAD16	lhzx
#define LOAD32	lwzx
#define STORE16	sthx
#define STORE32	stwx
#endif

#ifdef CONFIG_PPC64
#define STORE_TAIL
#else
#define STORE_TAIL	sync;
#endif

#define LOAD_STUB(name, insn, size, pad)				\
_GLOBAL(name);								\
	sync;								\
0:	insn	r3,0,r4;						\
	twi	0,r3,0;							\
	isync;								\
	blr;								\
1:	io_check_stub 0b, 1b, pad, size, 0

#define STORE_STUB(name, insn, size)					\
_GLOBAL(name);								\
	sync;								\
0:	insn	r3,0,r4;						\
	STORE_TAIL							\
	blr;								\
1:	io_check_stub 0b, 1b, store_failed, size, 1

	.section .rodata.io_check, "a"
	.balign	4
	.globl	__io_check_stubs
__io_check_stubs:
	.section .kprobes.text, "ax"

LOAD_STUB(__io_check_ld8, lbzx, 1, load8_failed)
LOAD_STUB(__io_check_ld16, LOAD16, 2, load16_failed)
LOAD_STUB(__io_check_ld32, LOAD32, 4, load32_failed)
STORE_STUB(__io_check_st8, stbx, 1)
STORE_STUB(__io_check_st16, STORE16, 2)
STORE_STUB(__io_check_st32, STORE32, 4)
#ifdef CONFIG_PPC64
LOAD_STUB(__io_check_ld64, ldx, 8, load64_failed)
STORE_STUB(__io_check_st64, stdx, 8)
#endif

/* All-ones of the access's size: callers compare the register */
load8_failed:
	li	r3,0xff
	b	store_failed
load16_failed:
	li	r3,0
	ori	r3,r3,0xffff
	b	store_failed
#ifdef CONFIG_PPC64
load32_failed:
	li	r3,-1
	clrldi	r3,r3,32
	b	store_failed
load64_failed:
#else
load32_failed:
#endif
	li	r3,-1
store_failed:
	PPC_STL	r9,IO_CHECK_FAULT_IP(r5)
	PPC_STL	r4,IO_CHECK_FAULT_ADDR(r5)
#ifdef CONFIG_PPC64
	std	r3,IO_CHECK_FAULT_VALUE(r5)
#else
	li	r0,0
	stw	r0,IO_CHECK_FAULT_VALUE(r5)
	stw	r3,IO_CHECK_FAULT_VALUE+4(r5)
#endif
	PPC_STL	r6,IO_CHECK_FAULT_RAW(r5)
	PPC_STL	r7,IO_CHECK_FAULT_RAW+SZL(r5)
	PPC_STL	r8,IO_CHECK_FAULT_RAW+2*SZL(r5)
	lbz	r0,IO_CHECK_STOP(r5)
	ori	r0,r0,1			/* IO_CHECK_STOP_FAULT */
	stb	r0,IO_CHECK_STOP(r5)
	blr

	.section .rodata.io_check, "a"
	.globl	__io_check_stubs_end
__io_check_stubs_end:
