// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of io_check.  The registers are memory, mapped as a BAR is, which
 * the checked accessors reach as they reach a BAR; a fault is planted by leaving
 * what an architecture's landing pad leaves.  The devices are made by hand: two
 * below a bridge, and one below another host bridge, with a configuration space
 * in memory whose status bits are cleared by writing ones, as PCI's are.
 */

#include <kunit/test.h>
#include <linux/aer.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io_check_port.h>
#include <linux/io_check_recovery.h>
#include <linux/irq.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/vmalloc.h>
#include <asm/byteorder.h>
#include "../io_check.h"
#include "../io_check_query.h"
#include "../io_check_recovery.h"

static int race_rounds = 20000;
module_param(race_rounds, int, 0444);
MODULE_PARM_DESC(race_rounds, "sessions of each CPU in the race test");

static int ones_rounds = 1000;
module_param(ones_rounds, int, 0444);
MODULE_PARM_DESC(ones_rounds, "legal all-ones of each kind in the test of old status");

/* A function of the fake PCI: of its configuration space, what is used */
struct fake_fn {
	struct pci_dev pdev;
	bool absent;
	u16 command;
	atomic_t status;
	atomic_t sec_status;
	u16 stuck;		/* bits of sec_status that cannot be cleared */
	u16 devsta;
	u32 uncor;		/* AER's uncorrectable errors */
	u32 uncor_mask;
	u16 dpc;		/* DPC's status */
};

#define FAKE_EXP	0x40
#define FAKE_AER	0x100
#define FAKE_DPC	0x200

struct fake_bus {
	struct pci_bus bus;
	struct fake_fn *fn[2];	/* by device number */
};

struct io_check_kunit {
	struct fake_bus root, below, other;
	struct fake_fn bridge, dev, neighbour, foreign;
	struct pci_host_bridge *host;
	struct pci_dev *pdev;	/* of dev */
	struct io_check_dev *idev;
	void *group;		/* devres of the driver's time */
	void *mem;
	void __iomem *regs;
};

static struct fake_fn *fake_find(struct pci_bus *bus, unsigned int devfn)
{
	struct fake_bus *fake = container_of(bus, struct fake_bus, bus);
	struct fake_fn *fn;

	if (PCI_SLOT(devfn) >= ARRAY_SIZE(fake->fn))
		return NULL;
	fn = fake->fn[PCI_SLOT(devfn)];
	return fn && !fn->absent ? fn : NULL;
}

static int fake_read(struct pci_bus *bus, unsigned int devfn, int where,
		     int size, u32 *val)
{
	struct fake_fn *fn = fake_find(bus, devfn);

	*val = ~0;
	if (!fn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	switch (where) {
	case PCI_VENDOR_ID:
		*val = 0x00541000;
		break;
	case PCI_COMMAND:
		*val = fn->command;
		break;
	case PCI_STATUS:
		*val = atomic_read(&fn->status);
		break;
	case PCI_SEC_STATUS:
		*val = atomic_read(&fn->sec_status);
		break;
	case FAKE_EXP + PCI_EXP_DEVSTA:
		*val = fn->devsta;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_STATUS:
		*val = fn->uncor;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_MASK:
		*val = fn->uncor_mask;
		break;
	case FAKE_DPC + PCI_EXP_DPC_STATUS:
		*val = fn->dpc;
		break;
	default:
		*val = 0;
	}
	return PCIBIOS_SUCCESSFUL;
}

static int fake_write(struct pci_bus *bus, unsigned int devfn, int where,
		      int size, u32 val)
{
	struct fake_fn *fn = fake_find(bus, devfn);
	int i;

	if (!fn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	/* configuration cycles take their time; races get theirs */
	for (i = 0; i < 20; i++)
		cpu_relax();
	switch (where) {
	case PCI_COMMAND:
		fn->command = val;
		break;
	case PCI_STATUS:
		atomic_andnot(val, &fn->status);
		break;
	case PCI_SEC_STATUS:
		atomic_andnot(val & ~fn->stuck, &fn->sec_status);
		break;
	case FAKE_EXP + PCI_EXP_DEVSTA:
		fn->devsta &= ~val;
		break;
	case FAKE_AER + PCI_ERR_UNCOR_STATUS:
		fn->uncor &= ~val;
		break;
	}
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops fake_ops = {
	.read	= fake_read,
	.write	= fake_write,
};

static void fake_release(struct device *dev)
{
	/* the memory is the test's */
}

static int fake_add(struct fake_bus *bus, unsigned int slot,
		    struct fake_fn *fn, const char *name)
{
	struct pci_dev *pdev = &fn->pdev;

	bus->fn[slot] = fn;
	fn->command = PCI_COMMAND_MEMORY;
	pdev->bus = &bus->bus;
	pdev->devfn = PCI_DEVFN(slot, 0);
	pdev->error_state = pci_channel_io_normal;
	pdev->dev.release = fake_release;
	pdev->dev.init_name = name;
	return device_register(&pdev->dev);
}

static struct pci_driver fake_driver = {
	.name		= "io_check_kunit",
	.err_handler	= &io_check_error_handlers,
};

/* The registers: what they hold is the test's, but for this */
#define SENTINEL	0x10

static int fake_bind(struct io_check_kunit *k)
{
	int ret;

	k->pdev->driver = &fake_driver;
	k->group = devres_open_group(&k->pdev->dev, NULL, GFP_KERNEL);
	ret = pci_io_check_enable(k->pdev, k->regs + SENTINEL);
	devres_close_group(&k->pdev->dev, k->group);
	k->idev = io_check_dev_find(k->pdev);
	return ret;
}

static void fake_unbind(struct io_check_kunit *k)
{
	device_lock(&k->pdev->dev);
	devres_release_group(&k->pdev->dev, k->group);
	k->pdev->driver = NULL;
	device_unlock(&k->pdev->dev);
}

static int io_check_kunit_init(struct kunit *test)
{
	struct io_check_kunit *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	test->priv = k;
	k->mem = vzalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, k->mem);
	k->regs = (__force void __iomem *)k->mem;
	*(__le32 *)(k->mem + SENTINEL) = cpu_to_le32(9);
	k->root.bus.ops = &fake_ops;
	k->below.bus.ops = &fake_ops;
	k->below.bus.parent = &k->root.bus;
	k->below.bus.self = &k->bridge.pdev;
	k->other.bus.ops = &fake_ops;
	k->bridge.pdev.subordinate = &k->below.bus;
	/* its errors are the kernel's to clear */
	k->host = pci_alloc_host_bridge(0);
	KUNIT_ASSERT_NOT_NULL(test, k->host);
	k->root.bus.bridge = &k->host->dev;
	k->other.bus.bridge = &k->host->dev;
	k->pdev = &k->dev.pdev;
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->root, 0, &k->bridge, "fake_bridge"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->below, 0, &k->dev, "fake_dev"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->below, 1, &k->neighbour, "fake_neighbour"));
	KUNIT_ASSERT_EQ(test, 0, fake_add(&k->other, 0, &k->foreign, "fake_foreign"));
	KUNIT_ASSERT_EQ(test, 0, fake_bind(k));
	return 0;
}

