# SPDX-License-Identifier: GPL-2.0
"""000: rawread's nine cells, and what of an I/O's instructions is the series'.

H. Ishii, "readX_check() performance evaluation", linux-kernel, January 2004.
"""

import re
import statistics

from harness import objects, paths
from harness.drivers import DRIVERS

from .cell import KERNELS, Cell
from .counting import between
from .figures import EMULATED, guest, of_table, papers, spread

PAPER = {(disks, size): both for disks, size, *both in papers()["nine_cells"]["rows"]}
WHOSE = "paper, 2.6.1 on ia64"
# instructions an I/O that a driver may take more, and should at most with one disk
GROWTH = {"fusion": (60, 25), "sym53c8xx": (60, 25), "nvme": (30, 16)}
PATH_MOST = 1.01                        # of all of a guest's

# The nine cells: sequential reads a disk and cell, counted, and timed
COUNTED, TIMED = 1500, 1900
GUESTS = (("powernv9", "ppc64", "fusion"), ("g3beige", "ppc32", "sym53c8xx"),
          ("b160l", "parisc", "sym53c8xx"), ("powernv9", "ppc64", "nvme"))
# Boots of one kernel differ by up to 3 percent with several disks, which share
# interrupts as the host's load has it: a median of three was off by ten instructions
COUNTED_BOOTS, BOOTS = 5, 3


def cells(quick: bool):
    """Counted boots of four kernels; and timed ones, of three in turns."""
    guests = GUESTS[:1] if quick else GUESTS
    for sample in range(1 if quick else COUNTED_BOOTS):
        for place in guests:
            for kernel in ("vanilla", "fixes", "off", "on"):
                yield Cell("000", *place, kernel, ("cells",), (COUNTED,), sample,
                           count=True)
    for sample in range(1 if quick else BOOTS):
        for place in guests:
            for kernel in ("vanilla", "off", "on"):
                yield Cell("000", *place, kernel, ("cells",), (TIMED,), sample)


def counted(cells):
    """{(guest, disks, size): {kernel: [{range: instructions an I/O}, ...]}}."""
    found = {}
    for result in of_table(cells, "000", True):
        reads = result["cell"]["args"][0]
        for row, part in zip(result["rows"], between(result["marks"])):
            ios = reads * row["disks"]
            found.setdefault((guest(result), row["disks"], row["size"]), {}).setdefault(
                result["cell"]["kernel"], []).append(
                    {name: part.get(name, 0) / ios
                     for name in ("driver", "stubs", "core", "segments", "total")})
    return found


def code(parts):
    """Instructions an I/O in driver, stubs and core, of each boot."""
    return [p["driver"] + p["stubs"] + p["core"] for p in parts]


def apart(kernels, one, other):
    """Instructions an I/O that one kernel takes more than the other, the median of
    the turns' differences: boots of one turn had the same load beside them."""
    return round(statistics.median(a - b for a, b in zip(
        code(kernels[one]), code(kernels[other]))), 2)


def same_code(base: str, arch: str, hba: str) -> bool:
    """Whether a driver's objects have the same instructions in the tree with the
    fixes alone and in the series' with its options off.

    Mnemonics and registers: line numbers, of messages, are constants that differ.
    test_off_objects_identical compares whole objects without them.
    """
    def code_of(kernel):
        tree, variant = KERNELS[kernel]
        top = paths.object_dir(base, tree, arch, variant) / DRIVERS[hba].directory
        return {o.name: [re.sub(r"(?<![a-z])-?(0x)?[0-9a-f]+\b", "", line) for line in
                         re.findall(r"^ *[0-9a-f]+:\t(.*)$",
                                    objects.disassembly(arch, o, "-j", ".text"), re.M)]
                for o in sorted(top.glob("*.o")) if o.name != "built-in.o"}
    off = code_of("off")
    return bool(off) and off == code_of("fixes")


def tables(results: list[dict], figures: dict) -> list[dict]:
    """The counted table and rawread's own."""
    return [*instructions(results, figures), *rawread(results, figures)]


def unlike(kernels, disks: int, most: int) -> str:
    """Why growth says nothing of the series, or "".

    pieces  off's and on's buffers lay in different numbers of pieces.  Where pages come to
            lie is chance, and the same in each boot of one kernel; a piece more costs a
            driver more than the series does in a read of it.
    spread  several disks share interrupts as it happens, and boots of one kernel differ by
            more than half of the most instructions that the driver may grow
    """
    pieces = [statistics.median(p["segments"] for p in kernels[k]) for k in ("off", "on")]
    if max(pieces) > 1.01 * min(pieces):
        return "pieces"
    return "spread" if disks > 1 and moves(kernels) > most / 2 else ""


def moves(kernels) -> float:
    """By how many instructions an I/O boots of one kernel differ, off or on."""
    return max(max(code(kernels[k])) - min(code(kernels[k])) for k in ("off", "on"))


