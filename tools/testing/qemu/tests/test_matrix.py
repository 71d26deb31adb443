# SPDX-License-Identifier: GPL-2.0
"""The fault matrix, and that what is wrong with a record, a KTAP or a table turns it
red.  Nothing is booted: the KTAP files are made up."""

import json
import os
import subprocess
import sys

import pytest

import matrix
from common import BASE
from harness import paths, results
from harness.drivers import DRIVERS
from harness.machines import MACHINES
from harness.seen import Seen

KTAP = "KTAP version 1\n1..1\n# figures detected=7 wrong=0\nok 1 registers\n"
TEST = "test_check.py::test_suites[powernv9-ppc64]"
CELL = ("powernv9", "ppc64", "registers", "dead")
ROW = (BASE, *CELL[:3])


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A build directory and documents of the test's own; returns a function that runs
    matrix.py there with options, and gives its complaint, "" if there is none."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    documents = [tmp_path / document.name for document in matrix.DOCUMENTS]
    for document, form in zip(documents, ("<!-- {} -->", ".. {}")):
        document.write_text("before\n\n" + form.format("table: fault matrix") + "\n" +
                            form.format("end of table: fault matrix") + "\n\nafter\n")
    monkeypatch.setattr(matrix, "DOCUMENTS", documents)
    lines = tmp_path / "lines.csv"
    lines.write_text(matrix.text([]))

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["matrix.py", "--csv", str(lines), *options])
        try:
            matrix.main()
        except SystemExit as end:
            return str(end)
        return ""
    return run


def record(ktap=KTAP, test=TEST, cell=CELL, name="a"):
    """A test's record that it has passed, and its KTAP; returns both files."""
    file = paths.BUILD / f"check/{name}/results.ktap"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(ktap)
    seen = Seen(test, BASE)
    seen.cell(*cell, file)
    seen.passed()
    return seen.path, file


def lines():
    """The lines that matrix.py has written."""
    return matrix.read(paths.BUILD / "lines.csv")


def test_cells(bench):
    """A record becomes a cell; all others are there too, and claim nothing."""
    record()
    assert not bench() and not bench("--check") and not bench("--lint")
    found = matrix.cells(lines())
    assert found[ROW]["dead"] == "real"
    assert [word for row in found.values() for word in row.values()
            if word != "no"] == ["real"]
    for base in matrix.bases():
        pairs = {(m, a) for m, machine in MACHINES.items() if machine.knows(base)
                 for a in machine.arches}
        for driver in ("registers", *DRIVERS):
            assert pairs <= {row[1:3] for row in found
                             if (row[0], row[3]) == (base, driver)}
    assert [row[0] for row in found if row[2] == "ia64"] == ["6.1"] * (1 + len(DRIVERS))
    for name, mark in (("results.md", "real (s)"), ("io-check.rst", "real [#stores]_")):
        text = (paths.BUILD / name).read_text()
        assert text.count(mark) == 1 and "Precise stores" in text
        assert text.startswith("before\n") and text.endswith("\nafter\n")
        for machine in MACHINES:
            assert machine in text


@pytest.mark.parametrize("ktap", [
    KTAP.replace("ok 1", "not ok 1"), KTAP.replace("1..1", "1..2"),
    KTAP.replace("registers", "registers # SKIP"),
    KTAP.replace("detected=7", "detected=0"), KTAP.replace("# figures", "#"), ""],
    ids=["not-ok", "cut-short", "skipped", "none-detected", "no-figures", "empty"])
def test_ktap_red(bench, ktap):
    """A KTAP that does not bear its record out is an error that names both."""
    record(ktap)
    complaint = bench()
    assert TEST in complaint and "check/a/results.ktap" in complaint
    assert not lines()


def test_changed_red(bench):
    """A KTAP that was changed or is gone, and figures that are not its own."""
    path, ktap = record()
    ktap.write_text(KTAP + "# more\n")
    assert "not the KTAP that the test saw" in bench() and TEST in bench("--check")
    ktap.unlink()
    assert "no " in bench() and TEST in bench()
    path, ktap = record()
    path.write_text(path.read_text().replace('"detected": 7', '"detected": 8'))
    assert "other figures" in bench()
    path, ktap = record()
    assert not bench()


@pytest.mark.parametrize("old,new", [
    ("real (s)", "no"), ("| riscv64 | riscv64-virt | Fusion", "| riscv64 | no-virt | Fusion"),
    ("| b160l |", "| b160l, c3700 |"), ("(s) Precise", "(s) Imprecise")])
def test_table_red(bench, old, new):
    """A table that was edited by hand."""
    record()
    assert not bench()
    document = paths.BUILD / "results.md"
    text = document.read_text()
    assert old in text
    document.write_text(text.replace(old, new, 1))
    for option in ("--check", "--lint"):
        assert "results.md" in bench(option)


