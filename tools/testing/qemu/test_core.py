# SPDX-License-Identifier: GPL-2.0
"""The core's KUnit suite and that of DMA hints, whole, and what shows that each case can fail.

A mutant is the patched kernel with one guard taken out; the case that watches
it has to go red.  Each rebuilds a file or two and boots once.
"""

import re
import subprocess

import pytest

import boot
import demo
import results
from test_check import BASE, MACHINES, green, on
from test_series import kernel

MACHINE, ARCH, VARIANT = "powernv9", "ppc64", "on+builtin+inject"
# Where no bus fails an access, the kernel's own injection has to give each cause
ELSEWHERE = [m for m in MACHINES if not boot.MACHINES[m[0]].faults]
LBA = [m for m in ELSEWHERE if m[1] == "parisc64"]
ROUNDS = 1_000_000
CORE, DEV, RECOVERY, INJECT, HEADER, LBA_HEADER = (
    "drivers/pci/io_check.c", "drivers/pci/io_check_dev.c",
    "drivers/pci/io_check_recovery.c", "drivers/pci/io_check_inject.c",
    "include/linux/io_check.h", "drivers/parisc/lba_io_check.h")

# (what is gone, file, text, its replacement, case that goes red)
MUTANTS = (
    ("the device's own status", CORE,
     "	status = io_check_harvest_one(d, pdev, PCI_STATUS, mask);\n	while",
     "	status = 0;\n	while", "test_harvest"),
    ("the sequence's move before the status is cleared", CORE,
     "		io_check_bump(d);\n		pci_write_config_word",
     "		pci_write_config_word", "test_third_party"),
    ("the status' clearing", CORE,
     "		pci_write_config_word(pdev, where, status);\n",
     "", "test_harvest"),
    ("the mask of io_check_clear_status()", CORE,
     "	status &= mask;\n", "", "test_third_party"),
    ("the snapshot after the harvest, under the lock", CORE,
     "		c->word = atomic_read(&io_check_seq) | c->stop;\n"
     "		raw_spin_unlock", "		raw_spin_unlock",
     "test_harvest_old"),
    ("the harvest at the beginning", CORE,
     "		io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);\n		c->word",
     "		c->word", "test_harvest_old"),
    ("the stamp of the domain", CORE,
     "	hit = (s32)(atomic_read(&d->stamp) - seq) > 0;",
     "	hit = true;", "test_other_domain"),
    ("the wrap of the sequence", CORE,
     "	hit = (s32)(atomic_read(&d->stamp) - seq) > 0;",
     "	hit = atomic_read(&d->stamp) > (s32)seq;", "test_seq_wraps"),
    ("the sticky error", CORE,
     "		c->stop |= IO_CHECK_STOP_DEAD;\n", "		;\n",
     "test_sticky"),
    ("CONTINUE", CORE,
     "	if (!(c->flags & IO_CHECK_CONTINUE) || err->cause == IO_CHECK_GONE)",
     "	if (1)", "test_continue"),
    ("the first error's place in the record", CORE,
     "	if (c->stop & IO_CHECK_STOP_FAILED) {\n		c->err.count++;\n		return;\n	}\n",
     "", "test_continue"),
    ("the record's BAR", CORE, "			err->bar = bar;\n", "",
     "test_inject_filters"),
    ("the record's time", CORE, "	c->err.time_ns = local_clock();\n", "",
     "test_record"),
    ("the record's words of the architecture", CORE,
     "	memcpy(err.raw, c->fault.raw, sizeof(err.raw));\n", "",
     "test_record"),
    ("the order of causes of latched status", CORE,
     "	if (status & PCI_STATUS_REC_MASTER_ABORT)\n"
     "		return IO_CHECK_NO_RESPONSE;\n", "", "test_harvest"),
    ("FLUSH", CORE, "			readl_check(c, flush);\n", "			;\n",
     "test_flush"),
    ("the sentinel's suspicion of zero", CORE,
     "	if (!(c.stop & IO_CHECK_STOP_FAILED) && val && val != ~0U)",
     "	if (!(c.stop & IO_CHECK_STOP_FAILED) && val != ~0U)", "test_sentinel"),
    ("the sentinel's say in time-outs", RECOVERY,
     "	if (io_check_dead(r) || io_check_alive(r->pdev, &err))\n",
     "	if (true)\n", "test_timed_out"),
    ("the sentinel's say before a reset", RECOVERY,
     " && io_check_alive(pdev, NULL) &&\n", " &&\n", "test_timed_out"),
    ("the end of a silent device", RECOVERY,
     "	if (time_after(jiffies, r->heard + limit)) {", "	if (0) {", "test_no_answer"),
    ("the answer to a reset that failed", RECOVERY,
     "		r->heard = jiffies;\n", "", "test_answers_between"),
    ("the end of resets that fail", RECOVERY,
     "	} else if (time_after(jiffies, start + IO_CHECK_RESET_TIMEOUTS * limit)) {",
     "	} else if (0) {", "test_resets_fail"),
    ("a recovery's state in sysfs", DEV,
     "	if (state == IO_CHECK_OK && io_check_dev_recovers(idev->pdev))\n"
     "		state = IO_CHECK_RECOVERING;\n", "", "test_state"),
    ("the query's look for the device", CORE,
     "	if (!pci_device_is_present(pdev))\n		return IO_CHECK_GONE;\n", "",
     "test_query"),
    ("the query's look for memory decoding", CORE,
     "	    !(word & PCI_COMMAND_MEMORY))", "	    false)", "test_query"),
    ("the query's latched status", CORE,
     "	cause = io_check_status_cause(status);\n	if (!cause &&",
     "	cause = IO_CHECK_NONE;\n	if (!cause &&", "test_query"),
    ("the query's deafness to SERR#", CORE,
     "PCI_STATUS_ERROR_BITS &\n					   ~PCI_STATUS_SIG_SYSTEM_ERROR",
     "PCI_STATUS_ERROR_BITS", "test_query"),
    ("the query's sentinel", CORE,
     "	if (!cause && !resets && io_check_ask_sentinel(pdev) == IO_CHECK_SILENT)",
     "	if (false)", "test_query"),
    ("the query's patience in a reset", CORE,
     "	bool resets = io_check_dev_recovers(pdev);",
     "	bool resets = false;", "test_query_in_reset"),
    ("the isolated channel", CORE,
     "		else if (c->pdev->error_state == pci_channel_io_frozen &&\n"
     "			 !(c->flags & IO_CHECK_CONTINUE))\n"
     "			err.cause = IO_CHECK_FROZEN;\n", "", "test_channel"),
    ("the removed channel", CORE,
     "		if (c->pdev->error_state == pci_channel_io_perm_failure)\n"
     "			err.cause = IO_CHECK_GONE;\n		else if", "		if",
     "test_channel"),
    ("io_check_failed() of a harvesting session", CORE,
     "	return c->stop & ~(IO_CHECK_STOP_INJECT | IO_CHECK_STOP_ASK) ||\n",
     "	return c->stop ||\n", "test_harvest"),
    ("what GATED leaves out", CORE,
     "	if (!(c->flags & IO_CHECK_GATED)) {\n", "	if (1) {\n", "test_channel"),
    ("the sequence in io_check_clean()", HEADER,
     "	return (u32)atomic_read(&io_check_seq) == c->word;",
     "	return !c->stop;", "test_resume"),
    ("the state in io_check_clean()", HEADER,
     "	return (u32)atomic_read(&io_check_seq) == c->word;",
     "	return (u32)atomic_read(&io_check_seq) == c->word - c->stop;", "test_resume"),
    ("the vendor ID behind all-ones", HEADER,
     "	if (*val == ~0U && !pci_device_is_present(pdev))\n"
     "		ret = -ENODEV;\n", "", "test_once"),
    ("the DMA's status", CORE,
     "		err.cause = io_check_status_cause(err.value);\n	}\n", "	}\n",
     "test_dma"),
    ("the errno of a time-out", CORE,
     "	[IO_CHECK_TIMEOUT]	= -ETIMEDOUT,\n", "",
     "test_inject_kinds"),
    ("the hourly limit", DEV,
     "	over = idev->offline_on_error || idev->failures > idev->limit;",
     "	over = idev->offline_on_error;", "test_limit"),
    ("the hour", DEV, "	if (now - idev->since >= 3600) {",
     "	if (0) {", "test_limit"),
    ("offline_on_error", DEV,
     "	over = idev->offline_on_error || idev->failures > idev->limit;",
     "	over = idev->failures > idev->limit;",
     "test_offline_on_error"),
    ("the look for a removed device", DEV,
     "	if (!pci_device_is_present(pdev)) {", "	if (0) {",
     "test_removed"),
    ("the platform's right to recover", DEV,
     "	if (err->cause == IO_CHECK_FROZEN && !err->injected)\n"
     "		return;\n", "", "test_native"),
    ("resume after recovery", DEV, "	if (h->resume)\n		h->resume(pdev);\n",
     "", "test_handlers"),
    ("slot_reset", DEV, "		res = h->slot_reset(pdev);\n", "		;\n",
     "test_handlers"),
    ("the end of an offline device with its driver", DEV,
     "		pdev->error_state = pci_channel_io_normal;\n", "		;\n",
     "test_limit"),
    ("Bus Master off when offline", DEV, "		pci_clear_master(pdev);\n",
     "", "test_limit"),
    ("the device's count", DEV, "		idev->errors[err->cause]++;\n", "",
     "test_counts"),
    ("suppress", INJECT, "	if (inj->pop && err->cause != IO_CHECK_GONE) {",
     "	if (err->cause != IO_CHECK_GONE) {", "test_inject_modes"),
    ("pop", INJECT, "	if (inj->pop && err->cause != IO_CHECK_GONE) {",
     "	if (0) {", "test_inject_modes"),
    ("the filter of BARs", INJECT,
     "	if (err->bar >= 0 && !(inj->bars & BIT(err->bar)))\n"
     "		return false;\n", "", "test_inject_filters"),
    ("nth", INJECT, "	if (atomic_dec_if_positive(&inj->nth) == 0) {",
     "	if (atomic_dec_if_positive(&inj->nth) >= 0) {", "test_inject_nth"),
    ("then", INJECT, "atomic_xchg(&inj->then, 0)", "0", "test_inject_nth"),
    ("next_nth", INJECT, "atomic_xchg(&io_check_next_nth, 0)", "1",
     "test_clean"),
)

