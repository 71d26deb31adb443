/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and stores that may take a high priority machine check.
 *
 *	r24	the value to store, kept
 *	r25	struct io_check, kept
 *	r26	address, kept
 *	r28	the value loaded
 *	r31	where to return to
 *	r1, r19-r23, r29
 *		scratch: on a fault io_check_hpmc leaves IPSW, IIAOQ, IIR and
 *		IOR in r19 to r22 and continues at the landing pad
 *
 * All else survives, as far as the caller knows.  Firmware gets an HPMC first,
 * and what it does to the general registers is its own affair (PA-RISC 2.0
 * Architecture, appendix F, "PDCE_CHECK"): what has to survive is stored before
 * each access, in an area of the CPU's own.  Interrupts are off meanwhile, so
 * that one area is enough.  Its first word says whether there is something in
 * it: IIAOQ alone would take a stray HPMC for one of ours, as it is not updated
 * while PSW Q is off.
 *
 * Each range runs from the access to what disarms the area.  A load is consumed
 * and a sync ends it (PA-RISC 2.0 Architecture, "SYNC"), so that its HPMC comes
 * inside.  A store that a bridge posts is not seen here.
 */

#include <asm/assembly.h>
#include <asm/psw.h>
#include <asm-generic/io_check.h>
#include <linux/linkage.h>
#include <linux/threads.h>

#ifdef CONFIG_64BIT
#define AREA_SHIFT	8
#else
	.level	PA_ASM_LEVEL
#define AREA_SHIFT	7
#endif
#ifdef CONFIG_SMP
#define AREAS		NR_CPUS
#else
#define AREAS		1
#endif

/* The area: a word or doubleword each */
#define ARMED		0
#define SAVED(n)	((n) * REG_SZ)

	/* area: \r1 is left with this CPU's area, \tmp is lost */
	.macro	area tmp
#ifdef CONFIG_SMP
	mfctl	%cr30, \tmp
	ldw	TASK_TI_CPU(\tmp), \tmp
	shlw	\tmp, AREA_SHIFT, \tmp
	load32	io_check_areas, %r1
	add,l	\tmp, %r1, %r1
#else
	load32	io_check_areas, %r1
#endif
	.endm

	.macro	arm
	rsm	PSW_SM_I, %r23
	area	%r29
	STREG	%r2, SAVED(1)(%r1)
	STREG	%r3, SAVED(2)(%r1)
	STREG	%r4, SAVED(3)(%r1)
	STREG	%r5, SAVED(4)(%r1)
	STREG	%r6, SAVED(5)(%r1)
	STREG	%r7, SAVED(6)(%r1)
	STREG	%r8, SAVED(7)(%r1)
	STREG	%r9, SAVED(8)(%r1)
	STREG	%r10, SAVED(9)(%r1)
	STREG	%r11, SAVED(10)(%r1)
	STREG	%r12, SAVED(11)(%r1)
	STREG	%r13, SAVED(12)(%r1)
	STREG	%r14, SAVED(13)(%r1)
	STREG	%r15, SAVED(14)(%r1)
	STREG	%r16, SAVED(15)(%r1)
	STREG	%r17, SAVED(16)(%r1)
	STREG	%r18, SAVED(17)(%r1)
	STREG	%r23, SAVED(18)(%r1)
	STREG	%r24, SAVED(19)(%r1)
	STREG	%r25, SAVED(20)(%r1)
	STREG	%r26, SAVED(21)(%r1)
	STREG	%r27, SAVED(22)(%r1)
	STREG	%r30, SAVED(23)(%r1)
	STREG	%r31, SAVED(24)(%r1)
	mfsp	%sr3, %r29
	STREG	%r29, SAVED(25)(%r1)
	ldi	1, %r29
	STREG	%r29, ARMED(%r1)
	.endm

	.macro	disarm_and_return
	STREG	%r0, ARMED(%r1)
	mtsm	%r23
	bv,n	%r0(%r31)
	.endm

	.macro	load_stub name, load, size
ENTRY(\name)
	arm
.Lstart\@:
	\load	0(%r26), %r28
	copy	%r28, %r29
	sync
.Lend\@:
	disarm_and_return
ENDPROC(\name)
	io_check_stub .Lstart\@, .Lend\@, io_check_load_failed, \size, 0
	.endm

	.macro	store_stub name, store, size
ENTRY(\name)
	arm
.Lstart\@:
	\store	%r24, 0(%r26)
	sync
.Lend\@:
	disarm_and_return
ENDPROC(\name)
	io_check_stub .Lstart\@, .Lend\@, io_check_store_failed, \size, 1
	.endm

	.section .bss
	.align	64
ENTRY(io_check_areas)
	.block	AREAS << AREA_SHIFT
END(io_check_areas)

	.section .rodata.io_check, "a"
	.align	4
	.globl	__io_check_stubs
__io_check_stubs:

	.section .text.io_check, "ax"
	.align	4
	load_stub __io_check_ld8, ldb, 1
	load_stub __io_check_ld16, ldh, 2
	load_stub __io_check_ld32, ldw, 4
#ifdef CONFIG_64BIT
	load_stub __io_check_ld64, ldd, 8
#endif
.Lstores:
	store_stub __io_check_st8, stb, 1
	store_stub __io_check_st16, sth, 2
	store_stub __io_check_st32, stw, 4
#ifdef CONFIG_64BIT
	store_stub __io_check_st64, std, 8
