# SPDX-License-Identifier: GPL-2.0
"""What tests saw of the fault matrix, for matrix.py."""

import json
import os
import re

from . import ktap as lines
from . import paths, results


class Seen:
    """What a test saw: cells of the fault matrix, each with its KTAP files.

    The record is a file in build/results/seen, one for each test and base.  It says
    that the test failed until passed() is called: a success that was before does not
    outlive a failure.
    """

    def __init__(self, test: str, base: str):
        """test is the test's name, base the kernel's."""
        self.test, self.base, self.cells = test, base, []
        name = re.sub(r"[^\w.]+", "-", f"{base} {test}").strip("-")
        self.path = paths.BUILD / "results/seen" / f"{name}.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.write(False)

    def write(self, passed: bool) -> None:
        """Write the record."""
        self.path.write_text(json.dumps({
            "base": self.base, "test": self.test, "passed": passed,
            "cells": self.cells if passed else []}, indent=1) + "\n")

    def cell(self, machine: str, arch: str, driver: str, kind: str, *ktaps) -> None:
        """A fault of a kind (matrix.KINDS) was met on a machine by a driver; the KTAP
        files are below build/."""
        self.cells.append({
            "machine": machine, "arch": arch, "driver": driver, "kind": kind,
            "ktap": [os.path.relpath(ktap, paths.BUILD) for ktap in ktaps],
            "sha256": results.digest(ktaps), "figures": lines.figures(*ktaps)})

    def passed(self) -> None:
        """The test passed; to be called at its end."""
        assert self.cells, f"{self.test} passed, and has seen nothing"
        self.write(True)
