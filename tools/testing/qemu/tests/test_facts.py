# SPDX-License-Identifier: GPL-2.0
"""One file for a machine, one for a driver: make, the menu and the commands know it."""

import re
import shutil
import sys

import pytest

from common import series
from harness import paths
from series_copy import SeriesCopy

MACHINE = """\
title = "PowerNV, POWER11"
arches = ["ppc64"]
qemu = "qemu-system-ppc64 -M powernv11 -m 1G"
console = "hvc0"
adapters = ["pcie.0", "pcie.1"]
port = "pcie.2"
check = ["ppc64:1:fusion", "ppc64:2:floppy"]
check_all = ["ppc64:4:fusion"]
"""


@pytest.fixture(name="copy", scope="module")
def make_copy():
    """A copy of the repository with a machine and a driver more."""
    copy = SeriesCopy("facts")
    bench = copy.dir / "tools/testing/qemu"
    copy.write(bench / "machines/powernv11.toml", MACHINE)
    driver = (paths.QEMU / "drivers/sym53c8xx.toml").read_text()
    for old, new in (('title = "sym53c8xx"', 'title = "Floppy"'),
                     ("SCSI_SYM53C8XX_IO_CHECK", "FLOPPY_IO_CHECK"),
                     ('arch = "arm64"', 'arch = "riscv64"')):
        assert old in driver
        driver = driver.replace(old, new)
    copy.write(bench / "drivers/floppy.toml", driver)
    yield copy
    shutil.rmtree(copy.dir)


def words(copy, *goals):
    """What make would run."""
    return copy.run("make", "-n", "--no-print-directory", *goals)


def test_make(copy):
    """The tests run on it, in make check and in make check-all; the demo and the sweep
    take it."""
    check = words(copy, "check", f"BASE={next(iter(series.bases()))}")
    guests = re.findall(r'BENCH_TARGET=check BENCH_MACHINES="(.*?)" BENCH_GUESTS="(.*?)"',
                        check)
    assert "powernv11:ppc64" in guests[0][0].split()
    assert {"powernv11:ppc64:1:fusion", "powernv11:ppc64:2:floppy"} <= set(
        guests[0][1].split())
    check_all = words(copy, "check-all")
    assert "powernv11:ppc64:4:fusion" in check_all
    *others, newest = list(series.bases())[1:]
    for base in (*others, newest):
        boots = f"BENCH_BASE={base} "
        assert (boots in check, boots in check_all) == (base == newest, True), base
    # a machine that not all bases know
    aia = "riscv64-virt-aia:riscv64:2:nvme"
    assert aia not in check_all and aia in words(copy, "check-all", f"BASE={newest}")
    assert "no MACHINE 'riscv64-virt-aia' for ARCH 'riscv64' in base 6.1" in copy.run(
        "make", "demo", "ARCH=riscv64", "MACHINE=riscv64-virt-aia", fails=True)
    demo = words(copy, "demo", "MACHINE=powernv11", "HBA=floppy")
    assert "--machine powernv11" in demo and "--hba floppy" in demo
    assert "patched riscv64 on+debug" in words(copy, "sweep", "DRIVER=floppy")
    assert "no driver 'tape'; there are: floppy fusion" in copy.run(
        "make", "demo", "HBA=tape", fails=True)


def test_commands(copy):
    """The demonstration, the menu and the fault matrix have it."""
    bench = "tools/testing/qemu"
    assert "powernv11" in copy.run(sys.executable, f"{bench}/demo.py", "--help")
    menu = copy.run(sys.executable, f"{bench}/choices.py")
    for line in ("config MACHINE_POWERNV11", "config HBA_FLOPPY", "config FLOPPY_IO_CHECK",
                 'default "+floppy-off" if !FLOPPY_IO_CHECK'):
        assert line in menu
    copy.run(sys.executable, f"{bench}/matrix.py")
    table = (copy.dir / "docs/results.md").read_text()
    assert "powernv11" in table and "| Floppy |" in table


@pytest.mark.parametrize("kind,old,new,text", [
    ("machines/powernv11", "console =", "konsole =", "unexpected keyword argument 'konsole'"),
    ("machines/powernv11", 'title = "PowerNV, POWER11"\n', "", "argument: 'title'"),
    ("drivers/floppy", "[demo]", "[demonstration]", "demo"),
    ("drivers/floppy", "median_ms = 3600", "median_ms =", "Invalid value")])
def test_bad_file(copy, kind, old, new, text):
    """A file that does not fit is named, with the remedy."""
    file = copy.dir / "tools/testing/qemu" / f"{kind}.toml"
    whole = file.read_text()
    assert old in whole
    try:
        file.write_text(whole.replace(old, new))
        said = copy.run(sys.executable, "tools/testing/qemu/boot.py", "--help", fails=True)
        assert f"{kind}.toml: " in said and text in said and "remedy: " in said
    finally:
        file.write_text(whole)
