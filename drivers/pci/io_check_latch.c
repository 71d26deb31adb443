// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error-checked register access: errors that hardware latches, whose such an error
 * may be, and why a read may have returned what it returned.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/io_check.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include "io_check.h"

/*
 * Counts the errors that were found latched, anywhere.  A session that begins and ends at
 * the same count saw none; only where it differs are the latches on its device's way
 * asked, so that the common end costs a load and a compare.
 */
atomic_t io_check_seq __read_mostly;
EXPORT_SYMBOL_GPL(io_check_seq);

/* Kinds of latched errors, which put different things in doubt */
#define LATCH_ABORT	BIT(0)	/* an access or a completion got lost */
#define LATCH_PARITY	BIT(1)	/* or any data may be wrong */
#define LATCH_ALL	(LATCH_ABORT | LATCH_PARITY)

/* Latched status, by register */
enum { LATCH_STATUS, LATCH_SEC_STATUS, LATCH_DEVSTA, LATCH_AER, LATCH_NR };

/**
 * struct io_check_latch - what one function, bridge or host bridge latches
 * @rcu: it is found under RCU
 * @users: devices whose errors may be latched here; under io_check_latch_mutex
 * @dying: errors are noted in io_check_elsewhere as well
 * @lock: status is read and cleared under it
 * @stamp: io_check_seq after the last error of each kind
 * @blind: status bits, by register, that cannot be cleared, or were noted and are
 *	somebody else's to clear: no news until they are 0
 */
struct io_check_latch {
	struct rcu_head rcu;
	unsigned int users;
	bool dying;
	raw_spinlock_t lock;
	atomic_t stamp[2];
	u32 blind[LATCH_NR];
};

/* struct io_check_latch by the address of a pci_dev, or of a host bridge's root bus */
static DEFINE_XARRAY(io_check_latches);
static DEFINE_MUTEX(io_check_latch_mutex);

/* All that is on the way of no device whose driver called pci_io_check_enable() */
static struct io_check_latch io_check_elsewhere = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(io_check_elsewhere.lock),
};

/* Under rcu_read_lock() */
static struct io_check_latch *io_check_latch(const void *key)
{
	return xa_load(&io_check_latches, (unsigned long)key) ?: &io_check_elsewhere;
}

/*
 * Where else errors of a function are latched: in the physical function of a virtual one,
 * in the event collector of an integrated endpoint, and in the ports above.
 */
static struct pci_dev *io_check_above(struct pci_dev *pdev)
{
	if (pdev->is_virtfn)
		return pci_physfn(pdev);
#ifdef CONFIG_PCIEPORTBUS
	if (pdev->rcec)
		return pdev->rcec;
#endif
	return pci_upstream_bridge(pdev);
}

static struct pci_bus *io_check_root(struct pci_dev *pdev)
{
	struct pci_bus *bus = pdev->bus;

	while (bus->parent)
		bus = bus->parent;
	return bus;
}

/*
 * The sequence number wraps, and is compared by its sign: what is further apart than
 * half of its range is told the wrong way round.  So no stamp is left older than a
 * quarter, by whoever counts each sixteenth.  models/sequence.pml of the bench has the
 * argument.
 */
#define IO_CHECK_SEQ_OLD	((u32)BIT(30))
#define IO_CHECK_SEQ_PERIOD	((u32)BIT(28))

static void io_check_refresh_one(struct io_check_latch *l, u32 seq)
{
	int i, old;

	for (i = 0; i < ARRAY_SIZE(l->stamp); i++) {
		old = atomic_read(&l->stamp[i]);
		if ((s32)(seq - old) > (s32)IO_CHECK_SEQ_OLD)
			atomic_cmpxchg(&l->stamp[i], old, seq - IO_CHECK_SEQ_OLD);
	}
}

static void io_check_refresh(u32 seq)
{
	struct io_check_latch *l;
	unsigned long key;

	rcu_read_lock();
	io_check_refresh_one(&io_check_elsewhere, seq);
	xa_for_each(&io_check_latches, key, l)
		io_check_refresh_one(l, seq);
	rcu_read_unlock();
}

/* Of two at once the later stamp stays. */
static void io_check_stamp(struct io_check_latch *l, unsigned int kinds, u32 seq)
{
	int i, old;

	for (i = 0; i < ARRAY_SIZE(l->stamp); i++) {
		if (!(kinds & BIT(i)))
			continue;
		old = atomic_read(&l->stamp[i]);
		while ((s32)(seq - old) > 0)
			if (atomic_try_cmpxchg(&l->stamp[i], &old, seq))
				break;
	}
}

