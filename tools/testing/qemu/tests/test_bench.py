# SPDX-License-Identifier: GPL-2.0
"""The evaluations' own judgement: marks, symbols, rows, limits.  No boots."""

import io
import json
import random
import subprocess

import pytest

pytest.importorskip("matplotlib", reason="no matplotlib: scripts/setup.sh report")
pytest.importorskip("scipy", reason="no scipy: scripts/setup.sh report")

from evaluations import counting, growth, nine_cells, report, silicon, size, soak   # noqa: E402
from harness import ktap, paths             # noqa: E402


def test_marks(tmp_path):
    """Marks and lines of the plugin's file, by vCPU."""
    file = tmp_path / "counts"
    file.write_text("mark 0 vcpu 0 total 100\n"
                    "mark 0 vcpu 1 total 7 driver 1\n"
                    "mark 0 vcpu 0 total 1000 driver 20\n"
                    "mark 0 vcpu 0 total 1045 driver 30\n"
                    "lines written 9 shared 2\n")
    marks, lines = counting.read_marks(file)
    assert lines == {"written": 9, "shared": 2}
    assert counting.between(marks) == [{"total": 945, "driver": 30}]
    assert counting.between(marks, 1) == []


def test_spans():
    """Adjacent functions are one span, aliases of an address are one function."""
    table = [(16, "a"), (32, "b"), (32, "b_alias"), (64, "c"), (80, "d"), (96, "end")]
    assert counting.spans(lambda n: table[n][1] in "abd", table) == [(16, 64), (80, 96)]


def test_rows():
    """Numbers are numbers, words are words."""
    assert ktap.rows("# row disks=3 mb_s=1.5 way=session8\nok 1\n") == \
        [{"disks": 3, "mb_s": 1.5, "way": "session8"}]


def cell(kernel, code, total, count=True, size=512, pieces=2, hba="fusion", disks=1):
    """A made-up result of the nine cells: one of them, one I/O a disk, its buffer in
    pieces."""
    zero = {"mark": 0, "vcpu": 0, "total": 0}
    return {"cell": {"table": "000", "machine": "powernv9", "hba": hba, "args": [1],
                     "kernel": kernel, "count": count, "sample": 0, "arch": "ppc64",
                     "base": "6.1", "run": ["cells"]},
            "good": True,
            "rows": [{"disks": disks, "size": size}],
            "marks": [zero, {**zero, "total": total * disks, "driver": code * disks,
                             "segments": 5 * pieces * disks}]}


def test_judge_off(monkeypatch):
    """Off / fixes may differ as boots of one kernel do, by no more."""
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)

    def holds(*off):
        figures = {}
        nine_cells.instructions(
            [cell(k, n, 50000) for k, boots in (
                ("vanilla", (661,)), ("fixes", (667,) * 3), ("off", off), ("on", (700,)))
             for n in boots], figures)
        return [h for what, h in report.lines("judge", figures) if "off /" in what] == [True]
    assert holds(667, 667, 667) and holds(668, 668, 667)
    assert not holds(668, 668, 668) and not holds(670, 670, 669)


@pytest.mark.parametrize("on,off,path,holds", [
    (720, 667, 50000, [True, True, True, True]), (730, 667, 50000, [False, True, True, True]),
    (720, 667, 5000, [True, False, True, True]), (725, 668, 50000, [True, True, False, True])],
    ids=["good", "growth", "path", "off"])
def test_judge(on, off, path, holds, monkeypatch):
    """Growth, the whole path, and what is off: each can be too much."""
    figures = {}
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)
    tables = nine_cells.instructions(
        [cell("vanilla", 661, path), cell("fixes", 667, path), cell("off", off, path),
         cell("on", on, path)], figures)
    assert len(tables) == 1
    assert [h for _, h in report.lines("judge", figures)] == holds


