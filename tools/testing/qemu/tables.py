#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The tables of README.md and docs/, from the results in docs/results: make tables.

    tables.py [FILE ...]    take results of build/results, and write the tables
    tables.py --lint        whether the tables are what the results give

A result is a target's JSON: it says what it is of, and has a checksum of its figures.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from harness import paths, results
from harness.document import Error, markdown, placed

KEPT = paths.TOP / "docs/results"
README, RESULTS, BENCHMARKS = (paths.TOP / name for name in (
    "README.md", "docs/results.md", "docs/benchmarks.md"))
# of README.md: what the reader sees first
SHOWN = (("6.1", "powernv9", "ppc64", "fusion"), ("6.1", "arm64-virt", "arm64", "sym53c8xx"),
         ("6.1", "arm64-virt", "arm64", "nvme"), ("6.1", "g3beige", "ppc32", "sym53c8xx"))


def verified(file: Path) -> dict:
    """A result; raise Error unless it is whole, and good."""
    try:
        figures = json.loads(file.read_text())
        if figures["sha256"] != results.checksum(figures):
            raise Error(f"{file.name}: its figures are not those of its checksum\n"
                        "remedy: run the target again, make tables RESULTS=FILE")
        if not figures["ok"]:
            raise Error(f"{file.name}: the target failed")
        return figures
    except (OSError, ValueError, KeyError) as error:
        raise Error(f"{file}: not a result of a target: {error!r}") from None


def kept() -> dict[str, dict]:
    """{name: figures} of docs/results."""
    return {file.stem: verified(file) for file in sorted(KEPT.glob("*.json"))}


def demos(found: dict) -> list[dict]:
    """The demonstrations, by machine and adapter."""
    return [figures for name, figures in found.items() if name.startswith("demo-")]


def demo_row(figures: dict, kernel: str) -> list:
    """What one kernel made of a demonstration."""
    where, row = figures["about"], figures["kernels"][kernel]
    median = row["recovery_ms_median"]
    if median is not None and figures["time"] != "judged":
        median = f"{median}, not judged"    # see "time" of the result
    shown = [row["bursts_hit"], row["hits"], row["detected"], row["io_errors"],
             row["verify_errors"], median, row["outcome"]]
    return [f"{kernel.split('-')[0]} {where['base']}", where["machine"], where["adapter"],
            row["fault_kind"], *("-" if value is None else value for value in shown)]


DEMO = ["kernel", "machine", "adapter", "fault", "bursts that hit", "accesses failed",
        "detected", "I/O errors", "verify errors", "burst's end to next I/O, median ms",
        "outcome"]


def injected_row(figures: dict, kernel: str) -> list:
    """The same of exceptions that were injected: each is an access, and no burst."""
    row = demo_row(figures, kernel)
    injected = figures["kernels"][kernel]["injected"]
    return [*row[:4], "-", injected, *row[6:]]


def demo_rows(figures: dict) -> list[list]:
    """The rows of a demonstration."""
    return [(injected_row if row["fault_kind"] == "injected exception" else demo_row)(
        figures, kernel) for kernel, row in figures["kernels"].items()]


def shown(found: dict) -> str:
    """README.md's table: vanilla's row of the first demonstration, and patched ones."""
    names = ["-".join(("demo", *words)) for words in SHOWN]
    lacks = [name for name in names if name not in found]
    if lacks:
        raise Error(f"docs/results has no {lacks[0]}.json")
    rows = demo_rows(found[names[0]])[:1]
    rows += [demo_rows(found[name])[1] for name in names]
    return markdown(DEMO, rows)


def phases(found: dict) -> str:
    """Where the time of an outage goes: medians, and the worst in brackets, in ms."""
    names = ("failure", "reset", "recovered", "io", "recovery")
    return markdown(
        ["base", "machine", "adapter", "bursts", "burst's start to first failure",
         "burst's end to reset", "from there to recovered", "from there to next I/O",
         "burst's end to next I/O"],
        [[figures["about"]["base"], figures["about"]["machine"], figures["about"]["adapter"],
          row["bursts_hit"],
          *("-" if row[f"{name}_ms_median"] is None else
            f"{row[f'{name}_ms_median']} ({row[f'{name}_ms_max']})" for name in names)]
         for figures in demos(found) for row in figures["kernels"].values()
         if row.get("failure_ms_median") is not None])