# Of the LBA's error registers, which are a model's
LBA_MUTANTS = (
    ("CE before CL", LBA_HEADER,
     "	regs->write(regs, control | CLEAR_ERRLOG_ENABLE, LBA_STAT_CTL);\n",
     "", "test_master_abort_is_taken_once"),
    ("CE before the status is read", LBA_HEADER,
     "		regs->write(regs, control | CLEAR_ERRLOG, LBA_STAT_CTL);\n",
     "		regs->write(regs, control | CLEAR_ERRLOG_ENABLE, LBA_STAT_CTL),\n"
     "		regs->write(regs, control | CLEAR_ERRLOG, LBA_STAT_CTL);\n",
     "test_late_error_is_not_lost"),
    ("fatal mode", LBA_HEADER, "error && !(error & LBA_FATAL_ERROR)", "error",
     "test_fatal_mode_stays"),
    ("the control register's own value", LBA_HEADER,
     "	regs->write(regs, control, LBA_STAT_CTL);\n", "", "test_no_error"),
    ("the master abort's cause", LBA_HEADER,
     "	if (error & LBA_MASTER_ABORT_ERROR)\n		return IO_CHECK_NO_RESPONSE;\n",
     "", "test_causes"),
)

# Of DMA hints; the same kernel runs their suite as well
HINTS, PCI_HINTS, SBA_HINTS = ("kernel/dma/hints.c", "drivers/pci/dma_hints.c",
                               "drivers/parisc/dma_hints.h")
