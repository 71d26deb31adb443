/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What assembly, fault handlers and the tracepoint need of <linux/io_check.h>:
 * light, and without PCI.
 */
/* A file's sessions are checked, or none is: whichever header comes first decides. */
#ifdef IO_CHECK_OFF
#define _IO_CHECK_IS_OFF
#else
#define _IO_CHECK_IS_ON
#endif
#if defined(_IO_CHECK_IS_OFF) && defined(_IO_CHECK_IS_ON)
#error "define IO_CHECK_OFF before the first header that includes <linux/io_check_types.h>"
#endif

#ifndef _LINUX_IO_CHECK_TYPES_H
#define _LINUX_IO_CHECK_TYPES_H

#include <linux/bits.h>
#include <linux/types.h>

struct pci_dev;
struct pt_regs;

/**
 * enum io_check_cause - what a failed access died of
 * @IO_CHECK_NONE: nothing failed
 * @IO_CHECK_PARITY: parity error or poisoned data: -EBADMSG
 * @IO_CHECK_ABORT: target or completer abort, or an error that the platform
 *	does not tell apart: -EIO
 * @IO_CHECK_NO_RESPONSE: master abort, unsupported request: nobody claimed
 *	the address: -ENXIO
 * @IO_CHECK_TIMEOUT: completion timeout: -ETIMEDOUT
 * @IO_CHECK_FROZEN: the platform isolated the device: -EAGAIN
 * @IO_CHECK_GONE: the device was removed: -ENODEV
 * @IO_CHECK_SHARED: an error was noted during the session where the device's are
 *	latched, too; the device itself answers: -EIO
 * @IO_CHECK_NR_CAUSES: their number
 */
enum io_check_cause {
	IO_CHECK_NONE,
	IO_CHECK_PARITY,
	IO_CHECK_ABORT,
	IO_CHECK_NO_RESPONSE,
	IO_CHECK_TIMEOUT,
	IO_CHECK_FROZEN,
	IO_CHECK_GONE,
	IO_CHECK_SHARED,
	IO_CHECK_NR_CAUSES
};

/**
 * struct io_check_err - the first error of a session
 * @pdev: device that the session is for
 * @addr: ioremap()ed address of the access
 * @offset: offset of the access in @bar, or in its page where @bar is -1
 * @value: value that a read returned or a write carried; latched status bits
 *	of an error that IO_CHECK_HARVEST found
 * @raw: the architecture's own words; powerpc: SRR1, DSISR, DAR; arm64: ESR,
 *	FAR; riscv: scause, stval; ia64: BUS_CHECK, target identifier, processor
 *	state parameter
 * @ip: instruction that failed, or whose error was injected; 0 if the error
 *	came from a query
 * @time_ns: local_clock() when the core saw the error, in ns
 * @count: failed accesses in the session
 * @seq: error sequence number when the core saw the error
 * @error: -errno that io_check_end() returns
 * @cpu: CPU on which the core saw the error
 * @bar: BAR that was accessed, or -1 where the platform cannot tell
 * @size: size of the access in bytes, 0 if unknown
 * @cause: an enum io_check_cause
 * @write: the access was a write
 * @shared: it may be another device's, and does not count as this one's
 * @injected: by the fault injection of CONFIG_IO_CHECK_FAULT_INJECTION
 */
struct io_check_err {
	struct pci_dev *pdev;
	const void __iomem *addr;
	u64 offset;
	u64 value;
	unsigned long raw[3];
	unsigned long ip;
	u64 time_ns;
	u32 count;
	u32 seq;
	int error;
	int cpu;
	s8 bar;
	u8 size;
	u8 cause;
	bool write;
	bool shared;
	bool injected;
};

/* The architecture's: continue a checked access that faulted after it, with
 * the fault's words.  For fault handlers; without CONFIG_IO_CHECK there is none,
 * so ask IS_ENABLED().
 */
bool io_check_fixup(struct pt_regs *regs, unsigned long status,
		    unsigned long addr);
/* arm64's: the same of an error that comes after the access */
bool io_check_fixup_late(struct pt_regs *regs, unsigned long status);

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* What a stub's landing pad leaves of a fault; it runs in the interrupted
 * context and knows nothing else.  Offsets are known to assembly.
 */
struct io_check_fault {
	unsigned long ip;
	const void __iomem *addr;
	unsigned long raw[3];
	u64 value;
};

/* io_check.stop: why the next access has to go out of line */
#define IO_CHECK_STOP_FAULT	BIT(0)	/* a landing pad ran */
#define IO_CHECK_STOP_DEAD	BIT(1)	/* accesses skip the bus */
#define IO_CHECK_STOP_INJECT	BIT(2)	/* fault injection is armed */
#define IO_CHECK_STOP_FAILED	BIT(3)	/* an error is recorded */
#define IO_CHECK_STOP_ASK	BIT(4)	/* io_check_end() has work to do */

/**
 * struct io_check - a session; its members are the core's own
 * @stop: IO_CHECK_STOP_*, tested by each access
 * @seq: the other bytes of @word
 * @word: error sequence number at the beginning, and @stop in the lowest bits:
 *	what io_check_seq is while nothing has happened
 * @flags: session flags
 * @answered: a read gave another value than all-ones
 * @pdev: device that the session is for
 * @fault: the last fault, until the core has recorded it
 * @err: the first error
 */
struct io_check {
	union {
		struct {
#ifdef __BIG_ENDIAN
			u8 seq[3];
			u8 stop;
#else
			u8 stop;
			u8 seq[3];
#endif
		};
		u32 word;
	};
	u32 flags;
#ifndef CONFIG_HAVE_ARCH_IO_CHECK
	bool answered;
#endif
	struct pci_dev *pdev;
	struct io_check_fault fault;
	struct io_check_err err;
};

#else

struct io_check {
};

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

#endif /* _LINUX_IO_CHECK_TYPES_H */
