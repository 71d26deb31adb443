# SPDX-License-Identifier: GPL-2.0
"""The patches as such: object code with the options off, and each by itself.

Builds go through kernel.sh; a failing test names its log.
"""

import dataclasses
import fcntl
import os
import re
import shutil
import subprocess

import pytest

import configs
import demo
from common import BASE, BUILTIN, PATCHES, TESTED, clean, kernel, patched, series
from harness import arches, drivers, paths, process
from harness.guest import Boot

DRIVERS = [driver.directory for driver in drivers.DRIVERS.values()]
# KUnit's modules in powernv9's kernel, and a file with the first suite of each
KUNIT = {"io_check": "drivers/pci/tests/io_check_kunit_access.c",
         "powerpc_io_check": "arch/powerpc/kernel/powerpc_io_check_kunit.c",
         "dma_hints": "drivers/pci/tests/dma_hints_kunit_set.c"}
# Sources that a kernel is built with, but no object of it
NO_OBJECT = ("asm-offsets.c", ".lds.S")
# The kernels that build an architecture's files; ppc64's builds all others
KERNELS = {"arch/powerpc": ["ppc64", "ppc32"], "arch/arm64": ["arm64"],
           "arch/riscv": ["riscv64"], "arch/ia64": ["ia64"],
           "arch/parisc": ["parisc64", "parisc"],
           "drivers/parisc": ["parisc64"],
           # and with the generic back end
           "drivers/pci": ["ppc64", "x86_64"]}


def kernels_of(path):
    """The kernels that build a file or directory."""
    part = "/".join(path.split("/")[:2])
    assert part in KERNELS or not path.startswith("arch/"), \
        f"no bench kernel builds {path}"
    if path.endswith("_sba.c"):
        return KERNELS["drivers/parisc"]
    return KERNELS.get(part, ["ppc64"])


def objects(arch, variant, targets, extra=None):
    """{object: its bytes} of the targets, in the fixed and in the patched tree."""
    found = {}
    for tree in ("fixes", "patched"):
        kernel(tree, arch, variant, *targets, extra=extra)
        top = paths.object_dir(BASE, tree, arch, variant)
        files = (o.relative_to(top) for t in targets for o in
                 ((top / t).rglob("*.o") if t.endswith("/") else [top / t]))
        found[tree] = {f: (top / f).read_bytes() for f in files
                       # linked from the others, and named by them
                       if f.name != "built-in.o"}
        found[tree]["asm-offsets.h"] = \
            (top / "include/generated/asm-offsets.h").read_bytes()
    assert found["fixes"].keys() == found["patched"].keys()
    return found["fixes"], found["patched"]


def contents(arch, file):
    """Sections and relocations of an object of an architecture."""
    return configs.contents(arches.facts(arch)["CROSS"] + "objdump", file)


# in make check that of one machine
@pytest.mark.parametrize("arch", [
    a if a == "ppc64" else pytest.param(a, marks=pytest.mark.slow)
    for a in sorted({a for _, a in TESTED} & {
        a for d, kernels in KERNELS.items() if d.startswith("arch/") for a in kernels})])
def test_off_objects_identical(arch):
    """Without the options every object beside a patched file is vanilla's.

    Vanilla's with the stand-alone fixes, that is.  Lines move when a patch
    adds some, and WARN_ON() and the like put their numbers into the object;
    what differs is built again with __LINE__ 0.
    """
    patched("--fixes")
    touched = {t for p in PATCHES for t in p.touches if t.endswith((".c", ".S"))}
    dirs = {os.path.dirname(t) for t in touched} | {"drivers/pci", *DRIVERS}
    fixed, ours = objects(arch, "plain", [f"{d}/" for d in sorted(dirs)
                                             if arch in kernels_of(d) or d in DRIVERS])
    assert len(fixed) > 50
    differ = [str(o) for o in fixed if fixed[o] != ours[o]]
    print(f"  SAME    {len(fixed) - len(differ)} objects of {len(fixed)}; "
          f"without __LINE__: {' '.join(differ) or 'none'}")
    if differ:
        fixed, ours = objects(arch, "plain@line0", differ, extra=configs.NO_LINES)
        top = {tree: paths.object_dir(BASE, tree, arch, "plain@line0")
               for tree in ("fixes", "patched")}
        # a declaration more may change the order of the symbol table, no more
        assert not [str(o) for o in fixed if fixed[o] != ours[o]
                    and contents(arch, top["fixes"] / o) !=
                    contents(arch, top["patched"] / o)]


