// SPDX-License-Identifier: GPL-2.0
/*
 * el2_traps - checked loads in places where an SError is another's, or is masked
 *
 *	insmod el2_traps.ko dead=ADDRESS live=ADDRESS stub=ADDRESS trap=masked|store
 *
 * Physical addresses of registers, and the virtual one of __io_check_ld32, which is not
 * exported.  el2.ko raises the SErrors.  Each trap ends in a panic.  The module does not
 * stay: insmod fails with "Operation canceled" after a trap that did not.
 */

#define pr_fmt(fmt) "el2_traps: " fmt

#include <linux/io.h>
#include <linux/io_check.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <asm/daifflags.h>
#include <asm/sysreg.h>

static ulong dead;
module_param(dead, ulong, 0);
static ulong live;
module_param(live, ulong, 0);
static ulong stub;
module_param(stub, ulong, 0);
static char *trap = "";
module_param(trap, charp, 0);

/*
 * Nothing is claimed with SErrors masked, as in entry code: the error stays pending until
 * they are not, and what is seen before says so.
 */
static u32 masked(struct io_check *c, void __iomem *bad)
{
	unsigned long flags, pending;
	u32 val;

	flags = local_daif_save();
	val = readl_check(c, bad);
	pending = read_sysreg(isr_el1);
	pr_info("masked: value 0x%x, ISR_EL1 0x%lx\n", val, pending);
	local_daif_restore(flags);
	return val;
}

/*
 * A store that fails, and a checked load of a register that lives.  Between the two are
 * blr, bti, b, mrs, msr, dsb and isb: see io_check_stubs.S.
 */
static u32 store(struct io_check *c, void __iomem *bad, void __iomem *good)
{
	register u32 x0 asm("x0");
	register void __iomem *x1 asm("x1") = good;
	register struct io_check *x2 asm("x2") = c;
	register void __iomem *x7 asm("x7") = bad;
	register ulong x8 asm("x8") = stub;

	asm volatile("str	wzr, [%[bad]]\n"
		     "blr	%[stub]"
		     : "=r" (x0)
		     : [bad] "r" (x7), [stub] "r" (x8), "r" (x1), "r" (x2)
		     : __IO_CHECK_CLOBBERS);
	return x0;
}

static int __init el2_traps_init(void)
{
	struct pci_dev *pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, NULL);
	void __iomem *bad = ioremap(dead, 4), *good = ioremap(live, 4);
	struct io_check c;
	int ret = -ENOMEM;
	u32 val;

	if (!pdev || !bad || !good)
		goto out;
	ret = -EINVAL;
	io_check_begin(&c, pdev, IO_CHECK_READS);
	if (!strcmp(trap, "masked"))
		val = masked(&c, bad);
	else if (!strcmp(trap, "store"))
		val = store(&c, bad, good);
	else
		goto out;
	pr_info("%s: value 0x%x, %s\n", trap, val, io_check_end(&c) ? "failed" : "good");
	ret = -ECANCELED;
out:
	if (good)
		iounmap(good);
	if (bad)
		iounmap(bad);
	pci_dev_put(pdev);
	return ret;
}
module_init(el2_traps_init);

MODULE_DESCRIPTION("SErrors that are not a checked load's to claim");
MODULE_LICENSE("GPL");
