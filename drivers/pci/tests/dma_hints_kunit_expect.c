// SPDX-License-Identifier: GPL-2.0-or-later
/* What the KUnit tests of DMA hints expect of all that hints may change */

#include "dma_hints_kunit_expect.h"

/**
 * hints_kept() - keep a copy of all that hints may change
 * @test: test
 *
 * Context: Process; may end the test.
 * Return: the copy.
 */
struct hints_kunit_state *hints_kept(struct kunit *test)
{
	struct hints_kunit_state *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct hints_kunit *k = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, s);
	memcpy(s->reg, k->regs.reg, sizeof(s->reg));
	memcpy(s->config[0], k->a.config, 256);
	memcpy(s->config[1], k->b.config, 256);
	memcpy(s->config[2], k->c.config, 256);
	memcpy(s->config[3], k->pf.config, 256);
	memcpy(s->config[4], k->vf.config, 256);
	s->relaxed = k->a.pdev.dma_relaxed;
	return s;
}

/**
 * hints_unchanged() - is all as it was?
 * @test: test
 * @s: copy
 *
 * Context: Process.
 * Return: true if nothing differs.
 */
bool hints_unchanged(struct kunit *test, const struct hints_kunit_state *s)
{
	return !memcmp(s, hints_kept(test), sizeof(*s));
}

/**
 * hints_refused() - expect that hints are refused to either owner
 * @test: test
 * @fn: function
 * @class: mappings
 * @hints: hints
 * @error: with which error, and nothing different after it
 *
 * Context: Process.
 */
void hints_refused(struct kunit *test, struct fake_fn *fn, enum dma_hint_class class,
		   struct dma_hints hints, int error)
{
	struct hints_kunit *k = test->priv;
	struct hints_kunit_state *before = hints_kept(test);
	int writes = k->regs.writes + fn->writes;

	KUNIT_EXPECT_EQ(test, driver(fn, class, hints), error);
	KUNIT_EXPECT_EQ(test, admin(fn, class, hints), error);
	KUNIT_EXPECT_TRUE(test, hints_unchanged(test, before));
	KUNIT_EXPECT_EQ(test, k->regs.writes + fn->writes, writes);
}
