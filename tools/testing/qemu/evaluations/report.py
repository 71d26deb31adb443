# SPDX-License-Identifier: GPL-2.0
"""The report of the evaluations: a page, and of each table a CSV and a plot."""

import csv
from pathlib import Path

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt     # noqa: E402  (after the back end is set)

from harness import page, paths, results    # noqa: E402

from . import EVALUATIONS           # noqa: E402
from .cell import OUT               # noqa: E402

INTRODUCTION = """\
What an emulator can show: instructions, and that things work. What it cannot: time.
Its instructions take no time of their own, its caches and buses none at all, an access of a
device costs the host's locks, and stores fail as precisely as loads."""


def draw(plot: dict, table: dict, path: Path) -> None:
    """Draw a table's plot."""
    columns = plot.get("columns", table["columns"])
    at = {k: columns.index(plot[k]) for k in ("x", "y", "series") if plot[k] in columns}
    if len(at) < 3:
        # the series' column has another name: the one that is left
        at["series"] = next(n for n in range(len(columns)) if n not in at.values())
    series = {}
    for row in plot.get("rows", table["rows"]):
        try:
            series.setdefault(row[at["series"]], []).append(
                (row[at["x"]], float(row[at["y"]])))
        except (TypeError, ValueError):
            continue
    plt.figure(figsize=(11, 4.5))
    for name, points in series.items():
        style = {"marker": "o", "ls": "-" if plot["kind"] == "lines" else "", "alpha": 0.7}
        plt.plot([str(x) for x, _ in points], [y for _, y in points], label=str(name), **style)
    plt.xlabel(plot["x"])
    plt.ylabel(plot["y"])
    plt.xticks(rotation=30, ha="right")
    plt.legend(fontsize="small")
    plt.tight_layout()
    plt.savefig(path)
    plt.close()


def write(tables: list[dict], directory: Path) -> Path:
    """report.html, and of each table a CSV and a plot.

    A table has "title", "note", "columns", "rows" and "plot": None, or the columns "x",
    "y", "series" of the table, or of the plot's own "columns" and "rows" if it has them;
    "kind" is "lines" or "points".
    """
    parts = [page.paragraph(INTRODUCTION)]
    for n, table in enumerate(tables, 1):
        with open(directory / f"table{n}.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(table["columns"])
            out.writerows(table["rows"])
        parts += [page.heading(table["title"]), page.paragraph(table["note"])]
        if table["plot"]:
            draw(table["plot"], table, directory / f"table{n}.svg")
            parts.append(page.image(f"table{n}.svg", table["title"]))
        parts += [page.table(table["columns"], table["rows"]),
                  page.links([f"table{n}.csv"])]
    return page.write(directory / "report.html", "Evaluations of five papers, redone in QEMU",
                      *parts)


def lines(kind: str, figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show, "judge", or should reach, "goals"; [(what, holds)]."""
    return [line for evaluation in EVALUATIONS if hasattr(evaluation, kind)
            for line in getattr(evaluation, kind)(figures)]


def report(cells: list[dict], base: str, part=()) -> bool:
    """Write the report of a base; returns whether all that it has to show holds.

    part says what of the whole it is, in the result's name: it is not to take its place.
    """
    figures = {}
    tables = [t for evaluation in EVALUATIONS for t in evaluation.tables(cells, figures)]
    directory = OUT / base
    directory.mkdir(parents=True, exist_ok=True)
    path = write(tables, directory)
    judged, goals = lines("judge", figures), lines("goals", figures)
    for what, met in goals:
        print(f"  {'met' if met else 'not met':7} {what}")
    for what, holds in judged:
        print(f"  {'ok' if holds else 'NOT OK':7} {what}")
    good = all(holds for _, holds in judged) and all(r["good"] for r in cells)
    results.write("-".join(("bench", base, *part)), good, {
        **results.about(base), "judged": [{"what": w, "holds": h} for w, h in judged],
        "goals": [{"what": w, "met": m} for w, m in goals],
        **figures, "cells": len(cells), "tables": sorted({r["cell"]["table"] for r in cells}),
        "bad": [r["log"] for r in cells if not r["good"]]})
    print(paths.short(path))
    return good
