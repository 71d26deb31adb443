#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The demonstration: verified I/O through real bus errors, on two kernels.

fio writes and verifies on all disks while the first of two host adapters
loses its memory decoding again and again, as seeded; the vanilla kernel and
the patched one get the same bursts.  A table, build/results/demo.json and
build/demo/report.html say what came of it; the exit status is 0 if all of
the expectations hold.  Those of time are judged only where the host kept up.

On a machine that raises no exception there are two parts: inject.py
raises one at the instructions of the driver's accesses; and in bursts the
accesses give zeros, which nothing reports but the commands' timers.
"""

import argparse
import statistics
import sys
from pathlib import Path

from harness import arches, inject, paths, process, results, timeline
from harness.drivers import DRIVERS
from harness.guest import Boot, Disk
from harness.machines import MACHINES, Machine
from harness.result import Result

KERNELS = {
    "vanilla": {"tree": "vanilla", "variant": "plain"},
    "patched": {"tree": "patched", "variant": "on"},
}

# Of the CPU time that QEMU wants the host may withhold this share before a time says
# more of the host than of the driver.  A median's limit is a fifth above what an idle
# host shows: if all of that is CPU time, a sixth of it may be missing.
WITHHELD = 1 / 6

# Of so many bursts each kind of access has to be hit so often, with two disks on
# the first adapter.
KINDS_FROM, KINDS = 50, 10

# Bursts in which accesses give zeros, beside exceptions: longer than the commands'
# timers, in seconds, and than error handling stands; the last resort is the driver's own
# patience.
ZEROS, ZEROS_TIMER = 5, 2
ZEROS_BURST = ("-l", "2500000:4000000", "-g", "1000000")

# Limit of the first disk's I/Os a second, so that it has completions due when
# a burst begins.  With it, and the pauses of disks.sh, about half of the bursts
# hit the interrupt handler first.
SLOW_IOPS = 75

# name: how the table calls it
FIGURES = {
    "outcome": "outcome",
    "fault_kind": "fault kind",
    "faults": "bursts",
    "bursts_hit": "bursts that hit",
    "injected": "exceptions injected",
    "hits": "hits",
    "hits_store": "  of a store to submit a command",
    "hits_isr": "  of the ISR's read",
    "hits_other": "  of another register",
    "detected": "detected",
    "resets": "resets",
    "io_errors": "fio: I/O errors",
    "verify_errors": "fio: verify errors",
    "recovery_ms_median": "burst's end to next I/O, median ms",
    "recovery_ms_max": "burst's end to next I/O, worst ms",
    "outage_ms_median": "burst's start to next I/O, median ms",
    "outage_ms_max": "burst's start to next I/O, worst ms",
    "failure_ms_median": "  burst's start to first failure, median ms",
    "reset_ms_median": "  burst's end to the reset, median ms",
    "recovered_ms_median": "  from there to recovered, median ms",
    "io_ms_median": "  from there to next I/O, median ms",
    "ios": "I/Os on the first adapter",
    "ios_beside": "I/Os on the second adapter",
    "withheld": "CPU time withheld by the host, %",
}
NOTES = """\
bursts: times that the first adapter's memory decoding was taken away; hits:
accesses to it that QEMU's bus rejected, by QEMU's own log; detected: errors
that the kernel reported; times are the guest's, +10 ms; withheld: of the CPU
time that QEMU's threads wanted.  '-': not reached."""


def layout(disks: int) -> tuple:
    """The disks: the last one is on the second adapter, if it is not alone."""
    first = max(1, disks - 1)
    return tuple(Disk(hba=int(n >= first), iops=0 if n else SLOW_IOPS)
                 for n in range(disks))


def plan(kernel: str, how: dict) -> inject.Plan:
    """What inject.py does to a kernel."""
    driver, plain = DRIVERS[how["hba"]].demo, kernel == "vanilla"
    return inject.Plan(driver.plain if plain else driver.stubs, how["faults"],
                       start="storm: begins", plain=plain, seed=how["seed"],
                       settle=driver.settle)


def faults_of(how: dict, part: str) -> int:
    """How many a part has: what was asked for, but few that take seconds beside others."""
    beside = len(parts(MACHINES[how["machine"]])) > 1
    return ZEROS if part == "zeros" and beside else how["faults"]


