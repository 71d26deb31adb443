/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of io_check share: sessions (io_check.c), devices
 * (io_check_dev.c), a driver's recovery (io_check_recovery.c), fault injection
 * (io_check_inject.c).
 */
#ifndef _DRIVERS_PCI_IO_CHECK_H
#define _DRIVERS_PCI_IO_CHECK_H

#include <linux/fault-inject.h>
#include <linux/io_check.h>
#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

struct dentry;

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
#endif

/**
 * struct io_check_found - what io_check_harvest() found
 * @status: bits of PCI_STATUS or PCI_SEC_STATUS of all
 * @own: mask of causes that the device itself has latched
 * @others: mask of those that ports above it have, for others below them as well
 */
struct io_check_found {
	u16 status;
	u8 own;
	u8 others;
};

/**
 * enum io_check_doubt - what an error that somebody noted leaves in doubt
 * @IO_CHECK_NO_DOUBT: nothing
 * @IO_CHECK_DOUBT_LOST: reads that gave all-ones, and posted writes
 * @IO_CHECK_DOUBT_ALL: each value
 */
enum io_check_doubt { IO_CHECK_NO_DOUBT, IO_CHECK_DOUBT_LOST, IO_CHECK_DOUBT_ALL };

/* io_check.flags that are the core's own: a read was asked about, ... */
#define IO_CHECK_SUSPECT	BIT(30)
/* ... and what was found may be another device's */
#define IO_CHECK_OTHERS		BIT(31)

enum io_check_state { IO_CHECK_OK, IO_CHECK_RECOVERING, IO_CHECK_OFFLINE };

/**
 * struct io_check_dev - a device whose driver called pci_io_check_enable()
 * @ref: of the driver, and of @work while it is queued
 * @rcu: it is found under RCU
 * @pdev: the device
 * @ops: what the driver told
 * @work: recovery
 * @disabled: the driver is gone; changes under the device's lock
 * @lock: of the members below
 * @last: last error
 * @errors: by cause
 * @state: of the error handlers; io_check_dev_state() knows of @recovery, too
 * @resets: recoveries that ended well
 * @failures: in this hour
 * @doubts: errors in this hour that may be another device's
 * @own: an error was reported that is the device's; a word, for xchg() on any CPU
 * @since: when the hour began, in s since boot
 * @limit: failures an hour until the device goes offline
 * @offline_on_error: the limit is 0
 * @thawed: its slot was reset, and the channel's state does not say so yet
 * @recovery: the driver's, or NULL; changes under the device's lock
 * @inject: fault injection
 */
struct io_check_dev {
	struct kref ref;
	struct rcu_head rcu;
	struct pci_dev *pdev;
	struct io_check_ops ops;
	struct work_struct work;
	bool disabled;

	raw_spinlock_t lock;
	struct io_check_err last;
	u32 errors[IO_CHECK_NR_CAUSES];
	enum io_check_state state;
	u32 resets;
	u32 failures;
	u32 doubts;
	u32 own;
	time64_t since;
	u32 limit;
	bool offline_on_error;
	bool thawed;
	struct io_check_recovery *recovery;

#ifdef CONFIG_IO_CHECK_FAULT_INJECTION
	struct io_check_inject inject;
#endif
};

extern struct dentry *io_check_debugfs;

int io_check_latch_enable(struct pci_dev *pdev);
void io_check_latch_disable(struct pci_dev *pdev);
void io_check_harvest(struct pci_dev *pdev, u16 mask, bool express,
		      struct io_check_found *found);
void io_check_forget(struct pci_dev *pdev);
bool io_check_aer_native(struct pci_dev *pdev);
unsigned int io_check_status_causes(u16 status);
enum io_check_cause io_check_worst(unsigned int causes);
enum io_check_doubt io_check_heard(struct pci_dev *pdev, u32 seq);

void io_check_locate(struct io_check_err *err);
void io_check_record(struct io_check *c, const struct io_check_err *err);
u64 io_check_do_read(struct io_check *c, const void __iomem *addr,
		     unsigned int size);
void io_check_do_write(struct io_check *c, u64 val, void __iomem *addr,
		       unsigned int size);
bool io_check_alive(struct pci_dev *pdev, struct io_check_err *err);
bool io_check_dev_recovers(struct pci_dev *pdev);
bool io_check_dev_isolated(struct pci_dev *pdev);

struct io_check_dev *io_check_dev_find(struct pci_dev *pdev);
enum io_check_state io_check_dev_state(struct io_check_dev *idev);
struct io_check_ops io_check_dev_ops(struct pci_dev *pdev);
void io_check_synchronize_irqs(struct pci_dev *pdev);
void io_check_dev_error(const struct io_check_err *err);
unsigned int io_check_backoff(struct pci_dev *pdev);

#ifdef CONFIG_IO_CHECK_FAULT_INJECTION
void io_check_inject_begin(struct io_check *c);
bool io_check_inject_read(struct io_check *c, const void __iomem *addr,
			  unsigned int size, unsigned long ip, u64 *val);
bool io_check_inject_write(struct io_check *c, u64 val, void __iomem *addr,
			   unsigned int size, unsigned long ip);
u16 io_check_inject_harvest(struct io_check *c);
void io_check_inject_enable(struct io_check_dev *idev);
void io_check_inject_disable(struct io_check_dev *idev);
#else
static inline void io_check_inject_begin(struct io_check *c)
{
}

static inline bool io_check_inject_read(struct io_check *c,
					const void __iomem *addr,
					unsigned int size, unsigned long ip,
					u64 *val)
{
	return false;
}

static inline bool io_check_inject_write(struct io_check *c, u64 val,
					 void __iomem *addr, unsigned int size,
					 unsigned long ip)
{
	return false;
}

static inline u16 io_check_inject_harvest(struct io_check *c)
{
	return 0;
}

static inline void io_check_inject_enable(struct io_check_dev *idev)
{
}

static inline void io_check_inject_disable(struct io_check_dev *idev)
{
}
#endif

#endif /* _DRIVERS_PCI_IO_CHECK_H */
