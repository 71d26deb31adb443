# SPDX-License-Identifier: GPL-2.0
"""The way back: what was done in a tree becomes patches, files and `series`.

Nothing is lost without a word: the files that are written have to give the trees of
the commits again, or all of them are put back as they were.
"""

import functools
import os
import re
from pathlib import Path

from . import tree
from .base import has_moved, package, vanilla_tree
from .files import TOP, Error, Misfit, applied, diff, git, slug
from .patch import (Patch, bases, changes, each_hunk, guards, overrides, read_series,
                    replaced)
from .repo import Repo, reader, repo_on_tree


class Edits:
    """Edits of this repository's files that can be undone."""

    def __init__(self):
        self.before = {}

    @staticmethod
    def state(path):
        """(bytes, mode) of a file, or None."""
        file = TOP / path
        return (file.read_bytes(), file.stat().st_mode & 0o777) if file.is_file() else None

    def put(self, path, data, mode=None):
        """Write data, or remove the file if that is None."""
        path, had = str(path), self.state(path)
        mode = mode or (had[1] if had else 0o644)
        want = None if data is None else (data, mode)
        if had == want:
            return
        self.before.setdefault(path, had)
        self.write(path, want)

    @staticmethod
    def write(path, state):
        """Bring a file to a state()."""
        file = TOP / path
        if state is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(state[0])
        file.chmod(state[1])

    def undo(self):
        """Put all files back."""
        for path, had in self.before.items():
            self.write(path, had)

    def tell(self):
        """Print what was done to which file."""
        for path, had in sorted(self.before.items()):
            now = self.state(path)
            if now != had:
                print(f"  {'ADD' if not had else 'REFRESH' if now else 'REMOVE':7} {path}")


def instead(path, names, hunks=()):
    """An override: the hunks of a file in place of the inherited ones of those names."""
    return "".join([f"diff --git a/{path} b/{path}\nhunks {' '.join(names)}\n", *hunks])


def override(inherited, path, old, new):
    """What a base has instead of inherited hunks that do not make new of old: those
    alone that it has with other lines or in another place, or all of the file's.
    Each of those is named, and one that changes later is missed by its name."""
    whole = diff(path, old, new)
    theirs, mine = each_hunk(inherited), each_hunk(whole)
    rejects = re.findall(r"^@@ .*$", applied(inherited, path, old)[1], re.M)
    same = {name for name, hunk in theirs.items()
            if name in mine and hunk.split("\n")[0] not in rejects}
    for kept in same, set():
        part = instead(path, [n for n in theirs if n not in kept],
                       [hunk for name, hunk in mine.items() if name not in kept])
        if theirs and applied(replaced(inherited, part)[0], path, old) == (new, ""):
            return part
    return whole


def rewritten(base, cwd, vanilla, commits):
    """{path in this repository: bytes, or None if it is not to be} of commits.

    commits are (commit, its Patch) in order, in the git directory or work tree
    cwd; the base's side of a file that was not touched so far comes from vanilla.
    """
    @functools.cache
    def blob(name):
        return git("cat-file", "blob", name, cwd=cwd)

    def content(files, path):
        if path in files:
            return blob(files[path][1])
        file = vanilla / path
        return file.read_bytes() if file.is_file() else None

    previous = Repo.listing(cwd, tree.root(cwd, commits[-1][0]))
    writes, owner = {}, {}
    for commit, patch in commits:
        files = Repo.listing(cwd, commit)
        changed = {path for path, _ in previous.items() ^ files.items()}
        home, own, patch.adds = {}, {}, []
        for path in sorted(changed):
            old, new = content(previous, path), content(files, path)
            if path in owner:
                raise Error(f"{path}, added by {owner[path]}, is changed by "
                            f"{patch.path}\nremedy: move the change there")
            if old is None:
                owner[path] = patch.path
                patch.adds.append(path)
                here = (TOP / path).read_bytes() if (TOP / path).is_file() else new
                if patch.home == base:
                    writes[path] = new
                elif applied(patch.inherited.get(path, ""), path, here)[0] != new:
                    own[path] = override(patch.inherited.get(path, ""), path, here, new)
            elif patch.home == base:
                home[path] = diff(path, old, new)
            elif (path not in patch.inherited or
                  applied(patch.inherited[path], path, old) != (new, "")):
                own[path] = override(patch.inherited.get(path, ""), path, old, new)
        if patch.home == base:
            writes[patch.path] = patch.text("".join(home.values())).encode()
        else:
            own.update({path: instead(path, each_hunk(hunks))
                        for path, hunks in patch.inherited.items()
                        if "\n@@ " in hunks and path not in changed})
            writes[str(patch.own.relative_to(TOP))] = \
                "".join(own[path] for path in sorted(own)).encode() or None
        previous = files
    return writes


