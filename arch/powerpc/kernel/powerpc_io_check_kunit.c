// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit tests of which machine checks a checked access claims on 64-bit powerpc: each
 * row of mce_power.c's tables, firmware's log, and the ends of the ranges.
 */

#include <kunit/test.h>
#include <linux/io_check.h>
#include <linux/module.h>
#include <asm/io_check_mce.h>
#include <asm/rtas.h>

#define AT	0xd000080012340010UL	/* what the stub accesses */

struct row {
	u32 bits;	/* of DSISR, or of SRR1 */
	bool claimed;	/* of a load */
	bool dar;	/* with an address */
};

/* mce_pN_derror_table */
static const struct row derror_p7[] = {
	{ 0x8000, true, false }, { 0x4000, false, true }, { 0x0800, false, true },
	{ 0x0400, false, true }, { 0x0080, false, true }, { 0x0100, false, true },
	{ 0x0040, false, true }, { }
};

static const struct row derror_p8[] = {
	{ 0x8000, true, false }, { 0x4000, false, true }, { 0x2000, true, true },
	{ 0x1000, false, true }, { 0x0800, false, true }, { 0x0400, false, true },
	{ 0x0200, false, true }, { 0x0080, false, true }, { 0x0100, false, true },
	{ }
};

static const struct row derror_p9[] = {
	{ 0x8000, true, false }, { 0x4000, false, true }, { 0x2000, true, true },
	{ 0x1000, false, true }, { 0x0800, false, true }, { 0x0400, false, true },
	{ 0x0200, false, false }, { 0x0080, false, true }, { 0x0100, false, true },
	{ 0x0040, true, true }, { 0x0020, false, false }, { 0x0010, false, false },
	{ 0x0008, true, false }, { }
};

static const struct row derror_p10[] = {
	{ 0x8000, true, false }, { 0x4000, false, true }, { 0x0800, false, true },
	{ 0x0400, false, true }, { 0x0200, false, false }, { 0x0080, false, true },
	{ 0x0100, false, true }, { 0x0040, true, true }, { 0x0020, false, false },
	{ 0x0010, false, false }, { 0x0008, true, false }, { }
};

/* mce_pN_ierror_table, of all four */
static const u32 ierror[] = {
	0x00040000, 0x00080000, 0x000c0000, 0x00100000, 0x00140000, 0x00180000,
	0x001c0000, 0x08000000, 0x08040000, 0x08080000, 0x080c0000, 0x08100000,
	0x08140000, 0x08180000, 0x081c0000,
};

static const struct {
	const struct io_check_mce_rows *rows;
	const struct row *derror;
} cpus[] = {
	{ &io_check_mce_p7, derror_p7 },
	{ &io_check_mce_p8, derror_p8 },
	{ &io_check_mce_p9, derror_p9 },
	{ &io_check_mce_p10, derror_p10 },
};

static bool claims(int cpu, bool write, unsigned long srr1, unsigned long dsisr,
		   unsigned long dar)
{
	return io_check_mce_claims(cpus[cpu].rows, write, srr1, dsisr, dar, AT);
}

/* A load's rows, alone and with each other; a store has none */
static void test_load_rows(struct kunit *test)
{
	const struct row *r, *other;
	int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		u32 all = 0;

		for (r = cpus[i].derror; r->bits; r++) {
			KUNIT_EXPECT_EQ_MSG(test, r->claimed,
					    claims(i, false, SRR1_MC_LOADSTORE, r->bits, AT),
					    "CPU %d, row %x", i + 7, r->bits);
			KUNIT_EXPECT_EQ_MSG(test, r->claimed && !r->dar,
					    claims(i, false, SRR1_MC_LOADSTORE, r->bits, AT + 8),
					    "CPU %d, row %x, another address", i + 7, r->bits);
			KUNIT_EXPECT_FALSE(test, claims(i, false, 0, r->bits, AT));
			KUNIT_EXPECT_FALSE(test,
					   claims(i, true, SRR1_MC_LOADSTORE, r->bits, AT));
			for (other = cpus[i].derror; other->bits; other++)
				KUNIT_EXPECT_EQ_MSG(test, r->claimed && other->claimed,
						    claims(i, false, SRR1_MC_LOADSTORE,
							   r->bits | other->bits, AT),
						    "CPU %d, rows %x", i + 7,
						    r->bits | other->bits);
			all |= r->bits;
		}
		KUNIT_EXPECT_EQ_MSG(test, all, cpus[i].rows->all, "CPU %d", i + 7);
		/* what no row knows: POWER8's bad real address */
		KUNIT_EXPECT_EQ(test, i == 1, claims(i, false, SRR1_MC_LOADSTORE, 0, AT));
		KUNIT_EXPECT_FALSE(test, claims(i, false, SRR1_MC_LOADSTORE, 0, AT + 8));
	}
}

