# SPDX-License-Identifier: GPL-2.0
"""Directories, git, and differences between files."""

import functools
import os
import re
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUILD = TOP / "build"


class Error(Exception):
    """A fault in the series or in how it was called; str() is the report."""


class Misfit(Error):
    """A patch, by its path, that does not apply."""

    def __init__(self, patch, text):
        super().__init__(text)
        self.patch = patch


def git(*args, cwd=None, stdin=None, env=None):
    """Run git and return its output; raise Error with git's own words."""
    run = subprocess.run(["git", *map(str, args)], cwd=cwd, input=stdin,
                         capture_output=True, env={**os.environ, **(env or {})})
    if run.returncode:
        raise Error(f"git {args[0]}: " + run.stderr.decode().strip())
    return run.stdout


def by_file(hunks):
    """{path: its part} of a diff."""
    return {re.match(r"diff --git a/(\S+) b/", part)[1]: part
            for part in re.split(r"^(?=diff --git )", hunks, flags=re.M) if part}


@functools.cache
def scratch():
    """A directory of this process, which stays for the next call."""
    return tempfile.TemporaryDirectory()


def scratched(path, data):
    """Write a file of the scratch directory; return it."""
    file = Path(scratch().name, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def diff(path, old, new):
    """Hunks that make new of a file's bytes old."""
    files = [scratched(f"{side}/{path}", data) for side, data in (("a", old), ("b", new))]
    run = subprocess.run(["git", "diff", "--no-index", "--no-color",
                          "--no-ext-diff", "--no-prefix", f"a/{path}",
                          f"b/{path}"], cwd=scratch().name, capture_output=True, text=True)
    for file in files:
        file.unlink()
    return re.sub(r"^index .*\n", "", run.stdout, flags=re.M)


def applied(hunks, path, old):
    """(file, rejects): what hunks make of a file's bytes, and those that do not fit."""
    file = scratched(path, old)
    subprocess.run(["git", "apply", "--reject", "--whitespace=nowarn", "-"],
                   cwd=scratch().name, input=hunks.encode(), capture_output=True)
    rejects = Path(f"{file}.rej")
    made = file.read_bytes(), rejects.read_text() if rejects.is_file() else ""
    for left in file, rejects:
        left.unlink(missing_ok=True)
    return made


def slug(subject):
    """A subject as a file name, in git format-patch's manner."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", subject).strip("-.")[:52].rstrip("-.")
