# SPDX-License-Identifier: GPL-2.0
"""DMA hints in guests: KUnit, and registers that are looked at from outside.

The guest sets hints through sysfs; QEMU's monitor reads the host bridge's
registers beside it, and knows nothing of what the guest reads back.
"""

import re

import pytest

import demo
from common import BASE, TESTED, clean, green, machines, on_machines
from harness import paths, process
from harness.drivers import DRIVERS
from harness.guest import Boot

DINO = on_machines([m for m in TESTED if m[0] == "b160l"])
ASTRO = on_machines([m for m in TESTED if m[0] == "c3700"])
# QEMU's: the built-in Dino of B160L; the Astro of C3700, its IOC_CTRL's low word
FIRMWARE = 0xf0000000
PCIROR, PCIWOR, IOC_CTRL = 0xfff80824, 0xfff80828, 0xfffffffffed00008
# of I/O virtual addresses there; two bits above it choose a hint set
SPACE = 128 << 20
BYTES = {"4": 0, "8": 1, "16": 2, "32": 3, "64": 4, "96": 5, "half": 0xb, "full": 0xf}
# a switch below a root port; both adapters are below it
SWITCH = ("-device", "pcie-root-port,id=root,chassis=9,bus=pcie.0",
          "-device", "x3130-upstream,id=up,bus=root",
          "-device", "xio3130-downstream,id=down0,bus=up,chassis=10",
          "-device", "xio3130-downstream,id=down1,bus=up,chassis=11,addr=1")
BELOW = {"hba": "nvme", "qemu": SWITCH, "adapters": ("down0", "down1")}
SWITCHED = ("q35", "arm64-virt")
# the race of two CPUs needs them
SMP = (*SWITCHED, "powernv9", "riscv64-virt")


def run(machine, arch, test, *args, looks=(), disks=2, hba="sym53c8xx", **how):
    """Boot with an adapter; at each "look at NAME VALUE" that test says on the
    console, in their order, the monitor runs the commands of looks.

    Returns the Result, the answers {(name, value): [numbers]}, and what repeats it.
    """
    orders = tuple((f"hints: look at {name} {value}", command)
                   for name, value, *commands in looks for command in commands)
    how = {"timeout": 200, **how}
    boot = Boot(
        machine, base=BASE, arch=arch, run=(test,), args=args,
        disks=demo.layout(disks), hba=hba, monitor=orders,
        log=paths.BUILD / "check" / "-".join((machine, arch, BASE, test, hba, *args)),
        **how)
    result, answers = process.run(boot), {}
    if orders:
        numbers = iter(words(boot))
        answers = {(name, value): [next(numbers, None) for _ in commands]
                   for name, value, *commands in looks}
    return result, answers, boot.again()


def words(boot):
    """What the monitor read, as the CPU would."""
    return [int(word, 16) for word in re.findall(
        r"^[0-9a-f]+: 0x([0-9a-f]+)", (boot.log / "monitor.log").read_text()
        .replace("\r", ""), re.M)]


def little(number, size):
    """A little-endian number that a big-endian CPU read."""
    return int.from_bytes(number.to_bytes(size, "big"), "little")


@machines
def test_kunit(machine, arch):
    """The suite with fake providers and fake configuration space."""
    boot = Boot(machine, base=BASE, arch=arch, run=("kunit:dma_hints",),
                smp=2 if machine in SMP else 1,
                log=paths.BUILD / "check" / f"{machine}-{arch}-{BASE}-dma_hints")
    clean(process.run(boot), boot.again())


@on_machines([m for m in TESTED if m[1] not in DRIVERS["sym53c8xx"].not_on])
def test_path(machine, arch):
    """A conventional function: its path is as configuration space has it."""
    result, _, again = run(machine, arch, "pci_hints")
    clean(result, again)


@on_machines([m for m in TESTED if m[0] in SWITCHED])
@pytest.mark.slow
def test_switch(machine, arch):
    """An NVMe controller below a switch: what limits it, hop by hop; what it does not
    keep is undone, while another program toggles Bus Master 100,000 times."""
    result, _, again = run(machine, arch, "pci_hints", timeout=600, **BELOW)
    clean(result, again)
    said = result.ktap.read_text()
    for hop in ("endpoint relaxed_order=", "switch-downstream ", "switch-upstream ",
                "root-port "):
        assert len(re.findall(rf"^ *# path: \S+ {hop}.*mps=\d+/\d+", said, re.M)) == 1, again


@on_machines([m for m in TESTED if m[0] in (*SWITCHED, "b160l", "c3700")])
@pytest.mark.slow
def test_fuzz(machine, arch):
    """10,000 writes of nonsense, as root and as another user: no change after a
    refusal, no warning."""
    how = BELOW if machine in SWITCHED else {}
    result, _, again = run(machine, arch, "fuzz", "10000", timeout=1500, **how)
    clean(result, again)


def dino_looks(values):
    """What dino_hints.sh says, and the registers' addresses."""
    xp = (f"xp /1wx {PCIROR:#x}", f"xp /1wx {PCIWOR:#x}")
    return [("first", "0", *xp), *(("prefetch", v, *xp) for v in values),
            *(("block", v, *xp) for v in ("4", "8", "16", "32")),
            ("reset", "0", *xp)]


@DINO
def test_dino(machine, arch):
    """Each code of both registers, as seen from outside, under verified I/O.

    QEMU's firmware leaves them 0; the driver's default is 64 bytes of prefetch.
    """
    result, seen, again = run(machine, arch, "dino_hints", append="dma_hints.unsafe=1",
                              looks=dino_looks(BYTES))
    clean(result, again)
    first = seen["first", "0"]
    for value, code in BYTES.items():
        assert seen["prefetch", value] == [code * 0x111111, first[1]], (value, again)
    for value in ("4", "8", "16", "32"):
        assert seen["block", value] == [0xffffff, BYTES[value] * 0x111111], again
    assert seen["reset", "0"] == first == [BYTES["64"] * 0x111111, 0], again


@DINO
def test_dino_safe(machine, arch):
    """Without dma_hints.unsafe, several masters: nothing reads ahead for ever."""
    values = [v for v in BYTES if v.isdigit()]
    result, seen, again = run(machine, arch, "dino_hints", "safe",
                              looks=dino_looks(values))
    clean(result, again)
    assert seen["reset", "0"] == seen["first", "0"], again


def dma_addresses(result):
    """The bus addresses of the kernel's DMA with the adapter, as QEMU traced them;
    firmware's are in its own memory."""
    found = [int(at, 16) for line in result.hits.traced
             for at in re.findall(r"addr=0x([0-9a-f]+)", line)]
    return [at for at in found if at < FIRMWARE]


@ASTRO
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_astro(machine, arch, unsafe):
    """Read current, refused and insisted on; no DMA address carries hint bits, as
    the Elroys have no hint registers, and sets that cannot be had are named."""
    look = f"xp /1wx {IOC_CTRL:#x}"
    names = ([("read_current", "0"), ("reset", "1")] if unsafe else [("refused", "1")])
    result, seen, again = run(
        machine, arch, "sba_hints", *["unsafe"] * unsafe, trace="lsi_do_dma",
        append="dma_hints.unsafe=1 sba_iommu.hint_sets=0,4" if unsafe else
               "sba_iommu.hint_sets=1,1,2,3",
        looks=[("first", "0", look), *((*name, look) for name in names)])
    clean(result, again)
    said = "set 4 not used: sets are" if unsafe else "no hint registers: sba_iommu"
    assert result.ktap.read_text().count(said) == 1, again
    ctrl = [little(w[0], 4) for w in seen.values()]
    # QEMU's reset value, 0x29cf, without what sba_hw_init() takes from it
    assert ctrl == ([0x28cd, 0x288d, 0x28cd] if unsafe else [0x28cd, 0x28cd]), again
    addresses = dma_addresses(result)
    assert len(addresses) > 100 and max(addresses) < SPACE, again


@ASTRO
def test_live_mapping(machine, arch):
    """What the IOMMU that is there would go by for each kind of mapping: its entry, and
    the set above the I/O virtual space; no DMA is started."""
    sets = 1, 2, 3, 1
    boot = Boot(
        machine, base=BASE, arch=arch, run=("kunit:dma_hints",),
        # with addresses that QEMU's Elroy does not know, drivers would wait for ever
        append="dma_hints.unsafe=1 initcall_blacklist=sym2_init,mptsas_init "
               f"sba_iommu.hint_sets={','.join(map(str, sets))}",
        monitor=[(f"look at mapping {use} (0x[0-9a-f]+)", "xp /1gx {0}")
                 for use in range(len(sets))],
        log=paths.BUILD / "check" / f"{machine}-{arch}-{BASE}-live_mapping")
    result = process.run(boot)
    again = boot.again()
    # other suites want refusals that dma_hints.unsafe takes off
    assert result.outcome == "completed", again
    assert re.search(r"^ *ok \d test_sba_live$", result.ktap.read_text(), re.M), again
    said = [[int(n, 16) for n in line] for line in re.findall(
        r"look at mapping \d 0x(\w+) 0x(\w+) 0x(\w+)", result.console.read_text())]
    entries = [little(w, 8) for w in words(boot)]
    assert len(entries) == len(said) == len(sets), again
    for which, entry, (at, dma, memory) in zip(sets, entries, said):
        assert dma // SPACE == which, again
        # entries one after the other, as the pages of the space
        assert at - said[0][0] == ((dma - said[0][1]) % SPACE >> 12) * 8, again
        # valid, and the page; the low bits are a coherence index
        assert entry >> 12 == 1 << 51 | memory >> 12, again


@ASTRO
def test_hint_bits_red(machine, arch):
    """With bits that QEMU's Elroy does not know, DMA goes elsewhere: it takes the
    kernel's own refusal off."""
    result, _, again = run(machine, arch, "sba_hints", "unsafe", "bits",
                           append="dma_hints.unsafe=1 sba_iommu.hint_sets=1,1,1,1")
    # the guest hangs, or goes on without its disks
    assert result.outcome != "completed" or not green(result.ktap), again
