# SPDX-License-Identifier: GPL-2.0
"""make refresh takes what a developer did in the tree, on each base, or changes nothing.

A copy of the repository has all bases, as far as the patches touch them.  A test does
with git what a developer does, and looks at `series` and the patches; at the end of
each the bookkeeping of lint holds on all bases.
"""

import os
import re
import shutil
import subprocess

import pytest

from common import series
from harness import paths
from series_copy import SeriesCopy

pytestmark = pytest.mark.slow

BASES = list(series.bases())
FUSION = "drivers/message/fusion/mptbase.c"
SYM = "drivers/scsi/sym53c8xx_2"
CHANGE = 'printk(KERN_INFO "tried\\n");\n'


@pytest.fixture(name="origin", scope="module")
def make_origin():
    """The copy, as it is committed."""
    copy = SeriesCopy("refreshed")
    for base, version in series.bases().items():
        repo, vanilla = series.repo_on_tree(base)
        copy.base(base, version, {
            p: (vanilla / p).read_text() for p in repo.root_files}, series.suite(base))
    copy.commit()
    yield copy
    shutil.rmtree(copy.dir)


class Work:
    """A tree of a base in the copy."""

    def __init__(self, copy, base):
        self.copy, self.base = copy, base
        self.dir = copy.trees(base) / "tree"
        copy.tool("tree", base)

    def git(self, *args, **how):
        """Run git in the tree."""
        return self.copy.run("git", *args, cwd=self.dir, **how)

    def rebase(self, edit):
        """Rebase, with a sed expression on the list of commits."""
        return self.git("-c", f"sequence.editor=sed -i {edit}", "rebase", "-q", "-i",
                        "base")

    def commit(self, subject, path, more="", **how):
        """Commit the file path with `more` at its end."""
        file = self.dir / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a") as out:
            out.write(more)
        self.git("add", "-f", path)
        self.git("commit", "-qm", f"{subject}\n\nIt is tried.\n\nSigned-off-by: A <a@b>",
                 **how)

    def refresh(self, **how):
        """Refresh the copy; return what is printed."""
        return self.copy.tool("refresh", self.base, **how)

    def listed(self, base=None):
        """The patches of a base, in order."""
        return self.copy.tool("list", base or self.base).splitlines()


@pytest.fixture(name="work", params=BASES)
def make_work(origin, request):
    """A tree of each base; afterwards lint's bookkeeping holds and all is put back."""
    work = Work(origin, request.param)
    yield work
    shutil.rmtree(work.dir)
    origin.run("git", "add", "-A")
    origin.run("git", "reset", "-q", "--hard")
    assert not origin.edits()


def sound(work):
    """Refresh is a no-op now, and so it is on the other bases."""
    assert work.copy.tool("check") == ""
    before = work.copy.edits()
    work.refresh()
    assert work.copy.edits() == before


def edited(work):
    """{path: git status' two letters} of the copy."""
    return {line[3:]: line[:2].strip() for line in work.copy.edits().splitlines()}


def test_nothing(work):
    """A tree that nobody touched changes nothing."""
    assert work.refresh() == "" and not work.copy.edits()


def test_drop(work):
    """A dropped commit takes its patch, its overrides and the files that it adds."""
    name = "tools/testing/selftests/add-dma_hints.patch"
    adds = re.findall("^Adds: (.*)$", (work.copy.dir / name).read_text(), re.M)
    before = work.listed()
    work.rebase("'/ selftests: Add dma_hints/d'")
    out = work.refresh()
    assert f"  REMOVE  {name}\n" in out and adds
    assert work.listed() == [n for n in before if n != name]
    assert {p: s for p, s in edited(work).items() if s == "D"}.keys() == {
        name, *adds, *(f"tools/testing/selftests/{b}/add-dma_hints.patch"
                       for b in BASES[1:])}
    sound(work)


def test_add(work):
    """A new commit gets its file, its place in `series`, and what it adds."""
    after = "drivers/message/fusion/recover-from-failed-register-accesses.patch"
    number = work.listed().index(after) + 1
    commit = work.git("log", "--reverse", "--format=%h").split()[number]
    work.rebase(f"'s/^pick {commit}.*/&\\nbreak/'")
    (work.dir / "drivers/message/fusion/trial.h").write_text("/* tried */\n")
    work.git("add", "-f", "drivers/message/fusion/trial.h")
    work.commit("scsi: mptbase: Try something new", FUSION, CHANGE)
    work.git("rebase", "--continue", GIT_EDITOR="true")
    out = work.refresh()
    new = "drivers/message/fusion/try-something-new.patch"
    assert f"  ADD     {new}\n" in out
    assert work.listed()[number] == new and work.listed()[number - 1] == after
    text = (work.copy.dir / new).read_text()
    assert text.startswith("From: check <check>\nDate: ") and CHANGE in text
    assert "\nSubject: [PATCH] scsi: mptbase: Try something new\n\nIt is tried.\n" in text
    assert "\n---\nAdds: drivers/message/fusion/trial.h\n\ndiff --git " in text
    assert new in work.listed(BASES[0]) and new in work.listed(BASES[-1])
    series_file = work.copy.dir / "series"
    listed = series_file.read_text()
    assert f"\n{new}  # topic: fusion\n" in listed
    sound(work)
    series_file.write_text(listed.replace(f"{new}  # topic: fusion", new))
    assert (f"{new}: its line in series has no topic\nremedy: '# topic: NAME', one of "
            in work.copy.tool("check", fails=True))


def change_own_line(work, other, path):
    """Change a line of a file in the tree that the other base has not."""
    mine, theirs = ((work.copy.trees(b) / "vanilla" / path).read_text()
                    for b in (work.base, other))
    text = (work.dir / path).read_text()
    line = next(one for one in text.splitlines()
                if len(one) > 20 and mine.count(one) == 1 and one not in theirs)
    (work.dir / path).write_text(text.replace(line, f"{line} /* tried */"))


def test_add_here_alone(work):
    """What does not apply to the other bases is kept to its own, and that is said."""
    other = next(b for b in BASES if b != work.base)
    path = f"{SYM}/sym_glue.c"
    change_own_line(work, other, path)
    work.commit("scsi: sym53c8xx_2: Try this base alone", path)
    out = work.refresh()
    new = f"{SYM}/try-this-base-alone.patch"
    assert f"note: {new} does not apply to {other}, and is kept to " in out
    kept = [b for b in BASES if f"does not apply to {b}, " not in out]
    assert work.base in kept and other not in kept
    assert (f"\n{new}  # base: {' '.join(kept)}  # topic: dma-hints\n" in
            (work.copy.dir / "series").read_text())
    assert [b for b in BASES if new in work.listed(b)] == kept
    sound(work)


def test_rename(work):
    """A commit with another subject moves its patch, overrides too."""
    old = "drivers/message/fusion/recover-from-failed-register-accesses.patch"
    new = old.replace("recover", "come-back")
    place = work.listed().index(old)
    subject = "scsi: message: fusion: Come back from failed register accesses"
    found = work.git("log", "--format=%h %s").splitlines()
    commit = next(c.split()[0] for c in found if "message: fusion" in c and c.endswith(
        "Recover from failed register accesses"))
    work.rebase(f"'s/^pick {commit}.*/&\\nexec git commit -q --amend -m \"{subject}\"/'")
    out = work.refresh()
    assert f"  ADD     {new}\n" in out and f"  REMOVE  {old}\n" in out
    assert work.listed()[place] == new and old not in work.listed()
    overrides = [p for p in edited(work) if "/6.12/" in p]
    assert any(p.endswith("come-back-from-failed-register-accesses.patch")
               for p in overrides)
    assert f"Subject: [PATCH] {subject}\n" in (work.copy.dir / new).read_text()
    sound(work)


def test_reorder(work):
    """Commits in another order are so in `series`; lines of other bases stay."""
    names = ["drivers/message/fusion/do-not-rescan-after-a-failed-reset.patch",
             "drivers/message/fusion/keep-sas-devices-whose-page-cannot-be-read.patch"]
    before = (work.copy.dir / "series").read_text()
    lines = [next(ln for ln in before.splitlines() if ln.startswith(n)) for n in names]
    subject = " rescan after a failed reset$"
    work.rebase(f"-e '/{subject}/{{h;d}}' -e '/ Keep SAS devices/G'")
    work.refresh()
    assert (work.copy.dir / "series").read_text() == before.replace(
        "\n".join(lines), "\n".join(lines[::-1]))
    sound(work)


def test_edit_and_amend(work):
    """A fixup and an amended message come back; bases with hunks of their own are named."""
    name, path = f"{SYM}/set-dma-hints.patch", "drivers/scsi/Kconfig"
    subject = "scsi: sym53c8xx_2: Set DMA hints"

    def found():
        return next(ln.split()[0] for ln in work.git("log", "--format=%h %s").splitlines()
                    if ln.endswith(f" {subject}"))
    file = work.dir / path
    file.write_text(file.read_text().replace(
        "the chip and memory read", "the chip and its memory read"))
    work.git("commit", "-qa", f"--fixup={found()}")
    assert "is not squashed" in work.refresh(fails=True) and not work.copy.edits()
    work.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "base")
    work.rebase(f"'s/^pick {found()}.*/&\\nexec git commit -q --amend --no-edit "
                "--trailer=\"Tested-by: B <b@c>\"/'")
    out = work.refresh()
    text = (work.copy.dir / name).read_text()
    assert "Tested-by: B <b@c>\n---\n" in text
    own = BASES[1] if work.base == BASES[0] else work.base
    override = (work.copy.dir / SYM / own / "set-dma-hints.patch").read_text()
    if work.base == BASES[0]:
        assert "its memory" in text and "its memory" not in override
        assert f"note: {path} of {name} has changed, and {own} has its own hunks" in out
        # which stand in for the hunk as it was
        assert work.copy.tool("check", work.base) == ""
        assert (f"{SYM}/{own}/set-dma-hints.patch: {path}: no hunk " in
                work.copy.tool("check", own, fails=True))
    else:
        assert "its memory" not in text and "its memory" in override
        assert f"note: {path} of {name} has changed for {work.base} only\n" in out
        sound(work)


def test_refused(work):
    """What a patch cannot hold is named, and changes nothing."""
    work.git("rm", "-q", FUSION)
    work.git("commit", "-qm", "scsi: mptbase: Go")
    assert f"deletes {FUSION} of the base" in work.refresh(fails=True)
    work.git("reset", "-q", "--hard", "HEAD^")
    work.commit("PCI: Change what another patch adds", "drivers/pci/io_check.c",
                "/* tried */\n")
    assert "drivers/pci/io_check.c, added by " in work.refresh(fails=True)
    work.git("reset", "-q", "--hard", "HEAD^")
    (work.dir / FUSION).write_text("")
    assert "has uncommitted edits" in work.refresh(fails=True)
    work.git("checkout", "-q", FUSION)
    other = work.dir / "drivers/scsi/forgotten.c"
    other.write_text("/* tried */\n")
    assert ("edited or added in the tree, but not under git: drivers/scsi/forgotten.c\n"
            "remedy: git add -f" in work.refresh(fails=True))
    other.unlink()
    assert not work.copy.edits()


def test_not_a_patch(work):
    """What the patches would not give again is refused, and changes nothing."""
    (work.dir / FUSION).chmod(0o755)
    work.commit("scsi: mptbase: Make it a program", FUSION)
    assert (f"'scsi: mptbase: Make it a program' cannot be written as a patch for "
            f"{work.base}: {FUSION} would be another\nremedy: "
            in work.refresh(fails=True))
    assert not work.copy.edits()


def test_interrupted(work):
    """A refresh that is interrupted changes nothing."""
    work.commit("scsi: mptbase: Try something", FUSION, CHANGE)
    stop = """if 1:
        import sys
        sys.path.insert(0, "scripts")
        from patchset.refresh import Refresh
        def stop(self):
            print("edits", len(self.edits.before))
            raise KeyboardInterrupt
        Refresh.verify = stop
        Refresh(sys.argv[1]).bring_back()"""
    out = work.copy.run("/usr/bin/python3", "-c", stop, work.base, fails=True)
    assert "KeyboardInterrupt" in out and re.search("^edits [1-9]", out, re.M)
    assert not work.copy.edits()


def test_other_base_misfits(work):
    """A patch that an edit keeps from another base is named, with that base."""
    other = next(b for b in BASES if b != work.base)
    subject, path = "scsi: sym53c8xx_2: Set DMA hints", f"{SYM}/sym_glue.c"
    change_own_line(work, other, path)
    work.git("commit", "-qam", f"fixup! {subject}")
    work.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "base")
    out = work.refresh()
    told = f"note: base {other} is to be looked at: {SYM}/set-dma-hints.patch"
    # a base that is not a patch's home has hunks of its own instead
    assert (told in out) == (work.base == BASES[0])
    faults = work.copy.tool("check", fails=work.base == BASES[0])
    assert not faults or f"{SYM}/set-dma-hints.patch" in faults


def stood_in_for(some):
    """(patch, path, line): what a hunk puts in that the second base has another for.

    some: the base has the file's other hunks; if not, none of them.
    """
    for patch in series.read_series(BASES[1]):
        for path in patch.parts(patch.own):
            mine = series.each_hunk(patch.main.get(path, ""))
            kept = mine.keys() & series.each_hunk(patch.with_own()[path]).keys()
            lines = re.findall(r"^\+(\t.*;)$", "".join(
                mine[name] for name in mine.keys() - kept), re.M)
            if patch.home == BASES[0] and path.endswith(".c") and lines and some == bool(kept):
                return patch, path, sorted(lines)[0]
    return pytest.fail("no such override")


@pytest.mark.parametrize("some", (True, False), ids=("some", "all"))
def test_hunk_of_an_override(origin, some):
    """Once a hunk changes that an override stands in for, alone or with all of the
    file's, the base is named."""
    work = Work(origin, BASES[0])
    patch, path, line = stood_in_for(some)
    text = (work.dir / path).read_text()
    (work.dir / path).write_text(text.replace(f"{line}\n", f"{line} /* tried */\n"))
    subject = re.search(r"^Subject: \[PATCH\] (.*)$", patch.header, re.M)[1]
    work.git("commit", "-qam", f"fixup! {subject}")
    work.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "base")
    out = work.refresh()
    stale = (f"{patch.path} does not apply\n{patch.own.relative_to(paths.TOP)}: {path}: "
             "no hunk ")
    assert f"note: base {BASES[1]} is to be looked at: {stale}" in out
    assert stale in work.copy.tool("check", BASES[1], fails=True)
    # the remedy begins with what can be applied
    assert f"  REJECT  {path}.rej of {patch.path}\n" in work.copy.tool("tree", BASES[1])
    shutil.rmtree(work.copy.trees(BASES[1]) / "tree")
    shutil.rmtree(work.dir)
    origin.run("git", "add", "-A")
    origin.run("git", "reset", "-q", "--hard")


