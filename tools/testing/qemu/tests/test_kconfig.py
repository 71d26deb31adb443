# SPDX-License-Identifier: GPL-2.0
"""The menu of what to build and boot: Kconfig against the bench, and its defaults."""

import os
import re
import subprocess

import pytest

import choices
from common import series
from harness import arches, paths
from harness.machines import MACHINES

CHOICES = paths.BUILD / "kconfig/choices"


@pytest.fixture(autouse=True, scope="module")
def written():
    """The choices, as make writes them."""
    CHOICES.parent.mkdir(parents=True, exist_ok=True)
    CHOICES.write_text(choices.menu())


def configure(path, text):
    """{name: value} that the base's kconfig makes of a .config's lines."""
    path.write_text(text)
    subprocess.run(
        ["make", "-s", "-C", paths.BUILD / next(iter(series.bases())) / "vanilla",
         f"O={paths.BUILD}/kconfig", "ARCH=x86", "HOSTCC=gcc",
         f"KBUILD_KCONFIG={paths.TOP}/Kconfig", f"KCONFIG_CONFIG={path}",
         f"BENCH_CHOICES={CHOICES}", "olddefconfig"], check=True, capture_output=True,
        # not the flags of the make that runs this
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})
    return {name: value.strip('"') for name, value in
            re.findall(r"^CONFIG_(\w+)=(.*)$", path.read_text(), re.M)}


def test_defaults_are_the_main_job(tmp_path):
    """make defconfig gives what make demo does without a .config."""
    got = configure(tmp_path / "config", "")
    makefile = (paths.TOP / "Makefile").read_text()
    want = dict(re.findall(r"^\w+ \?= \$\(call config,(\w+),(?:\$\(or .*,)?(\w+)\)+$",
                           makefile, re.M))
    assert {"ARCH", "HBA", "FAULTS", "SEED", "DISKS", "SMP"} == want.keys()
    assert {name: got[name] for name in want} == want
    assert got["BASE"] == next(iter(series.bases()))
    assert got["MACHINE"] == arches.facts(got["ARCH"])["MACHINE"]
    assert not [name for name, value in got.items()
                if name.startswith("VARIANT_") and value]


@pytest.mark.parametrize("arch", arches.names())
def test_architecture_has_its_machines(arch, tmp_path):
    """A machine that does not run the architecture's kernels cannot be chosen."""
    for machine in MACHINES:
        got = configure(tmp_path / "config", f"CONFIG_ARCH_{arch.upper()}=y\n"
                        f"CONFIG_{choices.symbol('MACHINE', machine)}=y\n")
        assert got["ARCH"] == arch
        if "MACHINE" not in arches.facts(arch):
            assert not got.get("MACHINE")
            continue
        assert arch in MACHINES[got["MACHINE"]].arches
        if arch in MACHINES[machine].arches and MACHINES[machine].knows(got["BASE"]):
            assert got["MACHINE"] == machine


@pytest.mark.parametrize("lines,name,value", [
    ("ARCH_PPC64=y HBA_SYM53C8XX=y", "HBA", "fusion"),
    ("ARCH_ARM64=y HBA_SYM53C8XX=y", "HBA", "sym53c8xx"),
    ("HBA_FUSION=y FUSION_IO_CHECK=n", "VARIANT_fusion", ""),
    ("SCSI_SYM53C8XX_IO_CHECK=n", "VARIANT_sym53c8xx", "+sym53c8xx-off"),
    ("ARCH_ARM64=y DEBUG=y KASAN=y", "VARIANT_DEBUG", "+debug"),
    ("ARCH_PPC32=y SMP=4", "SMP", "1"),
    ("ARCH_ARM64=y SMP=4", "SMP", "4"),
    ("ARCH_X86_64=y", "FAULTS", arches.facts("x86_64")["FAULTS"]),
    ("ARCH_X86_64=y FAULTS=50", "FAULTS", "50"),
    ("BASE_6_12=y", "BASE", "6.12"),
    ("BASE_6_12=y ARCH_RISCV64=y MACHINE_RISCV64_VIRT_AIA=y", "MACHINE", "riscv64-virt-aia"),
    ("BASE_6_1=y ARCH_RISCV64=y MACHINE_RISCV64_VIRT_AIA=y", "MACHINE", "riscv64-virt"),
    ("BASE_6_12=y ARCH_IA64=y", "ARCH", "ppc64")])
def test_contradictions_cannot_be_made(lines, name, value, tmp_path):
    """What does not go together is put right; what does is kept."""
    got = configure(tmp_path / "config", "".join(
        f"CONFIG_{line}\n" for line in lines.split()))
    assert got.get(name, "") == value
