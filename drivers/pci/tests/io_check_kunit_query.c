// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is asked about a value that may be of a failed read, and what it says */

#include <linux/aer.h>
#include <linux/moduleparam.h>
#include "../io_check_query.h"
#include "io_check_kunit.h"

static int ones_rounds = 1000;
module_param(ones_rounds, int, 0444);
MODULE_PARM_DESC(ones_rounds, "legal all-ones of each kind in the test of old status");

/* What is said of a value, by a session of its own */
#define QUERY(val)							\
({									\
	io_check_begin(&c, k->pdev, 0);					\
	io_check_query(&c, k->regs, val);				\
})

static void test_query(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_GONE);
	k->dev.absent = false;
	k->dev.command = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	k->dev.command = PCI_COMMAND_MEMORY;
	k->bridge.command = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	k->bridge.command = PCI_COMMAND_MEMORY;
	/* what is latched is said once */
	atomic_set(&k->dev.status, PCI_STATUS_DETECTED_PARITY);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_PARITY);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	/* somebody below reported an error, of whatever */
	atomic_set(&k->bridge.sec_status, PCI_STATUS_SIG_SYSTEM_ERROR);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, QUERY(0), IO_CHECK_NO_RESPONSE);
	*(u32 *)(k->mem + SENTINEL) = ~0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	*(__le32 *)(k->mem + SENTINEL) = cpu_to_le32(9);
	/* a sentinel that answers is enough for a zero */
	k->dev.command = 0;
	KUNIT_EXPECT_EQ(test, QUERY(0), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, QUERY(0xff), IO_CHECK_NO_RESPONSE);
	k->dev.command = PCI_COMMAND_MEMORY;
}

/* The same of ports of PCI Express */
static void test_query_pcie(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

#ifdef CONFIG_PCIEAER
	static const u32 uncor[][2] = {
		{ PCI_ERR_UNC_POISON_TLP, IO_CHECK_PARITY },
		{ PCI_ERR_UNC_COMP_TIME, IO_CHECK_TIMEOUT },
		{ PCI_ERR_UNC_UNSUP, IO_CHECK_NO_RESPONSE },
		{ PCI_ERR_UNC_COMP_ABORT, IO_CHECK_ABORT },
		{ PCI_ERR_UNC_MALF_TLP, IO_CHECK_NONE },
		{ ~0, IO_CHECK_NONE },
	};
	int i;

	k->bridge.pdev.aer_cap = FAKE_AER;
	for (i = 0; i < ARRAY_SIZE(uncor); i++) {
		k->bridge.uncor = uncor[i][0];
		KUNIT_EXPECT_EQ(test, QUERY(~0ULL), uncor[i][1]);
	}
	k->bridge.uncor = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	/* what is masked is logged all the same */
	k->bridge.uncor_mask = PCI_ERR_UNC_UNSUP;
	k->bridge.uncor = PCI_ERR_UNC_UNSUP;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->bridge.uncor = 0;
	k->bridge.uncor_mask = 0;
	/* what is AER's to clear is news once, and again when it was cleared */
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	for (i = 0; i < 3; i++) {
		k->bridge.uncor = PCI_ERR_UNC_UNSUP;
		KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
		KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
		k->bridge.uncor |= PCI_ERR_UNC_COMP_TIME;
		KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_TIMEOUT);
		KUNIT_EXPECT_EQ(test, k->bridge.uncor,
				PCI_ERR_UNC_UNSUP | PCI_ERR_UNC_COMP_TIME);
		k->bridge.uncor = 0;
		KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	}
	k->bridge.pdev.aer_cap = 0;
#endif
	/* without AER there is Device Status */
	k->pdev->pcie_cap = FAKE_EXP;
	k->dev.devsta = PCI_EXP_DEVSTA_URD | PCI_EXP_DEVSTA_NFED;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, k->dev.devsta, 0);
	/* the firmware's are left to it */
	k->host->native_aer = 0;
	k->dev.devsta = PCI_EXP_DEVSTA_FED;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
	/* with pcie_ports=native there are none */
	KUNIT_EXPECT_EQ(test, k->dev.devsta,
			io_check_aer_native(k->pdev) ? 0 : PCI_EXP_DEVSTA_FED);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->dev.devsta = 0;
	k->host->native_aer = 1;
	k->pdev->pcie_cap = 0;
#ifdef CONFIG_PCIE_DPC
	/* isolated below the port, not gone */
	k->bridge.pdev.dpc_cap = FAKE_DPC;
	k->bridge.dpc = PCI_EXP_DPC_STATUS_TRIGGER;
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_FROZEN);
	k->bridge.dpc = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_GONE);
	k->dev.absent = false;
#endif
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
}

/*
 * What was latched before the driver came is no error of a read's, wherever it is, and
 * whoever may clear it; the next one is.
 */
