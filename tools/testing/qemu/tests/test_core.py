# SPDX-License-Identifier: GPL-2.0
"""The core's KUnit suite and that of DMA hints, whole, and what shows that each case can fail.

A mutant is the patched kernel with one guard taken out; the case that watches
it has to go red.  Each rebuilds a file or two and boots once.
"""

import re

import pytest

import demo
from common import (BASE, BUILTIN, MUTANTS, PATCHES, TESTED, clean, edited_file, green,
                    kernel, mutant, mutants, on_machines, patched)
from harness import arches, paths, process, results
from harness.guest import Boot
from harness.machines import MACHINES
from harness.objects import symbols, undefined

MACHINE, ARCH = "powernv9", "ppc64"
# Where no bus fails an access, the kernel's own injection has to give each cause; and
# where accesses are out of line
ELSEWHERE = [m for m in TESTED if not MACHINES[m[0]].faults or m[1] == "arm64"]
LBA = [m for m in ELSEWHERE if m[1] == "parisc64"]
# where there are slots, for AER
SLOTS = [m for m in TESTED if MACHINES[m[0]].slots]
# the core's suite, and that of what powerpc claims
SUITES = ("io_check", "powerpc_io_check")
ROUNDS = 1_000_000
# the race needs two CPUs and time
RACE_TRIES = 5


def suite(tree, log, rounds=1000, smp=1, machine=MACHINE, arch=ARCH,
          suites=SUITES, ones=1000):
    """Boot the suite, or others; return the Result and {case: passed}."""
    result = process.run(Boot(
        machine, base=BASE, arch=arch, tree=tree, variant=BUILTIN,
        run=tuple(f"kunit:{name}" for name in suites), smp=smp,
        append=f"io_check_kunit.race_rounds={rounds} io_check_kunit.ones_rounds={ones}",
        timeout=400, log=paths.BUILD / "check" / f"{BASE}-{log}"))
    # KUnit cuts what debugfs shows of a case with many failures
    lines = re.findall(r"^\[ *[\d.]+\] +(ok|not ok) \d+ (test_\w+)",
                       result.console.read_text(), re.M)
    cases = {name: word == "ok" for word, name in lines}
    # of all suites; mutants name cases
    assert len(cases) == len(lines), sorted(lines)
    return result, cases


