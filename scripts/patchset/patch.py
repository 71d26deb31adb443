# SPDX-License-Identifier: GPL-2.0
"""The lines of `series` and `bases`, and the patch files."""

import hashlib
import re
from pathlib import Path

from .files import TOP, Error, by_file


def overrides(path):
    """The files with the hunks that bases, and those after them, have instead of a
    patch's, by base."""
    return {base: Path(path).parent / base / Path(path).name for base in bases()}


def each_hunk(text):
    """{name: hunk} of a file's part of a diff.

    A hunk's name is a digest of the lines that it takes out and puts in: it does not
    change with the hunks before it, or with the base.
    """
    found = {}
    for hunk in re.split(r"^(?=@@ )", text, flags=re.M)[1:]:
        lines = "\n".join(changes(hunk))
        name = hashlib.sha1(lines.encode()).hexdigest()[:8]
        while name in found:
            name += "+"
        found[name] = hunk
    return found


def changes(hunks):
    """The lines that hunks take out and put in."""
    return re.findall(r"^[-+](?!-- |\+\+ ).*", hunks, re.M)


def code_lines(text):
    """How many lines of code a diff changes: tests, documents, comments and empty lines
    apart."""
    count = 0
    for path, part in by_file(text).items():
        if re.match(r"Documentation/|tools/|.*(/tests/|kunit)", path):
            continue
        for sign in "+-":
            lines = "\n".join(line[1:] for line in changes(part) if line[0] == sign)
            lines = re.sub(r"(?s:/\*.*?\*/)|^//.*", "", lines, flags=re.M)
            count += sum(bool(line.strip()) for line in lines.split("\n"))
    return count


def replaced(hunks, own):
    """(hunks, names): the hunks of a file with those of an override in place of all of
    them, or of those that its line "hunks NAME..." names; and the names of none."""
    mark = re.search(r"^hunks(.*)$", own, re.M)
    if not mark:
        return own, []
    found = each_hunk(hunks)
    leave = mark[1].split()
    kept = [hunk for name, hunk in found.items() if name not in leave]
    return "".join([hunks.split("@@ ", 1)[0], *kept, *each_hunk(own).values()]), [
        name for name in leave if name not in found]


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
        # overrides of hunks that are no more
        self.stale = []
        # what a base has instead holds for those after it
        self.inherited = dict(self.main)
        for earlier, own in overrides(path).items():
            self.own = TOP / own
            if earlier == base:
                break
            self.inherited = self.with_own()
        hunks = {f: h for f, h in self.with_own().items() if "\n@@ " in h}
        # of what the patch adds; after that
        self.late = "".join(h for f, h in hunks.items() if f in self.adds)
        self.hunks = "".join(h for f, h in hunks.items() if f not in self.adds)
        self.touches = sorted(f for f in hunks if f not in self.adds)

    def with_own(self):
        """{file: hunks} of what is inherited and of the overrides in self.own."""
        found = dict(self.inherited)
        for path, part in self.parts(self.own).items():
            found[path], gone = replaced(found.get(path, ""), part)
            self.stale += [f"{self.own.relative_to(TOP)}: {path}: no hunk {name} is left "
                           "to stand in for" for name in gone]
        return found

    @staticmethod
    def parts(file):
        """{file: hunks} of what a base has instead."""
        return by_file(Patch.split(file.read_text())[1]) if file.is_file() else {}

    @staticmethod
    def split(text):
        """Return what stands before the first hunk, and the hunks."""
        at = re.search(r"^diff --git ", text, re.M)
        return (text[:at.start()], text[at.start():]) if at else (text, "")

    def text(self, hunks):
        """The patch file with the given hunks, as refresh writes it."""
        claims = "".join(f"Adds: {a}\n" for a in self.adds)
        return f"{self.header}\n---\n{claims}" + ("\n" + hunks if hunks else "")


def fields():
    """The fields of each line of `bases`."""
    lines = (TOP / "bases").read_text().splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def bases():
    """{base: package version it was last refreshed on} from `bases`."""
    return {base: version for base, version, *_ in fields()}


def suite(base):
    """The suite of Debian that a base is from; None if it is this machine's own."""
    return next((rest[0] for name, _, *rest in fields() if name == base and rest), None)


def guards(line):
    """(path or "", the bases that it is for, topic or None) of a line of `series`."""
    path, *marks = (part.strip() for part in line.split("#"))
    mine = [m[5:].split() for m in marks if m.startswith("base:")]
    topic = next((m[6:].strip() for m in marks if m.startswith("topic:")), None)
    return path, [b for b in bases() if all(b in m for m in mine)], topic


def read_series(base, topics=None):
    """The patches of `series` that apply to base, in order; of some topics, or all."""
    patches = []
    for line in (TOP / "series").read_text().splitlines():
        path, wanted, topic = guards(line)
        if path and base in wanted and (topics is None or topic in topics):
            patches.append(Patch(path, base))
            patches[-1].home, patches[-1].topic = wanted[0], topic
    return patches
