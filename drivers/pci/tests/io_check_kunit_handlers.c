// SPDX-License-Identifier: GPL-2.0-or-later
/* One recovery, whoever begins it */

#include <linux/completion.h>
#include <linux/delay.h>
#include "../io_check_recovery.h"
#include "io_check_kunit.h"
#include "io_check_kunit_recovery.h"

/* As if the work had given the device up while error_detected() began */
static void dies_meanwhile(struct io_check_recovery *r)
{
	set_bit(IO_CHECK_R_DEAD, &r->flags);
}

static void test_removed_and_given_up(struct kunit *test)
{
	struct io_check_recovery_ops ops = io_check_kunit_ops;
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	pci_ers_result_t res;

	ops.quiesce = dies_meanwhile;
	r->ops = &ops;
	res = io_check_error_handlers.error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_TRUE(test, res == PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), -ENODEV);
	/* nor is it reset by work that was queued meanwhile */
	queue_delayed_work(r->wq, &r->work, 0);
	flush_delayed_work(&r->work);
	KUNIT_EXPECT_EQ(test, container_of(r, struct fake_recovery, r)->resets, 0);
	io_check_recovery_exit(r);
}

/* There is one recovery, whoever tells of the error, and one reset if two do. */
static void test_handlers(struct kunit *test)
{
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	/* AER, of an error that is not fatal */
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 1);
	/* one that is isolated is left alone until its slot was reset */
	k->pdev->error_state = pci_channel_io_frozen;
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_frozen) ==
			  PCI_ERS_RESULT_NEED_RESET);
	msleep(300);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_TRUE(test, h->slot_reset(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	k->pdev->error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, f->resets, 2);
	/* an access fails of what AER tells of, too */
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	KUNIT_EXPECT_EQ(test, f->offline, 0);
	/* the last one: no more of it */
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_perm_failure) ==
			  PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	io_check_recovery_exit(r);
}

/* One that was given up has no recovery, and does not keep others from theirs. */
static void test_given_up_before(struct kunit *test)
{
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);
	u16 command;

	/* in what another one's error began: its work may be over before this returns */
	k->idev->offline_on_error = true;
	*(u32 *)(k->mem + SENTINEL) = 0;
	io_check_timed_out(r);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_NONE);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	/* before it */
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	if (io_check_recovering(r)) {
		KUNIT_FAIL(test, "another recovery, whose work does not end it");
		goto out;
	}
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_NONE);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_frozen) ==
			  PCI_ERS_RESULT_NEED_RESET);
	pci_set_master(k->pdev);
	pci_save_state(k->pdev);
	KUNIT_EXPECT_TRUE(test, h->slot_reset(k->pdev) == PCI_ERS_RESULT_NONE);
	pci_read_config_word(k->pdev, PCI_COMMAND, &command);
	KUNIT_EXPECT_FALSE(test, command & PCI_COMMAND_MASTER);
	/* all-ones of one that is not there are no settings to restore */
	k->dev.absent = true;
	h->slot_reset(k->pdev);
	k->dev.absent = false;
	KUNIT_EXPECT_TRUE(test, k->pdev->state_saved);
	KUNIT_EXPECT_NE(test, k->pdev->saved_config_space[0], ~0U);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_perm_failure) ==
			  PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
out:
	io_check_recovery_exit(r);
}

/* What follows a recovery holds up no further one, and follows that as well. */
static DECLARE_COMPLETION(resume_may_end);
static int resumes;

static void slow_resume(struct io_check_recovery *r)
{
	WRITE_ONCE(resumes, resumes + 1);
	wait_for_completion_timeout(&resume_may_end, 10 * HZ);
}

