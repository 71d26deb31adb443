#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What ia64's stubs have to be for a machine check in them to be survived.

No emulator of Debian's runs them, so their code and their table are looked at,
in a vmlinux or any linked file, and the few instructions that they have are
interpreted: once as they are, and once for each bundle that a machine check
could be blamed on, continued at the fixup as PAL would (Intel Itanium
Architecture Software Developer's Manual, volume 3, for the instructions).

    ia64_stubs.py FILE ASM-OFFSETS.H
"""

import re
import subprocess
import sys

BINUTILS = "ia64-linux-gnu-"
STUBS = {f"ia64_io_check_{way}{bits}": (bits // 8, way == "st")
         for way in ("ld", "st") for bits in (8, 16, 32, 64)}
PADS = ("io_check_load_failed", "io_check_store_failed")
ENTRY = 16                      # bytes of a struct io_check_stub
BUNDLE = 16                     # bytes
# registers that recover_checked_access() leaves words in
WORDS = {"r9": 0xa000000000000120, "r10": 0x1d00000000000041,
         "r11": 0x80021000, "r14": 0x20b00fff21130000}
ADDR, SESSION, VALUE = 0xc000000080021000, 0xe000000004567000, 0x8877665544332211
ONES = 2 ** 64 - 1
ACCESS = re.compile(r"(ld|st)([1248])(?:\.acq|\.rel)? ")
PSR_I = 1 << 14                 # interrupts are on (asm/kregs.h)


class Broken(Exception):
    """What a stub does not keep to."""


def tool(name, *args):
    """Output of one of binutils' programs."""
    return subprocess.run([BINUTILS + name, *args], check=True,
                          capture_output=True, text=True).stdout


class Image:
    """Symbols, table and code of the stubs in a linked file.

    code    {address of a bundle: [(slot, instruction without its stop)]}
    table   [(start, end, pad, size, write)]: addresses, bytes, bool
    """

    def __init__(self, path):
        self.path = path
        self.symbols = {name: int(addr, 16) for addr, name in re.findall(
            r"^(\w+) \w (\S+)$", tool("nm", path), re.M)}
        lacks = [s for s in (*STUBS, *PADS, "__io_check_stubs",
                             "__io_check_stubs_end") if s not in self.symbols]
        if lacks:
            raise Broken(f"no symbol {lacks[0]} in {path}")
        self.first = min(self.symbols[s] for s in STUBS)
        # after the last pad's symbol: its few bundles
        self.last = max(self.symbols[s] for s in (*STUBS, *PADS)) + 16 * BUNDLE
        self.code = self.disassemble()
        self.table = self.read_table()

    def disassemble(self):
        """The stubs' code, by bundle."""
        text = tool("objdump", "-d", "--no-show-raw-insn",
                    f"--start-address={self.first:#x}",
                    f"--stop-address={self.last:#x}", self.path)
        code = {}
        for addr, insn in re.findall(
                r"^ *([0-9a-f]+):\t(?:\[\w+\])? *(\S.*?)(?:;;)?\s*$", text, re.M):
            at = int(addr, 16)
            code.setdefault(at & -BUNDLE, []).append((at % BUNDLE, insn))
        return code

    def bytes(self, start, stop):
        """What the file has from start to stop."""
        dump = tool("objdump", "-s", f"--start-address={start:#x}",
                    f"--stop-address={stop:#x}", self.path)
        return bytes.fromhex("".join(
            word for line in re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})",
                                        dump, re.M) for word in line.split()))

    def relative(self, at):
        """The address that the self-relative word at an address means."""
        return at + int.from_bytes(self.bytes(at, at + 4), "little", signed=True)

    def read_table(self):
        """The entries of __io_check_stubs, as they stand."""
        start, stop = (self.symbols[s] for s in ("__io_check_stubs",
                                                 "__io_check_stubs_end"))
        if (stop - start) % ENTRY:
            raise Broken(f"the table has {stop - start} bytes")
        return [(*(self.relative(at + n) for n in (0, 4, 8)),
                 self.bytes(at + 12, at + 13)[0], bool(self.bytes(at + 13, at + 14)[0]))
                for at in range(start, stop, ENTRY)]

    def range(self, entry):
        """The instructions of an entry's range, in order."""
        return [insn for at in range(entry[0], entry[1], BUNDLE)
                for _, insn in self.code.get(at, ())]


def number(text):
    """Value of an immediate as objdump prints it."""
    return int(text, 0) & ONES


