# SPDX-License-Identifier: GPL-2.0
"""EEH: a PE that the PHB has frozen is seen and recovered from.

The guest freezes it in the PHB's tables; Linux and firmware do the rest.
"""

import boot
import demo
from test_check import BASE
from test_fusion import run, sound


def test_eeh_recovers():
    """A checked read is -EAGAIN; Fusion recovers without unplug and replug."""
    result, again = run("powernv9", "ppc64", "1", "eeh")
    sound(result, again)
    text = result.console.read_text()
    assert text.count("EEH: Recovery successful") == 2, again
    assert "failed: frozen (-11)" in text, again


def test_eeh_vanilla_unplugs():
    """The control: vanilla's driver knows no EEH, and its disks are lost."""
    result = boot.boot("powernv9", base=BASE, tree="vanilla", variant="plain",
                       run=["eeh"], args=["plain"], disks=demo.layout(3),
                       timeout=60, log=boot.BUILD / "check/eeh-vanilla")
    assert "EEH: driver not EEH aware" in result.console.read_text()
    assert "ok 1 disks filled" in result.ktap.read_text()
    assert "not ok 2 its disks stay" in result.ktap.read_text()
