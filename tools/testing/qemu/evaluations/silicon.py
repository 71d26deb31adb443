# SPDX-License-Identifier: GPL-2.0
"""What a checked access costs on the host's own CPU, in cycles.

The kernel's own inline code, compiled by Kbuild, runs in a program of silicon/ against
memory in place of a register.  That is the worst case: memory answers within a few
cycles and several reads overlap, where a device takes hundreds and its reads wait for
each other.  A cycle is the time of an addition that waits for the one before, measured
in the same round, so a clock that changes does not matter.

Where a guest gets to its serial port under KVM, a register on a RAM-backed BAR is read
in q35 as well; where it does not, the report says so.
"""

import csv
import dataclasses
import io
import os
import platform
import random
import re
import statistics
import subprocess
from pathlib import Path

from scipy import stats

from harness import arches, ktap, paths, process
from harness.guest import Boot

from .cell import KERNELS, OUT, execute
from .figures import of_table

SOURCE = paths.QEMU / "silicon"
# A process has its stack and its memory where chance puts them, which is worth half a
# cycle: a run is many processes, each with some rounds
RUNS, PROCESSES, ROUNDS, LOOPS = 2, 40, 20, 2000
MOST_CPUS = 64          # main.c's
CHAIN = 64              # cycles a loop of the way "chain"
CONFIDENCE = 0.95
# Two runs may differ by this many cycles beside their intervals
RESOLUTION = 0.1
# Inline code as Debian's configuration has it, but for what a program has no place for:
# the stack protector's %gs, and thunks that the kernel patches when it boots
FLAGS = ("KCFLAGS=-mfunction-return=keep -mindirect-branch=keep -fno-stack-protector "
         "-fcf-protection=none")
# Seconds that a guest under KVM may say nothing
SILENCE = 20

# name: (way, the plain one, of eight accesses a loop, and the way's accesses a loop)
COSTS = {
    "begin + end": ("session0", "empty", 1),
    "session of 1": ("session1", "readl8", 1),
    "session of 4": ("session4", "readl8", 4),
    "session of 8": ("session8", "readl8", 8),
    "session of 64": ("session64", "readl8", 64),
    "session of 8 writes": ("wsession8", "writel8", 8),
    "off": ("off8", "readl8", 8),
    "peer 2004": ("2004", "readl8", 8),
    "peer 2005": ("2005", "readl8", 8),
    "peer ones": ("ones", "readl8", 8),
}


def cells(quick: bool):
    """No boots: measure() has what there is."""
    del quick
    return ()


def added(cycles: dict[str, float], name: str) -> float:
    """Cycles that an access costs more than the plain one, or begin and end cost.

    cycles is {way: cycles a loop} of one round.
    """
    way, plain, accesses = COSTS[name]
    empty = cycles["empty"]
    return (cycles[way] - empty) / accesses - (cycles[plain] - empty) / 8