def test_builds_wait():
    """One build at a time in an object directory; the next one waits, and says so."""
    obj = paths.object_dir(BASE, "patched", "ppc64", "plain@wait")
    shutil.rmtree(obj, ignore_errors=True)
    obj.mkdir()
    with open(obj / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(
                [paths.TOP / "tools/testing/qemu/builds/kernel.sh", BASE, "patched", "ppc64",
                 "plain@wait", "kernelversion"],
                stdout=subprocess.PIPE, text=True) as second:
            assert second.stdout.readline().startswith("  WAIT ")
            assert not (obj / ".config").exists()
            lock.close()
            assert "KERNEL" in second.stdout.read()
    assert second.returncode == 0
    shutil.rmtree(obj)


def test_no_sources():
    """No build, and no directory that passes for a tree, where there are no sources."""
    run = subprocess.run([paths.TOP / "tools/testing/qemu/builds/kernel.sh", BASE,
                          "nowhere", "ppc64", "plain", "kernelversion"],
                         capture_output=True, text=True)
    assert run.returncode and f"build/{BASE}/nowhere has no sources" in run.stderr
    assert f"make patched BASE={BASE}" in run.stderr
    assert not (paths.BUILD / BASE / "nowhere").exists()


@pytest.mark.slow
def test_commands_wait():
    """One command of series.py at a time in a checkout; the others wait, and say so."""
    runs = [subprocess.Popen([paths.SERIES, "fits", BASE], stdout=subprocess.PIPE,
                             text=True) for _ in range(3)]
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert sum("WAIT" in text for text in said) >= 2, said


def test_repository_stays():
    """What reads the series' repository keeps it while a command makes the same again."""
    subprocess.run([paths.SERIES, "fits", BASE], check=True)
    there = paths.BUILD / BASE / "series.git/test"
    there.touch()
    subprocess.run([paths.SERIES, "fits", BASE], check=True)
    assert there.exists()
    there.unlink()
    assert not list(there.parent.parent.glob("series.git.*"))


def driver_objects(tree, variant):
    """{object of the drivers: its contents}, without line numbers."""
    kernel(tree, "ppc64", variant, *(f"{d}/" for d in DRIVERS), extra=configs.NO_LINES)
    top = paths.object_dir(BASE, tree, "ppc64", variant)
    return {str(o.relative_to(top)): contents("ppc64", o) for d in DRIVERS
            for o in (top / d).rglob("*.o") if o.name != "built-in.o"}


def test_core_alone_changes_no_driver():
    """With CONFIG_IO_CHECK on, and no driver's option, drivers are vanilla's.

    With their options none of them is.
    """
    fixes = driver_objects("fixes", "plain@line0")
    assert len(fixes) > 8
    assert driver_objects("patched", "core@line0") == fixes
    on = driver_objects("patched", "on@line0")
    for directory in DRIVERS:
        assert [o for o in fixes if o.startswith(directory) and on[o] != fixes[o]], directory


@pytest.mark.parametrize("path", ["dir/file", "FILE"])
def test_rejects(path):
    """What does not apply is told, and what does is applied."""
    old = "".join(f"line {n}\n" for n in range(40)).encode()
    new = old.replace(b"line 3\n", b"line three\n").replace(b"line 33\n", b"other\n")
    hunks = series.diff(path, old, new)
    assert series.applied(hunks, path, old) == (new, "")
    moved = old.replace(b"line 32\n", b"")
    got, rejects = series.applied(hunks, path, moved)
    assert b"line three\n" in got and b"other" not in got
    assert rejects.count("\n@@ ") == 1 and "+other" in rejects


def test_long_patch(monkeypatch):
    """A patch longer than the limit is a fault; comments, tests, documents do not count."""
    def added(path, *lines):
        return f"diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 @@\n" + \
            "".join(f"+{line}\n" for line in lines)

    code = "int one; /* of two */", "", "/*", " * None of", " */", "// none", "int two;"
    assert series.code_lines(added("drivers/pci/a.c", *code)) == 2
    assert series.code_lines(added("drivers/pci/a.c", *code).replace("+int", "-int")) == 2
    assert series.code_lines("".join(added(path, *code) for path in (
        "Documentation/a.c", "tools/a.c", "drivers/pci/tests/a.c", "arch/a_kunit.c"))) == 0
    assert series.code_lines(added("drivers/pci/a.c", *code) +
                             added("drivers/pci/b.c", *code)) == 4
    # make lint has none; with a lower limit it has
    monkeypatch.setattr(series.check, "CODE_LINES", 100)
    assert [f for f in series.check.on_base(BASE) if "lines of code" in f]


def test_places(monkeypatch):
    """Who clears latched error status without a word to io_check is a fault, and so is a
    plain access."""
    clear = "\tpci_write_config_dword(dev, aer + PCI_ERR_UNCOR_STATUS,\n\t\t\t       status);\n"
    tell = "\tio_check_clear_aer(dev, aer + PCI_ERR_UNCOR_STATUS, status);\n"
    comment = "/*\n * readl(bar);\n */\n#define get(bar) \\\n\treadl(bar)\n\n"

    def found(body, name="anfe"):
        text = ("static int before;\n\n" + comment +
                f"static void {name}(struct pci_dev *dev,\n\t\t u32 status)\n{{\n{body}}}\n\n"
                "void other(void)\n{\n\tif (x)\n\t\ty();\n}\n")
        return series.places.unheard(text) + series.places.unchecked(text)

    assert found(clear) == [("anfe", "PCI_ERR_UNCOR_STATUS")]
    assert found(tell) == found(tell + clear) == []
    assert found("\tpci_read_config_word(dev, PCI_STATUS, &word);\n") == []
    assert found("\tpci_write_config_word(dev, PCI_STATUS, 0xffff);\n",
                 "pci_scan_bridge_extend") == []
    for plain in "ioread8", "readl_relaxed", "inl":
        assert found(f"\tx = {plain}(bar);\n\ty = {plain}_check(c, bar);\n") == [
            ("anfe", plain)]
    # make lint has none; without a reason for each that stays it has
    monkeypatch.setattr(series.places, "QUIET", {})
    lines = "\n".join(series.places.unreached(*series.repo_on_tree(BASE)))
    assert "probe.c: pci_scan_bridge_extend() clears PCI_STATUS" in lines
    assert "msi.c: msix_mask_all() has a plain writel()" in lines


def unmaintained(text, ours, files):
    """(patterns of the entries called ours that are for no file, files that no entry of
    MAINTAINERS' text has but THE REST)."""
    entries = {entry.split("\n")[0]: [
        # a star does not cross a directory; one that is named has all below it
        (pattern, re.compile(re.escape(pattern).replace(r"\*", "[^/]*") +
                             (".*" if pattern.endswith("/") else "$")))
        for pattern in re.findall(r"^F:\s+(\S+)$", entry, re.M)]
        for entry in text.split("\n\n")}
    del entries["THE REST"]
    assert set(ours) <= set(entries)
    return ([p for name in ours for p, rule in entries[name]
             if not any(map(rule.match, files))],
            [file for file in files
             if not any(rule.match(file) for found in entries.values()
                        for _, rule in found)])


def test_maintained():
    """Each file that the series adds has an entry in MAINTAINERS, and the series' entries
    name nothing else."""
    patched()
    text = (paths.BUILD / BASE / "patched/MAINTAINERS").read_text()
    files = [file for patch in PATCHES for file in patch.adds]
    ours = ["PCI ERROR CHECKED REGISTER ACCESS", "PCI DMA HINTS"]
    assert unmaintained(text, ours, files) == ([], [])
    spoilt = text.replace("F:\tdrivers/pci/io_check*\n", "F:\tlib/io_check*\n")
    assert "lib/io_check*" in unmaintained(spoilt, ours, files)[0]
    assert unmaintained(text, ours, ["nowhere/io_check.c"])[1] == ["nowhere/io_check.c"]


def spatch(mode, *where):
    """Lines that the series' Coccinelle rule has for directories, in a mode."""
    rule = paths.TOP / "scripts/coccinelle/api/readx_check.cocci"
    return subprocess.run(
        ["spatch", "-D", mode, "-D", "driver", "-D", "session=c", "--in-place",
         "--very-quiet", "--no-includes", "--include-headers", "--sp-file", rule,
         *(w for d in where for w in ("--dir", d))],
        check=True, capture_output=True, text=True).stdout.splitlines()


def test_coccinelle(tmp_path):
    """The rule finds every access of vanilla's drivers, and none of ours.

    Its patch mode converts them; then it finds none there.  What it leaves to
    the author is where sessions begin and end.
    """
    vanilla, ours = (paths.BUILD / BASE / t for t in ("vanilla", "patched"))
    patched()
    for name, count in (("drivers/message/fusion", 5), ("drivers/scsi/sym53c8xx_2", 9)):
        copy = tmp_path / os.path.basename(name)
        shutil.copytree(vanilla / name, copy)
        for mode in ("report", "org"):
            assert len(spatch(mode, copy)) == count, mode
        assert len([w for w in spatch("context", copy)
                    if re.match(r"-[^-]", w)]) == count
        assert not spatch("report", ours / name)
        spatch("patch", copy)
        assert not spatch("report", copy)
        after = "".join(f.read_text() for f in copy.glob("*.[ch]"))
        before = "".join(f.read_text() for f in (ours / name).glob("*.[ch]"))
        accessor = r"\b(?:read|write|ioread|iowrite|in|out|memcpy_to)\w*_check\("
        # the recovery has accesses of its own
        assert set(re.findall(accessor, after)) <= set(re.findall(accessor, before))


def warnings(log):
    """Warnings of gcc and sparse as (file, text); line numbers drift."""
    return set(re.findall(r"^(?:\.\./)?(\S+?):\d+(?::\d+)?: (?:warning|error): (.*)$",
                          log, re.M))


def test_warnings():
    """Of gcc's W=1 and of sparse, whatever the line; in a build's log."""
    log = """\
  CC      drivers/pci/io_check.o
../drivers/pci/io_check.c:{0}:6: warning: no previous prototype for 'io_check_one'
drivers/pci/io_check.c:{0}: error: too few arguments to function 'io_check_two'
  CHECK   ../drivers/pci/io_check.c
../drivers/pci/io_check.c:{0}:14: warning: symbol 'io_check_one' was not declared.
"""
    found = {("drivers/pci/io_check.c", text) for text in (
        "no previous prototype for 'io_check_one'",
        "too few arguments to function 'io_check_two'",
        "symbol 'io_check_one' was not declared.")}
    assert warnings(log.format(7)) == warnings(log.format(8)) == found


def seen_by(arch, sources):
    """The sources that a kernel of test_each_patch builds one by one: those that it has
    built, and the first kernel those that none has."""
    def is_built(path, arch):
        return any((paths.object_dir(BASE, "bisect", arch, variant) /
                    f"{path[:-2]}.o").is_file()
                   for variant in ("on", BUILTIN))
    return [f for f in sources if arch in kernels_of(f) and (
        is_built(f, arch) or arch == kernels_of(f)[0] and
        not any(is_built(f, other) for other in kernels_of(f)))]


def complaints(tree, arch, ours, sources):
    """What W=1 and sparse say of the files ours when they see the sources."""
    variant = {"bisect": "on+inject+kprobes", "vanilla": "plain+kprobes"}[tree]
    base = paths.BUILD / BASE / tree
    targets = [f"{f[:-2]}.o" for f in sources if (base / f).is_file()]
    if not targets:
        return set()
    # an object that is up to date repeats no warning
    for target in targets:
        (paths.object_dir(BASE, tree, arch, f"{variant}@w1") / target).unlink(
            missing_ok=True)
    log = kernel(tree, arch, f"{variant}@w1", "W=1", "C=2", "prepare", *targets, lax=True)
    return {w for w in warnings(log) if w[0] in ours}


def boots(tree):
    """powernv9 boots ppc64's kernel of test_each_patch, and the suites that it has pass."""
    suites = tuple(f"kunit:{module}" for module, file in KUNIT.items()
                   if (paths.BUILD / BASE / tree / file).is_file())
    boot = Boot("powernv9", base=BASE, arch="ppc64", tree=tree, run=suites,
                variant=BUILTIN, log=paths.BUILD / "check" / f"{BASE}-{tree}")
    result = process.run(boot)
    if suites:
        clean(result, boot.again())
    else:
        assert result.outcome == "completed" and not result.complaints(), boot.again()


def recovers(patch):
    """A driver's patch leaves it as it is asked to be: ten bursts, and no I/O lost; if it
    has its option already."""
    chosen = (paths.object_dir(BASE, "bisect", "ppc64", "on") / ".config").read_text()
    for hba, driver in drivers.DRIVERS.items():
        if (not patch.path.startswith(f"{driver.directory}/")
                or f"CONFIG_{driver.option}=y" not in chosen):
            continue
        arch = driver.sweep.arch
        kernel("bisect", arch, "on", lax=True)
        how = {"machine": arches.facts(arch)["MACHINE"], "arch": arch, "base": BASE,
               "variant": "on", "hba": hba, "faults": 10, "seed": 1, "disks": 3, "smp": 1}
        boot = dataclasses.replace(
            demo.storm("patched", how, paths.BUILD / "check" / f"{BASE}-bisect-{hba}",
                       "bursts"), tree="bisect")
        result = process.run(boot)
        clean(result, boot.again())
        seen = result.figures()
        assert seen["fio_errors"] == seen["verify_errors"] == 0, boot.again()
        assert seen["detected"] == result.hits_in_bar() >= 10, boot.again()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(PATCHES) + 1),
                         ids=[p.path for p in PATCHES])
def test_each_patch(number):
    """Every patch builds, with its options off, on and as modules, and powernv9 boots it.

    The files that it adds give no warning of W=1 or sparse; those that it
    changes give none that vanilla's do not give.  A patch of another architecture
    builds with that one's kernel, and is not booted.  A driver that recovers goes
    through bursts.
    """
    patched("--dest", paths.BUILD / BASE / "bisect", "--first", str(number))
    ours = set(PATCHES[number - 1].touches + PATCHES[number - 1].adds)
    sources = [f for f in sorted(ours)
               if f.endswith((".c", ".S")) and not f.startswith("tools/")
               and not f.endswith(NO_OBJECT)]
    builds = sorted({a for f in sources for a in kernels_of(f)} or {"ppc64"})
    for arch in builds:
        for variant in ("plain", "on", BUILTIN):
            kernel("bisect", arch, variant, lax=True)
        if arch == "ppc64":
            boots("bisect")
    for arch in builds:
        mine = seen_by(arch, sources)
        found = {tree: complaints(tree, arch, ours, mine)
                 for tree in ("bisect", "vanilla")}
        assert not found["bisect"] - found["vanilla"]
    recovers(PATCHES[number - 1])
