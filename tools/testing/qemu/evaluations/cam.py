# SPDX-License-Identifier: GPL-2.0
"""002: random reads by many processes.

S. Shapiro, on FreeBSD's CAM, freebsd-current, October 1998.
"""

from harness.guest import Disk

from .cell import Cell
from .figures import EMULATED, of_table, paper, papers, rows_of

PROCESSES = (32, 64, 128, 256, 512, 1024)
PAPER = papers()["cam"]


def cells(quick: bool):
    """RAID-0 and RAID-5, one CPU and two, vanilla and on."""
    for smp in (1,) if quick else (1, 2):
        for level, count in (("raid0", 7),) if quick else (("raid0", 7), ("raid5", 4)):
            for kernel in ("vanilla", "on"):
                # 64 KiB pages: a process has a few, and 1024 have gigabytes
                yield Cell("002", "powernv9", "ppc64", "fusion", kernel, ("cam",),
                           (level, 2, 32, 256) if quick else (level, 5, *PROCESSES),
                           disks=(Disk(),) * count, smp=smp, programs=("st",),
                           timeout=300, qemu=("-m", "4G"))


def tables(results: list[dict], _figures: dict) -> list[dict]:
    """Table 002, and the probe's beside it."""
    if not of_table(results, "002"):
        return []
    rows = rows_of(results, "002", "cam")
    columns = ["whose", "machine", "processes", "load average", "transfers/s"]
    load, answers = paper(PAPER["rows"], len(columns)), []
    for cell, r in rows:
        machine = f"{r['level']}, {cell['smp']} CPU, {cell['kernel']}"
        load.append(["ours", machine, r["processes"], r["load"], r["tps"]])
        answers.append([machine, r["processes"], r["probes"], r["median_ms"], r["worst_ms"],
                        r["gap_ms"], "yes" if r["starved"] else "no", r["served_s"],
                        r["idle"]])
    note = EMULATED + (
        "Ours: powernv9, fusion, RAID-0 of six disks by 32 KB, RAID-5 of three by 64 KB; "
        "processes of guest/st.c, forked in waves, with O_DIRECT. The load average is that "
        "of some seconds: it has not settled. ")
    return [
        {"title": "002: " + PAPER["title"],
         "note": note + "Paper: " + PAPER["note"],
         "columns": columns, "rows": load,
         "plot": {"x": "processes", "y": "transfers/s", "series": "machine", "kind": "lines",
                  "columns": columns[1:], "rows": [row[1:] for row in load if row[0] == "ours"]}},
        {"title": "002: What else is to be had from the adapter then",
         "note": EMULATED + "A read of 4 KB from another disk of the same adapter every 100 "
                 "ms, while all processes read. Without an answer: the longest time from "
                 "one answer to the next, the 100 ms included; starved: more than 10 s. An "
                 "answer that comes after the end was waited for, and counts. Served: "
                 "seconds until each process had read something; it is looked at when "
                 "the reads are counted, and from then on.",
         "columns": ["machine", "processes", "answers", "median, ms", "worst, ms",
                     "without an answer, ms", "starved", "served, s", "never read"],
         "rows": answers,
         "plot": {"x": "processes", "y": "worst, ms", "series": "machine", "kind": "lines"}}]