def driver_of(name: str) -> str:
    """Of a guest, as figures.guest() names it, or one of its cells."""
    return name.split(", ")[1]


def of_cell(key, kernels):
    """What a cell's four kernels took: medians of code and of the whole path, the growth
    by the series, its ratio of the path, and of off to fixes."""
    name, disks, _ = key
    median = {k: statistics.median(code(v)) for k, v in kernels.items()}
    growth = apart(kernels, "on", "off")
    least = min(p["total"] for p in kernels["vanilla"])
    return {"median": median, "growth": growth,
            "unlike": unlike(kernels, disks, GROWTH[driver_of(name)][0]),
            "beyond": round(growth - moves(kernels), 2),
            "total": {k: statistics.median([p["total"] for p in v])
                      for k, v in kernels.items()},
            "off": round(median["off"] / median["fixes"], 5),
            "path": round(1 + growth / least, 4),
            "differ": max(max(code(v)) / min(code(v)) for v in kernels.values()) - 1}


def instructions(results, figures):
    """Instructions an I/O of four kernels, and what of it is the series'."""
    boots = {key: kernels for key, kernels in sorted(counted(results).items())
             if len(kernels) == 4}
    if not boots:
        return []
    took = {key: of_cell(key, kernels) for key, kernels in boots.items()}
    summarize(results, took, figures)
    rows = [[*key, *(spread(code(kernels[k]), "{:.2f}")
                     for k in ("vanilla", "fixes", "off", "on")),
             f"{apart(kernels, 'fixes', 'vanilla'):+.2f}",
             f"{took[key]['growth']:+.2f}" +
             f" ({took[key]['unlike']})" * bool(took[key]["unlike"]),
             f"{apart(kernels, 'on', 'vanilla'):+.2f}", f"{took[key]['off']:.4f}",
             *(f"{took[key]['total'][k]:.0f}" for k in ("vanilla", "on")),
             f"{took[key]['path']:.4f}"] for key, kernels in boots.items()]
    points = [[k, f"{disks} x {size}", took[name, disks, size]["median"][k]]
              for name, disks, size in boots if name == PLOTTED
              for k in ("vanilla", "off", "on")]
    return [{"title": "000: instructions an I/O, sequential O_DIRECT reads",
             "note": COUNTED_NOTE,
             "columns": ["guest", "disks", "bytes", "vanilla", "fixes", "off", "on",
                         "fixes - vanilla", "on - off", "on - vanilla", "off / fixes",
                         "path, vanilla", "path, on", "path, on / vanilla"],
             "rows": rows,
             "plot": {"x": "cell", "y": f"instructions an I/O, {PLOTTED}", "series": "kernel",
                      "kind": "points", "columns": ["kernel", "cell",
                                                    f"instructions an I/O, {PLOTTED}"],
                      "rows": points}}]


PLOTTED = "powernv9, fusion"
COUNTED_NOTE = (
    "Deterministic part: guest instructions, counted by a plugin under icount, "
    f"{COUNTED} reads a disk, median (least to most) of the boots; driver, accessors out of "
    "line and io_check's core together. fixes: vanilla with the stand-alone fixes; off: the "
    "series, its options off; on: the drivers' options on. path: all that the guest "
    "executed, fio and the idle loop with it, which moves from boot to boot by more than the "
    "series adds: its ratio is 1 + (on - off) / the least of vanilla's boots. Differences are "
    "the median of those within a turn of boots. "
    "(pieces): the buffer lay in more pieces in one of the two kernels, which is "
    "chance: not judged. Several disks share interrupts, as it "
    "happens, and so off / fixes moves there; that the code is the same is asked of the "
    "objects. (spread): so did boots of one kernel, by more than half of what the driver may "
    "grow: judged is what is beyond that.")


def summarize(results, took, figures):
    """The figures that are judged, and those that are quoted."""
    def by_cell(what):
        return {f"{name}, {disks} x {size}": one[what]
                for (name, disks, size), one in took.items()}
    figures["growth_instructions"] = by_cell("growth")
    figures["growth_alike"] = {cell: not why for cell, why in by_cell("unlike").items()}
    for hba in dict.fromkeys(map(driver_of, (name for name, _, _ in took))):
        mine = [one for (name, _, _), one in took.items() if driver_of(name) == hba]
        figures.setdefault("growth_worst", {})[hba] = max(
            one["growth"] for one in [m for m in mine if not m["unlike"]] or mine)
        figures.setdefault("growth_beyond", {})[hba] = max(
            [one["beyond"] for one in mine if one["unlike"] == "spread"], default=None)
    figures["ratio_off"] = by_cell("off")
    figures["ratio_off_worst"] = max(by_cell("off").values(), key=lambda v: abs(v - 1))
    figures["ratio_off_alone"] = {
        guest_: {"worst": max((one["off"] for (name, disks, _), one in took.items()
                               if (name, disks) == (guest_, 1)), key=lambda v: abs(v - 1)),
                 "differ": round(max(one["differ"] for (name, disks, _), one in took.items()
                                     if (name, disks) == (guest_, 1)), 5)}
        for guest_ in dict.fromkeys(name for name, disks, _ in took if disks == 1)}
    figures["ratio_on"] = by_cell("path")
    figures["ratio_on_worst"] = max(one["path"] for one in took.values())
    figures["off_same_code"] = {
        guest(r): same_code(r["cell"]["base"], r["cell"]["arch"], r["cell"]["hba"])
        for r in of_table(results, "000", True)}
    figures["nine_cells"] = {", ".join(map(str, k)): v for k, v in counted(results).items()}


