# SPDX-License-Identifier: GPL-2.0
"""The menu of what to build and boot: Kconfig against the bench, and its defaults."""

import os
import re
import subprocess

import pytest

import boot
from test_series import series

TEXT = (boot.TOP / "Kconfig").read_text()


def configure(path, text):
    """{name: value} that the base's kconfig makes of a .config's lines."""
    path.write_text(text)
    subprocess.run(
        ["make", "-s", "-C", boot.BUILD / next(iter(series.bases())) / "vanilla",
         f"O={boot.BUILD}/kconfig", "ARCH=x86", "HOSTCC=gcc",
         f"KBUILD_KCONFIG={boot.TOP}/Kconfig", f"KCONFIG_CONFIG={path}",
         "olddefconfig"], check=True, capture_output=True,
        # not the flags of the make that runs this
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})
    return {name: value.strip('"') for name, value in
            re.findall(r"^CONFIG_(\w+)=(.*)$", path.read_text(), re.M)}


def strings(name):
    """The values that a string of the menu's may have, in order."""
    part = re.search(rf"^config {name}\n\tstring\n((?:\tdefault .*\n)+)", TEXT, re.M)
    return re.findall(r'default "(\S+)"', part[1])


def test_defaults_are_the_main_job(tmp_path):
    """make defconfig gives what make demo does without a .config."""
    (boot.BUILD / "kconfig").mkdir(parents=True, exist_ok=True)
    got = configure(tmp_path / "config", "")
    makefile = (boot.TOP / "Makefile").read_text()
    want = dict(re.findall(r"^\w+ \?= \$\(call config,(\w+),(\w+)\)$", makefile, re.M))
    assert {"ARCH", "HBA", "FAULTS", "SEED", "DISKS", "SMP"} == want.keys()
    assert {name: got[name] for name in want} == want
    assert got["BASE"] == next(iter(series.bases()))
    assert got["MACHINE"] == boot.facts(got["ARCH"])["MACHINE"]
    assert got["VARIANT_DRIVERS"] == "on" and not got.get("VARIANT_DEBUG")


def test_menu_has_what_the_bench_has():
    """Each base, architecture and adapter, and each machine that runs the demo."""
    assert strings("BASE") == list(series.bases())
    assert sorted(strings("ARCH")) == sorted(
        path.stem for path in (boot.TOP / "tools/testing/qemu/arch").glob("*.env"))
    assert sorted(strings("HBA")) == sorted(boot.HBAS)
    # LSI disks do not work behind pSeries' IOMMU
    assert sorted(strings("MACHINE")) == sorted(
        name for name in boot.MACHINES if not name.startswith("pseries"))


@pytest.mark.parametrize("arch", strings("ARCH"))
def test_architecture_has_its_machines(arch, tmp_path):
    """A machine that does not run the architecture's kernels cannot be chosen."""
    for machine in strings("MACHINE"):
        got = configure(tmp_path / "config", f"CONFIG_ARCH_{arch.upper()}=y\n"
                        f"CONFIG_MACHINE_{machine.upper().replace('-', '_')}=y\n")
        assert got["ARCH"] == arch
        if "MACHINE" not in boot.facts(arch):
            assert not got.get("MACHINE")
            continue
        assert arch in boot.MACHINES[got["MACHINE"]].arch
        if arch in boot.MACHINES[machine].arch:
            assert got["MACHINE"] == machine


@pytest.mark.parametrize("lines,name,value", [
    ("ARCH_PPC64=y HBA_SYM53C8XX=y", "HBA", "fusion"),
    ("ARCH_ARM64=y HBA_SYM53C8XX=y", "HBA", "sym53c8xx"),
    ("HBA_FUSION=y FUSION_IO_CHECK=n", "VARIANT_DRIVERS", "on"),
    ("SYM53C8XX_IO_CHECK=n", "VARIANT_DRIVERS", "on+sym53c8xx-off"),
    ("ARCH_ARM64=y DEBUG=y KASAN=y", "VARIANT_DEBUG", "+debug"),
    ("ARCH_PPC32=y SMP=4", "SMP", "1"),
    ("ARCH_ARM64=y SMP=4", "SMP", "4"),
    ("BASE_6_12=y", "BASE", "6.12"),
    ("BASE_6_12=y ARCH_IA64=y", "ARCH", "ppc64")])
def test_contradictions_cannot_be_made(lines, name, value, tmp_path):
    """What does not go together is put right; what does is kept."""
    got = configure(tmp_path / "config", "".join(
        f"CONFIG_{line}\n" for line in lines.split()))
    assert got[name] == value
