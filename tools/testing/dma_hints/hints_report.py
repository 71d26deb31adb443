#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The paper's tables 1, 5 and 6 beside the model's: HTML, plots, CSV.

usage: hints_report.py DIRECTORY
"""

import csv
import html
import sys
from pathlib import Path

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt     # noqa: E402  (after the back end is set)

import model                        # noqa: E402
import paper                        # noqa: E402


def tables():
    """{name: (caption, header, rows)}; what the model does not say is empty."""
    bridge = model.zx1()
    found = {}
    for name, columns, cells, rate in (
            ("table6-depth", paper.DEPTHS, paper.TABLE6_DEPTH, bridge.rate),
            ("table6-block", paper.BLOCKS, paper.TABLE6_BLOCK,
             lambda block: bridge.block_rate(paper.DEPTH_DEFAULT, block))):
        what = "prefetch depth" if rate == bridge.rate else "block size"
        rows = []
        for (kind, command), row in cells.items():
            limited = (kind, command) == ("consistent", "MRM")
            for column, cell in zip(columns, row):
                says = rate(column) if limited else bridge.ceiling
                rows.append([kind, command, column, cell, round(says, 1),
                             f"{(says / cell - 1) * 100:+.1f}"])
        found[name] = (f"Table 6, 53c1010, MB/s by {what}",
                       ["class", "command", what, "paper", "model", "off by %"], rows)
    found["table5"] = (
        "Table 5, 53c1010, MB/s with a hint switched off; of read current the model "
        "says no more than a drop of at most 6%",
        ["class", "hint", "command", "paper", "model", "off by %"],
        [[kind, hint, command, cell,
          *([round(bridge.ceiling, 1), f"{(bridge.ceiling / cell - 1) * 100:+.1f}"]
            if hint == "order" else [f">= {bridge.ceiling * 0.94:.1f}", ""])]
         for (kind, hint), row in paper.TABLE5.items()
         for command, cell in row.items()])
    rows = []
    for kind, row in paper.TABLE1.items():
        for command, cell in row.items():
            moves = kind == "streaming" and command in ("MRM", "ALL")
            says = model.relaxed(row["NONE"], bridge) if moves else row["NONE"]
            rows.append([kind, command, cell, round(says, 1),
                         f"{(says / cell - 1) * 100:+.2f}"])
    found["table1"] = ("Table 1, BCM5701, UDP_STREAM of 1024 bytes, Mb/s by the "
                       "commands with relaxed ordering",
                       ["class", "relaxed", "paper", "model", "off by %"], rows)
    found["parisc"] = ("A prediction for PA-RISC, 64-byte lines, MB/s: nobody has "
                       "measured it", ["depth", "model"],
                       [[d, round(model.parisc().rate(d), 1)] for d in paper.DEPTHS])
    return found


def plot(path):
    """Table 6's prefetch row, the model, and the variants that do not explain it."""
    fig, axes = plt.subplots(figsize=(7, 4))
    axes.plot(paper.DEPTHS, paper.TABLE6_DEPTH["consistent", "MRM"], "ko",
              label="paper, consistent MRM")
    for label, bridge, style in (
            (f"model, A = {model.zx1().again:.0f} ns (fitted)", model.zx1(), "-"),
            ("sliding window", model.sliding_window(), "--"),
            ("33 MHz", model.half_speed(), "-."),
            ("PA-RISC, predicted", model.parisc(), ":")):
        axes.plot(paper.DEPTHS, [bridge.rate(d) for d in paper.DEPTHS], style,
                  label=label)
    axes.set(xlabel="prefetch depth, cache lines", ylabel="MB/s", ylim=(0, 250),
             xticks=paper.DEPTHS)
    axes.legend()
    axes.grid(alpha=0.3)
    fig.tight_layout()
    fig.savefig(path)
    plt.close(fig)


def main():
    """Write the report to the directory that the command line names."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    bridge, body = model.zx1(), []
    for name, (caption, header, rows) in tables().items():
        with open(directory / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        line = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) +
                        "</tr>\n" for row in rows)
        body.append(f"<h2>{html.escape(caption)}</h2><p><a href='{name}.csv'>CSV</a></p>"
                    f"<table><tr>{line}</tr>\n{cells}</table>")
    plot(directory / "table6.svg")
    missing = "".join(f"<li>{name}: {html.escape(why)}</li>"
                      for name, why in paper.NOT_HERE.items())
    (directory / "report.html").write_text(
        "<!doctype html><meta charset='utf-8'><title>DMA hints: paper and model</title>"
        "<style>td,th{padding:0 .8em;text-align:right}</style>"
        "<h1>DMA hints: the paper of 2003 and a model of it</h1>"
        f"<p>{html.escape(model.__doc__)}</p>"
        f"<p>T(d) = t_b + A / (d + 1), R = min(C, L / T): t_b = {bridge.t_b:.0f} ns, "
        f"A = {bridge.again:.0f} ns (fitted), C = {bridge.ceiling:.1f} MB/s (mean of "
        "Table 6's flat cells).</p><img src='table6.svg' alt='Table 6'>"
        + "".join(body) + f"<h2>Not reproducible here</h2><ul>{missing}</ul>\n")
    print(f"A = {bridge.again:.0f} ns, C = {bridge.ceiling:.1f} MB/s")
    for depth, cell in zip(paper.DEPTHS, paper.TABLE6_DEPTH["consistent", "MRM"]):
        print(f"  depth {depth}: paper {cell} MB/s, model {bridge.rate(depth):.1f}")
    print(directory / "report.html")


if __name__ == "__main__":
    main()
