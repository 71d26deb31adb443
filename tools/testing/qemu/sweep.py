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
import re
import subprocess
import sys

import boot
import demo
import results

MACHINE, ARCH, VARIANT = "powernv9", "ppc64", "on+debug"
CROSS = "powerpc64-linux-gnu-"
PHASES = ("probe", "reset", "io", "unbind", "eh")
SHARD = {"eh": 6}       # last n of a phase that would take too long

# Of each driver: its directory, and what cannot run on the machine, a pattern
# of function and line's text with the condition.
DRIVERS = {
    "fusion": ("drivers/message/fusion", {
        "mpt_downloadboot": "download boot: needs an adapter without firmware",
        "mpt_halt_firmware": "panics by design, with mpt_fwfault_debug only",
        "mpt_resume": "power management",
        "mpt_host_page_access_control":
            "only of an adapter that asks for a host page buffer",
        "mpt_put_msg_frame_hi_pri":
            "needs a firmware with the high priority queue",
        "mpt_send_handshake_request":
            "only of task management without the high priority queue",
    }),
}


def sites(obj, vmlinux, directory):
    """{return address: (function, file:line)} of the driver's checked accesses.

    An access has one call each of the out-of-line path, which injection takes;
    the innermost inlined frame in the driver's own directory names it.
    """
    text = subprocess.run(
        [CROSS + "objdump", "-d", "--no-show-raw-insn", vmlinux],
        check=True, capture_output=True, text=True).stdout
    calls, function, names = [], "", set(functions(vmlinux, obj))
    for line in text.splitlines():
        start = re.match(r"[0-9a-f]+ <\.?(\S+?)>:", line)
        if start:
            function = start[1]
        elif function in names and re.search(
                r"\bbl\b.*<\.?__io_check_slow_(read|write)", line):
            calls.append(int(line.split(":")[0], 16) + 4)
    lines = subprocess.run(
        [CROSS + "addr2line", "-a", "-f", "-i", "-e", vmlinux],
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


def functions(vmlinux, obj):
    """Names of the functions in the driver's objects."""
    names = subprocess.run([CROSS + "nm", "--defined-only", *obj], check=True,
                           capture_output=True, text=True).stdout
    return {n.split()[2].lstrip(".") for n in names.splitlines()
            if len(n.split()) == 3 and n.split()[1] in "tTdD"}


def addresses(vmlinux):
    """{symbol: address of its code}; %pS names code without the dot."""
    found = {}
    for line in subprocess.run([CROSS + "nm", vmlinux], check=True,
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


def coverage(found, hit, unreachable):
    """Sites by line: {"reached", "unreached", "unreachable"}: sorted lists of
    (function, line); a line with several calls is reached by any of them."""
    lines = {}
    for address, where in found.items():
        lines.setdefault(where, False)
        lines[where] |= address in hit
    parts = {"reached": [], "unreached": [], "unreachable": []}
    for (function, line), seen in sorted(lines.items()):
        part = ("reached" if seen else
                "unreachable" if function in unreachable else "unreached")
        parts[part].append((function, line))
    return parts


def findings(result):
    """What a guest found, and what its end says."""
    text = result.ktap.read_text(errors="replace")
    bad = re.findall(r"^ *# (finding .*)$", text, re.M)
    last = re.findall(r"sweep: (\w+ \d+)", result.console.read_text(errors="replace"))
    if result.outcome != "completed":
        bad.append(f"finding {last[-1] if last else 'start'} {result.outcome}")
    elif not re.search(r"# figures phase=", text):
        bad.append("finding none: no phase was run")
    return bad


def phase(name, base, first, last, timeout):
    """Boot one phase; returns its Result."""
    return boot.boot(MACHINE, base=base, arch=ARCH, variant=VARIANT,
                     run=["sweep"], args=[name, first, last],
                     disks=demo.layout(3), timeout=timeout,
                     log=boot.BUILD / "sweep" / f"{name}-{first}")


def main():
    """Sweep as the command line says; exit status 0 if nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--driver", default="fusion")
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--max", type=int, default=100000, help="last n")
    parser.add_argument("--timeout", type=int, default=3600,
                        help="of a phase, in seconds")
    args = parser.parse_args()
    if args.driver not in DRIVERS:
        sys.exit(f"sweep: no DRIVER '{args.driver}'; there are: "
                 f"{' '.join(DRIVERS)}")
    directory, unreachable = DRIVERS[args.driver]
    top = boot.object_dir(args.base, "patched", ARCH, VARIANT)
    obj = sorted(str(o) for o in (top / directory).glob("*.o")
                 if o.name not in ("built-in.o", "built-in.a"))
    found = sites(obj, top / "vmlinux", directory)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        guests = list(pool.map(
            lambda p: phase(p, args.base, 1, min(args.max, SHARD.get(p, args.max)),
                            args.timeout), args.phases.split(",")))
    symbols = addresses(top / "vmlinux")
    hit, bad, count = set(), [], 0
    for guest in guests:
        text = guest.ktap.read_text(errors="replace")
        print("\n".join(re.findall(r"^ *(# figures .*)", text, re.M)))
        hit |= set(injected(text, symbols))
        count += len(re.findall(r"# inject ", text))
        bad += findings(guest)
    parts = coverage(found, hit, unreachable)
    reachable = len(parts["reached"]) + len(parts["unreached"])
    percent = round(100 * len(parts["reached"]) / reachable, 1)
    out = boot.BUILD / "sweep" / f"{args.driver}.csv"
    with open(out, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("function", "line", "injected", "reason"))
        for part, rows in parts.items():
            for function, line in rows:
                table.writerow((function, line, part == "reached",
                                unreachable.get(function, "")))
    for line in bad:
        print(f"  {line}")
    for function, line in parts["unreached"]:
        print(f"  unreached {function} {line}")
    print(f"{count} injections, {len(bad)} findings; {len(parts['reached'])} of "
          f"{reachable} reachable accesses, {len(parts['unreachable'])} "
          f"unreachable on {MACHINE}; {out.relative_to(boot.TOP)}")
    results.write(f"sweep-{args.driver}", not bad and not parts["unreached"], {
        "fault_kind": "fault-injected",
        "injections": count, "findings": bad, "coverage_percent": percent,
        "reached": len(parts["reached"]),
        "unreached": [" ".join(s) for s in parts["unreached"]],
        "unreachable": [" ".join((*s, unreachable[s[0]]))
                        for s in parts["unreachable"]]})
    sys.exit(bool(bad or parts["unreached"]))


if __name__ == "__main__":
    main()
