// SPDX-License-Identifier: GPL-2.0-or-later
/* Who has set a hint, and what is said of it */

#include "dma_hints_kunit_expect.h"

struct walked {
	int n;
	u32 val;
	bool none;
	enum dma_hint_owner owner;
};

static void walk(void *data, const struct dma_hint_ops *ops,
		 const struct dma_hint_field *f, const u32 *val, enum dma_hint_owner owner)
{
	struct walked *w = data;

	w->n++;
	w->none = !val;
	w->val = val ? *val : 0;
	w->owner = owner;
}

static void hints_walk(struct kunit *test, struct fake_fn *fn, enum dma_hint_id id,
		       u32 val, enum dma_hint_owner owner)
{
	struct walked w = { };

	KUNIT_EXPECT_EQ(test, dma_hints_walk(&fn->pdev, id, walk, &w), 0);
	KUNIT_EXPECT_EQ(test, w.n, 1);
	KUNIT_EXPECT_EQ(test, w.val, val);
	KUNIT_EXPECT_EQ(test, w.owner, owner);
}

/* A driver's default, an administrator's word, and who gives what back */
static void test_owners(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct hints_kunit_state *before = hints_kept(test);

	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 512, DMA_HINT_FIRMWARE);
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 1024, DMA_HINT_DRIVER);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	/* the driver's does not show */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(2048)), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	/* but for the reset: then the driver's last word counts */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 2048, DMA_HINT_DRIVER);
	/* unbind keeps the administrator's, and the reset brings firmware's */
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 512, DMA_HINT_FIRMWARE);
	/* where the driver has set nothing, an unbind undoes nothing */
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(256)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 256, DMA_HINT_ADMIN);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN), 0);
	/* what a driver does by itself meanwhile is its own */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	KUNIT_EXPECT_EQ(test, pcie_set_readrq(&k->pf.pdev, 2048), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	hints_walk(test, &k->pf, DMA_HINT_BLOCK, 2048, DMA_HINT_FIRMWARE);
	KUNIT_EXPECT_EQ(test, pcie_set_readrq(&k->pf.pdev, 512), 0);
	/* order that the driver keeps stays */
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, order_hint(false)), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, order_hint(true)), -EPERM);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
}

/* Two behind one bridge: busy is what would really change for the other. */
static void test_busy(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct hints_kunit_state *before = hints_kept(test);

	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), -EBUSY);
	/* an administrator's word is above drivers', and is not another one's */
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), -EBUSY);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->b.pdev, DMA_HINT_ADMIN), 0);
	/* what rounds to the same is the same; another field is free */
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(80)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_ALL, current_hint(true)), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	/* nobody else is there any more */
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	dma_hints_forget(&k->b.pdev);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
	/* a default that does not show is in nobody's way */
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, driver(&k->b, DMA_HINT_STREAMING, prefetch_hint(32)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
}

static void test_capabilities(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints_caps caps;
	struct dma_hint_cap *cap = &caps.hint[DMA_HINT_RELAXED_ORDER];
	struct walked w = { };

	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->pf.pdev.dev, &caps), 0);
	KUNIT_EXPECT_TRUE(test, cap->possible);
	KUNIT_EXPECT_EQ(test, cap->grain, DMA_HINT_BUS);	/* the widest */
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 4096);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].grain, DMA_HINT_FUNCTION);
	KUNIT_EXPECT_FALSE(test, caps.hint[DMA_HINT_PREFETCH].possible);
	KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_PREFETCH].limit,
			   "requests say their length");
	k->port.pdev.dev_flags = PCI_DEV_FLAGS_NO_RELAXED_ORDERING;
	k->bridge_dev.no_inc_mrrs = 1;
	dma_hints_query(&k->pf.pdev.dev, &caps);
	KUNIT_EXPECT_FALSE(test, cap->possible);
	KUNIT_EXPECT_STREQ(test, cap->limit, "fake_port no relaxed ordering, a quirk");
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 512);
	k->bridge_dev.no_inc_mrrs = 0;
	k->port.pdev.dev_flags = 0;
	dma_hints_query(&k->c.pdev.dev, &caps);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 2048);
	KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_BLOCK].limit, "function, as designed");
	dma_hints_query(&k->a.pdev.dev, &caps);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_PREFETCH].max, 128);
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 0);
	KUNIT_EXPECT_EQ(test, dma_hints_query(&k->host, &caps), -EOPNOTSUPP);
	/* copies that differ are no value */
	k->regs.reg[HOST_PREFETCH] = 0x10;
	KUNIT_EXPECT_EQ(test, dma_hints_walk(&k->a.pdev, DMA_HINT_PREFETCH, walk, &w), 0);
	KUNIT_EXPECT_TRUE(test, w.none);
	k->regs.reg[HOST_PREFETCH] = 0x22;	/* nor is a code that has none */
	dma_hints_walk(&k->a.pdev, DMA_HINT_PREFETCH, walk, &w);
	KUNIT_EXPECT_TRUE(test, w.none);
	if (IS_ENABLED(CONFIG_PCI_IOV)) {
		hints_refused(test, &k->vf, DMA_HINT_ALL, block_hint(512), -EOPNOTSUPP);
		dma_hints_query(&k->vf.pdev.dev, &caps);
		KUNIT_EXPECT_STREQ(test, caps.hint[DMA_HINT_BLOCK].limit,
				   "the PF's to set");
	}
}

/* Any user may look: that clears no status, which a session may be waiting for. */
static void test_look(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct walked w = { };
	int writes;

	/* here a write of status stores it, and clears nothing */
	memset(&k->port.fixed[PCI_STATUS], 0, 2);
	k->port.config[PCI_STATUS + 1] = PCI_STATUS_PARITY >> 8;
	writes = k->port.writes + k->pf.writes;
	KUNIT_EXPECT_EQ(test, dma_hints_walk(&k->pf.pdev, DMA_HINT_BLOCK, walk, &w), 0);
	KUNIT_EXPECT_EQ(test, k->port.config[PCI_STATUS + 1], PCI_STATUS_PARITY >> 8);
	KUNIT_EXPECT_EQ(test, k->port.writes + k->pf.writes, writes);
	k->port.config[PCI_STATUS + 1] = 0;
	memset(&k->port.fixed[PCI_STATUS], 0xff, 2);
}

static struct kunit_case owners_cases[] = {
	KUNIT_CASE(test_owners),
	KUNIT_CASE(test_busy),
	KUNIT_CASE(test_capabilities),
	KUNIT_CASE(test_look),
	{ }
};

static struct kunit_suite owners_suite = {
	.name		= "dma_hints_owners",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= owners_cases,
};

kunit_test_suite(owners_suite);
