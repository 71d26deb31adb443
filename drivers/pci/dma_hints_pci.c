// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA hints: the registers in a function's configuration space, and what the
 * bridges above it say that bears on them.
 */

#include <linux/dma-hints.h>
#include <linux/io_check.h>
#include <linux/pci.h>
#include <linux/sysfs.h>
#include "dma_hints.h"
#include "pci.h"

/* Numbers of the registers; where they are depends on the function */
enum { REG_DEVCTL = 1, REG_PCIX };

#define BOTH_CLASSES	(BIT(DMA_HINT_CONSISTENT) | BIT(DMA_HINT_STREAMING))

/* PCI Express 7.5.3.4, PCI-X 1.0b 7.2.3 */
static const u32 pcie_blocks[] = { 128, 256, 512, 1024, 2048, 4096 };
static const u32 pcix_blocks[] = { 512, 1024, 2048, 4096 };

static const struct dma_hint_field pcie_fields[] = {
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_COMMANDS, .reg = REG_DEVCTL,
	  .mask = PCI_EXP_DEVCTL_RELAX_EN, .unit = PCI_EXP_DEVCTL_RELAX_EN },
	{ .id = DMA_HINT_BLOCK, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_READS, .reg = REG_DEVCTL,
	  .mask = PCI_EXP_DEVCTL_READRQ, .unit = 1 << 12,
	  .values = pcie_blocks, .nr_values = ARRAY_SIZE(pcie_blocks) },
	{ }
};

static const struct dma_hint_field pcix_fields[] = {
	{ .id = DMA_HINT_RELAXED_ORDER, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_COMMANDS, .reg = REG_PCIX,
	  .mask = PCI_X_CMD_ERO, .unit = PCI_X_CMD_ERO },
	{ .id = DMA_HINT_BLOCK, .classes = BOTH_CLASSES,
	  .commands = DMA_HINT_READS, .reg = REG_PCIX,
	  .mask = PCI_X_CMD_MAX_READ, .unit = 1 << 2,
	  .values = pcix_blocks, .nr_values = ARRAY_SIZE(pcix_blocks) },
	{ }
};

int dma_hint_pcix_cap(struct pci_dev *pdev)
{
	return pci_find_capability(pdev, PCI_CAP_ID_PCIX);
}

bool dma_hint_bus_is_pcix(struct pci_bus *bus)
{
	switch (bus->cur_bus_speed) {
	case PCI_SPEED_66MHz_PCIX ... PCI_SPEED_133MHz_PCIX:
	case PCI_SPEED_66MHz_PCIX_ECC ... PCI_SPEED_133MHz_PCIX_ECC:
	case PCI_SPEED_66MHz_PCIX_266 ... PCI_SPEED_133MHz_PCIX_533:
		return true;
	default:
		return false;
	}
}

static int pci_hint_where(struct pci_dev *pdev, u32 reg)
{
	return reg == REG_DEVCTL ? pci_pcie_cap(pdev) + PCI_EXP_DEVCTL :
				   dma_hint_pcix_cap(pdev) + PCI_X_CMD;
}

/* All-ones is no value of either register, but a function that does not answer. */
static int pci_hint_get(void *priv, struct pci_dev *pdev, u32 reg, u32 *val)
{
	struct io_check c;
	u16 word;
	int ret;

	io_check_begin(&c, pdev, IO_CHECK_READS);
	ret = pci_read_config_word(pdev, pci_hint_where(pdev, reg), &word);
	*val = word;
	return io_check_end(&c) ?: ret || word == 0xffff ? -EIO : 0;
}

/* By the helpers that others change them with, for their locks and their checks */
static int pci_hint_set(void *priv, struct pci_dev *pdev, u32 reg, u32 mask, u32 bits)
{
	int where = pci_hint_where(pdev, reg), ret;
	struct io_check c;
	u32 old;

	ret = pci_hint_get(priv, pdev, reg, &old);
	if (ret)
		return ret;
	io_check_begin(&c, pdev, IO_CHECK_HARVEST);
	if (mask == PCI_EXP_DEVCTL_READRQ)
		ret = pcie_set_readrq(pdev, 128 << (bits >> 12));
	else if (reg == REG_DEVCTL)
		ret = pcie_capability_clear_and_set_word(pdev, PCI_EXP_DEVCTL,
							 mask, bits);
	else if (mask == PCI_X_CMD_MAX_READ)
		ret = pcix_set_mmrbc(pdev, 512 << (bits >> 2));
	else
		ret = pci_write_config_word(pdev, where, (old & ~mask) | bits);
	return io_check_end(&c) ?: ret ? -EIO : 0;
}