#endif
.Lstubs_end:

	/*
	 * Landing pads: in virtual mode, interrupts off, all that was saved is
	 * back.
	 */
ENTRY(io_check_load_failed)
	ldi	-1, %r24
	.export	io_check_store_failed, code
io_check_store_failed:
	STREG	%r20, IO_CHECK_FAULT_IP(%r25)
	STREG	%r26, IO_CHECK_FAULT_ADDR(%r25)
#ifdef CONFIG_64BIT
	std	%r24, IO_CHECK_FAULT_VALUE(%r25)
#else
	stw	%r0, IO_CHECK_FAULT_VALUE(%r25)
	stw	%r24, IO_CHECK_FAULT_VALUE + 4(%r25)
#endif
	STREG	%r19, IO_CHECK_FAULT_RAW(%r25)
	STREG	%r21, IO_CHECK_FAULT_RAW + REG_SZ(%r25)
	STREG	%r22, IO_CHECK_FAULT_RAW + 2 * REG_SZ(%r25)
	ldb	IO_CHECK_STOP(%r25), %r29
	depi	1, 31, 1, %r29			/* IO_CHECK_STOP_FAULT */
	stb	%r29, IO_CHECK_STOP(%r25)
	area	%r29
	ldi	-1, %r28
	disarm_and_return
ENDPROC(io_check_load_failed)

/*
 * io_check_hpmc - continue a checked access behind its HPMC
 *
 * os_hpmc branches here first: real mode, PSW M on and Q off, the general
 * registers are firmware's, arg0 the address of PDCE_PROC.  An HPMC of another
 * kind goes back to os_hpmc_go_on with arg0 as it was, and the vector's checksum
 * intact.  No stack is used, no lock, and no memory but the kernel's image and
 * the thread_info.
 */
ENTRY(io_check_hpmc)
#if IS_ENABLED(CONFIG_IO_CHECK_KUNIT_TEST)
	load32	PA(io_check_nohook), %r1
	ldb	0(%r1), %r8
	cmpib,<>,n 0, %r8, .Lnot_ours
#endif
#ifdef CONFIG_SMP
	mfctl	%cr30, %r8
	tophys_r1 %r8
	ldw	TASK_TI_CPU(%r8), %r8
	shlw	%r8, AREA_SHIFT, %r8
	load32	PA(io_check_areas), %r1
	add,l	%r8, %r1, %r1
#else
	load32	PA(io_check_areas), %r1
#endif
	LDREG	ARMED(%r1), %r8
	cmpib,=,n 0, %r8, .Lnot_ours
	/* the front of the queue; reading it does not advance it */
	mfctl	%pcoq, %r20
	load32	__io_check_ld8, %r8
	cmpb,COND(<<),n %r20, %r8, .Lnot_ours
	load32	.Lstubs_end, %r8
	cmpb,COND(>>=),n %r20, %r8, .Lnot_ours
	mfctl	%ipsw, %r19
	mfctl	%iir, %r21
	mfctl	%ior, %r22
	load32	.Lstores, %r9
	load32	io_check_load_failed, %r8
	cmpb,COND(<<),n %r20, %r9, .Lresume
	load32	io_check_store_failed, %r8
.Lresume:
	mtctl	%r0, %pcsq
	mtctl	%r0, %pcsq
	mtctl	%r8, %pcoq
	ldo	4(%r8), %r8
	mtctl	%r8, %pcoq
	load32	KERNEL_PSW, %r8			/* M off, I off */
	mtctl	%r8, %ipsw
	mtsp	%r0, %sr4
	mtsp	%r0, %sr5
	mtsp	%r0, %sr6
	mtsp	%r0, %sr7
	LDREG	SAVED(25)(%r1), %r8
	mtsp	%r8, %sr3
	LDREG	SAVED(1)(%r1), %r2
	LDREG	SAVED(2)(%r1), %r3
	LDREG	SAVED(3)(%r1), %r4
	LDREG	SAVED(4)(%r1), %r5
	LDREG	SAVED(5)(%r1), %r6
	LDREG	SAVED(6)(%r1), %r7
	LDREG	SAVED(7)(%r1), %r8
	LDREG	SAVED(8)(%r1), %r9
	LDREG	SAVED(9)(%r1), %r10
	LDREG	SAVED(10)(%r1), %r11
	LDREG	SAVED(11)(%r1), %r12
	LDREG	SAVED(12)(%r1), %r13
	LDREG	SAVED(13)(%r1), %r14
	LDREG	SAVED(14)(%r1), %r15
	LDREG	SAVED(15)(%r1), %r16
	LDREG	SAVED(16)(%r1), %r17
	LDREG	SAVED(17)(%r1), %r18
	LDREG	SAVED(18)(%r1), %r23
	LDREG	SAVED(19)(%r1), %r24
	LDREG	SAVED(20)(%r1), %r25
	LDREG	SAVED(21)(%r1), %r26
	LDREG	SAVED(22)(%r1), %r27
	LDREG	SAVED(23)(%r1), %r30
	LDREG	SAVED(24)(%r1), %r31
	rfi
	nop

.Lnot_ours:
	load32	PA(os_hpmc_go_on), %r1
	bv,n	%r0(%r1)
	nop
ENDPROC(io_check_hpmc)

	.section .rodata.io_check, "a"
	.globl	__io_check_stubs_end
__io_check_stubs_end:
