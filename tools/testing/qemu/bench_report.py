#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tables, plots and figures of the bench's cells: build/bench/report.html.

The nine cells of "readX_check() performance evaluation" (H. Ishii, linux-kernel,
January 2004), what an access costs beside the ways of others, and what CPUs do to
each other; the other seeds' are bench_seeds.py's.  Each table has its CSV, and a
plot where there is something to see.
"""

import csv
import html
import json
import re
import statistics
import subprocess
import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt     # noqa: E402  (after the back end is set)

import bench                        # noqa: E402
import bench_seeds                  # noqa: E402
import boot                         # noqa: E402
import results as output            # noqa: E402

# Ishii 2004: (disks, bytes): MB/s, IOPS, system CPU of patched and vanilla 2.6.1
SEED_000 = {
    (1, 512): ((5.245, 10741, 16.2), (5.269, 10790, 15.7)),
    (2, 512): ((10.473, 21448, 30.6), (10.548, 21602, 30.6)),
    (3, 512): ((11.267, 23074, 29.9), (11.251, 23042, 30.5)),
    (1, 4096): ((39.422, 10092, 14.1), (39.389, 10083, 14.0)),
    (2, 4096): ((70.438, 18032, 24.1), (70.390, 18019, 24.1)),
    (3, 4096): ((70.588, 18070, 24.5), (70.861, 18140, 24.4)),
    (1, 32768): ((69.226, 2215, 3.5), (68.546, 2190, 3.4)),
    (2, 32768): ((139.315, 4458, 7.0), (139.188, 4454, 6.6)),
    (3, 32768): ((208.883, 6684, 10.0), (209.193, 6694, 10.2)),
}
SEED = "seed, 2.6.1 on ia64"
GROWTH_MOST, PATH_MOST = 60, 1.01       # instructions an I/O; of all of a guest's
READ_MOST = {"ppc64": 6, "ppc32": 6, "parisc": 10, "parisc64": 10, "arm64": 8,
             "riscv64": 8}
BEGIN_END_MOST = 16
AGAIN = 200             # instructions: less than any two marks are apart
VERDICT = {"2004", "2005"}              # peers that tell of an error for sure


def between(marks, vcpu=0):
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


def of(cells, table, count=None):
    """Results of a table, counted or timed."""
    return [r for r in cells if r["cell"]["table"] == table and
            count in (None, r["cell"]["count"])]


def guest(result):
    """Machine and adapter of a result."""
    return f"{result['cell']['machine']}, {result['cell']['hba']}"


def span(values, form="{:.2f}"):
    """Median and extremes."""
    if not values:
        return "-"
    if len(values) == 1 or min(values) == max(values):
        return form.format(values[0])
    return (form + " ({}–{})").format(statistics.median(values), form.format(min(values)),
                                      form.format(max(values)))


def counted(cells):
    """{(guest, disks, size): {kernel: [{range: instructions an I/O}, ...]}}."""
    found = {}
    for result in of(cells, "000", True):
        reads = result["cell"]["args"][0]
        for row, part in zip(result["rows"], between(result["marks"])):
            ios = reads * row["disks"]
            found.setdefault((guest(result), row["disks"], row["size"]), {}).setdefault(
                result["cell"]["kernel"], []).append(
                    {name: part.get(name, 0) / ios
                     for name in ("driver", "stubs", "core", "total")})
    return found


def code(parts):
    """Instructions an I/O in driver, stubs and core, of each boot."""
    return [p["driver"] + p["stubs"] + p["core"] for p in parts]


def apart(kernels, one, other):
    """Instructions an I/O that one kernel takes more than the other, the median of
    the turns' differences: boots of one turn had the same load beside them."""
    return round(statistics.median(a - b for a, b in zip(
        code(kernels[one]), code(kernels[other]))), 2)


def same_code(arch, hba, base="6.1"):
    """Whether a driver's objects have the same instructions in the tree with the
    fixes alone and in the series' with its options off.

    Mnemonics and registers: line numbers, of messages, are constants that differ.
    test_off_objects_identical compares whole objects without them.
    """
    def code_of(kernel):
        tree, variant = bench.KERNELS[kernel]
        top = boot.object_dir(base, tree, arch, variant) / bench.DRIVER_DIRS[hba]
        return {o.name: [re.sub(r"(?<![a-z])-?(0x)?[0-9a-f]+\b", "", line) for line in
                         re.findall(r"^ *[0-9a-f]+:\t(.*)$", subprocess.run(
                             [boot.facts(arch)["CROSS"] + "objdump", "-d", "--no-show-raw-insn",
                              "-j", ".text", o], check=True, capture_output=True,
                             text=True).stdout, re.M)]
                for o in sorted(top.glob("*.o")) if o.name != "built-in.o"}
    off = code_of("off")
    return bool(off) and off == code_of("fixes")


