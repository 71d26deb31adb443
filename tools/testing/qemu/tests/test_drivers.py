# SPDX-License-Identifier: GPL-2.0
"""The drivers' recovery: verified I/O through bus errors, and what must not be."""

import bisect
import contextlib
import dataclasses
import itertools
import os
import re
import subprocess
import sys

import pytest

import demo
from common import (BASE, GUESTS, MUTANTS, clean, green, guests, kernel, mutant,
                    on_machines)
from harness import arches, paths, process
from harness.drivers import DRIVERS
from harness.guest import Boot, Disk, kernel_image
from harness.machines import MACHINES
from harness.timeline import Timeline

# bursts of test_crowd
CROWD = int(os.environ.get("BENCH_CROWD", 15))

# the fixes are there, and the options off
KERNELS = {**demo.KERNELS, "fixes": {"tree": "patched", "variant": "plain"},
           "multipath": {"tree": "patched", "variant": "on+multipath"},
           "p2pdma": {"tree": "patched", "variant": "on+p2pdma"},
           "polled": {"tree": "patched", "variant": "on+polled"},
           "modular": {"tree": "patched", "variant": "on+modular"},
           "preempt": {"tree": "patched", "variant": "on+preempt"},
           "clang": {"tree": "patched", "variant": "on+builtin+clang"},
           "reloc": {"tree": "patched", "variant": "on+reloc"},
           "rt": {"tree": "patched", "variant": "on+rt"},
           "stack": {"tree": "patched", "variant": "on+stack"},
           "kexec": {"tree": "patched", "variant": "on+kexec"},
           "suspend": {"tree": "patched", "variant": "on+inject+suspend"},
           "debug": {"tree": "patched", "variant": "on+debug"},
           "kasan": {"tree": "patched", "variant": "on+debug+kasan"},
           "strict": {"tree": "patched", "variant": "on+strict"},
           "tape": {"tree": "patched", "variant": "on+tape"}}

UNBIND = {"/selftests/unbind.sh": paths.GUEST / "unbind.sh"}
# what QEMU traces when a controller is told of a shutdown
TOLD = {"nvme": "pci_nvme_mmio_shutdown_set"}
# of two functions, by machine
SLOTS = {"powernv9": "pcie.0,addr=0", "arm64-virt": "pcie.0,addr=8", "q35": "bridge0,addr=1"}

# no throttled one: see test_kexec, test_removable
FAST = tuple(dataclasses.replace(disk, iops=0) for disk in demo.layout(3))
# the first adapter's have file systems
EXT4 = tuple(dataclasses.replace(disk, mkfs=() if disk.hba else ("/sbin/mkfs.ext4", "-q"))
             for disk in FAST)
REMOVABLE = tuple(dataclasses.replace(disk, removable=True) for disk in FAST)

# each adapter alone on a bus, whose bridge can reset it; nvme does that by itself
BRIDGES = {"qemu": ("-device", "pcie-pci-bridge,id=bridge0,bus=pcie.0",
                    "-device", "pcie-pci-bridge,id=bridge1,bus=pcie.0"),
           "adapters": ("bridge0,addr=1", "bridge1,addr=1")}

IN_SLOTS = [g for g in GUESTS if MACHINES[g[0]].slots]
slots = on_machines(IN_SLOTS, "machine,arch,smp,hba")
# vanilla's nvme finds out by itself, and has handlers for AER
slots_vanilla = on_machines([g for g in IN_SLOTS if g[3] != "nvme"],
                            "machine,arch,smp,hba")
# whose clock ends a sleep, and whose kernel can have KASAN
arm64 = on_machines([g for g in GUESTS if g[0] == "arm64-virt"], "machine,arch,smp,hba")
# where a failed read gives zeros, and a failed store nothing
ZEROS = [g for g in GUESTS if g[0] == "q35" and g[3] == "fusion"]
zeros = on_machines(ZEROS, "machine,arch,smp,hba")
# whose kernels can begin another one
kexec = on_machines([g for g in GUESTS if g[0] in ("arm64-virt", "powernv9")] + ZEROS,
                    "machine,arch,smp,hba")


def run(machine, arch, smp, hba, test, *args, kernel="patched", append="",
        timeout=150, tag="", disks=None, then=(), **more):
    """Boot a kernel of KERNELS on two adapters and three disks; timeout is in
    seconds, then are tests after this one, and tag keeps the logs apart of boots that
    differ in nothing else."""
    if test == "storm" and "-g" not in args:
        args = (*args, *DRIVERS[hba].demo.burst)
    gone = "mutant" if KERNELS[kernel]["tree"] == "mutant" else ""
    boot = Boot(
        machine, base=BASE, arch=arch, smp=int(smp), run=(test, *then), args=args,
        append=append, timeout=timeout, disks=disks or demo.layout(3), hba=hba,
        ports=("bursts.csv", "samples.csv"), **KERNELS[kernel], **more,
        log=paths.BUILD / "check" / re.sub(
            r"[:/]", "_", "-".join(map(str, (
                machine, arch, smp, hba, BASE, kernel, test, *args,
                *filter(None, (append, tag, gone)))))))
    return process.run(boot), boot.again()


def sound(result, again, exact=True):
    """Completed, all tests passed, nothing lost, every hit detected; if not exact the bus
    swallows stores, which nobody detects."""
    clean(result, again)
    seen = result.figures()
    assert seen["fio_errors"] == seen["verify_errors"] == 0, again
    if exact and "detected" in seen:
        assert seen["detected"] == result.hits_in_bar(), again
    return seen


@guests(faults=False)
def test_demo(machine, arch, smp, hba, seen):
    """The demonstration with ten bursts that hit; vanilla dies of its first."""
    logs = paths.BUILD / "check" / "-".join((machine, arch, smp, hba, BASE, "demo"))
    command = [sys.executable, paths.TOP / "tools/testing/qemu/demo.py",
               "--machine", machine, "--base", BASE, "--arch", arch,
               "--hba", hba, "--smp", smp, "--faults", "10", "--directory", logs]
    assert subprocess.run(command).returncode == 0, "repeat with: " + " ".join(
        map(str, command[1:])).replace(f"{paths.TOP}/", "")
    for part, kind in demo.parts(MACHINES[machine]).items():
        seen.cell(machine, arch, hba, kind,
                  logs / demo.boot_name("patched", part) / "results.ktap")


