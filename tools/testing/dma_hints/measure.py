#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure on a live system what DMA hints are worth to one device.

DMA reads are what most hints govern, so the device is made to read memory: a disk is
written, by fio with O_DIRECT, or a network adapter sends, by iperf3.  In each round each
setting is measured next to the base line, in random order; the base line is what the
driver and firmware have set, and stays so but for the one hint.  The verdict is from the
rounds' ratios, with a confidence interval: "no difference at this precision" is one.

    measure.py 0000:00:05.0 --file /mnt/scratch --output hints.csv
    measure.py 0000:00:05.0 --disk /dev/sdb --destructive SERIAL --output hints.csv
    measure.py 0000:00:06.0 --iperf3 192.0.2.1 --output hints.csv

Each run is added to the CSV as it ends; the same command again goes on where it was
stopped.  Hints change what other devices behind the same bridge see, too.
"""

import argparse
import csv
import errno
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

VALUES = {
    "relaxed_order": ("0", "1"),
    "read_current": ("0", "1"),
    "prefetch": ("4", "8", "16", "32", "64", "96", "half", "full"),
    "block": ("4", "8", "16", "32", "128", "256", "512", "1024", "2048", "4096"),
}
COLUMNS = ("round", "setting", "base", "hinted")
CONFIDENCE = 0.95


class Refused(Exception):
    """The kernel refused a value; str() is the error's name."""


def is_emulated(root):
    """Whether the system is QEMU's: its firmware, or its disks, say so."""
    names = [root / "class/dmi/id/sys_vendor", *root.glob("block/*/device/vendor"),
             *root.glob("block/*/device/model")]
    return any("QEMU" in name.read_text(errors="replace")
               for name in names if name.is_file())


def write(file, value):
    """Write to a file of sysfs; raise Refused with the error's name."""
    try:
        with open(file, "w", encoding="ascii") as opened:
            opened.write(value)
    except OSError as error:
        raise Refused(errno.errorcode[error.errno]) from error


def serial_of(disk, root):
    """A block device's serial number, as sysfs has it, or None."""
    device = root / "block" / Path(disk).resolve().name / "device"
    if (device / "serial").is_file():
        return (device / "serial").read_text().strip()
    if (device / "vpd_pg80").is_file():
        return (device / "vpd_pg80").read_bytes()[4:].decode("ascii", "replace").strip()
    return None


