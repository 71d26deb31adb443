// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses that the kernel itself lets fail */

#include <linux/io_check_latch.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include "io_check_kunit.h"

/* As in io_check_inject.c */
enum { ONES, FLIP, FROZEN, GONE, SHARED, TIMEOUT };

/* Fail the next access; each kind has its error. */
static void test_inject_kinds(struct kunit *test)
{
	static const struct {
		unsigned int kind;
		u32 flags;
		int error;
		u32 value;
		bool shared;
	} rows[] = {
		{ ONES, 0, -ENXIO, ~0 },
		{ FROZEN, 0, -EAGAIN, ~0 },
		{ TIMEOUT, 0, -ETIMEDOUT, ~0 },
		{ SHARED, 0, -EIO, 0x11223344, true },
		{ GONE, 0, -ENODEV, ~0 },
	};
	struct io_check_kunit *k = test->priv;
	struct io_check_inject *inj = &k->idev->inject;
	struct io_check c;
	u32 val;
	int i;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		inj->kind = rows[i].kind;
		atomic_set(&inj->nth, 1);
		io_check_begin(&c, k->pdev, rows[i].flags);
		KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), rows[i].value);
		KUNIT_EXPECT_EQ(test, atomic_read(&inj->nth), 0);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), rows[i].error);
		KUNIT_EXPECT_EQ(test, io_check_error(&c)->shared, rows[i].shared);
		if (!rows[i].shared) {
			KUNIT_EXPECT_TRUE(test, io_check_error(&c)->injected);
			KUNIT_EXPECT_NE(test, io_check_error(&c)->ip, 0);
			KUNIT_EXPECT_EQ(test, io_check_error(&c)->size, 4);
		}
		/* but for one that is gone it was a single one */
		io_check_begin(&c, k->pdev, 0);
		val = readl_check(&c, k->regs);
		KUNIT_EXPECT_EQ(test, io_check_end(&c),
				rows[i].kind == GONE ? -ENODEV : 0);
		KUNIT_EXPECT_EQ(test, val,
				rows[i].kind == GONE ? ~0 : 0x11223344);
	}
}

/* A flipped bit is seen by a harvest, and by nobody else. */
static void test_inject_flip(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_inject *inj = &k->idev->inject;
	struct io_check c;

	inj->kind = FLIP;
	atomic_set(&inj->nth, 1);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, hweight32(readl_check(&c, k->regs)), 1);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	atomic_set(&inj->flipped, 0);

	atomic_set(&inj->nth, 1);
	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	writel_check(&c, 0, k->regs);
	KUNIT_EXPECT_EQ(test, hweight32(*(u32 *)k->mem), 1);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EBADMSG);
}

static void test_inject_modes(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_inject *inj = &k->idev->inject;
	struct io_check c;
	int pop;

	for (pop = 0; pop < 2; pop++) {
		memset(k->mem, 0, 4);
		inj->pop = pop;
		atomic_set(&inj->nth, 1);
		io_check_begin(&c, k->pdev, 0);
		writel_check(&c, ~0, k->regs);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
		KUNIT_EXPECT_TRUE(test, io_check_error(&c)->write);
		KUNIT_EXPECT_EQ(test, *(u32 *)k->mem, pop ? ~0 : 0);
	}
}

/* Does the filter let through a read of offset 0x30, of 4 bytes? */
static bool filtered(struct io_check_kunit *k)
{
	struct io_check c;
	int ret;

	atomic_set(&k->idev->inject.nth, 1);
	io_check_begin(&c, k->pdev, 0);
	readl_check(&c, k->regs + 0x30);
	ret = io_check_end(&c);
	return !ret && atomic_read(&k->idev->inject.nth) == 1;
}

static void test_inject_filters(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_inject *inj = &k->idev->inject;
	struct resource *bar = &k->pdev->resource[1];
	struct io_check c;

	KUNIT_EXPECT_FALSE(test, filtered(k));
	inj->first = 0x31;
	KUNIT_EXPECT_TRUE(test, filtered(k));
	inj->first = 0x30;
	KUNIT_EXPECT_FALSE(test, filtered(k));
	inj->last = 0x2f;
	KUNIT_EXPECT_TRUE(test, filtered(k));
	inj->last = 0x30;
	KUNIT_EXPECT_FALSE(test, filtered(k));
	inj->size = 8;
	KUNIT_EXPECT_TRUE(test, filtered(k));
	inj->size = 4;
	KUNIT_EXPECT_FALSE(test, filtered(k));
	inj->reads = false;
	KUNIT_EXPECT_TRUE(test, filtered(k));
	inj->reads = true;
	inj->writes = false;
	KUNIT_EXPECT_FALSE(test, filtered(k));
	/* the memory as BAR 1: the record has it, and the filter */
	bar->start = page_to_phys(vmalloc_to_page(k->mem));
	bar->end = bar->start + PAGE_SIZE - 1;
	bar->flags = IORESOURCE_MEM;
	inj->bars = BIT(1);
	KUNIT_EXPECT_FALSE(test, filtered(k));
	inj->bars = (u8)~BIT(1);
	KUNIT_EXPECT_TRUE(test, filtered(k));
	inj->bars = BIT(1);
	atomic_set(&inj->nth, 1);
	io_check_begin(&c, k->pdev, 0);
	readl_check(&c, k->regs + 0x30);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->bar, 1);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->offset, 0x30);
	memset(bar, 0, sizeof(*bar));
}

static void test_inject_nth(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_inject *inj = &k->idev->inject;
	struct io_check c;
	int i;

	atomic_set(&inj->nth, 3);
	for (i = 1; i <= 4; i++) {
		io_check_begin(&c, k->pdev, 0);
		readl_check(&c, k->regs);
		KUNIT_EXPECT_EQ(test, io_check_failed(&c), i == 3);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), i == 3 ? -ENXIO : 0);
	}
	atomic_set(&inj->nth, 1);
	atomic_set(&inj->then, 2);
	for (i = 1; i <= 4; i++) {
		io_check_begin(&c, k->pdev, 0);
		readl_check(&c, k->regs);
		KUNIT_EXPECT_EQ(test, io_check_end(&c),
				i == 1 || i == 3 ? -ENXIO : 0);
	}
	/* disarmed, all run free */
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, c.stop, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* The read of the sentinel that judges a session fails: that is one error, with its record. */
static void test_inject_sentinel(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	atomic_t *nth = &k->idev->inject.nth;
	unsigned int errors;
	struct io_check c;

	errors = k->idev->log.errors[IO_CHECK_NO_RESPONSE];
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(k->pdev);
	atomic_set(nth, 1);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
	KUNIT_EXPECT_EQ(test, atomic_read(nth), 0);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->injected);
	KUNIT_EXPECT_TRUE(test, k->idev->log.last.injected);
	KUNIT_EXPECT_EQ(test, k->idev->log.errors[IO_CHECK_NO_RESPONSE] - errors, 1);
}

static struct kunit_case inject_cases[] = {
	KUNIT_CASE(test_inject_kinds),
	KUNIT_CASE(test_inject_flip),
	KUNIT_CASE(test_inject_modes),
	KUNIT_CASE(test_inject_filters),
	KUNIT_CASE(test_inject_nth),
	KUNIT_CASE(test_inject_sentinel),
	{}
};

static struct kunit_suite inject_suite = {
	.name = "io_check_inject",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = inject_cases,
};

kunit_test_suite(inject_suite);
