// SPDX-License-Identifier: GPL-2.0
/*
 * ia64's MCA hook on the build machine: with the kernel's structures, and stand-ins for
 * what looks into a SAL record.  test_ia64.py writes structures.h and hook.h, taken out of
 * the patched sources.  Reads cases, prints what the hook made of each.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint64_t u64, __u64;
typedef int32_t s32;
typedef uint8_t u8;
#include "structures.h"
struct ia64_sal_os_state { struct pal_min_state_area *pal_min_state; u64 proc_state_param; };
typedef struct { u64 target, check; struct { struct { u64 minstate; } valid; } *bottom; } peidx_table_t;
static u64 get_target_identifier(peidx_table_t *p) { return p->target; }
#define peidx_bottom(p) ((p)->bottom)
#define peidx_check_info(p, what, n) ((p)->check)
static bool io_check_nohook;
static struct io_check_stub stubs[2] = { { .size = 4 }, { .size = 4, .write = 1 } };
static unsigned long io_check_address(const s32 *rel) { return (unsigned long)(*rel); }
static const struct io_check_stub *io_check_find_stub(unsigned long ip)
{
	for (int i = 0; i < 2; i++)
		if (ip >= stubs[i].start && ip < stubs[i].end)
			return &stubs[i];
	return NULL;
}
#include "hook.h"

int main(void)
{
	unsigned int type, bottom, minstate, cpl, ic, nohook;
	u64 target, ip;

	stubs[0].start = 0x1020; stubs[0].end = 0x1050; stubs[0].pad = 0x1300;
	stubs[1].start = 0x1200; stubs[1].end = 0x1220; stubs[1].pad = 0x1320;
	while (scanf("%u %lx %u %u %u %u %u %lx", &type, &target, &bottom,
		     &minstate, &cpl, &ic, &nohook, &ip) == 8) {
		typeof(*((peidx_table_t *)0)->bottom) has = { { minstate } };
		peidx_table_t peidx = { target, 0xb05c4ec4, bottom ? &has : NULL };
		pal_bus_check_info_t pbci = { .eb = 1, .type = type };
		struct pal_min_state_area pmsa, before;
		struct ia64_sal_os_state sos = { &pmsa, 0x9a7a };
		struct ia64_psr psr = { .cpl = cpl, .ic = ic, .ri = 2, .dt = 1 };
		int ret, changed = 0;

		memset(&pmsa, 0x5a, sizeof(pmsa));
		memcpy(&pmsa.pmsa_ipsr, &psr, sizeof(psr));
		pmsa.pmsa_iip = ip;
		before = pmsa;
		io_check_nohook = nohook;
		ret = recover_checked_access(&peidx, &pbci, &sos);
		for (unsigned int i = 0; i < sizeof(pmsa) / 8; i++)
			changed += ((u64 *)&pmsa)[i] != ((u64 *)&before)[i];
		memcpy(&psr, &pmsa.pmsa_ipsr, sizeof(psr));
		printf("%d %d %lx %d %lx %lx %lx %lx\n", ret, changed,
		       pmsa.pmsa_iip, psr.ri, pmsa.pmsa_gr[8], pmsa.pmsa_gr[9],
		       pmsa.pmsa_gr[10], pmsa.pmsa_gr[13]);
	}
	return 0;
}