def rawread(results, figures):
    """rawread's table: MB/s, IOPS, system CPU, patched / vanilla, beside the paper's."""
    found = {}
    for result in of_table(results, "000", False):
        cell = result["cell"]
        for row in result["rows"]:
            found.setdefault((guest(result), row["disks"], row["size"]), {}).setdefault(
                cell["kernel"], {})[cell["sample"]] = row
    rows, points = [], []
    for (disks, size), both in PAPER.items():
        for kernel, (mb_s, iops, cpu) in zip(("patched", "vanilla"), both):
            rows.append([WHOSE, disks, size, kernel, mb_s, iops, cpu,
                         f"{both[0][0] / both[1][0]:.3f}" if kernel == "patched" else ""])
        points.append([WHOSE, f"{disks} x {size}", both[0][0] / both[1][0]])
    for (name, disks, size), kernels in sorted(found.items()):
        for kernel in ("on", "off", "vanilla"):
            boots = kernels.get(kernel, {})
            ratios = [row["mb_s"] / kernels["vanilla"][s]["mb_s"] for s, row in boots.items()
                      if kernels.get("vanilla", {}).get(s, {}).get("mb_s")]
            rows.append([name, disks, size, kernel,
                         spread([r["mb_s"] for r in boots.values()], "{:.1f}"),
                         spread([r["iops"] for r in boots.values()], "{:.0f}"),
                         spread([r["sys"] for r in boots.values()], "{:.1f}"),
                         spread(ratios) if kernel != "vanilla" else ""])
            if kernel == "on":
                points += [[name, f"{disks} x {size}", ratio] for ratio in ratios]
    if not found:
        return []
    figures["throughput"] = {", ".join(map(str, k)): v for k, v in found.items()}
    return [{"title": "000: rawread's nine cells, timed",
             "note": EMULATED + f"Boots by turns, {TIMED} reads a disk, "
                     "median and spread; a ratio is to vanilla's boot of the same turn. The "
                     "emulator's times move by more than what is to be seen.",
             "columns": ["whose", "disks", "bytes", "kernel", "MB/s", "IOPS",
                         "system CPU, %", "MB/s, ratio to vanilla"],
             "rows": rows,
             "plot": {"x": "cell", "y": "MB/s, patched / vanilla", "series": "whose",
                      "kind": "points", "columns": ["whose", "cell",
                                                    "MB/s, patched / vanilla"],
                      "rows": points}}]


def judge(figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show; [(what, holds)]."""
    if "growth_worst" not in figures:
        return []
    return [
        *((f"{hba}: on - off at most {GROWTH[hba][0]} instructions an I/O: {worst}",
           worst <= GROWTH[hba][0]) for hba, worst in figures["growth_worst"].items()),
        *((f"{hba}: where boots of one kernel differ (spread), on - off beyond that at most "
           f"{GROWTH[hba][0]}: {worst}", worst <= GROWTH[hba][0])
          for hba, worst in figures["growth_beyond"].items() if worst is not None),
        (f"whole path on / vanilla at most {PATH_MOST}: "
         f"{figures['ratio_on_worst']}", figures["ratio_on_worst"] <= PATH_MOST),
        # that the code is the same is asked of the objects; this, of what ran
        *((f"{name}: off / fixes with one disk 1.000, or as near as boots of one "
           f"kernel are: {v['worst']}, {v['differ']}",
           round(v["worst"], 3) == 1 or round(abs(v["worst"] - 1), 5) <= v["differ"])
          for name, v in figures["ratio_off_alone"].items()),
        *((f"{name}: off has the code of fixes", same)
          for name, same in figures["off_same_code"].items())]


def goals(figures: dict) -> list[tuple[str, bool]]:
    """What it should reach; [(what, met)]."""
    return [(f"{cell}: on - off at most {goal} instructions an I/O: {growth}",
             growth <= goal)
            for cell, growth in figures.get("growth_instructions", {}).items()
            for goal in [GROWTH[driver_of(cell)][1]]
            if ", 1 x " in cell and figures["growth_alike"][cell]]
