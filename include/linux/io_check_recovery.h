/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovery from failed register accesses, for drivers without a reset work of their own.
 *
 * Whatever says that the device failed, an access or the platform, begins the same
 * recovery: the driver's requests stop, its interrupt is masked, and work resets the
 * device when it answers, or gives it up.
 */
#include <linux/io_check.h>

#ifndef _LINUX_IO_CHECK_RECOVERY_H
#define _LINUX_IO_CHECK_RECOVERY_H

#include <linux/bitops.h>
#include <linux/io_check_dev.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct io_check_recovery;

/**
 * struct io_check_recovery_ops - a driver's part in the recovery of its device
 * @quiesce: stop new requests; in any context but NMI; or NULL
 * @answers: does a register read work?  A failure is no news.  Process context
 * @reset: stop DMA, reset the device, give its commands back to be retried;
 *	0, or an error to be called again.  No handler of the device and no
 *	request runs meanwhile.  Process context
 * @resume: the device takes requests again: what is to be looked for after a reset, and
 *	may wait for requests; or NULL.  In work of its own, which no recovery waits for:
 *	a further one may begin, and have its end, meanwhile.  Process context
 * @offline: the device is given up, at remove as well: stop DMA with Bus Master,
 *	and fail all commands.  Process context
 *
 * Memory that @answers, @reset and @offline ask for is GFP_NOIO, whatever they say: what
 * has to be written to get some may wait for the device.
 */
struct io_check_recovery_ops {
	void (*quiesce)(struct io_check_recovery *r);
	bool (*answers)(struct io_check_recovery *r);
	int (*reset)(struct io_check_recovery *r);
	void (*resume)(struct io_check_recovery *r);
	void (*offline)(struct io_check_recovery *r);
};

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* Bits of io_check_recovery.flags */
#define IO_CHECK_R_FAILED	0	/* an access failed since the last reset */
#define IO_CHECK_R_RECOVERING	1	/* from the first failure to the end */
#define IO_CHECK_R_DEAD		2	/* offline until the driver is bound again */
#define IO_CHECK_R_ARMED	3	/* probe is over, remove not begun */

/**
 * struct io_check_recovery - a device's recovery; its members are the core's own
 * @pdev: the device
 * @ops: the driver's part
 * @flags: IO_CHECK_R_*, and others
 * @since: when it began, in jiffies
 * @heard: when the device last answered, or was isolated, or @since
 * @reachable: since when it is not isolated, or @since
 * @unfrozen: when AER had not isolated it, or @since
 * @absent: polls since it last answered configuration cycles
 * @wq: it waits for resets that others began, and those may flush theirs
 * @work: the recovery
 * @resume: the driver's part after it
 * @wait: for its end
 * @attempt: held while @work asks the device and resets it
 */
struct io_check_recovery {
	struct pci_dev *pdev;
	const struct io_check_recovery_ops *ops;
	unsigned long flags;
	unsigned long since;
	unsigned long heard;
	unsigned long reachable;
	unsigned long unfrozen;
	unsigned int absent;
	struct workqueue_struct *wq;
	struct delayed_work work;
	struct work_struct resume;
	wait_queue_head_t wait;
	struct mutex attempt;	/* of the work, for who waits for it */
};

/* Is a failed access recovered from, or does it fail the probe? */
static inline bool io_check_armed(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_ARMED, &r->flags);
}

/* Did an access fail since the last reset? */
static inline bool io_check_has_failed(const struct io_check_recovery *r)
{
	return READ_ONCE(r->flags) & BIT(IO_CHECK_R_FAILED);
}

/* Is a recovery under way?  Then no request may be sent. */
static inline bool io_check_recovering(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_RECOVERING, &r->flags);
}

/* Is a recovery under way, or was the device given up?  One test for requests */
static inline bool io_check_closed(const struct io_check_recovery *r)
{
	return READ_ONCE(r->flags) & (BIT(IO_CHECK_R_RECOVERING) | BIT(IO_CHECK_R_DEAD));
}

/* Was the device given up? */
static inline bool io_check_dead(const struct io_check_recovery *r)
{
	return test_bit(IO_CHECK_R_DEAD, &r->flags);
}

extern const struct pci_error_handlers io_check_error_handlers;

int io_check_recovery_init(struct io_check_recovery *r, struct pci_dev *pdev,
			   const struct io_check_recovery_ops *ops);
int io_check_recovery_arm(struct io_check_recovery *r);
int io_check_recovery_disarm(struct io_check_recovery *r);
void io_check_recovery_rearm(struct io_check_recovery *r, bool reset);
void io_check_recovery_exit(struct io_check_recovery *r);
int io_check_recovery_error(struct io_check_recovery *r,
			    const struct io_check_err *err);
bool io_check_recovery_join(struct io_check_recovery *r);
bool io_check_doubt(struct io_check_recovery *r);
bool io_check_timed_out(struct io_check_recovery *r);
int io_check_wait(struct io_check_recovery *r);
bool io_check_mask_irq(struct io_check_recovery *r);

#else

struct io_check_recovery {
};

/* Macros, as in <linux/io_check.h>; r may be a member that is not there */
#define io_check_error_handlers		(*(const struct pci_error_handlers *)NULL)
#define io_check_has_failed(r)		false
#define io_check_recovering(r)		false
#define io_check_closed(r)		false
#define io_check_dead(r)		false
#define io_check_doubt(r)		false
#define io_check_timed_out(r)		false
#define io_check_wait(r)		0
#define io_check_mask_irq(r)		false
#define io_check_recovery_init(r, pdev, ops)	((void)(ops), 0)
#define io_check_recovery_arm(r)	0
#define io_check_recovery_disarm(r)	({ 0; })
#define io_check_recovery_rearm(r, reset)	((void)0)
#define io_check_recovery_exit(r)	((void)0)
#define io_check_recovery_error(r, err)	0

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

#endif /* _LINUX_IO_CHECK_RECOVERY_H */
