#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The evaluations of the five seed documents, redone in QEMU: make bench.

A cell is one boot of one kernel.  What it showed is kept in build/bench/cells/,
with what went into it; a cell is run again only when that has changed, so that
a bench that was stopped goes on where it was.  bench_report.py makes tables,
plots and build/results/bench.json of the cells.

Instructions are counted by the plugin bench/icount.c, and are the same in each
run as far as the tables say so.  Times are those of an emulator: nothing but
ratios in one run are of use, with their spread.
"""

import argparse
import dataclasses
import hashlib
import json
import re
import statistics
import subprocess
import sys
import time

import boot
import results

BENCH = boot.TOP / "tools/testing/qemu/bench"
OUT = boot.BUILD / "bench"
PLUGIN = OUT / "libicount.so"
# name: (tree, variant).  "fixes" is vanilla with the stand-alone fixes, "off" the
# series with its options off, "peers" the series with the peers' module.
KERNELS = {
    "vanilla": ("vanilla", "bench"),
    "fixes": ("fixes", "bench"),
    "off": ("patched", "bench"),
    "on": ("patched", "bench+checked"),
    "hinted": ("patched", "bench+checked+hinted"),
    "peers": ("peers", "bench+checked+smp"),
}
# A virtual CPU's time for an instruction, 2^shift ns: see facts of each machine
ICOUNT = {"powernv9": 1, "g3beige": 6, "b160l": 6}
MARK = "sysrq_handle_loglevel"
# Guest scripts that others source
SOURCED = ("md",)
DRIVER_DIRS = {"fusion": "drivers/message/fusion",
               "sym53c8xx": "drivers/scsi/sym53c8xx_2"}
# What a driver's accesses come to outside of it, checked or not
ACCESSORS = re.compile(r"(io(read|write)(8|16|32)|_?(out|in)_(8|le16|le32)|"
                       r"__io_check_(ld|st)\d+|(load|store)_failed)$")


@dataclasses.dataclass(frozen=True)
class Cell:
    """One boot.

    table    the table it belongs to: "000" to "004", "cost", "scaling", ...
    machine  a name in boot.MACHINES; arch is its kernel's
    hba      a name in boot.HBAS
    kernel   a name in KERNELS
    run      guest scripts of bench/, without .sh; args are theirs
    sample   number of the boot, where a cell is booted several times
    disks    boot.Disks
    count    whether the plugin counts, under icount where ICOUNT has the machine
    marks    functions of the kernel's that are marks of the plugin
    stores   whether the plugin looks for lines that two vCPUs write to
    programs names in build/userspace/ARCH that the scripts need in /bin
    may_die  whether a panic, or no end, is a result as well
    """

    table: str
    machine: str
    arch: str
    hba: str
    kernel: str
    run: tuple
    args: tuple = ()
    sample: int = 0
    disks: tuple = (boot.Disk(),) * 3
    smp: int = 1
    count: bool = False
    marks: tuple = (MARK,)
    stores: bool = False
    programs: tuple = ()
    append: str = ""
    qemu: tuple = ()
    timeout: int = 600
    may_die: bool = False

    @property
    def name(self):
        """Of its file: what tells it from the others."""
        parts = [self.table, self.machine, self.hba, self.kernel, *self.run,
                 *map(str, self.args), f"smp{self.smp}", f"disks{len(self.disks)}"]
        if self.count:
            parts.append("counted")
        if self.append or self.qemu:
            parts.append(hashlib.sha256(repr((self.append, self.qemu)).encode()).hexdigest()[:6])
        return "-".join([*parts, str(self.sample)]).replace("/", "_")

    @property
    def file(self):
        """Where its results are kept."""
        return OUT / "cells" / f"{self.name}.json"


def symbols(vmlinux, cross):
    """[(address, name)] of a kernel's code, sorted; ppc64's dots are taken off."""
    text = subprocess.run([f"{cross}nm", vmlinux], check=True, capture_output=True,
                          text=True).stdout
    return sorted((int(addr, 16), name.lstrip(".")) for addr, name in
                  re.findall(r"^(\w+) [tTW] (\S+)$", text, re.M))


def spans(wanted, table):
    """[(low, high)] of the functions for which wanted(index) is true; adjacent
    ones are merged.  high is the next symbol's address."""
    found = []
    for n, (addr, _) in enumerate(table[:-1]):
        after = next((a for a, _ in table[n + 1:n + 9] if a > addr), addr)
        if not wanted(n) or after == addr:
            continue
        if found and found[-1][1] == addr:
            found[-1] = (found[-1][0], after)
        else:
            found.append((addr, after))
    return found


def functions_of(obj, directory, cross):
    """Names of the functions in the objects of a directory."""
    names = set()
    for file in sorted((obj / directory).glob("*.o")):
        text = subprocess.run([f"{cross}nm", file], check=True, capture_output=True,
                              text=True).stdout
        names |= {n.lstrip(".") for n in re.findall(r"^\w+ [tT] (\S+)$", text, re.M)}
    return names


