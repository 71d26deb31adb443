#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Set one DMA hint after the other on a live system, and measure what it does.

For each hint that a device's dma_hints/ in sysfs has, each class of mapping, each
PCI command, and each value: set it, let the system settle, read a disk of that
device with fio (O_DIRECT, sequential), and reset it.  Prints tables of the shape
that G. Grundler's "DMA Hints on IA64/PARISC" (Ottawa Linux Symposium 2003) has:
commands by values, mean MB/s and standard deviation.  A value that the kernel
refuses is shown as its error.  CSV has each single run.

    measure.py 0000:00:05.0 --disk /dev/sda --output results

Reads only; still, hints change what other devices behind the same bridge see.
"""

import argparse
import csv
import errno
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

CLASSES, COMMANDS = ("consistent", "streaming"), ("mr", "mrl", "mrm", "mw")
# hint: (values to try, unit)
VALUES = {
    "prefetch": (("0", "1", "2", "3"), "cache lines"),
    "block_size": (("512", "1024", "2048", "4096"), "bytes"),
    "relaxed_order": (("0", "1"), ""),
    "read_current": (("1", "0"), ""),
    "latency_timer": (("32", "64", "128", "248"), "PCI clocks"),
    "cache_line_size": (("0", "8", "16", "32"), "32-bit words"),
    "mwi": (("0", "1"), ""),
    "max_read": (("128", "512", "1024", "4096"), "bytes"),
    "no_snoop": (("0", "1"), ""),
    "read_words": (("1", "2", "4", "8", "16", "24", "half", "full"), "32-bit words"),
    "write_words": (("1", "2", "4", "8"), "32-bit words"),
}


class Refused(Exception):
    """The kernel refused a value; str() is the error's name."""


def is_emulated(root):
    """Whether the system is QEMU's: its firmware, or its disks, say so."""
    names = [root / "class/dmi/id/sys_vendor", *root.glob("block/*/device/vendor")]
    return any("QEMU" in name.read_text(errors="replace")
               for name in names if name.is_file())


def write(file, value):
    """Write to a file of sysfs; raise Refused with the error's name."""
    try:
        with open(file, "w", encoding="ascii") as opened:
            opened.write(value)
    except OSError as error:
        raise Refused(errno.errorcode[error.errno]) from error


def megabytes(args):
    """MB/s (10**6 bytes) of one run of fio's."""
    out = subprocess.run(
        [args.fio, "--name=measure", f"--filename={args.disk}", "--readonly",
         "--rw=read", "--direct=1", f"--bs={args.bs}", "--ioengine=psync",
         "--time_based", f"--runtime={args.runtime}", "--output-format=json"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(out)["jobs"][0]["read"]["bw_bytes"] / 1e6


def runs(args, hints, files, value):
    """A list of MB/s with a value in all of the files, or the name of an error."""
    try:
        for file in files:
            write(file, value)
        time.sleep(args.settle)
        return [megabytes(args) for _ in range(args.repeats)]
    except Refused as error:
        return str(error)
    finally:
        write(hints / "reset", "1")


def rows_of(hints, hint):
    """{row: files}: each command of each class, and all of a class; or the device."""
    found = {}
    if (hints / "device" / hint).is_file():
        found["device"] = [hints / "device" / hint]
    for kind in CLASSES:
        files = {command: hints / kind / command / hint for command in COMMANDS}
        files = {command: file for command, file in files.items() if file.is_file()}
        found.update({f"{kind} {command.upper()}": [file]
                      for command, file in files.items()})
        if len(files) > 1:
            found[f"{kind} ALL"] = list(files.values())
    return found


def table(hint, cells):
    """Print {row: {value: runs}} as the paper does: commands by values."""
    values, unit = VALUES[hint]
    lines = [["MB/s"] + list(values)]
    for row, by_value in cells.items():
        lines.append([row] + [
            seen if isinstance(seen, str) else f"{statistics.mean(seen):.1f} ± "
            f"{statistics.stdev(seen) if len(seen) > 1 else 0:.1f}"
            for seen in (by_value[value] for value in values)])
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"\n{hint}{f', {unit}' if unit else ''}")
    for line in lines:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)))


def main(argv=None):
    """Sweep as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("device", help="PCI function, DOMAIN:BUS:DEVICE.FUNCTION")
    parser.add_argument("--disk", required=True, help="block device to read")
    parser.add_argument("--hints", default=",".join(VALUES), help="by comma")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--settle", type=float, default=30, help="seconds (30)")
    parser.add_argument("--runtime", type=int, default=10, help="seconds of a run (10)")
    parser.add_argument("--bs", default="1M", help="block size of fio's (1M)")
    parser.add_argument("--output", type=Path, help="directory for CSV")
    parser.add_argument("--sysfs", type=Path, default=Path("/sys"))
    parser.add_argument("--fio", default="fio")
    args = parser.parse_args(argv)
    hints = args.sysfs / "bus/pci/devices" / args.device / "dma_hints"
    if not hints.is_dir():
        sys.exit(f"measure: no {hints}\nremedy: a kernel with CONFIG_DMA_HINTS, and a "
                 "function of /sys/bus/pci/devices")
    if not os.path.exists(args.disk):
        sys.exit(f"measure: no disk {args.disk}")
    chosen = args.hints.split(",")
    unknown = [hint for hint in chosen if hint not in VALUES]
    if unknown:
        sys.exit(f"measure: no hint '{unknown[0]}'; there are: {', '.join(VALUES)}")
    if is_emulated(args.sysfs):
        print("This is QEMU: its bridges take no notice of hints, its time is not "
              "time, and these numbers mean nothing.")
    records = []
    print(f"NONE: {statistics.mean(runs(args, hints, [], '')):.1f} MB/s")
    for hint in chosen:
        cells = {}
        for row, files in rows_of(hints, hint).items():
            for value in VALUES[hint][0]:
                print(f"  MEASURE {hint} {row} {value}", file=sys.stderr, flush=True)
                seen = runs(args, hints, files, value)
                cells.setdefault(row, {})[value] = seen
                records += [(hint, row, value, n, one) for n, one in enumerate(
                    [seen] if isinstance(seen, str) else seen)]
        if cells:
            table(hint, cells)
    if args.output:
        args.output.mkdir(parents=True, exist_ok=True)
        with open(args.output / "measure.csv", "w", newline="", encoding="ascii") as file:
            writer = csv.writer(file)
            writer.writerow(("hint", "row", "value", "run", "MB/s or error"))
            writer.writerows(records)
        print(f"\n{args.output}/measure.csv")


if __name__ == "__main__":
    main()
