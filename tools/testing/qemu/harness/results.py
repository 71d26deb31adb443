# SPDX-License-Identifier: GPL-2.0
"""Results of a target: a table for the reader, JSON for programs."""

import collections
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

from . import paths

# steps of a kind in the table of minutes
LONGEST = 12


def table(rows: dict[str, dict], labels: dict[str, str]) -> None:
    """Print {row: {figure: value}} a column a row, for the figures of labels,
    {figure: label}; what is None shows as '-'."""
    lines = [["kernel", *rows]]
    for figure, label in labels.items():
        lines.append([label] + ["-" if row[figure] is None else str(row[figure])
                                for row in rows.values()])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for label, *cells in lines:
        print("  " + "  ".join([label.ljust(widths[0])] + [
            c.rjust(w) for c, w in zip(cells, widths[1:])]))


def about(base: str, **where) -> dict:
    """What a result is of: the base with its version, the series' commit, the emulator,
    the day, and where it was seen."""
    def line(path):
        file = paths.BUILD / base / path
        return file.read_text().strip() if file.is_file() else None
    # what boots nothing does not install it
    tool = shutil.which("qemu-system-ppc64")
    qemu = subprocess.run([tool, "--version"], capture_output=True,
                          text=True).stdout if tool else ""
    return {"about": {
        "base": base, "version": line("vanilla/.unpacked"),
        "series": line("patched/.series-head"),
        "qemu": (re.findall(r"version (\S+)", qemu) or [None])[0],
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), **where}}


def checksum(figures: dict) -> str:
    """sha256 of figures, but for their own."""
    rest = {name: value for name, value in figures.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def write(target: str, good: bool, figures: dict) -> None:
    """Write build/results/TARGET.json: "ok", the figures by name, and their checksum."""
    path = paths.BUILD / "results" / f"{target}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    # as they are read again: keys are strings
    whole = json.loads(json.dumps({"ok": good, **figures}))
    path.write_text(json.dumps({**whole, "sha256": checksum(whole)}, indent=1) + "\n")
    print(f"\n{path.relative_to(paths.BUILD.parent)}")


def took(command: str, good: bool, what: dict) -> None:
    """Write how long a command of make took, what its about() is, cold or warm."""
    stamp = paths.BUILD / "times.start"
    if stamp.is_file():
        began, state = stamp.read_text().split()
        name = re.sub(r"[^\w.]+", "-", command)
        write(f"time-{name}-{what['about']['base']}-{state}", good, {
            **what, "command": command, "state": state, "cpus": os.cpu_count(),
            "seconds": round(time.time() - int(began))})


def minutes(tests: dict[str, float]) -> dict[str, int]:
    """Print where the time of a target went, the longest steps of each kind, and
    return {kind: seconds}; tests are {test: seconds}, the builds are in
    build/times.tsv, where lib.sh has them in seconds of wall time."""
    steps = [("tests", name, seconds) for name, seconds in tests.items()]
    times = paths.BUILD / "times.tsv"
    for line in times.read_text().splitlines() if times.is_file() else ():
        seconds, kind, name = re.match(r"(\d+)\t(\w+) +(.*)", line).groups()
        steps.append(("kernels" if kind in ("KERNEL", "CONFIG", "MODULE") else
                      "programs", name, int(seconds)))
    sums = collections.Counter()
    for kind, _, seconds in steps:
        sums[kind] += round(seconds)
    print("\n  minutes")
    for kind, total in sums.most_common():
        print(f"  {total / 60:7.1f}  {kind}")
        longest = sorted((s for s in steps if s[0] == kind), key=lambda s: -s[2])
        for _, name, seconds in longest[:LONGEST]:
            print(f"  {seconds / 60:11.1f}  {name}")
    return dict(sums)


def digest(files) -> str:
    """sha256 of the files' contents, one after the other, in hexadecimal."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
