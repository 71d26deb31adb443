// SPDX-License-Identifier: GPL-2.0
/*
 * el2 - bus errors as SErrors: an EL2 of the bench's own below this kernel
 *
 * QEMU's bus fails an access by a synchronous abort; many boards report the same by an
 * SError.  On "virt,virtualization=on" and a CPU without VHE the kernel runs at EL1 and
 * leaves a stub at EL2.  This takes EL2 over, leaves a hole in stage 2 where a device's
 * registers are, performs the accesses that fault there, and raises a virtual SError for
 * what the bus has failed: a real bus error, delivered as SError by this EL2.  Failed
 * stores get lost, as on a bus that posts them.
 *
 *	insmod el2.ko hole=ADDRESS,SIZE[,ADDRESS,SIZE]
 *
 * Physical addresses, all of one GiB.  /sys/kernel/debug/el2 has struct el2_knobs, to be
 * changed, and struct el2_cpu's counters, summed.
 *
 * For QEMU, which has no caches: code and tables are not cleaned to memory.  There is no
 * way back: it is not removed.
 */

#define pr_fmt(fmt) "el2: " fmt

#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#include "el2.h"

/* Stage 2 descriptors (DDI 0487, D8.3) */
#define S2_BLOCK	(BIT(10) /* AF */ | 3 << 8 /* SH */ | 3 << 6 /* RW */ |	\
			 0xf << 2 /* write-back */ | 1)
#define S2_TABLE	3
/* 40 bits from level 1, two tables of it; inner shareable, write-back; PA 40 bits */
#define S2_T0SZ		24
#define S2_ENTRIES	1024
#define S2_CONTROL	(BIT(31) | 2 << 16 | 3 << 12 | 1 << 10 | 1 << 8 | 1 << 6 | S2_T0SZ)
/* HCR_EL2: stage 2, and virtual SErrors */
#define EL2_HCR		(BIT(0) | BIT(5))

static ulong hole[4];
static int holes;
module_param_array(hole, ulong, &holes, 0);

static struct el2_knobs *knobs;
static struct el2_cpu *cpus;
static u64 *level1, *level2;
static void *shim;

static u64 hvc(u64 function, u64 a, u64 b, u64 c, u64 d)
{
	register u64 x0 asm("x0") = function;
	register u64 x1 asm("x1") = a;
	register u64 x2 asm("x2") = b;
	register u64 x3 asm("x3") = c;
	register u64 x4 asm("x4") = d;

	asm volatile("hvc #0" : "+r" (x0), "+r" (x1), "+r" (x2), "+r" (x3), "+r" (x4)
		     : : "memory", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
		       "x13", "x14", "x15", "x16", "x17");
	return x0;
}

static void take_over(void *unused)
{
	struct el2_cpu *cpu = &cpus[smp_processor_id()];

	cpu->knobs = virt_to_phys(knobs);
	cpu->ras = !!(read_sysreg(id_aa64pfr0_el1) >> ID_AA64PFR0_EL1_RAS_SHIFT & 0xf);
	hvc(EL2_HVC_VECTORS, virt_to_phys(shim), 0, 0, 0);
	hvc(EL2_HVC_SETUP, virt_to_phys(cpu), virt_to_phys(level1), S2_CONTROL, EL2_HCR);
}

/* The identity, but for the holes, whose GiB is in blocks of 2 MiB. */
static int make_tables(void)
{
	unsigned long i, from, to, giga = hole[0] / SZ_1G;

	if (giga >= S2_ENTRIES)
		return -ERANGE;
	for (i = 0; i < S2_ENTRIES; i++)
		level1[i] = i * SZ_1G | S2_BLOCK;
	for (i = 0; i < 512; i++)
		level2[i] = (giga * SZ_1G + i * SZ_2M) | S2_BLOCK;
	level1[giga] = virt_to_phys(level2) | S2_TABLE;
	for (i = 0; i < holes; i += 2) {
		from = hole[i] / SZ_2M;
		to = (hole[i] + hole[i + 1] - 1) / SZ_2M;
		if (from / 512 != giga || to / 512 != giga)
			return -ERANGE;
		for (; from <= to; from++)
			level2[from % 512] = 0;
	}
	return 0;
}

static u64 sum(size_t offset)
{
	u64 n = 0;
	int cpu;

	for_each_online_cpu(cpu)
		n += *(u64 *)((char *)&cpus[cpu] + offset);
	return n;
}

static int counter_get(void *offset, u64 *val)
{
	*val = sum((size_t)offset);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(counter, counter_get, NULL, "%llu\n");

static void make_files(void)
{
	struct dentry *dir = debugfs_create_dir("el2", NULL);

	debugfs_create_x64("syndrome", 0600, dir, &knobs->syndrome);
	debugfs_create_u64("delay", 0600, dir, &knobs->delay);
	debugfs_create_u64("stores", 0600, dir, &knobs->stores);
	debugfs_create_u64("wait", 0600, dir, &knobs->wait);
	debugfs_create_u64("lose", 0600, dir, &knobs->lose);
	debugfs_create_u64("lose_at", 0600, dir, &knobs->lose_at);
	debugfs_create_u64("pass", 0600, dir, &knobs->pass);
	debugfs_create_file("loads", 0400, dir, (void *)EL2_LOADS, &counter);
	debugfs_create_file("serrors", 0400, dir, (void *)EL2_SERRORS, &counter);
	debugfs_create_file("dropped", 0400, dir, (void *)EL2_DROPPED, &counter);
	debugfs_create_file("odd", 0400, dir, (void *)EL2_ODD, &counter);
}

static int __init el2_init(void)
{
	BUILD_BUG_ON(offsetof(struct el2_cpu, x) != EL2_X);
	BUILD_BUG_ON(offsetof(struct el2_cpu, odd) != EL2_ODD);
	BUILD_BUG_ON(offsetof(struct el2_knobs, pass) != EL2_PASS);

	if (holes < 2 || holes % 2) {
		pr_err("hole=ADDRESS,SIZE[,ADDRESS,SIZE]: %d numbers are given\n", holes);
		return -EINVAL;
	}
	if (read_sysreg(CurrentEL) != CurrentEL_EL1) {
		pr_err("this kernel is at EL2 itself\n");
		return -ENODEV;
	}
	knobs = (void *)get_zeroed_page(GFP_KERNEL);
	level1 = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	level2 = (void *)get_zeroed_page(GFP_KERNEL);
	shim = (void *)__get_free_pages(GFP_KERNEL, 1);
	cpus = kcalloc(nr_cpu_ids, sizeof(*cpus), GFP_KERNEL);
	if (!knobs || !level1 || !level2 || !shim || !cpus)
		return -ENOMEM;
	if (make_tables()) {
		pr_err("the holes are not of one GiB below 1 TiB\n");
		return -ERANGE;
	}
	memcpy(shim, el2_shim, el2_shim_end - el2_shim);
	/* SLVERR of a core without FEAT_RAS */
	knobs->syndrome = 0x1000002;
	on_each_cpu(take_over, NULL, 1);
	make_files();
	pr_info("hole at 0x%lx, 0x%lx bytes\n", hole[0], hole[1]);
	return 0;
}
module_init(el2_init);

MODULE_DESCRIPTION("Bus errors as SErrors, for QEMU");
MODULE_LICENSE("GPL");
