# SPDX-License-Identifier: GPL-2.0
"""The patch series: applied, checked, exported and refreshed.

`series` names patches in mail format, in order; a trailing "# base: 6.1 6.12"
keeps a patch to those bases, "# topic: NAME" names the part of cover-letters that
it belongs to.  A patch holds hunks for files that the base has.  Files it adds
stand in this repository at their kernel path and are claimed after its "---" by
"Adds: PATH" lines.  A patch is written on its home, the first of `bases` that it
applies to.  For another base, BASE/NAME.patch beside it replaces the hunks of the
files that it names, and changes files that the patch adds.

Debian moves a base with every point release.  On another version than the one
in `bases` a hunk may apply at an offset, not with fuzz, and what refresh would
write is not compared; refresh records the version that it wrote for.

Only the files that the series touches are put under git: a repository with
one commit a patch, dated as the patch is, so that hashes repeat.
"""

from .base import clone_tree, package
from .files import applied, by_file, diff, git
from .patch import bases, read_series
from .repo import repo_on_tree

__all__ = ["applied", "bases", "by_file", "clone_tree", "diff", "git", "package",
           "read_series", "repo_on_tree"]