def test_judge_driver(monkeypatch):
    """Each driver has a limit of its own, and a goal."""
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)

    def lines(hba, grown):
        figures = {}
        nine_cells.instructions(
            [cell(k, 667 + n, 50000, hba=hba) for k, n in (
                ("vanilla", 0), ("fixes", 0), ("off", 0), ("on", grown))], figures)
        return [holds for kind in ("judge", "goals")
                for what, holds in report.lines(kind, figures) if "at most" in what and
                "path" not in what]
    assert lines("nvme", 16) == lines("fusion", 25) == [True, True]
    assert lines("nvme", 30) == lines("fusion", 31) == [True, False]
    assert lines("nvme", 31) == lines("fusion", 61) == [False, False]


def test_judge_pieces(monkeypatch):
    """Where the buffer lies in more pieces the growth is not the series', and no other is
    excused by it."""
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)

    def worst(*sizes):
        figures = {}
        table = nine_cells.instructions(
            [cell(k, code + n, 50000, size=size, pieces=2 + (extra and k == "on"))
             for size, extra, grown in sizes
             for k, code, n in (("vanilla", 661, 0), ("fixes", 667, 0), ("off", 667, 0),
                                ("on", 667, grown))], figures)[0]
        goals = [line for line, _ in report.lines("goals", figures)]
        marked = ["(pieces)" in row[8] for row in table["rows"]]
        return figures["growth_worst"]["fusion"], marked, len(goals)
    assert worst((512, False, 50), (32768, True, 70)) == (50, [False, True], 1)
    assert worst((512, False, 50), (32768, False, 70)) == (70, [False, False], 2)
    assert worst((32768, True, 70)) == (70, [True], 0)


def test_judge_spread(monkeypatch):
    """Several disks share interrupts as it happens: where boots of one kernel differ by
    more than half of what a driver may grow, what is beyond that is judged; of one disk it
    always is all."""
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)

    def worst(disks, *more, on=717):
        figures = {}
        kernels = {"vanilla": 661, "fixes": 667, "off": 667, "on": 717}
        table = nine_cells.instructions(
            [*(cell(k, n, 50000) for k, n in kernels.items()),
             *(cell(k, n + m + (on - 697) * (k == "on"), 50000, size=4096, disks=disks)
               for k, n in kernels.items() for m in more)], figures)[0]
        holds = [h for what, h in report.lines("judge", figures) if "on - off" in what]
        return (figures["growth_worst"]["fusion"],
                ["(spread)" in row[8] for row in table["rows"]][1:], holds)
    assert worst(3, 0, 31, 0) == (50, [True], [True, True])
    assert worst(3, 0, 31, 0, on=739) == (50, [True], [True, False])
    assert worst(3, 0, 30, 0) == (70, [False], [False])
    assert worst(1, 0, 31, 0)[0] == 70


def test_report(tmp_path, monkeypatch):
    """The report has the table, its CSV and its plot, and says what does not hold."""
    monkeypatch.setattr(report, "OUT", tmp_path)
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    monkeypatch.setattr(nine_cells, "same_code", lambda *_: True)
    cells = [cell(k, n, 50000) for k, n in (("vanilla", 661), ("fixes", 667), ("off", 667),
                                            ("on", 800))]
    assert not report.report(cells, "6.12")
    for name in ("report.html", "table1.csv", "table1.svg"):
        assert (tmp_path / "6.12" / name).stat().st_size
    written = json.loads((tmp_path / "results/bench-6.12.json").read_text())
    assert written["growth_worst"] == {"fusion": 133} and not written["ok"]
    assert written["tables"] == ["000"]
    assert written["about"]["base"] == "6.12"
    # a part is no whole, and leaves that alone
    report.report(cells[:3], "6.12", ["quick"])
    assert json.loads((tmp_path / "results/bench-6.12.json").read_text()) == written
    assert (tmp_path / "results/bench-6.12-quick.json").exists()


# cycles a loop of each way, of which "chain" has 64
CYCLES = {"empty": 1, "readl8": 9, "session0": 4, "session1": 7, "session4": 16,
          "session8": 28, "session64": 196, "writel8": 9, "wsession8": 28, "off8": 9,
          "2004": 49, "2005": 89, "ones": 17, "chain": 64}


