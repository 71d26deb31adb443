// SPDX-License-Identifier: GPL-2.0-or-later
/* What the addresses carry that SBA's own code makes, on PA-RISC */

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <asm/ropes.h>
#include "../../parisc/iommu.h"
#include "../../parisc/sba_hints.h"
#include "dma_hints_kunit_expect.h"

#define IOV_BITS	20

struct fake_sba {
	struct pci_hba_data hba;
	struct ioc ioc;
	/* __le64 from Linux 6.12 on */
	typeof(*((struct ioc *)NULL)->pdir_base) pdir[1 << (IOV_BITS - PAGE_SHIFT)];
	u8 res_map[(1 << (IOV_BITS - PAGE_SHIFT)) / 8] __aligned(8);
	u8 regs[PAGE_SIZE] __aligned(8);
};

/* The IOMMU's own driver maps for a, in an I/O virtual space of 1 MB. */
static struct fake_sba *fake_sba(struct kunit *test, unsigned long ibase)
{
	struct fake_sba *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct hints_kunit *k = test->priv;
	unsigned int use;

	KUNIT_ASSERT_NOT_NULL(test, f);
	spin_lock_init(&f->ioc.res_lock);
	f->ioc.ioc_hpa = (void __iomem *)f->regs;
	f->ioc.pdir_base = f->pdir;
	f->ioc.pdir_size = sizeof(f->pdir);
	f->ioc.res_map = f->res_map;
	f->ioc.res_size = sizeof(f->res_map);
	f->ioc.res_hint = (unsigned long *)f->res_map;
	f->ioc.ibase = ibase;
	f->ioc.iovp_mask = sba_iovp_mask(IOV_BITS, PAGE_SHIFT);
	for (use = 0; use < SBA_NR_HINTS; use++)
		f->ioc.hint[use] = sba_hint_bits(IOV_BITS, ibase, use);
	f->hba.iommu = &f->ioc;
	k->a.pdev.dev.platform_data = &f->hba;
	return f;
}

/* Map, look at the address, unmap: nothing stays in the IOMMU. */
static void expect_sets(struct kunit *test, struct fake_sba *f, unsigned long attrs,
			unsigned int consistent, unsigned int streaming)
{
	struct hints_kunit *k = test->priv;
	struct device *dev = &k->a.pdev.dev;
	struct scatterlist sg[3];
	dma_addr_t dma;
	void *mem;
	int i, n;

	mem = dma_alloc_attrs(dev, 3 * PAGE_SIZE, &dma, GFP_KERNEL, attrs);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_EXPECT_EQ(test, dma >> IOV_BITS & 3, consistent);
	dma_free_attrs(dev, 3 * PAGE_SIZE, mem, dma, attrs);

	mem = (void *)__get_free_pages(GFP_KERNEL, 2);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	dma = dma_map_single_attrs(dev, mem + 100, 2 * PAGE_SIZE, DMA_TO_DEVICE, attrs);
	KUNIT_EXPECT_EQ(test, dma >> IOV_BITS & 3, streaming);
	KUNIT_EXPECT_EQ(test, dma & ~PAGE_MASK, 100);
	dma_sync_single_for_cpu(dev, dma, PAGE_SIZE, DMA_TO_DEVICE);
	dma_unmap_single_attrs(dev, dma, 2 * PAGE_SIZE, DMA_TO_DEVICE, attrs);

	for (n = 1; n <= 3; n += 2) {
		sg_init_table(sg, n);
		for (i = 0; i < n; i++)		/* no two that join */
			sg_set_buf(&sg[i], mem + (n - 1 - i) * PAGE_SIZE + 8, 512);
		KUNIT_ASSERT_EQ(test, dma_map_sg_attrs(dev, sg, n, DMA_FROM_DEVICE, attrs), n);
		for (i = 0; i < n; i++) {
			KUNIT_EXPECT_EQ(test, sg_dma_address(&sg[i]) >> IOV_BITS & 3,
					streaming);
			KUNIT_EXPECT_EQ(test, sg_dma_address(&sg[i]) & ~PAGE_MASK, 8);
		}
		dma_unmap_sg_attrs(dev, sg, n, DMA_FROM_DEVICE, attrs);
	}
#if DELAYED_RESOURCE_CNT > 0
	/* what is unmapped is free when there is enough of it */
	while (f->ioc.saved_cnt) {
		dma = dma_map_single_attrs(dev, mem, 1, DMA_TO_DEVICE, attrs);
		dma_unmap_single_attrs(dev, dma, 1, DMA_TO_DEVICE, attrs);
	}
#endif
	free_pages((unsigned long)mem, 2);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(f->res_map, 0, sizeof(f->res_map)), NULL);
}