def minutes(found: dict) -> str:
    """How long the commands took."""
    return markdown(["command", "base", "", "CPUs", "minutes"], [
        [f"`{figures['command']}`", figures["about"]["base"], figures["state"],
         figures["cpus"], f"{figures['seconds'] / 60:.0f}"]
        for name, figures in found.items() if name.startswith("time-")])


def coverage(found: dict) -> str:
    """The sweeps."""
    return markdown(
        ["driver", "base", "machine", "accesses failed, one a boot phase", "findings",
         "QEMU itself died of", "places reached", "places not to be reached there"],
        [[figures["about"]["adapter"], figures["about"]["base"], figures["about"]["machine"],
          figures["injections"], len(figures["findings"]), len(figures["qemu_died"]),
          f"{figures['reached']} of {figures['reached'] + len(figures['unreached'])}",
          len(figures["unreachable"])]
         for name, figures in found.items() if name.startswith("sweep-")])


def per_io(found: dict) -> str:
    """Instructions an I/O with one disk, by guest and size."""
    rows = []
    for name, figures in found.items():
        if not name.startswith("bench-"):
            continue
        for key, growth in figures.get("growth_instructions", {}).items():
            guest, cell = key.rsplit(", ", 1)
            if cell.startswith("1 x ") and figures["growth_alike"][key]:
                rows.append([figures["about"]["base"], guest, cell[4:], f"{growth:+.0f}",
                             f"{figures['ratio_off'][key]:.4f}",
                             f"{figures['ratio_on'][key]:.4f}"])
    return markdown(["base", "guest", "bytes", "on - off, instructions an I/O",
                     "off / fixes", "whole path, on / vanilla"], rows)


def per_access(found: dict) -> str:
    """Instructions of a checked access, and of its peers."""
    rows = []
    for name, figures in found.items():
        for arch, cost in figures.get("cost", {}).items() if name.startswith("bench-") else ():
            rows.append([figures["about"]["base"], arch, f"{cost['begin + end']:.0f}",
                         f"{round(cost['in a session of 8'], 1) + 0:.1f}",
                         f"{cost['of 8, with begin and end']:.1f}",
                         *(f"{cost['peer ' + peer]:.1f}" for peer in ("2004", "2005"))])
    return markdown(["base", "architecture", "begin + end", "a read in a session of 8, over "
                     "readl()", "with begin and end", "2004's way", "2005's way"], rows)


def on_silicon(found: dict) -> str:
    """Cycles of a checked access on a CPU, and of its peers: each run's."""
    rows = {}
    for name, figures in found.items():
        for key, cost in figures.get("silicon", {}).items() if name.startswith("bench-") else ():
            way, cpus, _ = key.split(", ")
            rows.setdefault((figures["about"]["base"], figures["silicon_cpu"], way,
                             cpus.split()[0]), []).append(
                f"{cost['cycles']:.2f} ({cost['low']:.2f} to {cost['high']:.2f})")
    return markdown(["base", "CPU", "way", "CPUs", "cycles an access", "once more"],
                    [[*key, *costs] for key, costs in rows.items()])


# way of growth: (what is measured, what grows)
GROWTH = {"threads": ("recovery, ms", "threads of a disk"),
          "disks": ("recovery, ms", "disks, four threads each"),
          "adapters": ("recovery, ms", "adapters, one fails"),
          "memory": ("recovery, ms", "MiB of memory"),
          "dead": ("last I/O failed, ms", "threads, dead adapter"),
          "errors": ("lines in the log", "failed reads"),
          "sysfs": ("bytes in sysfs", "failed reads")}


def growth(found: dict) -> str:
    """How recoveries, and what is told of errors, grow: the first point and the last."""
    rows = []
    for name, figures in found.items():
        for what, points in figures.get("growth", {}).items() if name.startswith("bench-") else ():
            way, _, adapter = what.partition(", ")
            few, *_, many = sorted(points, key=int)
            unit, of = GROWTH[way]
            rows.append([figures["about"]["base"], of, adapter,
                         f"{few} to {many}", unit, f"{points[few]:.0f}", f"{points[many]:.0f}"])
    return markdown(["base", "of", "adapter", "how many", "what", "at first", "at last"], rows)


