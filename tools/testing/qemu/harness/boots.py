# SPDX-License-Identifier: GPL-2.0
"""Boots that were: what each left in its directory."""

import dataclasses
import json
import re
import shlex
from pathlib import Path

from . import ktap, paths
from .result import PANIC


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A boot that was: its directory, what it was, and QEMU's command line.

    what is Boot.facts(): machine, base, tree, variant, arch, run, timeout in seconds,
    beside (who was beside QEMU, or ""), outcome, date, seconds.
    """

    log: Path
    what: dict
    command: list[str]

    @property
    def name(self) -> str:
        """Of its directory, as a file's."""
        return re.sub(r"[^\w.+-]", "_", "-".join(self.log.relative_to(paths.BUILD).parts))

    @property
    def console(self) -> str:
        """The console's text."""
        return (self.log / "console.log").read_text(errors="replace")

    @property
    def ktap(self) -> str:
        """The KTAP's text."""
        return (self.log / "results.ktap").read_text(errors="replace")

    def cases(self) -> list[tuple[str, str]]:
        """(case, verdict) of its KTAP, as the guest's init has them on the console."""
        return [(ktap.case(suite, name), verdict)
                for suite, name, verdict in ktap.cases(self.ktap)]

    @property
    def may_panic(self) -> bool:
        """Whether a panic is what it is for: vanilla's, or one with the hook off."""
        return (self.what["tree"] == "vanilla" or
                any("io_check_nohook" in word for word in self.command))

    def panic(self) -> str:
        """What its kernel said at the end."""
        return PANIC.search(self.console)[0]


def recorded(base: str):
    """The boots of a base in the build directory."""
    for file in sorted(paths.BUILD.glob("**/boot.json")):
        what = json.loads(file.read_text())
        if what["base"] == base:
            yield Recorded(file.parent, what,
                           shlex.split((file.parent / "command").read_text()))