HINTS_MUTANTS = (
    ("a hint's read back", HINTS,
     "	return (now ^ val) & mask ? -EIO : 0;", "	return 0;",
     "test_does_not_stick"),
    ("a set's roll-back", HINTS,
     "			hint_roll_back(plan, pdev);\n", "", "test_fail_nth"),
    ("the roll-back's order", HINTS,
     "	for (c = plan->change + plan->n - 1; c >= plan->change; c--) {",
     "	for (c = plan->change; c < plan->change + plan->n; c++) {",
     "test_roll_back_order"),
    ("the end of a provider", HINTS, "			c->p->dead = true;\n", "",
     "test_dead"),
    ("others' claims", HINTS,
     "		ret = hint_check_claims(hd, &plan->change[i]);", "		ret = 0;",
     "test_busy"),
    ("one hardware behind two providers", HINTS,
     "	return p == q || (p->ops == q->ops && p->priv && p->priv == q->priv);",
     "	return p == q;", "test_busy_elsewhere"),
    ("others' claims at a reset", HINTS, "				mask &= ~theirs->mask;",
     "				;", "test_busy"),
    ("what was there before all claims", HINTS,
     "			original = (original & ~mask) | (claim->old & mask);",
     "			(void)mask;", "test_busy"),
    ("a removed device's claims", HINTS, "		hint_release(hd, true);\n", "",
     "test_forget"),
    ("a removed device's silence", HINTS,
     " && !(gone && claim->p->dev == hd->dev)", "", "test_forget"),
    ("the order of writes to memory", HINTS,
     "		if (slot_cmd(slot) == DMA_HINT_MW && val)", "		if (false)",
     "test_refusals"),
    ("consistent mappings' read current", HINTS,
     "		if (slot_class(slot) == DMA_HINT_CONSISTENT && !val)",
     "		if (false)", "test_refusals"),
    ("the refusal of cells that are tied", HINTS,
     "		ret = hint_override(plan, hint_refuse(hd, other, val));",
     "		ret = 0;", "test_refusals"),
    ("the boot parameter", HINTS,
     "error != -EPERM || !dma_hints_unsafe || ", "error != -EPERM || ",
     "test_refusals"),
    ("the taint", HINTS, "	if (plan->unsafe)\n", "	if (0)\n", "test_unsafe"),
    ("the boot parameter of raw writes", HINTS,
     "	if (!dma_hints_unsafe || !capable(CAP_SYS_RAWIO))\n		return -EPERM;\n",
     "", "test_raw"),
    ("requests that say their length", HINTS,
     "	if (id <= DMA_HINT_BLOCK && path_says_length(pdev))",
     "	if (false)", "test_refusals"),
    ("the nearest provider's right", HINTS,
     "		if (!(HINT_ALL_OF_PATH & BIT(id)))\n			break;\n	}\n	return found ? 0 : hint_error",
     "	}\n	return found ? 0 : hint_error", "test_path"),
    ("order's way to memory", HINTS,
     "		if (!(HINT_ALL_OF_PATH & BIT(id)))\n			break;\n	}\n	return found ? 0 : hint_error",
     "		break;\n	}\n	return found ? 0 : hint_error", "test_path"),
    ("absent registers", HINTS, "			absent |= BIT(r - p->ops->regs);",
     "			;", "test_refusals"),
    ("a silent provider", HINTS,
     "	if (p->ops->sane != DMA_HINT_NO_REG &&\n"
     "	    (hint_read(p, pdev, p->ops->sane, &val) || (u32)val == ~0U))\n"
     "		return -EIO;\n", "", "test_silent"),
    ("the IOMMU's page", HINTS, " && p->page && val > p->page)", " && false)",
     "test_refusals"),
    ("a VF's silence", PCI_HINTS,
     "	if (pdev->is_virtfn)\n		return -EOPNOTSUPP;	/* the PF's to set */\n",
     "", "test_virtual_function"),
    ("a root port's quirk", PCI_HINTS,
     "		    root->dev_flags & PCI_DEV_FLAGS_NO_RELAXED_ORDERING)",
     "		    false)", "test_refusals"),
    ("a host bridge's largest read", PCI_HINTS,
     "	if (pci_find_host_bridge(pdev->bus)->no_inc_mrrs &&", "	if (false &&",
     "test_refusals"),
    ("a bus' largest read", PCI_HINTS,
     "	if (pdev->bus->bus_flags & PCI_BUS_FLAGS_NO_MMRBC &&", "	if (false &&",
     "test_refusals"),
    ("PCI-X' design limit", PCI_HINTS,
     "		return -EINVAL;		/* more than it was designed for */",
     "		return 0;", "test_refusals"),
    ("the width of a hint set's bits", SBA_HINTS,
     "	return (dma_addr_t)set << iov_bits;", "	return (int)set << iov_bits;",
     "test_sba_arithmetic"),
)

