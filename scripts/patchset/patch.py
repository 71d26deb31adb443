# SPDX-License-Identifier: GPL-2.0
"""The lines of `series` and `bases`, and the patch files."""

import re

from .files import TOP, Error, by_file


class Patch:
    """One line of `series`: its header, claimed files and hunks."""

    def __init__(self, path, base):
        self.path = path
        self.base = base
        file = TOP / path
        if not file.is_file():
            raise Error(f"series names {path}, which does not exist")
        text = file.read_text()
        if "\n---\n" not in text:
            raise Error(f"{path}: no '---' line after the message")
        self.header, rest = text.split("\n---\n", 1)
        claims, self.hunks = self.split(rest)
        self.adds = re.findall(r"^Adds: (\S+)$", claims, re.M)
        self.main = by_file(self.hunks)
        self.own = file.parent / base / file.name
        own = (by_file(self.split(self.own.read_text())[1])
               if self.own.is_file() else {})
        # of what the patch adds; after that
        self.late = "".join(h for f, h in own.items() if f in self.adds)
        hunks = {f: h for f, h in {**self.main, **own}.items()
                 if f not in self.adds and "\n@@ " in h}
        self.hunks = "".join(hunks.values())
        self.touches = sorted(hunks)

    @staticmethod
    def split(text):
        """Return what stands before the first hunk, and the hunks."""
        at = re.search(r"^diff --git ", text, re.M)
        return (text[:at.start()], text[at.start():]) if at else (text, "")

    def text(self, hunks):
        """The patch file with the given hunks, as refresh writes it."""
        claims = "".join(f"Adds: {a}\n" for a in self.adds)
        return f"{self.header}\n---\n{claims}" + ("\n" + hunks if hunks else "")


def bases():
    """{base: package version it was last refreshed on} from `bases`."""
    lines = (TOP / "bases").read_text().splitlines()
    return dict(line.split()[:2] for line in lines
                if line.strip() and not line.startswith("#"))


def read_series(base, topics=None):
    """The patches of `series` that apply to base, in order; of some topics, or all."""
    patches = []
    for line in (TOP / "series").read_text().splitlines():
        name, *guards = (part.strip() for part in line.split("#"))
        wanted = [b for b in bases() if all(
            b in g[5:].split() for g in guards if g.startswith("base:"))]
        if not name or base not in wanted:
            continue
        topic = next((g[6:].strip() for g in guards if g.startswith("topic:")), None)
        if topics is None or topic in topics:
            patches.append(Patch(name, base))
            patches[-1].home, patches[-1].topic = wanted[0], topic
    return patches
