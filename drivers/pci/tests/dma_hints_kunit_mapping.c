// SPDX-License-Identifier: GPL-2.0-or-later
/* What the address of a mapping carries */

#include "dma_hints_kunit_expect.h"

/* What an address carries is a default by class, and needs no register. */
static void test_mapping(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct device *dev = &k->a.pdev.dev;

	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), -EINVAL);
	hints_map(k);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.writes, 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_CONSISTENT, 0), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 3);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_CONSISTENT,
					      DMA_ATTR_WEAK_ORDERING), 2);
	/* the neighbour's are its own */
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(&k->b.pdev.dev, DMA_HINT_STREAMING, 0), 1);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, order_hint(false)), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 1);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING,
					      DMA_ATTR_WEAK_ORDERING), 3);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_ADMIN), 0);
	KUNIT_EXPECT_EQ(test, dma_hint_set_of(dev, DMA_HINT_STREAMING, 0), 3);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, 0);
	/* it is the function's own: no neighbour is asked for it while that is off */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	k->a.pdev.error_state = pci_channel_io_frozen;
	dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER);
	k->a.pdev.error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, 0);
	/* all: the mappings' defaults, and who is on the way to memory */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_ALL, order_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, k->a.pdev.dma_relaxed, BOTH);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);
}

static struct kunit_case mapping_cases[] = {
	KUNIT_CASE(test_mapping),
	{ }
};

static struct kunit_suite mapping_suite = {
	.name		= "dma_hints_mapping",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= mapping_cases,
};

kunit_test_suite(mapping_suite);
