# SPDX-License-Identifier: GPL-2.0
"""What an ordinary user reads where packages are missing."""

import os
import re
import subprocess

import pytest

from harness import paths

TABLE = [line.split() for line in (paths.TOP / "scripts/packages").read_text().splitlines()
         if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("goals, sets", [
    (["check"], {"lint", "build", "qemu", "report", "6.1", "7.2", "aarch64"}),
    (["lint", "BASE=6.12"], {"lint", "6.12"}),
    (["demo", "ARCH=arm64"], {"lint", "build", "qemu", "report", "aarch64"})])
def test_named_at_once(tmp_path, goals, sets):
    """One remedy has the packages of all steps, and nothing is begun."""
    for name, text in (("id", "echo 1000"), ("dpkg-query", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("MAKE", "MFLAGS", "BENCH"))}
    # the run that this test is a part of keeps its own start
    started = paths.BUILD / "times.start"
    before = started.stat().st_mtime_ns if started.is_file() else None
    run = subprocess.run(["make", "-C", paths.TOP, "-o", "times", *goals],
                         capture_output=True, text=True,
                         env={**env, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert run.returncode != 0
    assert before == (started.stat().st_mtime_ns if started.is_file() else None)
    said = re.findall(r"^setup: missing packages: (.*)\nsetup: remedy: "
                      r"sudo scripts/setup\.sh (.*)$", run.stderr, re.M)
    assert len(said) == 1 and run.stderr.count("remedy") == 1, run.stderr
    packages, named = (set(words.split()) for words in said[0])
    assert sets <= named
    assert packages == {row[1] for row in TABLE
                        if row[0] in named and not row[1].startswith("src:")}
    assert not re.search(r"^  [A-Z]", run.stdout, re.M)
