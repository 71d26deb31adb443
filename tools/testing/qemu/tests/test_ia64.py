# SPDX-License-Identifier: GPL-2.0
"""ia64, which no emulator of Debian's runs: stubs, their table, the MCA hook.

The stubs are assembled by Debian's binutils, from a source that is right and
from ones that are not; those of a linked kernel are looked at where there is
one.  The hook's C code is compiled for the build machine with the kernel's own
structures.  An emulator of the user's, named by QEMU_IA64, boots the kernel.
"""

import os
import re
import subprocess
import tomllib

import pytest

import ia64_stubs
import test_series
from common import BASE, kernel
from harness import arches, paths

pytestmark = pytest.mark.skipif(BASE not in arches.facts("ia64")["BASES"].split(),
                                reason=f"Linux {BASE} has no ia64")
SOURCE = paths.TOP / "arch/ia64/kernel/io_check_stubs.S"
PATCHED = paths.BUILD / BASE / "patched"
KERNEL = paths.object_dir(BASE, "patched", "ia64", "on")
EMULATOR = os.environ.get("QEMU_IA64")
# The kernel's own come with its compiler, and are in test_vmlinux
OFFSETS = """
#define IO_CHECK_STOP 6
#define IO_CHECK_FAULT_IP 40
#define IO_CHECK_FAULT_ADDR 48
#define IO_CHECK_FAULT_RAW 64
#define IO_CHECK_FAULT_VALUE 104
"""