static void io_check_kunit_exit(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	if (!k)
		return;
	if (k->pdev->driver)
		fake_unbind(k);
	device_unregister(&k->foreign.pdev.dev);
	device_unregister(&k->neighbour.pdev.dev);
	device_unregister(&k->dev.pdev.dev);
	device_unregister(&k->bridge.pdev.dev);
	pci_free_host_bridge(k->host);
	vfree(k->mem);
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

static void test_sticky(struct kunit *test)
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

static void test_record(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, err->seq,
			(u32)atomic_read(&io_check_seq) / IO_CHECK_SEQ_ONE);
	KUNIT_EXPECT_EQ(test, err->error, -EIO);
	KUNIT_EXPECT_TRUE(test, cpu_online(err->cpu));
	KUNIT_EXPECT_EQ(test, err->cause, IO_CHECK_ABORT);
	KUNIT_EXPECT_FALSE(test, err->shared);
}

static void test_continue(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0, 16);
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	plant_fault(&c, k->regs);
	/* later accesses reach the bus, and their errors are counted */
	writel_check(&c, ~0U, k->regs);
	KUNIT_EXPECT_EQ(test, *(u32 *)k->mem, ~0U);
	writew_check(&c, 0x5555, k->regs);
	KUNIT_EXPECT_EQ(test, *(u16 *)k->mem, 0x5555);
	writeb_check(&c, 0xaa, k->regs);
	KUNIT_EXPECT_EQ(test, *(u8 *)k->mem, 0xaa);
	plant_fault(&c, k->regs + 8);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs + 8), 0);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->count, 2);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->addr == k->regs);
}

static void test_nested(struct kunit *test)
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

