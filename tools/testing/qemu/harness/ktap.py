# SPDX-License-Identifier: GPL-2.0
"""What a guest says in KTAP, and in the diagnostic lines of the bench's scripts:

    # figures NAME=NUMBER ...
    # row KEY=VALUE ...
    # adapter PCI-ADDRESS bar N START END
    # disk NAME SYSFS-PATH
    # finding TEXT
"""

import collections
import json
import re
import subprocess
import sys
import tempfile

from . import paths


def leaves(group):
    """Statuses of the test cases below a group of kunit.py's JSON."""
    yield from (case["status"] for case in group["test_cases"])
    for sub in group["sub_groups"]:
        yield from leaves(sub)


def complete(text: str) -> bool:
    """Whether each plan has as many results as it says, at its indentation.

    kunit.py looks for a plan right after "# Subtest:", and not for one that comes after
    other diagnostic lines.
    """
    plans = {}      # indentation: results that are still to come
    for line in text.splitlines():
        found = re.match(r"( *)(?:1\.\.(\d+)$|(?:not )?ok \d+)", line)
        if not found:
            continue
        depth = len(found[1])
        if found[2]:
            plans[depth] = int(found[2])
            continue
        if any(plans.pop(deeper) for deeper in [d for d in plans if d > depth]):
            return False
        plans[depth] = plans.get(depth, 0) - 1
    return not any(plans.values())


def green(ktap, base: str) -> bool:
    """The base kernel's own verdict on a KTAP file: all passed, none skipped or missing.

    kunit.py's exit status is 0 when a plan was cut short by a panic.
    """
    tool = paths.TOP / "build" / base / "vanilla/tools/testing/kunit/kunit.py"
    if not tool.is_file():
        sys.exit(f"ktap: no {paths.short(tool)}\nremedy: scripts/series.py vanilla {base}")
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        run = subprocess.run([sys.executable, tool, "parse", f"--json={file.name}", ktap],
                             capture_output=True, text=True)
        statuses = list(leaves(json.load(file))) if run.returncode == 0 else []
    text = ktap.read_text(errors="replace")
    # a wrong number is an error of no test case, and a script may fail after its last one
    return (set(statuses) == {"PASS"} and "[ERROR]" not in run.stdout and
            not re.search(r"^ *not ok ", text, re.M) and complete(text))


def case(suite: str, name: str) -> str:
    """A case's name on the console, as guest/init has it."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return suite if name == suite else f"{suite}.{name}"


def cases(text: str):
    """(suite, name, verdict) of each result of a guest, in order: "pass", "fail" or
    "skip"; a suite's own has its name twice."""
    pending = []
    for line in text.splitlines():
        found = re.match(r"( *)(not )?ok \d+ (?:- )?([^#]*?) *(#.*)?$", line)
        if not found:
            continue
        depth, failed, name, note = found.groups()
        pending.append((name, "fail" if failed else
                        "skip" if "# SKIP" in (note or "") else "pass"))
        if not depth:
            yield from ((name, *one) for one in pending)
            pending = []


def figures(*ktaps) -> dict[str, int]:
    """The name=number pairs of the "# figures" lines of KTAP files, summed."""
    sums = collections.Counter()
    for ktap in ktaps:
        for line in re.findall(r"# figures (.*)", ktap.read_text(errors="replace")):
            for name, value in re.findall(r"(\w+)=(-?\d+)(?!\S)", line):
                sums[name] += int(value)
    return dict(sums)


def number(text: str):
    """A number if it is one."""
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text


def rows(text: str) -> list[dict]:
    """[{key: value}] of the "# row" lines."""
    return [{k: number(v) for k, v in (w.split("=", 1) for w in line.split())}
            for line in re.findall(r"# row (.*)", text)]


def bars(text: str) -> list[tuple[int, int]]:
    """(start, end) of the adapter's BARs as the guest saw them; registers come first."""
    return [(int(start, 16), int(end, 16)) for start, end in dict.fromkeys(
        re.findall(r"# adapter \S+ bar \d+ (0x\w+) (0x\w+)", text))]


def disks(text: str) -> list[bool]:
    """Whether each disk, by name, is on the adapter that is tried."""
    adapter = re.search(r"# adapter (\S+)", text)
    return [f"/{adapter[1]}" in path for _, path in
            sorted(re.findall(r"# disk (\S+) (\S+)", text))]


def findings(text: str) -> list[str]:
    """The "# finding" lines."""
    return re.findall(r"^ *# (finding .*)$", text, re.M)
