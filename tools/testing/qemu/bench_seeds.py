# SPDX-License-Identifier: GPL-2.0
"""Cells and tables of four of the seed documents' evaluations, for bench.py.

001  L. Dale, "direct-to-BIO for O_DIRECT", linux-kernel, July 2002
002  S. Shapiro, on FreeBSD's CAM, freebsd-current, October 1998
003  "Performance of New 8020 Backend Board", HHTech, June 2005
004  G. Grundler, "DMA Hints on IA64/PARISC", Ottawa Linux Symposium 2003

TABLES has the documents' figures in their own units; tables() puts what the cells
showed beside them.  Times and rates of ours are an emulator's.
"""

import statistics

import boot
from bench import Cell

KERNELS = ("vanilla", "off", "on")
PROCESSES = (32, 64, 128, 256, 512, 1024)
MODES = ("normal", "O_DIRECT", "sg")
BOARDS = ("disk", "raid5", "degraded")
BURSTS = 2

EMULATED = ("Rates and times of ours are an emulator's: they say nothing about speed. "
            "Ratios within a run, and their spread, are of use. ")


def disks(count):
    """So many blank disks on one adapter."""
    return (boot.Disk(),) * count


def cells(quick):
    """Cells of the four tables; a small sample of them with quick."""
    for sample in range(1 if quick else 2):
        for kernel in KERNELS:
            # two CPUs, as the seed's machine has
            yield Cell("001", "powernv9", "ppc64", "fusion", kernel, ("direct",),
                       (4, 60, 1) if quick else (16, 60, 4), sample, disks=disks(8),
                       smp=2, timeout=120)
    for smp in (1,) if quick else (1, 2):
        for level, count in (("raid0", 7),) if quick else (("raid0", 7), ("raid5", 4)):
            for kernel in ("vanilla", "on"):
                # 64 KiB pages: a process has a few, and 1024 have gigabytes
                yield Cell("002", "powernv9", "ppc64", "fusion", kernel, ("cam",),
                           (level, 2, 32, 256) if quick else (level, 5, *PROCESSES),
                           disks=disks(count), smp=smp, programs=("st",), timeout=300,
                           qemu=("-m", "4G"))
    board = {"disks": disks(5), "timeout": 150, "qemu": ("-m", "128")}
    for what in BOARDS[1:2] if quick else BOARDS:
        for kernel in ("vanilla", "on"):
            yield Cell("003", "g3beige", "ppc32", "sym53c8xx", kernel, ("board8020",),
                       (what, 16 if quick else 32), programs=("board",), **board)
    for bursts in (0,) if quick else (0, BURSTS):
        for kernel in ("vanilla", "on"):
            yield Cell("003", "g3beige", "ppc32", "sym53c8xx", kernel, ("rebuild",),
                       (16, bursts), **board, may_die=kernel == "vanilla" and bursts > 0)
    guests = (("c3700", "parisc64", "sym53c8xx"), ("c3700", "parisc64", "fusion"),
              ("b160l", "parisc", "sym53c8xx"))
    for machine, arch, hba in guests[2:] if quick else guests:
        yield Cell("004", machine, arch, hba, "hinted", ("dma_io",),
                   (1, 8) if quick else (3, 16), programs=("sgp_dd",), timeout=300,
                   append="dma_hints.unsafe=1")


