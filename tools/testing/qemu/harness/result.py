# SPDX-License-Identifier: GPL-2.0
"""What one boot showed."""

import collections
import dataclasses
import os
import re
import threading
import time
from pathlib import Path

from . import ktap

# but for the one that a test asks for, after which a crash kernel begins
PANIC = re.compile(r"Kernel panic(?! - not syncing: sysrq triggered crash)|"
                   r"Oops:|Unable to handle kernel|"
                   r"Internal error: |Oops - |"
                   r"Unrecoverable Machine Check|"
                   # two CPUs garble each other's words; the firmware's are whole
                   r"OPAL: Reboot requested due to Platform error")
COMPLAINT = re.compile(r"^.*(?:WARNING: CPU|BUG:|INFO: task|soft lockup|"
                       r"Call [Tt]race:|Oops:|Oops - |Internal error: |"
                       r"enqueued on deprecated workqueue).*$", re.M)
# What vanilla says as well, and no driver of the series has a part in: 6.12's
# 8250_pci maps the BAR of C3700's serial card for each of its ports
IN_VANILLA = re.compile(r"WARNING: .* at pcim_add_mapping_to_legacy_table")


class HostShare:
    """What share of the CPU time that a process wanted the host gave it.

    A thread in state R wants a CPU, whether it has one or waits for it; utime and
    stime say for how long the process had one (proc(5)).  What it had is exact, what
    it wanted is sampled: a minute of 20 samples a second is good for some 5 %.  A
    hypervisor that withholds time from the whole host is not seen.
    """

    TICK = 1 / os.sysconf("SC_CLK_TCK")

    def __init__(self, pid: int):
        self.proc = f"/proc/{pid}"
        self.last = time.monotonic()
        self.wanted = self.had = 0.0    # seconds
        self.moved = self.last          # when it last had, or wanted, any

    @staticmethod
    def stat(path: str) -> list[str]:
        """The fields of a stat file from the third one on, after the name."""
        with open(f"{path}/stat") as file:
            return file.read().rpartition(")")[2].split()

    def sample(self) -> None:
        """To be called now and then; not after the process has ended."""
        now = time.monotonic()
        try:
            threads = [self.stat(f"{self.proc}/task/{task}")
                       for task in os.listdir(f"{self.proc}/task")]
            utime, stime = self.stat(self.proc)[11:13]
        except (FileNotFoundError, ProcessLookupError):
            return      # a thread has ended in between
        running = sum(state[0] == "R" for state in threads)
        self.wanted += (now - self.last) * running
        had = self.TICK * (int(utime) + int(stime))
        if had != self.had or running:
            self.moved = now
        self.had = had
        self.last = now

    @property
    def still(self) -> float:
        """Seconds without any CPU time, and without a thread that wanted some."""
        return self.last - self.moved

    @property
    def share(self) -> float:
        """0 to 1; 1 where nothing was wanted."""
        return min(1.0, self.had / self.wanted) if self.wanted else 1.0


class Hits:
    """Counts of QEMU's "Invalid read/write at addr ..." lines, by access; and the
    lines of one of its trace events."""

    OFFSETS = 1 << 24   # below it machines have memory, and no rejected access
    LINE = re.compile(rb"Invalid (read|write) at addr 0x([0-9A-Fa-f]+), size (\d+)")

    def __init__(self, trace: str = "", cap: int = 0):
        self.trace = trace.encode()
        self.cap = cap
        self.count = collections.Counter()
        self.lines = 0
        self.traced = []
        self.capped = threading.Event()

    def read(self, fd: int) -> None:
        """Consume the log until QEMU closes it; past the cap, only drain."""
        with os.fdopen(fd, "rb") as log:
            for line in log:
                self.lines += 1
                if self.cap and self.lines > self.cap:
                    self.capped.set()
                    continue
                match = self.LINE.search(line)
                if self.trace and line.startswith(self.trace):
                    self.traced.append(line.decode().strip())
                if match:
                    self.count[match[1].decode(), int(match[2], 16),
                               int(match[3])] += 1

    def inside(self, start: int, end: int, direction: str | None = None) -> int:
        """Rejected accesses in [start, end], bus addresses as QEMU logs them."""
        return sum(n for (way, addr, _), n in self.count.items()
                   if start <= addr <= end and direction in (None, way))

    def strays(self) -> list[int]:
        """Addresses of rejected accesses that are offsets in a device, not bus addresses.

        With several CPUs QEMU 10 now and then hands an access to another device, when a BAR
        comes or goes at the same time: seen of powernv's interrupt controller, whose 0x10830
        is no address on any bus.  An old TLB entry in a new table of devices explains it.
        """
        return sorted(addr for _, addr, _ in self.count if addr < self.OFFSETS)


@dataclasses.dataclass
class Result:
    """What one boot showed.

    outcome  "completed", "panic", "timeout", "log full", "silent", "stopped",
             "QEMU stood still", or "QEMU died of" and the signal
    seconds  wall time of the guest
    hits     a Hits
    injected what an inject.Plan raised, in order
    share    a HostShare's share
    """

    outcome: str
    seconds: float
    hits: Hits
    ktap: Path
    console: Path
    injected: list = dataclasses.field(default_factory=list)
    share: float = 1.0

    def figures(self) -> dict[str, int]:
        """The sums of the tests' figures."""
        return ktap.figures(self.ktap)

    def text(self) -> str:
        """The console's."""
        return self.console.read_text(errors="replace")

    def complaints(self) -> list[str]:
        """The kernel's warnings on the console: none belong in a good run."""
        return [line for line in COMPLAINT.findall(self.text())
                if not IN_VANILLA.search(line)]

    def hits_in_bar(self, direction: str | None = None,
                    register: tuple[int, int] | None = None) -> int:
        """QEMU's count of the CPU's rejected accesses to the adapter, or to its
        register (offset, size).

        Reads of the BAR after the registers' are the adapter's own: SCRIPTS
        run from on-chip RAM, which the CPU only writes to.
        """
        bars = ktap.bars(self.ktap.read_text())
        if not bars:
            return 0
        if register:
            offset, size = register
            return self.hits.count[direction, bars[0][0] + offset, size]
        return sum(self.hits.inside(start, end, way)
                   for n, (start, end) in enumerate(bars)
                   for way in ("write",) + ("read",) * (n == 0)
                   if direction in (None, way))