@guests("fusion", "nvme")
def test_burst_inside_reset(machine, arch, smp, hba):
    """Bursts so close that they hit the reset after the one before.

    sym53c8xx's takes milliseconds; the sweep fails each access inside it.
    """
    failed = 0
    # how many hit one is chance: a reset is short, and begins a poll later
    for seed in range(3, 8):
        result, again = run(machine, arch, smp, hba, "storm", 60, seed, "-i",
                            "-l", "20000:80000", "-g", "5000:30000")
        sound(result, again)
        failed += result.console.read_text().count("io_check: reset failed, again")
        if failed >= 5:
            break
    assert failed >= 5, again


@guests("fusion")
def test_burst_inside_rescan(machine, arch, smp, hba):
    """Bursts that begin when the reset has just ended: no disk is deleted."""
    result, again = run(machine, arch, smp, hba, "storm", 15, 4,
                        "-l", "5000:40000", "-g", "1000:90000")
    sound(result, again)
    text = result.console.read_text()
    ends, fails = ([float(t) for t in
                    re.findall(r"\[ *(\d+\.\d+)\] .* io_check: " + what, text)]
                   for what in ("recovered", "(?:read|write) of"))
    bursts = [line.split(",") for line in
              (result.console.parent / "bursts.csv").read_text().splitlines()
              if re.match(r"\d+,\d+", line)]
    hits = [int(burst[1]) / 1e9 for burst in bursts if int(burst[4])]
    # the kernel's log has a clock of its own, ahead by no more than this
    # ten in 5 s are printed, and how many were not with the first one after that; the
    # pairs after a missing one have f later than s's
    missing = sum(map(int, re.findall(r"io_check_report: (\d+) callbacks", text)))
    assert 10 <= len(fails) + missing <= len(hits), again
    ahead = min(f - s for f, s in zip(fails, hits))
    assert "io_check: reset failed, again" not in text, again
    # mptsas reads its configuration pages in the 100 ms after a reset
    assert any(0 <= s + ahead - e < 0.1 for s in hits for e in ends), again
    assert "Synchronizing SCSI cache" not in text.split("bench: done")[0], again


@guests()
def test_burst_of_two_seconds(machine, arch, smp, hba):
    """Memory decoding off for 2 s with requests in flight, INTx asserted."""
    result, again = run(machine, arch, smp, hba, "storm", 4, 6, "-l", "2000000")
    sound(result, again)


@pytest.mark.slow
@guests()
def test_flushes(machine, arch, smp, hba):
    """Each fourth write is followed by a flush, which a reset loses as well."""
    result, again = run(machine, arch, smp, hba, "storm", "-f", 20, 7)
    assert sound(result, again)["flushes"] > 100, again


def file_systems(machine, arch, smp, hba, *args):
    """Boot filesystem.sh; return run()'s, and whether e2fsck finds the first adapter's file
    systems good afterwards."""
    kernel("patched", arch, "on+stack")
    result, again = run(machine, arch, smp, hba, "filesystem", *args, kernel="stack",
                        disks=EXT4, timeout=300,
                        files={"/selftests/filesystem.sh": paths.GUEST / "filesystem.sh"})
    images = [result.console.parent / f"disk{n}.raw" for n, disk in enumerate(EXT4)
              if disk.mkfs]
    return result, again, all([subprocess.run(["/sbin/e2fsck", "-fn", image]).returncode == 0
                               for image in images])


@pytest.mark.slow
@guests()
def test_file_systems(machine, arch, smp, hba):
    """Journalled file systems on disks that lose their adapter: what they have written back
    is what was written, and they are consistent."""
    result, again, consistent = file_systems(machine, arch, smp, hba, 40)
    seen = sound(result, again)
    # a 53c8xx waits 3 s for its bus after each reset
    assert seen["detected"] > 0 and seen["trees"] > 4 and consistent, again


@pytest.mark.slow
@guests()
def test_file_systems_red(machine, arch, smp, hba):
    """Those of an adapter that goes offline are not."""
    result, again, consistent = file_systems(machine, arch, smp, hba, 40, "offline_on_error")
    assert result.outcome == "completed", again
    assert not green(result.ktap) and not consistent, again


def mirror(machine, arch, smp, hba, *args):
    """Boot mirror.sh; return run()'s."""
    kernel("patched", arch, "on+stack")
    return run(machine, arch, smp, hba, "mirror", *args, kernel="stack", disks=FAST,
               timeout=300, files={f"/selftests/{name}": paths.GUEST / name
                                   for name in ("mirror.sh", "md.sh")})


@pytest.mark.slow
@guests()
def test_mirror(machine, arch, smp, hba):
    """RAID-1 across two adapters: bursts cost it no member, and an adapter that is given up
    one, which is rebuilt when the adapter is bound again."""
    result, again = mirror(machine, arch, smp, hba, 20)
    assert sound(result, again)["detected"] > 0, again


@pytest.mark.slow
@guests()
def test_mirror_red(machine, arch, smp, hba):
    """One that has both disks on the adapter is lost with it."""
    result, again = mirror(machine, arch, smp, hba, 3, "alone")
    assert result.outcome == "completed" and not green(result.ktap), again
    assert result.figures()["fio_errors"] > 0, again


@pytest.mark.slow
@guests()
def test_no_intx_masking(machine, arch, smp, hba):
    """An adapter whose interrupt is masked in the line alone.

    Not powernv: on QEMU's no interrupt came any more after enable_irq().
    """
    if machine.startswith("powernv"):
        pytest.skip("no interrupt after enable_irq() on QEMU's powernv")
    sound(*run(machine, arch, smp, hba, "storm", 10, 5,
               append="io_check_irq.no_intx_masking=1"))


def sleeps(machine, arch, smp, hba, state, resets=0):
    """A recovery ended on the way into a sleep or out of it."""
    kernel("patched", arch, "on+inject+suspend")
    result, again = run(machine, arch, smp, hba, "suspend", 6, state, resets, timeout=300,
                        kernel="suspend", disks=(*demo.layout(3), Disk(1)),
                        files={"/selftests/suspend.sh": paths.GUEST / "suspend.sh"},
                        trace=TOLD.get(hba, ""))
    sound(result, again)
    assert result.hits_in_bar() > 0, again
    if hba in TOLD and state == "freeze":
        # both controllers, in each sleep and at the end
        assert len(result.hits.traced) == 2 * (6 + 1), again
    ways = re.findall(r"PM: (?:hibernation: )?(?:suspend|hibernation) entry(.*?) exit",
                      result.console.read_text(), re.S)
    assert any("io_check: recovered" in way for way in ways), again


