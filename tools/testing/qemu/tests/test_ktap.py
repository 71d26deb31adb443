# SPDX-License-Identifier: GPL-2.0
"""What the harness makes of results of real runs, which are in data/runs: the register
suite of powernv9 and its vanilla kernel, a storm there, the KUnit suites of its core, a
stray pointer on g3beige, and q35 without io_check.dead_value."""

import pytest

from common import green
from harness import ktap, paths
from harness.result import PANIC, Hits, Result

RUNS = paths.QEMU / "tests/data/runs"


def result(name, outcome="completed"):
    """The Result of a stored run."""
    return Result(outcome, 0, Hits(), RUNS / f"{name}.ktap", RUNS / f"{name}.console")


@pytest.mark.parametrize("name,good", [
    ("suites", True), ("storm", True), ("kunit", True), ("panic", False), ("stray", False),
    ("zeros", False)])
def test_green(name, good):
    """Whole and passed, cut short by a panic, or failed."""
    assert green(RUNS / f"{name}.ktap") == good


@pytest.mark.parametrize("old,new", [
    ("ok 2 pci_burst", "not ok 2 pci_burst"), ("ok 2 pci_burst ran", "ok 2 # SKIP"),
    ("    ok 5 all blocks are good\n", ""), ("1..1", "1..2"),
    ("ok 4 no error", "ok 7 no error"), ("\nok 1 storm\n", "\nnot ok 1 storm # exit 1\n")],
    ids=["failed", "skipped", "missing", "plan", "number", "script"])
def test_green_red(tmp_path, old, new):
    """One line that is another, and it is not green."""
    text = (RUNS / "storm.ktap").read_text()
    assert text.count(old) == 1
    file = tmp_path / "ktap"
    file.write_text(text.replace(old, new))
    assert not green(file)


@pytest.mark.parametrize("old,new", [
    ("        ok 2 test_reads\n", "        not ok 2 test_reads\n"),
    ("        ok 2 test_reads\n", ""), ("io_check\n    1..9\n", "io_check\n    1..10\n"),
    ("ok 1 io_check\n", "not ok 1 io_check\n")],
    ids=["case", "missing", "suite", "module"])
def test_nested_red(tmp_path, old, new):
    """A module of several suites is green if all of them are, and all are there."""
    text = (RUNS / "kunit.ktap").read_text()
    assert text.count(old) == 1
    file = tmp_path / "ktap"
    file.write_text(text.replace(old, new))
    assert not green(file)


def test_nested_cases():
    """Its cases are the module's, whatever their suite."""
    found = list(ktap.cases((RUNS / "kunit.ktap").read_text()))
    assert {suite for suite, _, _ in found} == {"io_check", "powerpc_io_check"}
    for name in ("test_clean", "io_check_access", "io_check"):
        assert found.count(("io_check", name, "pass")) == 1


def test_figures():
    """Figures are summed over the tests and files."""
    assert result("storm").figures()["detected"] == 37
    both = ktap.figures(RUNS / "storm.ktap", RUNS / "suites.ktap")
    assert both["detected"] == 37 + result("suites").figures()["detected"]


def test_adapter():
    """The BARs, and the disks that are on the adapter that is tried."""
    text = (RUNS / "storm.ktap").read_text()
    assert ktap.bars(text) == [(0x600c000000000, 0x600c000003fff)]
    assert ktap.disks(text) == [True, True, False]
    run = result("storm")
    run.hits.count.update({("write", 0x600c000000040, 4): 3, ("read", 0x600c000000044, 4): 2,
                           ("read", 0x700000000, 4): 5})
    assert run.hits_in_bar() == 5 and run.hits_in_bar("write", (0x40, 4)) == 3


def test_panic():
    """The end of a vanilla kernel's console is a panic, by the kernel's or firmware's words."""
    text = result("panic").text()
    words = set(PANIC.findall(text))
    assert words == {"Kernel panic", "Unrecoverable Machine Check",
                     "OPAL: Reboot requested due to Platform error"}
    for word in words:
        text = text.replace(word, "")
    assert not PANIC.search(text)
    # one that is asked for is none
    assert not PANIC.search("Kernel panic - not syncing: sysrq triggered crash")
