#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The evaluations of five papers, redone in QEMU: make bench.

Boots that were made before are not made again, unless what went into them has changed.
Instructions are counted, and are the same in each run as far as the tables say so.
Times are those of an emulator: nothing but ratios in one run are of use, with their
spread.
"""

import argparse
import dataclasses
import sys
import time

from evaluations import EVALUATIONS, cell, report, silicon, size

# tables without boots
MEASURED = {"code": size, "silicon": silicon}
# those that have to be asked for
ASKED = {"soak"}


def main():
    """Run all cells, with progress, and report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--quick", action="store_true", help="a sample, in ten minutes")
    parser.add_argument("--tables", type=lambda text: text.split(","), metavar="NAME,...",
                        help="cells of these tables alone")
    parser.add_argument("--build", action="store_true", help="nothing but what it needs")
    args = parser.parse_args()
    cells = [dataclasses.replace(c, base=args.base) for evaluation in EVALUATIONS
             for c in evaluation.cells(args.quick)]
    known = {c.table for c in cells} | MEASURED.keys()
    wanted = set(args.tables or known - ASKED)
    if wanted - known:
        sys.exit(f"bench: no table '{min(wanted - known)}'\n"
                 f"remedy: there are {' '.join(sorted(known))}")
    cells = [c for c in cells if c.table in wanted]
    cell.prepare(cells, args.base)
    if args.build:
        return
    start = time.monotonic()
    done = []
    for n, one in enumerate(cells, 1):
        print(f"  BENCH   {n} of {len(cells)}, {time.monotonic() - start:.0f} s: {one.name}",
              flush=True)
        done.append(cell.run(one))
    for table, module in MEASURED.items():
        if table in wanted:
            done += module.measure(args.base, args.quick)
    part = [*["quick"] * args.quick, *sorted(args.tables or ())]
    sys.exit(not report.report(done, args.base, part))


if __name__ == "__main__":
    main()