static void test_slow_resume(struct kunit *test)
{
	struct io_check_recovery_ops ops = io_check_kunit_ops;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	int i;

	ops.resume = slow_resume;
	r->ops = &ops;
	resumes = 0;
	reinit_completion(&resume_may_end);
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	for (i = 0; i < 100 && !READ_ONCE(resumes); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	complete_all(&resume_may_end);
	flush_work(&r->resume);
	KUNIT_EXPECT_EQ(test, resumes, 2);
	io_check_recovery_exit(r);
}

static void late_resume(struct io_check_recovery *r)
{
	msleep(100);
	WRITE_ONCE(resumes, resumes + 1);
}

/* A suspend waits for the recovery and what follows it; a failure later is resume's. */
static void test_suspend(struct kunit *test)
{
	struct io_check_recovery_ops ops = io_check_kunit_ops;
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_kunit *k = test->priv;
	struct io_check_err err = { .cause = IO_CHECK_NO_RESPONSE, .error = -ENXIO, .bar = -1 };
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	ops.resume = late_resume;
	r->ops = &ops;
	resumes = 0;
	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -ENXIO);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	/* nothing failed: nothing is reset, but a slot may be later */
	k->pdev->state_saved = false;
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_TRUE(test, k->pdev->state_saved);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -ENXIO);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 2);
	/* the driver could not bring it up, for whatever reason */
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	io_check_recovery_rearm(r, true);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	/* what AER says of one that is suspended is not its end */
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 4);
	/* one that is offline stays so */
	h->error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), -ENODEV);
	io_check_recovery_rearm(r, true);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_exit(r);
}

/* Who resets a whole chip begins the recovery of its other function. */
static void test_join(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_TRUE(test, io_check_recovery_join(r));
	/* the gate is shut; its registers are the reset's */
	KUNIT_EXPECT_TRUE(test, f->resets || io_check_closed(r));
	KUNIT_EXPECT_FALSE(test, io_check_has_failed(r));
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_recovery_join(r));
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_rearm(r, false);
	io_check_error_handlers.error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_FALSE(test, io_check_recovery_join(r));
	io_check_recovery_exit(r);
}

static bool asked;

static int slow_reset(struct io_check_recovery *r)
{
	WRITE_ONCE(asked, true);
	msleep(500);
	return io_check_kunit_ops.reset(r);
}

/* The PCI core resets a function: its recovery goes on after that, as an AER's may then. */
static void test_function_reset(struct kunit *test)
{
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_err err = { .cause = IO_CHECK_NO_RESPONSE, .error = -ENXIO, .bar = -1 };
	struct io_check_recovery_ops ops = io_check_kunit_ops;
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);
	int i;

	h->reset_prepare(k->pdev);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	/* its link is down for longer than one that was removed is waited for */
	k->dev.absent = true;
	msleep(2000);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	k->dev.absent = false;
	k->pdev->state_saved = false;
	h->reset_done(k->pdev);
	KUNIT_EXPECT_TRUE(test, k->pdev->state_saved);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	/* it does not begin in the middle of the driver's, which it then undoes */
	ops.reset = slow_reset;
	asked = false;
	WRITE_ONCE(r->ops, &ops);
	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -ENXIO);
	for (i = 0; i < 100 && !READ_ONCE(asked); i++)
		msleep(20);
	h->reset_prepare(k->pdev);
	KUNIT_EXPECT_EQ(test, f->resets, 2);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	h->reset_done(k->pdev);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	/* one that is suspended is left to its resume */
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	h->reset_prepare(k->pdev);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	h->reset_done(k->pdev);
	io_check_recovery_rearm(r, true);
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	/* one that was given up stays so */
	h->error_detected(k->pdev, pci_channel_io_perm_failure);
	h->reset_prepare(k->pdev);
	h->reset_done(k->pdev);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	/* also if an access failed as it was */
	set_bit(IO_CHECK_R_RECOVERING, &r->flags);
	queue_delayed_work(r->wq, &r->work, 0);
	flush_delayed_work(&r->work);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_EQ(test, f->resets, 4);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	io_check_recovery_exit(r);
}

static struct kunit_case handlers_cases[] = {
	KUNIT_CASE(test_removed_and_given_up),
	KUNIT_CASE(test_handlers),
	KUNIT_CASE(test_given_up_before),
	KUNIT_CASE(test_slow_resume),
	KUNIT_CASE(test_suspend),
	KUNIT_CASE(test_join),
	KUNIT_CASE(test_function_reset),
	{}
};

static struct kunit_suite handlers_suite = {
	.name = "io_check_handlers",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = handlers_cases,
};

kunit_test_suite(handlers_suite);
