# SPDX-License-Identifier: GPL-2.0
"""The bench's own programs: what they make of marks, symbols and rows.  No boots."""

import json

import pytest

pytest.importorskip("matplotlib", reason="no matplotlib: scripts/setup.sh report")

import bench            # noqa: E402
import bench_report     # noqa: E402


def test_marks(tmp_path):
    """Marks and lines of the plugin's file, by vCPU."""
    file = tmp_path / "counts"
    file.write_text("mark 0 vcpu 0 total 100\n"
                    "mark 0 vcpu 1 total 7 driver 1\n"
                    "mark 0 vcpu 0 total 1000 driver 20\n"
                    "mark 0 vcpu 0 total 1045 driver 30\n"
                    "lines written 9 shared 2\n")
    marks, lines = bench.read_marks(file)
    assert lines == {"written": 9, "shared": 2}
    assert bench_report.between(marks) == [{"total": 945, "driver": 30}]
    assert bench_report.between(marks, 1) == []


def test_spans():
    """Adjacent functions are one span, aliases of an address are one function."""
    table = [(16, "a"), (32, "b"), (32, "b_alias"), (64, "c"), (80, "d"), (96, "end")]
    assert bench.spans(lambda n: table[n][1] in "abd", table) == [(16, 64), (80, 96)]


def test_rows():
    """Numbers are numbers, words are words."""
    assert bench.read_rows("# row disks=3 mb_s=1.5 way=session8\nok 1\n") == \
        [{"disks": 3, "mb_s": 1.5, "way": "session8"}]


def cell(kernel, code, total, count=True):
    """A made-up result of the nine cells: one of them, one I/O."""
    zero = {"mark": 0, "vcpu": 0, "total": 0}
    return {"cell": {"table": "000", "machine": "powernv9", "hba": "fusion", "args": [1],
                     "kernel": kernel, "count": count, "sample": 0, "arch": "ppc64"},
            "good": True,
            "rows": [{"disks": 1, "size": 512}],
            "marks": [zero, {**zero, "total": total, "driver": code}]}


def test_judge_off(monkeypatch):
    """Off / fixes may differ as boots of one kernel do, by no more."""
    monkeypatch.setattr(bench_report, "same_code", lambda *_: True)

    def holds(*off):
        figures = {}
        bench_report.nine_counted(
            [cell(k, n, 50000) for k, boots in (
                ("vanilla", (661,)), ("fixes", (667,) * 3), ("off", off), ("on", (700,)))
             for n in boots], figures)
        return [h for what, h in bench_report.judge(figures) if "off /" in what] == [True]
    assert holds(667, 667, 667) and holds(668, 668, 667)
    assert not holds(668, 668, 668) and not holds(670, 670, 669)


@pytest.mark.parametrize("on,off,path,holds", [
    (720, 667, 50000, [True, True, True, True]), (730, 667, 50000, [False, True, True, True]),
    (720, 667, 5000, [True, False, True, True]), (725, 668, 50000, [True, True, False, True])],
    ids=["good", "growth", "path", "off"])
def test_judge(on, off, path, holds, monkeypatch):
    """Growth, the whole path, and what is off: each can be too much."""
    figures = {}
    monkeypatch.setattr(bench_report, "same_code", lambda *_: True)
    tables = bench_report.nine_counted(
        [cell("vanilla", 661, path), cell("fixes", 667, path), cell("off", off, path),
         cell("on", on, path)], figures)
    assert len(tables) == 1
    assert [h for _, h in bench_report.judge(figures)] == holds


def test_report(tmp_path, monkeypatch):
    """The report has the table, its CSV and its plot, and says what does not hold."""
    monkeypatch.setattr(bench, "OUT", tmp_path)
    monkeypatch.setattr(bench_report, "same_code", lambda *_: True)
    monkeypatch.setattr(bench_report.boot, "TOP", tmp_path)
    monkeypatch.setattr(bench_report.output.boot, "BUILD", tmp_path)
    cells = [cell(k, n, 50000) for k, n in (("vanilla", 661), ("fixes", 667), ("off", 667),
                                            ("on", 800))]
    assert not bench_report.main(cells)
    for name in ("report.html", "table1.csv", "table1.svg"):
        assert (tmp_path / name).stat().st_size
    said = json.loads((tmp_path / "results/bench.json").read_text())
    assert said["growth_worst"] == 133 and not said["ok"]
