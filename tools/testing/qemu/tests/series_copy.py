# SPDX-License-Identifier: GPL-2.0
"""A copy of this repository on sources of its own, for tests of the series' tools.

The copy does not know that it is tried: a dpkg-query before the real one in PATH
says which version of the base it has, and where its tarball is.
"""

import os
import shutil
import subprocess

from common import series
from harness import paths


class SeriesCopy:
    """The copy, in build/NAME; run() and tool() run commands of its own."""

    def __init__(self, name):
        self.dir = paths.BUILD / name
        self.shim = self.dir / "build/bin/dpkg-query"
        self.cases = ""
        shutil.rmtree(self.dir, ignore_errors=True)
        for path in series.git("ls-files", "-co", "--exclude-standard",
                               cwd=paths.TOP).decode().split():
            if (paths.TOP / path).is_file():
                (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(paths.TOP / path, self.dir / path)

    def trees(self, base):
        """Where the copy has the trees of a base."""
        return self.dir / "build" / base

    def base(self, base, version, files, suite=None):
        """Give the copy a base, maybe of a suite: {path: text} of the files that patches
        touch.

        It has no other.
        """
        for path, text in files.items():
            self.write(self.trees(base) / "vanilla" / path, text)
        self.write(self.trees(base) / "vanilla/.unpacked", version)
        if suite:
            there = self.dir / "build/dl" / suite
            self.write(there / "version", f"{version}\n")
            self.write(there / f"usr/src/linux-source-{base}.tar.xz", "")
            return
        self.cases += (f"*linux-source-{base})\n\tprintf '%s\\n' '{version}' "
                       f"'{self.dir}/build/linux-source-{base}.tar'; exit ;;\n")
        self.write(self.shim, f"#!/bin/sh\ncase $* in {self.cases}*linux-source-*) exit 1 ;;\nesac\n"
                   f"exec {shutil.which('dpkg-query')} \"$@\"\n")
        self.shim.chmod(0o755)

    def commit(self):
        """Put the copy's files under git, as they are."""
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "copy"]):
            self.run("git", *command)

    def run(self, *command, fails=False, cwd=None, **env):
        """Run a command in the copy; return what it prints."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "CI"))}
        done = subprocess.run(
            command, cwd=cwd or self.dir, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**kept, "PATH": f"{self.shim.parent}:{os.environ['PATH']}",
                 **{f"GIT_{who}_{what}": "check" for who in ("AUTHOR", "COMMITTER")
                    for what in ("NAME", "EMAIL")}, **env})
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    def tool(self, *args, **how):
        """Run the copy's series.py."""
        return self.run("scripts/series.py", *args, **how)

    def edits(self):
        """What has changed in the copy."""
        return self.run("git", "status", "--porcelain", "-uall")

    @staticmethod
    def write(path, text):
        """Write a file that may have other links."""
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