static void test_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(k->pdev);
	KUNIT_EXPECT_TRUE(test, io_check_failed(&c));
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_SHARED);

	/* not an error of the next session */
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/* A session that stays open has what happened between two of its verdicts. */
static void test_resume(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	io_check_begin(&c, k->pdev, 0);
	for (i = 0; i < 3; i++) {
		io_check_resume(&c);
		KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
		KUNIT_EXPECT_TRUE(test, io_check_clean(&c));
	}
	io_check_domain_error(k->pdev);
	KUNIT_EXPECT_FALSE(test, io_check_clean(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_TRUE(test, io_check_clean(&c));
	plant_fault(&c, k->regs);
	KUNIT_EXPECT_FALSE(test, io_check_clean(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* An error below another host bridge is none of ours, nor is a neighbour's own. */
static void test_other_domain(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->foreign.pdev);
	io_check_domain_error(&k->neighbour.pdev);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	io_check_begin(&c, k->pdev, 0);
	atomic_add(IO_CHECK_SEQ_ONE, &io_check_seq);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
}

/*
 * Let so many errors happen elsewhere that the count is a sixteenth of its range further,
 * where stamps are refreshed, or one before that.
 */
#define SEQ_PERIOD	((u32)BIT(28))

static void seq_step(struct io_check_kunit *k, bool before)
{
	u32 next = (atomic_read(&io_check_seq) & -SEQ_PERIOD) + SEQ_PERIOD;

	atomic_set(&io_check_seq, next - 2 * IO_CHECK_SEQ_ONE);
	io_check_domain_error(&k->foreign.pdev);
	if (!before)
		io_check_domain_error(&k->foreign.pdev);
}

/* An error at each place where the count is special is found. */
static void test_seq_wraps(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 0; i < 16; i++) {
		seq_step(k, true);
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
}

/*
 * A domain without an error, while those of others take the count round: none is
 * reported there, and the first one is found, however long it took.
 */
static void test_seq_idle(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i, idle;

	for (idle = 1; idle < 36; idle++) {
		for (i = 0; i < idle; i++) {
			io_check_begin(&c, k->pdev, 0);
			seq_step(k, false);
			KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
		}
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(k->pdev);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	}
	/* a session that is older than what a comparison tells apart is in doubt */
	io_check_begin(&c, k->pdev, 0);
	for (i = 0; i < 9; i++)
		seq_step(k, false);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

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

static void test_ones_ok(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	memset(k->mem, 0xff, 4);
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_FALSE(test, io_check_failed(&c));
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* a fault is a fault */
	io_check_begin(&c, k->pdev, IO_CHECK_ONES_OK);
	plant_fault(&c, k->regs);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* A shared error is the device's own if its sentinel does not answer. */
static void test_sentinel(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	static const u32 dead[] = { 0, ~0 };
	struct io_check c;
	int i;

	for (i = 0; i < ARRAY_SIZE(dead); i++) {
		*(u32 *)(k->mem + SENTINEL) = dead[i];
		io_check_begin(&c, k->pdev, 0);
		io_check_domain_error(&k->bridge.pdev);
		KUNIT_ASSERT_EQ(test, io_check_end(&c), -ENXIO);
		KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
		KUNIT_EXPECT_TRUE(test, io_check_error(&c)->addr ==
					k->regs + SENTINEL);
		KUNIT_EXPECT_EQ(test, io_check_error(&c)->size, 4);
	}
	*(u32 *)(k->mem + SENTINEL) = 9;
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
}

/* What an error that somebody else took leaves in doubt, by its kind */
static void test_doubt(struct kunit *test)
{
	static const struct {
		u16 bit;	/* in the bridge above */
		u32 flags;
		bool asks;	/* about an all-ones value */
		int error;
	} rows[] = {
		{ PCI_STATUS_REC_MASTER_ABORT, 0, false, -EIO },
		{ PCI_STATUS_REC_TARGET_ABORT, 0, false, -EIO },
		{ PCI_STATUS_REC_MASTER_ABORT, IO_CHECK_READS, false, 0 },
		{ PCI_STATUS_REC_TARGET_ABORT, IO_CHECK_READS, false, 0 },
		{ PCI_STATUS_REC_MASTER_ABORT, IO_CHECK_READS, true, -EIO },
		{ PCI_STATUS_PARITY, IO_CHECK_READS, false, -EIO },
		{ PCI_STATUS_DETECTED_PARITY, IO_CHECK_READS, false, -EIO },
		{ PCI_STATUS_SIG_SYSTEM_ERROR, IO_CHECK_READS, false, -EIO },
	};
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		io_check_begin(&c, k->pdev, rows[i].flags);
		atomic_set(&k->bridge.sec_status, rows[i].bit);
		KUNIT_EXPECT_EQ(test, io_check_clear_status(&k->bridge.pdev,
							    PCI_SEC_STATUS, 0xffff),
				rows[i].bit);
		if (rows[i].asks)
			KUNIT_EXPECT_EQ(test, io_check_query(&c, k->regs, ~0ULL),
					IO_CHECK_NONE);
		KUNIT_EXPECT_EQ(test, io_check_failed(&c), rows[i].error != 0);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), rows[i].error);
		if (rows[i].error) {
			KUNIT_EXPECT_TRUE(test, io_check_error(&c)->shared);
			KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_SHARED);
		}
	}
	/* the device's own status comes first */
	io_check_begin(&c, k->pdev, IO_CHECK_READS);
	io_check_domain_error(&k->bridge.pdev);
	atomic_set(&k->dev.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_ASSERT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_error(&c)->cause, IO_CHECK_ABORT);
	KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
}

/* A neighbour that fails without end does not fail the resets of a device. */
static void test_doubt_in_reset(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	k->idev->target.recovers = true;
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* its own errors do */
	io_check_begin(&c, k->pdev, 0);
	io_check_domain_error(&k->bridge.pdev);
	atomic_set(&k->dev.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	k->idev->target.recovers = false;
}

/* A neighbour's query takes what a port has latched, and the device's error with it. */
static void test_taken(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	io_check_begin(&c, k->pdev, IO_CHECK_READS);
	io_check_begin(&d, &k->neighbour.pdev, IO_CHECK_READS);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_query(&d, k->regs, ~0ULL), IO_CHECK_NO_RESPONSE);
	KUNIT_EXPECT_EQ(test, io_check_query(&c, k->regs, ~0ULL), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
}

/* An access that faulted leaves nothing behind that another device's read would take. */
static void test_forgotten(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	io_check_begin(&c, k->pdev, 0);
	plant_fault(&c, k->regs);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_FALSE(test, io_check_error(&c)->shared);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->bridge.sec_status), 0);
	io_check_begin(&d, &k->neighbour.pdev, 0);
	KUNIT_EXPECT_EQ(test, io_check_query(&d, k->regs, ~0ULL), IO_CHECK_NONE);
	KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
}

/* Who is asked about a value that may be of a failed read, and what it says */
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
		if (noted)
			KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_TIMEOUT);
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
		fake_unbind(k);
		k->host->native_aer = native;
		atomic_set(&k->dev.status, PCI_STATUS_ERROR_BITS);
		atomic_set(&k->bridge.sec_status, PCI_STATUS_ERROR_BITS);
		k->bridge.stuck = PCI_STATUS_REC_TARGET_ABORT;
		k->dev.devsta = PCI_EXP_DEVSTA_URD;
		k->bridge.uncor = PCI_ERR_UNC_UNSUP | PCI_ERR_UNC_COMP_ABORT;
		KUNIT_ASSERT_EQ(test, fake_bind(k), 0);
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
	fake_unbind(k);
	k->pdev->is_virtfn = 1;
	k->pdev->physfn = &k->neighbour.pdev;
	KUNIT_ASSERT_EQ(test, fake_bind(k), 0);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NONE);
	/* part of its status is the physical function's to show */
	atomic_set(&k->neighbour.status, PCI_STATUS_SIG_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_ABORT);
	atomic_set(&k->bridge.sec_status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, QUERY(~0ULL), IO_CHECK_NO_RESPONSE);
	fake_unbind(k);
	k->pdev->is_virtfn = 0;
	k->pdev->physfn = NULL;
	KUNIT_ASSERT_EQ(test, fake_bind(k), 0);
