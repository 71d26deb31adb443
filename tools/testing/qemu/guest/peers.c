// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a register read costs, checked and in the ways of others, for the bench.
 * Not part of the series: bench.py puts this file and ways.h into a tree of its own,
 * as drivers/pci/io_check_peers.c, built in, so that the accessors are inline as they
 * are in a driver that is.
 *
 *	echo "WAY CPUS LOOPS DOMAIN:BUS:DEV.FN BAR OFFSET" > FILE
 *
 * FILE is io_check_peers in debugfs.  Before and after the LOOPS, on each of the
 * first CPUS at the same time and with interrupts off, bench_mark() is called: the
 * bench's plugin counts between.  With BAR -1 the "register" is memory: for what
 * CPUs do to each other, an access of QEMU's devices has a lock of its own.
 */

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "io_check_ways.h"

struct peers {
	const struct way *way;
	struct ways args;
	unsigned int cpus;
	atomic_t here;
	u64 ns[NR_CPUS];
};

/* Its address is a mark of the plugin's. */
noinline void bench_mark(void);
noinline void bench_mark(void)
{
	barrier();
}

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
	p->way->run(&p->args);
	start = local_clock();
	bench_mark();
	p->way->run(&p->args);
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
	if (sscanf(buf, "%15s %u %u %x:%x:%x.%x %i %i", name, &p->cpus, &p->args.loops, &domain,
		   &bus, &dev, &fn, &bar, &offset) != 9)
		goto out;
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(ways[i].name, name))
			p->way = &ways[i];
	if (!p->way || !p->cpus || p->cpus > num_online_cpus() || bar >= PCI_STD_NUM_BARS)
		goto out;
	ret = -ENODEV;
	p->args.pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(dev, fn));
	if (!p->args.pdev)
		goto out;
	if (bar < 0)
		p->args.addr = (void __force __iomem *)memory;
	else
		p->args.addr = ioremap(pci_resource_start(p->args.pdev, bar) + offset, 4);
	ret = -ENOMEM;
	if (!p->args.addr)
		goto put;
	p->here = (atomic_t)ATOMIC_INIT(0);
	on_each_cpu(peers_run, p, 1);
	n = scnprintf(peers_result, sizeof(peers_result), "way=%s cpus=%u loops=%u",
		      name, p->cpus, p->args.loops);
	for (i = 0; i < p->cpus; i++)
		n += scnprintf(peers_result + n, sizeof(peers_result) - n, " ns%u=%llu", i,
			       p->ns[i]);
	scnprintf(peers_result + n, sizeof(peers_result) - n, "\n");
	if (bar >= 0)
		iounmap(p->args.addr);
	ret = len;
put:
	pci_dev_put(p->args.pdev);
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
