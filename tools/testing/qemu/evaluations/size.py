# SPDX-License-Identifier: GPL-2.0
"""What a driver's option adds to its code, and to the stack: of the objects that the nine
cells are booted with, function by function.
"""

import re
import subprocess

from harness import arches, objects, paths
from harness.drivers import DRIVERS

from .cell import KERNELS
from .figures import of_table

TEXT_MOST = 1.20        # on / off
LISTED = 12             # functions of a driver, the rest in one line


def cells(quick: bool):
    """No boots: it reads the nine cells' kernels."""
    del quick
    return ()


def files(base: str, arch: str, kernel: str, hba: str) -> list:
    """The driver's objects in one of cell.KERNELS."""
    tree, variant = KERNELS[kernel]
    directory = paths.object_dir(base, tree, arch, variant) / DRIVERS[hba].directory
    return sorted(o for o in directory.glob("*.o")
                  if o.name not in ("built-in.o", "built-in.a"))


def functions(symbols: str) -> dict[str, int]:
    """{function: bytes} of readelf's table; the parts that the compiler made of one
    are one, and aliases of an address count once."""
    found, seen = {}, set()
    file = ""
    for line in symbols.splitlines():
        if line.startswith("File: "):
            file = line
        match = re.match(r" *\d+: (\w+) +(\w+) FUNC +\w+ +\w+ +(\d+) +\.?(\w+)", line)
        if match:
            address, size, section, name = match.groups()
            if (file, section, address) not in seen:
                seen.add((file, section, address))
                found[name] = found.get(name, 0) + int(size, 0)
    return found


def frames(base: str, arch: str, objs: list) -> dict[str, int]:
    """{function: bytes of its stack frame}, as the kernel's checkstack.pl reads them."""
    text = "".join(objects.tool(arch, "objdump", "-d", obj) for obj in objs)
    lines = subprocess.run(
        ["perl", paths.BUILD / base / "vanilla/scripts/checkstack.pl",
         arches.facts(arch)["KARCH"], "0"],
        input=text, capture_output=True, text=True, check=True).stdout
    found = {}
    for name, size in re.findall(r"^0x\w+ \.?(\w+)\S* \[.*\]:\s*(\d+)$", lines, re.M):
        found[name] = max(found.get(name, 0), int(size))
    return found


def grown(off: dict[str, int], on: dict[str, int]) -> list[tuple[str, int, int]]:
    """(function, bytes off, bytes on) of what has changed, the largest growth first."""
    changed = [(name, off.get(name, 0), on.get(name, 0)) for name in {**off, **on}
               if off.get(name, 0) != on.get(name, 0)]
    return sorted(changed, key=lambda row: (row[1] - row[2], row[0]))


def tables(results: list[dict], figures: dict) -> list[dict]:
    """Bytes of code by function, and frames."""
    places = sorted({(c["base"], c["arch"], c["hba"])
                     for c in (r["cell"] for r in of_table(results, "000"))
                     if c["kernel"] == "on"})
    rows, stacks = [], []
    for base, arch, hba in places:
        objs = {kernel: files(base, arch, kernel, hba) for kernel in ("off", "on")}
        off, on = (functions(objects.tool(arch, "readelf", "-sW", *objs[kernel]))
                   for kernel in ("off", "on"))
        place = f"{arch}, {hba}"
        changed = grown(off, on)
        total = sum(off.values()), sum(on.values())
        figures.setdefault("text", {})[place] = dict(zip(("off", "on"), total))
        rows += [[place, *row, row[2] - row[1]] for row in changed[:LISTED]]
        rest = changed[LISTED:]
        rows += [[place, f"{len(rest)} others", *(both := [sum(row[n] for row in rest)
                                                           for n in (1, 2)]),
                  both[1] - both[0]],
                 [place, "all functions", *total, total[1] - total[0]]]
        off, on = (frames(base, arch, objs[kernel]) for kernel in ("off", "on"))
        largest = max(on, key=on.get)
        figures.setdefault("stack", {})[place] = {
            "function": largest, "off": off.get(largest, 0), "on": on[largest],
            "largest_off": max(off.values())}
        stacks += [[place, *row, row[2] - row[1]] for row in grown(off, on)[:LISTED]]
        stacks.append([place, f"the largest: {largest}", off.get(largest, 0), on[largest],
                       on[largest] - off.get(largest, 0)])
    columns = ["driver", "function", "off", "on", "more"]
    return [{"title": "Code of a driver, bytes", "note": NOTE, "columns": columns,
             "rows": rows, "plot": None},
            {"title": "Stack frames of a driver, bytes",
             "note": "By the kernel's checkstack.pl. A function that opens a session has it "
                     "in its frame.", "columns": columns, "rows": stacks, "plot": None}
            ] if rows else []


NOTE = ("Functions of the driver's own objects: what the accessors call out of line is in the "
        "core. Off is the series with the driver's option off.")


def goals(figures: dict) -> list[tuple[str, bool]]:
    """What it is to come to; [(what, met)]."""
    return [(f"{place}: code on / off at most {TEXT_MOST}: {size['on'] / size['off']:.3f}",
             size["on"] <= TEXT_MOST * size["off"])
            for place, size in figures.get("text", {}).items()]
