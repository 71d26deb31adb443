#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Boot one guest, run the tests it is told to, and report what was seen.

    boot.py powernv9 --tree patched --variant on --run registers
"""

import argparse
import sys

from harness import paths, process
from harness.drivers import DRIVERS
from harness.guest import Boot
from harness.machines import MACHINES


def main():
    """Boot as the command line says; the exit status is 0 if it completed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machine", choices=MACHINES)
    for option, default in (("base", "6.1"), ("tree", "patched"),
                            ("variant", "on"), ("arch", ""), ("append", "")):
        parser.add_argument(f"--{option}", default=default)
    parser.add_argument("--hba", default="fusion", choices=DRIVERS)
    parser.add_argument("--run", default="registers", help="tests, by comma")
    parser.add_argument("--args", default="", help="their arguments, by comma")
    parser.add_argument("--smp", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120, help="seconds")
    args = vars(parser.parse_args())
    for words in ("run", "args"):
        args[words] = tuple(word for word in args[words].split(",") if word)
    result = process.run(Boot(**args))
    print(result.ktap.read_text())
    print(f"outcome {result.outcome}, rejected accesses {result.hits.lines}, "
          f"in the BAR {result.hits_in_bar()}; {paths.short(result.console)}")
    sys.exit(result.outcome != "completed")


if __name__ == "__main__":
    main()
