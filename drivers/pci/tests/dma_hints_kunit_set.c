// SPDX-License-Identifier: GPL-2.0-or-later
/* Which hints are set, in which bits, and which are refused */

#include "dma_hints_kunit_expect.h"

static void test_refusals(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints both = prefetch_hint(64);

	/* what is nothing at all */
	hints_refused(test, &k->pf, DMA_HINT_ALL + 1, block_hint(512), -EINVAL);
	both.commands = 0x10;
	hints_refused(test, &k->a, DMA_HINT_STREAMING, both, -EINVAL);
	both.valid = BIT(DMA_HINT_NR);
	hints_refused(test, &k->a, DMA_HINT_STREAMING, both, -EINVAL);
	hints_refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(31), -EINVAL);
	hints_refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(DMA_HINT_KEEP_FULL), -EINVAL);
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(127), -EINVAL);
	/* classes and commands that are not told apart */
	hints_refused(test, &k->pf, DMA_HINT_STREAMING, block_hint(512), -EINVAL);
	hints_refused(test, &k->pf, DMA_HINT_STREAMING, order_hint(true), -EINVAL);
	hints_refused(test, &k->a, DMA_HINT_STREAMING, current_hint(false), -EINVAL);
	both = current_hint(true);
	both.commands = DMA_HINT_MR;
	hints_refused(test, &k->a, DMA_HINT_ALL, both, -EINVAL);
	/* places */
	hints_refused(test, &k->a, DMA_HINT_ALL, block_hint(512), -EOPNOTSUPP);
	hints_refused(test, &k->a, DMA_HINT_CONSISTENT, prefetch_hint(64), -EOPNOTSUPP);
	hints_refused(test, &k->pf, DMA_HINT_STREAMING, prefetch_hint(64), -EOPNOTSUPP);
	k->root.bus.cur_bus_speed = PCI_SPEED_100MHz_PCIX;
	hints_refused(test, &k->a, DMA_HINT_STREAMING, prefetch_hint(64), -EOPNOTSUPP);
	k->root.bus.cur_bus_speed = PCI_SPEED_66MHz;
	KUNIT_EXPECT_EQ(test, dma_set_hints(&k->host, DMA_HINT_ALL, &both), -EOPNOTSUPP);
	/* what is not safe */
	hints_refused(test, &k->a, DMA_HINT_ALL, current_hint(false), -EPERM);
	both = order_hint(true);
	both.commands = DMA_HINT_MW;
	hints_refused(test, &k->a, DMA_HINT_ALL, both, -EPERM);
	k->port.pdev.dev_flags = PCI_DEV_FLAGS_NO_RELAXED_ORDERING;
	hints_refused(test, &k->pf, DMA_HINT_ALL, order_hint(true), -EPERM);
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, order_hint(false)), 0);
	k->port.pdev.dev_flags = 0;
	k->bridge_dev.no_inc_mrrs = 1;
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EPERM);
	k->bridge_dev.no_inc_mrrs = 0;
	k->root.bus.bus_flags = PCI_BUS_FLAGS_NO_MMRBC;
	hints_refused(test, &k->c, DMA_HINT_ALL, block_hint(1024), -EPERM);
	k->root.bus.bus_flags = 0;
	hints_refused(test, &k->c, DMA_HINT_ALL, block_hint(4096), -EPERM);	/* as designed */
}

/* Each hint reaches its bits, rounded down, and no others. */
static void test_set(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct hints_kunit_state *before = hints_kept(test);
	struct dma_hints both = order_hint(true);

	both.valid |= BIT(DMA_HINT_BLOCK);
	both.block = 1500;
	KUNIT_EXPECT_EQ(test, driver(&k->pf, DMA_HINT_ALL, both), 0);
	KUNIT_EXPECT_EQ(test, devctl(&k->pf),
			PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_READRQ_1024B);
	/* order is what all of the path allow */
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);
	KUNIT_EXPECT_EQ(test, driver(&k->c, DMA_HINT_ALL, both), 0);
	KUNIT_EXPECT_EQ(test, k->c.config[FAKE_CAP + PCI_X_CMD],
			PCI_X_CMD_ERO | PCI_X_CMD_READ_1K);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(127)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa511);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(100000)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING,
				     prefetch_hint(DMA_HINT_KEEP_HALF)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa566);
	/* unbound */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->pf.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_ORDER], 0xa501);	/* c's, too */
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->c.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
}

/* A field that does not take its value: all are put back, the last one first. */
static void test_put_back(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints both = prefetch_hint(64);
	struct hints_kunit_state *before = hints_kept(test);

	both.valid |= BIT(DMA_HINT_RELAXED_ORDER);
	both.relaxed_order = true;
	both.commands = 0;
	k->regs.fixed = BIT(HOST_PREFETCH);
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_ALL, both), -EIO);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
	KUNIT_ASSERT_EQ(test, k->regs.writes, 4);
	KUNIT_EXPECT_EQ(test, k->regs.order[0], HOST_ORDER);
	KUNIT_EXPECT_EQ(test, k->regs.order[2], HOST_PREFETCH);
	KUNIT_EXPECT_EQ(test, k->regs.order[3], HOST_ORDER);
	/* nobody has claimed anything */
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_ALL, order_hint(true)), 0);
	/* DEVCTL, whose ordering is hardwired, as QEMU's */
	k->pf.fixed[DEVCTL] = 0xff;
	before = hints_kept(test);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, order_hint(true)), -EIO);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
}