def interval(values: list[float]) -> tuple[float, float, float]:
    """(median, low, high): the median and the order statistics that have it between
    them with CONFIDENCE, whatever the distribution: that many of them are below it as
    heads are thrown."""
    ordered = sorted(values)
    n = len(ordered)
    low = int(stats.binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    return statistics.median(ordered), ordered[max(low - 1, 0)], ordered[min(n - low, n - 1)]


def rounds_of(file) -> list[dict[str, float]]:
    """[{way: cycles a loop}] of each round and CPU of the program's CSV, an open file."""
    ticks = {}
    for row in csv.DictReader(file):
        ticks.setdefault((row["round"], row["cpu"]), {})[row["way"]] = int(row["ticks"])
    return [{way: t / found["chain"] * CHAIN for way, t in found.items()}
            for found in ticks.values()]


def build(base: str) -> Path:
    """The program, for a base's kernel."""
    tree = paths.BUILD / base / "peers"
    variant = f"{KERNELS['peers'][1]}@silicon"
    source = tree / "drivers/pci/io_check_silicon.c"
    for path, text in ((source, (SOURCE / "ways.c").read_text()),
                       (source.with_name("io_check_silicon_off.c"),
                        f'#define SILICON_OFF\n#include "{source.name}"\n')):
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
    objects = [f"drivers/pci/{name}.o" for name in ("io_check_silicon",
                                                    "io_check_silicon_off")]
    os.environ["KEXTRA"] = FLAGS
    try:
        execute(paths.QEMU / "builds/kernel.sh", base, "peers", "x86_64", variant, *objects)
    finally:
        del os.environ["KEXTRA"]
    obj = paths.object_dir(base, "peers", "x86_64", variant)
    program = OUT / base / "silicon"
    program.parent.mkdir(parents=True, exist_ok=True)
    execute("gcc", "-O2", "-Wall", "-Wextra", "-static", "-no-pie", "-pthread", "-o", program,
            SOURCE / "main.c", *(obj / o for o in objects))
    return program


def measure(base: str, quick: bool) -> list[dict]:
    """Run the program on 1 CPU to all, RUNS times each, and ask for KVM: results, as
    those of cells."""
    if platform.machine() != "x86_64":
        print(f"  BENCH   silicon: skipped, no program for {platform.machine()}", flush=True)
        return []
    program, found = build(base), []
    most = min(len(os.sched_getaffinity(0)), MOST_CPUS)
    for cpus in (1, most)[:1 if quick or most == 1 else 2]:
        print(f"  BENCH   silicon: {cpus} CPUs", flush=True)
        medians = {run: [] for run in range(1, 1 + RUNS)}
        file = OUT / base / f"silicon-{cpus}.csv"
        with open(file, "w", encoding="utf-8") as out:
            # the runs in turn: what else the host does changes with time
            for n in range(PROCESSES):
                for run, of_run in medians.items():
                    text = subprocess.run(
                        [program, str(cpus), str(ROUNDS), str(LOOPS),
                         str(random.randint(1, 1 << 30))], stdout=subprocess.PIPE, text=True,
                        check=True).stdout
                    rounds = rounds_of(io.StringIO(text))
                    of_run.append({name: statistics.median(added(r, name) for r in rounds)
                                   for name in COSTS})
                    head, *lines = text.splitlines()
                    if not out.tell():
                        out.write(f"run,process,{head}\n")
                    out.writelines(f"{run},{n},{line}\n" for line in lines)
        rows = []
        for run, of_run in medians.items():
            for name in COSTS:
                middle, low, high = interval([m[name] for m in of_run])
                rows.append({"name": name, "cpus": cpus, "run": run, "cycles": middle,
                             "low": low, "high": high})
        found.append({"cell": {"table": "silicon"}, "good": True, "rows": rows,
                      "log": paths.short(file)})
    return found + [kvm(base)]


def guest(base: str, accel: str) -> Boot:
    """The Boot that reads a RAM-backed BAR in each way."""
    tree, variant = KERNELS["peers"]
    return Boot("q35", base=base, tree=tree, variant=variant, arch="x86_64", run=("peers",),
                args=(1, LOOPS, "ivshmem", 0), silence=SILENCE,
                # its memory is 0, which q35's own option takes for a dead device's
                append=f"io_check.dead_value={2 ** 64 - 1}",
                files={"/selftests/peers.sh": paths.GUEST / "peers.sh"},
                log=OUT / "logs" / f"silicon-{base}-{accel}",
                qemu=("-accel", accel, "-object", "memory-backend-ram,id=bar,size=1M,share=on",
                      "-device", "ivshmem-plain,memdev=bar"))


def kvm(base: str) -> dict:
    """What a guest under KVM shows, or why it shows nothing: a result.  That there is a
    /dev/kvm says little: Linux may print nothing."""
    result = {"cell": {"table": "silicon-kvm"}, "good": True, "rows": [], "log": "",
              "why": "no /dev/kvm that this user may open"}
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        tree, variant = KERNELS["peers"]
        execute(paths.QEMU / "builds/userspace.sh", arches.userspace("x86_64"))
        execute(paths.QEMU / "builds/kernel.sh", base, tree, "x86_64", variant)
        boot = guest(base, "kvm")
        run = process.once(boot)
        completed = run.outcome == "completed"
        result |= {"rows": ktap.rows(run.ktap.read_text()), "log": paths.short(boot.log),
                   # one that runs has to pass
                   "good": not completed or ktap.green(run.ktap, base),
                   "why": "" if completed else
                          f"{run.outcome}, after {len(run.text().splitlines())} lines of "
                          "Linux' console"}
    if result["why"]:
        print(f"  BENCH   silicon: KVM skipped: {result['why']}", flush=True)
    return result


def cpu() -> str:
    """The name that the CPU calls itself, and whether it is a virtual machine's."""
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*: (.*)", text, re.M)
    return (name[1] if name else "unknown") + (
        ", virtual machine" if re.search(r"^flags.*\bhypervisor\b", text, re.M) else "")


def tables(results: list[dict], figures: dict) -> list[dict]:
    """Cycles by way, CPUs and run, and nanoseconds under KVM."""
    rows = [row for result in of_table(results, "silicon") for row in result["rows"]]
    if not rows:
        return []
    figures["silicon_cpu"] = cpu()
    figures["silicon"] = {
        f"{row['name']}, {row['cpus']} CPUs, run {row['run']}":
        {k: round(row[k], 3) for k in ("cycles", "low", "high")} for row in rows}
    result = [{
        "title": "Cycles of a checked access on the host's CPU, and of its peers",
        "note": NOTE, "columns": ["way", "CPUs", "run", "cycles", "low", "high"],
        "rows": [[row["name"], row["cpus"], row["run"],
                  *(f"{row[k]:.2f}" for k in ("cycles", "low", "high"))]
                 for row in sorted(rows, key=lambda r: (list(COSTS).index(r["name"]),
                                                        r["cpus"], r["run"]))],
        "plot": {"x": "way", "y": "cycles", "series": "CPUs, run", "kind": "points",
                 "columns": ["CPUs, run", "way", "cycles"],
                 "rows": [[f"{row['cpus']} CPUs, run {row['run']}", row["name"],
                           row["cycles"]] for row in rows]}}]
    for part in of_table(results, "silicon-kvm"):
        result.append({
            "title": "The same in a guest under KVM, of a RAM-backed BAR",
            "note": f"Skipped: {part['why']}." if part["why"] else
                    "Nanoseconds of all loops, interrupts off, one boot.",
            "columns": ["way", "loops", "ns"], "plot": None,
            "rows": [[row["way"], row["loops"], row["ns0"]] for row in part["rows"]]})
    return result


NOTE = (
    "Of this host's CPU, not an emulator's: the kernel's inline code, compiled by Kbuild and "
    f"linked into a program; {PROCESSES} processes with {ROUNDS} rounds each in random order, "
    f"medians of their medians with {100 * CONFIDENCE:.0f} percent intervals. The two runs "
    "take turns: they say nothing of another start of the command, or of another CPU. An "
    "access costs that much more than the plain one, with its part of begin and end; begin + "
    "end is a session without any. Memory is read in place of a register: the worst case, as "
    "it answers within a few cycles and a device in hundreds. Off is a driver whose option is "
    "off. Peers are re-implementations, for measuring only; 2005's lock has no queue. With "
    "several CPUs all run the same way at the same time.")


@dataclasses.dataclass(frozen=True)
class Cost:
    """A way's interval in one run."""

    cycles: float
    low: float
    high: float

    def agrees(self, other: "Cost") -> bool:
        """The other run's interval is not farther away than RESOLUTION."""
        return (self.low <= other.high + RESOLUTION and
                other.low <= self.high + RESOLUTION)


def judge(figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show; [(what, holds)]."""
    runs = {}
    for key, cost in figures.get("silicon", {}).items():
        name, cpus, run = key.split(", ")
        runs.setdefault((name, cpus), {})[run] = Cost(**cost)
    lines = []
    for (name, cpus), found in runs.items():
        first, *others = found.values()
        lines.append((f"silicon: {name}, {cpus}: the runs agree: " + " and ".join(
            f"{c.cycles:.2f} ({c.low:.2f} to {c.high:.2f})" for c in found.values()),
            bool(others) and all(first.agrees(o) for o in others)))
        if name == "session of 8":
            lines += [(f"silicon: {name}, {cpus}: fewer cycles than {peer}",
                       max(c.cycles for c in found.values()) <
                       min(c.cycles for c in runs[peer, cpus].values()))
                      for peer in ("peer 2004", "peer 2005")]
    return lines