# Of AER's recovery, seen by aer.sh with a fatal error, where there are slots
SLOTS = [m for m in MACHINES if boot.MACHINES[m[0]].slots]
AER_MUTANTS = (
    ("the settings of the bridge above", RECOVERY,
     "	if (bridge)\n		io_check_restore(bridge);\n", "	(void)bridge;\n"),
    ("the channel's state", RECOVERY,
     "	pdev->error_state = pci_channel_io_normal;\n	clear_bit", "	clear_bit"),
)

# Of the race: they need two CPUs and time
RACE_TRIES = 5
RACES = (
    ("the bump before the unlock", CORE,
     (("	if (status) {\n		io_check_bump(d);\n", "	if (status) {\n"),
      ("		err.value = io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);\n"
       "		raw_spin_unlock_irqrestore(&d->lock, flags);\n",
       "		err.value = io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);\n"
       "		raw_spin_unlock_irqrestore(&d->lock, flags);\n"
       "		raw_spin_lock_irqsave(&d->lock, flags);\n"
       "		if (err.value)\n			io_check_bump(d);\n"
       "		raw_spin_unlock_irqrestore(&d->lock, flags);\n"))),
    ("the lock around the snapshot", CORE,
     (("		raw_spin_lock_irqsave(&d->lock, flags);\n"
       "		io_check_harvest(d, c->pdev, PCI_STATUS_ERROR_BITS);\n"
       "		c->word = atomic_read(&io_check_seq) | c->stop;\n"
       "		raw_spin_unlock_irqrestore(&d->lock, flags);\n",
       "		c->word = atomic_read(&io_check_seq) | c->stop;\n"
       "		(void)flags;\n		(void)d;\n"),)),
)


