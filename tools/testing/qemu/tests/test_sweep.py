# SPDX-License-Identifier: GPL-2.0
"""A sweep of a few accesses, and that the sweep's own judgement can fail."""

import json
import os
import shlex
import subprocess
import sys

import pytest

import sweep
from common import BASE, kernel, mutant, mutants
from harness import arches, paths
from harness.drivers import DRIVERS
from harness.result import Hits, Result

SOURCE = """\
static int work(struct adapter *a)
{
	if (a->id ==
	    OLD) {
		if (a->first)
			first(a);
		reset(a);
	}
out:
	end(a);
}
"""


def command(driver, *how):
    """Run sweep.py; return its exit status, and the line that repeats it."""
    how = ["--driver", driver, "--base", BASE, *how]
    return subprocess.run([sys.executable, sweep.__file__, *how]).returncode, (
        f"repeat with: tools/testing/qemu/sweep.py {' '.join(how)}")


def swept(seen, driver, least, *how, variant="on+debug"):
    """Sweep a part: at least so many injections, and no finding."""
    arch = DRIVERS[driver].sweep.arch
    kernel("patched", arch, variant)
    status, again = command(driver, "--variant", variant, *how)
    assert status == 0, again
    machine = arches.facts(arch)["MACHINE"]
    found = json.loads((paths.BUILD / "results" /
                        f"sweep-{driver}-{BASE}-{machine}-part.json").read_text())
    assert found["injections"] >= least and not found["findings"], found
    seen.cell(machine, arch, driver, "kernel",
              *(paths.TOP / ktap for ktap in found["ktaps"]))


@pytest.mark.slow
def test_sweep_short(seen):
    """Every fortieth access of each phase, with KASAN."""
    swept(seen, "fusion", 20, "--step", "40", variant="on+debug+kasan")


def part(phase, last):
    """Arguments of a sweep of a phase's first accesses."""
    return "--phases", phase, "--guests", "2", "--last", str(last)


@pytest.mark.slow
@pytest.mark.parametrize("phase,last", [("probe", 12), ("reset", 30)])
def test_vectors(phase, last, seen):
    """A store to the MSI-X table that gets lost while NVMe asks for interrupts.

    The first accesses of a probe are the PCI core's to the table, and the driver's that
    follow them; a reset has them after a few of its own.  Nobody but the driver's sessions
    is told, and a command whose interrupt never comes takes a minute.
    """
    swept(seen, "nvme", 12, *part(phase, last))


@pytest.mark.slow
def test_suspend(seen):
    """An access fails while Fusion's devices go to sleep, or wake up."""
    swept(seen, "fusion", 12, *part("suspend", 12))


@pytest.mark.slow
def test_shutdown_is_told(seen):
    """An access fails while NVMe's driver is unbound: the controller is told of the
    shutdown all the same, and writes its volatile cache back."""
    swept(seen, "nvme", 12, *part("unbind", 12))


@pytest.mark.slow
@mutants("sweeps")
def test_sweep_red(gone):
    """Without a guard an access that fails in a phase is a finding."""
    arch = DRIVERS[gone["driver"]].sweep.arch
    with mutant(gone) as tree:
        kernel(tree, arch, "on+debug")
    status, again = command(gone["driver"], "--tree", tree,
                            *part(gone["phase"], gone["last"]))
    machine = arches.facts(arch)["MACHINE"]
    found = json.loads((paths.BUILD / "results" / (
        f"sweep-{gone['driver']}-{BASE}-{tree}-{machine}-part.json")).read_text())
    assert status == 1 and found["findings"], again


def guest(tmp_path, ktap, outcome="completed"):
    """A guest's Result, with what it wrote."""
    for name, text in (("ktap", ktap), ("console", "sweep: io 7\n")):
        (tmp_path / name).write_text(text)
    return Result(outcome, 0, Hits(), tmp_path / "ktap",
                       tmp_path / "console")


def test_sweep_judges(tmp_path):
    """A guest that died, ran nothing or complained is a finding."""
    good = "# figures phase=io last=9 finished=1 injections=9 findings=0\n"
    assert not sweep.findings(guest(tmp_path, good))
    assert guest(tmp_path, good).figures() == {
        "last": 9, "finished": 1, "injections": 9, "findings": 0}
    assert sweep.findings(guest(tmp_path, good, "panic")) == ["finding io 7 panic"]
    (tmp_path / "qemu.log").write_text("lsi_soft_reset: Assertion failed\n")
    assert sweep.findings(guest(tmp_path, good, "stopped")) == [
        "finding io 7 stopped lsi_soft_reset: Assertion failed"]
    assert sweep.findings(guest(tmp_path, ""))
    gone = guest(tmp_path, "# inject io 6 read a+0x0/0x8\n", "QEMU died of SIGABRT")
    found = sweep.Found()
    found.add(gone, {"a": 0})
    assert not found.bad and found.unknown() == [
        "io 7 QEMU died of SIGABRT lsi_soft_reset: Assertion failed"]
    found.add(guest(tmp_path, "# inject io 7 read a+0x0/0x8\n" + good), {"a": 0})
    assert not found.bad and not found.unknown()
    (tmp_path / "console").write_text("")
    assert sweep.findings(gone) == [
        "finding start QEMU died of SIGABRT lsi_soft_reset: Assertion failed"]
    (tmp_path / "console").write_text("sweep: io 7\n")
    assert sweep.findings(guest(tmp_path, "# finding io 3 complaint\n" + good))