def nine_counted(cells, figures):
    """Instructions an I/O of four kernels, and what of it is the series'."""
    rows, points = [], []
    growth, path, off, alone = {}, {}, {}, {}
    for (name, disks, size), kernels in sorted(counted(cells).items()):
        if len(kernels) < 4:
            continue
        median = {k: statistics.median(code(v)) for k, v in kernels.items()}
        total = {k: statistics.median([p["total"] for p in v]) for k, v in kernels.items()}
        least = {k: min(p["total"] for p in v) for k, v in kernels.items()}
        key = f"{name}, {disks} x {size}"
        growth[key] = apart(kernels, "on", "off")
        off[key] = round(median["off"] / median["fixes"], 5)
        if disks == 1:
            differ = max(max(code(v)) / min(code(v)) for v in kernels.values()) - 1
            alone.setdefault(name, {})[size] = off[key], differ
        path[key] = round(1 + growth[key] / least["vanilla"], 4)
        rows.append([name, disks, size, *(span(code(kernels[k]))
                                          for k in ("vanilla", "fixes", "off", "on")),
                     f"{apart(kernels, 'fixes', 'vanilla'):+.2f}", f"{growth[key]:+.2f}",
                     f"{apart(kernels, 'on', 'vanilla'):+.2f}", f"{off[key]:.4f}",
                     *(f"{total[k]:.0f}" for k in ("vanilla", "on")), f"{path[key]:.4f}"])
        points += [[k, f"{disks} x {size}", median[k]] for k in ("vanilla", "off", "on")
                   if name.startswith("powernv9")]
    if not rows:
        return []
    figures["growth_instructions"] = growth
    figures["growth_worst"] = max(growth.values())
    figures["ratio_off"] = off
    figures["ratio_off_alone"] = {
        name: {"worst": max((v for v, _ in found.values()), key=lambda v: abs(v - 1)),
               "differ": round(max(d for _, d in found.values()), 5)}
        for name, found in alone.items()}
    figures["ratio_off_worst"] = max(off.values(), key=lambda v: abs(v - 1))
    figures["ratio_on"] = path
    figures["off_same_code"] = {
        guest(r): same_code(r["cell"]["arch"], r["cell"]["hba"])
        for r in of(cells, "000", True)}
    figures["ratio_on_worst"] = max(path.values())
    figures["nine_cells"] = {", ".join(map(str, k)): v for k, v in counted(cells).items()}
    return [{"title": "000: instructions an I/O, sequential O_DIRECT reads",
             "note": f"Deterministic part: guest instructions, counted by a plugin under "
                     f"icount, {bench.COUNTED} reads a disk, median (least–most) of the "
                     "boots; driver, accessors out of line and io_check's core together. "
                     "fixes: vanilla with the stand-alone fixes; off: the series, its "
                     "options off; on: both drivers' options on. path: all that the guest "
                     "executed, fio and the idle loop with it, which moves from boot to boot "
                     "by more than the series adds: its ratio is 1 + (on - off) / the least "
                     "of vanilla's boots. Differences are the median of those within a turn of "
                     "boots. Several disks share interrupts, as it happens, and "
                     "so off / fixes moves there; that the code is the same is asked of the "
                     "objects.",
             "columns": ["guest", "disks", "bytes", "vanilla", "fixes", "off", "on",
                         "fixes - vanilla", "on - off", "on - vanilla", "off / fixes",
                         "path, vanilla", "path, on", "path, on / vanilla"],
             "rows": rows,
             "plot": {"x": "cell", "y": "instructions an I/O, powernv9", "series": "kernel",
                      "kind": "points", "columns": ["kernel", "cell",
                                                    "instructions an I/O, powernv9"],
                      "rows": points}}]


