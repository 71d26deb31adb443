# SPDX-License-Identifier: GPL-2.0
"""What a storm's CSV files say: recovery in guest time, a plot and a page."""

import bisect
import csv
import dataclasses
import re
from pathlib import Path

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt     # noqa: E402  (after the back end is set)

from . import ktap, page            # noqa: E402
from .result import Result          # noqa: E402

NS = 1e9
BIN = 0.1       # seconds that a point of the plot stands for


@dataclasses.dataclass(frozen=True)
class Burst:
    """One burst: nanoseconds of guest time, None if the kernel died in it;
    errors is None if the kernel does not count them."""

    start: int | None
    end: int | None
    errors: int | None

    def hit(self) -> bool:
        """Whether an access failed: the kernel counted it, or died of it."""
        return self.end is None or bool(self.errors)


def rows(path: Path):
    """The lines of a CSV file after its header, fields as integers or None;
    the last line may have been cut short by a panic."""
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    return lines[0] if lines else [], [
        [int(field) if field else None for field in line] for line in lines[1:]]


class Timeline:
    """A storm in guest time.

    bursts   list of Burst
    times    of the samples, in ns
    near     I/Os completed by the first adapter's disks at those times
    beside   the same of the other disks
    panic    whether the kernel died, at the last sample or just after
    """

    def __init__(self, result: Result):
        directory = result.console.parent
        self.bursts = []
        for _, start, end, _, errors in (
                (line + [None] * 4)[:5] for line in rows(directory / "bursts.csv")[1]):
            self.bursts.append(Burst(start, end, errors))
        header, samples = rows(directory / "samples.csv")
        samples = [s for s in samples if len(s) == len(header)]
        near = ktap.disks(result.ktap.read_text())
        self.times = [s[0] for s in samples]
        self.near = [sum(n for n, here in zip(s[1:], near) if here)
                     for s in samples]
        self.beside = [sum(n for n, here in zip(s[1:], near) if not here)
                       for s in samples]
        self.panic = result.outcome == "panic"
        self.console = (result.console.read_text(errors="replace")
                        if result.console.is_file() else "")

    def bursts_hit(self):
        """Number of bursts that failed an access."""
        return sum(burst.hit() for burst in self.bursts)

    @staticmethod
    def total(counts):
        """I/Os completed while the samples were taken."""
        return counts[-1] - counts[0] if counts else None

    def recovery(self):
        """For each burst that hit and ended: ms from its end, and from its
        start, to the first adapter's next completed I/O.

        It is compared with the first sample after the end, as a completion
        from before the hit may be counted late.  Where nothing was completed
        any more the last sample stands, a lower bound.
        """
        after_end, after_start = [], []
        for burst in self.bursts:
            if burst.end is None or not burst.hit():
                continue
            first = bisect.bisect_right(self.times, burst.end)
            then = next((self.times[i] for i in range(first, len(self.times))
                         if self.near[i] > self.near[first]), self.times[-1])
            after_end.append((then - burst.end) / 1e6)
            after_start.append((then - burst.start) / 1e6)
        return after_end, after_start

    def phases(self, reset: str | None) -> dict[str, list[float]]:
        """Where the time of each outage that ended in a recovery goes, in ms:

        failure    from the burst's start to the first access that failed
        reset      from its end to the line that the driver logs at its reset, reset;
                   nothing if the driver has none
        recovered  from there, or from the burst's end, until io_check says so
        io         from then to the first adapter's next completed I/O

        The kernel's log has a clock of its own.  The guest logs what CLOCK_MONOTONIC was
        a moment before, and the line that waited least tells the difference.
        """
        found = {"failure": [], "reset": [], "recovered": [], "io": []}
        ahead = min((at - int(clock) for at, clock in self.logged(r"bench: clock (\d+)")),
                    default=None)
        if ahead is None or not self.times:
            return found
        failed, recovered, resets = (
            [at - ahead for at, _ in self.logged(f"({text})")] if text else []
            for text in ("io_check: (?:read|write) of", "io_check: recovered after", reset))
        for burst, after in zip(self.bursts, self.bursts[1:] + [Burst(None, None, None)]):
            if burst.end is None:
                continue
            until = after.start or self.times[-1]
            first = next((t for t in failed if burst.start <= t < until), None)
            done = next((t for t in recovered if first and first <= t < until), None)
            if done is None:
                continue
            found["failure"].append((first - burst.start) / 1e6)
            begin = burst.end
            # one that failed is begun again: the last counts
            for begin in [t for t in resets if first <= t < done][-1:]:
                found["reset"].append((begin - burst.end) / 1e6)
            found["recovered"].append((done - begin) / 1e6)
            at = bisect.bisect_right(self.times, done)
            found["io"] += [(self.times[i] - done) / 1e6 for i in range(at, len(self.times))
                            if self.near[i] > self.near[max(at - 1, 0)]][:1]
        return found

    def logged(self, pattern: str) -> list[tuple[int, str]]:
        """(ns of the kernel's log, its first group) of each line that a pattern is in."""
        return [(int(m[1]) * 10**9 + int(m[2]) * 1000, m[3]) for m in re.finditer(
            rf"^\[ *(\d+)\.(\d+)\] .*?{pattern}", self.console, re.M)]

    def rate(self, counts):
        """([seconds], [I/Os a second]) in steps of BIN."""
        seconds, rates, last = [], [], 0
        for i, time in enumerate(self.times):
            width = (time - self.times[last]) / NS
            if width >= BIN:
                seconds.append((time - self.times[0]) / NS)
                rates.append((counts[i] - counts[last]) / width)
                last = i
        return seconds, rates


def plot(lines, path):
    """IOPS over guest time, a panel a kernel, bursts as bands."""
    _, panels = plt.subplots(len(lines), sharex=True, sharey=True,
                             figsize=(14, 3.5 * len(lines)), squeeze=False)
    for panel, (kernel, line) in zip(panels[:, 0], lines.items()):
        if not line.times:
            continue
        zero = line.times[0]
        panel.plot(*line.rate(line.beside), color="tab:gray", lw=0.8,
                   label="second adapter")
        panel.plot(*line.rate(line.near), color="tab:blue", lw=1.2,
                   label="first adapter")
        labels = {True: "memory decode off", False: "the same, no access failed"}
        for burst in line.bursts:
            panel.axvspan(((burst.start or line.times[-1]) - zero) / NS,
                          ((burst.end or line.times[-1]) - zero) / NS,
                          color="tab:red" if burst.hit() else "tab:green",
                          alpha=0.3, label=labels.pop(burst.hit(), None))
        if line.panic:
            at = (line.times[-1] - zero) / NS
            panel.axvline(at, color="black", lw=2, label=f"panic at {at:.2f} s")
        panel.set_title(kernel)
        panel.set_ylabel("I/Os a second")
        panel.legend(loc="upper right")
    panels[-1, 0].set_xlabel("guest time, s")
    plt.tight_layout()
    plt.savefig(path)
    plt.close()


def write(directory: Path, title: str, figures: dict, columns: dict, notes: str,
          lines: dict) -> Path:
    """Write timeline.svg and report.html; return the latter's path."""
    plot(lines, directory / "timeline.svg")
    return page.write(
        directory / "report.html", title,
        page.image("timeline.svg", "I/Os a second over guest time"),
        page.table(["", *figures], [[label, *(row[name] for row in figures.values())]
                                    for name, label in columns.items()], True),
        page.paragraph(notes),
        *(page.links([f"{kernel}/{file}" for file in (
            "console.log", "results.ktap", "bursts.csv", "samples.csv")])
          for kernel in lines))
