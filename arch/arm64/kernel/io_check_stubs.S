/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and stores that may take a synchronous external abort, and loads that wait for
 * an SError.
 *
 *	x0	the value loaded; the value to store, kept
 *	x1	address, kept
 *	x2	struct io_check, kept
 *	x30	where to return to
 *	x3-x6	scratch: on a fault io_check_fixup() leaves ESR, FAR and PC in
 *		x3 to x5 and continues at the landing pad
 *
 * All else survives, but for x16 and x17 if the linker puts a veneer before a
 * stub.  There is no stack frame: a stub is a leaf, and so is a landing pad.
 * A stub is entered with bl by the asm of <asm/io_check.h>.
 *
 * Each range is the access alone.  Its barriers are those of readX() and
 * writeX(), the control dependency after a load included, see __io_ar().
 *
 * A load that owns its SError comes after all that is older, and waits for its data and
 * for the exception with interrupts masked: a handler's first instruction would take it
 * else.  dsb completes the load (DDI 0487, B2.3.12); isb is where a pending SError is
 * taken, at the latest; no ESB, which defers one that is masked to DISR_EL1.  The range
 * is what waits: at the load itself it may be an older store's.
 *
 * No probes here: a copy of an access would fault outside of its range.
 */

#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/cpucaps.h>
#include <asm-generic/io_check.h>

	/* as readX() has it after its load */
	.macro	loaded reg, swap
	.ifnb	\swap
CPU_BE(	\swap	\reg, \reg	)
	.endif
	eor	x3, x0, x0
	cbnz	x3, .
	ret
	.endm

	/* first the owner: its load is patched before it is copied */
	.macro	load_stub name, load, acquire, reg, size, swap
SYM_CODE_START_LOCAL(\name\()_owner)
	mrs	x6, daif
	msr	daifset, #3
	dsb	sy
	isb
.Lowned\@:
	alternative_insn "\load \reg, [x1]", "\acquire \reg, [x1]", \
		ARM64_WORKAROUND_DEVICE_LOAD_ACQUIRE
.Lwait\@:
	dsb	ld
	isb
	/* what is pending at the isb has this one's address */
	dmb	oshld
.Lover\@:
	msr	daif, x6
	loaded	\reg, \swap
SYM_CODE_END(\name\()_owner)

SYM_FUNC_START(\name)
.Lload\@:
alternative_cb	ARM64_ALWAYS_SYSTEM, io_check_patch_load
	b	\name\()_owner
alternative_cb_end
.Lloaded\@:
	dmb	oshld
	loaded	\reg, \swap
SYM_FUNC_END(\name)
	io_check_stub .Lload\@, .Lloaded\@, load_failed, \size, 0, 0
	io_check_stub .Lowned\@, .Lwait\@, owned_load_failed, \size, 0, 0
	io_check_stub .Lwait\@, .Lover\@, owned_load_failed, \size, 0, 1
	.endm

	.macro	store_stub name, store, reg, size, swap, swapped
SYM_FUNC_START(\name)
	dmb	oshst
	.ifnb	\swap
CPU_BE(	\swap	\swapped, \reg	)
CPU_BE(	.Lstore\@: \store \swapped, [x1]	)
CPU_LE(	.Lstore\@: \store \reg, [x1]	)
	.else
.Lstore\@:
	\store	\reg, [x1]
	.endif
.Lstored\@:
	ret
SYM_FUNC_END(\name)
	io_check_stub .Lstore\@, .Lstored\@, store_failed, \size, 1, 0
	.endm

	.section .rodata.io_check, "a"
	.balign	4
SYM_DATA_START(__io_check_stubs)

	.section .kprobes.text, "ax"

	load_stub __io_check_ld8, ldrb, ldarb, w0, 1
	load_stub __io_check_ld16, ldrh, ldarh, w0, 2, rev16
	load_stub __io_check_ld32, ldr, ldar, w0, 4, rev
	load_stub __io_check_ld64, ldr, ldar, x0, 8, rev
	store_stub __io_check_st8, strb, w0, 1
	store_stub __io_check_st16, strh, w0, 2, rev16, w3
	store_stub __io_check_st32, str, w0, 4, rev, w3
	store_stub __io_check_st64, str, x0, 8, rev, x3

SYM_CODE_START_LOCAL(owned_load_failed)
	msr	daif, x6
SYM_INNER_LABEL(load_failed, SYM_L_LOCAL)
	mov	x0, #-1
SYM_INNER_LABEL(store_failed, SYM_L_LOCAL)
	str	x5, [x2, #IO_CHECK_FAULT_IP]
	str	x1, [x2, #IO_CHECK_FAULT_ADDR]
	str	x0, [x2, #IO_CHECK_FAULT_VALUE]
	str	x3, [x2, #IO_CHECK_FAULT_RAW]
	str	x4, [x2, #IO_CHECK_FAULT_RAW + 8]
	str	xzr, [x2, #IO_CHECK_FAULT_RAW + 16]
	ldrb	w6, [x2, #IO_CHECK_STOP]
	orr	w6, w6, #1			/* IO_CHECK_STOP_FAULT */
	strb	w6, [x2, #IO_CHECK_STOP]
	ret
SYM_CODE_END(owned_load_failed)

	.section .rodata.io_check, "a"
SYM_DATA_END_LABEL(__io_check_stubs, SYM_L_GLOBAL, __io_check_stubs_end)
