# SPDX-License-Identifier: GPL-2.0
"""Raise machine checks in a guest from outside, at an instruction of our choice.

QEMU's 7410 and PA-RISC machines raise none by themselves, whatever their buses
reject.  The emulator is unmodified: its gdb stub stops the guest at the
instruction, the exception is raised, and the guest goes on.  How it is raised:

ppc32   qtest pulls the CPU's machine-check pin (MCP), and QEMU's CPU takes the
        interrupt; SRR1 says nothing of the cause.
parisc  what firmware would have left behind is set up (hpmc.S), and the guest
        continues at its HPMC vector.

The access itself works: what is tried is the way from the exception back into
the driver.  Results of this kind are **injected exception**.

A breakpoint is in place while an injection is due, and the guest runs free
between two of them.
"""

import dataclasses
import itertools
import random
import re
import struct
import threading
import time
from pathlib import Path

from . import objects, paths
from .gdb import Gdb, Gone
from .sockets import connect, place

HIT_S = 10          # until an armed breakpoint is hit
SETTLE_S = 1.0      # between two injections, guest running
INIT = "Run /init"  # what the kernel says, seconds before a gate is reached
FAR = 1024          # bytes from a function's start to its access
PACKET = 1024       # bytes of memory that the gdb stub takes at once
# PIM's state of the CPU: what HP's examples have, all but the interruption
# parameter registers valid
PIM = 0x9e000004
# PIM's check type: of the bus (0x80000000 cache, 0x40000000 TLB, 0x10000000 assists)
BUS_CHECK = 0x20000000
WORDS = 24          # bytes at the end of hpmc.S, where the last four are unused


def ppc32(gdb, files, _pc):
    """Pull MCP for a moment: pin 3, at its falling edge (QEMU, ppc6xx_set_irq)."""
    for level in (1, 0):
        files["qtest"].sendall(b"set_irq_in /machine/unattached/device[0] "
                               b"unnamed-gpio-in 3 %d\n" % level)
        files["qtest"].recv(64)


def parisc(gdb, files, pc):
    """Continue at the HPMC vector, as firmware would leave the CPU there.

    Register numbers are QEMU's (target/hppa/gdbstub.c): 0 PSW, 33 and 35 the
    instruction queue, 34 and 36 its spaces.  The code is in the second half of
    the buffer: os_hpmc has firmware fill the first.
    """
    code, where = files["hpmc"], files["buffer"] + 0x4000
    psw, back = (int(gdb.ask(f"p{number:x}"), 16) & 0xffffffff for number in (0, 35))
    words = b"".join(word.to_bytes(4, "big") for word in
                     (pc, back, psw, files["pim"], files["check"]))
    gdb.ask("Qqemu.PhyMemMode:1")
    for at in range(0, len(code), PACKET):
        some = code[at:at + PACKET]
        gdb.ask(f"M{where + at:x},{len(some):x}:{some.hex()}")
    files["hpmc"] = b""     # it stays
    gdb.ask(f"M{where + files['words']:x},{len(words):x}:{words.hex()}")
    gdb.ask("Qqemu.PhyMemMode:0")
    # M on; W as it is
    for number, value in ((0, 0x10000 | psw & 0x08000000), (33, where),
                          (35, where + 4), (34, 0), (36, 0)):
        gdb.ask(f"P{number:x}={value:08x}")


RAISE = {"ppc32": ppc32, "parisc": parisc, "parisc64": parisc}
# The program counter's number in the gdb stub
PC = {"ppc32": 64, "parisc": 33, "parisc64": 33}
PAGE_OFFSET = {"parisc": 0x10000000, "parisc64": 0x40000000}


def assembled(arch: str) -> bytes:
    """hpmc.S as bytes, with room for its words."""
    out = paths.BUILD / f"logs/hpmc.{arch}"
    out.parent.mkdir(parents=True, exist_ok=True)
    size = 8 if arch == "parisc64" else 4
    # one assembler for both: the code is 32 bits wide
    objects.tool("parisc", "as", "--defsym", f"SIZE={size}", paths.GUEST / "hpmc.S",
                 "-o", f"{out}.o")
    objects.tool("parisc", "objcopy", "-O", "binary", "-j", ".text", f"{out}.o", out)
    return out.read_bytes()


