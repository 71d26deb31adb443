#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Fail each checked access of a driver once, and say which were reached.

selftests/io_check/sweep.sh does it in the guest, phase by phase, on a debug
kernel; this boots the phases two at a time, gathers what they found, and holds
the accesses that were failed against those that the driver's object code has.
Faults are fault-injected: the kernel's own, not the bus'.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import os
import re
import subprocess
import sys
import threading

import boot
import demo
import results

EVERY = 100000      # more than any phase has

# Large I/Os of the slow disk take longer than sweep.sh's abort gives them.
DISKS = [dataclasses.replace(disk, unit=4096 if disk.iops else 0)
         for disk in demo.layout(3)]

# An interrupt more or less makes the n-th access another one, and one may be
# missed.  What is short is then repeated: its first accesses, up to so many times.
AGAIN_LAST = 60
AGAIN_TIMES = 5


@dataclasses.dataclass(frozen=True)
class Driver:
    """What is swept of a driver, and where.

    directory    of its sources
    arch         it runs on that architecture's machine
    guests       at a time; they sleep much
    phases       {name: count of accesses that a boot goes through}
    unreachable  what cannot run on the machine: a pattern of the access, "<"
                 each condition that it is under, "<" its function, and the reason
    again        phases to repeat for accesses that were missed
    append       to the guest's command line
    """

    directory: str
    arch: str
    guests: int
    phases: dict
    unreachable: dict
    again: tuple
    append: str = ""


DRIVERS = {
    "fusion": Driver(
        "drivers/message/fusion", "ppc64", 16,
        {"probe": 80, "reset": 80, "io": 100, "eh": 30, "fault": 80,
         "unbind": 40},
        {
            r"< mpt_downloadboot$|cached_fw":
                "download boot: needs an adapter without firmware",
            r"< mpt_halt_firmware$":
                "panics by design, with mpt_fwfault_debug only",
            r"< mpt_resume$": "power management",
            r"< mpt_host_page_access_control$|else {.* < WaitForDoorbell":
                "only of an adapter that asks for a host page buffer",
            r"< mpt_put_msg_frame_hi_pri$":
                "needs a firmware with the high priority queue",
            r"alt_ioc": "the other function of a dual-function adapter",
            r"SAS1078": "the SAS1078 only",
            r"^[^<]*< while \(\(diag0val & MPI_DIAG_DRWE\) == 0\) { < mpt_diag_reset$":
                "only where a reset ends diagnostic mode, which QEMU's does not",
            r"msi_enable.* < mpt_interrupt$":
                "only with MSI, after a reply that the adapter cannot have sent",
        }, ("eh", "unbind")),
    "sym53c8xx": Driver(
        "drivers/scsi/sym53c8xx_2", "arm64", 12,
        {"probe": 60, "reset": 120, "io": 60, "eh": 60, "twice": 60,
         "abort": 20, "rare": 20, "unbind": 40},
        {
            r"FE_(C10|DFBC|DIFF|LED0|VARCLK)\b|53C1010_66|53C875|"
            r"revision < 1\)|multiplier <= 1|< (sym_getclock|getfreq|"
            r"sym_getpciclock)$":
                "other chips of the family",
            r"^INB\(np, nc_mbox1\); < } else { < sym_selectclock$":
                "chips without FE_LCKFRQ",
            r"< sym_soft_reset$": "chips with FE_ISTAT1",
            r"if \(reason == 0\)": "sym_start_up() is not called for that",
            r"< else { < sym_start_up$": "a change of the bus mode",
            r"< sym_int_ma$":
                "a phase mismatch, which SCRIPTS handle (FE_NOPM)",
            r"< sym_int_par$|< sym_int_sbmc$|< sym_log_hard_error$|"
            r"case SIR_(SWIDE_OVERRUN|SODL_UNDERRUN|BAD_PHASE)|M_PARITY":
                "an error of the SCSI bus or the chip, which QEMU has none of",
            r"< sym_modify_dp$|case M_REJECT|case SIR_NEGO_FAILED|< sym_settrans$|"
            r"< sym_\w+_nego$|< sym_nego_rejected$|"
            r"^OUTL_DSP\(np, SCRIPT\w_BA\(np, (clrack|msg_bad)\)\); < sym_int_sir$":
                "a message that QEMU's targets do not send",
            r"< (S24C16_write_ack|S24C16_read_byte|T93C46_Read_Bit|T93C46_Stop)$|"
            r"^OUTB\(np, nc_gpcntl, gpcntl\); < sym_read_S24C16_nvram$":
                "needs an EEPROM that answers",
            r"dstat & SSI": "the driver does not step",
            r"nc_dsa, 0xffffff\); < else \{ < if .* < sym_recover_scsi_int$":
                "an error of a nexus that the driver does not know",
            r"< sym_dump_registers$":
                "the driver's own pci_error_handlers, which io_check's replace",
        }, ("io", "eh", "abort", "rare", "unbind"), append="sym53c8xx.settle=1"),
}


