# SPDX-License-Identifier: GPL-2.0
"""001: sequential reads of eight disks at once.

L. Dale, "direct-to-BIO for O_DIRECT", linux-kernel, July 2002.
"""

from harness.guest import Disk

from .cell import Cell
from .figures import EMULATED, of_table, paper, papers, rows_of, spread

KERNELS = ("vanilla", "off", "on")
MODES = ("normal", "O_DIRECT", "sg")
PAPER = papers()["direct"]


def cells(quick: bool):
    """Boots by turns."""
    for sample in range(1 if quick else 2):
        for kernel in KERNELS:
            # two CPUs, as the paper's machine has
            yield Cell("001", "powernv9", "ppc64", "fusion", kernel, ("direct",),
                       (4, 60, 1) if quick else (16, 60, 4), sample, disks=(Disk(),) * 8,
                       smp=2, timeout=120)


def tables(results: list[dict], _figures: dict) -> list[dict]:
    """Table 001: a row for each kernel and mode."""
    if not of_table(results, "001"):
        return []
    rows = rows_of(results, "001", "direct")
    columns = ["whose", "kernel", "mode", "block", "seconds", "MB/s", "CPUs idle, %",
               "ratio to vanilla", "first to last done, ms", "% of the longest"]
    table = paper(PAPER["rows"], len(columns))
    points = []
    for kernel in KERNELS:
        for mode in MODES:
            found = {c["sample"]: r for c, r in rows
                     if c["kernel"] == kernel and r["mode"] == mode}
            if not found:
                continue
            base = {c["sample"]: r["mb_s"] for c, r in rows
                    if c["kernel"] == "vanilla" and r["mode"] == mode}
            ours = list(found.values())
            ratios = [r["mb_s"] / base[s] for s, r in found.items() if base.get(s)]
            apart = [r["longest_ms"] - r["shortest_ms"] for r in ours]
            table.append(["ours", kernel, mode, ours[0]["block"],
                          spread([r["longest_ms"] / 1000 for r in ours], "{:.2f}"),
                          spread([r["mb_s"] for r in ours], "{:.1f}"),
                          spread([r["idle"] for r in ours], "{:.0f}"), spread(ratios),
                          spread(apart, "{:.0f}"),
                          spread([100 * a / r["longest_ms"] for a, r in zip(apart, ours)
                                if r["longest_ms"]], "{:.1f}")])
            points += [[kernel, mode, ratio] for ratio in ratios]
    note = EMULATED + (
        "Ours: powernv9 with two CPUs, fusion, one thread a disk, boots by turns; a ratio "
        "is to vanilla's boot of the same turn. /dev/rawN is gone from Linux: sg is a "
        "SUBSTITUTE, fio's ioengine=sg on /dev/sgN, with blocks as large as the adapter "
        "takes. The disks are files in the host's memory: modes are not to be compared "
        "with each other. Idle includes waiting for I/O, and fio's start is in it. With "
        "other load on the host the kernels' order was seen to turn from boot to boot: the "
        "spread of two samples is less than the whole. ")
    return [{"title": "001: " + PAPER["title"],
             "note": note + "Paper: " + PAPER["note"],
             "columns": columns, "rows": table,
             "plot": {"x": "mode", "y": "MB/s, ratio to vanilla", "series": "kernel",
                      "kind": "points", "columns": ["kernel", "mode", "MB/s, ratio to vanilla"],
                      "rows": points}}]
