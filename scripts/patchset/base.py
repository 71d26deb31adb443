# SPDX-License-Identifier: GPL-2.0
"""The kernel sources of a base: Debian's package, unpacked."""

import os
import shutil
import subprocess
from pathlib import Path

from .files import BUILD, TOP, Error
from .patch import bases, suite


def downloaded(suite):
    """(version, tarball) of a suite's kernel source in build/dl, or Nones."""
    there = BUILD / "dl" / suite
    version = there / "version"
    tars = sorted(there.glob("usr/src/linux-source-*.tar.*"))
    return (version.read_text().strip(), tars[0]) if version.is_file() and tars else \
        (None, None)


def package(base):
    """(version, tarball) of the base's linux-source package: of the installed one, by
    dpkg, or of the one that setup.sh took from another suite.

    Both are None if it is not there.
    """
    if suite(base):
        return downloaded(suite(base))
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
    for old in (BUILD / base / t for t in ("patched", "fixes", "bisect")):
        shutil.rmtree(old, ignore_errors=True)
    unpack(tar, version, tree)
    return tree


def unpack(tar, version, tree):
    """Unpack a kernel's tarball, of a package's version, in the directory tree."""
    free = shutil.disk_usage(TOP).free >> 30
    if free < 6:
        raise Error(f"{free} GiB free; a base with its kernels needs 6")
    print(f"  UNPACK  {tar.name} ({version})", flush=True)
    new = tree.with_name("unpack")
    for old in (tree, new):
        shutil.rmtree(old, ignore_errors=True)
    new.mkdir(parents=True)
    subprocess.run(["tar", "-xf", tar, "-C", new, "--strip-components=1"],
                   check=True)
    (new / ".unpacked").write_text(version)
    new.rename(tree)


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
