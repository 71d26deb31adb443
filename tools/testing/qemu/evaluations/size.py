# SPDX-License-Identifier: GPL-2.0
"""What a driver's option adds to its code, and to the stack: of its objects, function by
function.  Nothing is booted.
"""

import re
import subprocess

from harness import arches, objects, paths
from harness.drivers import DRIVERS

from .cell import execute
from .figures import of_table

TEXT_MOST = 1.20        # on / off
LISTED = 12             # functions of a driver, the rest in one line
ARCHES = ("ppc64", "ppc32", "arm64", "riscv64", "parisc", "parisc64")
# checkstack.pl takes PA-RISC's hexadecimal offsets for decimal ones, and sees of riscv's
# frames but those of 300 bytes and more
FRAMES = ("ppc64", "ppc32", "arm64")
VARIANTS = {"off": "plain", "on": "checked"}


def cells(quick: bool):
    """No boots: measure() reads objects."""
    del quick
    return ()


def files(base: str, arch: str, variant: str, hba: str) -> list:
    """The driver's objects."""
    directory = paths.object_dir(base, "patched", arch, variant) / DRIVERS[hba].directory
    return sorted(o for o in directory.glob("*.o") if o.name != "built-in.o")


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
    """{function: bytes of its stack frame}, as the kernel's checkstack.pl reads them; none
    but of FRAMES."""
    if arch not in FRAMES:
        return {}
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


def measure(base: str, quick: bool) -> list[dict]:
    """Compile the drivers; results, as those of cells, with a row a driver."""
    found = []
    for arch in ARCHES[:1] if quick else ARCHES:
        print(f"  BENCH   code: {arch}", flush=True)
        for variant in VARIANTS.values():
            execute(paths.QEMU / "builds/kernel.sh", base, "patched", arch, variant,
                    *(f"{driver.directory}/" for driver in DRIVERS.values()))
        for hba in DRIVERS:
            objs = {k: files(base, arch, v, hba) for k, v in VARIANTS.items()}
            code = {k: functions(objects.tool(arch, "readelf", "-sW", *o))
                    for k, o in objs.items()}
            stack = {k: frames(base, arch, o) for k, o in objs.items()}
            found.append({"cell": {"table": "code", "place": f"{arch}, {hba}"}, "good": True,
                          "log": "", "rows": [{"code": code, "stack": stack}]})
    return found


def tables(results: list[dict], figures: dict) -> list[dict]:
    """Bytes of code by function, and frames."""
    rows, stacks = [], []
    for result in of_table(results, "code"):
        place, (row,) = result["cell"]["place"], result["rows"]
        off, on = row["code"]["off"], row["code"]["on"]
        total = sum(off.values()), sum(on.values())
        figures.setdefault("text", {})[place] = dict(zip(("off", "on"), total))
        changed = grown(off, on)
        rest = [sum(one[n] for one in changed[LISTED:]) for n in (1, 2)]
        rows += [[place, *one, one[2] - one[1]] for one in (
            *changed[:LISTED], (f"{len(changed[LISTED:])} others", *rest),
            ("all functions", *total))]
        off, on = row["stack"]["off"], row["stack"]["on"]
        if not on:
            continue
        largest = max(on, key=on.get)
        figures.setdefault("stack", {})[place] = {
            "function": largest, "off": off.get(largest, 0), "on": on[largest]}
        stacks += [[place, *one, one[2] - one[1]] for one in (
            *grown(off, on)[:LISTED],
            (f"the largest: {largest}", off.get(largest, 0), on[largest]))]
    columns = ["driver", "function", "off", "on", "more"]
    return [{"title": "Code of a driver, bytes", "note": NOTE, "columns": columns,
             "rows": rows, "plot": None},
            {"title": "Stack frames of a driver, bytes",
             "note": f"By the kernel's checkstack.pl, which can read {', '.join(FRAMES)}. A "
                     "function that opens a session has it in its frame.", "columns": columns, "rows": stacks, "plot": None}
            ] if rows else []


NOTE = ("Functions of the driver's own objects: what the accessors call out of line is in the "
        "core. Off is the series with the driver's option off.")


def goals(figures: dict) -> list[tuple[str, bool]]:
    """What it should reach; [(what, met)]."""
    return [(f"{place}: code on / off at most {TEXT_MOST}: {size['on'] / size['off']:.3f}",
             size["on"] <= TEXT_MOST * size["off"])
            for place, size in figures.get("text", {}).items()]