def test_missing_red(bench, monkeypatch):
    """A row that is gone from a table, a line from the file, a machine that is new."""
    record()
    assert not bench()
    for name in ("results.md", "io-check.rst"):
        document = paths.BUILD / name
        whole = document.read_text()
        rows = [line for line in whole.splitlines(True) if "sym53c8xx" in line]
        document.write_text(whole.replace(rows[0], ""))
        assert name in bench("--lint")
        document.write_text(whole)
    assert not bench("--lint")
    file = paths.BUILD / "lines.csv"
    whole = file.read_text()
    file.write_text(matrix.text([]))
    assert "its table is not" in bench("--lint")
    file.write_text(whole)
    monkeypatch.setitem(MACHINES, "new", MACHINES["powernv9"])
    assert "its table is not" in bench("--lint") and not bench()
    assert matrix.cells(lines())[(BASE, "new", *ROW[2:])]["dead"] == "no"


@pytest.mark.parametrize("old,new", [
    (",real,", ",fault-injected,"), (",dead,", ",alive,"), ("powernv9,", "powernv0,"),
    ("test_suites", "test_nothing"), ("test_check.py", "test_none.py"),
    (",registers,", ",floppy,"), ("\n6.", "\n5."), (",dead", "")])
def test_lines_red(bench, old, new):
    """A line that no test and no machine of the bench's could have left."""
    record()
    assert not bench()
    file = paths.BUILD / "lines.csv"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    (paths.BUILD / "results/seen").rename(paths.BUILD / "elsewhere")
    assert bench("--lint") and bench()


def test_part(bench):
    """A run of some tests leaves the others' lines; a failed test loses its own."""
    record()
    path, _ = record(test="test_drivers.py::test_demo[x]", name="b",
                     cell=("arm64-virt", "arm64", "sym53c8xx", "dead"))
    assert not bench() and len(lines()) == 2
    path.unlink()
    assert not bench() and len(lines()) == 2
    Seen(TEST, BASE)
    assert "its table is not" in bench("--check") and not bench()
    assert [line.arch for line in lines()] == ["arm64"]
    assert matrix.cells(lines())[ROW]["dead"] == "no"


def test_built(bench):
    """Built only: where the kernel is there, has code for it, and nothing was met."""
    obj = paths.object_dir("6.1", "patched", "ia64", "on")
    obj.mkdir(parents=True)
    (obj / ".config").write_text("CONFIG_IO_CHECK=y\nCONFIG_HAVE_ARCH_IO_CHECK=y\n"
                                 "CONFIG_FUSION_IO_CHECK=y\n# CONFIG_EEH is not set\n")
    assert not bench() and not lines()
    (obj / "vmlinux").write_text("image")
    assert not bench() and not bench("--lint")
    found = matrix.cells(lines())
    for driver, dead in (("registers", "built only"), ("fusion", "built only"),
                         ("sym53c8xx", "no")):
        assert found["6.1", "-", "ia64", driver]["dead"] == dead
        assert found["6.1", "-", "ia64", driver]["eeh"] == "no"
    assert {line.sha256 for line in lines()} == {results.digest([obj / "vmlinux"])}
    # of a machine that met something, what it has not met is no more than that
    obj.rename(paths.object_dir(BASE, "patched", "ppc64", "on")
               if BASE == "6.1" else obj.parent / "O.ppc64.on")
    record()
    assert not bench()
    found = matrix.cells(lines())
    assert found[ROW]["exception"] == "no"
    assert found["6.1", "powernv8", "ppc64", "registers"]["exception"] == "built only"


@pytest.mark.parametrize("end,passes", [
    ("", True), ("    assert False\n", False), ("    sys.exit('killed')\n", False),
    ("    os._exit(1)\n", False)], ids=["passed", "failed", "ended", "killed"])
def test_only_who_passes(bench, tmp_path, end, passes):
    """A test that does not pass takes its earlier success away."""
    path, ktap = record(test="test_made_up.py::test_it")
    (tmp_path / "test_made_up.py").write_text(
        "import os, pathlib, sys\nfrom harness import paths\n"
        f"paths.BUILD = pathlib.Path({str(tmp_path)!r})\n"
        f"def test_it(seen):\n    seen.cell(*{CELL!r}, pathlib.Path({str(ktap)!r}))\n{end}")
    env = {**os.environ, "PYTHONPATH": f"{paths.QEMU}:{paths.QEMU}/tests", "BENCH_BASE": BASE,
           "BENCH_TARGET": ""}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "conftest",
         "--rootdir", tmp_path, tmp_path / "test_made_up.py"], env=env,
        capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout
    seen = json.loads(path.read_text())
    assert seen["passed"] == passes and len(seen["cells"]) == passes


def test_says_nothing_red(bench):
    """A test that passes, and has nothing to show, does not."""
    with pytest.raises(AssertionError):
        Seen(TEST, BASE).passed()
