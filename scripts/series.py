#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Apply, check, export and refresh the patch series: see scripts/patchset."""

import argparse
import contextlib
import fcntl
import sys
from pathlib import Path

from patchset.base import clone_tree, has_moved, vanilla_tree
from patchset.check import cmd_check
from patchset.export import cmd_export, cmd_upstream
from patchset.files import BUILD, Error, Misfit
from patchset.patch import read_series, suite
from patchset.refresh import cmd_refresh
from patchset.repo import repo_on_tree
from patchset.tree import cmd_tree


def cmd_vanilla(args):
    """Unpack the base."""
    vanilla_tree(args.base)


def cmd_patched(args):
    """Bring build/BASE/patched to the series' head (or --first).

    With --fixes build/BASE/fixes is brought to the base and the fixes.
    """
    repo, vanilla = repo_on_tree(args.base, ["fixes"] if args.fixes else None)
    dest = (Path(args.dest).absolute() if args.dest else
            BUILD / args.base / ("fixes" if args.fixes else "patched"))
    clone_tree(vanilla, dest)
    commit = repo.commits[args.first - 1] if args.first else repo.head
    repo.expand(dest, commit, vanilla)
    stamp = dest / ".series-head"
    if not stamp.is_file() or stamp.read_text() != commit:
        stamp.write_text(commit)


def cmd_fits(args):
    """Whether the series applies; the status is 3 if the kernel of a base's suite has
    moved on to a version that rejects a patch, which is named."""
    try:
        repo_on_tree(args.base)
    except Misfit as e:
        if not (suite(args.base) and has_moved(args.base)):
            raise
        print(f"note: base {args.base} is skipped: {e}", flush=True)
        sys.exit(3)


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


@contextlib.contextmanager
def alone():
    """One command at a time in a checkout: each makes repositories in build/ anew."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / "series.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("  WAIT    another run of series.py in this checkout", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main():
    """Parse the command line; an Error ends with its text and status 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    sub = parser.add_subparsers(dest="cmd", required=True)
    for name, func in (("vanilla", cmd_vanilla), ("patched", cmd_patched),
                       ("fits", cmd_fits), ("list", cmd_list), ("where", cmd_where),
                       ("upstream", cmd_upstream),
                       ("export", cmd_export), ("tree", cmd_tree),
                       ("refresh", cmd_refresh)):
        p = sub.add_parser(name, help=func.__doc__)
        p.set_defaults(func=func)
        if name != "upstream":
            p.add_argument("base")
        if name == "where":
            p.add_argument("file")
        if name == "export":
            p.add_argument("--topic", default="series", help="one of cover-letters/")
            p.add_argument("--signoff", metavar="'Name <mail>'",
                           help="the sender, who signs off each patch")
        if name == "patched":
            p.add_argument("--first", type=int, help="first N patches only")
            p.add_argument("--dest", help="directory to bring there")
            p.add_argument("--fixes", action="store_true",
                           help="only the patches marked as fixes")
    p = sub.add_parser("check", help=cmd_check.__doc__)
    p.add_argument("bases", nargs="*")
    p.set_defaults(func=cmd_check)
    args = parser.parse_args()
    reads = args.func in (cmd_list, cmd_where)
    try:
        with contextlib.nullcontext() if reads else alone():
            args.func(args)
    except Error as e:
        sys.exit(f"series: {e}")


if __name__ == "__main__":
    main()
