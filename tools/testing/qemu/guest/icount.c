// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count instructions that a guest executes: a TCG plugin of QEMU's.
 *
 *	-plugin libicount.so,out=FILE[,mark=ADDR]...[,range=NAME:LO:HI]...[,stores=on]
 *
 * Each time a vCPU reaches the instruction at a mark, a line of FILE has the
 * mark's number, the vCPU, its instructions so far, and those of each range.
 * Ranges of one name are counted together.  With stores=on the lines of 64 bytes
 * that more than one vCPU wrote to between its first two marks are counted at the
 * end: caches would have passed them around.
 *
 * Debian packages no qemu-plugin.h; what is used of it is declared here, as
 * version 4 of the interface has it (QEMU 10, docs/devel/tcg-plugins.rst).
 */

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT		__attribute__((visibility("default")))
#define MAX_MARKS	16
#define MAX_NAMES	8
#define MAX_RANGES	2048
#define MAX_VCPUS	16
#define MAX_LINES	65536	/* of 64 bytes that a vCPU wrote to; a power of two */

typedef uint64_t plugin_id;
typedef uint32_t plugin_meminfo;
struct plugin_insn;
struct plugin_scoreboard;
struct plugin_tb;
struct plugin_info;

typedef struct {
	struct plugin_scoreboard *score;
	size_t offset;
} plugin_u64;

enum plugin_op { INLINE_ADD_U64 };
enum plugin_regs { CB_NO_REGS };
enum plugin_rw { MEM_W = 2 };

EXPORT int qemu_plugin_version = 4;
EXPORT int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
			       char **argv);

struct plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
uint64_t qemu_plugin_u64_get(plugin_u64 entry, unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
					   void (*cb)(plugin_id, struct plugin_tb *));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(plugin_id, void *), void *p);
size_t qemu_plugin_tb_n_insns(const struct plugin_tb *tb);
struct plugin_insn *qemu_plugin_tb_get_insn(const struct plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct plugin_insn *insn,
					    void (*cb)(unsigned int, void *),
					    enum plugin_regs flags, void *p);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct plugin_insn *insn,
							 enum plugin_op op,
							 plugin_u64 entry,
							 uint64_t imm);
void qemu_plugin_register_vcpu_mem_cb(struct plugin_insn *insn,
				      void (*cb)(unsigned int, plugin_meminfo, uint64_t,
						 void *),
				      enum plugin_regs flags, enum plugin_rw rw, void *p);

static struct {
	uint64_t low, high;
	unsigned int name;
} ranges[MAX_RANGES];
static struct {
	char name[32];
	plugin_u64 count;
} names[MAX_NAMES];
static uint64_t marks[MAX_MARKS];
static unsigned int nr_ranges, nr_names, nr_marks;
static plugin_u64 total;
static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Lines written to by each vCPU, from its first mark to its second one */
static uint64_t *lines[MAX_VCPUS];
static unsigned int passed[MAX_VCPUS];
static bool stores;

static plugin_u64 counter(void)
{
	plugin_u64 c = { qemu_plugin_scoreboard_new(sizeof(uint64_t)), 0 };

	return c;
}

static void at_mark(unsigned int vcpu, void *p)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	fprintf(out, "mark %u vcpu %u total %" PRIu64, (unsigned int)(uintptr_t)p, vcpu,
		qemu_plugin_u64_get(total, vcpu));
	for (i = 0; i < nr_names; i++)
		fprintf(out, " %s %" PRIu64, names[i].name,
			qemu_plugin_u64_get(names[i].count, vcpu));
	fputc('\n', out);
	fflush(out);
	pthread_mutex_unlock(&lock);
	if (vcpu < MAX_VCPUS)
		__atomic_fetch_add(&passed[vcpu], 1, __ATOMIC_RELAXED);
}

/* Enter a line into a vCPU's hash table; whether it was there. */
static bool enter(uint64_t *table, uint64_t line, bool add)
{
	uint64_t at = line * 0x9e3779b97f4a7c15 >> 48;
	unsigned int tries;

	for (tries = 0; tries < MAX_LINES; tries++, at = (at + 1) % MAX_LINES) {
		if (table[at] == line)
			return true;
		if (!table[at]) {
			if (add)
				table[at] = line;
			return false;
		}
	}
	return false;
}

static void at_store(unsigned int vcpu, plugin_meminfo info, uint64_t addr, void *p)
{
	(void)info;
	(void)p;
	/* a vCPU's table is its own */
	if (vcpu < MAX_VCPUS && passed[vcpu] == 1)
		enter(lines[vcpu], addr >> 6, true);
}

static void translate(plugin_id id, struct plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	unsigned int k;

	(void)id;
	for (i = 0; i < n; i++) {
		struct plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn);

		for (k = 0; k < nr_marks; k++)
			if (at == marks[k])
				qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark, CB_NO_REGS,
								       (void *)(uintptr_t)k);
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, INLINE_ADD_U64,
								    total, 1);
		for (k = 0; k < nr_ranges; k++)
			if (at >= ranges[k].low && at < ranges[k].high)
				qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
					insn, INLINE_ADD_U64, names[ranges[k].name].count, 1);
		if (stores)
			qemu_plugin_register_vcpu_mem_cb(insn, at_store, CB_NO_REGS, MEM_W,
							 NULL);
	}
}

static void finish(plugin_id id, void *p)
{
	unsigned int i, k, at, shared = 0, written = 0;

	(void)id;
	(void)p;
	for (i = 0; stores && i < MAX_VCPUS; i++)
		for (at = 0; at < MAX_LINES; at++) {
			if (!lines[i][at])
				continue;
			written++;
			for (k = 0; k < i; k++)
				if (enter(lines[k], lines[i][at], false)) {
					shared++;
					break;
				}
		}
	if (stores)
		fprintf(out, "lines written %u shared %u\n", written, shared);
	fclose(out);
}

static int range(char *text)
{
	char *low = strchr(text, ':'), *high = low ? strchr(low + 1, ':') : NULL;
	unsigned int k;

	if (!high || nr_ranges == MAX_RANGES)
		return -1;
	*low = 0;
	for (k = 0; k < nr_names; k++)
		if (!strcmp(names[k].name, text))
			break;
	if (k == MAX_NAMES || strlen(text) >= sizeof(names[0].name))
		return -1;
	if (k == nr_names) {
		strcpy(names[k].name, text);
		names[k].count = counter();
		nr_names++;
	}
	ranges[nr_ranges].low = strtoull(low + 1, NULL, 16);
	ranges[nr_ranges].high = strtoull(high + 1, NULL, 16);
	ranges[nr_ranges++].name = k;
	return 0;
}

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
	int i, bad = 0;

	(void)info;
	total = counter();
	for (i = 0; i < argc && !bad; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			bad = 1;
		else if (!strncmp(argv[i], "out=", 4))
			out = fopen(value + 1, "w");
		else if (!strncmp(argv[i], "mark=", 5) && nr_marks < MAX_MARKS)
			marks[nr_marks++] = strtoull(value + 1, NULL, 16);
		else if (!strncmp(argv[i], "range=", 6))
			bad = range(value + 1);
		else if (!strcmp(argv[i], "stores=on") || !strcmp(argv[i], "stores=true"))
			stores = true;
		else
			bad = 1;
		if (bad)
			fprintf(stderr, "icount: bad argument %s\n", argv[i]);
	}
	if (!out && !bad)
		fprintf(stderr, "icount: no out=FILE that can be written\n");
	for (i = 0; stores && i < MAX_VCPUS; i++)
		lines[i] = calloc(MAX_LINES, sizeof(*lines[i]));
	if (bad || !out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
