// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a PCI device, read and written plainly or checked from user
 * space, for selftests/io_check.  Builds on a kernel without io_check too,
 * where it has the plain accesses only, for the comparison.
 *
 *	echo "OP DOMAIN:BUS:DEV.FN BAR OFFSET SIZE COUNT [VALUE]" > FILE
 *	cat FILE
 *
 * FILE is io_check_test in debugfs.  OP is r or w, plain read or write; R or
 * W, checked; X, a plain load with an exception table entry; S, a checked read
 * of the guard page after the mapping.
 */

#include <linux/debugfs.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/uaccess.h>
#ifdef CONFIG_IO_CHECK
#include <linux/io_check.h>
#endif

struct io_check_test {
	struct pci_dev *pdev;
	void __iomem *addr;
	unsigned int size;
	u64 value;
	unsigned int errors;	/* sessions that ended with an error */
	int error;		/* of the last of them */
	char record[96];
};

static struct dentry *io_check_test_file;
static DEFINE_MUTEX(io_check_test_lock);
static char io_check_test_result[256];

static void plain_read(struct io_check_test *t)
{
	switch (t->size) {
	case 1:
		t->value = readb(t->addr);
		break;
	case 2:
		t->value = readw(t->addr);
		break;
	case 4:
		t->value = readl(t->addr);
		break;
#ifdef CONFIG_64BIT
	case 8:
		t->value = readq(t->addr);
		break;
#endif
	}
}

static void plain_write(struct io_check_test *t)
{
	switch (t->size) {
	case 1:
		writeb(t->value, t->addr);
		break;
	case 2:
		writew(t->value, t->addr);
		break;
	case 4:
		writel(t->value, t->addr);
		break;
#ifdef CONFIG_64BIT
	case 8:
		writeq(t->value, t->addr);
		break;
#endif
	}
}

#ifdef CONFIG_IO_CHECK
/* A process's, which stays in its register while the kernel runs */
#define TEST_FP		0x3ff123456789abcdULL

static u64 swap_fp(u64 val)
{
	u64 old = TEST_FP;

#ifdef CONFIG_PARISC
	asm volatile("fstd	%%fr12, 0(%0)\n"
		     "	fldd	0(%1), %%fr12"
		     : : "r" (&old), "r" (&val) : "memory");
#endif
	return old;
}

static void checked(struct io_check_test *t, bool write)
{
	const struct io_check_err *err;
	struct io_check c;
	bool kept;
	int ret;
	u64 fp;

	preempt_disable();
	fp = swap_fp(TEST_FP);
	io_check_begin(&c, t->pdev, 0);
	switch (t->size) {
	case 1:
		if (write)
			writeb_check(&c, t->value, t->addr);
		else
			t->value = readb_check(&c, t->addr);
		break;
	case 2:
		if (write)
			writew_check(&c, t->value, t->addr);
		else
			t->value = readw_check(&c, t->addr);
		break;
	case 4:
		if (write)
			writel_check(&c, t->value, t->addr);
		else
			t->value = readl_check(&c, t->addr);
		break;
#ifdef CONFIG_64BIT
	case 8:
		if (write)
			writeq_check(&c, t->value, t->addr);
		else
			t->value = readq_check(&c, t->addr);
		break;
#endif
	}
	ret = io_check_end(&c);
	kept = swap_fp(fp) == TEST_FP;
	preempt_enable();
	if (!ret)
		return;
	err = io_check_error(&c);
	t->errors++;
	t->error = ret;
	snprintf(t->record, sizeof(t->record),
		 "%s bar=%d offset=0x%llx size=%u write=%d cause=%u",
		 kept ? "" : " floating point lost", err->bar, err->offset, err->size,
		 err->write, err->cause);
}

static void stray(struct io_check_test *t)
{
	void __iomem *mapping = t->addr;

	t->addr = (void __iomem *)PAGE_ALIGN((unsigned long)mapping + t->size);
	checked(t, false);
	t->addr = mapping;
}
#endif

static int access_once(struct io_check_test *t, char op)
{
	switch (op) {
	case 'r':
		plain_read(t);
		return 0;
	case 'w':
		plain_write(t);
		return 0;
#ifdef CONFIG_IO_CHECK
	case 'R':
	case 'W':
		checked(t, op == 'W');
		return 0;
	case 'S':
		stray(t);
		return 0;
	case 'X':
		t->value = io_check_test_extable(t->addr);
		return 0;
#endif
	}
	return -EOPNOTSUPP;
}

static ssize_t io_check_test_write(struct file *file, const char __user *user,
				   size_t len, loff_t *ppos)
{
	unsigned int domain, bus, dev, fn, bar, offset, count, i;
	struct io_check_test t = { };
	char buf[96], op;
	int ret = 0;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, user, len))
		return -EFAULT;
	buf[len] = '\0';
	if (sscanf(buf, "%c %x:%x:%x.%x %u %i %u %u %lli", &op, &domain, &bus,
		   &dev, &fn, &bar, &offset, &t.size, &count, &t.value) < 9)
		return -EINVAL;
	if (bar >= PCI_STD_NUM_BARS || !is_power_of_2(t.size) ||
	    t.size > sizeof(long) || offset % t.size)
		return -EINVAL;

	t.pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(dev, fn));
	if (!t.pdev)
		return -ENODEV;
	if (!(pci_resource_flags(t.pdev, bar) & IORESOURCE_MEM) ||
	    offset + t.size > pci_resource_len(t.pdev, bar)) {
		ret = -ENXIO;
		goto put;
	}
	t.addr = ioremap(pci_resource_start(t.pdev, bar) + offset, t.size);
	if (!t.addr) {
		ret = -ENOMEM;
		goto put;
	}
	for (i = 0; i < count && !ret; i++)
		ret = access_once(&t, op);
	iounmap(t.addr);

	mutex_lock(&io_check_test_lock);
	snprintf(io_check_test_result, sizeof(io_check_test_result),
		 "count=%u errors=%u error=%d value=0x%llx%s\n",
		 count, t.errors, t.error, t.value, t.record);
	mutex_unlock(&io_check_test_lock);
put:
	pci_dev_put(t.pdev);
	return ret ?: len;
}

static ssize_t io_check_test_read(struct file *file, char __user *user,
				  size_t len, loff_t *ppos)
{
	ssize_t ret;

	mutex_lock(&io_check_test_lock);
	ret = simple_read_from_buffer(user, len, ppos, io_check_test_result,
				      strlen(io_check_test_result));
	mutex_unlock(&io_check_test_lock);
	return ret;
}

static const struct file_operations io_check_test_fops = {
	.owner	= THIS_MODULE,
	.read	= io_check_test_read,
	.write	= io_check_test_write,
};

static int __init io_check_test_init(void)
{
	io_check_test_file = debugfs_create_file("io_check_test", 0600, NULL,
						 NULL, &io_check_test_fops);
	return PTR_ERR_OR_ZERO(io_check_test_file);
}
module_init(io_check_test_init);

static void __exit io_check_test_exit(void)
{
	debugfs_remove(io_check_test_file);
}
module_exit(io_check_test_exit);

MODULE_DESCRIPTION("Register accesses for selftests/io_check");
MODULE_LICENSE("GPL");
