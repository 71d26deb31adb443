# SPDX-License-Identifier: GPL-2.0
"""Results of a target: a table for the reader, JSON for programs; and what tests saw
of the fault matrix, for matrix.py."""

import collections
import hashlib
import json
import os
import re
import subprocess
import sys

import boot

# steps of a kind in the table of minutes
LONGEST = 12


def table(rows, labels):
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


def write(target, good, figures):
    """Write build/results/TARGET.json: "ok" and the figures by name."""
    path = boot.BUILD / "results" / f"{target}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ok": good, **figures}, indent=1) + "\n")
    print(f"\n{path.relative_to(boot.TOP)}")


def minutes(tests):
    """Print where the time of a target went, the longest steps of each kind, and
    return {kind: seconds}; tests are {test: seconds}, the builds are in
    build/times.tsv, where lib.sh has them in seconds of wall time."""
    steps = [("tests", name, seconds) for name, seconds in tests.items()]
    times = boot.BUILD / "times.tsv"
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


def green(ktap, base):
    """The base kernel's own verdict on a KTAP file: all passed, none skipped or
    missing.

    kunit.py's exit status alone does not say so: it is 0 when a test plan was
    cut short by a panic.
    """
    tool = boot.TOP / "build" / base / "vanilla/tools/testing/kunit/kunit.py"
    if not tool.is_file():
        sys.exit(f"results: no {tool.relative_to(boot.TOP)}\n"
                 f"remedy: scripts/series.py vanilla {base}")
    parsed = subprocess.run([sys.executable, tool, "parse", ktap],
                            capture_output=True, text=True)
    return (parsed.returncode == 0 and
            re.search(r"Ran \d+ tests: passed: \d+$", parsed.stdout, re.M))


def digest(files):
    """sha256 of the files' contents, one after the other, in hexadecimal."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def figures(ktaps):
    """The figures of KTAP files, {name: sum}."""
    sums = collections.Counter()
    for ktap in ktaps:
        sums.update(boot.Result("", 0, None, ktap, None).figures())
    return dict(sums)


class Seen:
    """What a test saw: cells of the fault matrix, each with its KTAP files.

    The record is a file in build/results/seen, one for each test and base.  It says
    that the test failed until passed() is called: a success that was before does not
    outlive a failure.
    """

    def __init__(self, test, base):
        """test is the test's name, base the kernel's."""
        self.test, self.base, self.cells = test, base, []
        name = re.sub(r"[^\w.]+", "-", f"{base} {test}").strip("-")
        self.path = boot.BUILD / "results/seen" / f"{name}.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.write(False)

    def write(self, passed):
        """Write the record."""
        self.path.write_text(json.dumps({
            "base": self.base, "test": self.test, "passed": passed,
            "cells": self.cells if passed else []}, indent=1) + "\n")

    def cell(self, machine, arch, driver, kind, *ktaps):
        """A fault of a kind (matrix.KINDS) was met on a machine by a driver; the KTAP
        files are below build/."""
        self.cells.append({
            "machine": machine, "arch": arch, "driver": driver, "kind": kind,
            "ktap": [os.path.relpath(ktap, boot.BUILD) for ktap in ktaps],
            "sha256": digest(ktaps), "figures": figures(ktaps)})

    def passed(self):
        """The test passed; to be called at its end."""
        assert self.cells, f"{self.test} passed, and has seen nothing"
        self.write(True)