def run(image, at, regs, memory):
    """Interpret from an address to br.ret: changes regs and memory in place.

    memory is {address: byte}.  Knows the instructions of the stubs, no others.  regs
    has psr and p6, too.  The ranges run with interrupts off: raises Broken.
    """
    ranges = [range(*entry[:2]) for entry in image.table]
    for _ in range(64):
        jump = None
        if any(at in r for r in ranges) and regs["psr"] & PSR_I:
            raise Broken(f"an interrupt may come at {at:#x}, in a range")
        for _, insn in image.code.get(at) or [(0, "nothing there")]:
            if insn.startswith("(p06) "):
                if not regs["p6"]:
                    continue
                insn = insn.partition(" ")[2].strip()
            op, _, rest = insn.partition(" ")
            base = op.split(".")[0]
            if base in ("nop", "mf", "srlz"):
                continue
            if insn == "rsm 0x4000":
                regs["psr"] &= ~PSR_I
                continue
            if insn == "ssm 0x4000":
                regs["psr"] |= PSR_I
                continue
            if re.match(r"tbit\.z p0,p6=r\d+,14$", insn):   # tbit.nz's other name
                regs["p6"] = regs[rest.split("=")[1].split(",")[0]] >> 14 & 1
                continue
            if op == "br.ret.sptk.many" and rest == "b0":
                return
            if op == "br.few":
                jump = int(rest.split()[0], 16)
                break
            if ACCESS.match(insn):
                access(insn, regs, memory)
                continue
            dest, _, source = rest.partition("=")
            values = [regs[s] if s in regs else number(s) for s in source.split(",")]
            if base == "mov" and len(values) == 1:
                regs[dest] = values[0]
            elif base in ("add", "adds"):
                regs[dest] = sum(values) & ONES
            elif base == "or":
                regs[dest] = values[0] | values[1]
            else:
                raise Broken(f"{insn} at {at:#x}: not an instruction of a stub")
        at = at + BUNDLE if jump is None else jump
    raise Broken("never returns")


def access(insn, regs, memory):
    """Interpret a load or store, with its post-increment."""
    way, size = ACCESS.match(insn).groups()
    size = int(size)
    rest = insn.partition(" ")[2]
    if way == "ld":
        dest, base = re.fullmatch(r"(r\d+)=\[(r\d+)\]", rest).groups()
        regs[dest] = int.from_bytes(
            bytes(memory.get(regs[base] + n, 0) for n in range(size)), "little")
        return
    base, source, step = re.fullmatch(r"\[(r\d+)\]=(r\d+)(?:,(-?\d+))?", rest).groups()
    for n, byte in enumerate(regs[source].to_bytes(8, "little")[:size]):
        memory[regs[base] + n] = byte
    regs[base] += int(step or 0)


def fresh():
    """Registers of a caller; what is not an argument has junk in it."""
    return {**{f"r{n}": 0xdead0000 + n for n in range(1, 128)}, "r0": 0,
            "r32": ADDR, "r33": SESSION, "r34": VALUE, "psr": PSR_I, "p6": 0}


def check_table(image):
    """Sorted, disjoint, complete, on bundles."""
    table = image.table
    for entry in table:
        if any(at % BUNDLE for at in entry[:3]):
            raise Broken(f"an entry is not on bundles: {[hex(a) for a in entry[:3]]}")
    if table != sorted(table) or any(a[1] > b[0] for a, b in zip(table, table[1:])):
        raise Broken("the table is not sorted")
    found = [(size, write) for *_, size, write in table]
    if sorted(found) != sorted(STUBS.values()):
        raise Broken(f"the table has {len(table)} entries, not one for each stub")
    for name, kind in STUBS.items():
        start, end = next(e for e in table if e[3:] == kind)[:2]
        after = min([a for s, a in image.symbols.items() if s in (*STUBS, *PADS) and
                     a > image.symbols[name]])
        if not image.symbols[name] < start < end < after:
            raise Broken(f"the range of {name} is not inside of it")


def check_range(image, entry):
    """The access first; then a use and mf.a; and nothing with an effect."""
    *_, size, write = entry
    body = image.range(entry)
    what = f"{'st' if write else 'ld'}{size}"
    if not body or not re.match(rf"{what}\.(acq|rel) ", body[0]):
        raise Broken(f"{what}: the range does not begin with the access")
    if len([i for i in body if re.match(r"(ld|st)", i)]) != 1:
        raise Broken(f"{what}: another load or store in the range")
    after = body[1:]
    if "mf.a" not in after:
        raise Broken(f"{what}: no mf.a in the range")
    if "srlz.i" not in after:
        raise Broken(f"{what}: no srlz.i in the range")
    if not write:
        dest = re.search(r" (r\d+)=", body[0])[1]
        uses = [i for i in after if re.search(rf"[=,]{dest}\b", i)]
        if not uses:
            raise Broken(f"{what}: the value is not used in the range")
    for insn in after:
        if not re.match(r"(mf\.a|srlz\.[di]|nop\.[mi] 0x0)$|adds? r15=", insn):
            raise Broken(f"{what}: {insn} in the range")
    before = [i for at in range(entry[0] - 3 * BUNDLE, entry[0], BUNDLE)
              for _, i in image.code.get(at, ())]
    for reg in WORDS:
        if f"mov {reg}=r0" not in before:
            raise Broken(f"{what}: {reg} may have a NaT bit")