@pytest.mark.slow
@arm64
def test_suspend_to_idle(machine, arch, smp, hba):
    """The machine sleeps and wakes up under I/O, with recoveries under way and accesses
    that fail in the callbacks; the sweep fails each of them, but nothing sleeps there."""
    sleeps(machine, arch, smp, hba, "freeze")


@pytest.mark.slow
@arm64
def test_hibernate(machine, arch, smp, hba):
    """The same with an image of the memory, which is written and restored at once.  What
    SCRIPTS have done since the image knows nothing of."""
    if "swsusp_check(false)" not in (paths.BUILD / BASE / "vanilla/kernel/power"
                                     "/hibernate.c").read_text():
        pytest.skip(f"Linux {BASE} opens no swap device for test_resume that is in use")
    sleeps(machine, arch, smp, hba, "disk", 2 if hba == "sym53c8xx" else 0)


@pytest.mark.slow
@arm64
def test_spindown(machine, arch, smp, hba):
    """Disks are stopped and started under bursts: no such command is lost to a reset.

    A 53c8xx may stand still in a burst, for no access to see; until its timers have ended
    that, and two resets, sd has given up SYNCHRONIZE CACHE.
    """
    if hba != "fusion":
        pytest.skip("Fusion's alone does not wait for timers")
    kernel("patched", arch, "on+inject+suspend")
    result, again = run(machine, arch, smp, hba, "spindown", 100, timeout=300,
                        kernel="suspend", disks=FAST,
                        files={"/selftests/spindown.sh": paths.GUEST / "spindown.sh"})
    sound(result, again)


@pytest.mark.slow
@arm64
def test_tape(machine, arch, smp, hba):
    """A tape that a reset rewound is not written where nobody knows that it is."""
    if hba == "nvme":
        pytest.skip("SCSI's alone")
    kernel("patched", arch, "on+tape")
    # the bus settles between two bursts
    gap, append = {"fusion": ("300000:1500000", ""),
                   "sym53c8xx": ("2000000:4000000", "sym53c8xx.settle=1")}[hba]
    result, again = run(machine, arch, smp, hba, "tape", 20, "-g", gap, timeout=300,
                        kernel="tape", append=append, disks=FAST,
                        files={"/selftests/tape.sh": paths.GUEST / "tape.sh"})
    sound(result, again)


def loses_power(machine, arch, smp, hba):
    """The same with adapters that forget all meanwhile."""
    sleeps(machine, arch, smp, hba, "freeze", 2)


@pytest.mark.slow
@guests()
def test_swap(machine, arch, smp, hba):
    """Memory is short and swapped to the adapter that fails: its recovery waits for no
    memory that only its own I/O would free."""
    result, again = run(machine, arch, smp, hba, "swap", 60, timeout=300, disks=FAST,
                        files={"/selftests/swap.sh": paths.GUEST / "swap.sh"})
    assert sound(result, again)["detected"] > 0, again


@pytest.mark.slow
@guests()
def test_modular(machine, arch, smp, hba):
    """The drivers as modules, whose accesses are calls of vmlinux: see the demo."""
    kernel("patched", arch, "on+modular")
    result, again = run(machine, arch, smp, hba, "storm", 10, 3, kernel="modular")
    assert sound(result, again)["resets"] >= 5, again


@pytest.mark.slow
@guests()
def test_rmmod(machine, arch, smp, hba):
    """The modules are unloaded under bursts: nothing of a recovery runs on."""
    kernel("patched", arch, "on+modular")
    result, again = run(machine, arch, smp, hba, "rmmod", kernel="modular", timeout=300,
                        files={"/selftests/rmmod.sh": paths.GUEST / "rmmod.sh"})
    assert sound(result, again)["detected"] > 0, again


@pytest.mark.slow
@guests()
def test_preempt(machine, arch, smp, hba):
    """On a preemptible kernel, with scans and resets of others beside the bursts."""
    kernel("patched", arch, "on+preempt")
    test_crowd(machine, arch, smp, hba, "preempt")


@pytest.mark.slow
@guests()
def test_real_time(machine, arch, smp, hba):
    """On a PREEMPT_RT kernel handlers are threads, and most spinlocks sleep."""
    tree = paths.BUILD / BASE / "vanilla"
    if "ARCH_SUPPORTS_RT" not in (
            tree / "arch" / arches.facts(arch)["KARCH"] / "Kconfig").read_text():
        pytest.skip(f"no PREEMPT_RT for {arch} in Linux {BASE}")
    if hba == "nvme" and "unfreeze_queue_non_owner" not in (
            tree / "drivers/nvme/host/core.c").read_text():
        pytest.skip(f"lockdep complains of Linux {BASE}'s nvme, which has another task "
                    "unfreeze queues than freezes them")
    kernel("patched", arch, "on+rt")
    result, again = run(machine, arch, smp, hba, "storm", 10, 1, kernel="rt", timeout=200)
    assert sound(result, again)["resets"] >= 5, again


@pytest.mark.slow
@guests("fusion")
def test_preempt_rescan(machine, arch, smp, hba):
    """The same, and bursts when a reset has just ended: configuration pages are asked for
    then, by who may be preempted on the way to the adapter."""
    kernel("patched", arch, "on+preempt")
    result, again = run(machine, arch, smp, hba, "storm", 30, 5, "-l", "500:6000",
                        "-g", "1000:60000", kernel="preempt")
    assert sound(result, again)["resets"] >= 15, again


@pytest.mark.slow
@guests("fusion")
def test_msi(machine, arch, smp, hba):
    """With MSI no interrupt stays asserted, and none is repeated for a lost reply."""
    result, again = run(machine, arch, smp, hba, "storm", 10, 3,
                        append="mptbase.mpt_msi_enable_sas=1")
    if "ioc0: PCI-MSI enabled" not in result.console.read_text():
        pytest.skip("no MSI on this machine")
    sound(result, again)


@pytest.mark.slow
@guests("fusion", "sym53c8xx")
def test_removable(machine, arch, smp, hba):
    """A reset is no change of a medium: nothing fails on removable disks.

    None of them is slow: QEMU 10's 53c8xx goes on in the coroutine that has throttled a
    command, and an assertion of its block layer forbids to lock a medium there.
    """
    sound(*run(machine, arch, smp, hba, "storm", 3, 9, tag="removable",
               disks=REMOVABLE))


@pytest.mark.slow
@guests("sym53c8xx")
def test_reset_by_another(machine, arch, smp, hba):
    """Another initiator resets the bus: no change of a removable disk's medium."""
    sound(*run(machine, arch, smp, hba, "storm", "-r", 3, 1, disks=REMOVABLE))