def sites(cross, obj, vmlinux, directory):
    """{return address: (function, file:line)} of the driver's checked accesses.

    An access has one call each of the out-of-line path, which injection takes;
    the innermost inlined frame in the driver's own directory names it.
    """
    text = subprocess.run(
        [cross + "objdump", "-d", "--no-show-raw-insn", vmlinux],
        check=True, capture_output=True, text=True).stdout
    calls, function, names = [], "", set(functions(cross, obj))
    for line in text.splitlines():
        start = re.match(r"[0-9a-f]+ <\.?(\S+?)>:", line)
        if start:
            function = start[1]
        elif function in names and re.search(
                r"\bbl\b.*<\.?__io_check_slow_(read|write)", line):
            calls.append(int(line.split(":")[0], 16) + 4)
    lines = subprocess.run(
        [cross + "addr2line", "-a", "-f", "-i", "-e", vmlinux],
        input="".join(f"{a - 4:#x}\n" for a in calls), check=True,
        capture_output=True, text=True).stdout
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


def functions(cross, obj):
    """Names of the functions in the driver's objects."""
    names = subprocess.run([cross + "nm", "--defined-only", *obj], check=True,
                           capture_output=True, text=True).stdout
    return {n.split()[2].lstrip(".") for n in names.splitlines()
            if len(n.split()) == 3 and n.split()[1] in "tTdD"}


def addresses(cross, vmlinux):
    """{symbol: address of its code}; %pS names code without the dot."""
    found = {}
    for line in subprocess.run([cross + "nm", vmlinux], check=True,
                               capture_output=True, text=True).stdout.splitlines():
        word = line.split()
        if len(word) == 3 and word[1] in "tT":
            found[word[2].lstrip(".")] = int(word[0], 16)
    return found


def injected(ktap, symbols):
    """Return addresses that the guest names, "# inject PHASE N DIR SYM+OFF/LEN"."""
    for symbol, offset in re.findall(
            r"# inject \w+ \d+ \w+ \.?([\w.]+)\+0x([0-9a-f]+)/", ktap):
        if symbol in symbols:
            yield symbols[symbol] + int(offset, 16)


def conditions(text, line):
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


def coverage(found, hit, unreachable, tree):
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


def findings(result):
    """What a guest found, and what its end says."""
    text = result.ktap.read_text(errors="replace")
    bad = re.findall(r"^ *# (finding .*)$", text, re.M)
    last = re.findall(r"sweep: (\w+ \d+)", result.console.read_text(errors="replace"))
    if result.outcome != "completed":
        # QEMU may have died of itself, and says so
        log = result.console.parent / "qemu.log"
        own = log.read_text(errors="replace").splitlines() if log.exists() else []
        bad.append(" ".join(("finding", last[-1] if last else "start",
                             result.outcome, *own[-1:])))
    elif not re.search(r"# figures phase=", text):
        bad.append("finding none: no phase was run")
    return bad


def shards(phases, last, done, kept=()):
    """(phase, first n, last n) of each guest, the phases in turn: of what is not in
    kept, which are such themselves.  A phase ends at last, or with its name in
    done."""
    def of(name):
        there, n = sorted(k[1:] for k in kept if k[0] == name), 1
        while n <= last:
            first, to = next((k for k in there if k[1] >= n), (last + 1, last))
            if n < first:
                to = min(n + phases[name] - 1, first - 1)
                yield name, n, to
            n = to + 1

    turns = {name: of(name) for name in phases}
    while turns:
        for name in list(turns):
            shard = None if name in done else next(turns[name], None)
            if shard:
                yield shard
            else:
                del turns[name]


def earlier(name, kernel):
    """{shard: Result} of earlier guests on this kernel that found nothing."""
    kept = {}
    for ktap in (boot.BUILD / "sweep").glob(f"{name}-*/results.ktap"):
        console, command = ktap.parent / "console.log", ktap.parent / "command"
        shard = re.search(r"bench\.args=(\w+),(\d+),(\d+),1 ", command.read_text())
        text = console.read_text(errors="replace")
        result = boot.Result(
            "completed" if "bench: done" in text and not boot.PANIC.search(text)
            else "stopped", 0, boot.Hits(), ktap, console)
        if (shard and ktap.stat().st_mtime > kernel.stat().st_mtime
                and not findings(result)):
            ended = " finished=1 " in ktap.read_text()
            kept[shard[1], int(shard[2]), EVERY if ended else int(shard[3])] = result
    return kept