#endif
	k->dev.command = PCI_COMMAND_MEMORY;
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

/* A session of a device that is isolated, or was removed, fails at once. */
static void test_channel(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	k->pdev->error_state = pci_channel_io_frozen;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EAGAIN);
	/* who asked before is not asked again */
	io_check_begin(&c, k->pdev, IO_CHECK_GATED);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	/* clean-up reaches it */
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), 0x11223344);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	k->pdev->error_state = pci_channel_io_perm_failure;
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -ENODEV);
	/* nothing does */
	io_check_begin(&c, k->pdev, IO_CHECK_CONTINUE);
	KUNIT_EXPECT_EQ(test, readl_check(&c, k->regs), ~0U);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -ENODEV);
	k->pdev->error_state = pci_channel_io_normal;
}

static void test_once(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	u32 val;

	*(__le32 *)k->mem = cpu_to_le32(0x11223344);
	KUNIT_EXPECT_EQ(test, readl_check_once(k->pdev, k->regs, &val), 0);
	KUNIT_EXPECT_EQ(test, val, 0x11223344);
	memset(k->mem, 0xff, 4);
	KUNIT_EXPECT_EQ(test, readl_check_once(k->pdev, k->regs, &val), 0);
	KUNIT_EXPECT_EQ(test, val, ~0U);
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, readl_check_once(k->pdev, k->regs, &val), -ENODEV);
	k->dev.absent = false;
}

static void test_dma(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c, d;

	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev), 0);
	atomic_set(&k->dev.status, PCI_STATUS_PARITY);
	io_check_begin(&c, k->pdev, 0);
	io_check_begin(&d, &k->neighbour.pdev, 0);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev), -EBADMSG);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
	KUNIT_EXPECT_EQ(test, io_check_end(&d), 0);
	KUNIT_EXPECT_EQ(test, k->idev->log.errors[IO_CHECK_PARITY], 1);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev), 0);
	atomic_set(&k->dev.status, PCI_STATUS_REC_MASTER_ABORT);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev), -ENXIO);
	atomic_set(&k->dev.status, PCI_STATUS_REC_TARGET_ABORT);
	KUNIT_EXPECT_EQ(test, pci_io_check_dma(k->pdev), -EIO);
}

static void test_counts(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check c;
	int i;

	for (i = 1; i <= 3; i++) {
		io_check_begin(&c, k->pdev, 0);
		plant_fault(&c, k->regs + 4 * i);
		KUNIT_EXPECT_EQ(test, io_check_end(&c), -EIO);
		KUNIT_EXPECT_EQ(test, k->idev->log.errors[IO_CHECK_ABORT], i);
		KUNIT_EXPECT_TRUE(test, k->idev->log.last.addr == k->regs + 4 * i);
	}
}

static void test_enable_twice(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	KUNIT_EXPECT_EQ(test, pci_io_check_enable(k->pdev, NULL), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, io_check_dev_find(k->pdev), k->idev);
	fake_unbind(k);
	KUNIT_EXPECT_NULL(test, io_check_dev_find(k->pdev));
	KUNIT_EXPECT_EQ(test, fake_bind(k), 0);
}