/* Each access fails once, or all from it on: never dead, and mended at last. */
static void test_fail_nth(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct hints_kunit_state *before = hints_kept(test);
	int n, ret;

	for (n = 1; n < 8; n++) {
		k->regs.fail = 0;
		KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
		k->regs.fail = n;
		ret = dma_hints_release(&k->a.pdev, DMA_HINT_ADMIN);
		KUNIT_EXPECT_EQ(test, ret, -EIO);
		k->regs.fail = 0;
		/* somebody else's next call puts it right */
		KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_ALL, current_hint(true)), 0);
		KUNIT_EXPECT_TRUE_MSG(test, hints_unchanged(test, before), "%d failed", n);
	}
	k->regs.fail = -1;
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), -EIO);
	k->regs.fail = 0;
	KUNIT_EXPECT_EQ(test, admin(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
}

/*
 * A function that is off, or in reset, reads as all-ones: nothing is made of that,
 * least of all a write with Initiate Function Level Reset in it.
 */
static void test_all_ones(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct dma_hints_caps caps;
	int lost, ret;

	for (lost = 1; lost < 16; lost++) {
		k->pf.config[DEVCTL] = 0;
		k->pf.config[DEVCTL + 1] = 2 << 4;
		k->pf.silent = lost;	/* then it is back */
		ret = admin(&k->pf, DMA_HINT_ALL, block_hint(1024));
		k->pf.silent = 0;
		KUNIT_EXPECT_EQ_MSG(test, devctl(&k->pf) & ~PCI_EXP_DEVCTL_READRQ, 0,
				    "%d lost, DEVCTL 0x%x, %d", lost, devctl(&k->pf), ret);
		ret = pcie_set_readrq(&k->pf.pdev, 512);
		KUNIT_EXPECT_EQ(test, ret, 0);
		k->pf.silent = lost;
		pcie_set_readrq(&k->pf.pdev, 1024);
		k->pf.silent = 0;
		KUNIT_EXPECT_EQ_MSG(test, devctl(&k->pf) & ~PCI_EXP_DEVCTL_READRQ, 0,
				    "%d lost, DEVCTL 0x%x", lost, devctl(&k->pf));
		dma_hints_release(&k->pf.pdev, DMA_HINT_ADMIN);
	}
	/* it does not come back */
	k->pf.silent = -1;
	hints_refused(test, &k->pf, DMA_HINT_ALL, order_hint(true), -EIO);
	/* nor is a limit made of it */
	k->bridge_dev.no_inc_mrrs = 1;
	dma_hints_query(&k->pf.pdev.dev, &caps);
	k->bridge_dev.no_inc_mrrs = 0;
	KUNIT_EXPECT_EQ(test, caps.hint[DMA_HINT_BLOCK].max, 0);
	k->c.silent = -1;
	KUNIT_EXPECT_NE(test, admin(&k->c, DMA_HINT_ALL, block_hint(1024)), 0);
	KUNIT_EXPECT_EQ(test, k->c.writes, 0);
	k->c.silent = 0;
}

/* Off, isolated, gone, in a reset: refused, and nothing is written. */
static void test_not_now(struct kunit *test)
{
	struct hints_kunit *k = test->priv;

	k->pf.pdev.current_state = PCI_D3cold;
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.current_state = PCI_D0;
	k->pf.pdev.error_state = pci_channel_io_frozen;
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.error_state = pci_channel_io_perm_failure;
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EIO);
	k->pf.pdev.error_state = pci_channel_io_normal;
	pci_cfg_access_lock(&k->pf.pdev);	/* as pci_reset_function() */
	hints_refused(test, &k->pf, DMA_HINT_ALL, block_hint(1024), -EAGAIN);
	pci_cfg_access_unlock(&k->pf.pdev);
	KUNIT_EXPECT_EQ(test, admin(&k->pf, DMA_HINT_ALL, block_hint(1024)), 0);
	/* an adapter that is offline leaves what it shares, and others mend it */
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, prefetch_hint(64)), 0);
	k->a.pdev.error_state = pci_channel_io_perm_failure;
	KUNIT_EXPECT_NE(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	KUNIT_EXPECT_EQ(test, admin(&k->b, DMA_HINT_STREAMING, prefetch_hint(128)), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa533);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->b.pdev, DMA_HINT_ADMIN), 0);
	KUNIT_EXPECT_EQ(test, k->regs.reg[HOST_PREFETCH], 0xa500);
}

static struct kunit_case set_cases[] = {
	KUNIT_CASE(test_refusals),
	KUNIT_CASE(test_set),
	KUNIT_CASE(test_put_back),
	KUNIT_CASE(test_fail_nth),
	KUNIT_CASE(test_all_ones),
	KUNIT_CASE(test_not_now),
	{ }
};

static struct kunit_suite set_suite = {
	.name		= "dma_hints_set",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= set_cases,
};

kunit_test_suite(set_suite);
