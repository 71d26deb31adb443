// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's half of a program that measures on the host's own CPU: compiled by
 * Kbuild, as drivers/pci/io_check_silicon.c of the bench's tree, so that the accessors
 * are those of a driver that is built in, and linked with main.c.  Once more with
 * SILICON_OFF: a driver whose option is off.
 */

#ifdef SILICON_OFF
#define IO_CHECK_OFF
#endif

#include "io_check_ways.h"

#ifdef SILICON_OFF

void silicon_off8(const struct ways *w);

void silicon_off8(const struct ways *w)
{
	way_session8(w);
}

#else

/* For main.c, which has no header of the kernel's */
extern const struct way *const silicon_ways;
extern const unsigned int silicon_ways_count, silicon_pdev_size;
void silicon_set_up(struct pci_dev *pdev);

const struct way *const silicon_ways = ways;
const unsigned int silicon_ways_count = ARRAY_SIZE(ways);
const unsigned int silicon_pdev_size = sizeof(struct pci_dev);

/* A device that works */
void silicon_set_up(struct pci_dev *pdev)
{
	pdev->error_state = pci_channel_io_normal;
}

/* 2005's lock, whose unlocking is in line, without the kernel's queue of those that wait */
void queued_read_lock_slowpath(struct qrwlock *lock)
{
	while (atomic_read_acquire(&lock->cnts) & _QW_WMASK)
		cpu_relax();
}

void queued_write_lock_slowpath(struct qrwlock *lock)
{
	while (atomic_cmpxchg_acquire(&lock->cnts, 0, _QW_LOCKED))
		cpu_relax();
}

void __lockfunc _raw_read_lock(rwlock_t *lock)
{
	queued_read_lock(&lock->raw_lock);
}

void __lockfunc _raw_write_lock(rwlock_t *lock)
{
	queued_write_lock(&lock->raw_lock);
}

/* Nothing fails here: what io_check.c has for that is not linked. */
atomic_t io_check_seq;
unsigned long io_check_dead_value = ~0UL;

static void __noreturn silicon_failed(void)
{
	for (;;)
		asm volatile("ud2");
}

/* The generic back end's accessors, of memory: lib/iomap.c, whose PIO_RESERVED this is */
unsigned int ioread32(const void __iomem *addr)
{
	if (likely((unsigned long)addr >= 0x40000UL))
		return readl(addr);
	silicon_failed();
}

void iowrite32(u32 val, void __iomem *addr)
{
	if (unlikely((unsigned long)addr < 0x40000UL))
		silicon_failed();
	writel(val, addr);
}

void __io_check_begin(struct io_check *c)
{
	silicon_failed();
}

u64 __io_check_slow_read(struct io_check *c, const void __iomem *addr, unsigned int size)
{
	silicon_failed();
}

void __io_check_slow_write(struct io_check *c, u64 val, void __iomem *addr,
			   unsigned int size)
{
	silicon_failed();
}

u64 __io_check_suspect(struct io_check *c, const void __iomem *addr, unsigned int size,
		       u64 val)
{
	silicon_failed();
}

int __io_check_end(struct io_check *c)
{
	silicon_failed();
}

#endif /* !SILICON_OFF */