def nine_timed(cells, figures):
    """rawread's table: MB/s, IOPS, system CPU, patched / vanilla, beside the seed's."""
    found = {}
    for result in of(cells, "000", False):
        cell = result["cell"]
        for row in result["rows"]:
            found.setdefault((guest(result), row["disks"], row["size"]), {}).setdefault(
                cell["kernel"], {})[cell["sample"]] = row
    rows, points = [], []
    for (disks, size), both in SEED_000.items():
        for kernel, (mb_s, iops, cpu) in zip(("patched", "vanilla"), both):
            rows.append([SEED, disks, size, kernel, mb_s, iops, cpu,
                         f"{both[0][0] / both[1][0]:.3f}" if kernel == "patched" else ""])
        points.append([SEED, f"{disks} x {size}", both[0][0] / both[1][0]])
    for (name, disks, size), kernels in sorted(found.items()):
        for kernel in ("on", "off", "vanilla"):
            boots = kernels.get(kernel, {})
            ratios = [row["mb_s"] / kernels["vanilla"][s]["mb_s"] for s, row in boots.items()
                      if kernels.get("vanilla", {}).get(s, {}).get("mb_s")]
            rows.append([name, disks, size, kernel,
                         span([r["mb_s"] for r in boots.values()], "{:.1f}"),
                         span([r["iops"] for r in boots.values()], "{:.0f}"),
                         span([r["sys"] for r in boots.values()], "{:.1f}"),
                         span(ratios) if kernel != "vanilla" else ""])
            if kernel == "on":
                points += [[name, f"{disks} x {size}", ratio] for ratio in ratios]
    if not found:
        return []
    figures["throughput"] = {", ".join(map(str, k)): v for k, v in found.items()}
    return [{"title": "000: rawread's nine cells, timed",
             "note": bench_seeds.EMULATED + f"Boots by turns, {bench.TIMED} reads a disk, "
                     "median and spread; a ratio is to vanilla's boot of the same turn. The "
                     "emulator's times move by more than what is to be seen.",
             "columns": ["whose", "disks", "bytes", "kernel", "MB/s", "IOPS",
                         "system CPU, %", "MB/s, ratio to vanilla"],
             "rows": rows,
             "plot": {"x": "cell", "y": "MB/s, patched / vanilla", "series": "whose",
                      "kind": "points", "columns": ["whose", "cell",
                                                    "MB/s, patched / vanilla"],
                      "rows": points}}]


def ways(result, vcpu=0):
    """{way: instructions a loop}."""
    loops = result["cell"]["args"][1]
    return {str(row["way"]): part["total"] / loops
            for row, part in zip(result["rows"], between(result["marks"], vcpu))}


def costs(cells, figures):
    """What a read costs in each way, on each architecture."""
    boots = {}
    for result in of(cells, "cost"):
        boots.setdefault(result["cell"]["arch"], []).append(ways(result))
    rows, points, numbers = [], [], {}
    for arch, found in boots.items():
        way = {k: statistics.median([f[k] for f in found]) for k in found[0]}
        moved = max(abs(f[k] - way[k]) / way[k] for f in found for k in way)
        empty = way["empty"]
        plain = (way["readl8"] - empty) / 8
        around = way["session0"] - empty
        mine = {"readl": plain, "begin + end": around,
                "in a session of 1": way["session1"] - empty - plain,
                "in a session of 8": (way["session8"] - empty - around) / 8 - plain,
                "of 8, with begin and end": (way["session8"] - empty) / 8 - plain,
                "of 64, with begin and end": (way["session64"] - empty) / 64 - plain}
        peers = {k: (way[k] - empty) / 8 - plain for k in ("2004", "2005", "eeh", "ones")
                 if k in way}
        numbers[arch] = {**mine, **{f"peer {k}": v for k, v in peers.items()},
                         "moved": round(moved, 6), "boots": len(found)}
        rows.append([arch, *(f"{v:.2f}" for v in mine.values()),
                     *(f"{peers[k]:.2f}" if k in peers else "-"
                       for k in ("2004", "2005", "eeh", "ones")),
                     f"{100 * moved:.3f} % in {len(found)} boots"])
        for k, v in (("session of 8, begin and end in it", mine["of 8, with begin and end"]),
                     *((f"peer: {k}", v) for k, v in peers.items())):
            points.append([k, arch, v])
    if not rows:
        return []
    figures["cost"] = numbers
    return [{"title": "Instructions of a checked read, and of its peers",
             "note": "Deterministic: guest instructions between two marks, interrupts off, "
                     f"{bench.LOOPS} loops, the empty loop's taken off, of a real register "
                     "(SAS1068's) that answers. But for the first two columns: more than "
                     "readl(), a read. Peers are re-implementations, for measuring only: "
                     "2004, a count of errors before and after each read; 2005, a lock for "
                     "all around each read, and calls around the session; eeh, readl() and "
                     "EEH's question; ones, readl() and PCI_POSSIBLE_ERROR(). Of these 2004 "
                     "and 2005 give a verdict; eeh and ones know all-ones only. All "
                     "kernels of this table are for SMP, as 2005's lock is nothing without. "
                     "powerpc and PA-RISC have their checked reads in line.",
             "columns": ["architecture", "readl()", "begin + end", "in a session of 1",
                         "in a session of 8", "of 8, with begin and end",
                         "of 64, with begin and end", "peer 2004", "peer 2005", "peer eeh",
                         "peer ones", "moved"],
             "rows": rows,
             "plot": {"x": "architecture", "y": "instructions over readl()", "series": "way",
                      "kind": "points", "columns": ["way", "architecture",
                                                    "instructions over readl()"],
                      "rows": points}}]