def new_header(dest, commit):
    """The mail header of a commit that has no patch yet."""
    return tree.field(dest, commit,
                      "From: %an <%ae>%nDate: %aD%nSubject: [PATCH] %s%n%n%b").rstrip()


def header(dest, commit, made, patch):
    """The header of a patch, with what a commit has that its old one had not."""
    fields, _ = patch.header.split("\n\n", 1)
    for name, what in (("From", "%an <%ae>"), ("Date", "%aD"), ("Subject", "%s")):
        if tree.field(dest, commit, what) != tree.field(dest, made, what):
            value = tree.field(dest, commit, f"{'[PATCH] ' * (name == 'Subject')}{what}")
            fields = re.sub(rf"^{name}: .*(?:\n .*)*", lambda m, n=name, v=value:
                            f"{n}: {v}", fields, flags=re.M)
    return f"{fields}\n\n{tree.field(dest, commit, '%b').strip()}"


def place(files):
    """The directory for a new patch that touches files."""
    code = [f for f in files if not f.startswith(("Documentation/", "tools/", "include/"))
            and "/" in f] or files
    common = os.path.commonpath([os.path.dirname(f) for f in code])
    if common.startswith("arch/"):
        return "/".join(common.split("/")[:2])
    return common or max(map(os.path.dirname, code), key=len)


def file_name(subject):
    """The file name of a patch."""
    return slug(subject.rsplit(": ", 1)[-1]).lower() + ".patch"