def test_silicon():
    """Cycles from ticks at a clock of their own in each round, and what is taken off."""
    text = "round,cpu,way,ticks\n" + "".join(
        f"{n},0,{way},{cycles * speed}\n" for n, speed in enumerate((1000, 1700, 800))
        for way, cycles in CYCLES.items())
    rounds = silicon.rounds_of(io.StringIO(text))
    assert len(rounds) == 3
    assert {name: round(silicon.added(rounds[1], name), 6) for name in silicon.COSTS} == {
        "begin + end": 3, "session of 1": 5, "session of 4": 2.75, "session of 8": 2.375,
        "session of 64": 131 / 64, "session of 8 writes": 2.375, "off": 0, "peer 2004": 5,
        "peer 2005": 10, "peer ones": 1}


def test_silicon_interval():
    """The median is between order statistics that 95 of 100 samples have it between."""
    assert silicon.interval(list(range(1, 101))) == (50.5, 40, 61)
    noise = random.Random(1)
    inside = sum(low <= 0 <= high for _, low, high in (
        silicon.interval([noise.gauss(0, 1) for _ in range(101)]) for _ in range(1000)))
    assert 930 <= inside <= 980


def test_silicon_judge():
    """Two runs agree within their intervals, and a session is below both peers."""
    def holds(**runs):
        figures = {"silicon": {f"{name}, 1 CPUs, run {n}": {
            "cycles": c, "low": c - 0.1, "high": c + 0.1}
            for name, both in {"session of 8": (2, 2.1), "peer 2004": (5, 5),
                               "peer 2005": (10, 10), **runs}.items()
            for n, c in enumerate(both, 1)}}
        return [line[1] for line in silicon.judge(figures)]

    assert all(holds())
    assert holds(**{"session of 8": (2, 2.4)}).count(False) == 1
    assert holds(**{"session of 8": (5.2, 5.2)}).count(False) == 1
    assert holds(**{"peer 2005": (10,)}).count(False) == 1


def grown(way, hba, **fields):
    """Made-up results of a way of growth: a value for each number."""
    points = zip(*fields.values())
    return [{"cell": {"table": "growth", "run": ["growth"], "hba": hba},
             "rows": [{"way": way, "queued": 1, "limit": 5000,
                       **dict(zip(fields, values))}]} for values in points]


@pytest.mark.parametrize("way,fields,holds", [
    ("threads", {"n": (1, 16, 256), "ms": (40, 50, 9000)}, [True]),
    ("threads", {"n": (1, 16, 256), "ms": (40, 50, 40 * 300)}, [False]),
    ("dead", {"n": (1, 1024), "offline": (5000, 5000), "ended": (5100, 5000 * 1000)}, [True]),
    ("dead", {"n": (1, 1024), "offline": (5000, 5000), "ended": (5100, 5100 * 1025)}, [False]),
    ("errors", {"n": (1000, 1000000), "lines": (2, 60), "sysfs": (230, 236)}, [True, True]),
    ("errors", {"n": (1000, 1000000), "lines": (0, 30), "sysfs": (230, 236)}, [True, True]),
    ("errors", {"n": (1000, 1000000), "lines": (2, 63), "sysfs": (230, 236)}, [False, True]),
    ("errors", {"n": (1000, 1000000), "lines": (2, 2), "sysfs": (230, 9999)}, [True, False])])
def test_growth(way, fields, holds):
    """A recovery that grows faster than what there is, or a log that grows with errors."""
    figures = {}
    tables = growth.tables(grown(way, "nvme", **fields), figures)
    assert all(len(row) == len(t["columns"]) for t in tables for row in t["rows"])
    assert [line[1] for line in growth.judge(figures)] == holds


@pytest.mark.parametrize("slab,used,rejected,good,shards,bad", [
    (0, 0, 300, True, 8, ()),
    (0.2, 0, 300, True, 8, ("memory grows in 8 shards",)),
    (0, 8, 300, True, 8, ("memory grows in 8 shards",)),
    (0, 0, 301, True, 8, ("8 failed accesses undetected",)),
    (0, 0, 300, False, 8, ("8 shards with an error or a bad block",)),
    (0, 0, 300, True, 7, ("1750 of 2000 bursts",))])
