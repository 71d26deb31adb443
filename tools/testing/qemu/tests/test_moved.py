# SPDX-License-Identifier: GPL-2.0
"""The series on the next point release of its base, which is made here.

A copy of the repository has a vanilla of its own: lines are put in and taken out
around every hunk, or a line of context is another.  A dpkg-query before the real
one in PATH calls that another version.  The copy does not know that it is tried.
"""

import re
import shutil
import subprocess
import tarfile

import pytest

from common import BASE, series
from harness import paths
from series_copy import SeriesCopy
from test_series import kernels_of

ARCH, VARIANT = "ppc64", "on"
RECORDED = series.bases()[BASE]
NEXT = f"{RECORDED}+moved"
NOTE = (f"note: base {BASE} is {NEXT} here; the patches were last refreshed on "
        f"{RECORDED}: offsets are accepted, fuzz is not")
NO_OP = f"not as make refresh BASE={BASE} writes it"


def shown(repo, vanilla):
    """{file: (its lines in vanilla, numbers from 0 of those that hunks show)}."""
    found, origins = {}, {}
    previous = series.git("rev-list", "--max-parents=0", repo.head,
                          cwd=repo.dir).decode().strip()
    for commit in repo.commits:
        text = series.git("diff", "--no-renames", previous, commit, cwd=repo.dir).decode()
        previous = commit
        for path, part in series.by_file(text).items():
            if not (vanilla / path).is_file():
                continue
            if path not in found:
                lines = (vanilla / path).read_text().splitlines(keepends=True)
                found[path] = lines, set()
                origins[path] = list(range(len(lines)))
            old, new, at = origins[path], [], 0
            for start, body in re.findall(r"^@@ -(\d+).*\n((?:[-+ ].*\n)*)", part, re.M):
                new += old[at:int(start) - 1]
                at = int(start) - 1
                for sign in re.findall("^[-+ ]", body, re.M):
                    new += [None] if sign == "+" else old[at:at + 1] * (sign == " ")
                    found[path][1].update({old[at]} if sign != "+" else ())
                    at += sign != "+"
            origins[path] = new + old[at:]
    return found


def moved(lines, kept):
    """The text of lines, with blank ones after the first and before and after what
    is kept, and one less between where there is one."""
    new, may_go = [], False
    for number, line in enumerate(lines):
        # a blank line would end a macro
        inside = not number or lines[number - 1].endswith("\\\n")
        edge = number == 1 and number not in kept or \
            (number in kept) != (number - 1 in kept)
        if edge and not inside:
            new += ["\n"] * 2
            may_go = number not in kept
        elif number not in kept and line == "\n" and not inside and may_go:
            may_go = False
            continue
        new.append(line)
    return "".join(new)


@pytest.fixture(name="made", scope="module")
def make_copy():
    """(the copy, patched; {file: (the moved vanilla's text, the series' on the base)})"""
    repo, vanilla = series.repo_on_tree(BASE)
    print(f"  MOVE    {BASE}", flush=True)
    copy = SeriesCopy("moved")
    # what the patches touch is all that they need; the rest is for Kbuild
    copy.trees(BASE).mkdir(parents=True)
    series.clone_tree(vanilla, copy.trees(BASE) / "patched")
    files = {path: (moved(*how), series.git("show", f"{repo.head}:{path}",
                                            cwd=repo.dir).decode())
             for path, how in shown(repo, vanilla).items()}
    copy.base(BASE, NEXT, {path: text for path, (text, _) in files.items()})
    with tarfile.open(copy.dir / f"build/linux-source-{BASE}.tar", "w") as out:
        for path in files:
            out.add(copy.trees(BASE) / "vanilla" / path, f"linux-source-{BASE}/{path}")
    copy.commit()
    assert copy.tool("patched", BASE) == f"{NOTE}\n"
    yield copy, files
    shutil.rmtree(copy.dir)