def linked(source, where):
    """Preprocess, assemble and link a source of the stubs; the path of it."""
    (where / "asm").mkdir()
    (where / "asm/asm-offsets.h").write_text(OFFSETS)
    (where / "stubs.S").write_text(source)
    for command in (
            ["cpp", "-undef", "-nostdinc", "-D__ia64__", "-D__ASSEMBLY__",
             "-D__KERNEL__", f"-I{where}", f"-I{PATCHED}/arch/ia64/include",
             f"-I{PATCHED}/include", "stubs.S", "stubs.s"],
            ["ia64-linux-gnu-as", "-x", "-o", "stubs.o", "stubs.s"],
            ["ia64-linux-gnu-ld", "-e", "0", "-o", "stubs", "stubs.o"]):
        done = subprocess.run(command, cwd=where, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    return str(where / "stubs")


def test_stubs(tmp_path):
    """Eight stubs: table, ranges, what they do, what their pads do."""
    runs = ia64_stubs.check(linked(SOURCE.read_text(), tmp_path), OFFSETS)
    # each once, and one for each bundle of its range: 3 of a load, 2 of a store
    assert runs == 4 * (1 + 3) + 4 * (1 + 2)


BROKEN = tomllib.loads((paths.QEMU / "tests/data/mutants.toml").read_text())["ia64"]


@pytest.mark.parametrize("broken", BROKEN, ids=[b["what"].replace(" ", "-") for b in BROKEN])
def test_broken_stub_red(tmp_path, broken):
    """A stub that lacks one of these things is found out."""
    source = SOURCE.read_text()
    assert broken["old"] in source
    with pytest.raises(ia64_stubs.Broken, match=re.escape(broken["said"])):
        ia64_stubs.check(linked(source.replace(broken["old"], broken["new"], 1), tmp_path),
                         OFFSETS)


def current(vmlinux, *sources):
    """Whether a kernel is there, and no source that is newer: nothing builds it here."""
    return vmlinux.is_file() and all(
        source.stat().st_mtime <= vmlinux.stat().st_mtime for source in sources)


linked_kernel = pytest.mark.skipif(
    not current(KERNEL / "vmlinux", *(PATCHED / name for name in (
        "arch/ia64/kernel/io_check_stubs.S", "arch/ia64/kernel/mca_drv.c",
        "include/linux/io_check.h"))),
    reason="no kernel, or one of older sources: make toolchain ARCH=ia64, make ARCH=ia64")


def test_current(tmp_path):
    """A kernel that is older than a source is none."""
    vmlinux, source = tmp_path / "vmlinux", tmp_path / "source"
    source.write_text("")
    os.utime(source, (2, 2))
    assert not current(vmlinux, source)
    vmlinux.write_text("")
    os.utime(vmlinux, (1, 1))
    assert not current(vmlinux, source)
    os.utime(vmlinux, (2, 2))
    assert current(vmlinux, source)


@linked_kernel
def test_vmlinux():
    """The same of the linked kernel, with its own offsets; both drivers in it."""
    header = (KERNEL / "include/generated/asm-offsets.h").read_text()
    assert ia64_stubs.check(str(KERNEL / "vmlinux"), header) == 28
    config = (KERNEL / ".config").read_text()
    for option in ("IO_CHECK", "HAVE_ARCH_IO_CHECK", "FUSION_IO_CHECK",
                   "SCSI_SYM53C8XX_IO_CHECK", "IA64_MCA_RECOVERY"):
        assert f"\nCONFIG_{option}=y\n" in config
    assert "__io_check_stubs" in ia64_stubs.tool(
        "readelf", "-rW", str(KERNEL / "arch/ia64/kernel/mca_drv.o"))


@linked_kernel
def test_virtual_mode_enter():
    """No rfi with what cover left in cr.ifs; vanilla's has two, into virtual mode."""
    def kept(obj):
        asm = ia64_stubs.tool("objdump", "-d", "--no-show-raw-insn",
                              str(obj / "arch/ia64/kernel/mca_asm.o"))
        returns = [r for r in asm.split("rfi") if "mov cr.iip=" in r]
        assert len(returns) == 6
        return [r for r in returns if "mov cr.ifs=r0" not in r]
    kernel("vanilla", "ia64", "plain", "arch/ia64/kernel/mca_asm.o")
    assert not kept(KERNEL)
    assert len(kept(paths.object_dir(BASE, "vanilla", "ia64", "plain"))) == 2


@linked_kernel
def test_off_objects_identical():
    """With the options off the objects are vanilla's, as everywhere else."""
    test_series.test_off_objects_identical("ia64")


READ, WRITE = 0x1030, 0x1210
# type, target, bottom, minstate, cpl, ic, nohook, IIP -> continued?
CASES = [(*c, True) for c in [
    (1, 0x80021000, 1, 1, 0, 1, 0, READ), (3, 1, 1, 1, 0, 1, 0, READ),
    (9, 1, 1, 1, 0, 1, 0, READ), (1, 1, 1, 1, 0, 1, 0, 0x1020),
    (1, 1, 1, 1, 0, 1, 0, 0x1040), (2, 1, 1, 1, 0, 1, 0, WRITE),
    (10, 1, 1, 1, 0, 1, 0, WRITE)]]
CASES += [(*c, False) for c in [
    (1, 0, 1, 1, 0, 1, 0, READ), (1, 1, 0, 0, 0, 1, 0, READ),
    (1, 1, 1, 0, 0, 1, 0, READ), (1, 1, 1, 1, 3, 1, 0, READ),
    (1, 1, 1, 1, 0, 0, 0, READ), (1, 1, 1, 1, 0, 1, 1, READ),
    (1, 1, 1, 1, 0, 1, 0, 0x1010), (1, 1, 1, 1, 0, 1, 0, 0x1050),
    (1, 1, 1, 1, 0, 1, 0, WRITE), (10, 1, 1, 1, 0, 1, 0, READ),
    *[(t, 1, 1, 1, 0, 1, 0, ip) for t in (0, 4, 5, 6, 7, 8, 11, 12) for ip in (READ, WRITE)]]]
HOOK = (PATCHED / "arch/ia64/kernel/mca_drv.c")


def hook_output(where, edit=lambda text: text):
    """What the hook does in the cases: its lines."""
    def taken(path, pattern):
        return re.search(pattern, (PATCHED / path).read_text(), re.S | re.M)[0]
    hook = edit(taken("arch/ia64/kernel/mca_drv.c",
                      r"^static int\nrecover_checked_access.*?^}\n"))
    (where / "hook.h").write_text(hook)
    (where / "structures.h").write_text("\n".join((
        taken("arch/ia64/include/asm/pal.h", r"^struct pal_min_state_area \{.*?^};"),
        taken("arch/ia64/include/asm/pal.h",
              r"^typedef struct pal_bus_check_info_s.*?^} pal_bus_check_info_t;"),
        taken("arch/ia64/include/asm/processor.h", r"^struct ia64_psr \{.*?^};"),
        taken("include/asm-generic/io_check_stub.h", r"^struct io_check_stub \{.*?^};"))))
    subprocess.run(["gcc", "-O1", "-w", f"-I{where}", "-o", where / "hook",
                    paths.QEMU / "tests/data/ia64_hook.c"], check=True)
    cases = "".join(f"{t} {target:x} {' '.join(map(str, rest))} {ip:x}\n"
                    for t, target, *rest, ip, _ in CASES)
    return subprocess.run([where / "hook"], input=cases, check=True,
                          capture_output=True, text=True).stdout.splitlines()


def wanted():
    """What it should do: the fixup and slot 0, four words; or nothing at all."""
    lines = []
    for case in CASES:
        *_, ip, continued = case
        junk = "5a" * 8
        lines.append(f"1 6 {0x1300 if ip < 0x1200 else 0x1320:x} 0 {ip:x} b05c4ec4 "
                     f"{case[1]:x} 9a7a" if continued else
                     f"0 0 {ip:x} 2 {junk} {junk} {junk} {junk}")
    return lines


def test_hook(tmp_path):
    """It continues what is a stub's, and touches nothing otherwise."""
    assert hook_output(tmp_path) == wanted()


@pytest.mark.parametrize("old,new", [
    ("!target_identifier ||", ""), ("!peidx_bottom(peidx)->valid.minstate ||", ""),
    ("psr->cpl || ", ""), ("|| !psr->ic", ""), ("io_check_nohook || ", ""),
    (" || stub->write != write", ""), ("psr->ri = 0;", ""),
    ("\tdefault:\n\t\treturn 0;\n", "\tdefault:\n\t\twrite = false;\n"),
    ("pmsa->pmsa_gr[11 - 1]", "pmsa->pmsa_gr[12 - 1]")],
    ids=["target", "minstate", "cpl", "ic", "nohook", "direction", "slot", "type",
         "register"])
def test_hook_red(tmp_path, old, new):
    """Without one of its conditions, or with another register, it is found out."""
    def edit(text):
        text = re.sub(r" \|\|\n\s*", " || ", text)
        assert old in text
        return text.replace(old, new, 1)
    assert hook_output(tmp_path, edit) != wanted()


def emulate(run):
    """Boot on the user's emulator; what came on the console."""
    command = subprocess.run(
        [paths.TOP / "tools/testing/qemu/builds/ia64/image.sh", BASE, run], check=True,
        capture_output=True, text=True).stdout.splitlines()[-1]
    return console(command, EMULATOR)


def console(command, emulator, seconds=600):
    """What image.sh's command puts on the console with an emulator; it has so many
    seconds."""
    try:
        return subprocess.run(["sh", "-c", f"exec {command}"], capture_output=True, text=True,
                              errors="replace", timeout=seconds,
                              env={**os.environ, "QEMU_IA64": str(emulator)}).stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace")


def judge_checked(text):
    """Assert that KUnit and the dead BAR went well."""
    assert re.search(r"^(\[[ .0-9]+\] )?ok \d+ io_check\b", text, re.M), text
    assert re.findall(r"^(?:not )?ok (\d) .*", text, re.M)[-3:] == ["1", "2", "3"], text
    assert "not ok" not in text, text


def judge_plain(text):
    """Assert that a plain read of the dead BAR ended the guest."""
    assert re.search(r"^ok 1 a live device$", text, re.M), text
    # the whole line: KUnit numbers its cases as well
    assert not re.search(r"^(not )?ok 3 the device back alive$", text, re.M), text


emulated = pytest.mark.skipif(not EMULATOR, reason="QEMU_IA64 names no emulator of ia64")


@emulated
def test_boot():
    """KUnit and a dead BAR on the user's emulator."""
    judge_checked(emulate("checked"))


@emulated
def test_boot_red():
    """A plain read of the dead BAR ends in what the machine check makes of it."""
    judge_plain(emulate("plain"))


KUNIT = """[    2.100000]     ok 3 test_reads_ones
[    2.200000] ok 1 io_check
"""
LIVE = "ok 1 a live device\n"
BACK = "ok 3 the device back alive\n"
GOOD = KUNIT + LIVE + "ok 2 a dead device\n" + BACK
NO_CHECKS = ("not ok 2 a dead device\n"
             "# zeros of a dead BAR: this emulator has no machine checks\n")


@pytest.mark.parametrize("text, checked, plain", [
    (GOOD, True, False),
    (GOOD.replace("[    2.200000] ", ""), True, False),
    (GOOD.replace("ok 1 io_check", "not ok 1 io_check"), False, False),
    (GOOD.replace("test_reads_ones", "test_reads_ones\n    not ok 4 test_late"), False,
     False),
    (GOOD.replace(KUNIT, ""), False, False),
    (KUNIT + LIVE + NO_CHECKS + BACK, False, False),
    (KUNIT + LIVE + "ok 2 a dead device\nnot " + BACK, False, False),
    (KUNIT + LIVE + "Kernel panic - not syncing: Fatal machine check\n", False, True),
    (KUNIT + "Bail out! no adapter of LSI's\n", False, False),
    (KUNIT + "Kernel panic - not syncing: VFS\n", False, False),
    ("", False, False)], ids=[
        "good", "no-time-stamps", "suite-failed", "case-failed", "no-suite",
        "no-machine-checks", "stays-dead", "machine-check-is-fatal", "no-adapter",
        "no-init", "silence"])
def test_stand_in(tmp_path, text, checked, plain):
    """What test_boot and test_boot_red would say of a console: a script stands in for
    the emulator."""
    (tmp_path / "console").write_text(text)
    emulator = tmp_path / "qemu-system-ia64"
    emulator.write_text(f'#!/bin/sh\ncat "{tmp_path}/console"\n')
    emulator.chmod(0o755)
    text = console('"$QEMU_IA64" -append "console=ttyS0 bench.run=checked"', emulator)
    for judge, good in ((judge_checked, checked), (judge_plain, plain)):
        try:
            judge(text)
        except AssertionError:
            assert not good, text
        else:
            assert good, text


def test_stand_in_hangs(tmp_path):
    """Of an emulator that does not end, the console so far is judged."""
    emulator = tmp_path / "qemu-system-ia64"
    emulator.write_text('#!/bin/sh\necho "ok 1 a live device"\nexec sleep 600\n')
    emulator.chmod(0o755)
    text = console('"$QEMU_IA64"', emulator, seconds=2)
    judge_plain(text)
