// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a register read costs, checked and in the ways of others, for the bench.
 * Not part of the series: bench.py puts this file into a tree of its own, as
 * drivers/pci/io_check_peers.c, built in, so that the accessors are inline as they
 * are in a driver that is.
 *
 *	echo "WAY CPUS LOOPS DOMAIN:BUS:DEV.FN BAR OFFSET" > FILE
 *
 * FILE is io_check_peers in debugfs.  Before and after the LOOPS, on each of the
 * first CPUS at the same time and with interrupts off, bench_mark() is called: the
 * bench's plugin counts between.  With BAR -1 the "register" is memory: for what
 * CPUs do to each other, an access of QEMU's devices has a lock of its own.
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

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/io_check.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

struct peers {
	const struct peer *peer;
	struct pci_dev *pdev;
	void __iomem *addr;
	unsigned int cpus, loops;
	atomic_t here;
	u64 ns[NR_CPUS];
};

/* Its address is a mark of the plugin's. */
noinline void bench_mark(void);
noinline void bench_mark(void)
{
	barrier();
}

#define USE(value)	asm volatile("" : : "r" (value))

/* Each way reads eight times in line, or in a multiple of that. */
#define EIGHT(statement)						\
do {									\
	statement; statement; statement; statement;			\
	statement; statement; statement; statement;			\
} while (0)

static noinline void way_empty(struct peers *p)
{
	unsigned int i;

	for (i = 0; i < p->loops; i++)
		barrier();
}

static noinline void way_readl8(struct peers *p)
{
	void __iomem *addr = p->addr;
	unsigned int i;

	for (i = 0; i < p->loops; i++)
		EIGHT(USE(readl(addr)));
}

static noinline void way_session0(struct peers *p)
{
	struct io_check c __uninitialized;
	unsigned int i;

	for (i = 0; i < p->loops; i++) {
		io_check_begin(&c, p->pdev, 0);
		if (unlikely(io_check_end(&c)))
			break;
	}
}

static noinline void way_session1(struct peers *p)
{
	struct io_check c __uninitialized;
	void __iomem *addr = p->addr;
	unsigned int i;

	for (i = 0; i < p->loops; i++) {
		io_check_begin(&c, p->pdev, 0);
		USE(readl_check(&c, addr));
		if (unlikely(io_check_end(&c)))
			break;
	}
}

static noinline void way_session8(struct peers *p)
{
	struct io_check c __uninitialized;
	void __iomem *addr = p->addr;
	unsigned int i;

	for (i = 0; i < p->loops; i++) {
		io_check_begin(&c, p->pdev, 0);
		EIGHT(USE(readl_check(&c, addr)));
		if (unlikely(io_check_end(&c)))
			break;
	}
}

static noinline void way_session64(struct peers *p)
{
	struct io_check c __uninitialized;
	void __iomem *addr = p->addr;
	unsigned int i;

	for (i = 0; i < p->loops; i++) {
		io_check_begin(&c, p->pdev, 0);
		EIGHT(EIGHT(USE(readl_check(&c, addr))));
		if (unlikely(io_check_end(&c)))
			break;
	}
}

/* 2004: the machine check handler would count */
static atomic_t peer_errors;

static noinline int peer2004_readl(const void __iomem *addr, u32 *val)
{
	int before = atomic_read(&peer_errors);

	*val = readl(addr);
	return atomic_read(&peer_errors) == before ? 0 : -EIO;
}

static noinline void way_2004(struct peers *p)
{
	void __iomem *addr = p->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < p->loops; i++)
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

static noinline void way_2005(struct peers *p)
{
	void __iomem *addr = p->addr;
	struct peer_cookie cookie;
	unsigned int i;

	for (i = 0; i < p->loops; i++) {
		peer2005_clear(&cookie, p->pdev);
		EIGHT(USE(peer2005_readl(addr)));
		if (unlikely(peer2005_read(&cookie)))
			return;
	}
}

#ifdef CONFIG_EEH
static noinline void way_eeh(struct peers *p)
{
	void __iomem *addr = p->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < p->loops; i++)
		EIGHT(val = readl(addr);
		      if (unlikely(val == ~0U) && eeh_check_failure(addr))
			      return;
		      USE(val));
}
#endif

