/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _DRIVERS_PCI_IO_CHECK_INJECT_H
#define _DRIVERS_PCI_IO_CHECK_INJECT_H

#include <linux/fault-inject.h>
#include <linux/types.h>

struct dentry;
struct io_check_target;

#ifdef CONFIG_IO_CHECK_FAULT_INJECTION
/**
 * struct io_check_inject - fault injection of one device
 * @attr: how often; its filters are the kernel's own
 * @dir: in debugfs
 * @kind: an enum io_check_inject_kind
 * @pop: access the bus, then fail; else skip the bus
 * @bars: mask of the BARs whose accesses may fail
 * @first: lowest offset
 * @last: highest offset
 * @size: of the access in bytes, or 0
 * @reads: reads fail
 * @writes: writes fail
 * @nth: fail this one of the accesses that the filters let through, counted
 *	down; 0: none
 * @then: becomes @nth when @nth failed an access
 * @gone: the device was removed, by kind "gone"
 * @flipped: status bits that a harvest finds, by kind "flip"
 */
struct io_check_inject {
	struct fault_attr attr;
	struct dentry *dir;
	unsigned int kind;
	bool pop;
	u8 bars;
	u32 first, last;
	u32 size;
	bool reads, writes;
	atomic_t nth;
	atomic_t then;
	bool gone;
	atomic_t flipped;
};

void io_check_inject_enable(struct io_check_target *t, struct io_check_inject *inj);
void io_check_inject_disable(struct io_check_inject *inj);
#else
struct io_check_inject {
};

static inline void io_check_inject_enable(struct io_check_target *t,
					  struct io_check_inject *inj)
{
}

static inline void io_check_inject_disable(struct io_check_inject *inj)
{
}
#endif

#endif /* _DRIVERS_PCI_IO_CHECK_INJECT_H */
