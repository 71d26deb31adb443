// SPDX-License-Identifier: GPL-2.0-or-later
/* What a device and the bridges above it have latched */

#include <linux/aer.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include "../io_check_query.h"
#include "io_check_kunit.h"

static int race_rounds = 20000;
module_param(race_rounds, int, 0444);
MODULE_PARM_DESC(race_rounds, "sessions of each CPU in the race test");

/* A session reports what its device or a bridge above latched in its time. */
static void test_harvest(struct kunit *test)
{
	static const struct {
		u16 bit;
		int error;
	} rows[] = {
		{ PCI_STATUS_PARITY, -EBADMSG },
		{ PCI_STATUS_DETECTED_PARITY, -EBADMSG },
		{ PCI_STATUS_REC_MASTER_ABORT, -ENXIO },
		{ PCI_STATUS_REC_TARGET_ABORT, -EIO },
		{ PCI_STATUS_SIG_TARGET_ABORT, -EIO },
		{ PCI_STATUS_SIG_SYSTEM_ERROR, -EIO },
	};
	struct io_check_kunit *k = test->priv;
	atomic_t *status[] = { &k->dev.status, &k->bridge.sec_status };
	struct io_check c;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(status); j++) {
			io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
			atomic_or(rows[i].bit, status[j]);
			KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
			KUNIT_ASSERT_EQ(test, io_check_end(&c), rows[i].error);
			KUNIT_EXPECT_EQ(test, io_check_error(&c)->shared, j == 1);
			KUNIT_EXPECT_EQ(test, io_check_error(&c)->value,
					rows[i].bit);
			KUNIT_EXPECT_EQ(test, atomic_read(status[j]), 0);
		}
	}
	/* nothing latched, no error */
	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* and nobody looks who was not asked to */
	io_check_begin(&c, k->pdev, 0);
	atomic_set(&k->dev.status, PCI_STATUS_PARITY);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->dev.status), PCI_STATUS_PARITY);
}

/* What was latched before a session is not the session's. */
static void test_harvest_old(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->bridge.sec_status), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* Who harvests tells the others in the domain. */
static void test_harvest_tells(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	io_check_begin(&d, &k->neighbour.pdev, IO_CHECK_HARVEST);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
	KUNIT_ASSERT_EQ(test, io_check_end(&d), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&d)->cause, IO_CHECK_SHARED);
	/* one that begins later hears nothing of it */
	io_check_begin(&d, &k->neighbour.pdev, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
}

/* Third parties that clear status do so, too. */
static void test_third_party(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	atomic_set(&k->bridge.sec_status,
		   PCI_STATUS_PARITY | PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_clear_status(&k->bridge.pdev,
						    PCI_SEC_STATUS,
						    PCI_STATUS_PARITY),
			PCI_STATUS_PARITY);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->bridge.sec_status),
			PCI_STATUS_REC_MASTER_ABORT);
	atomic_set(&k->bridge.sec_status, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);

	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	atomic_set(&k->dev.status, PCI_STATUS_PARITY);
	KUNIT_EXPECT_EQ(test, pci_status_get_and_clear_errors(k->pdev),
			PCI_STATUS_PARITY);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);

	/* for others it is what it was */
	atomic_set(&k->dev.status, 0xffff);
	KUNIT_EXPECT_EQ(test, pci_status_get_and_clear_errors(k->pdev),
			PCI_STATUS_ERROR_BITS);
	atomic_set(&k->dev.status, 0);
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, pci_status_get_and_clear_errors(k->pdev), -EIO);
	k->dev.absent = false;

	/* clearing nothing is no error */
	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	KUNIT_EXPECT_EQ(test, pci_status_get_and_clear_errors(k->pdev), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* A scan clears what a bridge has latched, in some kernels. */
static void test_scan(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, IO_CHECK_HARVEST);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	pci_lock_rescan_remove();
	pci_scan_bridge(&k->root.bus, &k->bridge.pdev, 0, 0);
	pci_unlock_rescan_remove();
	/* where it does not, the session finds the cause by itself */
	KUNIT_EXPECT_LT(test, io_check_end(&c), 0);
}

