# SPDX-License-Identifier: GPL-2.0
"""The series on the next point release of its base, which is made here.

A copy of the repository has a vanilla of its own: lines are put in and taken out
around every hunk, or a line of context is another.  A dpkg-query before the real
one in PATH calls that another version.  The copy does not know that it is tried.
"""

import os
import re
import shutil
import subprocess
import tarfile

import pytest

import boot
from test_series import BASE, kernels_of, series

ARCH, VARIANT = "ppc64", "on"
COPY = boot.BUILD / "moved"
TREES = COPY / "build" / BASE
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


def run(*command, fails=False):
    """Run a command of the copy's; return what it prints."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "CI"))}
    done = subprocess.run(
        command, cwd=COPY, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**env, "PATH": f"{COPY}/build/bin:{os.environ['PATH']}",
             **{f"GIT_{who}_{what}": "check" for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")}})
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


def tool(*args, **how):
    """Run the copy's series.py."""
    return run("scripts/series.py", *args, **how)


def edits():
    """What has changed in the copy."""
    return run("git", "status", "--porcelain")


def write(path, text):
    """Write a file that may have other links."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture(name="files", scope="module")
def make_copy():
    """The copy, patched; {file: (the moved vanilla's text, the series' on the base)}."""
    repo, vanilla = series.repo_on_tree(BASE)
    print(f"  MOVE    {BASE}", flush=True)
    shutil.rmtree(COPY, ignore_errors=True)
    for path in series.git("ls-files", "-co", "--exclude-standard",
                           cwd=boot.TOP).decode().split():
        if (boot.TOP / path).is_file():
            (COPY / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(boot.TOP / path, COPY / path)
    TREES.mkdir(parents=True)
    # what the patches touch is all that they need; the rest is for Kbuild
    series.clone_tree(vanilla, TREES / "patched")
    files = {path: (moved(*how), series.git("show", f"{repo.head}:{path}",
                                            cwd=repo.dir).decode())
             for path, how in shown(repo, vanilla).items()}
    for path, (text, _) in files.items():
        write(TREES / "vanilla" / path, text)
    write(TREES / "vanilla/.unpacked", NEXT)
    tar = COPY / f"build/linux-source-{BASE}.tar"
    with tarfile.open(tar, "w") as out:
        for path in files:
            out.add(TREES / "vanilla" / path, f"linux-source-{BASE}/{path}")
    shim = COPY / "build/bin/dpkg-query"
    write(shim, f"#!/bin/sh\ncase $* in *linux-source-{BASE})\n"
          f"\tprintf '%s\\n' '{NEXT}' '{tar}'; exit ;;\nesac\n"
          f"exec {shutil.which('dpkg-query')} \"$@\"\n")
    shim.chmod(0o755)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "copy"]):
        run("git", *command)
    assert tool("patched", BASE) == f"{NOTE}\n"
    yield files
    shutil.rmtree(COPY)


def test_applies(files):
    """Each patch applies where it should, and what asks for a no-op does not.

    But for the blank lines they make what they make of the base itself.
    """
    assert len(files) > 40
    out = run("scripts/lint.sh", BASE, "series")
    assert out.splitlines() == ["  LINT    series bookkeeping", NOTE]
    assert tool("export", BASE).splitlines()[0] == NOTE
    for path, (_, there) in files.items():
        here = (TREES / "patched" / path).read_text()
        assert here != there and re.sub("\n+", "\n", here) == re.sub("\n+", "\n", there), path
    assert not edits()


def test_builds(files):
    """The objects of what the patches touch compile, as far as the kernel has them."""
    there = boot.object_dir(BASE, "patched", ARCH, VARIANT)
    sources = {*files, *(a for p in series.read_series(BASE) for a in p.adds)}
    targets = sorted(f"{s[:-2]}.o" for s in sources
                     if s.endswith((".c", ".S")) and not s.startswith("tools/")
                     and ARCH in kernels_of(s) and (there / f"{s[:-2]}.o").is_file())
    assert len(targets) > 20, "remedy: make kernels-core"
    run("tools/testing/qemu/kernel.sh", BASE, "patched", ARCH, VARIANT, *targets)
    obj = TREES / "patched" / f"O.{ARCH}.{VARIANT}"
    assert all((obj / target).is_file() for target in targets)
    assert "warning: " not in (obj / "build.log").read_text()


def test_no_op_is_asked_of_the_recorded(files):
    """The control: were this the recorded version, the same patches would not do."""
    recorded = (COPY / "bases").read_text()
    write(COPY / "bases", recorded.replace(RECORDED, NEXT))
    out = tool("check", BASE, fails=True)
    assert out.count(NO_OP) > 20 and "note:" not in out
    write(COPY / "bases", recorded)
    assert not edits() and files


def test_context_changed(files):
    """A hunk whose context is another is named, with the remedy; which works.

    Refresh writes all patches for this version, and records it.
    """
    patches = series.read_series(BASE)
    # of a file that one patch touches, the last line of context, if it is there once
    patch, path, part, line = next(
        (p, f, part, line) for p in patches for f, part in series.by_file(p.hunks).items()
        for line in re.findall(r"^ (.*\S.*)$", part, re.M)[-1:]
        if f.endswith(".c") and files[f][0].count(f"\n{line}\n") == 1
        and sum(f in q.touches for q in patches) == 1)
    heads = re.findall(r"^@@ .*$", part, re.M)
    result = TREES / "patched" / path
    before = result.read_text()
    other = (f"\n{line}\n", f"\n{line} /* other */\n")
    write(TREES / "vanilla" / path, files[path][0].replace(*other))
    error = (f"series: {patch.path} does not apply\n"
             f"{path}: hunk {len(heads)} of {len(heads)}: {heads[-1]}\n"
             f"base {BASE} is {NEXT} here; the patches were last refreshed on {RECORDED}\n"
             f"remedy: make tree BASE={BASE}, resolve, make refresh BASE={BASE}\n")
    for command in ("export", "patched"):
        assert tool(command, BASE, fails=True) == f"{NOTE}\n{error}"
    assert error in run("scripts/lint.sh", BASE, "series", fails=True)
    assert result.read_text() == before and not edits()
    out = tool("tree", BASE)
    assert out.startswith(NOTE) and f"  REJECT  {path}.rej of {patch.path}\n" in out
    tree = TREES / "tree"
    assert "@@ " in (tree / f"{path}.rej").read_text()
    write(tree / path, before.replace(*other))
    commit = tool("list", BASE).splitlines().index(patch.path) + 1
    commit = run("git", "-C", tree, "log", "--reverse", "--format=%h").split()[commit]
    run("git", "-C", tree, "commit", "-qa", f"--fixup={commit}")
    run("git", "-C", tree, "-c", "sequence.editor=true", "rebase", "-q", "-i",
        "--autosquash", "--root")
    assert tool("refresh", BASE).startswith(NOTE)
    assert f"{BASE} {NEXT}" in (COPY / "bases").read_text()
    assert len(edits().splitlines()) > 20 and tool("check", BASE) == ""
