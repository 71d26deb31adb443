# SPDX-License-Identifier: GPL-2.0
"""README.md and docs/: short enough, their tables from results, their names real."""

import json
import re
import sys

import pytest

import tables
from harness import document, paths, results

DOCS = [paths.TOP / "README.md", *(paths.TOP / "docs").glob("*.md")]


def test_readme_is_short():
    """A hundred lines at most."""
    assert len((paths.TOP / "README.md").read_text().splitlines()) <= 100


def test_links():
    """Files that a document links to, or names, are there."""
    for file in DOCS:
        for name in re.findall(r"\]\(([^)#:]+)\)", file.read_text()):
            if not name.endswith(".svg"):
                assert (file.parent / name).exists(), f"{file.name}: {name}"


def test_named_tests():
    """testing.md names tests that there are."""
    there = "".join(f.read_text() for place in ("qemu/tests", "dma_hints")
                    for f in (paths.TOP / "tools/testing" / place).glob("test_*.py"))
    text = (paths.TOP / "docs/testing.md").read_text()
    names = re.findall(r"`(test_\w+)`", text)
    assert len(names) > 40
    assert not [name for name in names if f"def {name}(" not in there]
    assert not [name for name in re.findall(r"\btest_\w+\.py", text)
                if not (paths.QEMU / "tests" / name).is_file()]


def run(monkeypatch, *options):
    """tables.py's complaint, "" if there is none."""
    monkeypatch.setattr(sys, "argv", ["tables.py", *map(str, options)])
    try:
        tables.main()
    except SystemExit as end:
        return str(end)
    return ""


@pytest.fixture(name="place")
def make_place(tmp_path, monkeypatch):
    """A result and a document of the test's own."""
    kept, page = tmp_path / "kept", tmp_path / "page.md"
    kept.mkdir()
    page.write_text("before\n<!-- table: times -->\n<!-- end of table: times -->\nafter\n")
    monkeypatch.setattr(tables, "KEPT", kept)
    monkeypatch.setattr(tables, "TABLES", {(page, "times"): tables.minutes})
    figures = {"ok": True, "about": {"base": "6.1"}, "command": "make check",
               "state": "cold", "cpus": 2, "seconds": 3600}
    file = tmp_path / "time-make-check-6.1-cold.json"
    file.write_text(json.dumps({**figures, "sha256": results.checksum(figures)}))
    return kept, page, file


def test_tables(place, monkeypatch):
    """A result that is taken is in the table, and lint has nothing to say."""
    kept, page, file = place
    assert not run(monkeypatch, file)
    assert (kept / file.name).is_file() and "| `make check` | 6.1 | cold | 2 | 60 |" in \
        page.read_text()
    assert page.read_text().startswith("before\n") and page.read_text().endswith("\nafter\n")
    assert not run(monkeypatch, "--lint")


def test_tables_red(place, monkeypatch):
    """A figure that was changed by hand, in the document or in the result."""
    kept, page, file = place
    assert not run(monkeypatch, file)
    page.write_text(page.read_text().replace("60", "50"))
    assert "page.md: its table 'times' is not what docs/results gives" in run(
        monkeypatch, "--lint")
    assert not run(monkeypatch) and not run(monkeypatch, "--lint")
    kept = kept / file.name
    kept.write_text(kept.read_text().replace("3600", "3000"))
    assert "its figures are not those of its checksum" in run(monkeypatch, "--lint")


def test_bad_results_red(place, monkeypatch, tmp_path):
    """What failed, is no result, or is no table of the document is not taken."""
    kept, page, file = place
    figures = json.loads(file.read_text())
    figures["ok"] = False
    figures["sha256"] = results.checksum(figures)
    failed = tmp_path / "failed.json"
    failed.write_text(json.dumps(figures))
    assert "the target failed" in run(monkeypatch, file, failed)
    assert not list(kept.iterdir())
    assert "neither a result" in run(monkeypatch, page)
    failed.write_text("{")
    assert "not a result of a target" in run(monkeypatch, failed)
    page.write_text("nothing\n")
    assert "not one '<!-- table: times -->'" in run(monkeypatch)


def test_about_without_qemu(monkeypatch):
    """A target that boots nothing has results on a machine without QEMU, too."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert results.about("6.1")["about"]["qemu"] is None


def test_injected_is_no_burst():
    """An injected exception is an access that failed, and no burst."""
    row = dict.fromkeys(("bursts_hit", "hits"), 0) | dict.fromkeys(
        ("io_errors", "verify_errors", "recovery_ms_median"))
    row |= {"fault_kind": "injected exception", "injected": 7, "detected": 7,
            "outcome": "completed"}
    figures = {"about": {"base": "6.1", "machine": "m", "adapter": "a"}, "time": "judged",
               "kernels": {"patched": row}}
    assert tables.demo_rows(figures)[0][4:7] == ["-", 7, 7]
    # a time that was not judged is not shown as if it had been
    row["recovery_ms_median"] = 500
    assert tables.demo_rows(figures)[0][9] == 500
    figures["time"] = "not judged: the host was busy"
    assert tables.demo_rows(figures)[0][9] == "500, not judged"


def test_placed(tmp_path):
    """A table is put between its lines, in both kinds of documents."""
    for name, line in (("a.md", "<!-- {} -->"), ("a.rst", ".. {}")):
        file = tmp_path / name
        file.write_text(f"x\n{line.format('table: t')}\nold\n{line.format('end of table: t')}\ny\n")
        text = document.placed(file, "t", "new")
        assert "old" not in text and "\n\nnew\n\n" in text and text.endswith("\ny\n")
