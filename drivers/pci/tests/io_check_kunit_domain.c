// SPDX-License-Identifier: GPL-2.0-or-later
/* What errors of others leave in doubt */

#include "../io_check_query.h"
#include "io_check_kunit.h"

static void test_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(k->pdev);
	KUNIT_EXPECT_TRUE(test, io_check_failed(&c));
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_SHARED);

	/* not an error of the next session */
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* A session that stays open has what happened between two of its verdicts. */
static void test_resume(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	io_check_begin(&c, k->pdev, 0);
	for (i = 0; i < 3; i++) {
		io_check_resume(&c);
		KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
		KUNIT_EXPECT_TRUE(test, io_check_clean(&c));
	}
	io_check_domain_error(k->pdev);
	KUNIT_EXPECT_FALSE(test, io_check_clean(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_TRUE(test, io_check_clean(&c));
	io_check_kunit_fault(&c, k->regs);
	KUNIT_EXPECT_FALSE(test, io_check_clean(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* A session that is begun again has nothing of its last time, not even what failed it. */
static void test_restart(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	io_check_begin(&c, k->pdev, IO_CHECK_GATED);
	for (i = 0; i < 2; i++) {
		io_check_kunit_fault(&c, k->regs);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
		io_check_domain_error(k->pdev);
		io_check_restart(&c);
		KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
		KUNIT_EXPECT_PTR_EQ(test, io_check_error(&c), NULL);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
		io_check_restart(&c);
	}
}

/* An error below another host bridge is none of ours, nor is a neighbour's own. */
static void test_other_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->foreign.pdev);
	io_check_domain_error(&k->neighbour.pdev);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	io_check_begin(&c, k->pdev, 0);
	atomic_add(IO_CHECK_SEQ_ONE, &io_check_seq);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/*
 * Let so many errors happen elsewhere that the count is a sixteenth of its range further,
 * where stamps are refreshed, or one before that.
 */
#define SEQ_PERIOD	((u32)BIT(28))

static void seq_step(struct io_check_kunit *k, bool before)
{
	u32 next = (atomic_read(&io_check_seq) & -SEQ_PERIOD) + SEQ_PERIOD;

	atomic_set(&io_check_seq, next - 2 * IO_CHECK_SEQ_ONE);
	io_check_domain_error(&k->foreign.pdev);
	if (!before)
		io_check_domain_error(&k->foreign.pdev);
}

/* An error at each place where the count is special is found. */
static void test_seq_wraps(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 0; i < 16; i++) {
		seq_step(k, true);
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
}

/*
 * A domain without an error, while those of others take the count round: none is
 * reported there, and the first one is found, however long it took.
 */
static void test_seq_idle(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i, idle;

	for (idle = 1; idle < 36; idle++) {
		for (i = 0; i < idle; i++) {
			io_check_begin(&c, k->pdev, 0);
			seq_step(k, false);
			KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
		}
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
	/* a session that is older than what a comparison tells apart is in doubt */
	for (idle = 9; idle < 16; idle++) {
		io_check_begin(&c, k->pdev, 0);
		for (i = 0; i < idle; i++)
			seq_step(k, false);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
}

/* A shared error is the device's own if its sentinel does not answer. */
static void test_sentinel(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	static const u32 dead[] = { 0, ~0 };
	struct io_check c;
	int i;

	for (i = 0; i < ARRAY_SIZE(dead); i++) {
		*(u32 *)(k->mem + SENTINEL) = dead[i];
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(&k->bridge.pdev);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
		KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
		KUNIT_EXPECT_TRUE(test, io_check_error(&c)->addr ==
					k->regs + SENTINEL);
		KUNIT_EXPECT_EQ(test, io_check_error(&c)->size, 4);
	}
	*(u32 *)(k->mem + SENTINEL) = 9;
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
}

/* What an error that somebody else took leaves in doubt, by its kind */
static void test_doubt(struct kunit *test)
{
	static const struct {
		u16 bit;	/* in the bridge above */
		u32 flags;
		bool asks;	/* about an all-ones value */
		int error;
	} rows[] = {
		{ PCI_STATUS_REC_MASTER_ABORT, 0, false, -EIO },
		{ PCI_STATUS_REC_TARGET_ABORT, 0, false, -EIO },
		{ PCI_STATUS_REC_MASTER_ABORT, IO_CHECK_READS, false, 0 },
		{ PCI_STATUS_REC_TARGET_ABORT, IO_CHECK_READS, false, 0 },
		{ PCI_STATUS_REC_MASTER_ABORT, IO_CHECK_READS, true, -EIO },
		{ PCI_STATUS_PARITY, IO_CHECK_READS, false, -EIO },
		{ PCI_STATUS_DETECTED_PARITY, IO_CHECK_READS, false, -EIO },
		{ PCI_STATUS_SIG_SYSTEM_ERROR, IO_CHECK_READS, false, -EIO },
	};
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		io_check_begin(&c, k->pdev, rows[i].flags);
		atomic_set(&k->bridge.sec_status, rows[i].bit);
		KUNIT_EXPECT_EQ(test, io_check_clear_status(&k->bridge.pdev,
							    PCI_SEC_STATUS, 0xffff),
				rows[i].bit);
		if (rows[i].asks)
			KUNIT_EXPECT_EQ(test, io_check_query(&c, k->regs, ~0ULL),
					IO_CHECK_NONE);
		KUNIT_EXPECT_EQ(test, io_check_failed(&c), rows[i].error != 0);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), rows[i].error);
		if (rows[i].error) {
			KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
			KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_SHARED);
		}
	}
	/* the device's own status comes first */
	io_check_begin(&c, k->pdev, IO_CHECK_READS);
	io_check_domain_error(&k->bridge.pdev);
	atomic_set(&k->dev.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_ABORT);
	KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
}

/* A neighbour that fails without end does not fail the resets of a device. */
static void test_doubt_in_reset(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	k->idev->target.recovers = true;
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* its own errors do */
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	atomic_set(&k->dev.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	k->idev->target.recovers = false;
}

/* What somebody else's access to the device died of is its own error, in a reset too. */
static void test_own_error(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;
	int i;

	for (i = 0; i < 2; i++) {
		k->idev->target.recovers = i;
		io_check_begin(&c, k->pdev, IO_CHECK_READS);
		io_check_begin(&d, &k->neighbour.pdev, 0);
		io_check_own_error(k->pdev);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
		KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
		/* the bridge's own is not that of what is below it */
		io_check_begin(&c, k->pdev, 0);
		io_check_own_error(&k->bridge.pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
		KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
	}
	k->idev->target.recovers = false;
	/* it is on record where it failed */
	KUNIT_EXPECT_EQ(test, k->idev->target.log->errors[IO_CHECK_ABORT], 0);
}

/* A neighbour's query takes what a port has latched, and the device's error with it. */
static void test_taken(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	io_check_begin(&c, k->pdev, IO_CHECK_READS);
	io_check_begin(&d, &k->neighbour.pdev, IO_CHECK_READS);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_query(&d, k->regs, ~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, io_check_query(&c, k->regs, ~0ULL), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* An access that faulted leaves nothing behind that another device's read would take. */
static void test_forgotten(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	io_check_begin(&c, k->pdev, 0);
	io_check_kunit_fault(&c, k->regs);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->bridge.sec_status), 0);
	io_check_begin(&d, &k->neighbour.pdev, 0);
	KUNIT_EXPECT_EQ(test, io_check_query(&d, k->regs, ~0ULL), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
}

static struct kunit_case domain_cases[] = {
	KUNIT_CASE(test_domain),
	KUNIT_CASE(test_resume),
	KUNIT_CASE(test_restart),
	KUNIT_CASE(test_other_domain),
	KUNIT_CASE(test_seq_wraps),
	KUNIT_CASE(test_seq_idle),
	KUNIT_CASE(test_sentinel),
	KUNIT_CASE(test_doubt),
	KUNIT_CASE(test_doubt_in_reset),
	KUNIT_CASE(test_own_error),
	KUNIT_CASE(test_taken),
	KUNIT_CASE(test_forgotten),
	{}
};

static struct kunit_suite domain_suite = {
	.name = "io_check_domain",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = domain_cases,
};

kunit_test_suite(domain_suite);