@pytest.mark.slow
@guests("sym53c8xx")
def test_reset_by_another_vanilla(machine, arch, smp, hba):
    """Vanilla tells nobody of the reset, and the disks fail I/O."""
    result, again = run(machine, arch, smp, hba, "storm", "-r", 3, 1, kernel="vanilla",
                        disks=REMOVABLE)
    assert result.figures()["fio_errors"], again


# a disk that comes and goes, of storm.sh's SPARE sectors
SPARE = ("-blockdev", "driver=null-co,node-name=spare,size=16777216,read-zeroes=on")
# where an adapter without disks is the last one
BARE = {"powernv9": "pcie.3", "arm64-virt": "pcie.0,addr=10", "q35": "pcie.0,addr=10"}


def crowd(machine, arch, smp, hba, kernel, slower=1, **more):
    """Boot bursts, while a disk is plugged and pulled, hosts are scanned and reset, and
    another adapter is unbound and bound.

    QEMU's mptsas tells the guest of no disk: a reset's rescan finds it.  Its 53c8xx
    hangs when it is reset under I/O, vanilla's driver and no fault given: it is not.
    Its nvme takes no namespace while the guest runs: controllers are reset and scanned.
    """
    wwn = ",wwn=0x5000c50015ea71f0" if DRIVERS[hba].wwn else ""
    monitor = [] if hba == "nvme" else [
        (f"storm: spare {way} {n}.", command) for n in range(1, 2000)
        for way, command in (
            ("in", f"device_add scsi-hd,drive=spare,id=spare,bus=hba0.0{wwn}"),
            ("out", "device_del spare"))]
    serial = ",serial=bare" if DRIVERS[hba].serial else ""
    bare = (("-device", f"{DRIVERS[hba].device},bus={BARE[machine]}{serial}")
            if machine in BARE else ())
    return run(machine, arch, smp, hba, "storm", "-x", CROWD, 3, qemu=SPARE + bare,
               kernel=kernel, monitor=monitor, timeout=slower * (60 + 15 * CROWD), **more)


@pytest.mark.slow
@guests()
def test_crowd(machine, arch, smp, hba, kernel="patched"):
    """Bursts beside all that changes what disks there are: see crowd()."""
    result, again = crowd(machine, arch, smp, hba, kernel)
    seen = sound(result, again)
    assert bool(seen["spares"]) == (hba != "nvme"), again
    assert (seen["resets_asked"] >= 3) == (hba != "sym53c8xx"), again
    assert (seen["rebinds"] >= 3) == (machine in BARE), again


@pytest.mark.slow
@arm64
def test_clang(machine, arch, smp, hba):
    """Clang's kernel with CFI, a shadow call stack, a random base and pages of 64 KiB."""
    kernel("patched", arch, "on+builtin+clang")
    sound(*run(machine, arch, smp, hba, "storm", 10, 3, kernel="clang",
               then=("kunit:io_check",)))


@pytest.mark.slow
@on_machines([g for g in GUESTS if g[0] == "powernv9"], "machine,arch,smp,hba")
def test_relocated(machine, arch, smp, hba):
    """The kernel runs where the firmware put it, as a crash kernel does: the machine check's
    handler, in real mode, finds its tables there."""
    kernel("patched", arch, "on+reloc")
    result, again = run(machine, arch, smp, hba, "storm", 10, 3, kernel="reloc")
    sound(result, again)
    assert "physical_start    = 0x2" in result.console.read_text(), again


@pytest.mark.slow
@arm64
def test_kasan(machine, arch, smp, hba):
    """Nothing is used that was freed, when recoveries meet scans, unbinding and death, and
    nothing is lost that nobody frees any more.

    With lockdep and poisoned slabs; how soon is not asked of so slow a kernel.
    """
    kernel("patched", arch, "on+debug+kasan")
    leaks = {"/selftests/leaks.sh": paths.GUEST / "leaks.sh"}
    sound(*crowd(machine, arch, smp, hba, "kasan", 4, then=("leaks",), files=leaks))
    sound(*run(machine, arch, smp, hba, "unbind", kernel="kasan", timeout=600,
               then=("leaks",),
               files={**UNBIND, **leaks}))
    sound(*run(machine, arch, smp, hba, "unbind", "-r", kernel="kasan", timeout=600,
               then=("leaks",), files={**UNBIND, **leaks}))
    sound(*run(machine, arch, smp, hba, "death", 5, kernel="kasan", timeout=600,
               then=("leaks",), files=leaks))


@pytest.mark.slow
@arm64
def test_strict(machine, arch, smp, hba):
    """The kernel's own checks of how its interfaces are used have nothing to say: each
    device is probed twice, an interrupt handler is called as it is requested and freed,
    and mappings, work, timers and pages are followed."""
    kernel("patched", arch, "on+strict")
    nvme = (paths.BUILD / BASE / "vanilla/drivers/nvme/host/pci.c").read_text()
    # Linux 6.1 frees shadow doorbells with the last user of a controller, after its driver
    late = re.search(r"nvme_pci_free_ctrl\(struct[^}]*nvme_dbbuf_dma_free", nvme)
    deaths = [] if hba == "nvme" and late else [(("death", 5), {})]
    for args, files in ((("storm", 10, 3), {}), (("unbind", 3), UNBIND),
                        (("unbind", "-r", 3), UNBIND), *deaths):
        sound(*run(machine, arch, smp, hba, *args, kernel="strict", timeout=600,
                   files=files))


