# SPDX-License-Identifier: GPL-2.0
"""What the tables have in common."""

import statistics
import tomllib
from pathlib import Path

EMULATED = ("Rates and times of ours are an emulator's: they say nothing about speed. "
            "Ratios within a run, and their spread, are of use. ")


def spread(values: list[float], form: str = "{:.3f}") -> str:
    """"median (min to max)", or the one value there is."""
    if not values:
        return ""
    middle = form.format(statistics.median(values))
    if min(values) == max(values):
        return middle
    return f"{middle} ({form.format(min(values))} to {form.format(max(values))})"


def of_table(results: list[dict], table: str, count: bool | None = None) -> list[dict]:
    """The results of a table, counted or timed."""
    return [r for r in results if r["cell"]["table"] == table and
            (count is None or r["cell"]["count"] == count)]


def rows_of(results: list[dict], table: str, script: str) -> list[tuple[dict, dict]]:
    """[(cell, row)] of the rows that a script of a table printed."""
    return [(r["cell"], row) for r in of_table(results, table)
            if list(r["cell"]["run"]) == [script] for row in r["rows"]]


def guest(result: dict) -> str:
    """Machine and adapter of a result."""
    return f"{result['cell']['machine']}, {result['cell']['hba']}"


def paper(rows: list[list], width: int) -> list[list]:
    """Rows of a paper's table, called "paper", as wide as ours."""
    return [["paper", *row] + [""] * (width - 1 - len(row)) for row in rows]


def papers() -> dict:
    """The papers' tables."""
    return tomllib.loads(Path(__file__).with_name("papers.toml").read_text())
