# SPDX-License-Identifier: GPL-2.0
"""Results of a target: a table for the reader, JSON for programs."""

import json

import boot


def table(rows, columns):
    """Print {row name: {column: value}}; what is None shows as '-'."""
    cells = [["kernel", *columns]]
    for name, row in rows.items():
        cells.append([name] + ["-" if row.get(c) is None else str(row[c])
                               for c in columns])
    widths = [max(map(len, column)) for column in zip(*cells)]
    for line in cells:
        print("  " + "  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def write(target, good, figures):
    """Write build/results/TARGET.json: "ok" and the figures by name."""
    path = boot.BUILD / "results" / f"{target}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ok": good, **figures}, indent=1) + "\n")
    print(f"\n{path.relative_to(boot.TOP)}")