def ranges(obj, hba, cross):
    """{name: [(low, high)]}: the driver's code, its accessors', io_check's core.

    Static functions of the same name elsewhere in the kernel are told apart by
    where the directory's other functions are.
    """
    table = symbols(obj / "vmlinux", cross)
    count = {}
    for _, name in table:
        count[name] = count.get(name, 0) + 1

    def of(directory, keep=lambda name: True):
        names = {n for n in functions_of(obj, directory, cross) if keep(n)}
        alone = [a for a, n in table if n in names and count[n] == 1]
        if not alone:
            return []
        # the main section's functions lie together; .text.unlikely's do not
        middle = statistics.median_low(alone)
        near = [a for a in alone if abs(a - middle) < 1 << 20]
        low, high = min(near), max(near)
        return spans(lambda n: table[n][1] in names and
                     (count[table[n][1]] == 1 or low <= table[n][0] <= high), table)

    return {"driver": of(DRIVER_DIRS[hba]),
            "stubs": spans(lambda n: ACCESSORS.match(table[n][1]), table),
            "core": of("drivers/pci", lambda n: "io_check" in n)}


def plugin_arguments(cell, obj, out):
    """QEMU's arguments for the plugin, and for icount."""
    cross = boot.facts(cell.arch)["CROSS"]
    table = symbols(obj / "vmlinux", cross)
    words = [str(PLUGIN), f"out={out}"]
    for mark in cell.marks:
        addr = [a for a, n in table if n == mark]
        if not addr:
            sys.exit(f"bench: no function {mark} in {obj}/vmlinux")
        words.append(f"mark={addr[0]:x}")
    if cell.stores:
        words.append("stores=on")
    if MARK in cell.marks:
        words += [f"range={name}:{low:x}:{high:x}" for name, found in
                  ranges(obj, cell.hba, cross).items() for low, high in found]
    shift = ICOUNT.get(cell.machine)
    return ("-plugin", ",".join(words), *(
        ("-icount", f"shift={shift},sleep=off") if shift is not None and cell.smp == 1
        else ()))


def read_marks(path):
    """[{"mark", "vcpu", "total", name of a range: instructions so far}], and
    {"written", "shared"} lines or None, of a plugin's file."""
    marks, lines = [], None
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "mark":
            marks.append({k: int(v) for k, v in zip(words[::2], words[1::2])})
        else:
            lines = {"written": int(words[2]), "shared": int(words[4])}
    return marks, lines


def value(text):
    """A number if it is one."""
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text


def read_rows(ktap):
    """[{key: value}] of the lines "# row key=value ..." of a KTAP."""
    return [{k: value(v) for k, v in (w.split("=", 1) for w in line.split())}
            for line in re.findall(r"# row (.*)", ktap)]


def inputs(cell, obj):
    """What a cell's result depends on: a checksum."""
    image = obj / boot.MACHINES[cell.machine].image
    digest = hashlib.sha256(repr(cell).encode())
    for path in (image, *(BENCH / f"{name}.sh" for name in cell.run + SOURCED),
                 *(boot.TOP / boot.SELFTESTS / name for name in ("ktap.sh", "disks.sh")),
                 *(userspace(cell) / name for name in ("fio", *cell.programs)),
                 *((BENCH / "icount.c",) if cell.count else ())):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def userspace(cell):
    """Where a cell's programs are."""
    return boot.BUILD / "userspace" / boot.facts(cell.arch).get("USERSPACE", cell.arch)


