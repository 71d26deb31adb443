// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a recovery goes on, and how it ends */

#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include "../io_check_recovery.h"
#include "io_check_kunit.h"
#include "io_check_kunit_recovery.h"

static bool fake_answers(struct io_check_recovery *r)
{
	return true;
}

static int fake_reset(struct io_check_recovery *r)
{
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	if (!(current->flags & PF_MEMALLOC_NOIO))
		f->reclaims = true;
	WRITE_ONCE(f->resets, f->resets + 1);
	return READ_ONCE(f->error);
}

static void fake_offline(struct io_check_recovery *r)
{
	container_of(r, struct fake_recovery, r)->offline++;
}

/* of a driver whose device answers, and whose resets fail as @error says */
const struct io_check_recovery_ops io_check_kunit_ops = {
	.answers = fake_answers,
	.reset = fake_reset,
	.offline = fake_offline,
};

/**
 * io_check_kunit_recovery() - have the device recovered
 * @test: test
 * @error: what resets return
 *
 * Context: Process; may end the test.
 * Return: the recovery, which can begin.
 */
struct io_check_recovery *io_check_kunit_recovery(struct kunit *test, int error)
{
	struct io_check_kunit *k = test->priv;
	struct fake_recovery *f;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->error = error;
	KUNIT_ASSERT_EQ(test, io_check_recovery_init(&f->r, k->pdev,
						     &io_check_kunit_ops), 0);
	KUNIT_ASSERT_EQ(test, io_check_recovery_arm(&f->r), 0);
	return &f->r;
}

/**
 * io_check_kunit_ends() - wait for the end of a recovery
 * @r: recovery
 *
 * Context: Process; the machine may be slow.
 * Return: 0, -ENODEV if it is offline, -ETIMEDOUT if there is no end.
 */
int io_check_kunit_ends(struct io_check_recovery *r)
{
	if (!wait_event_timeout(r->wait, !io_check_recovering(r), 30 * HZ))
		return -ETIMEDOUT;
	return io_check_dead(r) ? -ENODEV : 0;
}

/**
 * io_check_kunit_fails() - fail an access, and wait for the end of its recovery
 * @r: recovery
 * @shared: the error may be a neighbour's
 *
 * Context: Process.
 * Return: as io_check_kunit_ends(); -EINVAL if the failure had another error.
 */
int io_check_kunit_fails(struct io_check_recovery *r, bool shared)
{
	struct io_check_err err = {
		.cause = shared ? IO_CHECK_SHARED : IO_CHECK_NO_RESPONSE,
		.error = shared ? -EIO : -ENXIO,
		.shared = shared,
		.bar = -1,
	};
	int ret;

	if (io_check_recovery_error(r, &err) != err.error)
		return -EINVAL;
	ret = io_check_kunit_ends(r);
	/* a failure that the end of the work finds has no record */
	flush_delayed_work(&r->work);
	return ret;
}

/* A device that reads as zeros has not answered when its commands time out. */
static void test_timed_out(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	long failures = atomic_long_read(&io_check_failures[0]);

	KUNIT_EXPECT_FALSE(test, io_check_timed_out(r));
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_EQ(test, k->idev->log.last.cause, IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&io_check_failures[0]) - failures, 1);
	/* not reset before it answers */
	msleep(300);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_EQ(test, io_check_wait(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_timed_out(r));
	io_check_recovery_exit(r);
}

/* What a reset allocates does not wait for the device's own I/O. */
static void test_no_reclaim(struct kunit *test)
{
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_FALSE(test, f->reclaims);
	io_check_recovery_exit(r);
}

/* @r's recovery began @seconds ago, and the device answers @answer from now on. */
static void began(struct kunit *test, struct io_check_recovery *r, int seconds, u32 answer)
{
	struct io_check_kunit *k = test->priv;

	/* a look that is under way would judge the old answer by the new time */
	cancel_delayed_work_sync(&r->work);
	*(u32 *)(k->mem + SENTINEL) = answer;
	r->since -= seconds * HZ;
	r->heard = r->since;
	r->reachable = r->since;
	r->unfrozen = r->since;
	queue_delayed_work(r->wq, &r->work, 0);
}

static struct io_check_recovery *long_recovery(struct kunit *test, int seconds,
					       u32 answer)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, -EIO);

	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	began(test, r, seconds, answer);
	return r;
}

static bool recovery_goes_on(struct io_check_recovery *r)
{
	return !wait_event_timeout(r->wait, !io_check_recovering(r), 2 * HZ);
}

static void test_no_answer(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 21, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
	io_check_recovery_exit(r);
}