def scaling(cells, figures):
    """Sessions on several CPUs at once: instructions each, and shared lines."""
    rows, points, numbers = [], [], {}
    for result in of(cells, "scaling"):
        cell = result["cell"]
        cpus, loops = cell["args"][:2]
        per_cpu = [ways(result, vcpu) for vcpu in range(cpus)]
        for row in result["rows"]:
            way = str(row["way"])
            if way == "empty":
                continue
            each = [p[way] - p["empty"] for p in per_cpu]
            rate = sum(loops / row[f"ns{n}"] * 1e9 for n in range(cpus) if row.get(f"ns{n}"))
            numbers.setdefault((cell["machine"], way), {})[cpus] = (max(each), rate)
    for (machine, way), found in numbers.items():
        one = found.get(1)
        for cpus, (each, rate) in sorted(found.items()):
            ratio = one[0] / each if one and each else 0
            rows.append([machine, way, cpus, f"{each:.2f}", f"{ratio:.3f}",
                         f"{rate / one[1]:.2f}" if one else "-"])
            points.append([f"{machine}, {way}", cpus, ratio])
    figures["scaling"] = {", ".join(k): {n: {"instructions": v[0], "sessions_s": v[1]}
                                         for n, v in found.items()}
                          for k, found in numbers.items()}
    tables = [{
        "title": "Scaling: sessions of 8 reads on several CPUs at once",
        "note": "Instructions that the slowest CPU executes for a loop of 8 reads of memory "
                "in place of a register; sessions a CPU, in instructions: 1 CPU's over that. "
                "Sessions a second are the emulator's, in one boot each, on a host with two "
                "CPUs: no more than context. A lock's instructions grow as CPUs wait for it.",
        "columns": ["machine", "way", "CPUs", "instructions a loop",
                    "sessions a CPU, ratio to 1 CPU", "all sessions a second, ratio to 1 CPU"],
        "rows": rows, "plot": {"x": "CPUs", "y": "sessions a CPU, ratio to 1 CPU",
                               "series": "machine, way", "kind": "lines",
                               "columns": ["machine, way", "CPUs",
                                           "sessions a CPU, ratio to 1 CPU"],
                               "rows": points}}] if rows else []
    lines = [[r["cell"]["machine"], r["cell"]["args"][4], r["lines"]["written"],
              r["lines"]["shared"]] for r in of(cells, "stores") if r["lines"]]
    figures["shared_lines"] = {f"{m}, {way}": shared for m, way, _, shared in lines}
    if lines:
        tables.append({
            "title": "Lines of 64 bytes written to by four CPUs",
            "note": "All stores between the marks, 100 loops a CPU, by virtual address; "
                    "shared: by more than one of them. The peer's lock is the control.",
            "columns": ["machine", "way", "lines written", "shared"], "rows": lines,
            "plot": None})
    return tables


def figure_of(plot, table, path):
    """Draw a table's plot."""
    columns = plot.get("columns", table["columns"])
    at = {k: columns.index(plot[k]) for k in ("x", "y", "series") if plot[k] in columns}
    if len(at) < 3:
        # the series' column has another name: the one that is left
        at["series"] = next(n for n in range(len(columns)) if n not in at.values())
    series = {}
    for row in plot.get("rows", table["rows"]):
        try:
            series.setdefault(row[at["series"]], []).append(
                (row[at["x"]], float(row[at["y"]])))
        except (TypeError, ValueError):
            continue
    plt.figure(figsize=(11, 4.5))
    for name, points in series.items():
        style = {"marker": "o", "ls": "-" if plot["kind"] == "lines" else "", "alpha": 0.7}
        plt.plot([str(x) for x, _ in points], [y for _, y in points], label=str(name), **style)
    plt.xlabel(plot["x"])
    plt.ylabel(plot["y"])
    plt.xticks(rotation=30, ha="right")
    plt.legend(fontsize="small")
    plt.tight_layout()
    plt.savefig(path)
    plt.close()


