#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Fail each checked access of a driver once, and say which were reached.

selftests/io_check/sweep.sh does it in the guest, phase by phase, on a debug
kernel; this boots several guests at a time, gathers what they found, and holds
the accesses that were failed against those that the driver's object code has.
Faults are fault-injected: by the kernel, not by the bus.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import re
import sys
import threading
from pathlib import Path

import demo
from harness import arches, ktap, objects, paths, process, results
from harness.drivers import DRIVERS, Driver
from harness.guest import Boot
from harness.result import PANIC, Hits, Result
from harness.seen import Seen

EVERY = 100000      # more than any phase has

# Seconds: each access takes some, and a hung task is reported after two minutes
SILENCE = 600

# Large I/Os of the slow disk take longer than sweep.sh's abort gives them.
DISKS = tuple(dataclasses.replace(disk, unit=4096 if disk.iops else 0)
              for disk in demo.layout(3))

# An interrupt more or less makes the n-th access another one, and one may be
# missed.  What is short is then repeated: its first accesses, up to so many times.
AGAIN_LAST = 60
AGAIN_TIMES = 5


def sites(arch: str, obj: list, vmlinux: Path, directory: str) -> dict:
    """{return address: (function, file:line)} of the driver's checked accesses.

    An access has one call each of the out-of-line path, which injection takes;
    the innermost inlined frame in the driver's own directory names it.
    """
    calls, function = [], ""
    names = {name for _, name in objects.symbols(arch, *obj, kinds="tTdD")}
    for line in objects.disassembly(arch, vmlinux).splitlines():
        start = re.match(r"[0-9a-f]+ <\.?(\S+?)>:", line)
        if start:
            function = start[1]
        elif function in names and re.search(
                r"\bbl\b.*<\.?__io_check_slow_(read|write)", line):
            calls.append(int(line.split(":")[0], 16) + 4)
    lines = objects.tool(arch, "addr2line", "-a", "-f", "-i", "-e", vmlinux,
                         input="".join(f"{a - 4:#x}\n" for a in calls))
    found = {}
    for block, address in zip(re.split(r"^0x[0-9a-f]+\n", lines, flags=re.M)[1:],
                              calls):
        words = block.splitlines()
        for name, where in zip(words[::2], words[1::2]):
            if directory in where:
                found[address] = (name.lstrip("."), re.sub(
                    r".*/(\w+\.c:\d+).*", r"\1", where))
                break
    return found


def injected(text: str, symbols: dict[str, int]):
    """Return addresses that the guest names, "# inject PHASE N DIR SYM+OFF/LEN"."""
    for symbol, offset in re.findall(
            r"# inject \w+ \d+ \w+ \.?([\w.]+)\+0x([0-9a-f]+)/", text):
        if symbol in symbols:
            yield symbols[symbol] + int(offset, 16)


def conditions(text: str, line: int) -> list[str]:
    """What the source's line (from 1) is under: its own statement, and outwards
    those that are indented less than all between, without the function."""
    statements, open_parens = [], 0
    for number, source in enumerate(text.splitlines(), 1):
        if open_parens > 0:
            statements[-1][2] += " " + source.strip()
        elif number > line:
            break
        else:
            indent = len(re.match(r"\t*", source)[0])
            statements.append([number, indent, source.strip()])
        open_parens += source.count("(") - source.count(")")
        if source.startswith(("{", "}")):
            open_parens = 0
    depth, found = 1000, []
    for number, indent, statement in reversed(statements):
        if statement and 0 < indent < depth:
            found.append(statement)
            depth = indent
        if statement == "{" and not indent:
            break
    return found


def coverage(found: dict, hit: set, unreachable: dict, tree: Path) -> dict:
    """Sites by line: {"reached", "unreached", "unreachable"}: sorted lists of
    (function, file:line, reason); a line with several calls is reached by any
    of them."""
    lines = {}
    for address, where in found.items():
        lines.setdefault(where, False)
        lines[where] |= address in hit
    parts = {"reached": [], "unreached": [], "unreachable": []}
    for (function, line), seen in sorted(lines.items()):
        file, number = line.split(":")
        context = " < ".join((*conditions((tree / file).read_text(), int(number)),
                              function))
        reason = next((why for pattern, why in unreachable.items()
                       if re.search(pattern, context)), "")
        part = "reached" if seen else "unreachable" if reason else "unreached"
        parts[part].append((function, line, reason))
    return parts


def at(result: Result) -> str:
    """The phase and n that a guest was at last."""
    return (re.findall(r"sweep: (\w+ \d+)", result.text()) or ["start"])[-1]


def end(result: Result) -> str:
    """How a guest ended that did not complete, and where."""
    # QEMU may have died of itself, and says so
    log = result.console.parent / "qemu.log"
    own = log.read_text(errors="replace").splitlines() if log.exists() else []
    return " ".join((at(result), result.outcome, *own[-1:]))