/* Instruction fetches, and what comes late, whatever DSISR has left */
static void test_other_rows(struct kunit *test)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (j = 0; j < ARRAY_SIZE(ierror); j++) {
			KUNIT_EXPECT_FALSE_MSG(test, claims(i, false, ierror[j], 0x8000, AT),
					       "CPU %d, SRR1 %x", i + 7, ierror[j]);
			KUNIT_EXPECT_FALSE_MSG(test, claims(i, true, ierror[j], 0x8000, AT),
					       "CPU %d, SRR1 %x", i + 7, ierror[j]);
		}
		KUNIT_EXPECT_FALSE(test, claims(i, false, SRR1_MC_LOADSTORE |
						SRR1_MC_STORE_RA, 0x8000, AT));
		KUNIT_EXPECT_FALSE(test, claims(i, false, SRR1_MC_LOADSTORE |
						SRR1_MC_STORE_LINK, 0x8000, AT));
	}
}

/* A store is claimed with an emulator's signature only: hardware's has no address */
static void test_store_signature(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		KUNIT_EXPECT_TRUE(test, claims(i, true, SRR1_MC_LOADSTORE |
					       SRR1_MC_STORE_RA, 0x8000, AT));
		KUNIT_EXPECT_FALSE(test, claims(i, true, SRR1_MC_LOADSTORE |
						SRR1_MC_STORE_RA, 0, 0));
		KUNIT_EXPECT_FALSE(test, claims(i, true, SRR1_MC_LOADSTORE |
						SRR1_MC_STORE_LINK, 0, AT));
	}
}

/* The registers go on at the landing pad, or stay; the range has its own end */
static void test_range_end(struct kunit *test)
{
	const struct io_check_mce_rows *rows = io_check_mce_rows();
	bool write;

	for (write = false;; write = true) {
		const struct io_check_stub *s = io_check_test_stub(write);
		unsigned long start = io_check_address(&s->start);
		unsigned long end = io_check_address(&s->end);
		unsigned long srr1 = MSR_RI | SRR1_MC_LOADSTORE |
				     (write ? SRR1_MC_STORE_RA : 0);
		unsigned long ip;

		KUNIT_EXPECT_EQ(test, end - start, write ? 4 : 12);
		for (ip = start - 4; ip <= end; ip += 4) {
			struct pt_regs regs = { .nip = ip, .msr = srr1 };
			bool own = ip >= start && ip < end;

			regs.gpr[(u32)s->pad >> 21 & 31] = AT;
			KUNIT_EXPECT_EQ(test, own, io_check_fixup(&regs, rows->load & -rows->load,
								  AT));
			KUNIT_EXPECT_EQ(test, own, regs.nip != ip);
			if (own)
				KUNIT_EXPECT_EQ(test, regs.ctr, end);
		}
		if (write)
			break;
	}
}

#ifdef CONFIG_PPC_PSERIES
/* The section of machine checks in firmware's log: struct pseries_mc_errorlog */
struct mc_section {
	__be16 id;
	__be16 length;
	u8 version;
	u8 subtype;
	__be16 creator;
	__be32 fru;
	__be32 proc;
	u8 type;
	u8 sub;
	u8 reserved[6];
	__be64 ea;
	__be64 la;
} __packed;