def sweep(driver, phases, last, args, kept):
    """Boot the phases' guests, but for those in kept; returns their Results."""
    done, guests, lock = set(), list(kept.values()), threading.Lock()
    todo = shards(phases, last, done, kept)
    machine = boot.facts(driver.arch)["MACHINE"]

    def work():
        while True:
            with lock:
                shard = next(todo, None)
            if not shard:
                return
            name, first, to = shard
            guest = boot.boot(
                machine, base=args.base, arch=driver.arch, variant=args.variant,
                run=["sweep"], args=[name, first, to, args.step],
                disks=DISKS, timeout=args.timeout, hba=args.driver,
                append=driver.append,
                log=boot.BUILD / "sweep" / f"{args.driver}-{args.base}-{name}-{first}")
            guests.append(guest)
            if not re.search(r"# figures .* finished=0 ", guest.ktap.read_text()):
                done.add(name)

    count = args.guests or driver.guests
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for worker in [pool.submit(work) for _ in range(count)]:
            worker.result()
    return guests


def main():
    """Sweep as the command line says; exit status 0 if nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--driver", default="fusion")
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--variant", default="on+debug", help="of the kernel")
    parser.add_argument("--phases", help="by comma; all of the driver's")
    parser.add_argument("--last", type=int, default=EVERY, help="last n")
    parser.add_argument("--step", type=int, default=1, help="from n to n")
    parser.add_argument("--guests", type=int, help="at a time; the driver's")
    parser.add_argument("--timeout", type=int, default=10800,
                        help="of a guest, in seconds")
    parser.add_argument("--continue", action="store_true", dest="go_on",
                        help="leave out what earlier runs on this kernel have done")
    args = parser.parse_args()
    if args.driver not in DRIVERS:
        sys.exit(f"sweep: no DRIVER '{args.driver}'; there are: "
                 f"{' '.join(DRIVERS)}")
    driver = DRIVERS[args.driver]
    phases = driver.phases
    for name in (args.phases or "").split(","):
        if name and name not in phases:
            sys.exit(f"sweep: no phase '{name}'; there are: {' '.join(phases)}")
    whole = not args.phases and args.step == 1 and args.last == EVERY
    if args.phases:
        phases = {name: phases[name] for name in args.phases.split(",")}
    facts = boot.facts(driver.arch)
    top = boot.object_dir(args.base, "patched", driver.arch, args.variant)
    obj = sorted(str(o) for o in (top / driver.directory).glob("*.o")
                 if o.name not in ("built-in.o", "built-in.a"))
    found = sites(facts["CROSS"], obj, top / "vmlinux", driver.directory)
    symbols = addresses(facts["CROSS"], top / "vmlinux")
    hit, bad, count, ktaps = set(), [], 0, {}
    seen = results.Seen(f"sweep.py::{args.driver}", args.base) if whole else None
    kept = earlier(f"{args.driver}-{args.base}", top / "vmlinux") if args.go_on else {}
    for turn in range(1 + AGAIN_TIMES * whole):
        if turn:
            phases = {name: driver.phases[name] for name in driver.again}
        for guest in sweep(driver, phases, AGAIN_LAST if turn else args.last, args,
                           {} if turn else
                           {k: r for k, r in kept.items() if k[0] in phases}):
            text = guest.ktap.read_text(errors="replace")
            print("\n".join(re.findall(r"^ *(# figures .*)", text, re.M)))
            ktaps[os.path.relpath(guest.ktap, boot.TOP)] = guest.ktap
            hit |= set(injected(text, symbols))
            count += len(re.findall(r"# inject ", text))
            bad += findings(guest)
        parts = coverage(found, hit, driver.unreachable,
                         top.parent / driver.directory)
        if not parts["unreached"]:
            break
    reachable = len(parts["reached"]) + len(parts["unreached"])
    percent = round(100 * len(parts["reached"]) / reachable, 1)
    out = boot.BUILD / "sweep" / f"{args.driver}.csv"
    with open(out, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("function", "line", "injected", "reason"))
        for part, rows in parts.items():
            for function, line, reason in rows:
                table.writerow((function, line, part == "reached", reason))
    for line in bad:
        print(f"  {line}")
    for function, line, _ in parts["unreached"] if whole else ():
        print(f"  unreached {function} {line}")
    print(f"{count} injections, {len(bad)} findings; {len(parts['reached'])} of "
          f"{reachable} reachable accesses, {len(parts['unreachable'])} "
          f"unreachable on {facts['MACHINE']}; {out.relative_to(boot.TOP)}")
    missing = whole and parts["unreached"]
    results.write(f"sweep-{args.driver}" + ("" if whole else "-part"),
                  not bad and not missing, {
        "fault_kind": "fault-injected",
        "ktaps": sorted(ktaps), "injections": count, "findings": bad,
        "coverage_percent": percent,
        "reached": len(parts["reached"]),
        "unreached": [f"{s[0]} {s[1]}" for s in parts["unreached"]],
        "unreachable": [" ".join(s) for s in parts["unreachable"]]})
    if seen and not bad and not missing:
        seen.cell(facts["MACHINE"], driver.arch, args.driver, "kernel",
                  *(ktaps[name] for name in sorted(ktaps)))
        seen.passed()
    sys.exit(bool(bad or missing))


if __name__ == "__main__":
    main()
