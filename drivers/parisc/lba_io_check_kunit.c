// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of what is asked of an LBA after all-ones, against a model of its
 * error registers: emulators have storage there, and no errors.
 */

#include <kunit/test.h>
#include <linux/module.h>
#include "lba_io_check.h"

/*
 * STAT_CTL and ERROR_STATUS.  CL clears the log only while CE is set, and an error
 * that is logged unsets CE (LBA ERS 14.3.3, as lba_pci.c has it).
 */
struct lba_model {
	struct lba_regs regs;
	u32 control;
	u32 error;
	u32 late;	/* is logged once ERROR_STATUS has been read */
	u32 config;
};

static void model_log(struct lba_model *m, u32 error)
{
	m->error |= error;
	m->control &= ~CLEAR_ERRLOG_ENABLE;
	/* only smart mode takes a master abort for less than fatal */
	if (!(m->config & LBA_SMART_MODE))
		m->error |= LBA_FATAL_ERROR;
}

static u32 model_read(const struct lba_regs *regs, unsigned int reg)
{
	struct lba_model *m = container_of(regs, struct lba_model, regs);
	u32 val;

	switch (reg) {
	case LBA_STAT_CTL:
		return m->control;
	case LBA_ERROR_CONFIG:
		return m->config;
	case LBA_ERROR_STATUS:
		val = m->error;
		if (m->late)
			model_log(m, m->late);
		m->late = 0;
		return val;
	}
	return ~0;
}

static void model_write(const struct lba_regs *regs, u32 val, unsigned int reg)
{
	struct lba_model *m = container_of(regs, struct lba_model, regs);

	switch (reg) {
	case LBA_STAT_CTL:
		if ((val & CLEAR_ERRLOG) && (m->control & CLEAR_ERRLOG_ENABLE))
			m->error = 0;
		m->control = val & ~CLEAR_ERRLOG;
		break;
	case LBA_ERROR_CONFIG:
		m->config = val;
		break;
	}
}

static struct lba_model *model(struct kunit *test)
{
	struct lba_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->regs.read = model_read;
	m->regs.write = model_write;
	m->control = 0x8000;
	m->config = LBA_SMART_MODE;
	return m;
}

static void test_no_error(struct kunit *test)
{
	struct lba_model *m = model(test);

	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0);
	KUNIT_EXPECT_EQ(test, m->control, 0x8000);
}

static void test_master_abort_is_taken_once(struct kunit *test)
{
	struct lba_model *m = model(test);

	model_log(m, 0x4);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0x4);
	KUNIT_EXPECT_EQ(test, m->control, 0x8000);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0);
}

/* Another device's, between the question and its end */
static void test_late_error_is_not_lost(struct kunit *test)
{
	struct lba_model *m = model(test);

	model_log(m, 0x4);
	m->late = 0x8;
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0x4);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0xc);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0);
}

static void test_fatal_mode_stays(struct kunit *test)
{
	struct lba_model *m = model(test);

	m->config = 0;
	model_log(m, 0x4);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0x14);
	KUNIT_EXPECT_EQ(test, lba_take_error(&m->regs), 0x14);
	KUNIT_EXPECT_EQ(test, m->control, 0x8000);
}

static void test_causes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lba_error_cause(0), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, lba_error_cause(0x1), IO_CHECK_ABORT);
	KUNIT_EXPECT_EQ(test, lba_error_cause(0x2), IO_CHECK_ABORT);
	KUNIT_EXPECT_EQ(test, lba_error_cause(0x4), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, lba_error_cause(0x8), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, lba_error_cause(0x14), IO_CHECK_ABORT);
}

static struct kunit_case lba_io_check_cases[] = {
	KUNIT_CASE(test_no_error),
	KUNIT_CASE(test_master_abort_is_taken_once),
	KUNIT_CASE(test_late_error_is_not_lost),
	KUNIT_CASE(test_fatal_mode_stays),
	KUNIT_CASE(test_causes),
	{}
};

static struct kunit_suite lba_io_check_suite = {
	.name = "lba_io_check",
	.test_cases = lba_io_check_cases,
};

kunit_test_suite(lba_io_check_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of LBA error status");
