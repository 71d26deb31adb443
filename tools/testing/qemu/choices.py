#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The choices of the menu that Kconfig sources: bases, architectures, machines,
adapters, from their files."""

import re

from harness import arches, paths
from harness.drivers import DRIVERS
from harness.machines import MACHINES


def symbol(kind: str, name: str) -> str:
    """The name of an option."""
    return f"{kind}_{re.sub(r'[^A-Z0-9]', '_', name.upper())}"


def any_of(kind: str, names) -> str:
    """A condition: one of these was chosen."""
    return " || ".join(symbol(kind, name) for name in names)


def choice(kind: str, prompt: str, options: dict, default: list[str]) -> str:
    """A choice, and the string of the name that was chosen.

    options are {name: (text, condition or "")}, default lines of Kconfig.
    """
    lines = ["choice", f'\tprompt "{prompt}"', *(f"\tdefault {line}" for line in default), ""]
    for name, (text, condition) in options.items():
        lines += [f"config {symbol(kind, name)}", f'\tbool "{text}"',
                  *([f"\tdepends on {condition}"] if condition else ()), ""]
    return "\n".join([*lines, "endchoice", "", f"config {kind}", "\tstring", *(
        f'\tdefault "{name}" if {symbol(kind, name)}' for name in options), "", ""])


def bases() -> dict:
    """Bases by the file of that name."""
    lines = (paths.TOP / "bases").read_text().splitlines()
    return {line.split()[0]: (f"Linux {line.split()[0]}", "")
            for line in lines if line.strip() and not line.startswith("#")}


def menu() -> str:
    """All choices."""
    facts = {arch: arches.facts(arch) for arch in arches.names()}
    first = {arch: f["MACHINE"] for arch, f in facts.items() if "MACHINE" in f}
    uniprocessor = [a for a, machine in first.items() if not MACHINES[machine].smp]
    text = choice("BASE", "Base kernel", bases(), [symbol("BASE", next(iter(bases())))])
    text += choice("ARCH", "Architecture", {
        arch: (f["TITLE"].strip('"'), any_of("BASE", f.get("BASES", "").split()))
        for arch, f in facts.items()}, [symbol("ARCH", "ppc64")])
    text += choice("MACHINE", "Machine", {
        name: (machine.title, " && ".join(f"({any_of(kind, names)})" for kind, names in (
            ("ARCH", machine.arches), ("BASE", machine.bases)) if names))
        for name, machine in MACHINES.items()},
        [f"{symbol('MACHINE', machine)} if {symbol('ARCH', arch)}"
         for arch, machine in first.items()])
    text += choice("HBA", "Host adapter", {
        name: (driver.adapter, " && ".join(f"!{symbol('ARCH', a)}" for a in driver.not_on))
        for name, driver in DRIVERS.items()}, [symbol("HBA", "fusion")])
    for name, driver in DRIVERS.items():
        text += (f"config {driver.option}\n"
                 f'\tbool "{driver.title} recovers from failed register accesses" '
                 f"if !{symbol('HBA', name)}\n\tdefault y\n\n"
                 f"config VARIANT_{name}\n\tstring\n"
                 f'\tdefault "+{name}-off" if !{driver.option}\n\n')
    return text + ("config UNIPROCESSOR\n"
                   f"\tdef_bool {any_of('ARCH', uniprocessor) or 'n'}\n")


if __name__ == "__main__":
    print("# Written by choices.py\n\n" + menu(), end="")