def test_applies(made):
    """Each patch applies where it should, and what asks for a no-op does not.

    But for the blank lines they make what they make of the base itself.
    """
    copy, files = made
    assert len(files) > 40
    out = copy.run("scripts/lint.sh", BASE, "series")
    assert out.splitlines() == ["  LINT    series bookkeeping", NOTE]
    assert copy.tool("export", BASE).splitlines()[0] == NOTE
    for path, (_, there) in files.items():
        here = (copy.trees(BASE) / "patched" / path).read_text()
        assert here != there and re.sub("\n+", "\n", here) == re.sub("\n+", "\n", there), path
    assert not copy.edits()


def test_builds(made):
    """The objects of what the patches touch compile, as far as the kernel has them."""
    copy, files = made
    there = paths.object_dir(BASE, "patched", ARCH, VARIANT)
    sources = {*files, *(a for p in series.read_series(BASE) for a in p.adds)}
    targets = sorted(f"{s[:-2]}.o" for s in sources
                     if s.endswith((".c", ".S")) and not s.startswith("tools/")
                     and ARCH in kernels_of(s) and (there / f"{s[:-2]}.o").is_file())
    assert len(targets) > 20, "remedy: make kernels-core"
    copy.run("tools/testing/qemu/builds/kernel.sh", BASE, "patched", ARCH, VARIANT, *targets)
    obj = copy.trees(BASE) / "patched" / f"O.{ARCH}.{VARIANT}"
    assert all((obj / target).is_file() for target in targets)
    assert "warning: " not in (obj / "build.log").read_text()


def test_no_op_is_asked_of_the_recorded(made):
    """The control: were this the recorded version, the same patches would not do."""
    copy, files = made
    recorded = (copy.dir / "bases").read_text()
    copy.write(copy.dir / "bases", recorded.replace(RECORDED, NEXT))
    out = copy.tool("check", BASE, fails=True)
    assert out.count(NO_OP) > 20 and "note:" not in out
    copy.write(copy.dir / "bases", recorded)
    assert not copy.edits() and files


def misfit(files):
    """(patch, path, its hunks' first lines, (text, other text)): what of {path: text} to
    change for the last hunk to be rejected."""
    patches = series.read_series(BASE)
    # of a file that one patch touches, the last line of context, if it is there once
    patch, path, part, line = next(
        (p, f, part, line) for p in patches for f, part in series.by_file(p.hunks).items()
        for line in re.findall(r"^ (.*\S.*)$", part, re.M)[-1:]
        if f.endswith(".c") and files[f].count(f"\n{line}\n") == 1
        and sum(f in q.touches for q in patches) == 1)
    return (patch, path, re.findall(r"^@@ .*$", part, re.M),
            (f"\n{line}\n", f"\n{line} /* other */\n"))


def test_context_changed(made):
    """A hunk whose context is another is named, with the remedy; which works.

    Refresh writes all patches for this version, and records it.
    """
    copy, files = made
    patch, path, heads, other = misfit({f: text for f, (text, _) in files.items()})
    result = copy.trees(BASE) / "patched" / path
    before = result.read_text()
    copy.write(copy.trees(BASE) / "vanilla" / path, files[path][0].replace(*other))
    error = (f"series: {patch.path} does not apply\n"
             f"{path}: hunk {len(heads)} of {len(heads)}: {heads[-1]}\n"
             f"base {BASE} is {NEXT} here; the patches were last refreshed on {RECORDED}\n"
             f"remedy: make tree BASE={BASE}, resolve, make refresh BASE={BASE}\n")
    for command in ("export", "patched"):
        assert copy.tool(command, BASE, fails=True) == f"{NOTE}\n{error}"
    assert error in copy.run("scripts/lint.sh", BASE, "series", fails=True)
    assert result.read_text() == before and not copy.edits()
    out = copy.tool("tree", BASE)
    assert out.startswith(NOTE) and f"  REJECT  {path}.rej of {patch.path}\n" in out
    tree = copy.trees(BASE) / "tree"
    assert "@@ " in (tree / f"{path}.rej").read_text()
    # what was left out is not left out for ever
    left = copy.tool("refresh", BASE, fails=True)
    assert f"hunks were left out: {path}.rej\nremedy: " in left and not copy.edits()
    copy.write(tree / path, before.replace(*other))
    commit = copy.tool("list", BASE).splitlines().index(patch.path) + 1
    commit = copy.run("git", "-C", tree, "log", "--reverse", "--format=%h").split()[commit]
    copy.run("git", "-C", tree, "commit", "-qa", f"--fixup={commit}")
    copy.run("git", "-C", tree, "-c", "sequence.editor=true", "rebase", "-q", "-i",
             "--autosquash", "--root")
    (tree / f"{path}.rej").unlink()
    assert copy.tool("refresh", BASE).startswith(NOTE)
    assert f"{BASE} {NEXT}" in (copy.dir / "bases").read_text()
    assert len(copy.edits().splitlines()) > 20 and copy.tool("check", BASE) == ""


