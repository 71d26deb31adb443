# SPDX-License-Identifier: GPL-2.0
"""The series as mails, and on kernels that it was not written for."""

import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from .base import downloaded, package, unpack
from .files import BUILD, TOP, Error, git
from .patch import bases
from .places import unreached
from .repo import Repo, reader, repo_on_tree


LETTERS = TOP / "cover-letters"


def letter(topic):
    """(title, topics that it needs, text) of a cover letter."""
    file = LETTERS / f"{topic}.txt"
    if not file.is_file():
        raise Error(f"no topic '{topic}'; there are: "
                    + " ".join(sorted(f.stem for f in LETTERS.glob("*.txt"))))
    title, text = file.read_text().split("\n", 1)
    needs = re.match(r"Needs: (.*)\n", text)
    return (title, needs[1].split() if needs else [],
            text[needs.end():] if needs else text)


def closure(topic):
    """A topic and all that it needs; itself at the end."""
    found = []
    for need in letter(topic)[1]:
        found += [t for t in closure(need) if t not in found]
    return [*found, topic]


def sender(signoff):
    """(environment, options) for git format-patch, of "Name <mail>"."""
    if not signoff:
        return {}, []
    name = re.fullmatch(r"([^<>]*[^<>\s])\s+<([^<>@\s]+@[^<>@\s]+)>", signoff)
    if not name:
        raise Error(f"'{signoff}' is not Name <mail>\n"
                    "remedy: make series SIGNOFF='Name <mail>'")
    return {"GIT_COMMITTER_NAME": name[1], "GIT_COMMITTER_EMAIL": name[2]}, ["--signoff"]


def recipients(base, patches):
    """To and Cc of patches as comments, by the base's own scripts/get_maintainer.pl:
    people and lists."""
    if not (BUILD / base / "vanilla/scripts/get_maintainer.pl").is_file():
        return "# To and Cc: the base has no scripts/get_maintainer.pl"
    lines = [f"# To and Cc by scripts/get_maintainer.pl of linux-source-{base}:"]
    for field, leave in (("To", ("--nol",)), ("Cc", ("--nom", "--nor"))):
        run = subprocess.run(
            ["perl", "scripts/get_maintainer.pl", "--nogit", "--nogit-fallback",
             "--norolestats", *leave, *patches], cwd=BUILD / base / "vanilla",
            capture_output=True, text=True)
        if run.returncode:
            raise Error(f"get_maintainer.pl: {run.stderr.strip()}")
        lines += [f"# {field}: {who}" for who in run.stdout.splitlines()]
    return "\n".join(lines)


