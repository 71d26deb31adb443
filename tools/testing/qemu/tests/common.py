# SPDX-License-Identifier: GPL-2.0
"""What the tests have in common: what make chose, verdicts, and builds.

The environment says on what: BENCH_BASE, BENCH_MACHINES ("MACHINE:ARCH ..."),
BENCH_GUESTS ("MACHINE:ARCH:CPUS:DRIVER ...", with ":demo" after it for the demonstration
and a permanent death alone).  Make has built the kernels before.
"""

import contextlib
import os
import re
import subprocess
import sys
import tomllib

import pytest

from harness import ktap, paths
from harness.machines import MACHINES
from harness.result import Result

sys.path.insert(0, str(paths.TOP / "scripts"))
import patchset as series  # noqa: E402  (after the path is set)

BASE = os.environ.get("BENCH_BASE", "6.1")
TESTED = [tuple(m.split(":")) for m in
          os.environ.get("BENCH_MACHINES", "powernv9:ppc64").split()]
ALL_GUESTS = [tuple(g.split(":")) for g in
              os.environ.get("BENCH_GUESTS", "powernv9:ppc64:1:fusion").split()]
# not those of the demonstration alone
GUESTS = [g for g in ALL_GUESTS if len(g) == 4]
# The variant that has all of the series in the kernel itself
BUILTIN = "on+builtin+inject+kprobes"
PATCHES = series.read_series(BASE)
MUTANTS = tomllib.loads((paths.QEMU / "tests/data/mutants.toml").read_text())


def on_machines(chosen, names="machine,arch"):
    """Run the test on these machines."""
    return pytest.mark.parametrize(names, chosen, ids=["-".join(c) for c in chosen])


machines = on_machines(TESTED)


def guests(*hbas, faults=True):
    """Run the test on all guests, or on those with these adapters; unless faults
    is false, only on machines whose bus raises exceptions, and not on ":demo"'s."""
    return on_machines(
        [g[:4] for g in (GUESTS if faults else ALL_GUESTS)
         if (not hbas or g[3] in hbas) and (MACHINES[g[0]].faults or not faults)],
        "machine,arch,smp,hba")


def green(file):
    """The base kernel's own verdict: all passed, none skipped or missing."""
    return ktap.green(file, BASE)


def clean(result: Result, again: str):
    """Completed, all tests passed, and the kernel did not complain."""
    assert result.outcome == "completed", again
    assert green(result.ktap), result.ktap.read_text() + again
    assert not result.complaints(), f"{result.complaints()}\n{again}"


def patched(*options):
    """Bring the patched tree, or another one of the series, up to date."""
    subprocess.run([paths.SERIES, "patched", BASE, *options], check=True)


def kernel(tree, arch, variant, *targets, extra=None, lax=False, fails=False):
    """Run kernel.sh; return the text of its build log.  fails: it has to."""
    env = {**os.environ, **({"KEXTRA": extra} if extra else {}),
           **({"LAX": "1"} if lax else {})}
    run = subprocess.run([paths.QEMU / "builds/kernel.sh", BASE, tree,
                          arch, variant, *targets], env=env)
    obj = paths.object_dir(BASE, tree, arch, variant)
    assert (run.returncode != 0) == fails, f"log: {paths.short(obj)}/build.log"
    return (obj / "build.log").read_text()


def mutants(*kinds):
    """Run the test on each mutant of these kinds, a table of mutants.toml."""
    chosen = [m for kind in kinds for m in MUTANTS[kind]]
    return pytest.mark.parametrize("gone", chosen, ids=[
        re.sub(r"\W+", "-", m["what"]) for m in chosen])


def edited_file(tree, names, old):
    """The file of a tree that has an old text once: of several names, as in another base
    it is elsewhere."""
    found = [tree / name for name in names.split()
             if (tree / name).read_text().count(old) == 1]
    assert found, f"{names} has not once:\n{old}"
    return found[0]


@contextlib.contextmanager
def mutant(gone):
    """Name of the patched tree's copy while it has the edits of a mutant; a file has
    each old text once."""
    tree, whole = paths.BUILD / BASE / "mutant", {}
    patched("--dest", tree)
    try:
        for edit in gone.get("edits", [gone]):
            path = edited_file(tree, edit.get("file", gone.get("file")), edit["old"])
            text = path.read_text()
            whole.setdefault(path, text)
            path.write_text(text.replace(edit["old"], edit["new"]))
        yield tree.name
    finally:
        for path, text in whole.items():
            path.write_text(text)