def test_soak(slab, used, rejected, good, shards, bad):
    """A leak of so many KiB a burst is found in noise and beside a cache that grew once; so
    is what else is wrong."""
    rows = [{"bursts": n, "detected": n * 300 // soak.SHARD, "resets": n,
             "slab": 9000 + n * slab + n * 7919 % 8 + 256 * (n > 150),
             "used": 90000 + n * used + n * 7919 % 1000}
            for n in range(10, soak.SHARD + 1, 10)]
    figures = {}
    tables = soak.tables([
        {"cell": {"table": "soak", "count": False, "machine": "powernv9", "hba": "fusion",
                  "args": [soak.SHARD, 1 + n * soak.SHARD]},
         "rows": rows, "good": good, "rejected": rejected} for n in range(shards)], figures)
    assert all(len(row) == len(t["columns"]) for t in tables for row in t["rows"])
    assert [what.split(": ")[-1] for what, holds in soak.judge(figures) if not holds] == list(bad)


READELF = """
File: a.o
     1: 0000000000000000    40 FUNC    LOCAL  DEFAULT    1 {dot}probe
     2: 0000000000000000    40 FUNC    LOCAL  DEFAULT    1 {dot}probe_alias
     3: 0000000000000040   0x{slow:x} FUNC    LOCAL  DEFAULT    1 {dot}probe.part.0
     4: 0000000000000000     8 OBJECT  GLOBAL DEFAULT    3 probe_data
     5: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND {dot}printk
File: b.o
     1: 0000000000000000    16 FUNC    GLOBAL DEFAULT    1 {dot}reset
"""


def test_size():
    """Functions of readelf's table, and what has grown."""
    off = size.functions(READELF.format(dot=".", slow=8))
    assert off == {"probe": 48, "reset": 16}
    on = size.functions(READELF.format(dot="", slow=20))
    assert size.grown(off, {**on, "recover": 100}) == [("recover", 0, 100),
                                                       ("probe", 48, 60)]
    figures = {}
    code, stack = size.tables([{"cell": {"table": "code", "place": "ppc64, fusion"}, "rows": [
        {"code": {"off": off, "on": on},
         "stack": {"off": {"reset": 16}, "on": {"reset": 32, "probe": 400}}}]}], figures)
    assert ["ppc64, fusion", "all functions", 64, 76, 12] in code["rows"]
    assert ["ppc64, fusion", "the largest: probe", 0, 400, 400] in stack["rows"]
    assert figures["stack"] == {"ppc64, fusion": {"function": "probe", "off": 0, "on": 400}}


@pytest.mark.parametrize("read,around,growth,text,met", [
    (0, 10, 25, 120, [True] * 4), (1, 10, 25, 120, [True, True, False, True]),
    (0, 11, 25, 120, [True, False, True, True]), (0, 10, 26, 120, [False, True, True, True]),
    (0, 10, 25, 121, [True, True, True, False])])
def test_goals(read, around, growth, text, met):
    """A goal that is not met is not called met."""
    figures = {"cost": {"ppc64": {"begin + end": around, "in a session of 8": read}},
               "growth_instructions": {"powernv9, fusion, 1 x 512": growth,
                                       "powernv9, fusion, 8 x 512": 99},
               "growth_alike": {"powernv9, fusion, 1 x 512": True},
               "text": {"ppc64, fusion": {"off": 100, "on": text}}}
    assert [line[1] for line in report.lines("goals", figures)] == met


def test_no_table():
    """A table that is not there is named, and nothing is built or written."""
    run = subprocess.run(["/usr/bin/python3", paths.QEMU / "bench.py", "--build", "--tables",
                          "grwoth"], capture_output=True, text=True)
    assert run.returncode == 1 and "no table 'grwoth'" in run.stderr
    assert "remedy:" in run.stderr and not run.stdout