static noinline void way_ones(struct peers *p)
{
	void __iomem *addr = p->addr;
	unsigned int i;
	u32 val;

	for (i = 0; i < p->loops; i++)
		EIGHT(val = readl(addr);
		      if (unlikely(PCI_POSSIBLE_ERROR(val)))
			      return;
		      USE(val));
}

static const struct peer {
	const char *name;
	void (*way)(struct peers *p);
} peers[] = {
	{ "empty", way_empty },
	{ "readl8", way_readl8 },
	{ "session0", way_session0 },
	{ "session1", way_session1 },
	{ "session8", way_session8 },
	{ "session64", way_session64 },
	{ "2004", way_2004 },
	{ "2005", way_2005 },
#ifdef CONFIG_EEH
	{ "eeh", way_eeh },
#endif
	{ "ones", way_ones },
};

static void peers_run(void *data)
{
	struct peers *p = data;
	unsigned int cpu = smp_processor_id();
	unsigned long flags;
	u64 start;

	if (cpu >= p->cpus)
		return;
	local_irq_save(flags);
#ifdef CONFIG_PPC64
	/* off means off: a decrementer would be counted */
	hard_irq_disable();
#endif
	atomic_inc(&p->here);
	while (atomic_read(&p->here) < p->cpus)
		cpu_relax();
	/* once before: PA-RISC's kernel fills the TLB itself, and that would count */
	p->peer->way(p);
	start = local_clock();
	bench_mark();
	p->peer->way(p);
	bench_mark();
	p->ns[cpu] = local_clock() - start;
	local_irq_restore(flags);
}

static char peers_result[512];

static ssize_t peers_write(struct file *file, const char __user *user, size_t len,
			   loff_t *ppos)
{
	unsigned int domain, bus, dev, fn, offset, i;
	char buf[96], name[16];
	struct peers *p;
	void *memory = NULL;
	int ret = -EINVAL, bar, n;

	if (len >= sizeof(buf))
		return -EINVAL;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	memory = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!p || !memory) {
		ret = -ENOMEM;
		goto out;
	}
	if (copy_from_user(buf, user, len)) {
		ret = -EFAULT;
		goto out;
	}
	buf[len] = '\0';
	if (sscanf(buf, "%15s %u %u %x:%x:%x.%x %i %i", name, &p->cpus, &p->loops, &domain,
		   &bus, &dev, &fn, &bar, &offset) != 9)
		goto out;
	for (i = 0; i < ARRAY_SIZE(peers); i++)
		if (!strcmp(peers[i].name, name))
			p->peer = &peers[i];
	if (!p->peer || !p->cpus || p->cpus > num_online_cpus() || bar >= PCI_STD_NUM_BARS)
		goto out;
	ret = -ENODEV;
	p->pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(dev, fn));
	if (!p->pdev)
		goto out;
	if (bar < 0)
		p->addr = (void __force __iomem *)memory;
	else
		p->addr = ioremap(pci_resource_start(p->pdev, bar) + offset, 4);
	ret = -ENOMEM;
	if (!p->addr)
		goto put;
	p->here = (atomic_t)ATOMIC_INIT(0);
	on_each_cpu(peers_run, p, 1);
	n = scnprintf(peers_result, sizeof(peers_result), "way=%s cpus=%u loops=%u",
		      name, p->cpus, p->loops);
	for (i = 0; i < p->cpus; i++)
		n += scnprintf(peers_result + n, sizeof(peers_result) - n, " ns%u=%llu", i,
			       p->ns[i]);
	scnprintf(peers_result + n, sizeof(peers_result) - n, "\n");
	if (bar >= 0)
		iounmap(p->addr);
	ret = len;
put:
	pci_dev_put(p->pdev);
out:
	kfree(memory);
	kfree(p);
	return ret;
}

static ssize_t peers_read(struct file *file, char __user *user, size_t len, loff_t *ppos)
{
	return simple_read_from_buffer(user, len, ppos, peers_result, strlen(peers_result));
}

static const struct file_operations peers_fops = {
	.owner	= THIS_MODULE,
	.read	= peers_read,
	.write	= peers_write,
};

static int __init peers_init(void)
{
	debugfs_create_file("io_check_peers", 0600, NULL, NULL, &peers_fops);
	return 0;
}
late_initcall(peers_init);
