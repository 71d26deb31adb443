# SPDX-License-Identifier: GPL-2.0
"""The protocol of latches and the window of the sequence, searched by Spin; and that each
broken order has a counterexample."""

import os
import re
import shutil
import subprocess

import pytest

from common import BASE
from harness import paths, results

pytestmark = pytest.mark.slow

MODELS = paths.QEMU / "models"
# -D of a model: the rule that it breaks
MUTANTS = [
    ("latch", "NO_BUMP"), ("latch", "BUMP_BEFORE"), ("latch", "BUMP_AFTER_UNLOCK"),
    ("latch", "SNAPSHOT_BEFORE_LOCK"), ("latch", "OTHERS_STAMP"),
    ("sequence", "NO_REFRESH"), ("sequence", "YOUNG_ONLY"), ("sequence", "UNSIGNED_AGE")]


def search(model, *defines):
    """(errors, states) of Spin's search, which has to be whole unless it found one."""
    where = paths.BUILD / "models" / "-".join([model, *defines])
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    for command in (["spin", *(f"-D{d}" for d in defines), "-a", MODELS / f"{model}.pml"],
                    ["gcc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"],
                    ["./pan", "-m1000000"]):
        run = subprocess.run(command, cwd=where, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        (where / "log").write_text(run.stdout)
        assert run.returncode == 0, run.stdout
    errors = int(re.search(r"errors: (\d+)", run.stdout)[1])
    states = int(float(re.search(r"(\S+) states, stored", run.stdout)[1]))
    assert errors or not re.search("Search not completed|max search depth", run.stdout)
    return errors, states


@pytest.mark.parametrize("model", ["latch", "sequence"])
def test_model(model):
    """No error is lost, and there is no false verdict, in any order of events."""
    errors, states = search(model)
    print(f"  SPIN    {model}: {states} states, {errors} errors")
    results.write(f"model-{model}", not errors, {"states": states, "errors": errors})
    assert not errors and states > 100_000


@pytest.mark.parametrize("model,rule", MUTANTS, ids=["-".join(m) for m in MUTANTS])
def test_model_red(model, rule):
    """Without one of its rules there is a counterexample."""
    assert search(model, rule)[0]


def litmus(where, edit=lambda text: text):
    """herd's word on the litmus test by the kernel's memory model: Never, Sometimes."""
    test = where / "snapshot.litmus"
    test.write_text(edit((MODELS / "snapshot.litmus").read_text()))
    run = subprocess.run(["herd7", "-conf", "linux-kernel.cfg", test], text=True,
                         cwd=paths.BUILD / BASE / "vanilla/tools/memory-model",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout
    return re.search(r"^Observation \S+ (\w+)", run.stdout, re.M)[1]


herd = pytest.mark.skipif(
    not any(os.access(os.path.join(d, "herd7"), os.X_OK) for d in os.get_exec_path()),
    reason="no herd7, of herdtools7, which Debian 12 does not have")


@herd
def test_litmus(tmp_path):
    """A snapshot with acquire is older than what its session's accesses latch."""
    assert litmus(tmp_path) == "Never"


@herd
@pytest.mark.parametrize("old,new", [
    ("atomic_read_acquire", "atomic_read"),
    ("\tspin_lock(lock);\n\tstatus = READ_ONCE(*latch);\n\tif",
     "\tstatus = READ_ONCE(*latch);\n\tspin_lock(lock);\n\tif")],
    ids=["acquire", "lock"])
def test_litmus_red(tmp_path, old, new):
    """Without the acquire, or with a look before the lock, an error is lost."""
    assert litmus(tmp_path, lambda text: text.replace(old, new)) == "Sometimes"
