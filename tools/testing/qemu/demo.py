#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The demonstration: a dead register under a vanilla and a patched kernel.

Both kernels read and write a real register of an emulated host adapter, in 1,
2, 4 and 8 bytes, with memory decoding on and then off.  A table and
build/results/demo.json say what came of it; the exit status is 0 if the
vanilla kernel died at its first failed access and the patched one reported
every failed access, and no other.
"""

import argparse
import sys

import boot
import results


def run(kernel, how):
    """Boot one kernel; return its row of the table."""
    result = boot.boot(how["machine"], base=how["base"], arch=how["arch"],
                       timeout=120, run=["registers"],
                       log=boot.BUILD / "demo" / kernel, **{
                           "vanilla": {"tree": "vanilla", "variant": "plain",
                                       "args": ["plain"]},
                           "patched": {"tree": "patched", "variant": "on"},
                       }[kernel])
    seen = result.figures()
    hits = result.hits_in_bar()
    return {
        "outcome": result.outcome,
        "fault_kind": "real",      # QEMU's bus rejected the access
        "faults": 1,               # times memory decoding was taken away
        "accesses": seen.get("accesses"),
        "hits": hits,
        "detected": seen.get("detected", 0),
        "wrong": seen.get("wrong"),
        "log": str(result.console.relative_to(boot.TOP)),
    }


def main():
    """Run both kernels, print the table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", default="powernv9", choices=boot.MACHINES)
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--arch", default="ppc64")
    how = vars(parser.parse_args())
    rows = {kernel: run(kernel, how) for kernel in ("vanilla", "patched")}
    vanilla, patched = rows["vanilla"], rows["patched"]
    want = {
        "vanilla panics at its first hit":
            vanilla["outcome"] == "panic" and vanilla["hits"] == 1,
        "patched completes": patched["outcome"] == "completed",
        "patched sees every hit":
            patched["detected"] == patched["hits"] >= 1000,
        "patched gives no wrong verdict": patched["wrong"] == 0,
    }
    print(f"\n{how['machine']}, mptsas1068, Linux {how['base']}: registers read "
          "and written with memory decoding on, then off\n")
    results.table(rows, ("accesses", "hits", "detected", "wrong", "outcome",
                         "fault_kind"))
    print("\nhits: accesses that QEMU's bus rejected, by QEMU's own log; "
          "detected: errors\nthat the kernel reported; wrong: verdicts against "
          "the state of the device.\n'-': not reached.")
    results.write("demo", all(want.values()), rows)
    for what, good in want.items():
        if not good:
            print(f"demo: FAILED: {what}\n"
                  f"  logs: {vanilla['log']} {patched['log']}", file=sys.stderr)
    sys.exit(not all(want.values()))


if __name__ == "__main__":
    main()