/*
 * Errors of @kinds were noted in @l.  Under rcu_read_lock(); with the lock of @l only
 * where status was cleared: configuration cycles find errors too, and may be made under it.
 */
static void io_check_bump(struct io_check_latch *l, unsigned int kinds)
{
	u32 seq = atomic_add_return(IO_CHECK_SEQ_ONE, &io_check_seq);

	io_check_stamp(l, kinds, seq);
	if (READ_ONCE(l->dying))
		io_check_stamp(&io_check_elsewhere, kinds, seq);
	if (!(seq % IO_CHECK_SEQ_PERIOD))
		io_check_refresh(seq);
}

/**
 * io_check_domain_error() - tell open sessions of an asynchronous error
 * @pdev: the device or port that saw it
 *
 * For code that finds an error no access explains.  Each session open, of the device or
 * of one below the port, is in doubt: see Documentation/driver-api/io-check.rst.  Status
 * that is latched has to be cleared with io_check_clear_status() instead.
 *
 * Context: Any but NMI.
 */
void io_check_domain_error(struct pci_dev *pdev)
{
	rcu_read_lock();
	io_check_bump(io_check_latch(pdev), LATCH_ALL);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(io_check_domain_error);

/**
 * io_check_bus_error() - io_check_domain_error() for a host bridge's driver
 * @bus: a bus below it
 *
 * Context: Any but NMI, inside a configuration cycle too.
 */
void io_check_bus_error(struct pci_bus *bus)
{
	while (bus->parent)
		bus = bus->parent;
	rcu_read_lock();
	io_check_bump(io_check_latch(bus), LATCH_ALL);
	rcu_read_unlock();
}

/* What status says (PCI Local Bus 3.0, 6.2.3; of a bridge: P2P 1.2, 3.2.5.7) */
unsigned int io_check_status_causes(u16 status)
{
	unsigned int causes = 0;

	if (status & (PCI_STATUS_DETECTED_PARITY | PCI_STATUS_PARITY))
		causes |= BIT(IO_CHECK_PARITY);
	if (status & PCI_STATUS_REC_MASTER_ABORT)
		causes |= BIT(IO_CHECK_NO_RESPONSE);
	if (status & (PCI_STATUS_REC_TARGET_ABORT | PCI_STATUS_SIG_TARGET_ABORT |
		      PCI_STATUS_SIG_SYSTEM_ERROR))
		causes |= BIT(IO_CHECK_ABORT);
	return causes;
}

/* SERR# may be of an address's parity. */
static unsigned int io_check_status_kinds(u16 status)
{
	return (status & (PCI_STATUS_DETECTED_PARITY | PCI_STATUS_PARITY |
			  PCI_STATUS_SIG_SYSTEM_ERROR) ? LATCH_PARITY : 0) |
	       (status & (PCI_STATUS_REC_MASTER_ABORT | PCI_STATUS_REC_TARGET_ABORT |
			  PCI_STATUS_SIG_TARGET_ABORT | PCI_STATUS_SIG_SYSTEM_ERROR) ?
		LATCH_ABORT : 0);
}

enum io_check_cause io_check_worst(unsigned int causes)
{
	static const u8 order[] = {
		IO_CHECK_PARITY, IO_CHECK_TIMEOUT, IO_CHECK_NO_RESPONSE, IO_CHECK_ABORT,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (causes & BIT(order[i]))
			return order[i];
	return IO_CHECK_NONE;
}

/*
 * Clear the bits of @mask in a status register that are set, and return them; of those
 * @news are not known already.
 *
 * Whoever clears status holds the lock of its latch, and moves the sequence before
 * letting go of it, when the status is clean.  Who looks at the status takes the lock,
 * too.  So an error of a session's time either is still latched when the session looks,
 * or somebody cleared it, and moved the latch's stamp after the session began: also if
 * the error joined an older one whose clearing was under way.
 */
static u16 io_check_take_status(struct io_check_latch *l, struct pci_dev *pdev,
				int where, u16 mask, u16 *news)
{
	u32 *blind = &l->blind[where == PCI_STATUS ? LATCH_STATUS : LATCH_SEC_STATUS];
	u16 status;

	*news = 0;
	/* all-ones is no status but a device that is not there */
	if (pci_read_config_word(pdev, where, &status) || status == 0xffff)
		return 0;
	*blind &= status;
	status &= mask;
	*news = status & ~*blind;
	if (*news) {
		pci_write_config_word(pdev, where, *news);
		io_check_bump(l, io_check_status_kinds(*news));
	}
	return status;
}

/* Does the kernel clear AER's status and Device Status, not the firmware? */
bool io_check_aer_native(struct pci_dev *pdev)
{
	return pcie_ports_native || pci_find_host_bridge(pdev->bus)->native_aer;
}
EXPORT_SYMBOL_GPL(io_check_aer_native);	/* for the KUnit suite */

/*
 * News in Device Status (PCI Express 6.0, 7.5.3.5), of a function without AER, as causes.
 * Where the firmware clears it, it is noted once.
 */
static unsigned int io_check_take_devsta(struct io_check_latch *l, struct pci_dev *pdev)
{
	unsigned int causes = 0;
	u16 status, news;

	if (pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &status) || status == 0xffff)
		return 0;
	status &= PCI_EXP_DEVSTA_NFED | PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD;
	l->blind[LATCH_DEVSTA] &= status;
	news = status & ~l->blind[LATCH_DEVSTA];
	if (!news)
		return 0;
	if (io_check_aer_native(pdev))
		pcie_capability_write_word(pdev, PCI_EXP_DEVSTA, news);
	else
		l->blind[LATCH_DEVSTA] = status;
	io_check_bump(l, LATCH_ALL);
	if (news & PCI_EXP_DEVSTA_URD)
		causes |= BIT(IO_CHECK_NO_RESPONSE);
	else
		causes |= BIT(IO_CHECK_ABORT);
	return causes;
}

#ifdef CONFIG_PCIEAER
static const struct {
	u32 bit;
	u8 cause, kind;
} io_check_aer[] = {
	{ PCI_ERR_UNC_POISON_TLP, IO_CHECK_PARITY, LATCH_PARITY },
	{ PCI_ERR_UNC_COMP_TIME, IO_CHECK_TIMEOUT, LATCH_ABORT },
	{ PCI_ERR_UNC_UNSUP, IO_CHECK_NO_RESPONSE, LATCH_ABORT },
	{ PCI_ERR_UNC_COMP_ABORT, IO_CHECK_ABORT, LATCH_ABORT },
};

/* Kinds of uncorrectable errors, and as causes.  Masked errors are logged as well, and are
 * no evidence (6.2.3.2.2).
 */
static unsigned int io_check_aer_kinds(struct pci_dev *pdev, u32 status,
				       unsigned int *causes)
{
	unsigned int i, kinds = 0;
	u32 mask;

	if (pci_read_config_dword(pdev, pdev->aer_cap + PCI_ERR_UNCOR_MASK, &mask))
		return 0;
	for (i = 0; i < ARRAY_SIZE(io_check_aer); i++) {
		if (status & ~mask & io_check_aer[i].bit) {
			*causes |= BIT(io_check_aer[i].cause);
			kinds |= io_check_aer[i].kind;
		}
	}
	return kinds;
}

/*
 * News in AER's uncorrectable errors (7.8.4.2), as causes.  They are AER's to clear, or
 * the firmware's: what was noted is no news until somebody did.
 */
static unsigned int io_check_take_aer(struct io_check_latch *l, struct pci_dev *pdev)
{
	unsigned int causes = 0, kinds;
	u32 status;

	if (pci_read_config_dword(pdev, pdev->aer_cap + PCI_ERR_UNCOR_STATUS, &status) ||
	    status == ~0U)
		return 0;
	kinds = io_check_aer_kinds(pdev, status & ~l->blind[LATCH_AER], &causes);
	l->blind[LATCH_AER] = status;
	if (kinds)
		io_check_bump(l, kinds);
	return causes;
}

/**
 * io_check_clear_aer() - clear AER's uncorrectable errors
 * @pdev: device or port
 * @where: its PCI_ERR_UNCOR_STATUS
 * @status: bits to clear
 *
 * As io_check_clear_status(), for AER.  A further error may have joined one that was noted,
 * so all of them are told.
 *
 * Context: Any but NMI.
 */
void io_check_clear_aer(struct pci_dev *pdev, int where, u32 status)
{
	unsigned int causes = 0, kinds = io_check_aer_kinds(pdev, status, &causes);
	struct io_check_latch *l;
	unsigned long flags;

	rcu_read_lock();
	l = io_check_latch(pdev);
	raw_spin_lock_irqsave(&l->lock, flags);
	pci_write_config_dword(pdev, where, status);
	l->blind[LATCH_AER] &= ~status;
	if (kinds)
		io_check_bump(l, kinds);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	rcu_read_unlock();
}

static void io_check_clear_old_aer(struct pci_dev *pdev)
{
	int where = pdev->aer_cap + PCI_ERR_UNCOR_STATUS;
	u32 status;

	if (pdev->aer_cap && io_check_aer_native(pdev) &&
	    !pci_read_config_dword(pdev, where, &status) && status != ~0U)
		pci_write_config_dword(pdev, where, status);
}

static bool io_check_has_aer(struct pci_dev *pdev)
{
	return pdev->aer_cap;
}
#else
static void io_check_clear_old_aer(struct pci_dev *pdev)
{
}

static unsigned int io_check_take_aer(struct io_check_latch *l, struct pci_dev *pdev)
{
	return 0;
}

static bool io_check_has_aer(struct pci_dev *pdev)
{
	return false;
}
#endif

static unsigned int io_check_take_express(struct io_check_latch *l, struct pci_dev *pdev)
{
	if (io_check_has_aer(pdev))
		return io_check_take_aer(l, pdev);
	return pci_is_pcie(pdev) ? io_check_take_devsta(l, pdev) : 0;
}

/* Of a port above a device it is the secondary side that has errors of the device. */
static int io_check_status_reg(const struct pci_dev *pdev, const struct pci_dev *p)
{
	return p != pdev && p->subordinate ? PCI_SEC_STATUS : PCI_STATUS;
}

/**
 * io_check_harvest() - take what is latched on a device's way
 * @pdev: the device
 * @mask: bits of PCI_STATUS and PCI_SEC_STATUS
 * @express: what PCI Express reports counts as well; it is noted in any case
 * @found: where to put what was found
 *
 * Context: Any but NMI.
 */
void io_check_harvest(struct pci_dev *pdev, u16 mask, bool express,
		      struct io_check_found *found)
{
	struct io_check_latch *l;
	unsigned int causes;
	unsigned long flags;
	struct pci_dev *p;
	u16 news;

	*found = (struct io_check_found) { };
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p)) {
		l = io_check_latch(p);
		raw_spin_lock_irqsave(&l->lock, flags);
		io_check_take_status(l, p, io_check_status_reg(pdev, p), mask, &news);
		causes = io_check_take_express(l, p);
		raw_spin_unlock_irqrestore(&l->lock, flags);
		if (!express)
			causes = 0;
		causes |= io_check_status_causes(news);
		found->status |= news;
		/* a virtual function's are in part the physical one's to show */
		if (p == pdev || p == pci_physfn(pdev))
			found->own |= causes;
		else
			found->others |= causes;
	}
	rcu_read_unlock();
}