TABLES = {
    "001": {
        "title": "Sequential reads of eight disks at once",
        # block is in bytes; two CPUs P3 733 MHz, QLogic 2300, 10 GB of each disk
        "columns": ["kernel", "mode", "block", "seconds", "MB/s", "CPUs idle, %"],
        "original": [
            ["2.4.19pre8aa2", "normal", 512, 778, 105.27, "0"],
            ["2.4.19pre8aa2", "O_DIRECT", 4194304, 430, 190.47, "~55"],
            ["2.4.19pre8aa2", "/dev/rawN", 4194304, 463, 176.86, "~62"],
            ["2.5.25", "normal", 512, 607, 134.81, "0"],
            ["2.5.25", "O_DIRECT", 4194304, 420, 194.61, "~93"],
            ["2.5.25", "/dev/rawN", 4194304, 422, 193.84, "~92"],
            ["2.5.25 direct-to-BIO", "normal", 512, 615, 133.06, "0"],
            ["2.5.25 direct-to-BIO", "O_DIRECT", 4194304, 421, 194.37, "~92"],
            ["2.5.25 direct-to-BIO", "/dev/rawN", 4194304, 421, 194.35, "~92"],
        ],
        "original note": "On 2.4.19 some disks were done up to half a minute before the "
                         "last; on 2.5.25 all at almost exactly the same time.",
    },
    "002": {
        "title": "Random reads of 4 KB by many processes",
        "columns": ["machine", "processes", "load average", "transfers/s"],
        "original": [
            ["P6-200 UP, before CAM", 1024, "", "1943"],
            ["P6-200 SMP, CAM, RAID-0", 128, "50.51", "1671"],
            ["P6-200 SMP, CAM, RAID-0", 256, "158-188", "1329-1898"],
            ["P6-200 SMP, CAM, RAID-0", 320, "199-240", "162-1904"],
            ["P-II-350 UP, CAM, RAID-5", 256, "59-67", "1536-1738"],
            ["P-II-350 UP, CAM, RAID-5", 512, "250-270", "569-1248"],
        ],
        "original note": "Before CAM anything else on the adapter took six minutes to "
                         "answer; CAM's machines died above 320 and 512 processes.",
    },
    "003 memory": {
        "title": "Memory, MB/s",
        "columns": ["rd", "wr", "cp", "bzero", "bcopy"],
        "original": [[395.84, 204.32, 126.10, 276.30, 112.70]],
    },
    "003 files": {
        "title": "Files created and deleted a second, of 1000",
        "columns": ["disks", "bytes", "create/s", "delete/s"],
        "original": [
            ["raid5", 0, 27134, 119346], ["raid5", 1024, 9251, 48414],
            ["raid5", 4096, 9300, 48555], ["raid5", 10240, 6633, 36880],
            ["disk", 0, 9339, 43170], ["disk", 1024, 5128, 19192],
            ["disk", 4096, 5139, 19369], ["disk", 10240, 3724, 16474],
        ],
    },
    "003 disk": {
        "title": "Raw disk and one file",
        "columns": ["disks", "zone, min/avg/max MB/s", "seek, min/avg/max ms",
                    "file read, MB/s", "mmap, MB/s", "lmdd read, MB/s", "lmdd write, MB/s"],
        "original": [
            ["raid5", "1.21/35.759/146.78", "1.57/14.2448/78.25", 145.49, 235.99, 39.18, 35.84],
            ["disk", "30.05/39.9131/47.53", "4.50/15.203/29.52", 144.89, 236.08, 56.12, 47.36],
        ],
    },
    "003 playback": {
        "title": "Eight clients upload, one plays back",
        "columns": ["by", "clients", "MB/s each", "playback"],
        "original": [["FTP", 8, "1.2-1.4", "basically smooth, now and then a frame lost"],
                     ["Samba", 6, "", "normal; frames lost when a file is complete"]],
    },
    # MB/s
    "004 table 5": {
        "title": "53c1010, ordering and read current switched off",
        "columns": ["command", "consistent, order", "streaming, order",
                    "streaming, read current"],
        "original": [["MR", 223, 221, 220], ["MRL", 220, 221, 214], ["MRM", 220, 221, 208],
                     ["NONE", 222, 219, 217]],
    },
    "004 table 6": {
        "title": "53c1010, cache line prefetching: depths 0 to 3, blocks of 512 to 4096",
        "columns": ["class", "command", "0", "1", "2", "3", "512", "1024", "2048", "4096"],
        "original": [
            ["consistent", "MR", 223, 219, 219, 224, 223, 223, 222, 223],
            ["consistent", "MRL", 224, 223, 221, 224, 220, 218, 218, 221],
            ["consistent", "MRM", 104, 168, 220, 223, 220, 221, 219, 220],
            ["streaming", "MR", 218, 214, 223, 219, 216, 220, 208, 219],
            ["streaming", "MRL", 221, 223, 216, 219, 215, 221, 221, 222],
            ["streaming", "MRM", 216, 221, 214, 220, 218, 210, 224, 223],
        ],
    },
    # KB/s, with sgp_dd
    "004 table 7": {
        "title": "53c1030, relaxed ordering",
        "columns": ["command", "consistent", "streaming"],
        "original": [["ALL", 268421, 266666], ["MR", 266666, 266666], ["MRL", 266666, 264935],
                     ["MRM", 268421, 266666], ["NONE", 264935, 266666]],
    },
    # MB/s, with sgp_dd
    "004 qla2312": {
        "title": "qla2312, outbound and inbound: no hint made a difference",
        "columns": ["", "outbound", "inbound"],
        "original": [["one way", 190, 198], ["both ways", 51, 145], ["dual port", 370, ""]],
    },
}

