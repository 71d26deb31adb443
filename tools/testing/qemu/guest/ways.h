/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to read a register, checked and not, for the bench: peers.c runs them in a guest,
 * silicon.c on the host's own CPU.
 *
 * The peers are written from their descriptions, for measuring only:
 *
 *	2004: readX_check() of the first proposal: a function that looks at a count
 *	of errors before and after its read (Hidetoshi Seto, linux-kernel, 2003-11).
 *	2005: iochk_clear() and iochk_read() around, and a lock for all drivers, held
 *	for reading around each read (linux-kernel, "IOCHK interface", 2005).  Without
 *	its look at the bridges' status, which would cost configuration cycles.
 *	eeh: readl() as it is with EEH, and its question where it gives all-ones.
 *	ones: readl() and PCI_POSSIBLE_ERROR().
 */

#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/spinlock.h>

struct ways {
	struct pci_dev *pdev;
	void __iomem *addr;
	unsigned int loops;
};

#define USE(value)	asm volatile("" : : "r" (value))

/* Most ways read eight times in line. */
#define FOUR(statement)							\
do {									\
	statement; statement; statement; statement;			\
} while (0)

#define EIGHT(statement)						\
do {									\
	FOUR(statement);						\
	FOUR(statement);						\
} while (0)

static noinline void way_empty(const struct ways *w)
{
	unsigned int i;

	for (i = 0; i < w->loops; i++)
		barrier();
}

static noinline void way_readl8(const struct ways *w)
{
	void __iomem *addr = w->addr;
	unsigned int i;

	for (i = 0; i < w->loops; i++)
		EIGHT(USE(readl(addr)));
}

/* A session a loop, with these accesses */
#define WAY_SESSION(name, accesses)					\
static noinline void way_##name(const struct ways *w)			\
{									\
	struct io_check c __uninitialized;				\
	void __iomem *addr __maybe_unused = w->addr;			\
	unsigned int i;							\
									\
	for (i = 0; i < w->loops; i++) {				\
		io_check_begin(&c, w->pdev, 0);				\
		accesses;						\
		if (unlikely(io_check_end(&c)))				\
			break;						\
	}								\
}

WAY_SESSION(session0, /* none */)
WAY_SESSION(session1, USE(readl_check(&c, addr)))
WAY_SESSION(session4, FOUR(USE(readl_check(&c, addr))))
WAY_SESSION(session8, EIGHT(USE(readl_check(&c, addr))))
WAY_SESSION(session64, EIGHT(EIGHT(USE(readl_check(&c, addr)))))
WAY_SESSION(wsession8, EIGHT(writel_check(&c, i, addr)))

static noinline void way_writel8(const struct ways *w)
{
	void __iomem *addr = w->addr;
	unsigned int i;

	for (i = 0; i < w->loops; i++)
		EIGHT(writel(i, addr));
}

/* 2004: the machine check handler would count */
static atomic_t peer_errors;

static noinline int peer2004_readl(const void __iomem *addr, u32 *val)
{
	int before = atomic_read(&peer_errors);

	*val = readl(addr);
	return atomic_read(&peer_errors) == before ? 0 : -EIO;
}

static noinline void way_2004(const struct ways *w)
{
	void __iomem *addr = w->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < w->loops; i++)
		EIGHT(if (unlikely(peer2004_readl(addr, &val)))
			      return;
		      USE(val));
}

/* 2005 */
static DEFINE_RWLOCK(peer_lock);

struct peer_cookie {
	struct pci_dev *dev;
	unsigned long error;
};

static noinline void peer2005_clear(struct peer_cookie *cookie, struct pci_dev *dev)
{
	cookie->dev = dev;
	write_lock(&peer_lock);
	cookie->error = atomic_read(&peer_errors);
	write_unlock(&peer_lock);
}

static noinline int peer2005_read(struct peer_cookie *cookie)
{
	int ret;

	write_lock(&peer_lock);
	ret = cookie->error != atomic_read(&peer_errors);
	write_unlock(&peer_lock);
	return ret;
}

static noinline u32 peer2005_readl(const void __iomem *addr)
{
	u32 val;

	read_lock(&peer_lock);
	val = readl(addr);
	read_unlock(&peer_lock);
	return val;
}

static noinline void way_2005(const struct ways *w)
{
	void __iomem *addr = w->addr;
	struct peer_cookie cookie;
	unsigned int i;

	for (i = 0; i < w->loops; i++) {
		peer2005_clear(&cookie, w->pdev);
		EIGHT(USE(peer2005_readl(addr)));
		if (unlikely(peer2005_read(&cookie)))
			return;
	}
}

#ifdef CONFIG_EEH
static noinline void way_eeh(const struct ways *w)
{
	void __iomem *addr = w->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < w->loops; i++)
		EIGHT(val = readl(addr);
		      if (unlikely(val == ~0U) && eeh_check_failure(addr))
			      return;
		      USE(val));
}
#endif

static noinline void way_ones(const struct ways *w)
{
	void __iomem *addr = w->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < w->loops; i++)
		EIGHT(val = readl(addr);
		      if (unlikely(PCI_POSSIBLE_ERROR(val)))
			      return;
		      USE(val));
}

static const struct way {
	const char *name;
	void (*run)(const struct ways *w);
} ways[] = {
	{ "empty", way_empty },
	{ "readl8", way_readl8 },
	{ "session0", way_session0 },
	{ "session1", way_session1 },
	{ "session4", way_session4 },
	{ "session8", way_session8 },
	{ "session64", way_session64 },
	{ "writel8", way_writel8 },
	{ "wsession8", way_wsession8 },
	{ "2004", way_2004 },
	{ "2005", way_2005 },
#ifdef CONFIG_EEH
	{ "eeh", way_eeh },
#endif
	{ "ones", way_ones },
};