def offered():
    """{version: the suites that offer the base's package in it, as their newest}."""
    found, heads = {}, set()
    run = subprocess.run(["apt-cache", "madison", f"linux-source-{BASE}"], text=True,
                         capture_output=True, check=True)
    for line in run.stdout.splitlines():
        _, version, source = (field.strip() for field in line.split("|"))
        where = source.removesuffix(" Packages")
        if not source.endswith(" Sources") and where not in heads:
            heads.add(where)
            found.setdefault(version, []).append(where.split()[1].split("/")[0])
    return found


def test_each_suite(tmp_path):
    """The series applies to the kernel of each of Debian's suites, not to that of the
    newest alone: a machine that has no other takes what the point release has."""
    others = {version: suites for version, suites in offered().items()
              if version != series.package(BASE)[0]}
    if series.suite(BASE) or not others:
        pytest.skip(f"no suite here has base {BASE} in another version")
    touched = series.repo_on_tree(BASE)[0].root_files
    for version, suites in others.items():
        print(f"  SUITE   {' '.join(suites)}: {version}", flush=True)
        subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download",
                        f"linux-source-{BASE}={version}"], cwd=tmp_path, check=True)
        package, = tmp_path.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
        package.unlink()
        files = {}
        tar, = tmp_path.glob(f"usr/src/linux-source-{BASE}.tar.*")
        with tarfile.open(tar) as kernel:
            for member in kernel:
                path = member.name.partition("/")[2]
                if path in touched:
                    files[path] = kernel.extractfile(member).read().decode()
        copy = SeriesCopy("suites")
        copy.base(BASE, version, files)
        copy.commit()
        out = copy.tool("patched", BASE)
        assert out.startswith(f"note: base {BASE} is {version} here") and \
            len(out.splitlines()) == 1, out
        shutil.rmtree(copy.dir)


def test_suite_moved_on():
    """A base whose suite has gone on to a kernel that rejects a patch is named, with the
    hunk, and skipped; asked for it, or were it the recorded version, make fails."""
    repo, _ = series.repo_on_tree(BASE)
    root = series.git("rev-list", "--max-parents=0", repo.head, cwd=repo.dir).decode().strip()
    files = {path: series.git("show", f"{root}:{path}", cwd=repo.dir).decode()
             for path in repo.root_files}
    patch, path, heads, other = misfit(files)
    copy = SeriesCopy("skipped")
    copy.commit()
    bases = (copy.dir / "bases").read_text()
    for recorded in ("9.9.1-1", "9.9.2-1"):
        copy.write(copy.dir / "bases", re.sub(
            rf"^{re.escape(BASE)} .*$", rf"\g<0>\n9.9 {recorded} elsewhere", bases, flags=re.M))
        copy.base("9.9", "9.9.2-1", {**files, path: files[path].replace(*other)}, "elsewhere")
        error = (f"{patch.path} does not apply\n"
                 f"{path}: hunk {len(heads)} of {len(heads)}: {heads[-1]}\n"
                 f"base 9.9 is 9.9.2-1 here; the patches were last refreshed on {recorded}\n")
        moved = recorded != "9.9.2-1"
        out = copy.run("make", "check-base-9.9", fails=not moved)
        assert (f"note: base 9.9 is skipped: {error}" in out) == moved and error in out
        assert error in copy.run("make", "check", "BASE=9.9", fails=True)
    shutil.rmtree(copy.dir)
