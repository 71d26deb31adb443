# SPDX-License-Identifier: GPL-2.0
"""The patch series: applied, checked, exported and refreshed.

`series` names patches in mail format, in order; a trailing "# base: 6.1 6.12"
keeps a patch to those bases, "# topic: NAME" names the part of cover-letters that
it belongs to.  A patch holds hunks for files that the base has.  Files it adds
stand in this repository at their kernel path and are claimed after its "---" by
"Adds: PATH" lines.  A patch is written on its home, the first of `bases` that it
applies to.  For a base after that, BASE/NAME.patch beside it has other hunks for the
files that it names, instead of those on its line "hunks NAME..."; a NAME is a digest of
the lines that a hunk changes.  They hold for the bases after it, too.  Such a file also
has hunks for files that the patch adds, and for files that only that base has; there is
nothing that they stand in for.

A base with a suite in `bases` is unpacked from that suite's package, which setup.sh
fetches; the others are installed packages.

Debian moves a base with every point release.  On another version than the one
in `bases` a hunk may apply at an offset, not with fuzz, and what refresh would
write is not compared; refresh records the version that it wrote for.

Only the files that the series touches are put under git: a repository with
one commit a patch, dated as the patch is, so that hashes repeat.
"""

from . import check, places
from .base import clone_tree, package
from .files import applied, by_file, diff, git
from .patch import bases, code_lines, each_hunk, read_series, suite
from .repo import repo_on_tree

__all__ = ["applied", "bases", "by_file", "check", "clone_tree", "code_lines", "diff",
           "each_hunk", "git", "package", "places", "read_series", "repo_on_tree", "suite"]
