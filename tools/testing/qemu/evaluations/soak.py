# SPDX-License-Identifier: GPL-2.0
"""Thousands of recoveries: verified I/O loses nothing, and the kernel's memory stays flat.

Faults are real: QEMU's bus fails the accesses.  A shard of the bursts is a boot; what is
there is not booted again.

The CPUs take turns.  If each has a thread QEMU 10 takes one device for another, now and
then, when a BAR comes or goes while another CPU makes an access: vanilla's kernel dies of
it as well, with no driver on the adapter, and the bench sees some of it (Hits.strays()).
"""

import statistics

from harness.guest import Disk

from .cell import Cell
from .figures import guest, of_table

# {(machine, architecture, adapter): bursts}
BURSTS = {("powernv9", "ppc64", "fusion"): 2000, ("arm64-virt", "arm64", "sym53c8xx"): 500}
SHARD = 250
TURNS = ("-accel", "tcg,thread=single")
APPEND = {"fusion": "", "sym53c8xx": "sym53c8xx.settle=1"}
SECONDS = {"fusion": 4, "sym53c8xx": 12}    # a burst, at most
# {memory: (name, what is not flat, in KiB a burst)}; powernv's pages have 64 KiB
MEMORY = {"slab": ("unreclaimable slabs", 0.05),
          "used": ("all but caches and processes", 4)}


def cells(quick: bool):
    """A boot a shard; none in a sample."""
    for (machine, arch, hba), bursts in {} if quick else BURSTS.items():
        for shard in range(bursts // SHARD):
            yield Cell("soak", machine, arch, hba, "tests", ("soak",),
                       (SHARD, 1 + shard * SHARD), disks=(Disk(),) * 2 + (Disk(hba=1),),
                       smp=2, append=APPEND[hba], qemu=TURNS,
                       timeout=300 + SHARD * SECONDS[hba])


def growth(rows: list[dict], what: str) -> float:
    """KiB that each burst takes: the less of what the middle third has more than the
    first, and the last more than the middle one.  A cache grows once, a leak goes on.
    """
    third = len(rows) // 3
    medians = [statistics.median(row[what] for row in rows[n * third:(n + 1) * third])
               for n in range(3)]
    bursts = rows[third]["bursts"] - rows[0]["bursts"]
    return min(medians[1] - medians[0], medians[2] - medians[1]) / bursts


def tables(results: list[dict], figures: dict) -> list[dict]:
    """A row a shard, and the memory of all of them."""
    found = [r for r in of_table(results, "soak") if len(r["rows"]) > 3]
    if not found:
        return []
    rows, points, soak = [], [], figures.setdefault("soak", {})
    for result in found:
        last, shard = result["rows"][-1], result["cell"]["args"][1] // SHARD + 1
        grown = {what: growth(result["rows"], what) for what in MEMORY}
        rows.append([guest(result), shard, last["bursts"], result["rejected"],
                     last["detected"], last["resets"],
                     "yes" if result["good"] else "NO",
                     *(f"{kib:+.3f}" for kib in grown.values())])
        points += [[f"{guest(result)}, {shard}", row["bursts"], row["slab"]]
                   for row in result["rows"]]
        one = soak.setdefault(guest(result), {"bursts": 0, "detected": 0, "resets": 0,
                                              "unsound": 0, "unseen": 0, "leaks": 0})
        for what in ("bursts", "detected", "resets"):
            one[what] += last[what]
        one["unsound"] += not result["good"]
        one["unseen"] += result["rejected"] - last["detected"]
        one["leaks"] += any(grown[what] > leak for what, (_, leak) in MEMORY.items())
    return [{"title": "Soak: recoveries by the thousand", "rows": rows,
             "note": "Real faults. Two CPUs, two disks on the adapter, writes that are "
                     "verified.",
             "columns": ["guest", "shard", "bursts that hit", "accesses that QEMU's bus "
                         "failed", "detected", "resets", "all blocks good, no error",
                         *(f"KiB a burst, {text}" for text, _ in MEMORY.values())],
             "plot": {"x": "bursts that hit", "y": "unreclaimable slabs, KiB",
                      "series": "shard", "kind": "lines", "rows": points,
                      "columns": ["shard", "bursts that hit", "unreclaimable slabs, KiB"]}}]


def judge(figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show; [(what, holds)]."""
    wanted = {f"{machine}, {hba}": bursts for (machine, _, hba), bursts in BURSTS.items()}
    lines = []
    for name, found in figures.get("soak", {}).items():
        lines += [(f"soak: {name}: {found['bursts']} of {wanted[name]} bursts",
                   found["bursts"] >= wanted[name]),
                  (f"soak: {name}: {found['unsound']} shards with an error or a bad block",
                   not found["unsound"]),
                  (f"soak: {name}: {found['unseen']} failed accesses undetected",
                   not found["unseen"]),
                  (f"soak: {name}: memory grows in {found['leaks']} shards",
                   not found["leaks"])]
    return lines