def suite(tree, log, rounds=1000, smp=1, machine=MACHINE, arch=ARCH,
          suites=("io_check",)):
    """Boot the suite, or others; return the Result and {case: passed}."""
    result = boot.boot(machine, base=BASE, arch=arch, tree=tree, variant=VARIANT,
                       run=[f"kunit:{name}" for name in suites], smp=smp,
                       append=f"io_check_kunit.race_rounds={rounds}",
                       timeout=400, log=boot.BUILD / "check" / f"{BASE}-{log}")
    # KUnit cuts what debugfs shows of a case with many failures
    cases = {name: word == "ok" for word, name in re.findall(
        r"^\[ *[\d.]+\] +(ok|not ok) \d+ (test_\w+)",
        result.console.read_text(), re.M)}
    return result, cases


def test_core(seen):
    """The whole suite, with fault injection, and a million rounds a CPU."""
    result, cases = suite("patched", "core", ROUNDS, smp=2)
    failed = [name for name, good in cases.items() if not good]
    skipped = len(re.findall(r"# SKIP", result.ktap.read_text()))
    results.write("check-core", bool(cases) and not failed and not skipped,
                  {"passed": len(cases) - len(failed), "failed": len(failed),
                   "skipped": skipped})
    assert not failed and green(result.ktap), result.ktap.read_text()
    assert len(cases) > 30 and not result.complaints()
    # a device that is silent and one that cannot be reset
    text = result.console.read_text()
    assert "io_check: no answer for 2" in text, text
    assert "io_check: it answers, but no reset worked for 6" in text, text
    assert f"{ROUNDS} rounds, 2 CPUs online" in result.ktap.read_text()
    seen.cell(MACHINE, ARCH, "registers", "kernel", result.ktap)


