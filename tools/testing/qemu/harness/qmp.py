# SPDX-License-Identifier: GPL-2.0
"""QEMU's monitor, by its machine protocol (QEMU, docs/interop/qmp-spec).

Debian 12 has no package of the Python library qemu.qmp.  The commands that the tests
need, error injection for PCI Express and memory as the bus has it, have no QMP form:
they go through human-monitor-command.
"""

import json
import re
import threading
from pathlib import Path

from .sockets import connect, place


class Qmp:
    """A session."""

    def __init__(self, path: Path):
        self.file = connect(path).makefile("rw")
        self.file.readline()        # the greeting
        self.execute("qmp_capabilities")

    def execute(self, command: str, **arguments):
        """The value that a command returns; events are skipped."""
        json.dump({"execute": command, "arguments": arguments}, self.file)
        self.file.flush()
        for line in self.file:
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"QMP: {command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        raise ConnectionError("QEMU has ended")


class Operator:
    """A thread that tells QEMU's monitor what to do when the console says so.

    orders are pairs (regular expression, command), carried out in their order as the
    console has the first; {0} in a command is its first group.  The answers go to
    monitor.log beside the console.
    """

    def __init__(self, orders, directory: Path):
        self.orders, self.path = orders, place(directory, "qmp")
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def arguments(self) -> list[str]:
        """For QEMU's command line."""
        self.path.unlink(missing_ok=True)
        return ["-qmp", f"unix:{self.path},server=on,wait=off"]

    def start(self, console: Path) -> None:
        """Begin to read the console."""
        self.console = console
        self.thread.start()

    def work(self) -> None:
        """The thread."""
        with open(self.path.with_name("monitor.log"), "w") as log:
            try:
                session = Qmp(self.path)
                for text, command in self.orders:
                    while not (said := re.search(
                            text, self.console.read_text(errors="replace"))):
                        if self.ended.wait(0.1):
                            return
                    log.write(session.execute(
                        "human-monitor-command",
                        **{"command-line": command.format(*said.groups())}))
                    log.flush()
            except (OSError, ValueError):   # QEMU ended, with the guest
                pass
            except RuntimeError as error:
                log.write(f"{error}\n")