/* A driver's recovery, whose resets fail or not */
struct fake_recovery {
	struct io_check_recovery r;
	int error;
	int resets;
	int offline;
};

static bool fake_answers(struct io_check_recovery *r)
{
	return true;
}

static int fake_reset(struct io_check_recovery *r)
{
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	WRITE_ONCE(f->resets, f->resets + 1);
	return READ_ONCE(f->error);
}

static void fake_offline(struct io_check_recovery *r)
{
	container_of(r, struct fake_recovery, r)->offline++;
}

static const struct io_check_recovery_ops fake_recovery_ops = {
	.answers = fake_answers,
	.reset = fake_reset,
	.offline = fake_offline,
};

static struct io_check_recovery *fake_recovery(struct kunit *test, int error)
{
	struct io_check_kunit *k = test->priv;
	struct fake_recovery *f;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->error = error;
	KUNIT_ASSERT_EQ(test, io_check_recovery_init(&f->r, k->pdev,
						     &fake_recovery_ops), 0);
	KUNIT_ASSERT_EQ(test, io_check_recovery_arm(&f->r), 0);
	return &f->r;
}

/* A device that reads as zeros has not answered when its commands time out. */
static void test_timed_out(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);

	KUNIT_EXPECT_FALSE(test, io_check_timed_out(r));
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_EQ(test, k->idev->log.last.cause, IO_CHECK_NO_RESPONSE);
	/* not reset before it answers */
	msleep(300);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_EQ(test, io_check_wait(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_timed_out(r));
	io_check_recovery_exit(r);
}

/* @r's recovery began @seconds ago, and the device answers @answer from now on. */
static void began(struct kunit *test, struct io_check_recovery *r, int seconds, u32 answer)
{
	struct io_check_kunit *k = test->priv;

	/* a look that is under way would judge the old answer by the new time */
	cancel_delayed_work_sync(&r->work);
	*(u32 *)(k->mem + SENTINEL) = answer;
	r->since -= seconds * HZ;
	r->heard = r->since;
	r->reachable = r->since;
	queue_delayed_work(r->wq, &r->work, 0);
}

static struct io_check_recovery *long_recovery(struct kunit *test, int seconds,
					       u32 answer)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, -EIO);

	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	began(test, r, seconds, answer);
	return r;
}

/* Wait for the end of a recovery, on a machine that may be slow. */
static int recovery_ends(struct io_check_recovery *r)
{
	if (!wait_event_timeout(r->wait, !io_check_recovering(r), 30 * HZ))
		return -ETIMEDOUT;
	return io_check_dead(r) ? -ENODEV : 0;
}

static bool recovery_goes_on(struct io_check_recovery *r)
{
	return !wait_event_timeout(r->wait, !io_check_recovering(r), 2 * HZ);
}

static void test_no_answer(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 21, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_EQ(test, recovery_ends(r), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
	io_check_recovery_exit(r);
}

/* A device that is removed in its recovery is not waited for. */
static void test_removed_in_recovery(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = long_recovery(test, 0, 0);

	msleep(300);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	k->dev.absent = true;
	KUNIT_EXPECT_EQ(test, recovery_ends(r), -ENODEV);
	k->dev.absent = false;
	io_check_recovery_exit(r);
}

/* Nor one that hotplug has marked, which need not be asked. */
static void test_disconnected_in_recovery(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = long_recovery(test, 0, 0);

	k->pdev->error_state = pci_channel_io_perm_failure;
	KUNIT_EXPECT_EQ(test, recovery_ends(r), -ENODEV);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* One that answers is not silent, even where its reset fails. */
static void test_answers_between(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 40, 9);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	KUNIT_EXPECT_GT(test, READ_ONCE(f->resets), 1);
	WRITE_ONCE(f->error, 0);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	io_check_recovery_exit(r);
}

/* But it is not reset for ever. */
static void test_resets_fail(struct kunit *test)
{
	struct io_check_recovery *r = long_recovery(test, 61, 9);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_EQ(test, recovery_ends(r), -ENODEV);
	KUNIT_EXPECT_GT(test, f->resets, 0);
	io_check_recovery_exit(r);
}

/* What was told of a frozen channel late, when it works again, holds up nothing. */
static void test_late_frozen(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .error = -EAGAIN, .bar = -1 };

	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -EAGAIN);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	/* but as long as it is frozen nobody touches it, until its slot was reset */
	k->pdev->error_state = pci_channel_io_frozen;
	io_check_recovery_error(r, &err);
	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	WRITE_ONCE(k->idev->target.thawed, true);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* A slot's reset takes as long as the platform lets it. */
static void test_frozen_for_long(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .error = -EAGAIN, .bar = -1 };

	k->pdev->error_state = pci_channel_io_frozen;
	io_check_recovery_error(r, &err);
	began(test, r, 100, 9);
	KUNIT_EXPECT_TRUE(test, recovery_goes_on(r));
	WRITE_ONCE(k->idev->target.thawed, true);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	k->pdev->error_state = pci_channel_io_normal;
	io_check_recovery_exit(r);
}

