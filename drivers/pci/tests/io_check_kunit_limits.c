// SPDX-License-Identifier: GPL-2.0-or-later
/* How often a device is reset, and when it stays offline */

#include "../io_check_recovery.h"
#include "io_check_kunit.h"
#include "io_check_kunit_recovery.h"

/* What sysfs says of it */
static void test_state(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);

	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OK);
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_RECOVERING);
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_EQ(test, io_check_kunit_ends(r), 0);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OK);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 1);
	io_check_recovery_exit(r);
}

/* A device that was removed before anybody saw it fail */
static void test_removed(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);
	unsigned long since = jiffies;

	k->dev.absent = true;
	*(u32 *)(k->mem + SENTINEL) = ~0;
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), -ENODEV);
	/* well before a silent one */
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, since + 10 * HZ));
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
	k->dev.absent = false;
	io_check_recovery_exit(r);
}

/* A device that is removed while it is offline stays removed. */
static void test_removed_offline(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	io_check_offline(k->pdev);
	KUNIT_EXPECT_TRUE(test, k->pdev->error_state == pci_channel_io_normal);
	k->pdev->error_state = pci_channel_io_perm_failure;
	io_check_kunit_unbind(k);
	KUNIT_EXPECT_TRUE(test, k->pdev->error_state == pci_channel_io_perm_failure);
	k->pdev->error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, io_check_kunit_bind(k), 0);
}

/* What the platform isolated is the platform's to recover, and to count. */
static void test_native(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .bar = -1 };

	k->idev->limit = 0;
	KUNIT_EXPECT_FALSE(test, io_check_report(k->pdev, &err));
	KUNIT_EXPECT_EQ(test, k->idev->failures, 0);
}

static void test_limit(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);
	struct io_check c;
	int i;

	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	/* an hour later it starts afresh */
	k->idev->since -= 3600;
	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 10);
	KUNIT_EXPECT_EQ(test, f->offline, 0);
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	/* it stays there */
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->resets, 10);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	/* until its driver is bound again */
	io_check_recovery_exit(r);
	io_check_kunit_unbind(k);
	KUNIT_EXPECT_EQ(test, io_check_kunit_bind(k), 0);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	r = io_check_kunit_recovery(test, 0);
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), 0);
	io_check_recovery_exit(r);
}

/*
 * What may be a neighbour's does not count, however often it happens: resets for it
 * become rare.
 */
static void test_not_its_own(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);
	unsigned int ms, last = 0;
	int i;

	k->idev->limit = 0;
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, true), 0);
	KUNIT_EXPECT_EQ(test, k->idev->failures, 0);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 5);
	for (; i < 20; i++) {
		ms = io_check_backoff(k->pdev);
		KUNIT_EXPECT_TRUE(test, ms > last || ms == 10000);
		last = ms;
	}
	k->idev->since -= 3600;
	KUNIT_EXPECT_EQ(test, io_check_backoff(k->pdev), 0);
	/* its own does */
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), -ENODEV);
	io_check_recovery_exit(r);
}

static void test_offline_on_error(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = io_check_kunit_recovery(test, 0);

	k->idev->offline_on_error = true;
	KUNIT_EXPECT_EQ(test, io_check_kunit_fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 0);
	io_check_recovery_exit(r);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(test_state),
	KUNIT_CASE(test_removed),
	KUNIT_CASE(test_removed_offline),
	KUNIT_CASE(test_native),
	KUNIT_CASE(test_limit),
	KUNIT_CASE(test_not_its_own),
	KUNIT_CASE(test_offline_on_error),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "io_check_limits",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
