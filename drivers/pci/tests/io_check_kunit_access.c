// SPDX-License-Identifier: GPL-2.0-or-later
/* What reaches a register, and what comes back */

#include <linux/io_check_port.h>
#include <linux/kprobes.h>
#include "io_check_kunit.h"

static void test_clean(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_ASSERT_EQ(test, io_check_end(&c), 0);
	KUNIT_EXPECT_NULL(test, io_check_error(&c));
}

#define CHECK_READ(name, want)						\
	KUNIT_EXPECT_EQ(test, (u64)name##_check(&c, k->regs), (u64)(want))

static void test_reads(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le64 *)k->mem = cpu_to_le64(0x1122334455667788ULL);
	io_check_begin(&c, k->pdev, 0);
	CHECK_READ(readb, 0x88);
	CHECK_READ(readw, 0x7788);
	CHECK_READ(readl, 0x55667788);
	CHECK_READ(readl_relaxed, 0x55667788);
	CHECK_READ(ioread8, 0x88);
	CHECK_READ(ioread16, 0x7788);
	CHECK_READ(ioread32, 0x55667788);
#ifdef CONFIG_64BIT
	CHECK_READ(readq, 0x1122334455667788ULL);
#endif
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* All-ones in a register that exists is data. */
static void test_reads_ones(struct kunit *test)
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

static void test_writes(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	CHECK_WRITE(writeb, u8);
	CHECK_WRITE(writew, u16);
	CHECK_WRITE(writel, u32);
	CHECK_WRITE(iowrite8, u8);
	CHECK_WRITE(iowrite16, u16);
	CHECK_WRITE(iowrite32, u32);
#ifdef CONFIG_64BIT
	CHECK_WRITE(writeq, u64);
#endif
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* A port's cookie is no address. */
static void test_cookie(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	KUNIT_EXPECT_FALSE(test, arch_io_check_cookie(k->regs));
#if defined(CONFIG_HAVE_ARCH_IO_CHECK) && \
	(defined(CONFIG_GENERIC_IOMAP) || defined(CONFIG_PARISC))
	KUNIT_EXPECT_TRUE(test, arch_io_check_cookie(ioport_map(0x80, 1)));
#endif
}

#ifndef CONFIG_HAVE_ARCH_IO_CHECK
/* The generic back end: a value becomes all-ones if its read failed. */
static void test_dead_value(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	unsigned long old = io_check_dead_value;
	struct io_check c;

	io_check_dead_value = 0;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	*(u32 *)(k->mem + SENTINEL) = 0;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readw_check(&c, k->regs), 0xffff);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->value, 0);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->size, 2);
	io_check_dead_value = ~0UL;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	io_check_dead_value = old;
	/* all-ones is asked about until a read gave something else */
	memset(k->mem, 0xff, 4);
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -ENXIO);
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	*(__le32 *)k->mem = cpu_to_le32(9);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 9);
	memset(k->mem, 0xff, 4);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}
#endif

/* riscv's accesses are in the exception table; no module sees the others' table */
#if defined(CONFIG_KPROBES) && defined(CONFIG_IO_CHECK_ARCH) && \
	!defined(CONFIG_RISCV) && !defined(MODULE)
#define HAVE_TEST_KPROBES

static int io_check_probe(struct kprobe *probe)
{
	int ret = register_kprobe(probe);

	if (!ret)
		unregister_kprobe(probe);
	return ret;
}

/* A probe executes a copy of its instruction, which no row of the table covers. */
static void test_kprobes(struct kunit *test)
{
	struct kprobe other = { .symbol_name = "pci_enable_device" };
	const struct io_check_stub *s;
	unsigned long ip;

	KUNIT_EXPECT_EQ(test, io_check_probe(&other), 0);
	for (s = __io_check_stubs; s < __io_check_stubs_end; s++)
		for (ip = io_check_address(&s->start); ip < io_check_address(&s->end);
		     ip += sizeof(u32)) {
			struct kprobe probe = { .addr = (kprobe_opcode_t *)ip };

			KUNIT_ASSERT_EQ(test, io_check_probe(&probe), -EINVAL);
		}
}
#endif

static struct kunit_case access_cases[] = {
	KUNIT_CASE(test_clean),
	KUNIT_CASE(test_reads),
	KUNIT_CASE(test_reads_ones),
	KUNIT_CASE(test_writes),
	KUNIT_CASE(test_cookie),
#ifndef CONFIG_HAVE_ARCH_IO_CHECK
	KUNIT_CASE(test_dead_value),
#endif
#ifdef HAVE_TEST_KPROBES
	KUNIT_CASE(test_kprobes),
#endif
	{}
};

static struct kunit_suite access_suite = {
	.name = "io_check_access",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = access_cases,
};

kunit_test_suite(access_suite);
