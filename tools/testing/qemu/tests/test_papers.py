# SPDX-License-Identifier: GPL-2.0
"""The papers' tables on made-up results; nothing is booted."""

import pytest

from evaluations import board, cam, direct, hints
from harness import paths

PAPERS = (direct, cam, board, hints)


def tables(results):
    """The tables of all papers."""
    return [t for paper in PAPERS for t in paper.tables(results, {})]


def result(table, script, rows, kernel="on", **more):
    """A result as cell.run() returns it; more is of the cell."""
    return {"cell": {"table": table, "run": [script], "kernel": kernel, "sample": 0, "smp": 1,
                     "machine": "b160l", "hba": "sym53c8xx", "args": [16, 2], **more},
            "rows": rows, "good": True, "outcome": "completed", "rejected": 7}


def disks_read(mb_s, longest):
    """A row of direct.sh."""
    return {"mode": "normal", "block": 512, "mb_s": mb_s, "idle": 10.0, "shortest_ms": 900,
            "longest_ms": longest, "errors": 0}


def test_direct_ratio_and_fairness():
    """The ratio is to vanilla's boot of the same turn."""
    table, = tables([
        result("001", "direct", [disks_read(10.0, 1000)], "vanilla"),
        result("001", "direct", [disks_read(20.0, 1000)], "vanilla", sample=1),
        result("001", "direct", [disks_read(20.0, 1000)], "on"),
        result("001", "direct", [disks_read(30.0, 1200)], "on", sample=1)])
    ours = [row for row in table["rows"] if row[0] == "ours"]
    assert [row[1] for row in ours] == ["vanilla", "on"]
    assert ours[1][7] == "1.750 (1.500 to 2.000)"
    assert ours[1][8] == "200 (100 to 300)"
    assert ours[1][9] == "17.5 (10.0 to 25.0)"
    assert "SUBSTITUTE" in table["note"]


def test_cam_starved():
    """A probe without an answer is a row, not an error."""
    row = {"level": "raid5", "processes": 1024, "tps": 5, "load": 3.5, "probes": 0,
           "median_ms": 0.0, "worst_ms": 0.0, "gap_ms": 20000, "starved": 1, "served_s": 5.0,
           "idle": 3}
    load, answers = tables([result("002", "cam", [row])])
    assert load["rows"][-1] == ["ours", "raid5, 1 CPU, on", 1024, 3.5, 5]
    assert answers["rows"][0][6] == "yes"


def test_board():
    """Rows of one boot come together, and those of sizes stay apart."""
    rows = [{"on": "raid5", "rd": 1.0}, {"on": "raid5", "zone_min": 1.0, "zone_avg": 2.0,
                                         "zone_max": 3.0},
            {"on": "raid5", "size": 0, "files": 1000, "create": 5, "delete": 6},
            {"on": "raid5", "size": 1024, "files": 1000, "create": 7, "delete": 8},
            {"on": "raid5", "writers": 8, "upload_kb_s": 1200, "frames": 200, "late": 1,
             "worst_ms": 50.0, "per_s": 25.0}]
    memory, files, disk, play, _ = tables([result("003", "board8020", rows)])
    assert memory["rows"][-1][:4] == ["ours", "raid5", "on", 1.0]
    assert files["rows"][-2:] == [["ours", "on", "raid5", 0, 5, 6],
                                  ["ours", "on", "raid5", 1024, 7, 8]]
    assert disk["rows"][-1][3] == "1.0/2.0/3.0"
    assert play["rows"][-1][4:7] == [1.2, 200, 1]


def test_rebuild_that_died():
    """A kernel that dies has a row, and its data are not called right."""
    done = {"rebuild": "same", "bursts": 2, "seconds": 9.0, "handled": 3}
    died = {**result("003", "rebuild", [], "vanilla"), "outcome": "panic"}
    table = tables([died,
                                result("003", "rebuild", [done])])[-1]
    assert table["rows"] == [["vanilla", 2, "panic", "-", "-", "-", 7, "not reached"],
                             ["on", 2, "completed", "same", 9.0, 3, 7, "yes"]]


def test_hints_ratio():
    """To the default in the same round and direction."""
    rows = [{"hint": hint, "value": value, "direction": way, "round": n, "way": "sgp_dd",
             "mb_s": rate * n}
            for n in (1, 2) for way in ("out", "in")
            for hint, value, rate in (("default", 0, 10.0), ("prefetch", 8, 12.0),
                                      ("again", 0, 9.0))]
    table = tables([result("004", "dma_io", rows + [
        {"refused": "read_current", "refused_value": 0}])])[0]
    assert table["rows"] == [["prefetch", 8, "1.20",
                              "1.20", 2],
                             ["default again", "", "0.90",
                              "0.90", 2]]
    assert "read_current=0" in table["note"]


@pytest.mark.parametrize("quick", [False, True])
def test_cells(quick):
    """Each has a name of its own, and its script is there."""
    cells = [cell for paper in PAPERS for cell in paper.cells(quick)]
    assert len({cell.name for cell in cells}) == len(cells)
    for cell in cells:
        assert (paths.GUEST / f"{cell.run[0]}.sh").is_file()


def test_shapes():
    """Each row is as wide as its table, and a plot's columns are there."""
    for table in empty_tables():
        names = table["columns"]
        assert all(len(row) == len(names) for row in table["rows"]), table["title"]
        plot = table["plot"]
        if plot:
            have = plot.get("columns", names)
            assert {plot["x"], plot["y"], plot["series"]} <= set(have), table["title"]
            assert all(len(row) == len(have) for row in plot.get("rows", []))


def empty_tables():
    """Tables of results without rows."""
    return tables([result(name, script, []) for name, script in (
        ("001", "direct"), ("002", "cam"), ("003", "board8020"), ("003", "rebuild"),
        ("004", "dma_io"))])