/* As io_check_kunit_ends(), well before a silent device goes offline */
static int recovery_ends_soon(struct io_check_recovery *r)
{
	if (!wait_event_timeout(r->wait, !io_check_recovering(r), 10 * HZ))
		return -ETIMEDOUT;
	return io_check_kunit_ends(r);
}

/* A device that is removed in its recovery is not waited for. */
static void test_removed_in_recovery(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = long_recovery(test, 0, 0);

	msleep(300);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, recovery_ends_soon(r), -ENODEV);
	k->dev.absent = false;
	io_check_recovery_exit(r);
}

/* Nor one that hotplug has marked, which need not be asked. */
static void test_disconnected_in_recovery(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = long_recovery(test, 0, 0);

	k->pdev->error_state = pci_channel_io_perm_failure;
	KUNIT_EXPECT_EQ(test, recovery_ends_soon(r), -ENODEV);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* One that answers is not silent, even where its reset fails. */
static void test_answers_between(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 40, 9);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	KUNIT_EXPECT_GT(test, READ_ONCE(f->resets), 1);
	WRITE_ONCE(f->error, 0);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	io_check_recovery_exit(r);
}

/* But it is not reset for ever. */
static void test_resets_fail(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 61, 9);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), -ENODEV);
	KUNIT_EXPECT_GT(test, f->resets, 0);
	io_check_recovery_exit(r);
}

/* What was told of a frozen channel late, when it works again, holds up nothing. */
static void test_late_frozen(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .error = -EAGAIN, .bar = -1 };

	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -EAGAIN);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	/* but as long as it is frozen nobody touches it, until its slot was reset */
	k->pdev->error_state = pci_channel_io_frozen;
	io_check_recovery_error(r, &err);
	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	WRITE_ONCE(k->idev->target.thawed, true);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* A slot's reset takes as long as the platform lets it. */
static void test_frozen_for_long(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .error = -EAGAIN, .bar = -1 };

	k->pdev->error_state = pci_channel_io_frozen;
	io_check_recovery_error(r, &err);
	began(test, r, 90, 9);
	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	WRITE_ONCE(k->idev->target.thawed, true);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* AER does not tell that it failed, and leaves the channel's state as it was. */
static void test_no_slot_reset(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct io_check c;

	k->pdev->error_state = pci_channel_io_frozen;
	io_check_error_handlers.error_detected(k->pdev, pci_channel_io_frozen);
	began(test, r, 101, 9);
	KUNIT_EXPECT_FALSE(test, recovery_goes_on(r));
	KUNIT_EXPECT_EQ(test, container_of(r, struct fake_recovery, r)->resets, 1);
	io_check_recovery_exit(r);
	/* and to a driver that comes later it says nothing */
	io_check_kunit_unbind(k);
	KUNIT_ASSERT_EQ(test, io_check_kunit_bind(k), 0);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	k->pdev->error_state = pci_channel_io_normal;
}

static irqreturn_t nobodys(int irq, void *data)
{
	return IRQ_NONE;
}

/* A line that is shared is given back, whatever runs after the recovery's end. */
static void test_line_given_back(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	int irq = irq_alloc_desc(NUMA_NO_NODE);

	KUNIT_ASSERT_GT(test, irq, 0);
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	KUNIT_EXPECT_EQ(test, request_irq(irq, nobodys, IRQF_SHARED, "io_check", k), 0);
	k->pdev->irq = irq;
	k->pdev->broken_intx_masking = 1;
	io_check_mask_irq(r);
	KUNIT_EXPECT_TRUE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	io_check_recovery_exit(r);
	KUNIT_EXPECT_FALSE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	/* the handler, on another CPU: it has nothing to say any more */
	KUNIT_EXPECT_FALSE(test, io_check_mask_irq(r));
	KUNIT_EXPECT_FALSE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	free_irq(irq, k);
	irq_free_desc(irq);
	k->pdev->irq = 0;
	k->pdev->broken_intx_masking = 0;
}

static struct kunit_case recovery_cases[] = {
	KUNIT_CASE(test_timed_out),
	KUNIT_CASE(test_no_reclaim),
	KUNIT_CASE(test_no_answer),
	KUNIT_CASE(test_removed_in_recovery),
	KUNIT_CASE(test_disconnected_in_recovery),
	KUNIT_CASE(test_answers_between),
	KUNIT_CASE(test_resets_fail),
	KUNIT_CASE(test_late_frozen),
	KUNIT_CASE(test_frozen_for_long),
	KUNIT_CASE(test_no_slot_reset),
	KUNIT_CASE(test_line_given_back),
	{}
};

static struct kunit_suite recovery_suite = {
	.name = "io_check_recovery",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = recovery_cases,
};

kunit_test_suite(recovery_suite);
