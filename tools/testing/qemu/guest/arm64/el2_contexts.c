// SPDX-License-Identifier: GPL-2.0
/*
 * el2_contexts - checked reads of a dead register in each context that drivers read in
 *
 *	insmod el2_contexts.ko dead=ADDRESS [count=N]
 *
 * A physical address; el2.ko raises the SErrors.  Each CPU reads N times a context.  The
 * module does not stay: insmod fails with "Operation canceled" after its report.
 */

#define pr_fmt(fmt) "el2_contexts: " fmt

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/io_check.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <linux/workqueue.h>

static ulong dead;
module_param(dead, ulong, 0);
static uint count = 1000;
module_param(count, uint, 0);

enum { PROCESS, TIMER, IRQS_OFF, SOFTIRQ, IPI, CONTEXTS };
static const char * const names[] = {
	"process", "timer", "irqs_off", "softirq", "ipi"
};

static struct pci_dev *pdev;
static void __iomem *bad;
static struct { atomic_t reads, failed; } seen[CONTEXTS];

static void read_in(int context)
{
	struct io_check c;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	readl_check(&c, bad);
	atomic_inc(&seen[context].reads);
	if (io_check_end(&c))
		atomic_inc(&seen[context].failed);
}

/* a hard interrupt, wherever the process is, in a load's wait as well */
static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	read_in(TIMER);
	hrtimer_forward_now(timer, ns_to_ktime(200 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void on_softirq(struct tasklet_struct *t)
{
	read_in(SOFTIRQ);
}

static void on_ipi(void *unused)
{
	read_in(IPI);
}

/* on each CPU, all of them at the same time */
static void contexts(struct work_struct *work)
{
	struct tasklet_struct tasklet;
	unsigned long flags;
	struct hrtimer timer;
	uint i;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = on_timer;
#else
	hrtimer_setup_on_stack(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
	tasklet_setup(&tasklet, on_softirq);
	hrtimer_start(&timer, ns_to_ktime(200 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < count; i++) {
		read_in(PROCESS);
		local_irq_save(flags);
		read_in(IRQS_OFF);
		local_irq_restore(flags);
		tasklet_schedule(&tasklet);
		smp_call_function(on_ipi, NULL, 0);
		cond_resched();
	}
	tasklet_kill(&tasklet);
	hrtimer_cancel(&timer);
	destroy_hrtimer_on_stack(&timer);
}

static int __init el2_contexts_init(void)
{
	struct work_struct __percpu *works = alloc_percpu(struct work_struct);
	int i, cpu, ret = -ENOMEM;

	pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, NULL);
	bad = ioremap(dead, 4);
	if (!works || !pdev || !bad)
		goto out;
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(works, cpu), contexts);
		schedule_work_on(cpu, per_cpu_ptr(works, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(works, cpu));
	/* the last of these may still run */
	kick_all_cpus_sync();
	for (i = 0; i < CONTEXTS; i++)
		pr_info("%s: %d of %d\n", names[i], atomic_read(&seen[i].failed),
			atomic_read(&seen[i].reads));
	ret = -ECANCELED;
out:
	if (bad)
		iounmap(bad);
	pci_dev_put(pdev);
	free_percpu(works);
	return ret;
}
module_init(el2_contexts_init);

MODULE_DESCRIPTION("Checked reads in each context");
MODULE_LICENSE("GPL");