/* A fault has told of an error: what is latched of it concerns nobody else. */
void io_check_forget(struct pci_dev *pdev)
{
	struct io_check_found found;

	if (pci_device_is_present(pdev))
		io_check_harvest(pdev, PCI_STATUS_ERROR_BITS, true, &found);
}

/**
 * io_check_clear_status() - read and clear latched error status
 * @pdev: device or bridge
 * @where: PCI_STATUS or PCI_SEC_STATUS
 * @mask: bits to clear
 *
 * All code that clears error status has to use it: a bit that is cleared
 * behind the back of a session may be the session's error.
 *
 * Context: Any but NMI.
 * Return: the bits of @mask that were set.
 */
u16 io_check_clear_status(struct pci_dev *pdev, int where, u16 mask)
{
	struct io_check_latch *l;
	unsigned long flags;
	u16 status, news;

	rcu_read_lock();
	l = io_check_latch(pdev);
	raw_spin_lock_irqsave(&l->lock, flags);
	status = io_check_take_status(l, pdev, where, mask, &news);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	rcu_read_unlock();
	return status;
}
EXPORT_SYMBOL_GPL(io_check_clear_status);

static unsigned int io_check_newer(struct io_check_latch *l, u32 seq)
{
	unsigned int kinds = 0;
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&l->lock, flags);
	for (i = 0; i < ARRAY_SIZE(l->stamp); i++)
		if ((s32)(atomic_read(&l->stamp[i]) - seq) > 0)
			kinds |= BIT(i);
	raw_spin_unlock_irqrestore(&l->lock, flags);
	return kinds;
}

