/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module and its code at EL2 share.
 */
#ifndef EL2_H
#define EL2_H

/* struct el2_cpu, in bytes */
#define EL2_KNOBS	0x00
#define EL2_RAS		0x08
#define EL2_LEFT	0x10
#define EL2_LOADS	0x18
#define EL2_SERRORS	0x20
#define EL2_DROPPED	0x28
#define EL2_ODD		0x30
#define EL2_X		0x40

/* struct el2_knobs, in bytes */
#define EL2_SYNDROME	0x00
#define EL2_DELAY	0x08
#define EL2_STORES	0x10
#define EL2_WAIT	0x18
#define EL2_LOSE	0x20
#define EL2_LOSE_AT	0x28
#define EL2_PASS	0x30

/* what a load gives that the bus has failed: garbage */
#define EL2_GARBAGE	0x5aa5

/* hvc, next to the hyp stub's own (arch/arm64/include/asm/virt.h) */
#define EL2_HVC_VECTORS	0
#define EL2_HVC_SETUP	0x1000

#ifndef __ASSEMBLY__
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct el2_knobs - what the shim does; all CPUs'
 * @syndrome: VSESR_EL2's, where there is FEAT_RAS
 * @delay: instructions that run between a failed access and its SError
 * @stores: a failed store raises an SError as well, rather than get lost
 * @wait: the SError comes when an interrupt is pending as well
 * @lose: so many stores to @lose_at get lost, whatever the bus would make of them
 * @lose_at: a physical address
 * @pass: of these stores so many get through before
 */
struct el2_knobs {
	u64 syndrome;
	u64 delay;
	u64 stores;
	u64 wait;
	u64 lose;
	u64 lose_at;
	u64 pass;
};

/**
 * struct el2_cpu - a CPU's own
 * @knobs: physical address of struct el2_knobs
 * @ras: there is FEAT_RAS, and with it VSESR_EL2
 * @left: instructions until the SError
 * @loads: loads performed
 * @serrors: SErrors raised
 * @dropped: failed stores without one
 * @odd: exceptions that are none of the shim's; the CPU stays there
 * @pad: none
 * @x: x0 to x30
 */
struct el2_cpu {
	u64 knobs;
	u64 ras;
	u64 left;
	u64 loads;
	u64 serrors;
	u64 dropped;
	u64 odd;
	u64 pad;
	u64 x[31];
} __aligned(64);	/* it is a stack pointer */

/* the shim, which runs from a copy at its physical address */
extern const char el2_shim[], el2_shim_end[];
#endif

#endif /* EL2_H */
