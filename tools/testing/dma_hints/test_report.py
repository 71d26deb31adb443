# SPDX-License-Identifier: GPL-2.0
"""The report: the paper's figures as they were, and beside them what a CSV has."""

import hints_report
import measure


def test_empty():
    """Without a measurement the machine's columns are empty, the paper's are not."""
    found = hints_report.tables({})
    assert len(found) >= 7 and all(not here for _, _, here in found)
    text = hints_report.page({})
    assert text.count(hints_report.EMPTY) == len(found) and "797.19" in text


def test_beside(tmp_path):
    """A setting stands beside the tables that vary its hint, and nowhere else."""
    csv = tmp_path / "hints.csv"
    csv.write_text(",".join(measure.COLUMNS) + "\n" + "".join(
        f"{n},relaxed_order all 1,{100 + n},{110 + 1.1 * n}\n" for n in range(1, 6)) +
        "1,block all 512,,EIO\n")
    found = {name: here for name, _, here in hints_report.tables(measure.read(csv))}
    assert found["table 1"] == found["table 7"] == [
        ("relaxed_order all 1", found["table 1"][0][1])]
    assert found["table 1"][0][1].startswith("+10.0%")
    assert found["table 6"] == [("block all 512", "refused: EIO")]
    assert found["table 3"] == []