static bool load_failed(u8 severity, u8 type, u8 sub, unsigned long *addr)
{
	const size_t head = offsetof(struct rtas_error_log, buffer);
	const size_t ext_head = offsetof(struct rtas_ext_event_log_v6, vendor_log);
	u8 buf[64 + sizeof(struct mc_section)] __aligned(8) = { };
	struct rtas_error_log *log = (struct rtas_error_log *)buf;
	struct rtas_ext_event_log_v6 *ext =
		(struct rtas_ext_event_log_v6 *)(buf + head);
	struct mc_section *mc = (struct mc_section *)(buf + head + ext_head);

	log->byte1 = severity << 5 | 0x4;
	log->extended_log_length = cpu_to_be32(ext_head + sizeof(*mc));
	ext->byte2 = 0x80 | RTAS_V6EXT_LOG_FORMAT_EVENT_LOG;
	ext->company_id = cpu_to_be32(RTAS_V6EXT_COMPANY_ID_IBM);
	mc->id = cpu_to_be16(PSERIES_ELOG_SECT_ID_MCE);
	mc->length = cpu_to_be16(sizeof(*mc));
	mc->type = type;
	mc->sub = sub;
	mc->ea = cpu_to_be64(AT);
	return pseries_load_failed(log, addr);
}

static void test_rtas_log(struct kunit *test)
{
	unsigned long addr = 1;
	int type;

	/* uncorrectable error of a load or store, with and without its address */
	KUNIT_EXPECT_TRUE(test, load_failed(RTAS_SEVERITY_ERROR_SYNC, 0, 0x43, &addr));
	KUNIT_EXPECT_EQ(test, addr, AT);
	KUNIT_EXPECT_TRUE(test, load_failed(RTAS_SEVERITY_ERROR_SYNC, 0, 0x03, &addr));
	KUNIT_EXPECT_EQ(test, addr, 0);
	/* no page table walk, no instruction */
	for (type = 0; type < 8; type++)
		KUNIT_EXPECT_EQ(test, type == 3,
				load_failed(RTAS_SEVERITY_ERROR_SYNC, 0, 0x40 | type, &addr));
	/* control memory access: the operand's */
	KUNIT_EXPECT_TRUE(test, load_failed(RTAS_SEVERITY_ERROR_SYNC, 8, 0x90, &addr));
	KUNIT_EXPECT_EQ(test, addr, AT);
	KUNIT_EXPECT_FALSE(test, load_failed(RTAS_SEVERITY_ERROR_SYNC, 8, 0x80, &addr));
	/* SLB, ERAT, unknown, TLB, caches */
	for (type = 1; type < 8; type++)
		KUNIT_EXPECT_FALSE(test, load_failed(RTAS_SEVERITY_ERROR_SYNC, type, 0x81,
						     &addr));
	/* what is not of the instruction, and what is fatal */
	KUNIT_EXPECT_FALSE(test, load_failed(RTAS_SEVERITY_ERROR, 0, 0x43, &addr));
	KUNIT_EXPECT_FALSE(test, load_failed(RTAS_SEVERITY_FATAL, 0, 0x43, &addr));
}
#endif

static struct kunit_case powerpc_io_check_cases[] = {
	KUNIT_CASE(test_load_rows),
	KUNIT_CASE(test_other_rows),
	KUNIT_CASE(test_store_signature),
	KUNIT_CASE(test_range_end),
#ifdef CONFIG_PPC_PSERIES
	KUNIT_CASE(test_rtas_log),
#endif
	{}
};

static struct kunit_suite powerpc_io_check_suite = {
	.name = "powerpc_io_check",
	.test_cases = powerpc_io_check_cases,
};

kunit_test_suite(powerpc_io_check_suite);

MODULE_IMPORT_NS(IO_CHECK_KUNIT);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of what checked accesses claim");
