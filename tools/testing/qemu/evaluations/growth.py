# SPDX-License-Identifier: GPL-2.0
"""How a recovery grows with what there is: commands in flight, disks, adapters, memory;
how long a dead adapter takes to fail a queue of commands; and what is told of errors.

Faults are real: QEMU's bus fails the accesses.
"""

import math
import statistics

from harness.guest import Disk

from .cell import Cell
from .figures import rows_of

MACHINE, ARCH = "arm64-virt", "arm64"
# I/Os a second: a disk that is slower than the guest has a queue
IOPS = 500
DISK = Disk(iops=IOPS)
THREADS = (1, 4, 16, 64, 256, 1024)
# QEMU's mptsas1068 has eight ports, its lsi53c895a seven targets
DISKS = {"fusion": (1, 2, 4, 8), "sym53c8xx": (1, 4, 7), "nvme": (1, 4, 16)}
ADAPTERS = (1, 2, 4)
MEMORY = (512, 1024, 2048, 4096)        # MiB
ERRORS = (1000, 10000, 100000, 1000000)
# A recovery may not take longer by more than what there is grows, nor what is told of
# errors by more than this for ten times as many: the rate limits let through ten
# lines in five seconds
LINEAR, TOLD = 1.0, 10
WAYS = {"threads": "threads of one disk", "disks": "disks, four threads each",
        "adapters": "adapters, one of them failing", "memory": "MiB of memory"}


def cell(hba: str, way: str, n: int, **more) -> Cell:
    """A boot."""
    return Cell("growth", MACHINE, ARCH, hba, "tests", ("growth",), (way, n),
                **{"disks": (DISK,), "timeout": 400, "qemu": ("-m", "2048"), **more})


def cells(quick: bool):
    """A boot a point."""
    for hba in ("fusion",) if quick else ("fusion", "sym53c8xx", "nvme"):
        for n in THREADS[::3] if quick else THREADS:
            yield cell(hba, "threads", n)
            yield cell(hba, "dead", n)
        for n in DISKS[hba][::2] if quick else DISKS[hba]:
            yield cell(hba, "disks", n, disks=(DISK,) * n)
        for n in ADAPTERS[::2] if quick else ADAPTERS:
            yield cell(hba, "adapters", n, disks=tuple(Disk(hba=a, iops=IOPS) for a in range(n)),
                       adapters=("pcie.0",) * n)
        for n in MEMORY[::3] if quick else MEMORY:
            yield cell(hba, "memory", n, qemu=("-m", str(n)))
    for n in ERRORS[:2] if quick else ERRORS:
        yield cell("fusion", "errors", n)


def slope(points: dict[int, float]) -> float:
    """The exponent of growth from the first point to the last: 1 is linear, 0 none."""
    (n0, y0), *_, (n1, y1) = sorted(points.items())
    return math.log(max(y1, 1) / max(y0, 1)) / math.log(n1 / n0)


def tables(results: list[dict], figures: dict) -> list[dict]:
    """Recoveries by each way, dead adapters, and what is told."""
    found = rows_of(results, "growth", "growth")
    if not found:
        return []
    figures["growth"] = {}
    return [t for t in (*(recoveries(found, figures, way) for way in WAYS),
                        dead(found, figures), told(found, figures)) if t]


def recoveries(found, figures, way):
    """Milliseconds of a recovery by what there is of one thing."""
    groups = {}
    for of, row in found:
        if row["way"] == way:
            groups.setdefault((of["hba"], row["n"]), []).append(row)
    rows = [[hba, n, group[0]["queued"], f"{statistics.median(r['ms'] for r in group):.0f}",
             min(r["ms"] for r in group), max(r["ms"] for r in group)]
            for (hba, n), group in sorted(groups.items())]
    for hba in {hba for hba, _ in groups}:
        figures["growth"][f"{way}, {hba}"] = {
            str(n): statistics.median(r["ms"] for r in group)
            for (name, n), group in groups.items() if name == hba}
    columns = ["adapter", WAYS[way], "commands in flight", "median, ms", "least", "most"]
    return {"title": f"Growth: a recovery by {WAYS[way]}", "note": NOTE, "columns": columns,
            "rows": rows, "plot": {"x": WAYS[way], "y": "median, ms", "series": "adapter",
                                   "kind": "lines"}} if rows else None


SPEED = "Real faults. The guest's milliseconds are no speed: their growth is of use. "
NOTE = SPEED + ("Five bursts of 20 ms, one after the other; from the first failed access to the "
                "end of the recovery.")


def dead(found, figures):
    """Milliseconds until a dead adapter is offline, and until its last command failed."""
    rows = sorted([of["hba"], row["n"], row["queued"], row["limit"], row["offline"],
                   row["ended"]] for of, row in found if row["way"] == "dead")
    for hba, n, *_, ended in rows:
        figures["growth"].setdefault(f"dead, {hba}", {})[str(n)] = ended
    columns = ["adapter", "threads", "commands in flight", "limit, ms", "offline, ms",
               "last thread ended, ms"]
    return {"title": "Growth: an adapter that does not answer again",
            "note": SPEED + "From the first failed access; it is offline after the limit.",
            "columns": columns, "rows": rows,
            "plot": {"x": "threads", "y": "last thread ended, ms", "series": "adapter",
                     "kind": "lines"}} if rows else None


def told(found, figures):
    """Lines of the log and bytes of sysfs by number of failed reads."""
    rows = sorted([row["n"], row["lines"], row["sysfs"]]
                  for _, row in found if row["way"] == "errors")
    figures["growth"]["errors"] = {str(n): lines for n, lines, _ in rows}
    figures["growth"]["sysfs"] = {str(n): size for n, _, size in rows}
    return {"title": "Growth: what is told of errors",
            "note": "Failed reads of a register in sessions, real faults, one after the other.",
            "columns": ["failed reads", "lines in the kernel's log", "bytes in sysfs"],
            "rows": rows,
            "plot": {"x": "failed reads", "y": "count", "series": "what", "kind": "lines",
                     "columns": ["what", "failed reads", "count"],
                     "rows": [[what, row[0], row[i]] for i, what in (
                         (1, "lines in the log"), (2, "bytes in sysfs"))
                         for row in rows]}} if rows else None


def judge(figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show; [(what, holds)]."""
    lines = []
    for name, points in figures.get("growth", {}).items():
        numbers = {int(n): y for n, y in points.items()}
        if len(numbers) < 2:
            continue
        if name in ("errors", "sysfs"):
            few, *_, many = (y for _, y in sorted(numbers.items()))
            lines.append((f"growth: {name}: {few} to {many} from {min(numbers)} to "
                          f"{max(numbers)}", many <= max(few, 1) * TOLD * math.log10(
                              max(numbers) / min(numbers))))
        else:
            found = slope(numbers)
            lines.append((f"growth: {name}: exponent {found:.2f} of at most {LINEAR}",
                          found <= LINEAR))
    return lines
