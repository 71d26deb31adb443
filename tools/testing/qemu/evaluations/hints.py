# SPDX-License-Identifier: GPL-2.0
"""004: DMA hints.

G. Grundler, "DMA Hints on IA64/PARISC", Ottawa Linux Symposium 2003.
"""

from .cell import Cell
from .figures import EMULATED, of_table, papers, rows_of, spread

GUESTS = (("c3700", "parisc64", "sym53c8xx"), ("c3700", "parisc64", "fusion"),
          ("b160l", "parisc", "sym53c8xx"))
PAPER = papers()["hints"]


def cells(quick: bool):
    """A boot a guest."""
    for machine, arch, hba in GUESTS[2:] if quick else GUESTS:
        yield Cell("004", machine, arch, hba, "hinted", ("dma_io",),
                   (1, 8) if quick else (3, 16), programs=("sgp_dd",), timeout=300,
                   append="dma_hints.unsafe=1")


def tables(results: list[dict], _figures: dict) -> list[dict]:
    """Ratios to the default in the same round, each guest a table; the paper's."""
    rows = rows_of(results, "004", "dma_io")
    if not of_table(results, "004"):
        return []
    guests = list(dict.fromkeys((c["machine"], c["hba"]) for c, _ in rows))
    return [*(of_guest(machine, hba, [r for c, r in rows
                                      if (c["machine"], c["hba"]) == (machine, hba)])
              for machine, hba in guests),
            *({"title": f"004: the paper's: {paper['title']}",
               "note": f"The paper's figures, {paper['unit']}, of an HP ZX1; nothing here is "
                       "ours.",
               "columns": paper["columns"], "rows": paper["rows"], "plot": None}
              for name, paper in PAPER.items())]


def ratios(rows):
    """{(hint, value): {direction: [ratio to the default of the round]}}."""
    rates = {(r["hint"], r["value"], r["direction"], r["round"]): r["mb_s"]
             for r in rows if "hint" in r}
    base = {key[2:]: rate for key, rate in rates.items() if key[0] == "default"}
    return {(hint, value): {
        way: [rate / base[way, key[3]] for key, rate in rates.items()
              if key[:3] == (hint, value, way) and base.get((way, key[3]))]
        for way in ("out", "in")}
        for hint, value in dict.fromkeys(key[:2] for key in rates if key[0] != "default")}


def of_guest(machine, hba, rows):
    """The table of a guest."""
    table, points = [], []
    for (hint, value), ways in ratios(rows).items():
        name = "default again" if hint == "again" else hint
        value = "" if hint == "again" else value
        table.append([name, value, spread(ways["out"], "{:.2f}"),
                      spread(ways["in"], "{:.2f}"), len(ways["out"])])
        points += [[f"{name} {value}".strip(), way, ratio]
                   for way, found in ways.items() for ratio in found]
    refused = [f"{r['refused']}={r['refused_value']}" for r in rows if "refused" in r]
    way = ("sgp_dd, four requests outstanding" if any(r.get("way") == "sgp_dd" for r in rows)
           else "fio's ioengine=sg, four threads, in place of sgp_dd, whose requests a "
                "64-bit kernel refuses from a 32-bit program")
    return {
        "title": f"004: DMA hints, {machine}, {hba}",
        "note": EMULATED + "Ratio to the default in the same boot and round, median and "
                f"spread; three disks at once, {way} a disk. QEMU takes no notice of "
                "hints: nothing of their worth is shown, but that they are accepted and "
                "data are right. 'default again' has the spread of no change at all. "
                f"Refused here: {', '.join(refused) or 'none'}.",
        "columns": ["hint", "value", "outbound", "inbound", "rounds"], "rows": table,
        "plot": {"x": "hint", "y": "ratio to the default", "series": "direction",
                 "kind": "points", "columns": ["hint", "direction", "ratio to the default"],
                 "rows": points}}
