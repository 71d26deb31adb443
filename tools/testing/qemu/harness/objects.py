# SPDX-License-Identifier: GPL-2.0
"""What the cross binutils say of a kernel's objects."""

import re
import subprocess

from . import arches


def tool(arch: str, name: str, *arguments, **how) -> str:
    """Output of one of an architecture's binutils."""
    return subprocess.run([arches.facts(arch)["CROSS"] + name, *arguments], check=True,
                          capture_output=True, text=True, **how).stdout


def symbols(arch: str, *files, kinds: str = "") -> list[tuple[int, str]]:
    """[(address, name)] of what objects define, by nm's kinds or all; without the dot
    that ppc64 puts before code."""
    return [(int(address, 16), name.lstrip(".")) for address, kind, name in
            re.findall(r"^(\w+) (\w) (\S+)$", tool(arch, "nm", "--defined-only", *files),
                       re.M) if not kinds or kind in kinds]


def undefined(arch: str, *files) -> set[str]:
    """Names that objects want of others, without ppc64's dot."""
    return {name.lstrip(".") for name in
            re.findall(r"^ +U (\S+)$", tool(arch, "nm", "-u", *files), re.M)}


def addresses(arch: str, vmlinux, kinds: str = "") -> dict[str, int]:
    """{name: address} of a kernel."""
    return {name: address for address, name in symbols(arch, vmlinux, kinds=kinds)}


def disassembly(arch: str, file, *arguments) -> str:
    """objdump's, without the bytes."""
    return tool(arch, "objdump", "-d", "--no-show-raw-insn", *arguments, file)