def storm(kernel: str, how: dict, log: Path, part: str) -> Boot:
    """The Boot of a kernel and part; see run()."""
    driver = DRIVERS[how["hba"]].demo
    count = faults_of(how, part)
    args = {"bursts": [count, how["seed"], *driver.burst],
            "injected": ["-i", count, how["seed"]],
            "zeros": ["-t", ZEROS_TIMER, "-w", count, how["seed"], "-n", count,
                      *ZEROS_BURST]}[part]
    variant = KERNELS["vanilla"] if kernel == "vanilla" else {
        **KERNELS["patched"], "variant": how["variant"]}
    return Boot(
        how["machine"], base=how["base"], arch=how["arch"], smp=how["smp"],
        run=("storm",), args=tuple(args), disks=layout(how["disks"]),
        ports=("bursts.csv", "samples.csv"), log=log, hba=how["hba"],
        timeout=120 + (10 if part == "zeros" else driver.seconds) * count,
        # a chip whose SCRIPTS are zeros executes them, half a million a burst
        lines=Boot.lines * max(1, count // ZEROS),
        plan=plan(kernel, how) if part == "injected" else None, **variant)


def figures(result: Result, line: timeline.Timeline, how: dict) -> dict:
    """The row of a boot, but for its kind of fault."""
    seen, hits = result.figures(), result.hits_in_bar()
    adapter = DRIVERS[how["hba"]]
    store = result.hits_in_bar("write", adapter.store)
    isr = result.hits_in_bar("read", adapter.isr)
    row = {
        "outcome": result.outcome,
        "faults": len(line.bursts),
        "bursts_hit": line.bursts_hit(),
        "injected": len(result.injected),
        "hits": hits,
        "hits_store": store,
        "hits_isr": isr,
        "hits_other": hits - store - isr,
        "detected": seen.get("detected", 0),
        "resets": seen.get("resets"),
        "io_errors": seen.get("fio_errors"),
        "verify_errors": seen.get("verify_errors"),
        "ios": line.total(line.near),
        "ios_beside": line.total(line.beside),
        "withheld": round(100 * (1 - result.share)),
        "log": paths.short(result.console),
    }
    times_of = {**dict(zip(("recovery", "outage"), line.recovery())),
                **line.phases(adapter.demo.reset)}
    for what, times in times_of.items():
        row[f"{what}_ms_median"] = round(statistics.median(times)) if times else None
        row[f"{what}_ms_max"] = round(max(times)) if times else None
    return row


def run(kernel: str, how: dict, log: Path, part: str = "bursts"):
    """Boot one kernel; return its row and its Timeline.

    part  "bursts"; on a machine without exceptions "injected" or "zeros"
    """
    result = process.run(storm(kernel, how, log, part))
    line = timeline.Timeline(result)
    # QEMU's bus rejected the access, and said so or gave zeros
    kind = {"bursts": "real", "injected": "injected exception", "zeros": "real, zeros"}
    return {**figures(result, line, how), "fault_kind": kind[part],
            "complaints": result.complaints() if kernel == "patched" else []}, line


def sound(patched):
    """{what: whether it holds} of the patched kernel, whatever it went through."""
    return {
        "patched completes": patched["outcome"] == "completed",
        "no I/O error": patched["io_errors"] == 0,
        "no verify error": patched["verify_errors"] == 0,
        "no warning of the patched kernel": not patched["complaints"],
    }


def bursts(vanilla, patched, how, driver):
    """{what: whether it holds} of bursts that raise exceptions."""
    faults = how["faults"]
    dies = "vanilla panics at its first burst that hits"
    if driver.lost:
        dies += ", or of an adapter lost without a hit"
    return {
        # the ISR may read between a store's exception and the panic: once as well
        dies: vanilla["outcome"] == "panic" and
            max(vanilla["hits_isr"], vanilla["hits"] - vanilla["hits_isr"])
                <= how["smp"] and (vanilla["bursts_hit"] == 1 or driver.lost),
        f"{faults} bursts hit": patched["bursts_hit"] >= faults,
        "patched detects every hit": patched["detected"] == patched["hits"],
        **sound(patched)}


def in_time(patched, how, driver):
    """{what: whether it holds} where the host kept up: what bursts cost, and that
    they hit each kind of access, as they do at the guest's usual pace."""
    def at_most(value, limit):
        return value is not None and value <= limit
    kinds = KINDS if how["faults"] >= KINDS_FROM and how["disks"] >= 3 else 0
    return {
        f"{kinds} hits of a store": patched["hits_store"] >= kinds,
        f"{kinds} hits of the ISR's read": patched["hits_isr"] >= kinds,
        f"median recovery within {driver.median_ms} ms":
            at_most(patched["recovery_ms_median"], driver.median_ms),
        f"worst recovery within {driver.worst_ms} ms":
            at_most(patched["recovery_ms_max"], driver.worst_ms)}


def injected(vanilla, patched, how, _driver):
    """{what: whether it holds} of injected exceptions."""
    faults = how["faults"]
    return {
        "vanilla dies of its first exception":
            vanilla["outcome"] == "panic" and
            vanilla["injected"] == 1,
        f"{faults} exceptions": patched["injected"] == faults,
        "patched detects every exception": patched["detected"] == faults,
        **sound(patched)}


def zeros(vanilla, patched, how, _driver):
    """{what: whether it holds} of bursts that give zeros."""
    faults = faults_of(how, "zeros")
    return {
        # at the time limit: no I/O since the first burst, else it was only slow
        "vanilla loses its disks": bool(vanilla["io_errors"]) or
            vanilla["outcome"] in ("panic", "stopped") or
            (vanilla["outcome"] == "timeout" and
             vanilla["recovery_ms_max"] is None),
        f"{faults} bursts": patched["faults"] == faults and patched["hits"] >= faults,
        "patched detects each burst": patched["detected"] >= faults,
        **sound(patched)}


def parts(machine: Machine) -> dict[str, str]:
    """{part: kind of fault, as the fault matrix has it} on a Machine."""
    if machine.faults:
        return {"bursts": "dead"}
    return {**({"injected": "exception"} if machine.injects else {}), "zeros": "zeros"}


def boot_name(kernel, part):
    """A part's row and directory of a kernel."""
    return kernel + "-zeros" * (part == "zeros")


EXPECTATIONS = {"bursts": bursts, "injected": injected, "zeros": zeros}


def judge(part, vanilla, patched, how):
    """({what: whether it holds} of a part, why its time is not judged or None)."""
    driver = DRIVERS[how["hba"]].demo
    want = EXPECTATIONS[part](vanilla, patched, how, driver)
    if part != "bursts":
        return want, "no limit is set for the times of its bursts"
    if patched["withheld"] > 100 * WITHHELD:
        return want, (f"the host withheld {patched['withheld']} % of the CPU time that "
                      f"QEMU wanted, more than the {100 * WITHHELD:.0f} % that limits allow for")
    return want | in_time(patched, how, driver), None


def verdicts(rows: dict, how: dict):
    """({what: whether it holds} of all parts' rows, why time is not judged or None)."""
    want, untimed = {}, None
    for part in parts(MACHINES[how["machine"]]):
        held, untimed = judge(part, *(rows[boot_name(kernel, part)] for kernel in KERNELS),
                              how)
        # two parts have rows of the same name
        want |= {f"{part}: {what}": holds for what, holds in held.items()}
    return want, untimed


def options() -> dict:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", choices=MACHINES, help="the architecture's, if not told")
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--arch", default="ppc64")
    parser.add_argument("--directory", default=paths.BUILD / "demo", type=Path,
                        help="for report and logs")
    parser.add_argument("--variant", default="on", help="the patched kernel's")
    parser.add_argument("--hba", default="fusion", choices=DRIVERS,
                        help="the adapters' driver")
    for option, default, text in (
            ("faults", 50, "bursts that have to hit"),
            ("seed", 1, "of the bursts' lengths and gaps"),
            ("disks", 3, "the last one on the second adapter"),
            ("smp", 1, "virtual CPUs")):
        parser.add_argument(f"--{option}", type=int, default=default, help=text)
    how = vars(parser.parse_args())
    how["machine"] = how["machine"] or arches.facts(how["arch"])["MACHINE"]
    how["directory"] = how["directory"].absolute()
    return how


def name(how: dict) -> str:
    """Of the results: what was tried, and on what."""
    return "-".join(("demo", how["base"], how["machine"], how["arch"], how["hba"]))


def main():
    """Run both kernels, print the table, write results and report."""
    how = options()
    rows, lines = {}, {}
    for part in parts(MACHINES[how["machine"]]):
        for kernel in KERNELS:
            label = boot_name(kernel, part)
            rows[label], lines[label] = run(kernel, how, how["directory"] / label, part)
    want, untimed = verdicts(rows, how)
    title = (f"{how['machine']}, {DRIVERS[how['hba']].device}, "
             f"Linux {how['base']}: verified I/O to {how['disks']} "
             f"disks through bus errors, seed {how['seed']}")
    print(f"\n{title}\n")
    results.table(rows, FIGURES)
    notes = NOTES + (f"\nTime and kinds of hits not judged: {untimed}." if untimed else "")
    print(f"\n{notes}\n")
    print(paths.short(timeline.write(how["directory"], title, rows, FIGURES, notes, lines)))
    about = results.about(how["base"], machine=how["machine"], architecture=how["arch"],
                          adapter=DRIVERS[how["hba"]].device, faults=how["faults"],
                          seed=how["seed"], smp=how["smp"])
    good = all(want.values())
    results.write(name(how), good, {**about, "kernels": rows, "time": (
        f"not judged: {untimed}" if untimed else "judged")})
    if how["directory"] == paths.BUILD / "demo":    # of make demo, not of a test
        results.took(f"make demo ARCH={how['arch']} HBA={how['hba']}", good, about)
    failed = [what for what, good in want.items() if not good]
    for what in failed:
        print(f"demo: FAILED: {what}", file=sys.stderr)
    if failed:
        print("  logs: " + " ".join(row["log"] for row in rows.values()), file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