/* What does an error on @pdev's way since @seq put in doubt? */
enum io_check_doubt io_check_heard(struct pci_dev *pdev, u32 seq)
{
	unsigned int kinds = 0;
	struct pci_dev *p;

	/* or it is too old to tell */
	if ((s32)(atomic_read(&io_check_seq) - seq) < 0)
		return IO_CHECK_DOUBT_ALL;
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p))
		kinds |= io_check_newer(io_check_latch(p), seq);
	kinds |= io_check_newer(io_check_latch(io_check_root(pdev)), seq);
	rcu_read_unlock();
	if (kinds & LATCH_PARITY)
		return IO_CHECK_DOUBT_ALL;
	return kinds ? IO_CHECK_DOUBT_LOST : IO_CHECK_NO_DOUBT;
}

/* Free one that no device needs; what is noted meanwhile is noted elsewhere, too. */
static void io_check_put_latch(const void *key)
{
	struct io_check_latch *l = xa_load(&io_check_latches, (unsigned long)key);
	int i;

	if (!l || --l->users)
		return;
	WRITE_ONCE(l->dying, true);
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(l->stamp); i++)
		io_check_stamp(&io_check_elsewhere, BIT(i), atomic_read(&l->stamp[i]));
	xa_erase(&io_check_latches, (unsigned long)key);
	kfree_rcu(l, rcu);
}