@pytest.mark.slow
@guests("nvme")
def test_multipath(machine, arch, smp, hba):
    """Two controllers of a subsystem, one under bursts: I/O goes on by the other one.

    In turn by both, or the first failure would leave the one without I/O.
    """
    kernel("patched", arch, "on+multipath")
    result, again = run(machine, arch, smp, hba, "storm", 10, 3, kernel="multipath",
                        qemu=("-device", "nvme-subsys,id=sub0"),
                        adapters=("pcie.0,subsys=sub0,serial=one",) * 2,
                        append="nvme_core.iopolicy=round-robin")
    assert sound(result, again)["resets"] >= 5, again
    line = Timeline(result)
    assert line.near[-1] > line.near[0], again
    # a sample is every 10 ms, and a thread waits for 20 ms between two I/Os
    longer = [samples for samples in (
        [bisect.bisect(line.times, t) - 1 for t in (burst.start, burst.end)]
        for burst in line.bursts if burst.hit()) if samples[1] - samples[0] >= 10]
    assert longer and all(line.beside[last] > line.beside[first]
                          for first, last in longer), again
    # the path under bursts has none once its access failed, so the samples do tell
    assert any(line.near[last] == line.near[(first + last) // 2]
               for first, last in longer), again


@pytest.mark.slow
@guests("nvme")
def test_memory_buffer(machine, arch, smp, hba):
    """Controllers with a memory buffer, where vanilla would have submission queues: the
    CPU's stores to these are no checked accesses."""
    kernel("patched", arch, "on+p2pdma")
    result, again = run(machine, arch, smp, hba, "storm", 10, 3, kernel="p2pdma",
                        qemu=("-global", "nvme.cmb_size_mb=2"))
    assert sound(result, again)["resets"] >= 5, again
    assert "added peer-to-peer DMA memory" in result.console.read_text(), again


@pytest.mark.slow
@guests("nvme")
def test_polled_queues(machine, arch, smp, hba):
    """Who waits for an I/O rings the doorbell of its completion, in no interrupt."""
    kernel("patched", arch, "on+polled")
    result, again = run(machine, arch, smp, hba, "storm", 10, 3, "-l", "20000:400000",
                        kernel="polled", append="nvme.poll_queues=1")
    assert sound(result, again)["resets"] >= 5, again
    assert "/1 default/read/poll queues" in result.console.read_text(), again


@pytest.mark.slow
@guests("nvme")
def test_intx(machine, arch, smp, hba):
    """Without MSI the interrupt stays asserted while the doorbell that ends it fails: it
    is masked in the controller.

    Where the doorbell of a submission fails first, no command may be left to end, and
    there is nothing to mask: that says nothing, and is repeated.

    One burst, and soon: after some seconds of I/O QEMU's controller has its line asserted
    for good, with vanilla's driver and no fault.
    """
    for _ in range(INTX_TRIES):
        result, again = run(machine, arch, smp, hba, "intx", append="pci=nomsi",
                            files={"/selftests/intx.sh": paths.GUEST / "intx.sh"})
        if result.hits_in_bar("write", DRIVERS[hba].isr):
            break
        # all the rest holds there as well
        failed = re.findall(r"^    not ok \d (.*)", result.ktap.read_text(), re.M)
        assert result.outcome == "completed" and failed in (
            [], ["masked in the burst"]), again
        print("  REPEAT  no completion's doorbell failed")
    assert result.outcome == "completed" and green(result.ktap), again
    assert result.hits_in_bar("write", DRIVERS[hba].isr) > 0, again


INTX_TRIES = 6


@guests("nvme")
def test_late_completions(machine, arch, smp, hba):
    """The end of a burst has the controller complete what the reset cancelled before:
    with many commands in flight none is completed twice."""
    if smp != "1":
        pytest.skip("Bus Master is set again on purpose, and another CPU may free memory")
    result, again = run(machine, arch, smp, hba, "growth", "threads", 64, 6,
                        disks=(Disk(iops=500),),
                        files={"/selftests/growth.sh": paths.GUEST / "growth.sh"})
    clean(result, again)
    assert result.console.read_text().count("recovered after") >= 2, again


@pytest.mark.slow
@guests("nvme")
def test_format(machine, arch, smp, hba):
    """A namespace is formatted again and again under bursts, its neighbour verified."""
    result, again = run(machine, arch, smp, hba, "format",
                        files={"/selftests/format.sh": paths.GUEST / "format.sh"})
    seen = sound(result, again)
    assert seen["resets"] >= 5 and seen["formats"] > 0, again


@pytest.mark.slow
@guests("nvme")
def test_lost_vector(machine, arch, smp, hba):
    """The MSI-X table's entries are not what the kernel wrote: a reset writes them, and
    one command alone has to wait for its timer."""
    clean(*run(machine, arch, smp, hba, "vector",
               files={"/selftests/vector.sh": paths.GUEST / "vector.sh"}))


@pytest.mark.slow
@guests()
def test_unbind(machine, arch, smp, hba):
    """A driver is unbound under I/O and bursts: it ends, and is bound again."""
    result, again = run(machine, arch, smp, hba, "unbind", files=UNBIND)
    assert sound(result, again)["detected"] > 0, again


@pytest.mark.slow
@guests()
def test_remove(machine, arch, smp, hba):
    """The same of the device itself, which is found again."""
    result, again = run(machine, arch, smp, hba, "unbind", "-r", files=UNBIND)
    assert sound(result, again)["detected"] > 0, again


@pytest.mark.slow
@arm64
def test_function_reset(machine, arch, smp, hba):
    """The PCI core resets the first adapter, as sysfs asks: no command waits for a timer."""
    bridges = {} if hba == "nvme" else BRIDGES
    result, again = run(machine, arch, smp, hba, "reset", 6, timeout=300, **bridges,
                        files={"/selftests/reset.sh": paths.GUEST / "reset.sh"})
    sound(result, again)


@pytest.mark.slow
@guests()
def test_shutdown(machine, arch, smp, hba):
    """A shutdown waits for the end of a recovery: nothing of it runs beside kexec."""
    result, again = run(machine, arch, smp, hba, "shutdown")
    clean(result, again)
    text = result.console.read_text().split("bench: done")[1]
    assert "io_check: recovered" in text.split("reboot: Power down")[0], again


@pytest.mark.slow
@guests()
def test_bursts_in_shutdown(machine, arch, smp, hba):
    """Accesses fail in the shutdown: each disk is told to write its cache back, and has."""
    result, again = run(machine, arch, smp, hba, "shutdown", 100000, 200,
                        trace=TOLD.get(hba, ""))
    clean(result, again)
    text = result.console.read_text().split("bench: done")[1]
    assert "reboot: Power down" in text and "io_check: " in text, again
    if hba in TOLD:
        assert len(result.hits.traced) == 2, again
    else:
        assert text.count("Synchronizing SCSI cache") == 3, again
        assert not re.search("synchronize cache.* failed", text, re.I), again


def run_kernels(machine, arch, smp, hba, *args, **more):
    """Boot a kernel that begins others, see guest/kexec.sh."""
    kernel("patched", arch, "on+kexec")
    return run(machine, arch, smp, hba, "kexec", *args, kernel="kexec", timeout=600,
               disks=FAST, **more, files={
        "/selftests/kexec.sh": paths.GUEST / "kexec.sh",
        "/selftests/kexec": paths.BUILD / "userspace" / arches.userspace(arch) / "kexec",
        "/selftests/kernel": kernel_image(
            paths.object_dir(BASE, arch=arch, **KERNELS["kexec"]), arch, None)})


def last_kernel_is_sound(result, again, console):
    """The results of the last of some kernels, and nothing to complain of on a console."""
    text = result.ktap.read_text()
    assert "not ok" not in text, again
    ends = {}
    for name, end in (("ktap", text[text.rindex("\nKTAP version 1") + 1:]),
                      ("console", console)):
        ends[name] = getattr(result, name).with_suffix(".last")
        ends[name].write_text(end)
    sound(dataclasses.replace(result, **ends), again)


@pytest.mark.slow
@kexec
def test_kexec(machine, arch, smp, hba):
    """Another kernel begins while a recovery is under way, one after the other, and each
    finds the disks of a sound adapter.

    Nobody ends fio before, and no SCSI driver's shutdown of the base kernel does.  kexec
    clears Bus Master, but QEMU ends a request that it has mapped: a throttled disk's read
    would come into the next kernel's memory.
    """
    delays = (0.2, 0.3, 0.5, 1, 2)
    result, again = run_kernels(machine, arch, smp, hba, *delays)
    kernels = result.console.read_text().split("Starting new kernel")
    assert len(kernels) == 1 + len(delays), again
    # where only reads tell, not each burst is seen
    recovered = ["io_check: recovered" in text for text in kernels]
    assert all(recovered) if MACHINES[machine].faults else any(recovered), again
    last_kernel_is_sound(result, again, result.console.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("delay", (0.05, 0.31, 0.6))
@arm64
def test_kdump(machine, arch, smp, hba, delay):
    """A kernel panics in a burst, in the recovery's reset, and after it: the crash kernel,
    which nobody shut the adapter down for, finds its disks, and recovers as well.

    On QEMU's powernv9 none begins, be it in a burst or after the recovery.
    """
    result, again = run_kernels(machine, arch, smp, hba, "panic", delay,
                                append="crashkernel=256M")
    kernels = result.console.read_text().split("Starting crashdump kernel")
    assert len(kernels) == 2, again
    assert "io_check: recovered" in kernels[1], again
    last_kernel_is_sound(result, again, kernels[-1])


@pytest.mark.slow
@guests()
def test_large_requests(machine, arch, smp, hba):
    """Writes of 64 KiB, whose list of pages is longer than a request frame."""
    result, again = run(machine, arch, smp, hba, "storm", "-B", "64k", 10, 2)
    assert sound(result, again)["resets"] >= 5, again


@pytest.mark.slow
@guests()
def test_both_fail(machine, arch, smp, hba):
    """Both adapters fail, at times in each other's recovery.

    With memory regions that change on two CPUs, now and then QEMU's powernv9 fails an
    access to its interrupt controller: that is tried again.
    """
    for tag in ("", "again"):
        result, again = run(machine, arch, smp, hba, "both", 15, 1, timeout=300, tag=tag,
                            files={"/selftests/both.sh": paths.GUEST / "both.sh"})
        if not re.search(r"MCE: .*NIP: .*xive_native", result.text()):
            break
    seen = sound(result, again)
    assert seen["resets"] >= 8 and seen["others"] >= 8, again


@pytest.mark.slow
@on_machines([g for g in GUESTS if g[0] == "arm64-virt" and g[3] == "sym53c8xx"],
             "machine,arch,smp,hba")
def test_lost_scripts(machine, arch, smp, hba):
    """SCRIPTS that lost their way interrupt for a command that there is not."""
    clean(*run(machine, arch, smp, hba, "sir", timeout=300,
               files={"/selftests/sir.sh": paths.GUEST / "sir.sh"}))


@pytest.mark.slow
@kexec
def test_cpus(machine, arch, smp, hba):
    """CPUs are taken away and come back under bursts: interrupts move meanwhile."""
    if smp == "1":
        pytest.skip("one CPU")
    kernel("patched", arch, "on+kexec")
    result, again = run(machine, arch, smp, hba, "cpus", 15, 1, kernel="kexec",
                        timeout=300,
                        files={"/selftests/cpus.sh": paths.GUEST / "cpus.sh"})
    seen = sound(result, again, MACHINES[machine].faults)
    assert seen["detected"] >= 15, again


@pytest.mark.slow
@guests("fusion")
def test_ioctls(machine, arch, smp, hba):
    """What management tools ask by /dev/mptctl, resets too, beside I/O and bursts."""
    result, again = run(machine, arch, smp, hba, "mptctl", 15, 1, timeout=300, files={
        "/selftests/mptctl.sh": paths.GUEST / "mptctl.sh",
        "/selftests/mptctl":
            paths.BUILD / "userspace" / arches.userspace(arch) / "mptctl"})
    seen = sound(result, again)
    assert seen["good"] > 100 and seen["again"] and seen["resets_asked"], again


@pytest.mark.slow
@guests("fusion")
def test_request_frames(machine, arch, smp, hba):
    """Requests that a recovery ends give their frames back: more fail than there are."""
    kernel("patched", arch, "on+debug+kasan")
    result, again = run(machine, arch, smp, hba, "frames", kernel="kasan", timeout=600,
                        files={"/selftests/frames.sh": paths.GUEST / "frames.sh"})
    sound(result, again)


@pytest.mark.slow
@arm64
def test_no_memory(machine, arch, smp, hba):
    """Each allocation of a probe fails once: nothing is left behind, and nothing is freed
    twice."""
    kernel("patched", arch, "on+debug")
    # what comes later is sysfs'; mptsas' probe scans by itself, with many hundred
    last = 350 if hba == "fusion" else 120
    result, again = run(machine, arch, smp, hba, "nomem", last, kernel="debug", timeout=1800,
                        append="sym53c8xx.settle=1" if hba == "sym53c8xx" else "",
                        then=("leaks",), files={
        f"/selftests/{name}.sh": paths.GUEST / f"{name}.sh" for name in ("nomem", "leaks")})
    # the script looks for complaints: vanilla has some of a file in /proc that is not there
    assert result.outcome == "completed" and green(result.ktap), (
        result.ktap.read_text() + again)
    seen = result.figures()
    assert seen["allocations"] > 20 and seen["failed"] > 5, again


@pytest.mark.slow
@arm64
def test_memory_is_scarce(machine, arch, smp, hba):
    """Allocations fail in recoveries, which are tried again."""
    kernel("patched", arch, "on+debug")
    result, again = run(machine, arch, smp, hba, "scarce", 30, 20, kernel="debug",
                        timeout=600, files={"/selftests/scarce.sh": paths.GUEST / "scarce.sh"})
    seen = sound(result, again)
    # sym53c8xx lets the bus settle in most of the bursts
    assert seen["resets"] >= 3, again
    # those of the SCSI drivers need no memory
    assert seen["forced"] >= 3 or hba != "nvme", again


def edited(kind):
    """Tests of edited drivers, each on the first guest that has one, if there is."""
    found = []
    for edit in MUTANTS[kind]:
        found += itertools.islice(
            ((edit, *g) for g in GUESTS
             if g[3] == edit["hba"] and (
                 g[0] == edit["machine"] if "machine" in edit else
                 MACHINES[g[0]].faults)), 1)
    names = ["-".join((g[0]["hba"], *re.findall(r"\w+", g[0]["what"]))) for g in found]
    return pytest.mark.parametrize("edit,machine,arch,smp,hba", found, ids=names)


@contextlib.contextmanager
def kernel_of(edit, arch, monkeypatch):
    """The test's kernel has the edits, and those of its window."""
    name = edit.get("kernel", "patched")
    wide = [w for w in MUTANTS["windows"] if w["what"] == edit.get("window")]
    edits = [{"file": e["file"], **part} for e in (*wide, edit)
             for part in e.get("edits", [e])]
    with mutant({"edits": edits}) as tree:
        kernel(tree, arch, KERNELS[name]["variant"])
    monkeypatch.setitem(KERNELS, name, {**KERNELS[name], "tree": tree})
    yield globals()[edit["test"]]


@pytest.mark.slow
@edited("windows")
def test_window(edit, machine, arch, smp, hba, monkeypatch):
    """A moment in which hardly an access ever fails is made a long one."""
    with kernel_of(edit, arch, monkeypatch) as test:
        test(machine, arch, smp, hba)


@pytest.mark.slow
@edited("drivers")
def test_driver_mutant_red(edit, machine, arch, smp, hba, monkeypatch):
    """Without a guard of a driver the test that watches it fails, and the console says
    what the mutant has.  Where that takes a coincidence there is more than one try."""
    with kernel_of(edit, arch, monkeypatch) as test:
        for _ in range(edit.get("tries", 1)):
            try:
                test(machine, arch, smp, hba)
            except AssertionError as error:
                seen = str(error)
                break
        else:
            pytest.fail(f"{edit['test']} is green without {edit['what']}")
    logs = re.search("logs: ([^;]+);", seen)[1]
    text = (paths.TOP / logs / "console.log").read_text(errors="replace")
    assert edit["says"] in text, f"without {edit['what']}: {seen}"


def functions(machine):
    """bus= properties of two functions in one slot."""
    bus = SLOTS[machine]
    return {"adapters": (f"{bus}.0,multifunction=on", f"{bus}.1")}


@pytest.mark.slow
@guests("fusion")
def test_two_functions(machine, arch, smp, hba):
    """Two functions in a slot, which the driver takes for one chip: one reset for both.

    QEMU's are not reset with each other, so what a real chip's reset does is not shown.
    """
    if machine not in SLOTS:
        pytest.skip("no slot for two functions")
    result, again = run(machine, arch, smp, hba, "storm", 10, 2, tag="functions",
                        **functions(machine))
    sound(result, again)
    text = result.console.read_text()
    recovered = [len(re.findall(rf"\.{n}: io_check: recovered", text)) for n in (0, 1)]
    assert recovered[0] == recovered[1] >= 5, again
    assert len(re.findall("Initiating recovery", text)) == recovered[0], again


@pytest.mark.slow
@guests("fusion")
def test_one_function_dies(machine, arch, smp, hba):
    """What is left of a chip with two functions goes on."""
    if machine not in SLOTS:
        pytest.skip("no slot for two functions")
    sound(*run(machine, arch, smp, hba, "death", "-u", 5, tag="functions",
               **functions(machine)))


@guests("fusion")
def test_bus_master_off_too(machine, arch, smp, hba):
    """Requests may be lost as well as accesses fail; all come back.

    Not of sym53c8xx: QEMU's chip takes what it failed to fetch for SCRIPTS, and
    goes on with that; a real one stops with an interrupt.
    """
    result, again = run(machine, arch, smp, hba, "storm", "-t", 5, 8, 5,
                        "-m", 6, "-l", "1000:300000")
    assert sound(result, again)["detected"] > 0, again


@guests("fusion")
def test_lost_requests(machine, arch, smp, hba):
    """Bus Master off: no access fails, the commands' timers bring them back."""
    result, again = run(machine, arch, smp, hba, "storm", "-t", 5, 1, 5,
                        "-n", 1, "-m", 4, "-l", "200000", "-g", "1000000")
    seen = sound(result, again)
    assert seen["detected"] == 0 and seen["aborts"] > 0, again


@guests(faults=False)
def test_permanent_death(machine, arch, smp, hba):
    """The BAR moved to a hole: offline in time, and back after a rebind."""
    result, again = run(machine, arch, smp, hba, "death", 5)
    sound(result, again)
    assert result.hits_in_bar() > 0, again


def removal(machine, arch, smp, hba):
    """The slot's power off, without a word."""
    result, again = run(machine, arch, smp, hba, "removal")
    sound(result, again)
    return result


@slots
def test_surprise_removal(machine, arch, smp, hba, seen):
    """Offline in time, and unbound."""
    seen.cell(machine, arch, hba, "removal", removal(machine, arch, smp, hba).ktap)


@slots
@pytest.mark.parametrize("order", ["late", "first", "recovering"])
def test_removal_and_pciehp(machine, arch, smp, hba, order):
    """pciehp hears of it after the driver, before it, or in the recovery."""
    what = "hba0" if DRIVERS[hba].express else "bridge0"
    result, again = run(machine, arch, smp, hba, "removal", 7, order,
                        monitor=[("removal: pull it", f"device_del {what}")])
    sound(result, again)


def aer(machine, arch, smp, hba, error, *args, **how):
    """Errors of the port or bridge above the first adapter, by QEMU's monitor.

    QEMU's 53c895a asserts that no request is under way when a fatal one resets
    the bus (lsi_soft_reset()), and QEMU ends if there is: such a run says nothing
    of the guest, and is repeated.
    """
    above = MACHINES[machine].express[0] if DRIVERS[hba].express else "bridge0"
    errors = [(f"aer: now {n}", f"pcie_aer_inject_error {above} {error}")
              for n in range(1, AER_ERRORS + 1)]
    for _ in range(AER_TRIES):
        result, again = run(machine, arch, smp, hba, "aer", *args, AER_ERRORS, tag=error,
                            monitor=errors, **how)
        log = (result.console.parent / "qemu.log").read_text()
        if "lsi_soft_reset: Assertion" not in log:
            break
        print(f"  REPEAT  {log.strip()}")
    return result, again


AER_ERRORS, AER_TRIES = 3, 4


@on_machines([(error, *g) for error in ("POISON_TLP", "MALF_TLP") for g in IN_SLOTS
              if (error, g[3]) != ("POISON_TLP", "nvme")], "error,machine,arch,smp,hba")
def test_aer(machine, arch, smp, hba, error, seen):
    """Non-fatal and fatal errors of PCI Express are recovered from."""
    result, again = aer(machine, arch, smp, hba, error)
    assert sound(result, again)["recovered"] >= AER_ERRORS, again
    seen.cell(machine, arch, hba, "aer", result.ktap)


@pytest.mark.slow
@on_machines([(error, *g) for error in ("POISON_TLP", "MALF_TLP") for g in IN_SLOTS
              if g[3] == "fusion"], "error,machine,arch,smp,hba")
def test_aer_beside_dead(machine, arch, smp, hba, error):
    """A function that was given up does not keep the other one from its recovery."""
    result, again = aer(machine, arch, smp, hba, error, "-d", **functions(machine))
    assert sound(result, again)["recovered"] >= AER_ERRORS, again


@pytest.mark.slow
@on_machines([g for g in IN_SLOTS if g[3] != "nvme"], "machine,arch,smp,hba")
def test_aer_fails(machine, arch, smp, hba):
    """A function without a driver has AER fail: the recovery goes on by itself."""
    err = paths.BUILD / BASE / "vanilla/drivers/pci/pcie/err.c"
    if "pci_channel_io_perm_failure" in err.read_text():
        pytest.skip("this kernel's AER tells drivers that it failed, and that is their end")
    result, again = aer(machine, arch, smp, hba, "MALF_TLP", "-f",
                        qemu=("-device", "pci-testdev,bus=bridge0,addr=5"))
    assert sound(result, again)["recovered"] >= AER_ERRORS, again


@on_machines([g for g in IN_SLOTS if g[3] == "nvme"], "machine,arch,smp,hba")
def test_aer_nvme(machine, arch, smp, hba):
    """A non-fatal one has nvme's handlers do nothing, and nothing is lost."""
    result, again = aer(machine, arch, smp, hba, "POISON_TLP")
    assert sound(result, again)["recovered"] == 0, again


@guests("fusion", "sym53c8xx")
def test_hourly_limit(machine, arch, smp, hba):
    """Offline at the sixth failure within an hour, or at once if so told."""
    result, again = run(machine, arch, smp, hba, "limit")
    sound(result, again)
    text = result.console.read_text()
    assert "6 failures within an hour, limit 5: offline" in text, again


@pytest.mark.slow
@guests("nvme")
def test_hourly_limit_nvme(machine, arch, smp, hba):
    """The same: a controller that is given up at its first failure is removed, and no
    request of it hangs."""
    test_hourly_limit(machine, arch, smp, hba)


@pytest.mark.slow
@zeros
def test_zeros_are_no_reply(machine, arch, smp, hba):
    """Without the option an interrupt that brings only invalid replies is nobody's:
    the kernel disables its line."""
    kernel("patched", arch, "plain")
    result, again = run(machine, arch, smp, hba, "death", 5, kernel="fixes", timeout=45)
    text = result.console.read_text()
    assert "invalid reply 0x00000000 ignored" in text, again
    assert "nobody cared" in text, again


# Negative tests: with a guard off the driver must not survive.

@pytest.mark.slow
@zeros
def test_zeros_are_no_reply_vanilla(machine, arch, smp, hba):
    """Vanilla drains zeros for ever in its interrupt handler."""
    kernel("vanilla", arch, "plain")
    result, again = run(machine, arch, smp, hba, "death", 5, kernel="vanilla", timeout=45)
    text = result.console.read_text()
    assert "death: moving the BAR" in text and "nobody cared" not in text, again


@guests()
def test_permanent_death_vanilla(machine, arch, smp, hba):
    """Vanilla does not survive the death of its adapter."""
    result, again = run(machine, arch, smp, hba, "death", 5, kernel="vanilla")
    assert result.outcome == "panic" and result.hits_in_bar() >= 1, again
    assert "death: moving the BAR" in result.console.read_text(), again


@slots_vanilla
def test_surprise_removal_vanilla(machine, arch, smp, hba):
    """Vanilla does not notice, or does not survive."""
    result, again = run(machine, arch, smp, hba, "removal", kernel="vanilla",
                        timeout=90)
    assert "removal: power off" in result.console.read_text(), again
    assert not green(result.ktap), again


@slots_vanilla
def test_aer_vanilla(machine, arch, smp, hba):
    """Vanilla has no handlers, or they lose the adapter."""
    result, again = aer(machine, arch, smp, hba, "MALF_TLP", kernel="vanilla",
                        timeout=90)
    assert "aer: now 1" in result.console.read_text(), again
    assert not green(result.ktap), again


@guests("fusion", "sym53c8xx")
def test_interrupt_kept_red(machine, arch, smp, hba):
    """Without silencing the interrupt the handler runs for ever."""
    if smp != "1":
        pytest.skip("another CPU may go on")
    result, again = run(machine, arch, smp, hba, "storm", 50, 1, timeout=40,
                        append="io_check_irq.keep_irq=1")
    assert result.outcome in ("timeout", "log full", "panic"), again
    assert not green(result.ktap), again


@guests()
def test_driver_without_hook_red(machine, arch, smp, hba):
    """Without the machine-check hook the first burst that hits is fatal."""
    result, again = run(machine, arch, smp, hba, "storm", 5, 1, timeout=60,
                        append="io_check_nohook")
    assert result.outcome == "panic" and result.hits_in_bar() >= 1, again


@pytest.mark.slow
@guests()
def test_modular_without_hook_red(machine, arch, smp, hba):
    """The same of drivers that are modules."""
    kernel("patched", arch, "on+modular")
    result, again = run(machine, arch, smp, hba, "storm", 5, 1, timeout=60,
                        kernel="modular", append="io_check_nohook")
    assert result.outcome == "panic" and result.hits_in_bar() >= 1, again