static void test_sba(struct kunit *test)
{
	struct hints_kunit *k = test->priv;
	struct fake_sba *f;

	if (!sba_list) {
		kunit_skip(test, "no SBA here");
		return;
	}
	f = fake_sba(test, 0);
	hints_map(k);
	expect_sets(test, f, 0, 0, 1);
	expect_sets(test, f, DMA_ATTR_WEAK_ORDERING, 2, 3);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_STREAMING, order_hint(true)), 0);
	expect_sets(test, f, 0, 0, 3);
	KUNIT_EXPECT_EQ(test, driver(&k->a, DMA_HINT_CONSISTENT, order_hint(true)), 0);
	expect_sets(test, f, 0, 2, 3);
	/* masks that cannot hold the bits, asked when mapping */
	k->a.pdev.dma_mask = DMA_BIT_MASK(IOV_BITS + 1);
	expect_sets(test, f, 0, 2, 0);
	k->a.pdev.dev.coherent_dma_mask = DMA_BIT_MASK(IOV_BITS);
	expect_sets(test, f, 0, 0, 0);
	k->a.pdev.dma_mask = DMA_BIT_MASK(32);
	k->a.pdev.dev.coherent_dma_mask = DMA_BIT_MASK(32);
	KUNIT_EXPECT_EQ(test, dma_hints_release(&k->a.pdev, DMA_HINT_DRIVER), 0);
	/* no sets: an address is what it was */
	memset(f->ioc.hint, 0, sizeof(f->ioc.hint));
	expect_sets(test, f, DMA_ATTR_WEAK_ORDERING, 0, 0);
	/* ibase has one of the bits: there is no room for a set */
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 1 << IOV_BITS, 1), 0);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 4 << IOV_BITS, 1), 1 << IOV_BITS);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(30, 0, 3), 3UL << 30);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(31, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, sba_hint_bits(IOV_BITS, 0, 4), 0);
}

/*
 * Map for a function without a driver, so that no DMA is started, by the IOMMU that is
 * there.  Whoever is outside of the machine has a second to read what the IOMMU would go
 * by: the entry of the I/O page directory, a DMA address and the memory it stands for.
 */
static void expect_live(struct kunit *test, struct pci_dev *pdev, unsigned int use)
{
	unsigned long attrs = use & SBA_HINT_RELAXED ? DMA_ATTR_WEAK_ORDERING : 0;
	struct ioc *ioc = GET_IOC(&pdev->dev);
	dma_addr_t dma;
	u64 *entry;
	void *mem;

	if (use & SBA_HINT_STREAMING) {
		mem = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, mem);
		dma = dma_map_single_attrs(&pdev->dev, mem, 64, DMA_TO_DEVICE, attrs);
		KUNIT_ASSERT_FALSE(test, dma_mapping_error(&pdev->dev, dma));
	} else {
		mem = dma_alloc_attrs(&pdev->dev, PAGE_SIZE, &dma, GFP_KERNEL, attrs);
		KUNIT_ASSERT_NOT_NULL(test, mem);
	}
	entry = (u64 *)&ioc->pdir_base[(dma & ioc->iovp_mask) >> PAGE_SHIFT];
	KUNIT_EXPECT_EQ(test, dma & ~(ioc->iovp_mask | ~PAGE_MASK), ioc->ibase | ioc->hint[use]);
	kunit_info(test, "hints: look at mapping %u 0x%llx 0x%llx 0x%llx\n", use,
		   (u64)virt_to_phys(entry), (u64)dma, (u64)virt_to_phys(mem));
	msleep(MSEC_PER_SEC);
	if (use & SBA_HINT_STREAMING)
		dma_unmap_single_attrs(&pdev->dev, dma, 64, DMA_TO_DEVICE, attrs);
	else
		dma_free_attrs(&pdev->dev, PAGE_SIZE, mem, dma, attrs);
}

static void test_sba_live(struct kunit *test)
{
	struct pci_dev *pdev = NULL;
	unsigned int use;

	do {
		pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev);
	} while (pdev && (pdev->dev.driver || pdev->hdr_type || !GET_IOC(&pdev->dev)));
	if (!sba_list || !pdev) {
		pci_dev_put(pdev);
		kunit_skip(test, "no SBA here, or no function without a driver");
		return;
	}
	for (use = 0; use < SBA_NR_HINTS; use++)
		expect_live(test, pdev, use);
	pci_dev_put(pdev);
}

static struct kunit_case sba_cases[] = {
	KUNIT_CASE(test_sba),
	KUNIT_CASE(test_sba_live),
	{ }
};

static struct kunit_suite sba_suite = {
	.name		= "dma_hints_sba",
	.init		= hints_kunit_init,
	.exit		= hints_kunit_exit,
	.test_cases	= sba_cases,
};

kunit_test_suite(sba_suite);
