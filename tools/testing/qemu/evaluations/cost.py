# SPDX-License-Identifier: GPL-2.0
"""What a checked read costs beside the ways of others, and what CPUs do to each other."""

import statistics

from .cell import Cell
from .counting import between
from .figures import of_table

READ_MOST = {"ppc64": 6, "ppc32": 6, "parisc": 10, "parisc64": 10, "arm64": 8,
             "riscv64": 8}
BEGIN_END_MOST = 16
# What it should reach, beside what it must not exceed
READ_GOAL = {"ppc64": 0, "ppc32": 2, "parisc": 2, "parisc64": 2, "arm64": 4, "riscv64": 4}
BEGIN_END_GOAL = 10
VERDICT = ("2004", "2005")              # peers that tell of an error for sure

# Reads in each way, and the loops of them that are counted; the register is
# SAS1068's interrupt mask, which is neither 0 nor all-ones
LOOPS = 1000
REGISTER = (1, "0x34")
COST_GUESTS = (("powernv9", "ppc64"), ("g3beige", "ppc32"), ("arm64-virt", "arm64"),
               ("riscv64-virt", "riscv64"), ("b160l", "parisc"), ("c3700", "parisc64"))
PEER = {"hba": "fusion", "kernel": "peers", "run": ("peers",), "disks": (),
        "count": True, "marks": ("bench_mark",), "timeout": 200}
# CPUs that read memory as if it were a register, at the same time
CPUS = (1, 2, 4, 8)
SCALED = ("empty", "session0", "session8", "2004", "2005", "ones")
SCALING_GUESTS = (("powernv9", "ppc64"), ("arm64-virt", "arm64"))


def cells(quick: bool):
    """What an access costs; what CPUs do to each other; which lines they write to."""
    for sample in range(1 if quick else 2):
        for machine, arch in COST_GUESTS[:1] if quick else COST_GUESTS:
            yield Cell("cost", machine, arch, args=(1, LOOPS, *REGISTER), sample=sample,
                       **PEER)
    for machine, arch in SCALING_GUESTS[:1] if quick else SCALING_GUESTS:
        for cpus in CPUS[::2] if quick else CPUS:
            yield Cell("scaling", machine, arch, args=(cpus, LOOPS, -1, 0, *SCALED),
                       smp=max(cpus, 2), **PEER)
        for way in ("session8", "2005"):
            yield Cell("stores", machine, arch, args=(4, 100, -1, 0, way), smp=4,
                       stores=True, **PEER)


def ways(result, vcpu=0):
    """{way: instructions a loop}."""
    loops = result["cell"]["args"][1]
    return {str(row["way"]): part["total"] / loops
            for row, part in zip(result["rows"], between(result["marks"], vcpu))}


def tables(results: list[dict], figures: dict) -> list[dict]:
    """Costs of an access, scaling, and lines that CPUs share."""
    return [*costs(results, figures), *scaling(results, figures),
            *shared_lines(results, figures)]


def of_boots(found):
    """An architecture's figures of its boots' ways(): (ours, peers, moved)."""
    way = {k: statistics.median([f[k] for f in found]) for k in found[0]}
    moved = max(abs(f[k] - way[k]) / way[k] for f in found for k in way)
    empty = way["empty"]
    plain = (way["readl8"] - empty) / 8
    around = way["session0"] - empty
    ours = {"readl": plain, "begin + end": around,
            "in a session of 1": way["session1"] - empty - plain,
            "in a session of 8": (way["session8"] - empty - around) / 8 - plain,
            "of 8, with begin and end": (way["session8"] - empty) / 8 - plain,
            "of 64, with begin and end": (way["session64"] - empty) / 64 - plain}
    return ours, {k: (way[k] - empty) / 8 - plain for k in PEERS if k in way}, moved


def costs(results, figures):
    """What a read costs in each way, on each architecture."""
    boots = {}
    for result in of_table(results, "cost"):
        boots.setdefault(result["cell"]["arch"], []).append(ways(result))
    if not boots:
        return []
    rows, points, numbers = [], [], {}
    for arch, found in boots.items():
        ours, peers, moved = of_boots(found)
        numbers[arch] = {**ours, **{f"peer {k}": v for k, v in peers.items()},
                         "moved": round(moved, 6), "boots": len(found)}
        rows.append([arch, *(f"{v:.2f}" for v in ours.values()),
                     *(f"{peers[k]:.2f}" if k in peers else "-" for k in PEERS),
                     f"{100 * moved:.3f} % in {len(found)} boots"])
        points += [["session of 8, begin and end in it", arch,
                    ours["of 8, with begin and end"]],
                   *([f"peer: {k}", arch, v] for k, v in peers.items())]
    figures["cost"] = numbers
    return [{"title": "Instructions of a checked read, and of its peers",
             "note": COST_NOTE,
             "columns": ["architecture", "readl()", "begin + end", "in a session of 1",
                         "in a session of 8", "of 8, with begin and end",
                         "of 64, with begin and end", *(f"peer {k}" for k in PEERS),
                         "moved"],
             "rows": rows,
             "plot": {"x": "architecture", "y": "instructions over readl()", "series": "way",
                      "kind": "points", "columns": ["way", "architecture",
                                                    "instructions over readl()"],
                      "rows": points}}]