def test_core(seen):
    """The whole suite, with fault injection, a million rounds a CPU, and a million legal
    all-ones."""
    result, cases = suite("patched", "core", ROUNDS, smp=2, ones=ROUNDS // 2)
    failed = [name for name, good in cases.items() if not good]
    skipped = len(re.findall(r"# SKIP", result.ktap.read_text()))
    results.write(f"check-core-{BASE}", bool(cases) and not failed and not skipped,
                  {"passed": len(cases) - len(failed), "failed": len(failed),
                   "skipped": skipped})
    assert not failed and green(result.ktap), result.ktap.read_text()
    assert len(cases) > 30 and not result.complaints()
    # a device that is silent and one that cannot be reset
    text = result.console.read_text()
    assert "io_check: no answer for 2" in text, text
    assert "io_check: it answers, but no reset worked for 6" in text, text
    assert f"{ROUNDS} rounds, 2 CPUs online" in result.ktap.read_text()
    seen.cell(MACHINE, ARCH, "registers", "kernel", result.ktap)


@pytest.mark.slow
@on_machines(ELSEWHERE)
def test_core_elsewhere(machine, arch, seen):
    """The suite elsewhere, and the LBA's on its model."""
    kernel("patched", arch, BUILTIN)
    suites = ["io_check"] + ["lba_io_check"] * ((machine, arch) in LBA)
    result, cases = suite("patched", f"core-{machine}-{arch}", machine=machine,
                          arch=arch, suites=suites)
    assert green(result.ktap) and all(cases.values()), result.ktap.read_text()
    assert not result.complaints()
    assert {"test_inject_kinds", "test_inject_modes", "test_inject_flip",
            *(m["case"] for m in MUTANTS["lba"] if len(suites) > 1)} <= set(cases)
    seen.cell(machine, arch, "registers", "kernel", result.ktap)


@pytest.mark.slow
@pytest.mark.parametrize("machine,arch,hba,args", [
    (MACHINE, ARCH, "fusion", ("apart",)), ("arm64-virt", "arm64", "fusion", ()),
    ("arm64-virt", "arm64", "sym53c8xx", ()), ("arm64-virt", "arm64", "nvme", ())])
def test_neighbour(machine, arch, hba, args):
    """A thousand errors of a host bridge beside an adapter's verified I/O."""
    kernel("patched", arch, BUILTIN, arches.facts(arch)["IMAGE"])
    boot = Boot(machine, base=BASE, arch=arch, variant=BUILTIN, run=("neighbour",),
                args=args, smp=2, disks=demo.layout(3), hba=hba, timeout=300,
                log=paths.BUILD / "check" / f"{BASE}-neighbour-{arch}-{hba}")
    result = process.run(boot)
    clean(result, boot.again())
    print(f"  RESETS  {result.figures()['resets']} for {result.figures()['told']} errors")


def floors(text):
    """Files of the core, from the ground up, as drivers/pci/io_check.h has them."""
    return re.findall(r"^ \*\t(io_check\w*)\.c\t", text, re.M)


def above(names, objects, headers):
    """What floors have of those above them: symbols, and headers.

    objects: {floor: (symbols it defines, symbols it wants)}; headers: {floor: its
    includes}.
    """
    found = []
    for at, name in enumerate(names):
        higher = names[at + 1:]
        found += [f"{name} calls {symbol} of {other}" for other in higher
                  for symbol in sorted(objects[name][1] & objects[other][0])]
        found += [f"{name} includes {other}.h" for other in higher
                  if f"{other}.h" in headers[name]]
    return found


def test_floors():
    """No file of the core calls or includes what is above it."""
    kernel("patched", ARCH, BUILTIN)
    source = paths.BUILD / BASE / "patched/drivers/pci"
    built = paths.object_dir(BASE, "patched", ARCH, BUILTIN) / "drivers/pci"
    names = floors((source / "io_check.h").read_text())
    assert sorted(names) == sorted(f.stem for f in source.glob("io_check*.c"))
    # this architecture has a back end of its own
    names.remove("io_check_generic")
    objects = {n: ({s for _, s in symbols(ARCH, built / f"{n}.o")},
                   undefined(ARCH, built / f"{n}.o")) for n in names}
    # the structure that the driver's header declares is the interrupt's floor's already
    headers = {n: {"io_check_irq.h" if found == "linux/io_check_recovery.h" else
                   found.removeprefix("linux/") for found in
                   re.findall(r'#include [<"]((?:linux/)?io_check\w*\.h)',
                              "".join(f.read_text() for f in source.glob(f"{n}.[ch]")))}
               for n in names}
    assert not above(names, objects, headers)
    # upside down most of them have
    assert len(above(names[::-1], objects, headers)) > len(names)


def exported(arch, objects):
    """Names that objects export."""
    return {found[1] for _, name in symbols(arch, *objects)
            if (found := re.match(r"__(?:ksymtab|export_symbol)_(?!gpl)(\w+)$", name))}


def test_exports():
    """What the core and DMA hints export an object wants that may be a module: of a
    driver, or of the tests."""
    kernel("patched", ARCH, "on")
    built = paths.object_dir(BASE, "patched", ARCH, "on")
    found = exported(ARCH, [f for name in ("io_check", "dma_hints")
                            for f in (built / "drivers/pci").glob(f"{name}*.o")
                            if not f.stem.endswith("_kunit")])
    wanted = undefined(ARCH, *[
        f for path in (*(f"drivers/{d}" for d in ("message/fusion", "scsi/sym53c8xx_2",
                                                  "nvme/host")), "drivers/pci/tests")
        for f in (built / path).glob("*.o")])
    assert len(found) > 40 and not found - wanted
    # a driver of ours alone wants it
    assert found - undefined(ARCH, *(built / "drivers/pci/tests").glob("*.o"))


def unused(headers, others):
    """Functions, macros and flags of headers that only their declarations name.

    headers, others: {path: text}; others are sources that may use them.
    """
    code = {path: re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            for path, text in (headers | others).items()}
    declaration = re.compile(r"^(?:#define (\w+)[ \t(]|(?!#)[a-z].*?\b(\w+)\()", re.M)
    declared = {name for path in headers for found in declaration.findall(code[path])
                for name in found if name}
    words = set()
    for text in code.values():
        words |= set(re.findall(r"\w+", declaration.sub("", text)))
    return sorted(declared - words)


def test_headers_have_users():
    """What the drivers' headers offer somebody uses who is no test."""
    patched()
    tree = paths.BUILD / BASE / "patched"
    sources = {name: (tree / name).read_text(errors="replace")
               for patch in PATCHES for name in {*patch.touches, *patch.adds}
               if name.endswith((".c", ".h", ".S")) and "/tests/" not in name}
    headers = {name: text for name, text in sources.items()
               if re.match(r"include/linux/(io_check\w*|dma-hints)\.h$", name)}
    assert len(headers) > 5 and not unused(headers, sources)
    # nobody asks for hints but DMA hints' own sources
    assert "dma_hints_query" in unused(headers, {
        name: text for name, text in sources.items() if "hint" not in name})


def test_mutants_apply():
    """Each guard that a mutant takes out is in the code, once."""
    patched()
    tree = paths.BUILD / BASE / "patched"
    # ia64's are edits of one file, and test_ia64.py's
    edits = [{**gone, **edit} for kind, rows in MUTANTS.items() if kind != "ia64"
             for gone in rows for edit in gone.get("edits", [gone])]
    assert len(edits) > 50
    missed = []
    for edit in edits:
        try:
            edited_file(tree, edit["file"], edit["old"])
        except AssertionError as error:
            missed.append(f"{edit['what']}: {error}")
    assert not missed, "\n".join(missed)


def without(gone, arch=ARCH, image="vmlinux"):
    """Build the kernel of a mutant."""
    with mutant(gone) as tree:
        kernel(tree, arch, BUILTIN, image)


@pytest.mark.slow
@mutants("core", "hints")
def test_mutant_red(gone):
    """Without a guard the case that watches it fails; a race is tried more than once."""
    without(gone)
    smp = gone.get("smp", 1)
    for _ in range(RACE_TRIES if smp > 1 else 1):
        result, cases = suite("mutant", "mutant", smp=smp)
        if cases.get(gone["case"]) is False:
            break
    assert cases.get(gone["case"]) is False, f"without {gone['what']}: {cases}"


def red(gone, machine, arch, name, *targets):
    """The case of a suite fails that watches what is gone."""
    without(gone, arch, *targets)
    _, cases = suite("mutant", f"mutant-{name}", smp=gone.get("smp", 1), machine=machine,
                     arch=arch, suites=[name])
    assert cases.get(gone["case"]) is False, f"without {gone['what']}: {cases}"


# powerpc leaves Memory Write and Invalidate to firmware
@pytest.mark.slow
@on_machines([m for m in TESTED if m[0] == "q35"])
@mutants("mwi")
def test_mutant_mwi_red(gone, machine, arch):
    """The same of what drivers do with MWI."""
    red(gone, machine, arch, "dma_hints", arches.facts(arch)["IMAGE"])


@pytest.mark.slow
@on_machines(LBA)
@mutants("lba")
def test_mutant_lba_red(gone, machine, arch):
    """Without what makes the LBA's error log work the model's case fails."""
    red(gone, machine, arch, "lba_io_check")


@pytest.mark.slow
@on_machines(SLOTS)
@mutants("pcie")
def test_mutant_pcie_red(gone, machine, arch):
    """Without a guard that needs AER or DPC the case that watches it fails."""
    red(gone, machine, arch, "io_check", arches.facts(arch)["IMAGE"])


@pytest.mark.slow
@on_machines(SLOTS)
@mutants("aer")
def test_mutant_aer_red(gone, machine, arch):
    """Without what a reset of the link asks for the adapter is lost."""
    without(gone, arch, arches.facts(arch)["IMAGE"])
    result = process.run(Boot(
        machine, base=BASE, arch=arch, tree="mutant", variant=BUILTIN, run=("aer",),
        args=(1,), disks=demo.layout(3), log=paths.BUILD / "check" / f"{BASE}-mutant-aer",
        monitor=(("aer: now 1", "pcie_aer_inject_error bridge0 MALF_TLP"),)))
    assert "not ok 2 recovered from error 1" in result.ktap.read_text(), gone["what"]


@pytest.mark.slow
@mutants("race")
def test_mutant_race_red(gone):
    """Without its order or its lock a harvest loses errors of another CPU.

    Two virtual CPUs that have to share one of the host's seldom meet: on a busy
    host it takes more than one try.
    """
    without(gone)
    for _ in range(RACE_TRIES):
        result, cases = suite("mutant", "mutant-race", ROUNDS, smp=2)
        if cases.get("test_race") is False:
            break
    assert cases.get("test_race") is False, f"without {gone['what']}: {cases}"
    lost = re.findall(r"lost == (\d+)", result.text())
    print(f"  LOST    without {gone['what']}: {lost}")