def disk_rate(args):
    """MB/s (10**6 bytes) that fio writes in one run."""
    where = args.disk or args.file / "measure.fio"
    out = subprocess.run(
        [args.fio, "--name=measure", f"--filename={where}", "--rw=write", "--direct=1",
         f"--bs={args.bs}", f"--iodepth={args.iodepth}", "--ioengine=libaio",
         *([] if args.disk else [f"--size={args.size}"]), "--time_based",
         f"--runtime={args.runtime}", "--output-format=json"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(out)["jobs"][0]["write"]["bw_bytes"] / 1e6


def network_rate(args):
    """MB/s (10**6 bytes) that arrive where iperf3 sends to in one run."""
    out = subprocess.run(
        ["iperf3", "-c", args.iperf3, "-t", str(args.runtime), "-J",
         "-P", str(args.iodepth)], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["end"]["sum_received"]["bits_per_second"] / 8e6


def settings(hints, chosen):
    """"HINT CLASS COMMANDS VALUE" of every value that differs from the base line's."""
    found = []
    for hint in chosen:
        if not (hints / hint).is_file():
            continue
        for line in (hints / hint).read_text().splitlines():
            kind, commands, value = line.split()[:3]
            commands = "" if commands == "all" else commands + " "
            found += [f"{hint} {kind} {commands}{v}" for v in VALUES[hint] if v != value]
    return found


def one(args, hints, setting):
    """MB/s with a setting, or with none ("")."""
    rate = network_rate if args.iperf3 else disk_rate
    write(hints / "reset", "1")
    if setting:
        hint, value = setting.split(" ", 1)
        write(hints / hint, value)
    try:
        time.sleep(args.settle)
        return rate(args)
    finally:
        write(hints / "reset", "1")


def interval(ratios, confidence=CONFIDENCE):
    """(mean, low, high) of ratios: Student's interval of their logarithms.

    ratios are positive numbers, two or more.
    """
    from scipy import stats     # pylint: disable=import-outside-toplevel
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    half = (stats.t.ppf((1 + confidence) / 2, len(logs) - 1) *
            statistics.stdev(logs) / math.sqrt(len(logs)))
    return tuple(math.exp(mean + side * half) for side in (0, -1, 1))


def verdict(ratios, tests=1):
    """What rounds' ratios to the base line say; one of so many tests (Bonferroni)."""
    if len(ratios) < 3:
        return "too few rounds"
    mean, low, high = interval(ratios, 1 - (1 - CONFIDENCE) / tests)
    if low <= 1 <= high:
        return (f"no difference at this precision ({low - 1:+.1%} to {high - 1:+.1%})")
    return f"{mean - 1:+.1%} ({low - 1:+.1%} to {high - 1:+.1%})"


def read(path):
    """{setting: {round: (base, hinted) or an error's name}} of a CSV, if it is there."""
    found = {}
    if path.is_file():
        with open(path, newline="", encoding="ascii") as file:
            for row in csv.DictReader(file):
                number = row["hinted"][:1].isdigit()
                found.setdefault(row["setting"], {})[int(row["round"])] = (
                    (float(row["base"]), float(row["hinted"])) if number
                    else row["hinted"])
    return found


def sweep(args, hints, names):
    """Measure what the CSV does not have, a round after the other."""
    done = read(args.output)
    if not done:
        with open(args.output, "w", newline="", encoding="ascii") as file:
            csv.writer(file).writerow(COLUMNS)
    total, count = args.rounds * len(names), 0
    for number in range(1, args.rounds + 1):
        draw = random.Random(f"{args.seed} {number}")
        for setting in draw.sample(names, len(names)):
            count += 1
            first = draw.random() < 0.5
            seen = done.setdefault(setting, {})
            if number in seen or any(isinstance(v, str) for v in seen.values()):
                continue
            print(f"  MEASURE [{count}/{total}] round {number}: {setting}",
                  file=sys.stderr, flush=True)
            try:
                rates = {s: one(args, hints, s) for s in
                         (("", setting) if first else (setting, ""))}
                seen[number] = rates[""], rates[setting]
                row = number, setting, rates[""], rates[setting]
            except Refused as error:
                seen[number] = str(error)
                row = number, setting, "", str(error)
            with open(args.output, "a", newline="", encoding="ascii") as file:
                csv.writer(file).writerow(row)
    return done


def ratios_of(rounds):
    """Of a setting: hinted to base, a round each; or the name of an error."""
    errors = [v for v in rounds.values() if isinstance(v, str)]
    return errors[0] if errors else [hinted / base for base, hinted in rounds.values()]


def plot(path, found):
    """Each setting's ratio, with its interval and its rounds."""
    import matplotlib           # pylint: disable=import-outside-toplevel
    matplotlib.use("svg")
    import matplotlib.pyplot as plt     # pylint: disable=import-outside-toplevel
    rows = [(name, ratios) for name, ratios in found.items()
            if not isinstance(ratios, str) and len(ratios) >= 3]
    fig, axes = plt.subplots(figsize=(8, 1 + 0.4 * max(1, len(rows))))
    for at, (_, ratios) in enumerate(rows):
        mean, low, high = interval(ratios)
        axes.plot(ratios, [at] * len(ratios), ".", color="0.7")
        axes.errorbar([mean], [at], xerr=[[mean - low], [high - mean]], fmt="ko", capsize=3)
    axes.axvline(1, color="0.5", linewidth=1)
    axes.set(yticks=range(len(rows)), yticklabels=[name for name, _ in rows],
             xlabel=f"MB/s to the base line's of the same round, {CONFIDENCE:.0%} interval")
    fig.tight_layout()
    fig.savefig(path)
    plt.close(fig)


def report(args, done):
    """Print a verdict for each setting, and plot them."""
    found = {setting: ratios_of(rounds) for setting, rounds in done.items() if rounds}
    judged = [s for s, ratios in found.items() if not isinstance(ratios, str)]
    emulated = is_emulated(args.sysfs)
    if emulated:
        print("This is QEMU: its bridges take no notice of hints, its time is not time. "
              "Nothing is judged.")
    width = max(map(len, found), default=0)
    for setting, ratios in found.items():
        if isinstance(ratios, str):
            text = f"refused: {ratios}"
        else:
            text = "not judged" if emulated else verdict(ratios, len(judged))
        print(f"  {setting.ljust(width)}  {text}")
    if not emulated:
        plot(args.output.with_suffix(".svg"), found)
        print(f"{args.output}, {args.output.with_suffix('.svg')}")


def arguments(argv):
    """The command line, checked before anything is set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("device", help="PCI function, DOMAIN:BUS:DEVICE.FUNCTION")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--file", type=Path, help="directory on a disk of the device's")
    what.add_argument("--disk", help="block device of the device's; what it has is lost")
    what.add_argument("--iperf3", metavar="HOST", help="where iperf3 -s runs")
    parser.add_argument("--destructive", metavar="SERIAL",
                        help="the serial number of --disk, typed")
    parser.add_argument("--hints", default=",".join(VALUES), help="by comma")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--settle", type=float, default=2, help="seconds (2)")
    parser.add_argument("--runtime", type=int, default=10, help="seconds of a run (10)")
    parser.add_argument("--bs", default="1M", help="fio's block size (1M)")
    parser.add_argument("--iodepth", type=int, default=8,
                        help="requests outstanding, or iperf3's streams (8)")
    parser.add_argument("--size", default="1G", help="of the file (1G)")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (1)")
    parser.add_argument("--output", type=Path, required=True, help="CSV")
    parser.add_argument("--sysfs", type=Path, default=Path("/sys"))
    parser.add_argument("--fio", default="fio")
    args = parser.parse_args(argv)
    args.hints = args.hints.split(",")
    unknown = [hint for hint in args.hints if hint not in VALUES]
    if unknown:
        sys.exit(f"measure: no hint '{unknown[0]}'; there are: {', '.join(VALUES)}")
    if not (args.sysfs / "bus/pci/devices" / args.device / "dma_hints").is_dir():
        sys.exit(f"measure: {args.device} has no dma_hints/\nremedy: a kernel with "
                 "CONFIG_DMA_HINTS, and a function of /sys/bus/pci/devices")
    if args.file and not args.file.is_dir():
        sys.exit(f"measure: no directory {args.file}")
    if args.disk:
        if not os.path.exists(args.disk):
            sys.exit(f"measure: no disk {args.disk}")
        serial = serial_of(args.disk, args.sysfs)
        if not serial or args.destructive != serial:
            sys.exit(f"measure: {args.disk} would be overwritten; its serial number is "
                     f"{serial or 'not known'}\nremedy: --destructive "
                     f"{serial or 'needs one'}, or --file DIRECTORY")
    return args


def main(argv=None):
    """Measure as the command line says."""
    args = arguments(argv)
    hints = args.sysfs / "bus/pci/devices" / args.device / "dma_hints"
    names = settings(hints, args.hints)
    if not names:
        sys.exit(f"measure: no hint can be set for {args.device}:\n" +
                 (hints / "query").read_text())
    report(args, sweep(args, hints, names))


if __name__ == "__main__":
    main()
