# SPDX-License-Identifier: GPL-2.0
"""Architectures: arch/NAME.env, which make and sh read as well."""

import re

from . import paths


def names() -> list[str]:
    """All architectures."""
    return sorted(file.stem for file in (paths.QEMU / "arch").glob("*.env"))


def facts(arch: str) -> dict[str, str]:
    """{name: value} of an architecture's file."""
    text = (paths.QEMU / f"arch/{arch}.env").read_text()
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.M))


def in_base(base: str) -> list[str]:
    """The architectures that a base has."""
    return [a for a in names() if base in facts(a).get("BASES", base).split()]


def userspace(arch: str) -> str:
    """Name of the architecture whose programs run on it."""
    return facts(arch).get("USERSPACE", arch)