#ifdef CONFIG_PCIEAER
/* AER clears what no session has looked at yet, or what joined what one has. */
static void test_aer_clears(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int noted;

	k->bridge.pdev.aer_cap = FAKE_AER;
	for (noted = 0; noted < 2; noted++) {
		k->bridge.uncor = PCI_ERR_UNC_COMP_TIME;
		io_check_begin(&c, k->pdev, 0);
		if (noted)
			KUNIT_EXPECT_EQ(test, io_check_query(&c, k->regs, ~0ULL),
					IO_CHECK_TIMEOUT);
		io_check_begin(&c, k->pdev, 0);
		KUNIT_EXPECT_EQ(test, pci_aer_clear_nonfatal_status(&k->bridge.pdev), 0);
		KUNIT_EXPECT_EQ(test, k->bridge.uncor, 0);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
		KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
	}
	/* what tells of no access, and what is masked, is nobody's */
	k->bridge.uncor = PCI_ERR_UNC_MALF_TLP | PCI_ERR_UNC_UNSUP;
	k->bridge.uncor_mask = PCI_ERR_UNC_UNSUP;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, pci_aer_clear_nonfatal_status(&k->bridge.pdev), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	k->bridge.uncor_mask = 0;
	k->bridge.pdev.aer_cap = 0;
}
#endif

static void test_dma(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_err err;
	struct io_check c, d;

	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev, &err), 0);
	atomic_set(&k->dev.status, PCI_STATUS_PARITY);
	io_check_begin(&c, k->pdev, 0);
	io_check_begin(&d, &k->neighbour.pdev, 0);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev, &err), -EBADMSG);
	KUNIT_EXPECT_EQ(test, err.cause, IO_CHECK_PARITY);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
	KUNIT_EXPECT_EQ(test, k->idev->log.errors[IO_CHECK_PARITY], 1);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev, &err), 0);
	atomic_set(&k->dev.status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev, &err), -ENXIO);
	atomic_set(&k->dev.status, PCI_STATUS_REC_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev, &err), -EIO);
}

/* Two CPUs with errors in the same bit of the bridge above both */
struct racer {
	struct io_check_kunit *k;
	struct pci_dev *pdev;
	struct completion *start;
	int lost;
};

static int race(void *data)
{
	struct racer *r = data;
	struct io_check c;
	int i;

	wait_for_completion(r->start);
	for (i = 0; i < race_rounds; i++) {
		/* one that harvests, and one that asks about a value */
		bool harvests = i % 2;

		io_check_begin(&c, r->pdev, harvests ? IO_CHECK_HARVEST : 0);
		atomic_or(PCI_STATUS_REC_MASTER_ABORT,
			  &r->k->bridge.sec_status);
		if ((harvests || !io_check_query(&c, r->k->regs, ~0ULL)) && !io_check_end(&c))
			r->lost++;
		if (!(i % 1024))
			cond_resched();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* None may be lost to the other's harvest. */
static void test_race(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	DECLARE_COMPLETION_ONSTACK(start);
	struct racer r[2] = {
		{ .k = k, .pdev = k->pdev, .start = &start },
		{ .k = k, .pdev = &k->neighbour.pdev, .start = &start },
	};
	struct task_struct *task[2];
	int i, cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < 2; i++) {
		task[i] = kthread_create(race, &r[i], "io_check_race/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
		kthread_bind(task[i], cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		wake_up_process(task[i]);
	}
	complete_all(&start);
	for (i = 0; i < 2; i++)
		kthread_stop(task[i]);
	KUNIT_EXPECT_EQ(test, r[0].lost, 0);
	KUNIT_EXPECT_EQ(test, r[1].lost, 0);
	kunit_info(test, "%d rounds, %u CPUs online\n", race_rounds,
		   num_online_cpus());
}

static struct kunit_case latch_cases[] = {
	KUNIT_CASE(test_harvest),
	KUNIT_CASE(test_harvest_old),
	KUNIT_CASE(test_harvest_tells),
	KUNIT_CASE(test_third_party),
	KUNIT_CASE(test_scan),
#ifdef CONFIG_PCIEAER
	KUNIT_CASE(test_aer_clears),
#endif
	KUNIT_CASE(test_dma),
	KUNIT_CASE(test_race),
	{}
};

static struct kunit_suite latch_suite = {
	.name = "io_check_latch",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = latch_cases,
};

kunit_test_suite(latch_suite);