def check_success(image, entry):
    """What a stub does where nothing fails."""
    *_, size, write = entry
    name = next(n for n, kind in STUBS.items() if kind == (size, write))
    data = VALUE.to_bytes(8, "little")
    for psr in (0, PSR_I):
        memory = {} if write else {ADDR + n: data[n] for n in range(8)}
        regs = {**fresh(), "psr": psr}
        run(image, image.symbols[name], regs, memory)
        if regs["psr"] != psr:
            raise Broken(f"{name} leaves interrupts {'off' if psr else 'on'}")
    if write:
        if memory != {ADDR + n: data[n] for n in range(size)}:
            raise Broken(f"{name} stores something else")
    elif regs["r8"] != int.from_bytes(data[:size], "little"):
        raise Broken(f"{name} returns {regs['r8']:#x}")


def check_fixup(image, entry, offsets):
    """The landing pad, after a machine check in each bundle of the range."""
    start, end, pad, size, write = entry
    if not any(image.symbols[p] == pad for p in PADS):
        raise Broken(f"the fixup {pad:#x} is no landing pad")
    for at in range(start, end, BUNDLE):
        regs = fresh()
        regs.update(WORDS, r9=at, psr=0, p6=at // BUNDLE % 2)
        memory = {}
        run(image, pad, regs, memory)
        if regs["psr"] != PSR_I * regs["p6"]:
            raise Broken(f"the pad leaves interrupts {'off' if regs['p6'] else 'on'}")
        want = {"STOP": (1, 1), "FAULT_IP": (8, at), "FAULT_ADDR": (8, ADDR),
                "FAULT_VALUE": (8, VALUE if write else ONES)}
        raw = [WORDS[r] for r in ("r10", "r11", "r14")]
        expected = {SESSION + offsets["FAULT_RAW"] + 8 * i + n: byte
                    for i, word in enumerate(raw)
                    for n, byte in enumerate(word.to_bytes(8, "little"))}
        for field, (length, value) in want.items():
            for n, byte in enumerate(value.to_bytes(length, "little")):
                expected[SESSION + offsets[field] + n] = byte
        if memory != expected:
            raise Broken(f"the pad of {'st' if write else 'ld'}{size} stores "
                         "something else in the session")
        if regs["r8"] != ONES:
            raise Broken(f"a failed access returns {regs['r8']:#x}")


def check_apart(image):
    """No range is in __mca_table, where an MCA kills the process."""
    if "__start___mca_table" not in image.symbols:
        return
    start, stop = (image.symbols[f"__{s}___mca_table"] for s in ("start", "stop"))
    for at in range(start, stop, 8):
        first, last = image.relative(at), image.relative(at + 4)
        if any(first < end and begin <= last for begin, end, *_ in image.table):
            raise Broken("a stub is in __mca_table")


def offsets_of(header):
    """{field: offset in struct io_check} of an asm-offsets.h."""
    return {name: int(value) for name, value in re.findall(
        r"^#define IO_CHECK_(\w+) (\d+)", header, re.M)}


def check(path, header):
    """Look at a linked file; the struct's offsets are an asm-offsets.h's text.

    Returns the number of interpreted runs; raises Broken.
    """
    image = Image(path)
    offsets = offsets_of(header)
    check_table(image)
    check_apart(image)
    runs = 0
    for entry in image.table:
        check_range(image, entry)
        check_success(image, entry)
        check_fixup(image, entry, offsets)
        runs += 1 + (entry[1] - entry[0]) // BUNDLE
    return runs


def main():
    """Look at the file that the command line names."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} FILE ASM-OFFSETS.H")
    try:
        with open(sys.argv[2], encoding="ascii") as header:
            runs = check(sys.argv[1], header.read())
    except Broken as why:
        sys.exit(f"{sys.argv[1]}: {why}")
    print(f"{sys.argv[1]}: {len(STUBS)} stubs, {runs} runs")


if __name__ == "__main__":
    main()