def mails(repo, commits, out, topic, signoff):
    """Write cover letter and numbered patches of commits to out; return the patches."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    title, _, text = letter(topic)
    who = {f"GIT_COMMITTER_{name}": git("show", "-s", f"--format=%c{f}", repo.head,
                                        cwd=repo.dir).decode().strip()
           for name, f in (("NAME", "n"), ("EMAIL", "e"), ("DATE", "I"))}
    env, options = sender(signoff)
    git("format-patch", "--cover-letter", "-o", out, "-q", "--signature=", *options,
        f"{commits[0]}^..{commits[-1]}", cwd=repo.dir, env={**who, **env})
    first = out / "0000-cover-letter.patch"
    patches = sorted(p for p in out.glob("*.patch") if p != first)
    first.write_text(first.read_text().replace("*** SUBJECT HERE ***", title)
                     .replace("*** BLURB HERE ***", text.strip()).rstrip() + "\n\n"
                     f"# Base: linux-source-{repo.base} {package(repo.base)[0]}\n"
                     + recipients(repo.base, patches) + "\n")
    return patches


def pristine(base, paths, dest):
    """Put files of the base's own tarball into a git repository in dest."""
    archive = package(base)[1]
    with tarfile.open(archive) as tar:
        names = {f"{archive.name.split('.tar')[0]}/{p}": p for p in paths}
        for member in tar:
            if member.name in names:
                file = dest / names.pop(member.name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(tar.extractfile(member).read())
            if not names:
                break
    git("init", "-q", cwd=dest)
    git("add", "-f", ".", cwd=dest)
    for name in ("name", "email"):
        git("config", f"user.{name}", "check", cwd=dest)
    git("commit", "-q", "-m", "base", cwd=dest)


def cmd_export(args):
    """Write cover letter, numbered patches and mbox; apply and compare."""
    topic = args.topic
    topics = None if topic == "series" else closure(topic)
    repo, _ = repo_on_tree(args.base, topics)
    mine = [c for c, p in zip(repo.commits, repo.patches)
            if topic in ("series", p.topic)]
    if not mine:
        raise Error(f"base {args.base} has no patch of the topic {topic}")
    if repo.commits[-len(mine):] != mine:
        raise Error(f"patches of {topic} stand before others that it needs\n"
                    "remedy: another order in `series`")
    name = "series" if topic == "series" else f"series-{topic}"
    out = BUILD / args.base / name
    numbered = mails(repo, mine, out, topic, args.signoff)
    # git am takes every mail of an mbox for a patch: no cover letter here
    mbox = out / "series.mbox"
    mbox.write_bytes(b"".join(p.read_bytes() for p in numbered))
    with tempfile.TemporaryDirectory(dir=BUILD) as tmp:
        fresh = Path(tmp)
        pristine(args.base, repo.root_files, fresh)
        before = repo.commits[:-len(mine)]
        if before:
            needed = git("format-patch", "--stdout",
                         f"{before[0]}^..{before[-1]}", cwd=repo.dir)
            git("am", "-q", cwd=fresh, stdin=needed)
        git("am", "-q", mbox, cwd=fresh)
        got = git("log", "--reverse", "--format=%T", cwd=fresh).split()
        want = git("log", "--reverse", "--format=%T", repo.head, cwd=repo.dir).split()
        if got != want:
            raise Error("git am of the mbox gives other trees than the series")
    there = {p.topic for p in repo.patches}
    on = "".join(f" and the topic {t}" for t in (topics or [])[:-1] if t in there)
    print(f"{len(numbered)} patches and {mbox.relative_to(TOP)}; git am on a "
          f"pristine linux-source-{args.base} {package(args.base)[0]}{on} "
          "gives the same trees")
    if not args.signoff:
        print("note: without a sender's sign-off they cannot be sent as they are\n"
              "  remedy: make series SIGNOFF='Name <mail>'")


SUITES = ("testing", "unstable", "experimental")


def rejected(suite):
    """The report of what a suite's newest kernel source rejects of the last base's
    patches; the hunks go to build/upstream/SUITE.rej."""
    version, tar = downloaded(suite)
    if not tar:
        raise Error(f"no kernel source of {suite} in build/dl\n"
                    "remedy: scripts/setup.sh upstream")
    base = list(bases())[-1]
    tree = BUILD / "upstream" / suite
    stamp = tree / ".unpacked"
    if not stamp.is_file() or stamp.read_text() != version:
        unpack(tar, version, tree)
    repo = Repo(base, reader(tree), strict=False, directory=BUILD / "upstream/series.git")
    lines = []
    for patch in repo.patches:
        bad = {path: hunks for (name, path), hunks in repo.rejects.items()
               if name == patch.path}
        what = [f"{path} ({hunks.count(chr(10) + '@@ ') or 'all'} hunks)"
                if (tree / path).is_file() else f"{path} (is not there)"
                for path, hunks in bad.items()]
        what += [f"{path} (is there already)" for path in patch.adds
                 if (tree / path).exists()]
        if what:
            lines.append(f"  {patch.path}\n" + "".join(f"      {w}\n" for w in what))
    places = "".join(f"  {line}\n" for line in unreached(repo, tree))
    (BUILD / "upstream" / f"{suite}.rej").write_text("".join(
        f"{name}\n{hunks}" for (name, _), hunks in repo.rejects.items()))
    return (f"{suite}: Linux {version}: {len(repo.patches) - len(lines)} of "
            f"{len(repo.patches)} patches of base {base} apply\n" + "".join(lines) + places)


def cmd_upstream(args):
    """Say what Debian's newest kernel sources reject of the last base's patches."""
    text = "".join(rejected(suite) for suite in SUITES)
    (BUILD / "upstream/report.txt").write_text(text)
    print(text + "build/upstream/report.txt; the hunks are beside it, in SUITE.rej")