class Refresh:
    """One refresh: a base, its tree, and the edits made so far."""

    def __init__(self, base):
        self.base, self.dest = base, tree.directory(base)
        self.vanilla = vanilla_tree(base)
        self.patches = read_series(base)
        self.edits = Edits()
        self.claims = self.claimed()
        self.made = dict(zip([p.path for p in self.patches],
                             tree.commits(self.dest, tree.MADE)))
        self.found = tree.to_bring_back(self.dest)
        lost = tree.forgotten(self.dest, self.vanilla)
        if lost:
            raise Error(f"edited or added in the tree, but not under git: {' '.join(lost)}\n"
                        "remedy: git add -f them there and commit, or put them back")
        rejects = sorted(f"{path}.rej" for p in self.patches
                         for path in {*p.touches, *p.adds}
                         if (self.dest / f"{path}.rej").is_file())
        if rejects:
            raise Error(f"{self.dest.relative_to(TOP)}: hunks were left out: {' '.join(rejects)}\n"
                        "remedy: make their changes there, amend, and remove these files")
        self.deletes_nothing()
        self.before = {p.path: (p.main, Patch.parts(p.own)) for p in self.patches}

    @staticmethod
    def claimed():
        """The files that the patches of all bases add."""
        return {path for base in bases() for p in read_series(base) for path in p.adds}

    def deletes_nothing(self):
        """A patch cannot remove a file of the base."""
        for commit in self.found:
            for path in git("diff", "--name-only", "--no-renames", "--diff-filter=D",
                            f"{commit}^", commit, cwd=self.dest).decode().split():
                if (self.vanilla / path).is_file():
                    raise Error(f"'{tree.field(self.dest, commit, '%s')}' deletes {path} "
                                "of the base, which a patch here cannot\n"
                                "remedy: leave it there, and out of its Makefile")

    def adopted(self, commit):
        """The Patch of a new commit."""
        files = git("diff", "--name-only", "--no-renames", f"{commit}^", commit,
                    cwd=self.dest).decode().split()
        path = str(Path(place(files), file_name(tree.field(self.dest, commit, "%s"))))
        if (TOP / path).is_file():
            raise Error(f"'{tree.field(self.dest, commit, '%s')}' would be {path}, "
                        "which is there\nremedy: another subject")
        self.edits.put(path, f"{new_header(self.dest, commit)}\n---\n".encode())
        patch = Patch(path, self.base)
        # as if no other base had it, for now
        patch.home = self.base
        return patch

    def renamed(self, patch, commit):
        """Give a patch the file name of its commit's subject, on all bases."""
        old = patch.path
        new = str(Path(old).with_name(file_name(tree.field(self.dest, commit, "%s"))))
        if new == old:
            return
        if (TOP / new).is_file():
            raise Error(f"{old} would be {new}, which is there\nremedy: another subject")
        pairs = {old: new, **{str(o): str(n) for o, n in zip(
            overrides(old).values(), overrides(new).values())}}
        for source, target in pairs.items():
            state = Edits.state(source)
            if state:
                self.edits.put(target, *state)
                self.edits.put(source, None)
        patch.path, patch.own = new, TOP / overrides(new)[self.base]
        self.before[new] = self.before.pop(old)

    def write(self):
        """Write patches, added files and `series`; return the new patches' paths."""
        pairs, order, new = [], [], []
        # a new patch has that of the one before it, unless it is a fix
        topic = self.patches[0].topic
        for commit, patch in tree.matched(self.dest, self.patches, self.found):
            if patch:
                old = patch.path
                patch.header = header(self.dest, commit, self.made[old], patch)
                self.renamed(patch, commit)
                rest = (TOP / patch.path).read_text().split("\n---\n", 1)[1]
                self.edits.put(patch.path, f"{patch.header}\n---\n{rest}".encode())
                order.append((old, patch.path, ""))
                topic = patch.topic
            else:
                patch = self.adopted(commit)
                new.append(patch.path)
                topic = "fixes" if "\nFixes: " in patch.header else topic
                order.append((None, patch.path, f"  # topic: {topic}"))
            pairs.append((commit, patch))
        for old in {p for p in self.made} - {old for old, _, _ in order}:
            for path in (old, *overrides(old).values()):
                self.edits.put(path, None)
        text = relisted((TOP / "series").read_text(), list(self.made), order)
        self.edits.put("series", text.encode())
        for path, data in rewritten(self.base, self.dest, self.vanilla, pairs).items():
            self.edits.put(path, data, self.mode(path))
        for path in self.claims - self.claimed():
            self.edits.put(path, None)
        return new

    def mode(self, path):
        """Mode of a file in HEAD if it is executable there, or None."""
        listed = git("ls-tree", "HEAD", "--", path, cwd=self.dest)
        return 0o755 if listed.startswith(b"100755") else None

    def verify(self):
        """Raise Error unless the patches give the commits' files."""
        repo = Repo(self.base, reader(self.vanilla))
        here = Repo.listing(self.dest, tree.root(self.dest, "HEAD"))
        there = Repo.listing(repo.dir, tree.root(repo.dir, repo.head))
        vanilla = {**here, **there}
        for mine, theirs in zip(self.found, repo.commits, strict=True):
            here, there = (Repo.listing(d, c) for d, c in (
                (self.dest, mine), (repo.dir, theirs)))
            bad = [p for p in {**vanilla, **here, **there}
                   if here.get(p, vanilla.get(p)) != there.get(p, vanilla.get(p))]
            if bad:
                raise Error(f"'{tree.field(self.dest, mine, '%s')}' cannot be written "
                            f"as a patch for {self.base}: {' '.join(sorted(bad))} would be "
                            "another\nremedy: change what other bases have as well in "
                            f"the tree of {next(iter(bases()))}")
        return repo

    def bring_back(self):
        """All of it, or nothing."""
        try:
            new = self.write()
            if has_moved(self.base):
                text = (TOP / "bases").read_text()
                self.edits.put("bases", re.sub(
                    rf"^({re.escape(self.base)}\s+)\S+",
                    rf"\g<1>{package(self.base)[0]}", text, flags=re.M).encode())
            self.verify()
            notes = [n for b in bases() if b != self.base for n in self.other(b, new)]
            repo = self.verify()
        except BaseException:
            # an interrupt changes nothing either
            self.edits.undo()
            raise
        self.edits.tell()
        print("".join(f"note: {n}\n" for n in [*self.unreached(), *notes]), end="")
        git("fetch", "-q", repo.dir, f"+refs/heads/series:{tree.MADE}", cwd=self.dest)

    def other(self, base, new):
        """Keep another base true; what is to be looked at there."""
        if not package(base)[0]:
            return [f"base {base} is not installed here, and not looked at\n"
                    f"  remedy: scripts/setup.sh {base}, make lint BASE={base}"]
        vanilla = vanilla_tree(base)
        try:
            repo = Repo(base, reader(vanilla))
        except Misfit as e:
            if e.patch not in new:
                return [f"base {base} is to be looked at: {e}"]
            lines = (TOP / "series").read_text().splitlines(keepends=True)
            at = next(i for i, line in enumerate(lines) if guards(line)[0] == e.patch)
            kept = " ".join(b for b in guards(lines[at])[1] if b != base)
            rest = re.sub(r"  # base: [^#\n]*[^#\s]", "", lines[at][len(e.patch):])
            lines[at] = f"{e.patch}  # base: {kept}{rest}"
            self.edits.put("series", "".join(lines).encode())
            return [f"{e.patch} does not apply to {base}, and is kept to {kept}",
                    *self.other(base, new)]
        if has_moved(base):
            return []
        self.rewrite(base, repo, vanilla)
        # what the other base kept for itself may be in the patch now
        self.rewrite(self.base, Repo(self.base, reader(self.vanilla)), self.vanilla)
        return []

    def rewrite(self, base, repo, vanilla):
        """Write the files of a base's Repo as they would be."""
        commits = list(zip(repo.commits, repo.patches))
        for path, data in rewritten(base, repo.dir, vanilla, commits).items():
            self.edits.put(path, data)

    def unreached(self):
        """What has changed for some bases, and not for others."""
        found = []
        for patch in read_series(self.base):
            main, own = self.before.get(patch.path, (None, None))
            if main is None:
                continue
            if patch.home != self.base:
                found += [f"{f} of {patch.path} has changed for {self.base} only"
                          for f in differ(own, Patch.parts(patch.own))]
                continue
            changed = differ(main, patch.main)
            found += [f"{f} of {patch.path} has changed, and {base} has its own hunks for it"
                      for base, file in overrides(patch.path).items()
                      for f in changed if f in Patch.parts(TOP / file)]
        return found


