# SPDX-License-Identifier: GPL-2.0
"""Tables that are written into documents, between a line that names them and one that
ends them: <!-- table: NAME --> in Markdown, ".. table: NAME" in reStructuredText."""

from pathlib import Path


class Error(Exception):
    """A record, a result or a document that is wrong; str() is the report."""


def markdown(head: list[str], rows: list[list]) -> str:
    """A table, or a line that says that there is none."""
    if not rows:
        return "*No result of this version is committed yet.*"
    return "\n".join("| " + " | ".join(map(str, line)) + " |"
                     for line in [head, ["---"] * len(head), *rows])


def placed(document: Path, name: str, words: str) -> str:
    """The document's text with words as the table NAME."""
    form = "<!-- {} -->" if document.suffix == ".md" else ".. {}"
    begin, end = form.format(f"table: {name}"), form.format(f"end of table: {name}")
    whole = document.read_text()
    if whole.count(begin) != 1 or whole.count(end) != 1:
        raise Error(f"{document.name}: not one '{begin}' and one '{end}'")
    before, rest = whole.split(begin)
    return f"{before}{begin}\n\n{words}\n\n{end}{rest.split(end)[1]}"