def test_sweep_counts(tmp_path):
    """An access that was not failed is missing, or is excluded by its reason."""
    assert sweep.conditions(SOURCE, 6) == ["first(a);", "if (a->first)",
                                           "if (a->id == OLD) {"]
    assert sweep.conditions(SOURCE, 7) == ["reset(a);", "if (a->id == OLD) {"]
    assert sweep.conditions(SOURCE, 10) == ["end(a);"]
    (tmp_path / "a.c").write_text(SOURCE)
    found = {16: ("work", "a.c:6"), 32: ("work", "a.c:7"), 48: ("work", "a.c:10")}
    parts = sweep.coverage(found, {48}, {"first": "no first"}, tmp_path)
    assert [line for _, line, _ in parts["reached"]] == ["a.c:10"]
    assert [line for _, line, _ in parts["unreached"]] == ["a.c:7"]
    assert parts["unreachable"] == [("work", "a.c:6", "no first")]
    assert list(sweep.injected("# inject io 1 read .work+0x10/0x80\n",
                               {"work": 0x100})) == [0x110]


def test_sweep_ends():
    """A phase's guests stop when one says that it has reached the end."""
    done = set()
    todo = sweep.shards({"a": 10, "b": 7}, 25, done)
    assert [next(todo) for _ in range(4)] == [
        ("a", 1, 10), ("b", 1, 7), ("a", 11, 20), ("b", 8, 14)]
    done.add("a")
    assert list(todo) == [("b", 15, 21), ("b", 22, 25)]
    kept = {("a", 6, 8), ("a", 17, sweep.EVERY)}
    assert list(sweep.shards({"a": 5}, sweep.EVERY, set(), kept)) == [
        ("a", 1, 5), ("a", 9, 13), ("a", 14, 16)]


def test_sweep_goes_on(tmp_path, monkeypatch):
    """Where QEMU dies of an access, the next guest begins behind it."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    booted = []

    def run(boot):
        booted.append(boot.args)
        first = boot.args[1]
        last = "sweep: io 4\n" if first == 1 else "sweep: io 10\n"
        end = ("QEMU died of SIGABRT" if len(booted) < 3 else "completed")
        (tmp_path / f"ktap{first}").write_text(
            "# figures phase=io finished=1 \n" if end == "completed" else "")
        (tmp_path / f"console{first}").write_text(last)
        return Result(end, 0, Hits(), tmp_path / f"ktap{first}",
                      tmp_path / f"console{first}")

    monkeypatch.setattr(sweep.process, "run", run)
    args = sweep.options(["--driver", "sym53c8xx", "--guests", "1", "--phases", "io"])
    sweep.sweep(DRIVERS["sym53c8xx"], {"io": 10}, 20, args, {}, "x")
    assert [a[1:3] for a in booted] == [(1, 10), (5, 10), (11, 20)]


def test_sweep_continues(tmp_path, monkeypatch):
    """Kept is who reached the end without a finding, on this kernel."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    kernel = tmp_path / "vmlinux"
    good = "# figures phase=io last=9 finished=0 injections=9\n"
    guests = {  # first n: KTAP, console
        1: (good, "bench: done\n"), 11: (good, "sweep: io 12\n"),
        21: ("# inject io 21 read a+0x0/0x8\n", "bench: done\n"),
        31: (good + "# finding io 33 io\n", "bench: done\n"),
        41: (good, "Kernel panic\nbench: done\n"),
        51: (good, "bench: done\n"), 61: (good, "bench: done\n")}
    kernel.write_text("")
    for first, (ktap, console) in guests.items():
        # of another tree's kernel, and of a repeated part
        label = {51: "x-mutant", 61: "x-again1"}.get(first, "x")
        log = tmp_path / f"sweep/{label}-io-{first}"
        log.mkdir(parents=True)
        (log / "results.ktap").write_text(ktap)
        (log / "console.log").write_text(console)
        (log / "command").write_text(shlex.join(
            ["qemu", "-append", f"bench.run=sweep bench.args=io,{first},{first + 9},1"]))
    os.utime(kernel, (1, 1))
    assert sorted(sweep.earlier("x", kernel)) == [("io", 1, 10), ("io", 61, 70)]
    os.utime(kernel, (4e9, 4e9))
    assert not sweep.earlier("x", kernel)