def differ(old, new):
    """The files whose hunks {file: hunks} take out or put in other lines."""
    return sorted(f for f in {**old, **new}
                  if changes(old.get(f, "")) != changes(new.get(f, "")))


def relisted(text, mine, order):
    """The text of `series` with the patches `mine` in another order.

    order has (path as it was or None, path, rest of a new line).  Lines of other
    bases, and comments, stay after the line that they stand after.
    """
    own, after, at = {}, {None: []}, None
    for line in text.splitlines():
        name = line.split("#")[0].strip()
        if name in mine:
            at, own[name], after[name] = name, line, []
        else:
            after[at].append(line)
    kept = [old for old, _, _ in order if old]
    last = None
    for name in own:
        if name in kept:
            last = name
        else:
            after[last] += after[name]
    out = after[None]
    for old, path, rest in order:
        out += [own[old].replace(old, path, 1), *after[old]] if old else [path + rest]
    return "\n".join(out) + "\n"


def cmd_refresh(args):
    """Bring the commits of build/BASE/tree back into patches and files."""
    dest = tree.directory(args.base)
    name = dest.relative_to(TOP)
    if os.environ.get("CI") == "true" or not dest.is_dir():
        print(f"refresh: no {name} (make tree); nothing to do")
        return
    version = package(args.base)[0]
    made_on = tree.field(dest, tree.root(dest, "HEAD"), "%s")
    if f"(Debian {version})" not in made_on:
        raise Error(f"{name} was made on {made_on}, and "
                    f"linux-source-{args.base} is {version} now\n"
                    "remedy: git format-patch its commits, remove it, "
                    f"make tree BASE={args.base}, git am them")
    repo, _ = repo_on_tree(args.base, strict=False)
    if tree.field(dest, tree.MADE, "%H") != repo.head:
        raise Error(f"the patches have changed since {name} was made, and refresh would "
                    f"undo that\nremedy: cd {name} && git fetch ../series.git series && "
                    f"git rebase --onto FETCH_HEAD {tree.MADE} && "
                    f"git update-ref {tree.MADE} FETCH_HEAD")
    Refresh(args.base).bring_back()