static void test_old_status(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i, native, round;

	k->pdev->pcie_cap = FAKE_EXP;
#ifdef CONFIG_PCIEAER
	k->bridge.pdev.aer_cap = FAKE_AER;
#endif
	for (native = 0; native < 2; native++) {
		io_check_kunit_unbind(k);
		k->host->native_aer = native;
		atomic_set(&k->dev.status, PCI_STATUS_ERROR_BITS);
		atomic_set(&k->bridge.sec_status, PCI_STATUS_ERROR_BITS);
		k->bridge.stuck = PCI_STATUS_REC_TARGET_ABORT;
		k->dev.devsta = PCI_EXP_DEVSTA_URD;
		k->bridge.uncor = PCI_ERR_UNC_UNSUP | PCI_ERR_UNC_COMP_ABORT;
		KUNIT_ASSERT_EQ(test, io_check_kunit_bind(k), 0);
		for (i = 0; i < ones_rounds; i++)
			if (QUERY(~0ULL) || io_check_end(&c))
				break;
		KUNIT_EXPECT_EQ(test, i, ones_rounds);
		KUNIT_EXPECT_EQ(test, k->dev.devsta,
				io_check_aer_native(k->pdev) ? 0 : PCI_EXP_DEVSTA_URD);
		for (round = 0; round < 2; round++) {
			atomic_or(PCI_STATUS_SIG_TARGET_ABORT, &k->dev.status);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
			atomic_or(PCI_STATUS_DETECTED_PARITY, &k->bridge.sec_status);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_PARITY);
			k->dev.devsta |= PCI_EXP_DEVSTA_NFED;
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
			k->dev.devsta = 0;
#ifdef CONFIG_PCIEAER
			k->bridge.uncor |= PCI_ERR_UNC_COMP_TIME;
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_TIMEOUT);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
			k->bridge.uncor = 0;
#endif
			/* and those that were old are news once they were cleared */
			atomic_set(&k->bridge.sec_status, 0);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
			k->bridge.stuck = 0;
			atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_TARGET_ABORT);
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
			k->dev.devsta = PCI_EXP_DEVSTA_URD;
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
			k->dev.devsta = 0;
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
		}
	}
	k->pdev->pcie_cap = 0;
	k->bridge.uncor = 0;
#ifdef CONFIG_PCIEAER
	k->bridge.pdev.aer_cap = 0;
#endif
}

/* An error that comes while a driver is bound, of its device or beside it, hides no other. */
static void test_error_in_bind(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct device *beside = &k->neighbour.pdev.dev;
	struct io_check c;
	void *group;

	k->bridge.pdev.pcie_cap = FAKE_EXP;
	/* the device's own, as the bridge's old one is cleared for its neighbour */
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	k->bridge.again = PCI_STATUS_REC_MASTER_ABORT;
	group = devres_open_group(beside, NULL, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, pci_io_check_enable(&k->neighbour.pdev, NULL), 0);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	devres_release_group(beside, group);
	k->bridge.devsta = PCI_EXP_DEVSTA_URD;
	k->bridge.devsta_again = PCI_EXP_DEVSTA_URD;
	group = devres_open_group(beside, NULL, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, pci_io_check_enable(&k->neighbour.pdev, NULL), 0);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	devres_release_group(beside, group);
	/* another one's, as the device comes: the next one is news */
	io_check_kunit_unbind(k);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	k->bridge.again = PCI_STATUS_REC_MASTER_ABORT;
	k->bridge.devsta = PCI_EXP_DEVSTA_URD;
	k->bridge.devsta_again = PCI_EXP_DEVSTA_URD;
	KUNIT_ASSERT_EQ(test, io_check_kunit_bind(k), 0);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	atomic_or(PCI_STATUS_REC_MASTER_ABORT, &k->bridge.sec_status);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	k->bridge.devsta |= PCI_EXP_DEVSTA_URD;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->bridge.pdev.pcie_cap = 0;
}

/* Functions without a Memory Space Enable of their own, and ports */
static void test_query_decodes(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	k->dev.command = PCI_COMMAND_IO;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->dev.command = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	k->pdev->no_command_memory = 1;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	k->pdev->no_command_memory = 0;
#ifdef CONFIG_PCI_IOV
	io_check_kunit_unbind(k);
	k->pdev->is_virtfn = 1;
	k->pdev->physfn = &k->neighbour.pdev;
	KUNIT_ASSERT_EQ(test, io_check_kunit_bind(k), 0);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	/* part of its status is the physical function's to show */
	atomic_set(&k->neighbour.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	io_check_kunit_unbind(k);
	k->pdev->is_virtfn = 0;
	k->pdev->physfn = NULL;
	KUNIT_ASSERT_EQ(test, io_check_kunit_bind(k), 0);
#endif
	k->dev.command = PCI_COMMAND_MEMORY;
}

/* In a reset neither the sentinel nor what was latched before tells. */
static void test_query_in_reset(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	k->idev->target.recovers = true;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, QUERY(0), IO_CHECK_NONE);
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_GONE);
	KUNIT_EXPECT_EQ(test, QUERY(0), IO_CHECK_GONE);
	k->dev.absent = false;
	k->idev->target.recovers = false;
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE(test_query),
	KUNIT_CASE(test_query_pcie),
	KUNIT_CASE(test_old_status),
	KUNIT_CASE(test_error_in_bind),
	KUNIT_CASE(test_query_decodes),
	KUNIT_CASE(test_query_in_reset),
	{}
};

static struct kunit_suite query_suite = {
	.name = "io_check_query",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = query_cases,
};

kunit_test_suite(query_suite);
