# SPDX-License-Identifier: GPL-2.0
"""A git repository of the series on a base."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from .base import note, package, vanilla_tree, versions
from .files import BUILD, TOP, Error, Misfit, applied, by_file, git, scratch
from .patch import read_series


class Repo:
    """A git repository of touched files: the base, then a commit a patch."""

    def __init__(self, base, read_base, topics=None, strict=True, directory=None):
        """read_base(path) returns the bytes of the base's file, or None.

        topics are those of the patches, the last of which names the directory; all of
        them if None.  Unless strict, hunks that do not apply are in rejects, {(patch, file):
        hunks}, and the others are applied.
        """
        self.base, self.strict, self.rejects = base, strict, {}
        self.patches = read_series(base, topics)
        place = directory or BUILD / base / (f"{topics[-1]}.git" if topics else "series.git")
        place.parent.mkdir(parents=True, exist_ok=True)
        self.dir = Path(tempfile.mkdtemp(prefix=f"{place.name}.", dir=place.parent))
        try:
            git("init", "-q", "--bare", "-b", "series", self.dir)
            self.commits = []
            self.head = self._base_commit(read_base)
            for patch in self.patches:
                self.head = self._commit(patch)
                self.commits.append(self.head)
            git("update-ref", "refs/heads/series", self.head, cwd=self.dir)
            self._put(place)
        finally:
            if self.dir != place:
                shutil.rmtree(self.dir)

    def _put(self, place):
        """Into its place, unless the same is there: make lint reads it without the lock."""
        ref = place / "refs/heads/series"
        if ref.is_file() and ref.read_text().strip() == self.head:
            shutil.rmtree(self.dir)
        else:
            shutil.rmtree(place, ignore_errors=True)
            self.dir.rename(place)
        self.dir = place

    def _base_commit(self, read_base):
        self.root_files = set()
        listing = b""
        for path in sorted({t for p in self.patches for t in p.touches}):
            data = read_base(path)
            if data is None and not self.strict:
                continue
            if data is None:
                raise self._misfit(next(p for p in self.patches
                                        if path in p.touches),
                                   [f"{path}: the base has no such file"])
            blob = git("hash-object", "-w", "--stdin", cwd=self.dir, stdin=data)
            self.root_files.add(path)
            listing += b"100644 %s\t%s\n" % (blob.strip(), path.encode())
        git("update-index", "--index-info", cwd=self.dir, stdin=listing)
        version = package(self.base)[0] or "unknown"
        return self._write("Linux %s (Debian %s)" % (self.base, version), [], {
            "GIT_AUTHOR_NAME": "base", "GIT_AUTHOR_EMAIL": "base",
            "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z"})

    def _write(self, message, parents, who):
        who = {**who, **{k.replace("AUTHOR", "COMMITTER"): v
                         for k, v in who.items()}}
        tree = git("write-tree", cwd=self.dir).decode().strip()
        args = [a for p in parents for a in ("-p", p)]
        return git("commit-tree", tree, *args, cwd=self.dir, env=who,
                   stdin=message.encode()).decode().strip()

    def _commit(self, patch):
        info = git("mailinfo", "msg", "patch", cwd=scratch().name,
                   stdin=(TOP / patch.path).read_bytes()).decode()
        message = Path(scratch().name, "msg").read_text()
        field = dict(line.split(": ", 1) for line in info.splitlines() if line)
        for want in ("Author", "Email", "Subject", "Date"):
            if want not in field:
                raise Error(f"{patch.path}: mail header lacks {want}")
        if self.strict and patch.stale:
            raise self._misfit(patch, patch.stale)
        self._apply(patch, patch.hunks)
        listing = b""
        for path in patch.adds:
            if not (TOP / path).is_file():
                raise Error(f"{patch.path}: Adds: {path}: no such file")
        if patch.adds:
            blobs = git("hash-object", "-w", *[TOP / path for path in patch.adds],
                        cwd=self.dir).split()
            for path, blob in zip(patch.adds, blobs, strict=True):
                mode = b"100755" if os.access(TOP / path, os.X_OK) else b"100644"
                listing += b"%s %s\t%s\n" % (mode, blob, path.encode())
            git("update-index", "--index-info", cwd=self.dir, stdin=listing)
        self._apply(patch, patch.late)
        return self._write(field["Subject"] + "\n\n" + message, [self.head], {
            "GIT_AUTHOR_NAME": field["Author"],
            "GIT_AUTHOR_EMAIL": field["Email"],
            "GIT_AUTHOR_DATE": field["Date"]})

    def _apply(self, patch, hunks):
        if not hunks:
            return
        try:
            git("apply", "--cached", "--whitespace=nowarn", "-",
                cwd=self.dir, stdin=hunks.encode())
        except Error as e:
            if self.strict:
                raise self._misfit(patch, self._rejected(hunks) or [e]) from None
            for path, part in by_file(hunks).items():
                self._apply_in_part(patch, path, part)

    def _misfit(self, patch, reasons):
        """The Misfit of a patch that does not apply to this version of the base."""
        return Misfit(patch.path, "\n".join([
            f"{patch.path} does not apply", *map(str, reasons), versions(self.base),
            f"remedy: make tree BASE={self.base}, resolve, "
            f"make refresh BASE={self.base}"]))

    def _rejected(self, hunks):
        """["FILE: hunk N of M: its @@ line"] of those that do not apply."""
        found = []
        for path, part in by_file(hunks).items():
            heads = re.findall(r"^@@ .*$", part, re.M)
            rejects = applied(part, path, git("show", f":{path}", cwd=self.dir))[1]
            found += [f"{path}: hunk {heads.index(head) + 1} of {len(heads)}: {head}"
                      for head in re.findall(r"^@@ .*$", rejects, re.M)]
        return found

    def _apply_in_part(self, patch, path, hunks):
        """Apply the hunks that fit; the others go to self.rejects."""
        try:
            old = git("show", f":{path}", cwd=self.dir)
        except Error:
            self.rejects[patch.path, path] = hunks
            return
        new, rejected = applied(hunks, path, old)
        blob = git("hash-object", "-w", "--stdin", cwd=self.dir, stdin=new)
        git("update-index", "--cacheinfo", f"100644,{blob.decode().strip()},{path}",
            cwd=self.dir)
        if rejected:
            self.rejects[patch.path, path] = rejected

    @staticmethod
    def listing(directory, commit):
        """{path: (mode, blob)} of a commit."""
        out = git("ls-tree", "-r", commit, cwd=directory).decode()
        return {line.split("\t")[1]: tuple(line.split()[0:3:2])
                for line in out.splitlines()}

    def expand(self, dest, commit, vanilla):
        """Make dest, a copy of vanilla, hold commit's files.

        Files that are right already keep their time stamps; files touched
        by an earlier state of the series go back to vanilla.
        """
        want = self.listing(self.dir, commit)
        record = dest / ".series-files"
        before = record.read_text().split("\n") if record.is_file() else []
        for path in sorted(set(before) | set(want) - {""}):
            if not path:
                continue
            file = dest / path
            if path in want:
                mode, blob = want[path]
                data = git("cat-file", "blob", blob, cwd=self.dir)
            elif (vanilla / path).is_file():
                mode, data = "100644", (vanilla / path).read_bytes()
            else:
                file.unlink(missing_ok=True)
                continue
            if file.is_file() and file.read_bytes() == data:
                continue
            file.unlink(missing_ok=True)     # the copy is of hard links
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if mode == "100755" else 0o644)
        record.write_text("\n".join(want))


def reader(tree):
    """Function that returns the bytes of a tree's file, or None."""
    def read(path):
        file = tree / path
        return file.read_bytes() if file.is_file() else None
    return read


def repo_on_tree(base, topics=None, strict=True):
    """(Repo, tree): the series, or some topics of it, on the unpacked base."""
    tree = vanilla_tree(base)
    note(base)
    return Repo(base, reader(tree), topics, strict), tree