def instructions(arch, vmlinux, function, address, first, last):
    """[(address, text)] of the function at an address: from the instruction that
    matches first up to, but without, the next one that matches last.

    By address, as objdump knows only one of the names that share one.
    """
    text = objects.disassembly(arch, vmlinux, f"--start-address={address:#x}",
                               f"--stop-address={address + FAR:#x}")
    found = []
    for at, words in re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", text, re.M):
        if found and re.match(last, words):
            break
        if found or re.match(first, words):
            found.append((int(at, 16), f"{function} {' '.join(words.split())}"))
    return found


def inline(arch, vmlinux, function, names, core):
    """The same of a kernel that has its checked accesses in line, a list for each
    of the instructions of an access: [[(address, text)]].

    function is what a stub would be called.  core: only those of the functions
    that modules call, which do nothing else, and one instruction of each.
    """
    kind, bits = re.match(r"__io_check_(ld|st)(\d+)$", function).groups()
    text = objects.tool(arch, "objdump", "-s", "-j", TABLE, vmlinux)
    table = bytes.fromhex("".join(
        line[:36] for line in re.findall(r"^ [0-9a-f]+ (.{36})", text, re.M)))
    if core:
        start = names[f"io_check_{'read' if kind == 'ld' else 'write'}{bits}"]
    ways = []
    for at in range(0, len(table), ENTRY.size):
        first, last, _, size, write = ENTRY.unpack_from(table, at)
        here = names[TABLE] + at
        first, last = here + first, here + 4 + last
        if size * 8 != int(bits) or write != (kind == "st") or (
                core and not start <= first < start + FAR // 4):
            continue
        points = list(enumerate(range(first, last, 4)))
        # the last one runs after a fault as well
        for n, address in points[:-1][at // ENTRY.size % 2:][:1] if core else points:
            ways += [[] for _ in range(len(ways), n + 1)]
            ways[n].append((address, f"{function} {address:#x} +{n}"))
    return [way for way in ways if way]


# Where the kernel has its struct io_check_stub
TABLE, ENTRY = "__io_check_stubs", struct.Struct(">iiIBB2x")

# The access itself, and what follows the last instruction that it may be
# blamed on, of the plain function that vanilla has in its place (44: the ReplyFifo
# in mpt_interrupt).
PLAIN = {"ppc32": (r"twi\s", r""), "parisc": (r"ldb\s+0\(|ldw\s+44\(", r"")}
PLAIN["parisc64"] = PLAIN["parisc"]


@dataclasses.dataclass
class Plan:
    """What to inject.

    functions  that have points: each instruction of their accesses is one.
               Where accesses are in line a stub's name stands for all of its
               kind, and an instruction of all is one point
    plain      whether they are plain accesses; then of the functions only the first
               that the kernel has, as a compiler may have inlined it
    count      of injections, a point each, shuffled by seed, once the console says
               start; 0: whenever a point is reached between start and end
    settle     seconds of the guest's running free between two
    pim        state of the CPU that PIM has on parisc; 0: firmware has no PIM
    check      check type that it has
    gate       with count 0: a function that runs after the console has start or
               end, and before any access that is due
    """

    functions: tuple
    count: int
    start: str
    end: str = ""
    plain: bool = False
    seed: int = 1
    settle: float = SETTLE_S
    gate: str = ""
    pim: int = PIM
    check: int = BUS_CHECK


class Injector:
    """A thread that carries out a Plan in the guest of one boot."""

    def __init__(self, plan: Plan, arch: str, vmlinux: Path, directory: Path):
        self.plan, self.arch = plan, arch
        names = objects.addresses(arch, vmlinux)
        self.points = self.choose(vmlinux, names)
        random.Random(plan.seed).shuffle(self.points)
        self.gate = names.get(plan.gate)
        self.sockets = {name: place(directory, name) for name in ("gdb", "qtest")}
        self.files = {}
        if arch in PAGE_OFFSET:
            self.files["hpmc"] = assembled(arch)
            self.files["words"] = len(self.files["hpmc"]) - WORDS
            self.files["pim"], self.files["check"] = plan.pim, plan.check
            self.files["buffer"] = names["hpmc_iodc_buf"] - PAGE_OFFSET[arch]
        self.done, self.error = [], None
        self.thread = threading.Thread(target=self.work, daemon=True)

    def choose(self, vmlinux, names):
        """The points: [[(address, text)]]."""
        plan, points = self.plan, []
        functions = plan.functions
        if plan.plain:
            functions = [f for f in functions if f in names][:1] or functions
        for function in functions:
            if not plan.plain:
                more = inline(self.arch, vmlinux, function, names, not plan.count)
            else:
                more = [[point] for point in instructions(
                    self.arch, vmlinux, function, names[function], *PLAIN[self.arch])
                        ] if function in names else []
            if not more:
                raise SystemExit(f"inject: no access in {function} of {vmlinux}")
            points += more
        return points

    def arguments(self) -> list[str]:
        """For QEMU's command line."""
        for path in self.sockets.values():
            path.unlink(missing_ok=True)
        return ["-gdb", f"unix:{self.sockets['gdb']},server=on,wait=off",
                "-qtest", f"unix:{self.sockets['qtest']},server=on,wait=off",
                "-qtest-log", "none"]

    def start(self, console: Path) -> None:
        """Begin once console says so."""
        self.console = console
        self.thread.start()

    def shows(self, what):
        """Whether the console has that text."""
        return what in self.console.read_text(errors="replace")

    def work(self):
        """The thread."""
        try:
            if self.arch == "ppc32":
                self.files["qtest"] = connect(self.sockets["qtest"])
            # breakpoints make firmware slow: a minute with OpenBIOS
            while not self.shows(self.plan.start if self.plan.count else INIT):
                time.sleep(0.1)
            gdb = Gdb(self.sockets["gdb"])
            gdb.ask("?")
            for point in itertools.cycle(self.points):
                if len(self.done) >= self.plan.count:
                    break
                self.once(gdb, dict(point))
            if not self.plan.count:
                self.each(gdb)
            gdb.ask("D")
        except (Gone, BrokenPipeError):     # QEMU ended, with the guest
            pass
        except Exception as error:      # shown at the boot's end
            self.error = error

    def once(self, gdb, names):
        """One injection; the guest is stopped before, and after."""
        for address in names:
            gdb.ask(f"Z0,{address:x},4")
        gdb.go()
        hit = gdb.receive(HIT_S)
        if hit is None:
            gdb.stop()
        for address in names:
            gdb.ask(f"z0,{address:x},4")
        if hit is None:
            return
        address = int(gdb.ask(f"p{PC[self.arch]:x}"), 16)
        RAISE[self.arch](gdb, self.files, address)
        self.done.append(names[address])
        gdb.go()
        time.sleep(self.plan.settle)
        gdb.stop()

    def each(self, gdb):
        """An injection whenever the guest reaches a point."""
        names, armed = dict(itertools.chain(*self.points)), False
        gdb.ask(f"Z0,{self.gate:x},4")
        while True:
            gdb.go()
            while gdb.receive(HIT_S) is None:
                pass
            address = int(gdb.ask(f"p{PC[self.arch]:x}"), 16)
            if address in names:
                RAISE[self.arch](gdb, self.files, address)
                self.done.append(names[address])
                continue
            if armed and self.shows(self.plan.end):
                break
            if not armed and self.shows(self.plan.start):
                armed = True
                for point in names:
                    gdb.ask(f"Z0,{point:x},4")
            gdb.ask(f"z0,{self.gate:x},4")
            gdb.ask("s")
            gdb.ask(f"Z0,{self.gate:x},4")
        for point in (*names, self.gate):
            gdb.ask(f"z0,{point:x},4")
