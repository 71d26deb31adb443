#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Apply, check, export and refresh the patch series.

`series` names patches in mail format, in order; a trailing "# base: 6.1 6.12"
keeps a patch to those bases, "# fix" says that it stands alone and has no
option.  A patch holds hunks for files that the base
has.  Files it adds stand in this repository at their kernel path and are
claimed after its "---" by "Adds: PATH" lines.  A patch is written on its home,
the first of `bases` that it applies to.  For another base, BASE/NAME.patch
beside it replaces the hunks of the files that it names, and changes files that
the patch adds.

Debian moves a base with every point release.  On another version than the one
in `bases` a hunk may apply at an offset, not with fuzz, and what refresh would
write is not compared; refresh records the version that it wrote for.

Only the files that the series touches are put under git: a repository with
one commit a patch, dated as the patch is, so that hashes repeat.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
BUILD = TOP / "build"
KERNEL_DIRS = ("arch", "drivers", "include", "kernel", "lib",
               "Documentation", "tools", "scripts")
# Under those directories, but of this repository alone.
OWN = ("scripts/series.py", "scripts/setup.sh", "scripts/packages",
       "scripts/lint.sh", "scripts/fresh.sh", "tools/testing/qemu/",
       "tools/testing/dma_hints/", "Documentation/cover-letter.txt",
       "Documentation/changelog.txt")


class Error(Exception):
    """A fault in the series or in how it was called; str() is the report."""


def git(*args, cwd=None, stdin=None, env=None):
    """Run git and return its output; raise Error with git's own words."""
    run = subprocess.run(["git", *map(str, args)], cwd=cwd, input=stdin,
                         capture_output=True, env={**os.environ, **(env or {})})
    if run.returncode:
        raise Error(f"git {args[0]}: " + run.stderr.decode().strip())
    return run.stdout


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


def by_file(hunks):
    """{path: its part} of a diff."""
    return {re.match(r"diff --git a/(\S+) b/", part)[1]: part
            for part in re.split(r"^(?=diff --git )", hunks, flags=re.M) if part}


def bases():
    """{base: package version it was last refreshed on} from `bases`."""
    lines = (TOP / "bases").read_text().splitlines()
    return dict(line.split()[:2] for line in lines
                if line.strip() and not line.startswith("#"))


def read_series(base, fixes_only=False):
    """The patches of `series` that apply to base, in order."""
    patches = []
    for line in (TOP / "series").read_text().splitlines():
        name, *guards = (part.strip() for part in line.split("#"))
        wanted = [b for b in bases() if all(
            b in g[5:].split() for g in guards if g.startswith("base:"))]
        if name and base in wanted and ("fix" in guards or not fixes_only):
            patches.append(Patch(name, base))
            patches[-1].home = wanted[0]
    return patches


def package(base):
    """(version, tarball) of the installed linux-source package, by dpkg.

    Both are None if it is not installed.
    """
    run = subprocess.run(["dpkg-query", "-W", "-f",
                          "${Version}\n${db-fsys:Files}",
                          f"linux-source-{base}"],
                         capture_output=True, text=True)
    version, *files = run.stdout.split() or [None]
    tars = [Path(f) for f in files
            if Path(f).name.startswith(f"linux-source-{base}.tar")]
    return version, tars[0] if tars else None


def has_moved(base):
    """Whether a base is another version here than the patches were written on."""
    return package(base)[0] != bases()[base]


def versions(base):
    """The two versions of a base, for a message."""
    return (f"base {base} is {package(base)[0]} here; "
            f"the patches were last refreshed on {bases()[base]}")


def note(base):
    """Print one line if a base has moved."""
    if has_moved(base):
        print(f"note: {versions(base)}: offsets are accepted, fuzz is not",
              flush=True)


def diff(path, old, new):
    """Hunks that make new of a file's bytes old."""
    with tempfile.TemporaryDirectory() as tmp:
        for side, data in (("a", old), ("b", new)):
            file = Path(tmp, side, path)
            file.parent.mkdir(parents=True)
            file.write_bytes(data)
        run = subprocess.run(["git", "diff", "--no-index", "--no-color",
                              "--no-ext-diff", "--no-prefix", f"a/{path}",
                              f"b/{path}"], cwd=tmp, capture_output=True, text=True)
    return re.sub(r"^index .*\n", "", run.stdout, flags=re.M)


