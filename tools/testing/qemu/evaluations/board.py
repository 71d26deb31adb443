# SPDX-License-Identifier: GPL-2.0
"""003: the 7410 board with RAID-5.

"Performance of New 8020 Backend Board", HHTech, June 2005.
"""

from harness.guest import Disk

from .cell import Cell
from .figures import EMULATED, of_table, papers, rows_of

BOARDS = ("disk", "raid5", "degraded")
BURSTS = 2
PAPER = papers()["board"]
NOT_HERE = (
    "Not here, being of the network: flood ping, TCP, UDP and connection latencies and "
    "bandwidths (58.46 and 57.08 MB/s of TCP), UNIX sockets, ftpd, nfsd, nfs and smbd. "
    "The clients are fio's writers on the board itself. rdwr, fwr, frd and fcp of the "
    "memory figures are left out. ")
GUEST = ("Ours: g3beige, PowerPC 7410, 128 MB, sym53c8xx; RAID-5 of four disks of 64 MiB "
         "by 32 KB, ext2 with blocks of 4 KB, stride 8. ")
PLAY = ["whose", "disks", "kernel", "clients", "MB/s each", "frames", "late", "worst, ms",
        "frames/s"]


def cells(quick: bool):
    """The board's rates on each kind of disk, and rebuilds with and without bursts."""
    board = {"disks": (Disk(),) * 5, "timeout": 150, "qemu": ("-m", "128")}
    for what in BOARDS[1:2] if quick else BOARDS:
        for kernel in ("vanilla", "on"):
            yield Cell("003", "g3beige", "ppc32", "sym53c8xx", kernel, ("board8020",),
                       (what, 16 if quick else 32), programs=("board",), **board)
    for bursts in (0,) if quick else (0, BURSTS):
        for kernel in ("vanilla", "on"):
            yield Cell("003", "g3beige", "ppc32", "sym53c8xx", kernel, ("rebuild",),
                       (16, bursts), **board, may_die=kernel == "vanilla" and bursts > 0)


def tables(results: list[dict], _figures: dict) -> list[dict]:
    """The rates, and the rebuilds."""
    if not of_table(results, "003"):
        return []
    figures = gathered(results)
    places = sorted({(disks, kernel) for disks, kernel, _ in figures},
                    key=lambda at: (BOARDS.index(at[0]), at[1] != "vanilla"))
    return [*(rates(figures, places, *what) for what in (
        ("memory", ["whose", "disks", "kernel", *PAPER["memory"]["columns"]],
         [["paper", "", "", *PAPER["memory"]["rows"][0]]], memory, NOT_HERE),
        ("files", ["whose", "kernel", *PAPER["files"]["columns"]],
         [["paper", "", *r] for r in PAPER["files"]["rows"]], files,
         "disk: one disk; degraded: RAID-5 with a member failed."),
        ("disk", ["whose", "kernel", *PAPER["disk"]["columns"]],
         [["paper", "", *r] for r in PAPER["disk"]["rows"]], disk,
         "Zones of 1 MiB; 500 seeks; file and mmap from memory, 8 MB, with fio; lmdd's "
         "rows are fio's with fsync, cold."),
        ("play", PLAY, [["paper", by, "", clients, rate, "", how, "", ""]
                        for by, clients, rate, how in PAPER["play"]["rows"]], play,
         "A frame of 20 KiB is late if it takes longer than 40 ms; 25 are asked for a "
         "second."))), rebuilt(results)]


def gathered(results):
    """{(disks, kernel, size of the files or None): {figure: value}}."""
    figures = {}
    for cell, row in rows_of(results, "003", "board8020"):
        at = (row["on"], cell["kernel"], row.get("size"))
        figures.setdefault(at, {}).update({k: v for k, v in row.items() if k != "size"})
    return figures


def rates(figures, places, name, columns, rows, make, note):
    """A table: the paper's rows, and what make() has of each place."""
    rows = rows + [row for place in places for row in make(figures, *place)]
    return {"title": f"003: {PAPER[name]['title']}", "note": EMULATED + GUEST + note,
            "columns": columns, "rows": rows,
            "plot": {"x": "bytes", "y": "create/s", "series": "disks", "kind": "lines"}
            if name == "files" else None}


def memory(figures, disks, kernel):
    """Rows of the memory table."""
    here = figures.get((disks, kernel, None), {})
    return [["ours", disks, kernel, *(here.get(n, "") for n in PAPER["memory"]["columns"])]]


def files(figures, disks, kernel):
    """Rows of the table of small files."""
    return [["ours", kernel, disks, size, pair["create"], pair["delete"]]
            for (d, k, size), pair in sorted(figures.items(), key=lambda kv: kv[0][2] or 0)
            if (d, k) == (disks, kernel) and size is not None]


def disk(figures, disks, kernel):
    """Rows of the table of the raw disk and one file."""
    here = figures.get((disks, kernel, None), {})
    return [["ours", kernel, disks, *("/".join(
        str(here.get(f"{what}_{n}", "-")) for n in ("min", "avg", "max"))
        for what in ("zone", "seek")),
             *(here.get(n, "") for n in ("file_read", "file_mmap", "seq_read", "seq_write"))]]


def play(figures, disks, kernel):
    """Rows of the table of uploads and a playback."""
    here = figures.get((disks, kernel, None), {})
    return [["ours", disks, kernel, here["writers"], here["upload_kb_s"] / 1000,
             *(here[n] for n in ("frames", "late", "worst_ms", "per_s"))]
            ] if "upload_kb_s" in here else []


def rebuilt(results):
    """Table 003: of RAID-5 rebuilt, with and without read faults."""
    columns = ["kernel", "bursts", "outcome", "rebuilt onto", "seconds", "steps of error handling",
               "accesses rejected, of the boot", "all data right"]
    rows = []
    for r in results:
        cell = r["cell"]
        if cell["table"] != "003" or list(cell["run"]) != ["rebuild"]:
            continue
        done = [row for row in r["rows"] if "rebuild" in row]
        right = ("not reached" if r["outcome"] != "completed" else
                 "yes" if r["good"] else "no")
        for row in done or [{}]:
            rows.append([cell["kernel"], cell["args"][1], r["outcome"],
                         row.get("rebuild", "-"), row.get("seconds", "-"),
                         row.get("handled", "-"), r.get("rejected", "-"), right])
    return {"title": "003: RAID-5 rebuilt, with and without read faults", "columns": columns,
            "note": EMULATED + "Fault kind: real, zeros: the adapter's memory decoding is "
                    "off for 2.5 to 4 s, twice a rebuild, its reads are zeros, and only "
                    "the commands' timers (2 s) tell. Rejected accesses are by QEMU's own "
                    "log. All data: checksums of the array, and its parity. The rebuild "
                    "is held to 1 MB/s until the bursts are over.",
            "rows": rows, "plot": None}