PEERS = ("2004", "2005", "eeh", "ones")
COST_NOTE = (
    "Deterministic: guest instructions between two marks, interrupts off, "
    f"{LOOPS} loops, the empty loop's taken off, of a real register (SAS1068's) that "
    "answers. But for the first two columns: more than readl(), a read. Peers are "
    "re-implementations, for measuring only: 2004, a count of errors before and after each "
    "read; 2005, a lock for all around each read, and calls around the session; eeh, readl() "
    "and EEH's question; ones, readl() and PCI_POSSIBLE_ERROR(). Of these 2004 and 2005 give "
    "a verdict; eeh and ones know all-ones only. All kernels of this table are for SMP, as "
    "2005's lock is nothing without. powerpc and PA-RISC have their checked reads in line.")


def each_way(results):
    """{(machine, way): {CPUs: (instructions of the slowest CPU, sessions a second)}}."""
    numbers = {}
    for result in of_table(results, "scaling"):
        cell = result["cell"]
        cpus, loops = cell["args"][:2]
        per_cpu = [ways(result, vcpu) for vcpu in range(cpus)]
        for row in result["rows"]:
            way = str(row["way"])
            if way == "empty":
                continue
            rate = sum(loops / row[f"ns{n}"] * 1e9 for n in range(cpus) if row.get(f"ns{n}"))
            numbers.setdefault((cell["machine"], way), {})[cpus] = (
                max(p[way] - p["empty"] for p in per_cpu), rate)
    return numbers


def scaling(results, figures):
    """Sessions on several CPUs at once: instructions of each."""
    rows, points, numbers = [], [], each_way(results)
    for (machine, way), found in numbers.items():
        one = found.get(1)
        for cpus, (each, rate) in sorted(found.items()):
            ratio = one[0] / each if one and each else 0
            rows.append([machine, way, cpus, f"{each:.2f}", f"{ratio:.3f}",
                         f"{rate / one[1]:.2f}" if one else "-"])
            points.append([f"{machine}, {way}", cpus, ratio])
    figures["scaling"] = {", ".join(k): {n: {"instructions": v[0], "sessions_s": v[1]}
                                         for n, v in found.items()}
                          for k, found in numbers.items()}
    return [{
        "title": "Scaling: sessions of 8 reads on several CPUs at once",
        "note": "Instructions that the slowest CPU executes for a loop of 8 reads of memory "
                "in place of a register; sessions a CPU, in instructions: 1 CPU's over that. "
                "Sessions a second are the emulator's, in one boot each, on a host with two "
                "CPUs: no more than context. A lock's instructions grow as CPUs wait for it.",
        "columns": ["machine", "way", "CPUs", "instructions a loop",
                    "sessions a CPU, ratio to 1 CPU", "all sessions a second, ratio to 1 CPU"],
        "rows": rows, "plot": {"x": "CPUs", "y": "sessions a CPU, ratio to 1 CPU",
                               "series": "machine, way", "kind": "lines",
                               "columns": ["machine, way", "CPUs",
                                           "sessions a CPU, ratio to 1 CPU"],
                               "rows": points}}] if rows else []


def shared_lines(results, figures):
    """Lines of memory that several CPUs write to."""
    lines = [[r["cell"]["machine"], r["cell"]["args"][4], r["lines"]["written"],
              r["lines"]["shared"]] for r in of_table(results, "stores") if r["lines"]]
    figures["shared_lines"] = {f"{m}, {way}": shared for m, way, _, shared in lines}
    return [{
        "title": "Lines of 64 bytes written to by four CPUs",
        "note": "All stores between the marks, 100 loops a CPU, by virtual address; "
                "shared: by more than one of them. The peer's lock is the control.",
        "columns": ["machine", "way", "lines written", "shared"], "rows": lines,
        "plot": None}] if lines else []


def judge(figures: dict) -> list[tuple[str, bool]]:
    """What the figures have to show; [(what, holds)]."""
    lines = []
    for arch, cost in figures.get("cost", {}).items():
        mine = cost["of 8, with begin and end"]
        lines += [
            (f"{arch}: begin + end at most {BEGIN_END_MOST}: {cost['begin + end']:.2f}",
             cost["begin + end"] <= BEGIN_END_MOST),
            (f"{arch}: a read in a session of 8 at most {READ_MOST[arch]} over readl(): "
             f"{cost['in a session of 8']:.2f}",
             cost["in a session of 8"] <= READ_MOST[arch]),
            *((f"{arch}: fewer than peer {peer}: {mine:.2f} and {cost['peer ' + peer]:.2f}",
               mine < cost["peer " + peer]) for peer in VERDICT),
            (f"{arch}: the same in each boot: moved by {100 * cost['moved']:.3f} %",
             cost["moved"] == 0)]
    for name, found in figures.get("scaling", {}).items():
        if "session" in name and 1 in found and 4 in found:
            ratio = found[1]["instructions"] / found[4]["instructions"]
            lines.append((f"{name}: sessions a CPU at 4 within 2% of 1: {ratio:.4f}",
                          abs(ratio - 1) <= 0.02))
    return lines + [(f"{name}: lines that two CPUs wrote to: {shared}",
                     (shared == 0) == ("session" in name))
                    for name, shared in figures.get("shared_lines", {}).items()]


def goals(figures: dict) -> list[tuple[str, bool]]:
    """What it should reach; [(what, met)]."""
    return [line for arch, cost in figures.get("cost", {}).items() for line in (
        (f"{arch}: begin + end at most {BEGIN_END_GOAL}: {cost['begin + end']:.2f}",
         cost["begin + end"] <= BEGIN_END_GOAL),
        (f"{arch}: a read in a session of 8 at most {READ_GOAL[arch]} over readl(): "
         f"{cost['in a session of 8']:.2f}", cost["in a session of 8"] <= READ_GOAL[arch]))]
