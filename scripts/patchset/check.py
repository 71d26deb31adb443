# SPDX-License-Identifier: GPL-2.0
"""Bookkeeping of the series."""

from pathlib import Path

from .base import has_moved
from .export import LETTERS
from .files import TOP, Error, git
from .patch import bases, read_series
from .refresh import file_name, overrides, rewritten
from .repo import repo_on_tree

KERNEL_DIRS = ("arch", "drivers", "include", "kernel", "lib",
               "Documentation", "tools", "scripts")
# Under those directories, but of this repository alone.
OWN = ("scripts/series.py", "scripts/patchset/", "scripts/setup.sh", "scripts/packages",
       "scripts/lint.sh", "scripts/fresh.sh", "tools/testing/qemu/",
       "tools/testing/dma_hints/",
       "Documentation/changelog.txt")


def cmd_check(args):
    """Bookkeeping: claims, file names, order, and that each patch applies.

    On the recorded version of a base refresh has to be a no-op.
    """
    faults = []
    listed = [line.split("#")[0].strip()
              for line in (TOP / "series").read_text().splitlines()]
    listed = [name for name in listed if name]
    tracked = [f for f in git("ls-files", "-co", "--exclude-standard",
                              cwd=TOP).decode().split() if (TOP / f).is_file()]
    faults += [f"series lists {n} twice" for n in set(listed)
               if listed.count(n) > 1]
    is_override = {str(file) for n in listed for file in overrides(n).values()}
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
    topics = sorted(f.stem for f in LETTERS.glob("*.txt") if f.stem != "series")
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
            if Path(patch.path).name != file_name(subject):
                faults.append(f"{patch.path}: the file name is not its subject's "
                              f"slug '{file_name(subject)}'")
            if patch.topic not in topics:
                faults.append(f"{patch.path}: its line in series has no topic\n"
                              f"remedy: '# topic: NAME', one of {' '.join(topics)}")
    if faults:
        raise Error("\n".join(faults))