static int io_check_get_latch(const void *key)
{
	struct io_check_latch *l = xa_load(&io_check_latches, (unsigned long)key);
	int ret;

	if (l) {
		l->users++;
		return 0;
	}
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->users = 1;
	raw_spin_lock_init(&l->lock);
	/* not older than the sequence's window */
	atomic_set(&l->stamp[0], atomic_read(&io_check_elsewhere.stamp[0]));
	atomic_set(&l->stamp[1], atomic_read(&io_check_elsewhere.stamp[1]));
	ret = xa_insert(&io_check_latches, (unsigned long)key, l, GFP_KERNEL);
	if (ret)
		kfree(l);
	return ret;
}

/* Clear what was latched before, where it is the kernel's to clear; the rest is blind. */
static void io_check_clear_old(struct pci_dev *pdev, struct pci_dev *p)
{
	int where = io_check_status_reg(pdev, p);
	struct io_check_latch *l = io_check_latch(p);
	u32 *blind = &l->blind[where == PCI_STATUS ? LATCH_STATUS : LATCH_SEC_STATUS];
	unsigned long flags;
	u16 word, news;

	raw_spin_lock_irqsave(&l->lock, flags);
	io_check_take_status(l, p, where, PCI_STATUS_ERROR_BITS, &news);
	/* what stays, stays */
	if (news && !pci_read_config_word(p, where, &word) && word != 0xffff)
		*blind |= word & news;
	/* with another user there may be news that AER has not looked at */
	if (l->users == 1)
		io_check_clear_old_aer(p);
	io_check_take_express(l, p);
	if (pci_is_pcie(p) && !pcie_capability_read_word(p, PCI_EXP_DEVSTA, &word) &&
	    word != 0xffff)
		l->blind[LATCH_DEVSTA] = word;
	raw_spin_unlock_irqrestore(&l->lock, flags);
}

/**
 * io_check_latch_disable() - errors of a device concern nobody any more
 * @pdev: the device, after io_check_latch_enable()
 *
 * Context: Process, may sleep.
 */
void io_check_latch_disable(struct pci_dev *pdev)
{
	struct pci_dev *p;

	mutex_lock(&io_check_latch_mutex);
	for (p = pdev; p; p = io_check_above(p))
		io_check_put_latch(p);
	io_check_put_latch(io_check_root(pdev));
	mutex_unlock(&io_check_latch_mutex);
}

/**
 * io_check_latch_enable() - tell the errors of a device from those of others
 * @pdev: the device
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int io_check_latch_enable(struct pci_dev *pdev)
{
	struct pci_dev *p, *q;
	int ret = 0;

	mutex_lock(&io_check_latch_mutex);
	for (p = pdev; p && !ret; p = ret ? p : io_check_above(p))
		ret = io_check_get_latch(p);
	if (!ret)
		ret = io_check_get_latch(io_check_root(pdev));
	if (ret) {
		for (q = pdev; q != p; q = io_check_above(q))
			io_check_put_latch(q);
		goto out;
	}
	/* who found no latch has noted its error elsewhere by now */
	synchronize_rcu();
	rcu_read_lock();
	for (p = pdev; p; p = io_check_above(p))
		io_check_clear_old(pdev, p);
	rcu_read_unlock();