def run(cell, base):
    """Boot a cell unless its result is there; returns the result, a dict.

    Its "rows" are what the scripts printed, "marks" what the plugin counted,
    "rejected" the accesses to the first adapter that QEMU's bus rejected,
    "good" is whether all of the scripts' tests passed, or the cell may die and did.
    """
    tree, variant = KERNELS[cell.kernel]
    obj = boot.object_dir(base, tree, cell.arch, variant)
    if not (obj / "vmlinux").is_file():
        sys.exit(f"bench: no kernel {obj.relative_to(boot.TOP)}\n"
                 "remedy: make bench builds it; by hand: "
                 f"tools/testing/qemu/kernel.sh {base} {tree} {cell.arch} {variant}")
    key = inputs(cell, obj)
    if cell.file.is_file():
        old = json.loads(cell.file.read_text())
        if old["inputs"] == key and old["good"]:
            return old
    log = OUT / "logs" / cell.name
    log.mkdir(parents=True, exist_ok=True)
    counts = log / "counts"
    counts.unlink(missing_ok=True)
    result = boot.boot(
        cell.machine, base=base, tree=tree, variant=variant, arch=cell.arch,
        run=cell.run, args=cell.args, append=cell.append, smp=cell.smp,
        timeout=cell.timeout, log=log, disks=cell.disks, hba=cell.hba,
        files={**{f"/selftests/{name}.sh": BENCH / f"{name}.sh"
                  for name in cell.run + SOURCED},
               **{f"/bin/{name}": userspace(cell) / name for name in cell.programs}},
        qemu=cell.qemu + (plugin_arguments(cell, obj, counts) if cell.count else ()))
    ktap = result.ktap.read_text()
    marks, lines = read_marks(counts) if counts.is_file() else ([], None)
    found = {"inputs": key, "cell": dataclasses.asdict(cell), "base": base,
             "good": (cell.may_die if result.outcome != "completed" else
                      bool(results.green(result.ktap, base))),
             "outcome": result.outcome, "seconds": round(result.seconds, 1),
             "rows": read_rows(ktap), "marks": marks, "lines": lines,
             "rejected": result.hits_in_bar(),
             "log": str(log.relative_to(boot.TOP))}
    cell.file.parent.mkdir(parents=True, exist_ok=True)
    cell.file.write_text(json.dumps(found, indent=1) + "\n")
    if not found["good"]:
        print(f"  BENCH   {cell.name}: {result.outcome}, not all of it ok\n"
              f"  log: {found['log']}", flush=True)
    return found


# The nine cells: sequential reads a disk and cell, counted, and timed
COUNTED, TIMED = 1500, 1900
GUESTS = (("powernv9", "ppc64", "fusion"), ("g3beige", "ppc32", "sym53c8xx"),
          ("b160l", "parisc", "sym53c8xx"))
# Boots of one kernel differ by up to 3 percent with several disks, which share
# interrupts as the host's load has it: a median of three was off by ten instructions
COUNTED_BOOTS, BOOTS = 5, 3


def nine_cells(quick):
    """Counted boots of four kernels; and timed ones, of three in turns."""
    guests = GUESTS[:1] if quick else GUESTS
    for sample in range(1 if quick else COUNTED_BOOTS):
        for guest in guests:
            for kernel in ("vanilla", "fixes", "off", "on"):
                yield Cell("000", *guest, kernel, ("cells",), (COUNTED,), sample,
                           count=True)
    for sample in range(1 if quick else BOOTS):
        for guest in guests:
            for kernel in ("vanilla", "off", "on"):
                yield Cell("000", *guest, kernel, ("cells",), (TIMED,), sample)


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


def peer_cells(quick):
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


def prepare(cells, base):
    """Build the plugin, the trees, the kernels and the programs that cells need."""
    def do(*command):
        if subprocess.run(command, cwd=boot.TOP, check=False).returncode:
            sys.exit(f"bench: {command[0]} {' '.join(map(str, command[1:]))} failed")
    OUT.mkdir(parents=True, exist_ok=True)
    do("gcc", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden",
       "-o", PLUGIN, BENCH / "icount.c")
    peers = boot.BUILD / base / "peers"
    series = boot.TOP / "scripts/series.py"
    for more in ((), ("--fixes",), ("--dest", peers)):
        do(series, "patched", base, *more)
    source = peers / "drivers/pci/io_check_peers.c"
    text = (BENCH / "peers.c").read_text()
    if not source.is_file() or source.read_text() != text:
        source.write_text(text)
    makefile = peers / "drivers/pci/Makefile"
    line = "obj-$(CONFIG_IO_CHECK) += io_check_peers.o\n"
    if line not in makefile.read_text():
        makefile.write_text(makefile.read_text() + line)
    scripts = boot.TOP / "tools/testing/qemu"
    for arch in sorted({c.arch for c in cells}):
        do(scripts / "userspace.sh", boot.facts(arch).get("USERSPACE", arch))
    for tree, arch, variant in sorted({(KERNELS[c.kernel][0], c.arch, KERNELS[c.kernel][1])
                                       for c in cells}):
        do(scripts / "kernel.sh", base, tree, arch, variant)


def main():
    """Run all cells, with progress, and report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--base", default="6.1")
    parser.add_argument("--quick", action="store_true", help="a sample, in ten minutes")
    parser.add_argument("--table", help="cells of one table alone")
    parser.add_argument("--build", action="store_true", help="nothing but what it needs")
    args = parser.parse_args()
    import bench_seeds      # it imports this file
    cells = [c for found in (nine_cells, peer_cells, bench_seeds.cells)
             for c in found(args.quick)
             if args.table in (None, c.table)]
    prepare(cells, args.base)
    if args.build:
        return
    start = time.monotonic()
    done = []
    for n, cell in enumerate(cells, 1):
        print(f"  BENCH   {n} of {len(cells)}, {time.monotonic() - start:.0f} s: {cell.name}",
              flush=True)
        done.append(run(cell, args.base))
    import bench_report
    sys.exit(not bench_report.main(done))


if __name__ == "__main__":
    main()
