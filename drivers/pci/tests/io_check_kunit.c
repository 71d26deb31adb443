// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of io_check sessions.  The registers are memory, mapped as a BAR
 * is, which the checked accessors reach as they reach a BAR; a fault is planted
 * by leaving what an architecture's landing pad leaves.
 */

#include <kunit/test.h>
#include <linux/io_check.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/vmalloc.h>
#include <asm/byteorder.h>

struct io_check_kunit {
	struct pci_dev *pdev;
	void *mem;
	void __iomem *regs;
};

static int io_check_kunit_init(struct kunit *test)
{
	struct io_check_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	k->mem = vzalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, k->mem);
	k->regs = (__force void __iomem *)k->mem;
	test->priv = k;
	k->pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, NULL);
	if (!k->pdev)
		kunit_skip(test, "no PCI device");
	return 0;
}

static void io_check_kunit_exit(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	if (!k)
		return;
	vfree(k->mem);
	pci_dev_put(k->pdev);
}

/* What a landing pad does: no stub has this address, so nothing is decoded */
static void plant_fault(struct io_check *c, void __iomem *addr)
{
	c->fault.ip = 0x10;
	c->fault.addr = addr;
	c->fault.value = 0x55;
	c->fault.raw[0] = 1;
	c->fault.raw[1] = 2;
	c->fault.raw[2] = 3;
	c->stop |= IO_CHECK_STOP_FAULT;
}

static void io_check_clean(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	KUNIT_EXPECT_NULL(test, io_check_error(&c));
}

#define CHECK_READ(name, want)						\
	KUNIT_EXPECT_EQ(test, (u64)name##_check(&c, k->regs), (u64)(want))

static void io_check_reads(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le64 *)k->mem = cpu_to_le64(0x1122334455667788ULL);
	io_check_begin(&c, k->pdev, 0);
	CHECK_READ(readb, 0x88);
	CHECK_READ(readw, 0x7788);
	CHECK_READ(readl, 0x55667788);
	CHECK_READ(readb_relaxed, 0x88);
	CHECK_READ(readw_relaxed, 0x7788);
	CHECK_READ(readl_relaxed, 0x55667788);
	CHECK_READ(ioread8, 0x88);
	CHECK_READ(ioread16, 0x7788);
	CHECK_READ(ioread32, 0x55667788);
#ifdef CONFIG_64BIT
	CHECK_READ(readq, 0x1122334455667788ULL);
	CHECK_READ(readq_relaxed, 0x1122334455667788ULL);
	CHECK_READ(ioread64, 0x1122334455667788ULL);
#endif
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* All-ones in a register that exists is data. */
static void io_check_reads_ones(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0xff, 8);
	io_check_begin(&c, k->pdev, 0);
	CHECK_READ(readb, 0xff);
	CHECK_READ(readw, 0xffff);
	CHECK_READ(readl, 0xffffffff);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* Write in the low bytes, nothing beside them */
static u64 io_check_pattern = 0x1122334455667788ULL;

#define CHECK_WRITE(name, type)						\
	do {								\
		type val = READ_ONCE(io_check_pattern);			\
									\
		memset(k->mem, 0, 16);					\
		name##_check(&c, val, k->regs);				\
		KUNIT_EXPECT_EQ(test, le64_to_cpup(k->mem), (u64)val);	\
		KUNIT_EXPECT_EQ(test, le64_to_cpup(k->mem + 8), 0);	\
	} while (0)

static void io_check_writes(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	CHECK_WRITE(writeb, u8);
	CHECK_WRITE(writew, u16);
	CHECK_WRITE(writel, u32);
	CHECK_WRITE(writeb_relaxed, u8);
	CHECK_WRITE(writew_relaxed, u16);
	CHECK_WRITE(writel_relaxed, u32);
	CHECK_WRITE(iowrite8, u8);
	CHECK_WRITE(iowrite16, u16);
	CHECK_WRITE(iowrite32, u32);
#ifdef CONFIG_64BIT
	CHECK_WRITE(writeq, u64);
	CHECK_WRITE(writeq_relaxed, u64);
	CHECK_WRITE(iowrite64, u64);
#endif
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

static void io_check_sticky(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0, 16);
	io_check_begin(&c, k->pdev, 0);
	plant_fault(&c, k->regs);
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

static void io_check_record(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	const struct io_check_err *err;
	struct io_check c;
	u64 before;

	before = local_clock();
	io_check_begin(&c, k->pdev, 0);
	plant_fault(&c, k->regs + 4);
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
	KUNIT_EXPECT_EQ(test, err->seq, (u32)atomic_read(&io_check_seq));
	KUNIT_EXPECT_EQ(test, err->error, -EIO);
	KUNIT_EXPECT_TRUE(test, cpu_online(err->cpu));
	KUNIT_EXPECT_EQ(test, err->cause, IO_CHECK_ABORT);
	KUNIT_EXPECT_FALSE(test, err->shared);
}

static void io_check_continue(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0, 16);
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	plant_fault(&c, k->regs);
	/* later accesses reach the bus, and their errors are counted */
	writel_check(&c, ~0U, k->regs);
	KUNIT_EXPECT_EQ(test, *(u32 *)k->mem, ~0U);
	plant_fault(&c, k->regs + 8);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs + 8), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->count, 2);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->addr == k->regs);
}

static void io_check_nested(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check outer, inner;

	memset(k->mem, 0, 16);
	io_check_begin(&outer, k->pdev, 0);
	io_check_begin(&inner, k->pdev, 0);
	plant_fault(&inner, k->regs);
	KUNIT_EXPECT_EQ(test, io_check_end(&inner), -EIO);
	/* an error of the inner session is not the outer one's */
	KUNIT_EXPECT_EQ(test, readl_check(&outer, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&outer), 0);

	io_check_begin(&outer, k->pdev, 0);
	plant_fault(&outer, k->regs);
	io_check_begin(&inner, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&inner, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&inner), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&outer), -EIO);
}

static void io_check_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(k->pdev);
	KUNIT_EXPECT_TRUE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_SHARED);

	/* not an error of the next session */
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* A moved count alone is some other domain's error. */
static void io_check_other_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	atomic_inc(&io_check_seq);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

static void io_check_seq_wraps(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	static const int starts[] = { INT_MAX, -1 };
	int old = atomic_read(&io_check_seq), i;
	struct io_check c;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		atomic_set(&io_check_seq, starts[i]);
		/* a stamp near the count, as there is one in use */
		io_check_domain_error(k->pdev);
		atomic_set(&io_check_seq, starts[i]);
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
	atomic_set(&io_check_seq, old);
	io_check_domain_error(k->pdev);
}

static struct kunit_case io_check_cases[] = {
	KUNIT_CASE(io_check_clean),
	KUNIT_CASE(io_check_reads),
	KUNIT_CASE(io_check_reads_ones),
	KUNIT_CASE(io_check_writes),
	KUNIT_CASE(io_check_sticky),
	KUNIT_CASE(io_check_record),
	KUNIT_CASE(io_check_continue),
	KUNIT_CASE(io_check_nested),
	KUNIT_CASE(io_check_domain),
	KUNIT_CASE(io_check_other_domain),
	KUNIT_CASE(io_check_seq_wraps),
	{}
};

static struct kunit_suite io_check_suite = {
	.name = "io_check",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = io_check_cases,
};

kunit_test_suite(io_check_suite);

MODULE_LICENSE("GPL");
