#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The DMA hints paper's tables as published, beside what measure.py measured: HTML.

usage: hints_report.py DIRECTORY [CSV]

The paper is G. Grundler, "DMA Hints on IA64/PARISC", Ottawa Linux Symposium 2003; its
tables are in papers.toml of the bench.  CSV is measure.py's; without one the columns of
this machine are empty.
"""

import html
import sys
import tomllib
from pathlib import Path

import measure

PAPERS = Path(__file__).parents[1] / "qemu/evaluations/papers.toml"
EMPTY = "nothing was measured"


def measured(hints, found):
    """What a CSV says of the hints that a table varies: [(setting, verdict)].

    found is measure.read()'s {setting: rounds}.
    """
    ratios = {setting: measure.ratios_of(rounds) for setting, rounds in found.items()
              if setting.split(" ")[0] in hints.split(", ")}
    return [(setting, f"refused: {seen}" if isinstance(seen, str) else
             measure.verdict(seen, len(ratios))) for setting, seen in ratios.items()]


def tables(found):
    """(name, paper's table, [(setting, verdict)]) of each of the paper's tables."""
    papers = tomllib.loads(PAPERS.read_text())["hints"]
    return [(name, table, measured(table["hint"], found))
            for name, table in papers.items()]


def cells(kind, row):
    """A row of HTML."""
    return "<tr>" + "".join(f"<{kind}>{html.escape(str(c))}</{kind}>" for c in row) + "</tr>"


def page(found):
    """The report."""
    body = []
    for name, table, here in tables(found):
        rows = "\n".join(cells("td", row) for row in table["rows"])
        beside = ("\n".join(cells("td", pair) for pair in here) or
                  cells("td", (table["hint"] or "no hint is varied", EMPTY)))
        body.append(
            f"<h2>{html.escape(name)}: {html.escape(table['title'])}, {table['unit']}</h2>"
            f"<div><table><caption>published</caption>{cells('th', table['columns'])}\n"
            f"{rows}</table><table><caption>this machine, to its base line</caption>"
            f"{cells('th', ('setting', 'verdict'))}\n{beside}</table></div>")
    return ("<!doctype html><meta charset='utf-8'><title>DMA hints</title><style>"
            "td,th{padding:0 .8em;text-align:right}div{display:flex;gap:3em}</style>"
            "<h1>DMA hints: the paper of 2003, and this machine</h1>"
            "<p>The paper's conclusion was that its results do not warrant a change of the "
            "DMA API.</p>" + "\n".join(body) + "\n")


def main():
    """Write the report to the directory that the command line names."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 3 and not Path(sys.argv[2]).is_file():
        sys.exit(f"hints_report: no {sys.argv[2]}\nremedy: measure.py --output makes it")
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    found = measure.read(Path(sys.argv[2])) if len(sys.argv) == 3 else {}
    (directory / "report.html").write_text(page(found))
    print(directory / "report.html")


if __name__ == "__main__":
    main()
