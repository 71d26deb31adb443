/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and stores that may end in a machine check abort (MCA).
 *
 *	in0 (r32)	address
 *	in1 (r33)	struct io_check
 *	in2 (r34)	the value to store
 *	r8		the value loaded
 *	r9-r11, r14	on an MCA recover_checked_access() leaves IIP, BUS_CHECK,
 *			the target identifier and the processor state parameter
 *			in them and continues at the landing pad
 *	r15, r16	scratch
 *	p6		were interrupts on?
 *
 * A stub is a leaf without a frame of its own.  PAL saves and restores r1 to
 * r31 with their NaT bits (pal_min_state_area), so the four start without one.
 *
 * A load of a register that fails raises nothing by itself: the MCA comes when
 * the value is used, or later.  So each range goes on to a use of the value, an
 * mf.a, which waits until the platform has accepted the access (Intel Itanium
 * Architecture Software Developer's Manual, volume 2, 4.4.7, "Sequentiality
 * Attribute and Ordering"), and serialization.  Nothing in it has an effect
 * but the access: IIP may be that of any of its bundles.
 *
 * No interrupt in between: an MCA that comes late would hit its handler, in no
 * range.  rsm psr.i needs no serialization (volume 2, 3.3.2).
 *
 * ld.acq and st.rel order what readX() and writeX() do, with DMA as well.
 *
 * No probes here: a copy of an access would be in no range.
 */

#include <asm/asmmacro.h>
#include <asm/asm-offsets.h>
#include <asm/kregs.h>
#include <asm-generic/io_check.h>

	.macro	no_nats
{ .mmi;	mov	r9=r0
	mov	r10=r0
	mov	r11=r0		}
{ .mmi;	mov	r14=r0
	nop.m	0
	nop.i	0;;		}
	.endm

	.macro	irqs_off
{ .mmi;	mov	r15=psr;;
	rsm	psr.i
	tbit.nz	p6,p0=r15,IA64_PSR_I_BIT;; }
	.endm

	.macro	load_stub name, load, size
GLOBAL_ENTRY(\name)
	.prologue
	.body
	no_nats
	irqs_off
.Lstart\@:
{ .mmi;	\load	r8=[r32];;
	mf.a
	nop.i	0;;		}
{ .mmi;	add	r15=1,r8	// the use
	srlz.d
	nop.i	0;;		}
{ .mmi;	srlz.i
	nop.m	0
	nop.i	0;;		}
.Lend\@:
{ .mib;
(p6)	ssm	psr.i
	nop.i	0
	br.ret.sptk.many rp;;	}
END(\name)
	io_check_stub .Lstart\@, .Lend\@, io_check_load_failed, \size, 0, 0
	.endm

	.macro	store_stub name, store, size
GLOBAL_ENTRY(\name)
	.prologue
	.body
	no_nats
	irqs_off
.Lstart\@:
{ .mmi;	\store	[r32]=r34;;
	mf.a
	nop.i	0;;		}
{ .mmi;	srlz.d;;
	srlz.i
	nop.i	0;;		}
.Lend\@:
{ .mib;
(p6)	ssm	psr.i
	nop.i	0
	br.ret.sptk.many rp;;	}
END(\name)
	io_check_stub .Lstart\@, .Lend\@, io_check_store_failed, \size, 1, 0
	.endm

	.section .rodata.io_check, "a"
	.align	4
	.global	__io_check_stubs
__io_check_stubs:

	.section .kprobes.text, "ax"
	load_stub ia64_io_check_ld8, ld1.acq, 1
	load_stub ia64_io_check_ld16, ld2.acq, 2
	load_stub ia64_io_check_ld32, ld4.acq, 4
	load_stub ia64_io_check_ld64, ld8.acq, 8
	store_stub ia64_io_check_st8, st1.rel, 1
	store_stub ia64_io_check_st16, st2.rel, 2
	store_stub ia64_io_check_st32, st4.rel, 4
	store_stub ia64_io_check_st64, st8.rel, 8

	/* Landing pads: in the caller's context, and in the stub's frame */
ENTRY(io_check_load_failed)
	.prologue
	.body
{ .mib;	mov	r15=-1
	nop.i	0
	br.cond.sptk.few .Lfailed;;	}
END(io_check_load_failed)

ENTRY(io_check_store_failed)
	.prologue
	.body
{ .mmi;	mov	r15=r34
	nop.m	0
	nop.i	0;;		}
.Lfailed:
	adds	r8=IO_CHECK_FAULT_IP,r33
	adds	r16=IO_CHECK_FAULT_ADDR,r33
	;;
	st8	[r8]=r9,IO_CHECK_FAULT_RAW-IO_CHECK_FAULT_IP
	st8	[r16]=r32,IO_CHECK_FAULT_RAW+8-IO_CHECK_FAULT_ADDR
	;;
	st8	[r8]=r10,16
	st8	[r16]=r11,IO_CHECK_FAULT_VALUE-IO_CHECK_FAULT_RAW-8
	;;
	st8	[r8]=r14
	st8	[r16]=r15
	adds	r15=IO_CHECK_STOP,r33
	;;
	ld1	r16=[r15]
	;;
	or	r16=1,r16			// IO_CHECK_STOP_FAULT
	;;
	st1	[r15]=r16
	mov	r8=-1
	;;
(p6)	ssm	psr.i
	br.ret.sptk.many rp
END(io_check_store_failed)

	.section .rodata.io_check, "a"
	.global	__io_check_stubs_end
__io_check_stubs_end:
