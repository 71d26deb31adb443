# SPDX-License-Identifier: GPL-2.0
"""Bookkeeping of the series."""

from pathlib import Path

from .base import has_moved
from .export import LETTERS
from .files import TOP, Error, git
from .patch import bases, code_lines, overrides, read_series
from .places import unreached
from .refresh import file_name, rewritten
from .repo import repo_on_tree

# What a reviewer reads in one sitting
CODE_LINES = 400
KERNEL_DIRS = ("arch", "drivers", "include", "kernel", "lib",
               "Documentation", "tools", "scripts")
# Under those directories, but of this repository alone.
OWN = ("scripts/series.py", "scripts/patchset/", "scripts/setup.sh", "scripts/packages",
       "scripts/lint.sh", "scripts/fresh.sh", "tools/testing/qemu/",
       "tools/testing/dma_hints/",
       "Documentation/changelog.txt")


def listed():
    """The patches that `series` names, whatever their base."""
    names = [line.split("#")[0].strip() for line in (TOP / "series").read_text().splitlines()]
    return [name for name in names if name]


def claims():
    """{path: the patches of all bases that add it}."""
    found = {}
    for base in bases():
        for patch in read_series(base):
            for path in patch.adds:
                found.setdefault(path, set()).add(patch.path)
    return found


def stray(path):
    """Whether a file is at a place of the kernel's, and not of this repository alone."""
    return (path.startswith(KERNEL_DIRS) and "/" in path and not path.endswith(".patch")
            and not any(path == own or (own.endswith("/") and path.startswith(own))
                        for own in OWN))


def bookkeeping():
    """Faults of `series` and of claims."""
    names, claimed = listed(), claims()
    overriding = {str(file) for n in names for file in overrides(n).values()}
    tracked = [f for f in git("ls-files", "-co", "--exclude-standard",
                              cwd=TOP).decode().split() if (TOP / f).is_file()]
    return [
        *(f"series lists {n} twice" for n in set(names) if names.count(n) > 1),
        *(f"{f}: in no line of series" for f in tracked
          if f.endswith(".patch") and f not in names and f not in overriding),
        *(f"{path}: claimed by {' and '.join(sorted(owners))}"
          for path, owners in claimed.items() if len(owners) > 1),
        *(f"{path}: claimed, but git ignores it or it is absent"
          for path in claimed if path not in tracked),
        *(f"{path}: a kernel file that no patch claims"
          for path in tracked if stray(path) and path not in claimed)]


def on_base(base):
    """Faults of the patches on a base."""
    topics = sorted(f.stem for f in LETTERS.glob("*.txt") if f.stem != "series")
    repo, vanilla = repo_on_tree(base)
    pairs = list(zip(repo.commits, repo.patches))
    faults = [f"{line}\nremedy: a hunk, or a line in scripts/patchset/places.py that says "
              "why it may stay" for line in unreached(repo, vanilla)]
    # elsewhere it would write other line numbers and context
    for path, data in () if has_moved(base) else rewritten(
            base, repo.dir, vanilla, pairs).items():
        have = (TOP / path).read_bytes() if (TOP / path).is_file() else None
        if have != data:
            faults.append(f"{path}: not as make refresh BASE={base} writes it")
    for commit, patch in pairs:
        faults += [f"{patch.path}: Adds: {path}: base {base} has that file; write hunks"
                   for path in patch.adds if (vanilla / path).exists()]
        subject = git("show", "-s", "--format=%s", commit, cwd=repo.dir).decode().strip()
        if Path(patch.path).name != file_name(subject):
            faults.append(f"{patch.path}: the file name is not its subject's slug "
                          f"'{file_name(subject)}'")
        count = code_lines(git("show", "--format=", commit, cwd=repo.dir).decode())
        if count > CODE_LINES:
            faults.append(f"{patch.path}: {count} changed lines of code on {base}\n"
                          f"remedy: split it; {CODE_LINES} are read in one sitting")
        if patch.topic not in topics:
            faults.append(f"{patch.path}: its line in series has no topic\n"
                          f"remedy: '# topic: NAME', one of {' '.join(topics)}")
    return faults


def cmd_check(args):
    """Bookkeeping: claims, file names, order, and that each patch applies.

    On the recorded version of a base refresh has to be a no-op.
    """
    faults = bookkeeping() or [fault for base in args.bases or bases()
                               for fault in on_base(base)]
    if faults:
        raise Error("\n".join(faults))
