// SPDX-License-Identifier: GPL-2.0-or-later
/* What a session makes of a failed access */

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include "io_check_kunit.h"

static void test_sticky(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0, 16);
	io_check_begin(&c, k->pdev, 0);
	io_check_kunit_fault(&c, k->regs);
	KUNIT_EXPECT_TRUE(test, io_check_failed(&c));
	/* the session is dead: reads give all-ones, writes do nothing */
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, readb_check(&c, k->regs), 0xff);
	KUNIT_EXPECT_EQ(test, readw_check(&c, k->regs), 0xffff);
	writel_check(&c, 0x12345678, k->regs);
	KUNIT_EXPECT_EQ(test, *(u32 *)k->mem, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	/* and stays so when asked again */
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	/* the next one is alive */
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

static void test_record(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	const struct io_check_err *err;
	struct io_check c;
	u64 before;

	before = local_clock();
	io_check_begin(&c, k->pdev, 0);
	io_check_kunit_fault(&c, k->regs + 4);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	err = io_check_error(&c);
	KUNIT_ASSERT_NOT_NULL(test, err);
	KUNIT_EXPECT_PTR_EQ(test, err->pdev, k->pdev);
	KUNIT_EXPECT_TRUE(test, err->addr == k->regs + 4);
	KUNIT_EXPECT_EQ(test, err->bar, -1);	/* memory is in no BAR */
	KUNIT_EXPECT_EQ(test, err->offset, offset_in_page(k->mem + 4));
	KUNIT_EXPECT_EQ(test, err->value, 0x55);
	KUNIT_EXPECT_EQ(test, err->raw[0], 1);
	KUNIT_EXPECT_EQ(test, err->raw[1], 2);
	KUNIT_EXPECT_EQ(test, err->raw[2], 3);
	KUNIT_EXPECT_EQ(test, err->ip, 0x10);
	KUNIT_EXPECT_GE(test, err->time_ns, before);
	KUNIT_EXPECT_LE(test, err->time_ns, local_clock());
	KUNIT_EXPECT_EQ(test, err->count, 1);
	KUNIT_EXPECT_EQ(test, err->seq,
			(u32)atomic_read(&io_check_seq) / IO_CHECK_SEQ_ONE);
	KUNIT_EXPECT_EQ(test, err->error, -EIO);
	KUNIT_EXPECT_TRUE(test, cpu_online(err->cpu));
	KUNIT_EXPECT_EQ(test, err->cause, IO_CHECK_ABORT);
	KUNIT_EXPECT_FALSE(test, err->shared);
}

static void test_continue(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0, 16);
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	io_check_kunit_fault(&c, k->regs);
	/* later accesses reach the bus, and their errors are counted */
	writel_check(&c, ~0U, k->regs);
	KUNIT_EXPECT_EQ(test, *(u32 *)k->mem, ~0U);
	writew_check(&c, 0x5555, k->regs);
	KUNIT_EXPECT_EQ(test, *(u16 *)k->mem, 0x5555);
	writeb_check(&c, 0xaa, k->regs);
	KUNIT_EXPECT_EQ(test, *(u8 *)k->mem, 0xaa);
	io_check_kunit_fault(&c, k->regs + 8);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs + 8), 0);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->count, 2);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->addr == k->regs);
}

static void test_nested(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check outer, inner;

	memset(k->mem, 0, 16);
	io_check_begin(&outer, k->pdev, 0);
	io_check_begin(&inner, k->pdev, 0);
	io_check_kunit_fault(&inner, k->regs);
	KUNIT_EXPECT_EQ(test, io_check_end(&inner), -EIO);
	/* an error of the inner session is not the outer one's */
	KUNIT_EXPECT_EQ(test, readl_check(&outer, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&outer), 0);

	io_check_begin(&outer, k->pdev, 0);
	io_check_kunit_fault(&outer, k->regs);
	io_check_begin(&inner, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&inner, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&inner), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&outer), -EIO);
}

static void test_ones_ok(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0xff, 4);
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* a fault is a fault */
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	io_check_kunit_fault(&c, k->regs);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* A session of a device that is isolated, or was removed, fails at once. */
static void test_channel(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	k->pdev->error_state = pci_channel_io_frozen;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EAGAIN);
	/* who asked before is not asked again */
	io_check_begin(&c, k->pdev, IO_CHECK_GATED);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* clean-up reaches it */
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	k->pdev->error_state = pci_channel_io_perm_failure;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -ENODEV);
	/* nothing does */
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -ENODEV);
	k->pdev->error_state = pci_channel_io_normal;
}

static void test_counts(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 1; i <= 3; i++) {
		io_check_begin(&c, k->pdev, 0);
		io_check_kunit_fault(&c, k->regs + 4 * i);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
		KUNIT_EXPECT_EQ(test, k->idev->log.errors[IO_CHECK_ABORT], i);
		KUNIT_EXPECT_TRUE(test, k->idev->log.last.addr == k->regs + 4 * i);
	}
}

static void test_enable_twice(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	KUNIT_EXPECT_EQ(test, pci_io_check_enable(k->pdev, NULL), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, io_check_dev_find(k->pdev), k->idev);
	io_check_kunit_unbind(k);
	KUNIT_EXPECT_NULL(test, io_check_dev_find(k->pdev));
	KUNIT_EXPECT_EQ(test, io_check_kunit_bind(k), 0);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(test_sticky),
	KUNIT_CASE(test_record),
	KUNIT_CASE(test_continue),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_ones_ok),
	KUNIT_CASE(test_channel),
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_enable_twice),
	{}
};

static struct kunit_suite session_suite = {
	.name = "io_check_session",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = session_cases,
};

kunit_test_suite(session_suite);