def test_other_base_absent(work):
    """A base that is not installed is named, with the remedy, and left alone."""
    other = next(b for b in BASES if b != work.base)
    work.commit("scsi: mptbase: Try something", FUSION, CHANGE)
    shim = work.copy.dir / "build/absent/dpkg-query"
    work.copy.write(shim, f"#!/bin/sh\ncase $* in *linux-source-{other}) exit 1 ;; esac\n"
                    f"exec {work.copy.shim} \"$@\"\n")
    shim.chmod(0o755)
    out = work.refresh(PATH=f"{shim.parent}:{os.environ['PATH']}")
    assert (f"note: base {other} is not installed here, and not looked at\n"
            f"  remedy: scripts/setup.sh {other}, make lint BASE={other}\n" in out)
    assert work.copy.tool("check", work.base) == ""


def test_patches_changed_meanwhile(work):
    """A refresh that would undo an edit of a patch is refused; the remedy works."""
    name = work.copy.dir / "tools/testing/selftests/add-dma_hints.patch"
    text = name.read_text()
    work.copy.write(name, text.replace("\n\n", "\n\nMeanwhile.\n\n", 1))
    before = work.copy.edits()
    out = work.refresh(fails=True)
    assert "the patches have changed since" in out and work.copy.edits() == before
    remedy = re.search("^remedy: (.*)$", out, re.M)[1]
    work.copy.run("sh", "-c", remedy)
    work.refresh()
    assert "Meanwhile." in name.read_text() and work.copy.edits() == before


def test_mails(work):
    """git format-patch and b4 prep take the tree as it is; b4's letter is no patch."""
    count = len(work.listed())
    config = {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name",
              "GIT_CONFIG_VALUE_0": "A", "GIT_CONFIG_KEY_1": "user.email",
              "GIT_CONFIG_VALUE_1": "a@example.org"}
    out = work.copy.dir / "build/mails"
    for tool in (["git", "format-patch", "-q", "-o", out, "base"],
                 ["b4", "--offline-mode", "prep", "-p", out]):
        if tool[0] == "b4":
            work.copy.run("b4", "--offline-mode", "prep", "-e", "base", cwd=work.dir,
                          **config)
        shutil.rmtree(out, ignore_errors=True)
        work.copy.run(*tool, cwd=work.dir, **config)
        assert len([p for p in out.glob("*.patch")
                    if not p.name.startswith("0000")]) == count
    assert work.refresh() == "" and not work.copy.edits()


@pytest.mark.parametrize("topic", sorted(
    f.stem for f in (paths.TOP / "cover-letters").glob("*.txt")))
def test_topic(topic):
    """Each topic applies by git am, on a pristine base and what its letter names."""
    for base in BASES:
        if not any(topic in ("series", p.topic) for p in series.read_series(base)):
            continue
        run = subprocess.run([paths.SERIES, "export", base, "--topic",
                              topic, "--signoff", "A Sender <sender@example.org>"],
                             capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        out = paths.BUILD / base / ("series" if topic == "series" else f"series-{topic}")
        letter, *patches = sorted(out.glob("*.patch"))
        text = letter.read_text()
        assert "***" not in text and f"# Base: linux-source-{base} " in text
        assert topic == "series" or "\nPrior art\n" in text and "\nObjections\n" in text
        # people and lists that get_maintainer.pl finds for all that is touched
        assert "\n# To: Bjorn Helgaas <" in text or topic not in ("series", "core", "nvme")
        assert "\n# Cc: linux-kernel@vger.kernel.org\n" in text
        for patch in patches:
            assert patch.read_text().count(
                "Signed-off-by: A Sender <sender@example.org>\n") == 1


def test_topic_unknown():
    """A topic or a sender that is none is named, with those that there are."""
    for words, said in ((["--topic", "sorcery"], "no topic 'sorcery'; there are: arm64 "),
                        (["--signoff", "me"], "'me' is not Name <mail>\nremedy: ")):
        run = subprocess.run([paths.SERIES, "export", BASES[0], *words],
                             capture_output=True, text=True)
        assert run.returncode and said in run.stderr
