# SPDX-License-Identifier: GPL-2.0
"""What the harness makes of results of real runs, which are in data/runs: the register
suite of powernv9 and its vanilla kernel, a storm there, a stray pointer on g3beige, and
q35 without io_check.dead_value."""

import pytest

from common import green
from harness import ktap, paths
from harness.result import PANIC, Hits, Result

RUNS = paths.QEMU / "tests/data/runs"


def result(name, outcome="completed"):
    """The Result of a stored run."""
    return Result(outcome, 0, Hits(), RUNS / f"{name}.ktap", RUNS / f"{name}.console")


@pytest.mark.parametrize("name,good", [
    ("suites", True), ("storm", True), ("panic", False), ("stray", False),
    ("zeros", False)])
def test_green(name, good):
    """Whole and passed, cut short by a panic, or failed."""
    assert green(RUNS / f"{name}.ktap") == good


@pytest.mark.parametrize("old,new", [
    ("ok 2 pci_burst", "not ok 2 pci_burst"), ("ok 2 pci_burst ran", "ok 2 # SKIP"),
    ("    ok 5 all blocks are good\n", ""), ("1..1", "1..2"),
    ("ok 4 no error", "ok 7 no error")], ids=["failed", "skipped", "missing", "plan", "number"])
def test_green_red(tmp_path, old, new):
    """One line that is another, and it is not green."""
    text = (RUNS / "storm.ktap").read_text()
    assert text.count(old) == 1
    file = tmp_path / "ktap"
    file.write_text(text.replace(old, new))
    assert not green(file)


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
