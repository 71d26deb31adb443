# SPDX-License-Identifier: GPL-2.0
"""Shards of make check-all, and what several checkouts have found as one.  Nothing is
booted: results and KTAP files are made up."""

import json
import os
import subprocess
import sys

import pytest

import matrix
from common import BASE
from harness import paths, results, shards
from harness.document import Error
from test_matrix import CELL, KTAP

TESTS = [f"test_check.py::test_suites[{i}]" for i in range(5)]


@pytest.mark.parametrize("n", (1, 2, 7, 16))
def test_shards(n):
    """Each test is in one shard; a shard that does not exist is refused."""
    for count in (1, 16, 847):
        parts = [range(*shards.part(count, f"{k}/{n}")) for k in range(1, n + 1)]
        assert [test for part in parts for test in part] == list(range(count))
    for wrong in (f"0/{n}", f"{n + 1}/{n}", f"{n}", "", "1/0", "-1/2"):
        with pytest.raises(ValueError, match="it is K/N"):
            shards.part(9, wrong)


def seal(file, **changes):
    """Write a result with changes, and a checksum that is right."""
    result = {**json.loads(file.read_text()), **changes}
    file.write_text(json.dumps({**result, "sha256": results.checksum(result)}))


@pytest.fixture
def checkouts(tmp_path, monkeypatch):
    """Build directories of two shards, with a record of the first test of each and a boot
    of the same name; the merged one is empty.  Returns [(directory, its result)]."""
    there = []
    for k in (1, 2):
        build = tmp_path / f"{k}"
        first, last = shards.part(len(TESTS), f"{k}/2")
        file = build / f"results/check-all-{k}of2-{BASE}.json"
        ktap = build / f"{BASE}/check/results.ktap"
        for path in (file, ktap, build / "results/seen/a"):
            path.parent.mkdir(parents=True, exist_ok=True)
        ktap.write_text(KTAP + f"# of shard {k}\n")
        test = TESTS[first]
        (build / f"results/seen/{k}.json").write_text(json.dumps({
            "base": BASE, "test": test, "passed": True, "cells": [{
                **dict(zip(("machine", "arch", "driver", "kind"), CELL)),
                "ktap": [str(ktap.relative_to(build))], "sha256": results.digest([ktap]),
                "figures": {"detected": 7, "wrong": 0}}]}))
        file.write_text("{}")
        seal(file, ok=True, about={"base": BASE, "version": "v", "series": "s",
                                   "date": f"2026-01-0{k}", "shard": f"{k}/2"},
             passed=last - first, failed=0, error=0, skipped=0, collected=len(TESTS),
             tests=dict.fromkeys(TESTS[first:last], "passed"))
        there.append((build, file))
    here = tmp_path / "here"
    (here / "results").mkdir(parents=True)
    monkeypatch.setattr(paths, "BUILD", here)
    return there


def test_merge(checkouts):
    """Two shards are one run: counts, tests and the matrix; again it is the same."""
    sources = [build for build, _ in checkouts]
    for order in (sources, sources[::-1], sources):
        shards.merge(order)
        whole = json.loads((paths.BUILD / f"results/check-all-{BASE}.json").read_text())
        assert whole["ok"] and whole["passed"] == 5 and whole["about"]["shard"] == "all of 2"
        assert list(whole["tests"]) == TESTS and whole["sha256"] == results.checksum(whole)
        lines = matrix.update([])
        assert [line.test for line in lines] == [TESTS[0], TESTS[2]]
        # each with its own boot's KTAP
        assert len({line.sha256 for line in lines}) == 2


def test_merge_fails(checkouts):
    """A shard that failed is a run that failed."""
    build, file = checkouts[1]
    tests = json.loads(file.read_text())["tests"]
    seal(file, ok=False, failed=1, passed=2, tests={**tests, TESTS[4]: "failed"})
    shards.merge([build for build, _ in checkouts])
    whole = json.loads((paths.BUILD / f"results/check-all-{BASE}.json").read_text())
    assert not whole["ok"] and (whole["passed"], whole["failed"]) == (4, 1)


def remove(build, file):
    """The KTAP of a boot is gone."""
    (build / f"{BASE}/check/results.ktap").unlink()


def change(build, file):
    """The KTAP of a boot is another one."""
    (build / f"{BASE}/check/results.ktap").write_text(KTAP)


@pytest.mark.parametrize("spoil,says", [
    (lambda build, file: file.unlink(), "no result of a shard in"),
    (lambda build, file: file.write_text(file.read_text().replace("passed", "failed")),
     "was changed"),
    (lambda build, file: seal(file, about={
        **json.loads(file.read_text())["about"], "series": "other"}), "of series other"),
    (lambda build, file: seal(file, about={
        **json.loads(file.read_text())["about"], "shard": "2/3"}), "shard 2/3, beside 1/2"),
    (lambda build, file: seal(file, about={
        **json.loads(file.read_text())["about"], "shard": "1/2"}), "shard 1/2 is in"),
    (lambda build, file: seal(file, collected=6), "6 tests in all, beside 5"),
    (lambda build, file: seal(file, tests={TESTS[3]: "passed"}), "has run 1 of its 3"),
    (lambda build, file: seal(file, tests=dict.fromkeys(TESTS[1:4], "passed")),
     "is in 2 shards"),
    (remove, "no "), (change, "not the KTAP that the test saw")],
    ids=["no-result", "changed", "other-series", "other-n", "twice", "other-count", "cut",
         "overlap", "no-ktap", "other-ktap"])
def test_merge_refused(checkouts, spoil, says):
    """What does not fit together is named, and nothing is written."""
    spoil(*checkouts[1])
    with pytest.raises(Error, match=says):
        shards.merge([build for build, _ in checkouts])
    assert [path for path in paths.BUILD.rglob("*") if path.is_file()] == []


def test_missing_shard(checkouts):
    """A shard that is missing is named."""
    with pytest.raises(Error, match=f"check-all on {BASE}: no shard 2/2"):
        shards.merge([checkouts[0][0]])


def test_shard_says_what_ran(tmp_path):
    """A run's result has its tests with their outcomes, and how many there are in all."""
    (tmp_path / "test_made_up.py").write_text(
        "import pytest\n"
        f"from harness import paths\npaths.BUILD = type(paths.BUILD)({str(tmp_path)!r})\n"
        "@pytest.fixture\ndef bad():\n    yield\n    assert False\n"
        "def test_a():\n    pass\ndef test_b():\n    pytest.skip('so')\n"
        "def test_c():\n    assert False\ndef test_d(bad):\n    pass\ndef test_e():\n    pass\n")
    env = {**os.environ, "PYTHONPATH": f"{paths.QEMU}:{paths.QEMU}/tests",
           "BENCH_BASE": BASE, "BENCH_TARGET": "check-all", "BENCH_SHARD": "1/1"}
    for shard, outcomes in (("1/2", "passed skipped"), ("2/2", "failed failed passed")):
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
                        "conftest", "--rootdir", tmp_path, tmp_path / "test_made_up.py"],
                       env={**env, "BENCH_SHARD": shard}, capture_output=True)
        found = json.loads((tmp_path / "results" / (
            f"check-all-{shard.replace('/', 'of')}-{BASE}.json")).read_text())
        assert " ".join(found["tests"].values()) == outcomes
        assert found["collected"] == 5 and found["about"]["shard"] == shard
        assert found["ok"] == ("failed" not in outcomes)