/* What a read gave of a size: none of a function that does not answer */
static u32 pci_hint_size(int size)
{
	return size < 0 || size > 4096 ? 0 : size;
}

/* Longest read that a function may be set to ask for, in bytes; 0: no answer */
static u32 pci_hint_max_block(struct pci_dev *pdev, const char **why)
{
	u32 status;

	if (pci_is_pcie(pdev)) {
		/* as pcie_set_readrq() */
		*why = "host bridge, not above what firmware set";
		if (pci_find_host_bridge(pdev->bus)->no_inc_mrrs)
			return pci_hint_size(pcie_get_readrq(pdev));
		*why = "pci=pcie_bus_perf";
		if (pcie_bus_config == PCIE_BUS_PERFORMANCE)
			return pci_hint_size(pcie_get_mps(pdev));
		*why = "";
		return 4096;
	}
	*why = "function, as designed";
	if (pci_read_config_dword(pdev, dma_hint_pcix_cap(pdev) + PCI_X_STATUS,
				  &status) || PCI_POSSIBLE_ERROR(status))
		return 0;
	if (pdev->bus->bus_flags & PCI_BUS_FLAGS_NO_MMRBC) {
		*why = "bridge, not above what firmware set";
		return pci_hint_size(pcix_get_mmrbc(pdev));
	}
	return 512 << ((status & PCI_X_STATUS_MAX_READ) >> 21);
}

static int pci_hint_refuse(void *priv, struct pci_dev *pdev,
			   const struct dma_hint_field *f, u32 val)
{
	const char *why;

	return f->id == DMA_HINT_BLOCK && val > pci_hint_max_block(pdev, &why) ?
	       -EPERM : 0;
}

static const struct dma_hint_ops pcie_hint_ops = {
	.name	= "function",
	.grain	= DMA_HINT_FUNCTION,
	.fields	= pcie_fields,
	.refuse	= pci_hint_refuse,
	.get	= pci_hint_get,
	.set	= pci_hint_set,
};

static const struct dma_hint_ops pcix_hint_ops = {
	.name	= "function",
	.grain	= DMA_HINT_FUNCTION,
	.fields	= pcix_fields,
	.refuse	= pci_hint_refuse,
	.get	= pci_hint_get,
	.set	= pci_hint_set,
};

/* A VF has its PF's (SR-IOV 1.1 3.5.4); a bridge forwards what others ask for. */
const struct dma_hint_ops *dma_hint_function_ops(struct pci_dev *pdev)
{
	if (pdev->is_virtfn || pdev->hdr_type != PCI_HEADER_TYPE_NORMAL)
		return NULL;
	if (pci_is_pcie(pdev))
		return &pcie_hint_ops;
	return dma_hint_pcix_cap(pdev) ? &pcix_hint_ops : NULL;
}

/* Say what block may be, if it is the function's. */
void dma_hint_limit_block(struct pci_dev *pdev, struct dma_hint_cap *cap)
{
	const char *why;

	if (!cap->max || !dma_hint_function_ops(pdev))
		return;
	cap->max = pci_hint_max_block(pdev, &why);
	strscpy(cap->limit, why, sizeof(cap->limit));
}

