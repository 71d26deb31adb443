// SPDX-License-Identifier: GPL-2.0-or-later
/* Others that change the same registers meanwhile */

#include <linux/completion.h>
#include <linux/kthread.h>
#include "dma_hints_kunit_expect.h"

#define RACES	100000

struct racer {
	struct fake_fn *fn;
	struct completion done;
	bool conventional;
};

/* Somebody who changes other bits of the same register by the same helpers */
static int race(void *data)
{
	struct racer *r = data;
	int i;

	for (i = 0; i < RACES; i++) {
		if (r->conventional && i & 1)
			pci_clear_master(&r->fn->pdev);
		else if (r->conventional)
			pci_set_master(&r->fn->pdev);
		else if (i & 1)
			pcie_capability_clear_word(&r->fn->pdev, PCI_EXP_DEVCTL,
						   PCI_EXP_DEVCTL_CERE);
		else
			pcie_capability_set_word(&r->fn->pdev, PCI_EXP_DEVCTL,
						 PCI_EXP_DEVCTL_CERE);
		if (!(i % 1000))
			cond_resched();
	}
	complete(&r->done);
	return 0;
}

static void race_start(struct kunit *test, struct racer *r, struct fake_fn *fn,
		       bool conventional)
{
	struct task_struct *task;

	r->fn = fn;
	r->conventional = conventional;
	init_completion(&r->done);
	task = kthread_run(race, r, "dma_hints_race");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

/* 100,000 changes of either side; each one's own bits are there after each. */
static void test_races(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct racer r;
	u32 lost = 0;
	int i;

	race_start(test, &r, &k->pf, false);
	for (i = 0; i < RACES; i++) {
		pcie_capability_clear_and_set_word(&k->pf.pdev, PCI_EXP_DEVCTL,
						   PCI_EXP_DEVCTL_RELAX_EN,
						   i & 1 ? PCI_EXP_DEVCTL_RELAX_EN : 0);
		lost += !(devctl(&k->pf) & PCI_EXP_DEVCTL_RELAX_EN) != !(i & 1);
		if (!(i % 100)) {
			lost += admin(&k->pf, DMA_HINT_ALL, block_hint(128 << i / 100 % 6)) != 0;
			lost += pcie_get_readrq(&k->pf.pdev) != 128 << i / 100 % 6;
		}
	}
	wait_for_completion(&r.done);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, devctl(&k->pf) & PCI_EXP_DEVCTL_CERE, 0);

	race_start(test, &r, &k->a, true);
	for (i = 0; i < RACES; i++) {
		if (i & 1)
			lost += pci_set_mwi(&k->a.pdev) != 0;
		else
			pci_clear_mwi(&k->a.pdev);
#ifdef PCI_DISABLE_MWI		/* the architecture leaves it to firmware */
		continue;
#endif
		lost += !(k->a.config[PCI_COMMAND] & PCI_COMMAND_INVALIDATE) != !(i & 1);
	}
	wait_for_completion(&r.done);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, k->a.config[PCI_COMMAND] & PCI_COMMAND_MASTER, 0);
}

static struct kunit_case races_cases[] = {
	KUNIT_CASE(test_races),
	{ }
};

static struct kunit_suite races_suite = {
	.name		= "dma_hints_races",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= races_cases,
};

kunit_test_suite(races_suite);
