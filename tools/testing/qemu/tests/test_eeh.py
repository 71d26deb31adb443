# SPDX-License-Identifier: GPL-2.0
"""EEH: a PE that the PHB has frozen is seen and recovered from.

The guest freezes it in the PHB's tables; Linux and firmware do the rest.
"""

import re

import pytest

import demo
from common import BASE
from harness import paths, process
from harness.guest import Boot
from test_drivers import functions, run, sound


def test_eeh_recovers(seen):
    """A checked read is -EAGAIN; Fusion recovers without unplug and replug."""
    result, again = run("powernv9", "ppc64", "1", "fusion", "eeh")
    sound(result, again)
    text = result.console.read_text()
    assert text.count("EEH: Recovery successful") == 2, again
    assert "failed: frozen (-11)" in text, again
    seen.cell("powernv9", "ppc64", "fusion", "eeh", result.ktap)


@pytest.mark.slow
def test_eeh_beside_dead():
    """A function that was given up does not take the other one of its PE with it."""
    sound(*run("powernv9", "ppc64", "1", "fusion", "eeh", "dead", tag="functions",
               **functions("powernv9")))


@pytest.mark.slow
def test_eeh_vanilla_unplugs():
    """The control: vanilla's driver knows no EEH, and its disks are lost."""
    result = process.run(Boot(
        "powernv9", base=BASE, tree="vanilla", variant="plain", run=("eeh",),
        args=("plain",), disks=demo.layout(3), timeout=60,
        log=paths.BUILD / "check" / f"eeh-{BASE}-vanilla"))
    assert "EEH: driver not EEH aware" in result.console.read_text()
    assert "ok 1 disks filled" in result.ktap.read_text()
    assert "not ok 2 its disks stay" in result.ktap.read_text()


def selftest(tree, variant):
    """Run the base kernel's selftests/powerpc/eeh; returns how far it got and
    what it said of the devices."""
    result = process.run(Boot(
        "powernv9", base=BASE, tree=tree, variant=variant, run=("eeh-basic",),
        disks=demo.layout(3), log=paths.BUILD / "check" / f"eeh-basic-{BASE}-{tree}"))
    text = result.ktap.read_text()
    far = ("ok 1 eeh-basic" in text, result.outcome == "completed",
           text.count("Breaking "))
    return far, sorted(re.findall(r"\S+, (?:Added|Skipped.*)|Found \d+.*", text))


def test_eeh_selftest():
    """The base kernel's own EEH selftest gets as far as on vanilla.

    It breaks a device by a plain read with memory decoding off.  Hardware
    answers that with a freeze; QEMU has a machine check instead, which is fatal
    to both kernels.
    """
    vanilla, devices = selftest("vanilla", "plain")
    assert vanilla[2] and devices[-1].startswith("Found 3"), devices
    patched = selftest("patched", "on")
    assert patched[0] >= vanilla and patched[1] == devices