/* As if the work had given the device up while error_detected() began */
static void dies_meanwhile(struct io_check_recovery *r)
{
	set_bit(IO_CHECK_R_DEAD, &r->flags);
}

static void test_removed_and_given_up(struct kunit *test)
{
	static const struct io_check_recovery_ops ops = {
		.quiesce = dies_meanwhile,
		.answers = fake_answers,
		.reset = fake_reset,
		.offline = fake_offline,
	};
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	pci_ers_result_t res;

	r->ops = &ops;
	res = io_check_error_handlers.error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_TRUE(test, res == PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), -ENODEV);
	/* nor is it reset by work that was queued meanwhile */
	queue_delayed_work(r->wq, &r->work, 0);
	flush_delayed_work(&r->work);
	KUNIT_EXPECT_EQ(test, container_of(r, struct fake_recovery, r)->resets, 0);
	io_check_recovery_exit(r);
}

/* A device that is removed while it is offline stays removed. */
static void test_removed_offline(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;

	io_check_offline(k->pdev);
	KUNIT_EXPECT_TRUE(test, k->pdev->error_state == pci_channel_io_normal);
	k->pdev->error_state = pci_channel_io_perm_failure;
	fake_unbind(k);
	KUNIT_EXPECT_TRUE(test, k->pdev->error_state == pci_channel_io_perm_failure);
	k->pdev->error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, fake_bind(k), 0);
}

static irqreturn_t nobodys(int irq, void *data)
{
	return IRQ_NONE;
}

/* A line that is shared is given back, whatever runs after the recovery's end. */
static void test_line_given_back(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	int irq = irq_alloc_desc(NUMA_NO_NODE);

	KUNIT_ASSERT_GT(test, irq, 0);
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	KUNIT_EXPECT_EQ(test, request_irq(irq, nobodys, IRQF_SHARED, "io_check", k), 0);
	k->pdev->irq = irq;
	k->pdev->broken_intx_masking = 1;
	io_check_mask_irq(r);
	KUNIT_EXPECT_TRUE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	io_check_recovery_exit(r);
	KUNIT_EXPECT_FALSE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	/* the handler, on another CPU: it has nothing to say any more */
	KUNIT_EXPECT_FALSE(test, io_check_mask_irq(r));
	KUNIT_EXPECT_FALSE(test, irqd_irq_disabled(irq_get_irq_data(irq)));
	free_irq(irq, k);
	irq_free_desc(irq);
	k->pdev->irq = 0;
	k->pdev->broken_intx_masking = 0;
}

/* What sysfs says of it */
static void test_state(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);

	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OK);
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_RECOVERING);
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OK);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 1);
	io_check_recovery_exit(r);
}

/* Fail an access, and wait for the end of what that begins. */
static int fails(struct io_check_recovery *r, bool shared)
{
	struct io_check_err err = {
		.cause = shared ? IO_CHECK_SHARED : IO_CHECK_NO_RESPONSE,
		.error = shared ? -EIO : -ENXIO,
		.shared = shared,
		.bar = -1,
	};
	int ret;

	if (io_check_recovery_error(r, &err) != err.error)
		return -EINVAL;
	ret = recovery_ends(r);
	/* a failure that the end of the work finds has no record */
	flush_delayed_work(&r->work);
	return ret;
}

/* There is one recovery, whoever tells of the error, and one reset if two do. */
static void test_handlers(struct kunit *test)
{
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	/* AER, of an error that is not fatal */
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 1);
	/* one that is isolated is left alone until its slot was reset */
	k->pdev->error_state = pci_channel_io_frozen;
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_frozen) ==
			  PCI_ERS_RESULT_NEED_RESET);
	msleep(300);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_TRUE(test, h->slot_reset(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	k->pdev->error_state = pci_channel_io_normal;
	KUNIT_EXPECT_EQ(test, f->resets, 2);
	/* an access fails of what AER tells of, too */
	*(u32 *)(k->mem + SENTINEL) = 0;
	KUNIT_EXPECT_TRUE(test, io_check_timed_out(r));
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	*(u32 *)(k->mem + SENTINEL) = 9;
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	KUNIT_EXPECT_EQ(test, f->offline, 0);
	/* the last one: no more of it */
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_perm_failure) ==
			  PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_DISCONNECT);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	io_check_recovery_exit(r);
}

/* What follows a recovery holds up no further one, and follows that as well. */
static DECLARE_COMPLETION(resume_may_end);
static int resumes;

static void slow_resume(struct io_check_recovery *r)
{
	WRITE_ONCE(resumes, resumes + 1);
	wait_for_completion_timeout(&resume_may_end, 10 * HZ);
}