def code(found: dict) -> str:
    """What an option adds to a driver's code and stack."""
    rows = []
    for name, figures in found.items():
        for place, size in figures.get("text", {}).items() if name.startswith("bench-") else ():
            frame = figures["stack"].get(place)
            rows.append([figures["about"]["base"], place, size["off"], size["on"],
                         f"{size['on'] / size['off']:.2f}", "-" if not frame else
                         f"{frame['function']}(): {frame['off']} to {frame['on']}"])
    return markdown(["base", "driver", "code off, bytes", "on", "on / off",
                     "largest stack frame, bytes"], rows)


def not_met(found: dict) -> str:
    """The goals of a bench that it does not reach."""
    rows = [[figures["about"]["base"], goal["what"]] for name, figures in found.items()
            for goal in (figures.get("goals", ()) if name.startswith("bench-") else ())
            if not goal["met"]]
    return markdown(["base", "not met"], rows)


def soak(found: dict) -> str:
    """Recoveries by the thousand."""
    rows = [[figures["about"]["base"], guest, one["bursts"], one["detected"], one["unseen"],
             one["resets"], one["unsound"], one["leaks"]]
            for name, figures in found.items() if name.startswith("bench-")
            for guest, one in figures.get("soak", {}).items()]
    return markdown(["base", "guest", "bursts", "failed accesses detected",
                     "not detected", "resets", "shards with errors or bad blocks",
                     "shards in which memory grew"], rows)


def configurations(found: dict) -> str:
    """The groups of make check-configs."""
    groups = {}
    for name, figures in found.items():
        for build in figures["builds"] if name.startswith("check-configs") else ():
            key = build["base"], build["group"]
            groups.setdefault(key, []).append(build)
    return markdown(
        ["base", "group", "configurations", "built", "vanilla fails", "options not to be had",
         "failed", "objects"],
        [[base, group, len(builds), *(sum(b["outcome"] == which for b in builds)
                                      for which in ("ok", "vanilla", "lost", "failed")),
          sum(b["objects"] for b in builds)] for (base, group), builds in groups.items()])


# (document, name): what makes it
TABLES = {
    (README, "demo"): shown, (README, "minutes"): minutes,
    (RESULTS, "demo"): lambda found: markdown(
        DEMO, [row for figures in demos(found) for row in demo_rows(figures)]),
    (RESULTS, "phases"): phases,
    (RESULTS, "sweep"): coverage, (RESULTS, "soak"): soak,
    (RESULTS, "configurations"): configurations,
    (BENCHMARKS, "per I/O"): per_io, (BENCHMARKS, "per access"): per_access,
    (BENCHMARKS, "on silicon"): on_silicon,
    (BENCHMARKS, "growth"): growth,
    (BENCHMARKS, "code"): code,
    (BENCHMARKS, "not met"): not_met,
}


def take(files: list[Path]) -> None:
    """Copy results and pictures of runs into docs/results."""
    for file in files:
        if file.suffix == ".json":
            verified(file)
        elif file.suffix != ".svg":
            raise Error(f"{file}: neither a result (.json) nor a picture (.svg)")
    for file in files:
        shutil.copyfile(file, KEPT / file.name)
        print(f"  RESULT  docs/results/{file.name}")


def main():
    """Write or compare; the exit status is 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="of build/results, or pictures")
    parser.add_argument("--lint", action="store_true", help="write nothing, compare")
    args = parser.parse_args()
    try:
        take(args.files)
        found = kept()
        for (document, name), make in TABLES.items():
            whole = placed(document, name, make(found))
            if whole == document.read_text():
                continue
            if args.lint:
                raise Error(f"{document.name}: its table '{name}' is not what docs/results "
                            "gives\nremedy: make tables")
            document.write_text(whole)
            print(f"  TABLE   {paths.short(document)}: {name}")
    except Error as error:
        sys.exit(f"tables: {error}")


if __name__ == "__main__":
    main()