out:
	mutex_unlock(&io_check_latch_mutex);
	return ret;
}

enum io_check_sentinel {
	IO_CHECK_NO_SENTINEL,
	IO_CHECK_ANSWERS,
	IO_CHECK_SILENT,
};

/* The access alone: no query of a query */
static enum io_check_sentinel io_check_ask_sentinel(struct pci_dev *pdev)
{
	const void __iomem *sentinel = io_check_dev_ops(pdev).sentinel;
	struct io_check c = { .pdev = pdev };
	u32 val;

	if (!sentinel)
		return IO_CHECK_NO_SENTINEL;
	val = io_check_do_read(&c, sentinel, sizeof(val));
	return !c.stop && val && val != ~0U ? IO_CHECK_ANSWERS :
						IO_CHECK_SILENT;
}

/* Decode enables of which a function needs one for an access to @addr */
static u16 io_check_decodes(struct pci_dev *pdev, const void __iomem *addr)
{
	struct io_check_err err = { .pdev = pdev, .addr = addr };

	io_check_locate(&err);
	/* a port has no physical address here */
	return err.bar < 0 ? PCI_COMMAND_MEMORY | PCI_COMMAND_IO : PCI_COMMAND_MEMORY;
}

/* Does @p, the device or a port above it, keep an access from the device at all? */
static enum io_check_cause io_check_ask_port(struct pci_dev *p, u16 decodes)
{
	u16 word;

#ifdef CONFIG_PCIE_DPC
	/* it isolates what is below (PCI Express 6.0, 7.9.14.5) */
	if (p->dpc_cap &&
	    !pci_read_config_word(p, p->dpc_cap + PCI_EXP_DPC_STATUS, &word) &&
	    word != 0xffff && word & PCI_EXP_DPC_STATUS_TRIGGER)
		return IO_CHECK_FROZEN;
#endif
	/*
	 * It decodes nothing, and forwards nothing, after a reset for instance.  A virtual
	 * function has no such bit (SR-IOV, 9.3.4.1.3), nor has one of s390.
	 */
	if (!p->is_virtfn && !p->no_command_memory &&
	    !pci_read_config_word(p, PCI_COMMAND, &word) && !(word & decodes))
		return IO_CHECK_NO_RESPONSE;
	return IO_CHECK_NONE;
}

/**
 * io_check_query() - why a read may have returned what it returned
 * @c: the session
 * @addr: what was read
 * @val: a value that failed reads return on this platform
 *
 * Asks, where no fault tells a failed read from data, who would know: the
 * device and the bridges above it, in configuration space, and the device's
 * sentinel register.  What was over before the query is seen if one of them has
 * latched it.  All-ones is rare, so the whole way is gone for it; a dead value
 * of zero is not, and a sentinel that answers is enough to believe it.
 *
 * Context: Any but NMI.
 * Return: IO_CHECK_NONE if the value is data.
 */
enum io_check_cause io_check_query(struct io_check *c, const void __iomem *addr, u64 val)
{
	/* in a reset the sentinel, and what PCI Express reports, say nothing */
	bool resets = io_check_dev_recovers(c->pdev);
	struct pci_dev *pdev = c->pdev, *p;
	struct io_check_found found;
	enum io_check_cause cause;
	u16 decodes;

	c->flags |= IO_CHECK_SUSPECT;
	if ((u8)val != 0xff && !resets && io_check_ask_sentinel(pdev) == IO_CHECK_ANSWERS)
		return IO_CHECK_NONE;
	decodes = io_check_decodes(pdev, addr);
	for (p = pdev; p; p = pci_upstream_bridge(p)) {
		cause = io_check_ask_port(p, decodes);
		if (cause)
			return cause;
	}
	if (!pci_device_is_present(pdev))
		return IO_CHECK_GONE;
	/* SERR# and error messages tell of anything but the end of a read */
	io_check_harvest(pdev, PCI_STATUS_ERROR_BITS & ~PCI_STATUS_SIG_SYSTEM_ERROR,
			 !resets, &found);
	cause = io_check_worst(found.own);
	if (cause)
		return cause;
	if (!resets && io_check_ask_sentinel(pdev) == IO_CHECK_SILENT)
		return IO_CHECK_NO_RESPONSE;
	/* it may be another's: the value is in doubt, not the device */
	cause = io_check_worst(found.others);
	if (cause)
		c->flags |= IO_CHECK_OTHERS;
	return cause;
}
EXPORT_SYMBOL_GPL(io_check_query);
