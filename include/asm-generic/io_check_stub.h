/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of loads and stores that survive a bus error, of an architecture that selects
 * HAVE_ARCH_IO_CHECK.  The handler of the fault finds in it where to continue.
 */
#ifndef _ASM_GENERIC_IO_CHECK_STUB_H
#define _ASM_GENERIC_IO_CHECK_STUB_H

#ifdef __ASSEMBLY__

/* Emit a struct io_check_stub, see below. */
	.macro	io_check_stub start, end, pad, size, write, late
	.pushsection .rodata.io_check, "a"
	.balign	4
	.long	\start - .
	.long	\end - .
	.long	\pad - .
	.byte	\size, \write, \late, 0
	.popsection
	.endm

#else /* !__ASSEMBLY__ */

#include <linux/io_check_types.h>

/*
 * One stub, or an access that is in line, where the architecture has a table of
 * them of its own, apart from the exception table.  start, end and pad are relative
 * to themselves; in line pad names the registers in use, in the architecture's way.
 */
struct io_check_stub {
	s32 start;	/* the access */
	s32 end;	/* after the last instruction that it may be blamed on */
	s32 pad;	/* where to continue after a fault */
	u8 size;	/* in bytes */
	u8 write;
	u8 late;	/* what waits after a load for an error that comes later */
	u8 unused;
};

extern const struct io_check_stub __io_check_stubs[];
extern const struct io_check_stub __io_check_stubs_end[];

/* Assembly; not for calls from C, see the registers there */
void __io_check_ld8(void);
void __io_check_ld16(void);
void __io_check_ld32(void);
void __io_check_ld64(void);
void __io_check_st8(void);
void __io_check_st16(void);
void __io_check_st32(void);
void __io_check_st64(void);

static __always_inline unsigned long io_check_address(const s32 *rel)
{
	return (unsigned long)rel + *rel;
}

/* For fault handlers, in real mode too: a bounded search in the kernel image. */
static __always_inline const struct io_check_stub *
io_check_find_stub(unsigned long ip)
{
	const struct io_check_stub *s;

	for (s = __io_check_stubs; s < __io_check_stubs_end; s++)
		if (ip >= io_check_address(&s->start) &&
		    ip < io_check_address(&s->end))
			return s;
	return NULL;
}

/*
 * Decode what the table knows of a fault at @err->ip, with the cause of a fault
 * that says no more.  Returns the stub, or NULL where there is none.
 */
static inline const struct io_check_stub *
io_check_decode_stub(struct io_check_err *err)
{
	const struct io_check_stub *s = io_check_find_stub(err->ip);

	err->cause = IO_CHECK_ABORT;
	if (s) {
		err->size = s->size;
		err->write = s->write;
	}
	return s;
}

void arch_io_check_decode(struct io_check_err *err);

/* For the negative tests: a load with nothing but an exception table entry. */
u32 io_check_test_extable(const void __iomem *addr);

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_GENERIC_IO_CHECK_STUB_H */