static void test_slow_resume(struct kunit *test)
{
	static const struct io_check_recovery_ops ops = {
		.answers = fake_answers,
		.reset = fake_reset,
		.resume = slow_resume,
		.offline = fake_offline,
	};
	struct io_check_recovery *r = fake_recovery(test, 0);
	int i;

	r->ops = &ops;
	resumes = 0;
	reinit_completion(&resume_may_end);
	KUNIT_EXPECT_EQ(test, fails(r, false), 0);
	for (i = 0; i < 100 && !READ_ONCE(resumes); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	KUNIT_EXPECT_EQ(test, fails(r, false), 0);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	complete_all(&resume_may_end);
	flush_work(&r->resume);
	KUNIT_EXPECT_EQ(test, resumes, 2);
	io_check_recovery_exit(r);
}

static void late_resume(struct io_check_recovery *r)
{
	msleep(100);
	WRITE_ONCE(resumes, resumes + 1);
}

/* A suspend waits for the recovery and what follows it; a failure later is resume's. */
static void test_suspend(struct kunit *test)
{
	static const struct io_check_recovery_ops ops = {
		.answers = fake_answers,
		.reset = fake_reset,
		.resume = late_resume,
		.offline = fake_offline,
	};
	const struct pci_error_handlers *h = &io_check_error_handlers;
	struct io_check_kunit *k = test->priv;
	struct io_check_err err = { .cause = IO_CHECK_NO_RESPONSE, .error = -ENXIO, .bar = -1 };
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	r->ops = &ops;
	resumes = 0;
	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -ENXIO);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, resumes, 1);
	/* nothing failed: nothing is reset, but a slot may be later */
	k->pdev->state_saved = false;
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_TRUE(test, k->pdev->state_saved);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_EQ(test, io_check_recovery_error(r, &err), -ENXIO);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_TRUE(test, io_check_recovering(r));
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 2);
	/* the driver could not bring it up, for whatever reason */
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	io_check_recovery_rearm(r, true);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 3);
	/* what AER says of one that is suspended is not its end */
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_TRUE(test, h->error_detected(k->pdev, pci_channel_io_normal) ==
			  PCI_ERS_RESULT_CAN_RECOVER);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	KUNIT_EXPECT_TRUE(test, h->mmio_enabled(k->pdev) == PCI_ERS_RESULT_RECOVERED);
	io_check_recovery_rearm(r, false);
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 4);
	/* one that is offline stays so */
	h->error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), -ENODEV);
	io_check_recovery_rearm(r, true);
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_exit(r);
}

/* Who resets a whole chip begins the recovery of its other function. */
static void test_join(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	KUNIT_EXPECT_TRUE(test, io_check_recovery_join(r));
	/* the gate is shut; its registers are the reset's */
	KUNIT_EXPECT_TRUE(test, f->resets || io_check_closed(r));
	KUNIT_EXPECT_FALSE(test, io_check_has_failed(r));
	KUNIT_EXPECT_EQ(test, recovery_ends(r), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 1);
	KUNIT_EXPECT_EQ(test, io_check_recovery_disarm(r), 0);
	KUNIT_EXPECT_FALSE(test, io_check_recovery_join(r));
	KUNIT_EXPECT_FALSE(test, io_check_recovering(r));
	io_check_recovery_rearm(r, false);
	io_check_error_handlers.error_detected(k->pdev, pci_channel_io_perm_failure);
	KUNIT_EXPECT_FALSE(test, io_check_recovery_join(r));
	io_check_recovery_exit(r);
}

/* A device that was removed before anybody saw it fail */
static void test_removed(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);

	k->dev.absent = true;
	*(u32 *)(k->mem + SENTINEL) = ~0;
	KUNIT_EXPECT_EQ(test, fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->resets, 0);
	k->dev.absent = false;
	io_check_recovery_exit(r);
}

/* What the platform isolated is the platform's to recover, and to count. */
static void test_native(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_err err = { .cause = IO_CHECK_FROZEN, .bar = -1 };

	k->idev->limit = 0;
	KUNIT_EXPECT_FALSE(test, io_check_report(k->pdev, &err));
	KUNIT_EXPECT_EQ(test, k->idev->failures, 0);
}

static void test_limit(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	struct fake_recovery *f = container_of(r, struct fake_recovery, r);
	struct io_check c;
	int i;

	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, fails(r, false), 0);
	/* an hour later it starts afresh */
	k->idev->since -= 3600;
	for (i = 1; i <= 5; i++)
		KUNIT_EXPECT_EQ(test, fails(r, false), 0);
	KUNIT_EXPECT_EQ(test, f->resets, 10);
	KUNIT_EXPECT_EQ(test, f->offline, 0);
	KUNIT_EXPECT_EQ(test, fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	/* it stays there */
	KUNIT_EXPECT_EQ(test, fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->resets, 10);
	KUNIT_EXPECT_EQ(test, f->offline, 1);
	/* until its driver is bound again */
	io_check_recovery_exit(r);
	fake_unbind(k);
	KUNIT_EXPECT_EQ(test, fake_bind(k), 0);
	io_check_begin(&c, k->pdev, 0);
	KUNIT_EXPECT_EQ(test, io_check_end(&c), 0);
	r = fake_recovery(test, 0);
	KUNIT_EXPECT_EQ(test, fails(r, false), 0);
	io_check_recovery_exit(r);
}