def died(result: Result) -> bool:
    """Did an access end QEMU itself, by a signal?  Then nobody knows what the driver
    makes of it."""
    return result.outcome.startswith(process.DIED) and at(result) != "start"


def findings(result: Result) -> list[str]:
    """What a guest found, and what its end says."""
    text = result.ktap.read_text(errors="replace")
    bad = ktap.findings(text)
    if result.outcome != "completed":
        if not died(result):
            bad.append(f"finding {end(result)}")
    elif not re.search(r"# figures phase=", text):
        bad.append("finding none: no phase was run")
    return bad


def shards(phases, last, done, kept=()):
    """(phase, first n, last n) of each guest, the phases in turn: of what is not in
    kept, which are such themselves.  A phase ends at last, or with its name in
    done."""
    def parts(name):
        there, n = sorted(k[1:] for k in kept if k[0] == name), 1
        while n <= last:
            first, to = next((k for k in there if k[1] >= n), (last + 1, last))
            if n < first:
                to = min(n + phases[name] - 1, first - 1)
                yield name, n, to
            n = to + 1

    turns = {name: parts(name) for name in phases}
    while turns:
        for name in list(turns):
            shard = None if name in done else next(turns[name], None)
            if shard:
                yield shard
            else:
                del turns[name]


def earlier(name: str, kernel: Path) -> dict:
    """{shard: Result} of earlier guests on this kernel that found nothing."""
    kept = {}
    for file in (paths.BUILD / "sweep").glob(f"{name}-*/results.ktap"):
        # other trees' begin with the same name
        if not re.fullmatch(r"(-again\d+)?-[a-z]+-\d+",
                            file.parent.name.removeprefix(name)):
            continue
        console, command = file.parent / "console.log", file.parent / "command"
        shard = re.search(r"bench\.args=(\w+),(\d+),(\d+),1\b", command.read_text())
        text = console.read_text(errors="replace")
        result = Result(
            "completed" if "bench: done" in text and not PANIC.search(text)
            else "stopped", 0, Hits(), file, console)
        if (shard and file.stat().st_mtime > kernel.stat().st_mtime
                and not findings(result)):
            ended = " finished=1 " in file.read_text()
            kept[shard[1], int(shard[2]), EVERY if ended else int(shard[3])] = result
    return kept


def sweep(driver: Driver, phases: dict, last: int, args, kept: dict,
          label: str) -> list[Result]:
    """Boot the phases' guests, but for those in kept; returns their Results, the
    logs of which begin with label."""
    done, guests, lock = set(), list(kept.values()), threading.Lock()
    todo = shards(phases, last, done, kept)
    machine = arches.facts(driver.sweep.arch)["MACHINE"]

    def work():
        while True:
            with lock:
                shard = next(todo, None)
            if not shard:
                return
            name, first, to = shard
            while True:
                guest = process.run(Boot(
                    machine, base=args.base, arch=driver.sweep.arch, tree=args.tree,
                    variant=args.variant,
                    run=("sweep",), args=(name, first, to, args.step),
                    disks=DISKS, timeout=args.timeout, silence=SILENCE, hba=args.driver,
                    append=f"{driver.sweep.append} {driver.sweep.knobs.get(name, '')}",
                    qemu=driver.sweep.qemu,
                    log=paths.BUILD / "sweep" / f"{label}-{name}-{first}"))
                guests.append(guest)
                # what comes after the access that it died of twice
                past = died(guest) and int(at(guest).split()[1]) + args.step
                if not past or past > to:
                    break
                first = past
            if not died(guest) and not re.search(r"# figures .* finished=0 ",
                                                 guest.ktap.read_text()):
                done.add(name)

    count = args.guests or driver.sweep.guests
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for worker in [pool.submit(work) for _ in range(count)]:
            worker.result()
    return guests