@on(ELSEWHERE)
def test_core_elsewhere(machine, arch, seen):
    """The suite on machines whose buses fail nothing, and the LBA's on its model."""
    kernel("patched", arch, VARIANT)
    suites = ["io_check"] + ["lba_io_check"] * ((machine, arch) in LBA)
    result, cases = suite("patched", f"core-{machine}-{arch}", machine=machine,
                          arch=arch, suites=suites)
    assert green(result.ktap) and all(cases.values()), result.ktap.read_text()
    assert not result.complaints()
    assert {"test_inject_kinds", "test_inject_modes", "test_inject_flip",
            *(m[4] for m in LBA_MUTANTS if len(suites) > 1)} <= set(cases)
    seen.cell(machine, arch, "registers", "kernel", result.ktap)


@pytest.fixture(scope="module")
def mutant():
    """The patched tree a second time; returns what breaks and mends it."""
    subprocess.run([boot.TOP / "scripts/series.py", "patched", BASE, "--dest",
                    boot.BUILD / BASE / "mutant"], check=True)
    whole = {}

    def build(file, pairs, arch=ARCH, image="vmlinux"):
        """Replace each text of pairs in file, which has it once, and build."""
        path = boot.BUILD / BASE / "mutant" / file
        mend()
        text = whole.setdefault(path, path.read_text())
        for old, new in pairs:
            assert text.count(old) == 1, f"{file} has not once:\n{old}"
            text = text.replace(old, new)
        path.write_text(text)
        kernel("mutant", arch, VARIANT, image)

    def mend():
        for path, text in whole.items():
            if path.read_text() != text:
                path.write_text(text)

    yield build
    mend()


@pytest.mark.parametrize("what,file,old,new,case", MUTANTS + HINTS_MUTANTS,
                         ids=[re.sub(r"\W+", "-", m[0])
                              for m in MUTANTS + HINTS_MUTANTS])
def test_mutant_red(mutant, what, file, old, new, case):
    """Without a guard the case that watches it fails."""
    mutant(file, [(old, new)])
    result, cases = suite("mutant", "mutant")
    assert cases.get(case) is False, f"without {what}: {cases}"


@on(LBA)
@pytest.mark.parametrize("what,file,old,new,case", LBA_MUTANTS,
                         ids=[re.sub(r"\W+", "-", m[0]) for m in LBA_MUTANTS])
def test_mutant_lba_red(mutant, what, file, old, new, case, machine, arch):
    """Without what makes the LBA's error log work the model's case fails."""
    mutant(file, [(old, new)], arch)
    result, cases = suite("mutant", "mutant-lba", machine=machine, arch=arch,
                          suites=["lba_io_check"])
    assert cases.get(case) is False, f"without {what}: {cases}"


@on(SLOTS)
@pytest.mark.parametrize("what,file,old,new", AER_MUTANTS,
                         ids=[re.sub(r"\W+", "-", m[0]) for m in AER_MUTANTS])
def test_mutant_aer_red(mutant, what, file, old, new, machine, arch):
    """Without what a reset of the link asks for the adapter is lost."""
    mutant(file, [(old, new)], arch, boot.facts(arch)["IMAGE"])
    result = boot.boot(machine, base=BASE, arch=arch, tree="mutant",
                       variant=VARIANT, run=["aer"], args=[1], disks=demo.layout(3),
                       log=boot.BUILD / "check" / f"{BASE}-mutant-aer", monitor=[
                           ("aer: now 1", "pcie_aer_inject_error bridge0 MALF_TLP")])
    assert "not ok 2 recovered from error 1" in result.ktap.read_text(), what


@pytest.mark.parametrize("what,file,pairs", RACES,
                         ids=[re.sub(r"\W+", "-", m[0]) for m in RACES])
def test_mutant_race_red(mutant, what, file, pairs):
    """Without its order or its lock a harvest loses errors of another CPU.

    Two virtual CPUs that have to share one of the host's seldom meet: on a busy
    host it takes more than one try.
    """
    mutant(file, pairs)
    for _ in range(RACE_TRIES):
        result, cases = suite("mutant", "mutant-race", ROUNDS, smp=2)
        if cases.get("test_race") is False:
            break
    assert cases.get("test_race") is False, f"without {what}: {cases}"
    lost = re.findall(r"lost == (\d+)", result.console.read_text())
    print(f"  LOST    without {what}: {lost}")
