#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The boots of a check for others: as jobs of a LAVA test farm, or as results for KCIDB.

Each boot leaves in its directory what it was, so that the tests are the only list of them.
A boot that needs somebody beside QEMU stays with the bench: left.csv says why.
"""

import argparse
import csv
import json
import shutil
import sys
from pathlib import Path

from harness import kcidb, lava, paths
from harness.boots import recorded
from harness.document import Error


def options():
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("jobs", "kcidb"))
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--out", type=Path, default=paths.BUILD / "jobs")
    parser.add_argument("--artifacts", default="",
                        help="URL under which workers find OUT/artifacts; its own path")
    parser.add_argument("--origin", default="io_check", help="the reporter's name in KCIDB")
    parser.add_argument("--logs", default="", help="URL of the build directory")
    return parser.parse_args()


def jobs(args, boots: list) -> None:
    """Write the jobs of a base, and the list of what is left."""
    # not with the others: who reports results needs no YAML
    import yaml     # pylint: disable=import-outside-toplevel
    out = args.out / args.base
    artifacts = lava.Artifacts(args.out / "artifacts",
                               args.artifacts or f"file://{args.out.resolve()}/artifacts")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    left = [(boot.name, lava.left(boot)) for boot in boots]
    for boot, (name, why) in zip(boots, left):
        if not why:
            (out / f"{name}.yaml").write_text(yaml.safe_dump(
                lava.job(boot, artifacts), sort_keys=False, width=1000))
    left = [(name, why) for name, why in left if why]
    with open(out / "left.csv", "w", newline="") as file:
        csv.writer(file).writerows([("boot", "why"), *left])
    print(f"  JOBS    {args.base}: {len(boots) - len(left)} jobs, "
          f"{len(left)} boots left to the bench; {paths.short(out)}")


def report(args, boots: list) -> None:
    """Write the submission to KCIDB."""
    whole = kcidb.submission(args.base, boots, args.origin, args.logs)
    out = paths.BUILD / "results" / f"kcidb-{args.base}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(whole, indent=1) + "\n")
    print(f"  KCIDB   {args.base}: {len(whole['builds'])} builds, {len(whole['tests'])} "
          f"tests; {paths.short(out)}")


def main():
    """As the command line says."""
    args = options()
    boots = list(recorded(args.base))
    if not boots:
        sys.exit(f"farm: no boot of {args.base} in {paths.short(paths.BUILD)}\n"
                 f"remedy: make check BASE={args.base}")
    try:
        jobs(args, boots) if args.what == "jobs" else report(args, boots)
    except Error as error:
        sys.exit(f"farm: {error}")


if __name__ == "__main__":
    main()
