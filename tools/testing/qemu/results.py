# SPDX-License-Identifier: GPL-2.0
"""Results of a target: a table for the reader, JSON for programs."""

import json

import boot


def table(rows, labels):
    """Print {row: {figure: value}} a column a row, for the figures of labels,
    {figure: label}; what is None shows as '-'."""
    lines = [["kernel", *rows]]
    for figure, label in labels.items():
        lines.append([label] + ["-" if row[figure] is None else str(row[figure])
                                for row in rows.values()])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for label, *cells in lines:
        print("  " + "  ".join([label.ljust(widths[0])] + [
            c.rjust(w) for c, w in zip(cells, widths[1:])]))


def write(target, good, figures):
    """Write build/results/TARGET.json: "ok" and the figures by name."""
    path = boot.BUILD / "results" / f"{target}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ok": good, **figures}, indent=1) + "\n")
    print(f"\n{path.relative_to(boot.TOP)}")
