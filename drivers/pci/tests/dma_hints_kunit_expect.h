/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints as they are set, and what is expected of that */
#ifndef _DMA_HINTS_KUNIT_EXPECT_H
#define _DMA_HINTS_KUNIT_EXPECT_H

#include "dma_hints_kunit.h"

/* All that hints may change */
struct hints_kunit_state {
	u32 reg[HOST_REGS];
	u8 config[5][256];
	u8 relaxed;
};

struct hints_kunit_state *hints_kept(struct kunit *test);
bool hints_unchanged(struct kunit *test, const struct hints_kunit_state *s);
void hints_refused(struct kunit *test, struct fake_fn *fn, enum dma_hint_class class,
		   struct dma_hints hints, int error);

static inline struct dma_hints order_hint(bool val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_RELAXED_ORDER), .relaxed_order = val,
	};
}

static inline struct dma_hints current_hint(bool val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_READ_CURRENT), .read_current = val,
	};
}

static inline struct dma_hints prefetch_hint(u32 val)
{
	return (struct dma_hints) {
		.valid = BIT(DMA_HINT_PREFETCH), .commands = DMA_HINT_MRM, .prefetch = val,
	};
}

static inline struct dma_hints block_hint(u32 val)
{
	return (struct dma_hints) { .valid = BIT(DMA_HINT_BLOCK), .block = val };
}

static inline int driver(struct fake_fn *fn, enum dma_hint_class class, struct dma_hints hints)
{
	return dma_set_hints(&fn->pdev.dev, class, &hints);
}

static inline int admin(struct fake_fn *fn, enum dma_hint_class class, struct dma_hints hints)
{
	return dma_hints_apply(&fn->pdev, DMA_HINT_ADMIN, class, &hints);
}

static inline u16 devctl(const struct fake_fn *fn)
{
	return fn->config[DEVCTL] | fn->config[DEVCTL + 1] << 8;
}

#endif