def write(tables, directory):
    """report.html, and of each table a CSV and a plot."""
    parts = []
    for n, table in enumerate(tables, 1):
        with open(directory / f"table{n}.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(table["columns"])
            out.writerows(table["rows"])
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) +
                       "</tr>\n" for row in table["rows"])
        head = "".join(f"<th>{html.escape(c)}</th>" for c in table["columns"])
        image = ""
        if table["plot"]:
            figure_of(table["plot"], table, directory / f"table{n}.svg")
            image = f'<img src="table{n}.svg" alt="{html.escape(table["title"])}">\n'
        parts.append(f"<h2>{html.escape(table['title'])}</h2>\n"
                     f"<p>{html.escape(table['note'])}</p>\n{image}"
                     f"<table><tr>{head}</tr>\n{body}</table>\n"
                     f'<p><a href="table{n}.csv">table{n}.csv</a></p>\n')
    path = directory / "report.html"
    path.write_text("""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>bench</title>
<style>body { font-family: sans-serif; max-width: 90em; margin: 2em auto }
th { text-align: left } td, th { padding: 0.1em 0.8em; border-bottom: 1px solid #ddd }
img { width: 80% }</style>
<h1>Evaluations of the seeds, redone in QEMU</h1>
<p>What an emulator can show: instructions, and that things work. What it cannot: time.
Its instructions take no time of their own, its caches and buses none at all, an access of a
device costs the host's locks, and stores fail as precisely as loads.</p>
""" + "".join(parts) + "</html>\n", encoding="utf-8")
    return path


def judge(figures):
    """What the figures have to show; [(what, holds)]."""
    said = []
    if "growth_worst" in figures:
        said.append((f"on - off at most {GROWTH_MOST} instructions an I/O: "
                     f"{figures['growth_worst']}", figures["growth_worst"] <= GROWTH_MOST))
        said.append((f"whole path on / vanilla at most {PATH_MOST}: "
                     f"{figures['ratio_on_worst']}", figures["ratio_on_worst"] <= PATH_MOST))
        # that the code is the same is asked of the objects; this, of what ran
        said += [(f"{name}: off / fixes with one disk 1.000, or as near as boots of one "
                  f"kernel are: {v['worst']}, {v['differ']}",
                  round(v["worst"], 3) == 1 or round(abs(v["worst"] - 1), 5) <= v["differ"])
                 for name, v in figures["ratio_off_alone"].items()]
        said += [(f"{name}: off has the code of fixes", same)
                 for name, same in figures["off_same_code"].items()]
    for arch, cost in figures.get("cost", {}).items():
        said.append((f"{arch}: begin + end at most {BEGIN_END_MOST}: "
                     f"{cost['begin + end']:.2f}", cost["begin + end"] <= BEGIN_END_MOST))
        said.append((f"{arch}: a read in a session of 8 at most {READ_MOST[arch]} over readl(): "
                     f"{cost['in a session of 8']:.2f}",
                     cost["in a session of 8"] <= READ_MOST[arch]))
        for peer in VERDICT:
            said.append((f"{arch}: fewer than peer {peer}: {cost['of 8, with begin and end']:.2f}"
                         f" and {cost['peer ' + peer]:.2f}",
                         cost["of 8, with begin and end"] < cost["peer " + peer]))
        said.append((f"{arch}: the same in each boot: moved by {100 * cost['moved']:.3f} %",
                     cost["moved"] == 0))
    for name, found in figures.get("scaling", {}).items():
        if "session" in name and 1 in found and 4 in found:
            ratio = found[1]["instructions"] / found[4]["instructions"]
            said.append((f"{name}: sessions a CPU at 4 within 2% of 1: {ratio:.4f}",
                         abs(ratio - 1) <= 0.02))
    for name, shared in figures.get("shared_lines", {}).items():
        said.append((f"{name}: lines that two CPUs wrote to: {shared}",
                     (shared == 0) == ("session" in name)))
    return said


def main(cells):
    """Write the report; returns whether all that it has to show holds."""
    figures = {}
    tables = [t for make in (nine_counted, nine_timed, costs, scaling)
              for t in make(cells, figures)] + bench_seeds.tables(cells)
    path = write(tables, bench.OUT)
    said = judge(figures)
    for what, holds in said:
        print(f"  {'ok' if holds else 'NOT OK':7} {what}")
    good = all(holds for _, holds in said) and all(r["good"] for r in cells)
    output.write("bench", good, {"judged": [{"what": w, "holds": h} for w, h in said],
                                 **figures, "cells": len(cells),
                                 "bad": [r["log"] for r in cells if not r["good"]]})
    print(path.relative_to(boot.TOP))
    return good


if __name__ == "__main__":
    sys.exit(not main([json.loads(f.read_text())
                       for f in sorted((bench.OUT / "cells").glob("*.json"))]))
