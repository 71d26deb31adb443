/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and stores that may take an access fault.
 *
 *	a0	the value loaded; the value to store, kept
 *	a1	address, kept
 *	a2	struct io_check, kept
 *	ra	where to return to
 *	t0-t3	scratch: on a fault ex_handler_io_check() leaves scause, stval
 *		and sepc in t0 to t2 and continues at the landing pad
 *
 * All else survives.  There is no stack frame: a stub is a leaf, and so is a
 * landing pad.  A stub is called by the asm of <asm/io_check.h>.
 *
 * The fences are those of readX() and writeX(), see __io_ar() and __io_bw().
 *
 * No probes here: a copy of an access would have no entry.
 */

#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-extable.h>
#include <asm/asm-offsets.h>

	.macro	load_stub name, load, size
SYM_FUNC_START(\name)
.Lload\@:
	\load	a0, 0(a1)
	fence	i, ir
	ret
SYM_FUNC_END(\name)
	__ASM_EXTABLE_RAW(.Lload\@, load_failed, EX_TYPE_IO_CHECK, \size)
	.endm

	.macro	store_stub name, store, size
SYM_FUNC_START(\name)
	fence	w, o
.Lstore\@:
	\store	a0, 0(a1)
	ret
SYM_FUNC_END(\name)
	__ASM_EXTABLE_RAW(.Lstore\@, store_failed, EX_TYPE_IO_CHECK,
			  \size | EX_DATA_IO_CHECK_WRITE)
	.endm

	.section .kprobes.text, "ax"

	load_stub __io_check_ld8, lb, 1
	load_stub __io_check_ld16, lh, 2
	load_stub __io_check_ld32, lw, 4
	load_stub __io_check_ld64, ld, 8
	store_stub __io_check_st8, sb, 1
	store_stub __io_check_st16, sh, 2
	store_stub __io_check_st32, sw, 4
	store_stub __io_check_st64, sd, 8

SYM_CODE_START_LOCAL(load_failed)
	li	a0, -1
SYM_INNER_LABEL(store_failed, SYM_L_LOCAL)
	REG_S	t2, IO_CHECK_FAULT_IP(a2)
	REG_S	a1, IO_CHECK_FAULT_ADDR(a2)
	REG_S	a0, IO_CHECK_FAULT_VALUE(a2)
	REG_S	t0, IO_CHECK_FAULT_RAW(a2)
	REG_S	t1, IO_CHECK_FAULT_RAW + 8(a2)
	REG_S	zero, IO_CHECK_FAULT_RAW + 16(a2)
	lbu	t3, IO_CHECK_STOP(a2)
	ori	t3, t3, 1			/* IO_CHECK_STOP_FAULT */
	sb	t3, IO_CHECK_STOP(a2)
	ret
SYM_CODE_END(load_failed)