def options(line=None):
    """What the command line says, or a list of its words; its phases chosen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--driver", default="fusion")
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--tree", default="patched", help="of the kernel")
    parser.add_argument("--variant", default="on+debug", help="of the kernel")
    parser.add_argument("--phases", help="by comma; all of the driver's")
    parser.add_argument("--last", type=int, default=EVERY, help="last n")
    parser.add_argument("--step", type=int, default=1, help="from n to n")
    parser.add_argument("--guests", type=int, help="at a time; the driver's")
    parser.add_argument("--timeout", type=int, default=10800,
                        help="of a guest, in seconds")
    parser.add_argument("--continue", action="store_true", dest="go_on",
                        help="leave out what earlier runs on this kernel have done")
    args = parser.parse_args(line)
    if args.driver not in DRIVERS:
        sys.exit(f"sweep: no DRIVER '{args.driver}'; there are: {' '.join(DRIVERS)}")
    every = DRIVERS[args.driver].sweep.phases
    args.whole = not args.phases and args.step == 1 and args.last == EVERY
    wanted = args.phases.split(",") if args.phases else every
    for name in wanted:
        if name not in every:
            sys.exit(f"sweep: no phase '{name}'; there are: {' '.join(every)}")
    args.phases = {name: every[name] for name in wanted}
    args.label = "-".join((args.driver, args.base,
                           *[args.tree] * (args.tree != "patched")))
    return args


@dataclasses.dataclass
class Found:
    """What the guests of a sweep gave: addresses that were failed, findings, the
    ends of QEMU by access, those that were failed without one, the count of
    injections, KTAP files, and coverage()'s parts."""

    hit: set = dataclasses.field(default_factory=set)
    bad: list = dataclasses.field(default_factory=list)
    ends: dict = dataclasses.field(default_factory=dict)
    past: set = dataclasses.field(default_factory=set)
    count: int = 0
    ktaps: set = dataclasses.field(default_factory=set)
    parts: dict = dataclasses.field(default_factory=dict)

    def add(self, guest: Result, symbols: dict[str, int]) -> None:
        """A guest's."""
        text = guest.ktap.read_text(errors="replace")
        print("\n".join(re.findall(r"^ *(# figures .*)", text, re.M)))
        self.ktaps.add(guest.ktap)
        self.hit |= set(injected(text, symbols))
        self.count += len(re.findall(r"# inject ", text))
        self.past |= set(re.findall(r"# inject (\w+ \d+) ", text))
        self.bad += findings(guest)
        if died(guest):
            self.ends[at(guest)] = end(guest)

    def unknown(self) -> list[str]:
        """Of what accesses QEMU died, and each time."""
        return [line for access, line in self.ends.items() if access not in self.past]


def swept(args) -> Found:
    """Sweep, and again what was missed of a whole one."""
    driver = DRIVERS[args.driver]
    arch, found = driver.sweep.arch, Found()
    top = paths.object_dir(args.base, args.tree, arch, args.variant)
    obj = sorted(str(o) for o in (top / driver.directory).glob("*.o")
                 if o.name not in ("built-in.o", "built-in.a"))
    accesses = sites(arch, obj, top / "vmlinux", driver.directory)
    symbols = objects.addresses(arch, top / "vmlinux", "tT")
    kept = earlier(args.label, top / "vmlinux") if args.go_on else {}
    phases, last = args.phases, args.last
    kept = {k: r for k, r in kept.items() if k[0] in phases}
    for again in range(1 + AGAIN_TIMES * args.whole):
        # each time a name of its own: a stopped one leaves the others' to --continue
        label = args.label + f"-again{again}" * bool(again)
        for guest in sweep(driver, phases, last, args, kept, label):
            found.add(guest, symbols)
        found.parts = coverage(accesses, found.hit, driver.sweep.unreachable,
                               top.parent / driver.directory)
        if not found.parts["unreached"]:
            break
        phases = {name: driver.sweep.phases[name] for name in driver.sweep.again}
        last, kept = AGAIN_LAST, {}
    return found


def report(args, found: Found) -> bool:
    """Print and write what was found; whether all is well."""
    parts, machine = found.parts, arches.facts(DRIVERS[args.driver].sweep.arch)["MACHINE"]
    reachable = len(parts["reached"]) + len(parts["unreached"])
    name = f"{args.label}-{machine}"
    out = paths.BUILD / "sweep" / f"{name}.csv"
    with open(out, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("function", "line", "injected", "reason"))
        for part, rows in parts.items():
            for function, line, reason in rows:
                table.writerow((function, line, part == "reached", reason))
    for line in found.bad + found.unknown():
        print(f"  {line}")
    for function, line, _ in parts["unreached"] if args.whole else ():
        print(f"  unreached {function} {line}")
    print(f"{found.count} injections, {len(found.bad)} findings; "
          f"{len(parts['reached'])} of {reachable} reachable accesses, "
          f"{len(parts['unreachable'])} unreachable on {machine}; {paths.short(out)}")
    good = not found.bad and not (args.whole and parts["unreached"])
    results.write(f"sweep-{name}" + ("" if args.whole else "-part"), good, {
        **results.about(args.base, machine=machine,
                        adapter=DRIVERS[args.driver].device),
        "fault_kind": "fault-injected",
        "ktaps": sorted(map(paths.short, found.ktaps)),
        "injections": found.count, "findings": found.bad, "qemu_died": found.unknown(),
        "coverage_percent": round(100 * len(parts["reached"]) / reachable, 1),
        "reached": len(parts["reached"]),
        "unreached": [f"{s[0]} {s[1]}" for s in parts["unreached"]],
        "unreachable": [" ".join(s) for s in parts["unreachable"]]})
    return good


def main():
    """Sweep as the command line says; exit status 0 if nothing was found."""
    args = options()
    arch = DRIVERS[args.driver].sweep.arch
    seen = Seen(f"sweep.py::{args.driver}", args.base) if args.whole else None
    found = swept(args)
    good = report(args, found)
    if seen and good:
        seen.cell(arches.facts(arch)["MACHINE"], arch, args.driver, "kernel",
                  *sorted(found.ktaps))
        seen.passed()
    sys.exit(not good)


if __name__ == "__main__":
    main()