static const char *pcie_hop_name(struct pci_dev *hop)
{
	switch (pci_pcie_type(hop)) {
	case PCI_EXP_TYPE_ROOT_PORT:
		return "root-port";
	case PCI_EXP_TYPE_UPSTREAM:
		return "switch-upstream";
	case PCI_EXP_TYPE_DOWNSTREAM:
		return "switch-downstream";
	case PCI_EXP_TYPE_PCI_BRIDGE:
		return "pcie-to-pci-bridge";
	case PCI_EXP_TYPE_PCIE_BRIDGE:
		return "pci-to-pcie-bridge";
	default:
		return "endpoint";
	}
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static ssize_t pcie_hop_show(struct pci_dev *hop, char *buf, ssize_t len)
{
	ssize_t start = len;
	u16 ctl, ctl2;
	u32 cap;

	len += sysfs_emit_at(buf, len, "%s", pcie_hop_name(hop));
	if (pcie_capability_read_word(hop, PCI_EXP_DEVCTL, &ctl) || ctl == 0xffff ||
	    pcie_capability_read_word(hop, PCI_EXP_DEVCTL2, &ctl2) || ctl2 == 0xffff ||
	    pcie_capability_read_dword(hop, PCI_EXP_DEVCAP, &cap) ||
	    PCI_POSSIBLE_ERROR(cap))
		return len + sysfs_emit_at(buf, len, " does-not-answer") - start;
	if (hop->hdr_type == PCI_HEADER_TYPE_NORMAL)
		len += sysfs_emit_at(buf, len,
				     " relaxed_order=%s no_snoop=%s readrq=%d ido=%s",
				     on_off(ctl & PCI_EXP_DEVCTL_RELAX_EN),
				     on_off(ctl & PCI_EXP_DEVCTL_NOSNOOP_EN),
				     128 << ((ctl & PCI_EXP_DEVCTL_READRQ) >> 12),
				     on_off(ctl2 & PCI_EXP_DEVCTL2_IDO_REQ_EN));
#ifdef CONFIG_PCIE_TPH
	if (hop->hdr_type == PCI_HEADER_TYPE_NORMAL)
		len += sysfs_emit_at(buf, len, " tph=%s", !hop->tph_cap ? "none" :
				     on_off(hop->tph_enabled));
#endif
	len += sysfs_emit_at(buf, len, " mps=%d/%d extended_tags=%s",
			     128 << ((ctl & PCI_EXP_DEVCTL_PAYLOAD) >> 5),
			     128 << (cap & PCI_EXP_DEVCAP_PAYLOAD),
			     cap & PCI_EXP_DEVCAP_EXT_TAG ?
			     on_off(ctl & PCI_EXP_DEVCTL_EXT_TAG) : "none");
	return len - start;
}

/* PCI-X 1.0b 7.2 and 8.6.2: the bridge's split transaction limits count as well. */
static ssize_t pcix_hop_show(struct pci_dev *hop, int cap, char *buf, ssize_t len)
{
	ssize_t start = len;
	u32 up, down;
	u16 cmd;

	if (hop->hdr_type != PCI_HEADER_TYPE_NORMAL) {
		len += sysfs_emit_at(buf, len, "pci-x-bridge");
		if (!pci_read_config_dword(hop, cap + 8, &up) &&
		    !PCI_POSSIBLE_ERROR(up) &&
		    !pci_read_config_dword(hop, cap + 12, &down) &&
		    !PCI_POSSIBLE_ERROR(down))
			len += sysfs_emit_at(buf, len,
					     " split_upstream=%u/%u split_downstream=%u/%u",
					     up >> 16, up & 0xffff, down >> 16,
					     down & 0xffff);
		return len - start;
	}
	len += sysfs_emit_at(buf, len, "pci-x-function");
	if (!pci_read_config_word(hop, cap + PCI_X_CMD, &cmd) && cmd != 0xffff)
		len += sysfs_emit_at(buf, len, " relaxed_order=%s readrq=%d",
				     on_off(cmd & PCI_X_CMD_ERO),
				     512 << ((cmd & PCI_X_CMD_MAX_READ) >> 2));
	return len - start;
}

static ssize_t conventional_hop_show(struct pci_dev *hop, char *buf, ssize_t len)
{
	ssize_t start = len;
	u8 line, latency;
	u16 cmd;

	len += sysfs_emit_at(buf, len, hop->hdr_type == PCI_HEADER_TYPE_NORMAL ?
			     "pci-function" : "pci-bridge");
	if (!pci_read_config_byte(hop, PCI_CACHE_LINE_SIZE, &line) &&
	    !pci_read_config_byte(hop, PCI_LATENCY_TIMER, &latency) &&
	    !pci_read_config_word(hop, PCI_COMMAND, &cmd) && cmd != 0xffff)
		len += sysfs_emit_at(buf, len, " cache_line=%u latency_timer=%u mwi=%s",
				     line * 4, latency,
				     on_off(cmd & PCI_COMMAND_INVALIDATE));
	return len - start;
}

/* A line for each function from this one to its root bus, as it stands */
ssize_t dma_hint_functions_show(struct pci_dev *pdev, char *buf, ssize_t len)
{
	ssize_t start = len;
	struct pci_dev *hop;
	int cap;

	for (hop = pdev; hop; hop = pci_upstream_bridge(hop)) {
		len += sysfs_emit_at(buf, len, "%s ", pci_name(hop));
		cap = dma_hint_pcix_cap(hop);
		if (pci_is_pcie(hop))
			len += pcie_hop_show(hop, buf, len);
		else if (cap)
			len += pcix_hop_show(hop, cap, buf, len);
		else
			len += conventional_hop_show(hop, buf, len);
		if (hop->dev_flags & PCI_DEV_FLAGS_NO_RELAXED_ORDERING)
			len += sysfs_emit_at(buf, len, " quirk=no-relaxed-ordering");
		len += sysfs_emit_at(buf, len, "\n");
	}
	return len - start;
}