/*
 * What may be a neighbour's does not count, however often it happens: resets for it
 * become rare.
 */
static void test_not_its_own(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);
	unsigned int ms, last = 0;
	int i;

	k->idev->limit = 0;
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, fails(r, true), 0);
	KUNIT_EXPECT_EQ(test, k->idev->failures, 0);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 5);
	for (; i < 20; i++) {
		ms = io_check_backoff(k->pdev);
		KUNIT_EXPECT_TRUE(test, ms > last || ms == 10000);
		last = ms;
	}
	k->idev->since -= 3600;
	KUNIT_EXPECT_EQ(test, io_check_backoff(k->pdev), 0);
	/* its own does */
	KUNIT_EXPECT_EQ(test, fails(r, false), -ENODEV);
	io_check_recovery_exit(r);
}

static void test_offline_on_error(struct kunit *test)
{
	struct io_check_kunit *k = test->priv;
	struct io_check_recovery *r = fake_recovery(test, 0);

	k->idev->offline_on_error = true;
	KUNIT_EXPECT_EQ(test, fails(r, false), -ENODEV);
	KUNIT_EXPECT_EQ(test, io_check_dev_state(k->idev), IO_CHECK_OFFLINE);
	KUNIT_EXPECT_EQ(test, k->idev->resets, 0);
	io_check_recovery_exit(r);
}

#ifdef CONFIG_IO_CHECK_FAULT_INJECTION
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

#endif /* CONFIG_IO_CHECK_FAULT_INJECTION */

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

static struct kunit_case io_check_cases[] = {
	KUNIT_CASE(test_clean),
	KUNIT_CASE(test_reads),
	KUNIT_CASE(test_reads_ones),
	KUNIT_CASE(test_writes),
	KUNIT_CASE(test_sticky),
	KUNIT_CASE(test_record),
	KUNIT_CASE(test_continue),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_domain),
	KUNIT_CASE(test_resume),
	KUNIT_CASE(test_other_domain),
	KUNIT_CASE(test_seq_wraps),
	KUNIT_CASE(test_seq_idle),
	KUNIT_CASE(test_harvest),
	KUNIT_CASE(test_harvest_old),
	KUNIT_CASE(test_harvest_tells),
	KUNIT_CASE(test_third_party),
	KUNIT_CASE(test_ones_ok),
	KUNIT_CASE(test_sentinel),
	KUNIT_CASE(test_doubt),
	KUNIT_CASE(test_doubt_in_reset),
	KUNIT_CASE(test_taken),
#ifdef CONFIG_PCIEAER
	KUNIT_CASE(test_aer_clears),
#endif
	KUNIT_CASE(test_forgotten),
	KUNIT_CASE(test_query),
	KUNIT_CASE(test_query_pcie),
	KUNIT_CASE(test_old_status),
	KUNIT_CASE(test_query_decodes),
	KUNIT_CASE(test_cookie),
	KUNIT_CASE(test_query_in_reset),
#ifndef CONFIG_HAVE_ARCH_IO_CHECK
	KUNIT_CASE(test_dead_value),
#endif
	KUNIT_CASE(test_channel),
	KUNIT_CASE(test_once),
	KUNIT_CASE(test_dma),
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_enable_twice),
	KUNIT_CASE(test_timed_out),
	KUNIT_CASE(test_no_answer),
	KUNIT_CASE(test_removed_in_recovery),
	KUNIT_CASE(test_disconnected_in_recovery),
	KUNIT_CASE(test_answers_between),
	KUNIT_CASE(test_resets_fail),
	KUNIT_CASE(test_late_frozen),
	KUNIT_CASE(test_frozen_for_long),
	KUNIT_CASE(test_removed_and_given_up),
	KUNIT_CASE(test_removed_offline),
	KUNIT_CASE(test_line_given_back),
	KUNIT_CASE(test_state),
	KUNIT_CASE(test_handlers),
	KUNIT_CASE(test_slow_resume),
	KUNIT_CASE(test_suspend),
	KUNIT_CASE(test_join),
	KUNIT_CASE(test_removed),
	KUNIT_CASE(test_native),
	KUNIT_CASE(test_limit),
	KUNIT_CASE(test_not_its_own),
	KUNIT_CASE(test_offline_on_error),
#ifdef CONFIG_IO_CHECK_FAULT_INJECTION
	KUNIT_CASE(test_inject_kinds),
	KUNIT_CASE(test_inject_flip),
	KUNIT_CASE(test_inject_modes),
	KUNIT_CASE(test_inject_filters),
	KUNIT_CASE(test_inject_nth),
#endif
	KUNIT_CASE(test_race),
	{}
};

static struct kunit_suite io_check_suite = {
	.name = "io_check",
	.init = io_check_kunit_init,
	.exit = io_check_kunit_exit,
	.test_cases = io_check_cases,
};

kunit_test_suite(io_check_suite);

MODULE_IMPORT_NS(IO_CHECK_KUNIT);
MODULE_LICENSE("GPL");
