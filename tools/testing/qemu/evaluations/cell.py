# SPDX-License-Identifier: GPL-2.0
"""A cell is one boot of one kernel.  What it showed is kept in build/bench/cells/, with
what went into it; a cell is run again only when that has changed, so that a bench that
was stopped goes on where it was.
"""

import dataclasses
import hashlib
import json
import subprocess
import sys
from pathlib import Path

from harness import arches, ktap, paths, process
from harness.guest import Boot, Disk, kernel_image

from . import counting
from .counting import MARK

OUT = paths.BUILD / "bench"
PLUGIN = OUT / "libicount.so"
# name: (tree, variant).  "fixes" is vanilla with the stand-alone fixes, "off" the
# series with its options off, "peers" the series with the peers' module, "tests" what
# the tests run on.
KERNELS = {
    "vanilla": ("vanilla", "bench"),
    "fixes": ("fixes", "bench"),
    "off": ("patched", "bench"),
    "on": ("patched", "bench+checked"),
    "hinted": ("patched", "bench+checked+hinted"),
    "peers": ("peers", "bench+checked+smp"),
    "tests": ("patched", "on"),
}
# Guest scripts that others source
SOURCED = ("md",)


@dataclasses.dataclass(frozen=True)
class Cell:
    """One boot.

    table    the table it belongs to: "000" to "004", "cost", "scaling", ...
    machine  a name in machines/; arch is its kernel's
    hba      a name in drivers/
    kernel   a name in KERNELS
    run      guest scripts, without .sh; args are theirs
    sample   number of the boot, where a cell is booted several times
    disks    guest.Disks
    adapters Boot's
    count    whether the plugin counts, under icount where the machine has a rate
    marks    functions of the kernel that are marks of the plugin
    stores   whether the plugin looks for lines that two vCPUs write to
    programs names in build/userspace/ARCH that the scripts need in /bin
    may_die  whether a panic, or no end, is a result as well
    base     the kernels'
    """

    table: str
    machine: str
    arch: str
    hba: str
    kernel: str
    run: tuple
    args: tuple = ()
    sample: int = 0
    disks: tuple = (Disk(),) * 3
    adapters: tuple = ()
    smp: int = 1
    count: bool = False
    marks: tuple = (MARK,)
    stores: bool = False
    programs: tuple = ()
    append: str = ""
    qemu: tuple = ()
    timeout: int = 600
    may_die: bool = False
    base: str = "6.1"

    @property
    def name(self) -> str:
        """Of its file: what tells it from the others."""
        parts = [self.base, self.table, self.machine, self.hba, self.kernel, *self.run,
                 *map(str, self.args), f"smp{self.smp}", f"disks{len(self.disks)}"]
        if self.count:
            parts.append("counted")
        if self.append or self.qemu:
            parts.append(hashlib.sha256(repr((self.append, self.qemu)).encode()).hexdigest()[:6])
        return "-".join([*parts, str(self.sample)]).replace("/", "_")

    @property
    def file(self) -> Path:
        """Where its results are kept."""
        return OUT / "cells" / f"{self.name}.json"


def programs(cell: Cell) -> Path:
    """Where a cell's programs are."""
    return paths.BUILD / "userspace" / arches.userspace(cell.arch)


def inputs(cell: Cell, obj: Path) -> str:
    """What a cell's result depends on: a checksum."""
    image = kernel_image(obj, cell.arch, None)
    digest = hashlib.sha256(repr(cell).encode())
    for path in (image, *(paths.GUEST / f"{name}.sh" for name in cell.run + SOURCED),
                 *(paths.SELFTESTS / name for name in ("ktap.sh", "disks.sh")),
                 *(programs(cell) / name for name in ("fio", *cell.programs)),
                 *((paths.GUEST / "icount.c",) if cell.count else ())):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def boot_of(cell: Cell, log: Path, counts: Path) -> Boot:
    """The Boot of a cell; counts is the plugin's file."""
    tree, variant = KERNELS[cell.kernel]
    obj = paths.object_dir(cell.base, tree, cell.arch, variant)
    plugin = counting.arguments(cell, obj, PLUGIN, counts) if cell.count else ()
    return Boot(
        cell.machine, base=cell.base, tree=tree, variant=variant, arch=cell.arch,
        run=cell.run, args=cell.args, append=cell.append, smp=cell.smp,
        timeout=cell.timeout, log=log, disks=cell.disks, adapters=cell.adapters, hba=cell.hba,
        files={**{f"/selftests/{name}.sh": paths.GUEST / f"{name}.sh"
                  for name in cell.run + SOURCED},
               **{f"/bin/{name}": programs(cell) / name for name in cell.programs}},
        qemu=cell.qemu + plugin)


