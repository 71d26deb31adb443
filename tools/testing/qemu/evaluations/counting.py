# SPDX-License-Identifier: GPL-2.0
"""Instructions, counted by the plugin icount.c of QEMU: between marks, in ranges of
addresses.  They are the same in each run as far as the tables say so."""

import re
import statistics
import sys
from pathlib import Path

from harness import objects
from harness.drivers import DRIVERS
from harness.machines import MACHINES

MARK = "sysrq_handle_loglevel"
# Where a driver's accesses end outside of it, checked or not
ACCESSORS = re.compile(r"(io(read|write)(8|16|32)|_?(out|in)_(8|le16|le32)|"
                       r"__io_check_(ld|st)\d+|(load|store)_failed)$")
# Called for each piece of memory that lies by itself: by the block layer, the mapping
# of it for DMA, and the driver
EACH_SEGMENT = "sg_next"
AGAIN = 200             # instructions: less than any two marks are apart


def spans(wanted, table: list) -> list[tuple[int, int]]:
    """[(low, high)] of the functions for which wanted(index) is true; adjacent
    ones are merged.  high is the next symbol's address."""
    found = []
    for n, (addr, _) in enumerate(table[:-1]):
        after = next((a for a, _ in table[n + 1:n + 9] if a > addr), addr)
        if not wanted(n) or after == addr:
            continue
        if found and found[-1][1] == addr:
            found[-1] = (found[-1][0], after)
        else:
            found.append((addr, after))
    return found


def ranges(arch: str, obj: Path, hba: str) -> dict:
    """{name: [(low, high)]}: the driver's code, its accessors', io_check's core, and what
    is executed once a segment.

    Static functions of the same name elsewhere in the kernel are told apart by
    where the directory's other functions are.
    """
    table = sorted(objects.symbols(arch, obj / "vmlinux", kinds="tTW"))
    count = {}
    for _, name in table:
        count[name] = count.get(name, 0) + 1

    def functions(directory, keep=lambda name: True):
        files = sorted((obj / directory).glob("*.o"))
        names = {n for _, n in objects.symbols(arch, *files, kinds="tT") if keep(n)}
        alone = [a for a, n in table if n in names and count[n] == 1]
        if not alone:
            return []
        # the main section's functions lie together; .text.unlikely's do not
        middle = statistics.median_low(alone)
        near = [a for a in alone if abs(a - middle) < 1 << 20]
        low, high = min(near), max(near)
        return spans(lambda n: table[n][1] in names and
                     (count[table[n][1]] == 1 or low <= table[n][0] <= high), table)

    return {"driver": functions(DRIVERS[hba].directory),
            "stubs": spans(lambda n: ACCESSORS.match(table[n][1]), table),
            "core": functions("drivers/pci", lambda n: "io_check" in n),
            "segments": spans(lambda n: table[n][1] == EACH_SEGMENT, table)}


def arguments(cell, obj: Path, plugin: Path, out: Path) -> tuple[str, ...]:
    """QEMU's arguments for the plugin in a cell's boot, and for icount."""
    names = objects.addresses(cell.arch, obj / "vmlinux", "tTW")
    words = [str(plugin), f"out={out}"]
    for mark in cell.marks:
        if mark not in names:
            sys.exit(f"bench: no function {mark} in {obj}/vmlinux")
        words.append(f"mark={names[mark]:x}")
    if cell.stores:
        words.append("stores=on")
    if MARK in cell.marks:
        words += [f"range={name}:{low:x}:{high:x}" for name, found in
                  ranges(cell.arch, obj, cell.hba).items() for low, high in found]
    shift = MACHINES[cell.machine].icount
    return ("-plugin", ",".join(words), *(
        ("-icount", f"shift={shift},sleep=off") if shift is not None and cell.smp == 1
        else ()))


def read_marks(path: Path):
    """[{"mark", "vcpu", "total", name of a range: instructions so far}], and
    {"written", "shared"} lines or None, of a plugin's file."""
    marks, lines = [], None
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "mark":
            marks.append({k: int(v) for k, v in zip(words[::2], words[1::2])})
        else:
            lines = {"written": int(words[2]), "shared": int(words[4])}
    return marks, lines


def between(marks: list[dict], vcpu: int = 0) -> list[dict]:
    """[{name: instructions}] between each first and second mark of a vCPU.

    A mark's instruction that missed the TLB was begun twice: the second counts.
    """
    mine = []
    for mark in (m for m in marks if m["vcpu"] == vcpu):
        if mine and mark["total"] - mine[-1]["total"] < AGAIN:
            mine.pop()
        mine.append(mark)
    return [{k: b[k] - a.get(k, 0) for k in b if k not in ("mark", "vcpu")}
            for a, b in zip(mine[::2], mine[1::2])]