def applied(hunks, path, old):
    """(file, rejects): what hunks make of a file's bytes, and those that do not fit."""
    with tempfile.TemporaryDirectory() as tmp:
        file = Path(tmp, path)
        file.parent.mkdir(parents=True)
        file.write_bytes(old)
        subprocess.run(["git", "apply", "--reject", "--whitespace=nowarn", "-"],
                       cwd=tmp, input=hunks.encode(), capture_output=True)
        rejects = Path(f"{file}.rej")
        return (file.read_bytes(),
                rejects.read_text() if rejects.is_file() else "")


class Repo:
    """A git repository of touched files: the base, then a commit a patch."""

    def __init__(self, base, read_base, fixes_only=False, strict=True,
                 directory=None):
        """read_base(path) returns the bytes of the base's file, or None.

        Unless strict, hunks that do not apply are in rejects, {(patch, file):
        hunks}, and the others are applied.
        """
        self.base, self.strict, self.rejects = base, strict, {}
        self.patches = read_series(base, fixes_only)
        self.dir = directory or BUILD / base / (
            "fixes.git" if fixes_only else "series.git")
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir(parents=True)
        git("init", "-q", "--bare", "-b", "series", self.dir)
        self.commits = []
        self.head = self._base_commit(read_base)
        for patch in self.patches:
            self.head = self._commit(patch)
            self.commits.append(self.head)
        git("update-ref", "refs/heads/series", self.head, cwd=self.dir)

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
        with tempfile.TemporaryDirectory() as tmp:
            info = git("mailinfo", f"{tmp}/msg", f"{tmp}/patch",
                       stdin=(TOP / patch.path).read_bytes(),
                       cwd=tmp).decode()
            message = Path(tmp, "msg").read_text()
        field = dict(line.split(": ", 1) for line in info.splitlines() if line)
        for want in ("Author", "Email", "Subject", "Date"):
            if want not in field:
                raise Error(f"{patch.path}: mail header lacks {want}")
        self._apply(patch, patch.hunks)
        listing = b""
        for path in patch.adds:
            file = TOP / path
            if not file.is_file():
                raise Error(f"{patch.path}: Adds: {path}: no such file")
            blob = git("hash-object", "-w", file, cwd=self.dir)
            mode = b"100755" if os.access(file, os.X_OK) else b"100644"
            listing += b"%s %s\t%s\n" % (mode, blob.strip(), path.encode())
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
        """The Error of a patch that does not apply to this version of the base."""
        return Error("\n".join([
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

    def tree(self, commit):
        """{path: (mode, blob)} of a commit."""
        out = git("ls-tree", "-r", commit, cwd=self.dir).decode()
        return {line.split("\t")[1]: tuple(line.split()[0:3:2])
                for line in out.splitlines()}

    def expand(self, dest, commit, vanilla):
        """Make dest, a copy of vanilla, hold commit's files.

        Files that are right already keep their time stamps; files touched
        by an earlier state of the series go back to vanilla.
        """
        want = self.tree(commit)
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


def vanilla_tree(base):
    """build/BASE/vanilla, unpacked if it is not there yet."""
    if base not in bases():
        raise Error(f"no base '{base}' in the file `bases`; "
                    f"there are: {' '.join(bases())}")
    version, tar = package(base)
    tree = BUILD / base / "vanilla"
    stamp = tree / ".unpacked"
    if stamp.is_file() and stamp.read_text() == version:
        return tree
    if not tar or not tar.is_file():
        raise Error(f"{tar or f'linux-source-{base}'} is missing\nremedy: scripts/setup.sh {base}")
    free = shutil.disk_usage(TOP).free >> 30
    if free < 6:
        raise Error(f"{free} GiB free; a base with its kernels needs 6")
    print(f"  UNPACK  {tar.name} ({version})", flush=True)
    for old in (tree, *(BUILD / base / t for t in ("patched", "fixes", "bisect"))):
        shutil.rmtree(old, ignore_errors=True)
    new = BUILD / base / "unpack"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    subprocess.run(["tar", "-xf", tar, "-C", new, "--strip-components=1"],
                   check=True)
    (new / ".unpacked").write_text(version)
    new.rename(tree)
    return tree


def repo_on_tree(base, fixes_only=False, strict=True):
    """The series, or its fixes, on the unpacked base."""
    tree = vanilla_tree(base)
    note(base)

    def read(path):
        file = tree / path
        return file.read_bytes() if file.is_file() else None
    return Repo(base, read, fixes_only, strict), tree


def clone_tree(vanilla, dest, link=True):
    """Hard-link or copy vanilla's sources to dest, object directories left out."""
    if dest.is_dir():
        return
    part = dest.with_name(dest.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    names = [n for n in os.listdir(vanilla) if not n.startswith("O.")]
    subprocess.run(["cp", "-al" if link else "-a", "--", *names, part],
                   cwd=vanilla, check=True)
    part.rename(dest)


def cmd_vanilla(args):
    """Unpack the base."""
    vanilla_tree(args.base)


def cmd_patched(args):
    """Bring build/BASE/patched to the series' head (or --first).

    With --fixes build/BASE/fixes is brought to the base and the fixes.
    """
    repo, vanilla = repo_on_tree(args.base, args.fixes)
    dest = (Path(args.dest) if args.dest else
            BUILD / args.base / ("fixes" if args.fixes else "patched"))
    clone_tree(vanilla, dest)
    commit = repo.commits[args.first - 1] if args.first else repo.head
    repo.expand(dest, commit, vanilla)
    stamp = dest / ".series-head"
    if not stamp.is_file() or stamp.read_text() != commit:
        stamp.write_text(commit)


def cmd_list(args):
    """Print the patches of a base, one a line."""
    for patch in read_series(args.base):
        print(patch.path)


def cmd_where(args):
    """List the patches that touch a file."""
    found = False
    for patch in read_series(args.base):
        if args.file in patch.touches or args.file in patch.adds:
            print(f"{patch.path}{'  (adds it)' if args.file in patch.adds else ''}")
            found = True
    if not found:
        raise Error(f"no patch of base {args.base} touches {args.file}")


def cmd_export(args):
    """Write cover letter, numbered patches and mbox; apply and compare."""
    repo, _ = repo_on_tree(args.base)
    out = BUILD / args.base / "series"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    cover = (TOP / "Documentation/cover-letter.txt").read_text()
    title, blurb = cover.split("\n", 1)
    root = git("rev-list", "--max-parents=0", repo.head,
               cwd=repo.dir).decode().strip()
    opts = ["-q", "--signature=", f"{root}..{repo.head}"]
    who = {"GIT_COMMITTER_DATE": git(
        "show", "-s", "--format=%cI", repo.head, cwd=repo.dir).decode().strip()}
    ident = {f"GIT_COMMITTER_{k}": git("show", "-s", f"--format=%c{f}", repo.head,
                                       cwd=repo.dir).decode().strip()
             for k, f in (("NAME", "n"), ("EMAIL", "e"))}
    git("format-patch", "--cover-letter", "-o", out, *opts, cwd=repo.dir,
        env={**who, **ident})
    letter = out / "0000-cover-letter.patch"
    letter.write_text(letter.read_text()
                      .replace("*** SUBJECT HERE ***", title)
                      .replace("*** BLURB HERE ***", blurb.strip()))
    # git am takes every mail of an mbox for a patch: no cover letter here
    numbered = sorted(p for p in out.glob("*.patch") if p != letter)
    mbox = out / "series.mbox"
    mbox.write_bytes(b"".join(p.read_bytes() for p in numbered))

    with tempfile.TemporaryDirectory(dir=BUILD) as tmp:
        fresh = Path(tmp)
        version, tarball = package(args.base)
        with tarfile.open(tarball) as tar:
            names = {f"linux-source-{args.base}/{p}": p for p in repo.root_files}
            for member in tar:
                if member.name in names:
                    file = fresh / names.pop(member.name)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(tar.extractfile(member).read())
                if not names:
                    break
        git("init", "-q", cwd=fresh)
        git("add", "-f", ".", cwd=fresh)
        me = ["-c", "user.name=check", "-c", "user.email=check"]
        git(*me, "commit", "-q", "-m", "base", cwd=fresh)
        git(*me, "am", "-q", mbox, cwd=fresh)
        got = git("log", "--reverse", "--format=%T", cwd=fresh).split()
        want = git("log", "--reverse", "--format=%T", repo.head,
                   cwd=repo.dir).split()
        if got != want:
            raise Error("git am of the mbox gives other trees than the series")
    print(f"{len(numbered)} patches and {mbox.relative_to(TOP)}; git am on a "
          f"pristine linux-source-{args.base} {version} "
          "gives the same trees")


def cmd_upstream(args):
    """Say which patches of the last base apply to the newest kernel source."""
    debs = sorted((BUILD / "dl").glob("linux-source-*.deb"))
    if not debs:
        raise Error("no linux-source-*.deb in build/dl\n"
                    "remedy: scripts/setup.sh upstream")
    base = list(bases())[-1]
    tree = BUILD / "upstream" / debs[-1].stem
    if not tree.is_dir():
        print(f"  UNPACK  {debs[-1].name}", flush=True)
        shutil.rmtree(BUILD / "upstream", ignore_errors=True)
        part = tree.with_suffix(".part")
        part.mkdir(parents=True)
        subprocess.run(
            f"dpkg-deb --fsys-tarfile '{debs[-1]}' | tar -xO --wildcards "
            f"'*.tar.xz' | tar -xJ -C '{part}' --strip-components=1",
            shell=True, check=True)
        part.rename(tree)
    version = debs[-1].name.split("_")[1]

    def read(path):
        file = tree / path
        return file.read_bytes() if file.is_file() else None
    repo = Repo(base, read, strict=False, directory=BUILD / "upstream/series.git")
    lines = []
    for patch in repo.patches:
        bad = {path: hunks for (name, path), hunks in repo.rejects.items()
               if name == patch.path}
        there = [a for a in patch.adds if (tree / a).exists()]
        what = [f"{path} ({hunks.count(chr(10) + '@@ ') or 'all'} hunks)"
                if (tree / path).is_file() else f"{path} (is not there)"
                for path, hunks in bad.items()]
        what += [f"{path} (is there already)" for path in there]
        lines.append(f"{'no ' if what else 'yes'} {patch.path}" +
                     "".join(f"\n      {w}" for w in what))
    good = sum(line.startswith("yes") for line in lines)
    text = (f"Linux {version}: {good} of {len(lines)} patches of base {base} apply\n" +
            "\n".join(lines) + "\n")
    (BUILD / "upstream" / "report.txt").write_text(text)
    print(text + f"\n{(BUILD / 'upstream/report.txt').relative_to(TOP)}; the hunks "
          "of those that do not are beside it, in PATH.rej")
    for (_, path), hunks in repo.rejects.items():
        file = BUILD / "upstream" / f"{path}.rej"
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a") as out:
            out.write(hunks)


def cmd_tree(args):
    """Expand a full tree with one commit a patch, to work in.

    Hunks that do not apply are left in FILE.rej, to be resolved there.
    """
    repo, vanilla = repo_on_tree(args.base, strict=False)
    dest = BUILD / args.base / "tree"
    if dest.is_dir():
        raise Error(f"{dest.relative_to(TOP)} exists\n"
                    "remedy: make refresh to bring its edits back, or remove it")
    # no links: an editor that writes in place would change vanilla as well
    clone_tree(vanilla, dest, link=False)
    repo.expand(dest, repo.head, vanilla)
    # the tree's own repository: only touched files are under git
    (dest / ".git").mkdir()
    shutil.copytree(repo.dir, dest / ".git", dirs_exist_ok=True)
    git("config", "core.bare", "false", cwd=dest)
    (dest / ".git/info").mkdir(exist_ok=True)
    (dest / ".gitignore").unlink(missing_ok=True)
    (dest / ".git/info/exclude").write_text("/*\n")
    git("reset", "-q", "series", cwd=dest)
    for (patch, path), hunks in repo.rejects.items():
        with open(f"{dest / path}.rej", "a") as file:
            file.write(f"{patch}\n{hunks}")
        print(f"  REJECT  {path}.rej of {patch}")
    print(f"{dest.relative_to(TOP)}: branch series, a commit a patch.\n"
          "Edit, git add -f new files, amend or rebase; then make refresh.")


def rewritten(base, cwd, vanilla, commits):
    """{path in this repository: bytes, or None if it is not to be} of commits.

    commits are (commit, its Patch) in order, in the git directory or work tree
    cwd; the base's side of a file that was not touched so far comes from vanilla.
    """
    def content(commit, path):
        if git("ls-tree", commit, "--", path, cwd=cwd):
            return git("show", f"{commit}:{path}", cwd=cwd)
        file = vanilla / path
        return file.read_bytes() if file.is_file() else None

    previous = git("rev-list", "--max-parents=0", commits[-1][0],
                   cwd=cwd).decode().strip()
    writes, owner = {}, {}
    for commit, patch in commits:
        changed = git("diff", "--name-only", "--no-renames", previous, commit,
                      cwd=cwd).decode().splitlines()
        home, own, patch.adds = {}, {}, []
        for path in sorted(changed):
            old, new = content(previous, path), content(commit, path)
            if path in owner:
                raise Error(f"{path}, added by {owner[path]}, is changed by "
                            f"{patch.path}\nremedy: move the change there")
            if old is None:
                owner[path] = patch.path
                patch.adds.append(path)
                here = (TOP / path).read_bytes() if (TOP / path).is_file() else new
                if patch.home == base:
                    writes[path] = new
                elif here != new:
                    own[path] = diff(path, here, new)
            elif patch.home == base:
                home[path] = diff(path, old, new)
            elif (path not in patch.main or
                  applied(patch.main[path], path, old) != (new, "")):
                own[path] = diff(path, old, new)
        if patch.home == base:
            writes[patch.path] = patch.text("".join(home.values())).encode()
        else:
            own.update({path: f"diff --git a/{path} b/{path}\n"
                        for path in patch.main if path not in changed})
            writes[str(patch.own.relative_to(TOP))] = \
                "".join(own[path] for path in sorted(own)).encode() or None
        previous = commit
    return writes


def cmd_refresh(args):
    """Bring the commits of build/BASE/tree back into patches and files."""
    dest = BUILD / args.base / "tree"
    if os.environ.get("CI") == "true" or not dest.is_dir():
        print(f"refresh: no {dest.relative_to(TOP)} (make tree); nothing to do")
        return
    if git("status", "--porcelain", "-uno", cwd=dest).strip():
        raise Error(f"{dest.relative_to(TOP)} has uncommitted edits\n"
                    "remedy: commit or amend them there first")
    patches, vanilla = read_series(args.base), vanilla_tree(args.base)
    version = package(args.base)[0]
    root, *log = git("log", "--reverse", "--format=%H", "HEAD",
                     cwd=dest).decode().split()
    made_on = git("show", "-s", "--format=%s", root, cwd=dest).decode()
    if f"(Debian {version})" not in made_on:
        raise Error(f"{dest.relative_to(TOP)} was made on {made_on.strip()}, and "
                    f"linux-source-{args.base} is {version} now\n"
                    "remedy: git format-patch its commits, remove it, "
                    f"make tree BASE={args.base}, git am them")
    note(args.base)
    by_subject = {re.search(r"^Subject: (?:\[PATCH\] )?(.*(?:\n .*)*)", p.header,
                            re.M)[1].replace("\n ", " "): p for p in patches}
    commits = []
    for commit in log:
        subject, message = git("show", "-s", "--format=%s%n%b", commit,
                               cwd=dest).decode().split("\n", 1)
        if subject not in by_subject:
            raise Error(f"commit '{subject}' has no patch in `series`\nremedy: "
                        "add a patch file with that Subject and its line first")
        patch = by_subject[subject]
        patch.header = (patch.header.split("\n\n", 1)[0] + "\n\n" +
                        message.strip())
        commits.append((commit, patch))
    for path, data in rewritten(args.base, dest, vanilla, commits).items():
        file = TOP / path
        if data is None:
            file.unlink(missing_ok=True)
        elif not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            print(f"  REFRESH {path}")
    if has_moved(args.base):
        file = TOP / "bases"
        file.write_text(re.sub(rf"^({re.escape(args.base)}\s+)\S+",
                               rf"\g<1>{version}", file.read_text(), flags=re.M))
        print(f"  REFRESH bases: {args.base} is {version}")


def slug(subject):
    """A subject as a file name, in git format-patch's manner."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", subject).strip("-.")[:52].rstrip("-.")


def cmd_check(args):
    """Bookkeeping: claims, file names, order, and that each patch applies.

    On the recorded version of a base refresh has to be a no-op.
    """
    faults = []
    listed = [line.split("#")[0].strip()
              for line in (TOP / "series").read_text().splitlines()]
    listed = [name for name in listed if name]
    tracked = git("ls-files", "-co", "--exclude-standard", cwd=TOP).decode().split()
    faults += [f"series lists {n} twice" for n in set(listed)
               if listed.count(n) > 1]
    is_override = {f"{Path(n).parent}/{b}/{Path(n).name}"
                   for n in listed for b in bases()}
    faults += [f"{f}: in no line of series" for f in tracked
               if f.endswith(".patch") and f not in listed
               and f not in is_override]
    claims = {}
    for base in bases():
        for patch in read_series(base):
            for path in patch.adds:
                claims.setdefault(path, set()).add(patch.path)
    for path, owners in claims.items():
        if len(owners) > 1:
            faults.append(f"{path}: claimed by {' and '.join(sorted(owners))}")
        if path not in tracked:
            faults.append(f"{path}: claimed, but git ignores it or it is absent")
    for path in tracked:
        if (path.startswith(KERNEL_DIRS) and "/" in path and path not in claims
                and not path.endswith(".patch")
                and not any(path == o or (o.endswith("/") and path.startswith(o))
                            for o in OWN)):
            faults.append(f"{path}: a kernel file that no patch claims")
    if faults:
        raise Error("\n".join(faults))
    for base in args.bases or bases():
        repo, vanilla = repo_on_tree(base)
        want = rewritten(base, repo.dir, vanilla,
                         list(zip(repo.commits, repo.patches)))
        # elsewhere it would write other line numbers and context
        for path, data in () if has_moved(base) else want.items():
            have = (TOP / path).read_bytes() if (TOP / path).is_file() else None
            if have != data:
                faults.append(f"{path}: not as make refresh BASE={base} writes it")
        for patch, commit in zip(repo.patches, repo.commits):
            for path in patch.adds:
                if (vanilla / path).exists():
                    faults.append(f"{patch.path}: Adds: {path}: base {base} "
                                  "has that file; write hunks")
            subject = git("show", "-s", "--format=%s", commit,
                          cwd=repo.dir).decode().strip()
            if Path(patch.path).stem != slug(subject.rsplit(": ", 1)[-1]).lower():
                faults.append(f"{patch.path}: the file name is not its subject's "
                              f"slug '{slug(subject.rsplit(': ', 1)[-1]).lower()}'")
    if faults:
        raise Error("\n".join(faults))


def main():
    """Parse the command line; an Error ends with its text and status 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    sub = parser.add_subparsers(dest="cmd", required=True)
    for name, func in (("vanilla", cmd_vanilla), ("patched", cmd_patched),
                       ("list", cmd_list), ("where", cmd_where),
                       ("upstream", cmd_upstream),
                       ("export", cmd_export), ("tree", cmd_tree),
                       ("refresh", cmd_refresh)):
        p = sub.add_parser(name, help=func.__doc__)
        p.set_defaults(func=func)
        if name != "upstream":
            p.add_argument("base")
        if name == "where":
            p.add_argument("file")
        if name == "patched":
            p.add_argument("--first", type=int, help="first N patches only")
            p.add_argument("--dest", help="directory to bring there")
            p.add_argument("--fixes", action="store_true",
                           help="only the patches marked as fixes")
    p = sub.add_parser("check", help=cmd_check.__doc__)
    p.add_argument("bases", nargs="*")
    p.set_defaults(func=cmd_check)
    args = parser.parse_args()
    try:
        args.func(args)
    except Error as e:
        sys.exit(f"series: {e}")


if __name__ == "__main__":
    main()