def known(cell: Cell, key: str) -> dict | None:
    """The good result of the same inputs, if it is there."""
    if cell.file.is_file():
        old = json.loads(cell.file.read_text())
        if old["inputs"] == key and old["good"]:
            return old
    return None


def run(cell: Cell) -> dict:
    """Boot a cell unless its result is there; returns the result, a dict.

    Its "rows" are what the scripts printed, "marks" what the plugin counted,
    "rejected" the accesses to the first adapter that QEMU's bus rejected,
    "good" is whether all of the scripts' tests passed, or the cell may die and did.
    """
    tree, variant = KERNELS[cell.kernel]
    obj = paths.object_dir(cell.base, tree, cell.arch, variant)
    if not (obj / "vmlinux").is_file():
        sys.exit(f"bench: no kernel {paths.short(obj)}\n"
                 "remedy: make bench builds it; by hand: tools/testing/qemu/builds/"
                 f"kernel.sh {cell.base} {tree} {cell.arch} {variant}")
    key = inputs(cell, obj)
    old = known(cell, key)
    if old:
        return old
    log = OUT / "logs" / cell.name
    log.mkdir(parents=True, exist_ok=True)
    counts = log / "counts"
    counts.unlink(missing_ok=True)
    result = process.run(boot_of(cell, log, counts))
    marks, lines = counting.read_marks(counts) if counts.is_file() else ([], None)
    found = {"inputs": key, "cell": dataclasses.asdict(cell),
             "good": (cell.may_die if result.outcome != "completed" else
                      ktap.green(result.ktap, cell.base)),
             "outcome": result.outcome, "seconds": round(result.seconds, 1),
             "rows": ktap.rows(result.ktap.read_text()), "marks": marks, "lines": lines,
             "rejected": result.hits_in_bar(), "log": paths.short(log)}
    cell.file.parent.mkdir(parents=True, exist_ok=True)
    cell.file.write_text(json.dumps(found, indent=1) + "\n")
    if not found["good"]:
        print(f"  BENCH   {cell.name}: {result.outcome}, not all of it ok\n"
              f"  log: {found['log']}", flush=True)
    return found


def execute(*command) -> None:
    """Run a step, or end."""
    if subprocess.run(command, cwd=paths.TOP, check=False).returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} failed")


def peers_tree(base: str) -> None:
    """The patched tree with the module that measures other ways."""
    peers = paths.BUILD / base / "peers"
    execute(paths.SERIES, "patched", base, "--dest", peers)
    for name in ("peers.c", "ways.h"):
        source = peers / f"drivers/pci/io_check_{name}"
        text = (paths.GUEST / name).read_text()
        if not source.is_file() or source.read_text() != text:
            source.write_text(text)
    makefile = peers / "drivers/pci/Makefile"
    line = "obj-$(CONFIG_IO_CHECK) += io_check_peers.o\n"
    if line not in makefile.read_text():
        makefile.write_text(makefile.read_text() + line)


def prepare(cells: list[Cell], base: str) -> None:
    """Build the plugin, the trees, the kernels and the programs that cells need."""
    OUT.mkdir(parents=True, exist_ok=True)
    execute("gcc", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden",
            "-o", PLUGIN, paths.GUEST / "icount.c")
    for more in ((), ("--fixes",)):
        execute(paths.SERIES, "patched", base, *more)
    peers_tree(base)
    builds = paths.QEMU / "builds"
    for arch in sorted({arches.userspace(c.arch) for c in cells}):
        execute(builds / "userspace.sh", arch)
    for tree, arch, variant in sorted({(KERNELS[c.kernel][0], c.arch, KERNELS[c.kernel][1])
                                       for c in cells}):
        execute(builds / "kernel.sh", base, tree, arch, variant)
