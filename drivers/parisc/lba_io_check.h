/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an LBA knows of failed accesses.  In soft fail mode a read that nobody
 * claims returns all-ones, and ERROR_STATUS has a bit of it; smart mode keeps
 * the LBA from going into PCI fatal mode over it (see LBA_CFG_SETUP).
 */
#ifndef _LBA_IO_CHECK_H
#define _LBA_IO_CHECK_H

#include <linux/io_check.h>
#include <linux/io_check_latch.h>
#include <asm/io_check_lba.h>
#include <asm/ropes.h>
#include <asm-generic/io_check_phys.h>

#define LBA_ERROR_BITS		0x1f
#define LBA_MASTER_ABORT_ERROR	0xc
#define LBA_FATAL_ERROR		0x10

/* readl() and writel(), or a model of the registers */
struct lba_regs {
	u32 (*read)(const struct lba_regs *regs, unsigned int reg);
	void (*write)(const struct lba_regs *regs, u32 val, unsigned int reg);
	void __iomem *base;
};

/*
 * lba_take_error() - read ERROR_STATUS, and clear it
 * @regs: the LBA's registers
 *
 * Fatal mode is left as it is: only a reset of the LBA ends it.  The caller
 * holds the LBA's error_lock, and tells other sessions.
 *
 * Context: Any.
 * Return: the error bits that were set.
 */
static inline u32 lba_take_error(const struct lba_regs *regs)
{
	u32 control = regs->read(regs, LBA_STAT_CTL);
	u32 error;

	/* CE is needed for CL to work, and hardware unsets it at each error */
	regs->write(regs, control | CLEAR_ERRLOG_ENABLE, LBA_STAT_CTL);
	error = regs->read(regs, LBA_ERROR_STATUS) & LBA_ERROR_BITS;
	if (error && !(error & LBA_FATAL_ERROR))
		regs->write(regs, control | CLEAR_ERRLOG, LBA_STAT_CTL);
	regs->write(regs, control, LBA_STAT_CTL);
	return error;
}

static inline enum io_check_cause lba_error_cause(u32 error)
{
	if (error & LBA_FATAL_ERROR)
		return IO_CHECK_ABORT;
	if (error & LBA_MASTER_ABORT_ERROR)
		return IO_CHECK_NO_RESPONSE;
	return error ? IO_CHECK_ABORT : IO_CHECK_NONE;
}

#endif /* _LBA_IO_CHECK_H */
