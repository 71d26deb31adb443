# SPDX-License-Identifier: GPL-2.0
"""HTML pages of tables and plots."""

import html
from pathlib import Path

STYLE = """\
body { font-family: sans-serif; max-width: 90em; margin: 2em auto }
th { text-align: left; white-space: pre } td { text-align: right }
td, th { padding: 0.1em 0.8em; border-bottom: 1px solid #ddd } img { width: 100% }"""


def table(head: list, rows: list[list], header_column: bool = False) -> str:
    """A table; None is shown as "-"."""
    def cells(tag, words):
        return "".join(f"<{tag}>{html.escape('-' if w is None else str(w))}</{tag}>"
                       for w in words)
    first = int(header_column)
    return (f"<table><tr>{cells('th', head)}</tr>\n" + "".join(
        f"<tr>{cells('th', row[:first])}{cells('td', row[first:])}</tr>\n"
        for row in rows) + "</table>\n")


def paragraph(text: str) -> str:
    """A paragraph."""
    return f"<p>{html.escape(text)}</p>\n"


def heading(text: str) -> str:
    """A heading of a section."""
    return f"<h2>{html.escape(text)}</h2>\n"


def image(file: str, text: str) -> str:
    """An image beside the page."""
    return f'<img src="{file}" alt="{html.escape(text)}">\n'


def links(files: list[str]) -> str:
    """Links to files beside the page, a line."""
    return "<p>" + ", ".join(f'<a href="{f}">{f}</a>' for f in files) + "</p>\n"


def write(path: Path, title: str, *parts: str) -> Path:
    """Write a page of parts; return its path."""
    path.write_text('<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
                    f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n"
                    f"<h1>{html.escape(title)}</h1>\n{''.join(parts)}</html>\n",
                    encoding="utf-8")
    return path