NOT_HERE_003 = (
    "Not here, being of the network: flood ping, TCP, UDP and connection latencies and "
    "bandwidths (58.46 and 57.08 MB/s of TCP), UNIX sockets, ftpd, nfsd, nfs and smbd. "
    "The clients are fio's writers on the board itself. rdwr, fwr, frd and fcp of the "
    "memory figures are left out. ")


def of(results, table, script):
    """[(cell, row)] of the rows that a script of a table printed."""
    return [(r["cell"], row) for r in results
            if r["cell"]["table"] == table and list(r["cell"]["run"]) == [script]
            for row in r["rows"]]


def original(name, width):
    """Rows of a seed's table, called "seed", as wide as ours."""
    return [["seed", *row] + [""] * (width - 1 - len(row)) for row in TABLES[name]["original"]]


def span(values, form="{:.3f}"):
    """"median (min to max)", or the one value there is."""
    if not values:
        return ""
    middle = form.format(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({form.format(min(values))} to {form.format(max(values))})"


def direct(results):
    """Table 001: a row for each kernel and mode."""
    rows = of(results, "001", "direct")
    columns = ["whose", "kernel", "mode", "block", "seconds", "MB/s", "CPUs idle, %",
               "ratio to vanilla", "first to last done, ms", "% of the longest"]
    table = original("001", len(columns))
    points = []
    for kernel in KERNELS:
        for mode in MODES:
            found = {c["sample"]: r for c, r in rows
                     if c["kernel"] == kernel and r["mode"] == mode}
            if not found:
                continue
            base = {c["sample"]: r["mb_s"] for c, r in rows
                    if c["kernel"] == "vanilla" and r["mode"] == mode}
            ours = list(found.values())
            ratios = [r["mb_s"] / base[s] for s, r in found.items() if base.get(s)]
            apart = [r["longest_ms"] - r["shortest_ms"] for r in ours]
            table.append(["ours", kernel, mode, ours[0]["block"],
                          span([r["longest_ms"] / 1000 for r in ours], "{:.2f}"),
                          span([r["mb_s"] for r in ours], "{:.1f}"),
                          span([r["idle"] for r in ours], "{:.0f}"), span(ratios),
                          span(apart, "{:.0f}"),
                          span([100 * a / r["longest_ms"] for a, r in zip(apart, ours)
                                if r["longest_ms"]], "{:.1f}")])
            points += [[kernel, mode, ratio] for ratio in ratios]
    note = EMULATED + (
        "Ours: powernv9 with two CPUs, fusion, one thread a disk, boots by turns; a ratio "
        "is to vanilla's boot of the same turn. /dev/rawN is gone from Linux: sg is a "
        "SUBSTITUTE, fio's ioengine=sg on /dev/sgN, with blocks as large as the adapter "
        "takes. The disks are files in the host's memory: modes are not to be compared "
        "with each other. Idle includes waiting for I/O, and fio's start is in it. With "
        "other load on the host the kernels' order was seen to turn from boot to boot: the "
        "spread of two samples is less than the whole. ")
    return [{"title": "001: " + TABLES["001"]["title"],
             "note": note + "Seed: " + TABLES["001"]["original note"],
             "columns": columns, "rows": table,
             "plot": {"x": "mode", "y": "MB/s, ratio to vanilla", "series": "kernel",
                      "kind": "points", "columns": ["kernel", "mode", "MB/s, ratio to vanilla"],
                      "rows": points}}]


def cam(results):
    """Table 002, and the probe's beside it."""
    rows = of(results, "002", "cam")
    columns = ["whose", "machine", "processes", "load average", "transfers/s"]
    load, answers = original("002", len(columns)), []
    for cell, r in rows:
        machine = f"{r['level']}, {cell['smp']} CPU, {cell['kernel']}"
        load.append(["ours", machine, r["processes"], r["load"], r["tps"]])
        answers.append([machine, r["processes"], r["probes"], r["median_ms"], r["worst_ms"],
                        r["gap_ms"], "yes" if r["starved"] else "no", r["served_s"],
                        r["idle"]])
    note = EMULATED + (
        "Ours: powernv9, fusion, RAID-0 of six disks by 32 KB, RAID-5 of three by 64 KB; "
        "processes of bench/st.c, forked in waves, with O_DIRECT. The load average is that "
        "of some seconds: it has not come to its end. ")
    return [
        {"title": "002: " + TABLES["002"]["title"],
         "note": note + "Seed: " + TABLES["002"]["original note"],
         "columns": columns, "rows": load,
         "plot": {"x": "processes", "y": "transfers/s", "series": "machine", "kind": "lines",
                  "columns": columns[1:], "rows": [row[1:] for row in load if row[0] == "ours"]}},
        {"title": "002: What else is to be had from the adapter then",
         "note": EMULATED + "A read of 4 KB from another disk of the same adapter every 100 "
                 "ms, while all processes read. Without an answer: the longest time from "
                 "one answer to the next, the 100 ms included; starved: more than 10 s. An "
                 "answer that comes after the end was waited for, and counts. Served: "
                 "seconds until each process had read something; it is looked at when "
                 "the reads are counted, and from then on.",
         "columns": ["machine", "processes", "answers", "median, ms", "worst, ms",
                     "without an answer, ms", "starved", "served, s", "never read"],
         "rows": answers,
         "plot": {"x": "processes", "y": "worst, ms", "series": "machine", "kind": "lines"}}]


def board(results):
    """Tables 003: of the board's rates."""
    rows = of(results, "003", "board8020")
    found = {}
    for cell, row in rows:
        for key, value in row.items():
            if key != "size":
                at = (row["on"], cell["kernel"], row["size"] if "size" in row else None)
                found.setdefault(at, {})[key] = value
    places = sorted({(on, kernel) for on, kernel, _ in found},
                    key=lambda at: (BOARDS.index(at[0]), at[1] != "vanilla"))
    memory = ["whose", "disks", "kernel", *TABLES["003 memory"]["columns"]]
    files = ["whose", "kernel", *TABLES["003 files"]["columns"]]
    disk = ["whose", "kernel", *TABLES["003 disk"]["columns"]]
    play = ["whose", "disks", "kernel", "clients", "MB/s each", "frames", "late",
            "worst, ms", "frames/s"]
    out = {"memory": [["seed", "", "", *TABLES["003 memory"]["original"][0]]],
           "files": [["seed", "", *r] for r in TABLES["003 files"]["original"]],
           "disk": [["seed", "", *r] for r in TABLES["003 disk"]["original"]],
           "play": [["seed", by, "", clients, rate, "", how, "", ""]
                    for by, clients, rate, how in TABLES["003 playback"]["original"]]}
    for on, kernel in places:
        f = found.get((on, kernel, None), {})

        def three(what, f=f):
            return "/".join(str(f.get(f"{what}_{n}", "-")) for n in ("min", "avg", "max"))
        out["memory"].append(["ours", on, kernel,
                              *(f.get(n, "") for n in TABLES["003 memory"]["columns"])])
        for size in sorted(s for o, k, s in found if (o, k) == (on, kernel) and s is not None):
            pair = found[on, kernel, size]
            out["files"].append(["ours", kernel, on, size, pair["create"], pair["delete"]])
        out["disk"].append(["ours", kernel, on, three("zone"), three("seek"), *(
            f.get(n, "") for n in ("file_read", "file_mmap", "seq_read", "seq_write"))])
        if "upload_kb_s" in f:
            out["play"].append(["ours", on, kernel, f["writers"], f["upload_kb_s"] / 1000,
                                f["frames"], f["late"], f["worst_ms"], f["per_s"]])
    guest = ("Ours: g3beige, PowerPC 7410, 128 MB, sym53c8xx; RAID-5 of four disks of 64 MiB "
             "by 32 KB, ext2 with blocks of 4 KB, stride 8. ")
    plots = {"files": {"x": "bytes", "y": "create/s", "series": "disks", "kind": "lines"}}
    return [{"title": f"003: {TABLES.get('003 ' + name, TABLES['003 playback'])['title']}",
             "note": EMULATED + guest + note, "columns": columns, "rows": out[name],
             "plot": plots.get(name)}
            for name, columns, note in (
                ("memory", memory, NOT_HERE_003),
                ("files", files, "disk: one disk; degraded: RAID-5 with a member failed."),
                ("disk", disk, "Zones of 1 MiB; 500 seeks; file and mmap from memory, 8 MB, "
                               "with fio; lmdd's rows are fio's with fsync, cold."),
                ("play", play, "A frame of 20 KiB is late if it takes longer than 40 ms; 25 "
                               "are asked for a second."))]


def rebuild(results):
    """Table 003: of RAID-5 rebuilt, with and without read faults."""
    columns = ["kernel", "bursts", "outcome", "rebuilt onto", "seconds", "steps of error handling",
               "accesses rejected, of the boot", "all data right"]
    rows = []
    for r in results:
        cell = r["cell"]
        if cell["table"] != "003" or list(cell["run"]) != ["rebuild"]:
            continue
        done = [row for row in r["rows"] if "rebuild" in row]
        right = ("not reached" if r["outcome"] != "completed" else
                 "yes" if r["good"] else "no")
        for row in done or [{}]:
            rows.append([cell["kernel"], cell["args"][1], r["outcome"],
                         row.get("rebuild", "-"), row.get("seconds", "-"),
                         row.get("handled", "-"), r.get("rejected", "-"), right])
    return [{"title": "003: RAID-5 rebuilt, with and without read faults", "columns": columns,
             "note": EMULATED + "Fault kind: real, zeros: the adapter's memory decoding is "
                     "off for 2.5 to 4 s, twice a rebuild, its reads are zeros, and only "
                     "the commands' timers (2 s) tell. Rejected accesses are by QEMU's own "
                     "log. All data: checksums of the array, and its parity. The rebuild "
                     "is held to 1 MB/s until the bursts are over.",
             "rows": rows, "plot": None}]


def hints(results):
    """Tables 004: ratios to the default in the same round, each guest a table."""
    out = []
    rows = of(results, "004", "dma_io")
    guests = list(dict.fromkeys((c["machine"], c["hba"]) for c, _ in rows))
    for machine, hba in guests:
        mine = [r for c, r in rows if (c["machine"], c["hba"]) == (machine, hba)]
        rates = {(r["hint"], r["value"], r["direction"], r["round"]): r["mb_s"]
                 for r in mine if "hint" in r}
        base = {key[2:]: rate for key, rate in rates.items() if key[0] == "default"}
        table, points = [], []
        for hint, value in dict.fromkeys(key[:2] for key in rates if key[0] != "default"):
            ratios = {way: [rate / base[way, key[3]] for key, rate in rates.items()
                            if key[:3] == (hint, value, way) and base.get((way, key[3]))]
                      for way in ("out", "in")}
            name = "default again" if hint == "again" else hint
            table.append([name, "" if hint == "again" else value,
                          span(ratios["out"], "{:.2f}"), span(ratios["in"], "{:.2f}"),
                          len(ratios["out"])])
            points += [[f"{name} {table[-1][1]}".strip(), way, ratio]
                       for way, found in ratios.items() for ratio in found]
        refused = [f"{r['refused']}={r['refused_value']}" for r in mine if "refused" in r]
        way = ("sgp_dd, four requests outstanding" if any(r.get("way") == "sgp_dd" for r in mine)
               else "fio's ioengine=sg, four threads, in place of sgp_dd, whose requests a "
                    "64-bit kernel refuses from a 32-bit program")
        out.append({
            "title": f"004: DMA hints, {machine}, {hba}",
            "note": EMULATED + f"Ratio to the default in the same boot and round, median and "
                    f"spread; three disks at once, {way} a disk. QEMU takes no notice of "
                    "hints: nothing of their worth is shown, but that they are accepted and "
                    "data are right. 'default again' has the spread of no change at all. "
                    f"Refused here: {', '.join(refused) or 'none'}.",
            "columns": ["hint", "value", "outbound", "inbound", "rounds"], "rows": table,
            "plot": {"x": "hint", "y": "ratio to the default", "series": "direction",
                     "kind": "points", "columns": ["hint", "direction", "ratio to the default"],
                     "rows": points}})
    for name in ("004 table 5", "004 table 6", "004 table 7", "004 qla2312"):
        unit = "KB/s" if name.endswith("7") else "MB/s"
        out.append({"title": f"004: the paper's: {TABLES[name]['title']}",
                    "note": f"The seed's figures, {unit}, of an HP ZX1; nothing here is ours.",
                    "columns": TABLES[name]["columns"], "rows": TABLES[name]["original"],
                    "plot": None})
    return out


def tables(results):
    """[{"title", "note", "columns", "rows", "plot"}] of bench.run()'s results.

    plot is None, or names the columns "x", "y", "series" of the table, or of
    its own "columns" and "rows" if it has them; "kind" is "lines" or "points".
    """
    present = {r["cell"]["table"] for r in results}
    return [table for name, makers in (("001", (direct,)), ("002", (cam,)),
                                       ("003", (board, rebuild)), ("004", (hints,)))
            if name in present for make in makers for table in make(results)]
