# SPDX-License-Identifier: GPL-2.0
"""Checked accesses on each machine, what must not survive, and the harness' own
judgement."""

import dataclasses
import os
import re
import socket
import subprocess
import sys
import time

import pytest

import demo
from common import BASE, TESTED, clean, green, machines, on_machines
from harness import guest, inject, paths, process, sockets, timeline
from harness.guest import Boot
from harness.machines import MACHINES, Machine
from harness.result import Hits, HostShare, Result

faulting = on_machines([m for m in TESTED if MACHINES[m[0]].faults])
injected = on_machines([m for m in TESTED if MACHINES[m[0]].injects])
with_pim = on_machines([m for m in TESTED if m[1] in inject.PAGE_OFFSET])
precise = on_machines([m for m in TESTED if MACHINES[m[0]].precise])
# nothing but a value tells of a failed read there
queried = on_machines([m for m in TESTED if not MACHINES[m[0]].precise])
SIZES = (8, 16, 32, 64)


def each_access(arch, **more):
    """The inject.Plan of each checked access that registers.sh makes to a dead device."""
    bits = [n for n in SIZES if n < 64 or "64" in arch]
    return inject.Plan(
        tuple(f"__io_check_{way}{n}" for way in ("ld", "st") for n in bits), 0,
        start="registers: memory decode off", end="registers: memory decode on",
        gate="pci_user_write_config_byte", **more)


def run(machine, arch, **how):
    """Boot; return the Result and the text that repeats it.

    Where the bus raises no exception, inject.py does: at each_access().
    """
    if MACHINES[machine].injects and "plan" not in how:
        how["plan"] = each_access(arch)
    boot = Boot(machine, base=BASE, arch=arch, **how)
    log = paths.BUILD / "check" / "-".join(
        [machine, arch, BASE, boot.tree, *boot.run, *map(str, boot.args), boot.append]
    ).strip("-").replace(":", "_").replace("=", "_")
    boot = dataclasses.replace(boot, log=log)
    again = boot.again() if not boot.plan else (
        f"repeat with: BENCH_BASE={BASE} BENCH_MACHINES={machine}:{arch} "
        f"{sys.executable} -m pytest -s tools/testing/qemu/tests/test_check.py "
        f"-k '{machine} and {sys._getframe(1).f_code.co_name}'\n"
        f"logs: {paths.short(log)}")
    return process.run(boot), again


@precise
def test_suites(machine, arch, seen):
    """KUnit and kselftest on the patched kernel; every hit is detected."""
    faults = MACHINES[machine].faults
    # a burst's reads fail on their own only
    tests = ["registers", "kunit:io_check", *["burst"] * faults]
    result, again = run(machine, arch, run=tests, args=["checked", 170])
    clean(result, again)
    assert len(re.findall(r"^ok ", result.ktap.read_text(), re.M)) == len(tests), again
    figures = result.figures()
    assert figures["wrong"] == 0, again
    # QEMU's own count of rejected accesses against the kernel's of errors
    failed = result.hits_in_bar() if faults else len(result.injected)
    assert failed == figures["detected"] >= 1000, again
    seen.cell(machine, arch, "registers", "dead" if faults else "exception", result.ktap)


@pytest.mark.slow
@on_machines([m for m in TESTED if m[1] in ("arm64", "riscv64", "x86_64")])
def test_ones(machine, arch):
    """A million all-ones that are data, and a failure among them: no wrong verdict."""
    result, again = run(machine, arch, run=["registers"], args=["ones", 500_000],
                        timeout=600)
    clean(result, again)


@pytest.mark.slow
@machines
def test_board_report(machine, arch):
    """The module for owners of boards: its report, and what it refuses.

    Where exceptions are raised from outside none is: what it reports there is all-ones.
    """
    result, again = run(machine, arch, run=["board_report"], plan=None)
    clean(result, again)
    if not MACHINES[machine].injects:
        assert result.figures()["detected"] == 100, again
    assert "# report a report, to be sent in" in result.ktap.read_text(), again


@queried
def test_reads(machine, arch, seen):
    """KUnit, and reads of a device that gives zeros: the query sees each."""
    result, again = run(machine, arch, run=["registers", "kunit:io_check"],
                        args=["reads"])
    clean(result, again)
    assert result.figures()["detected"] == 500, again
    # the reads, and the sentinel's for each
    assert result.hits_in_bar("read") >= 500, again
    seen.cell(machine, arch, "registers", "zeros", result.ktap)


@queried
def test_reads_without_dead_value_red(machine, arch):
    """Zeros are data to who was not told that failed reads give them."""
    result, again = run(machine, arch, run=["registers"], args=["reads"],
                        append="io_check.dead_value=0xffffffffffffffff")
    assert result.outcome == "completed", again
    assert result.figures()["detected"] == 0, again
    assert not green(result.ktap), again


@faulting
def test_vanilla_panics(machine, arch):
    """The control: one plain access to the dead device ends vanilla."""
    result, again = run(machine, arch, tree="vanilla", variant="plain",
                        run=["registers"], args=["plain"])
    assert result.outcome == "panic", again
    assert result.hits_in_bar() == 1, again
    assert "ok 1 accesses to a live device" in result.ktap.read_text(), again
    assert "ok 2" not in result.ktap.read_text(), again


@on_machines([m for m in TESTED if MACHINES[m[0]].faults][:1])
def test_command_repeats(machine, arch):
    """The line that a failure is reported with boots the same again."""
    result, again = run(machine, arch, run=("registers",))
    before = result.ktap.read_text()
    result.ktap.write_text("")
    done = subprocess.run(again.split("repeat with: ")[1], shell=True, cwd=paths.TOP,
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert result.ktap.read_text() == before and green(result.ktap)
    assert (result.console.parent / "rejected").read_text().count("Invalid") == \
        result.hits.lines


# Negative tests: with a guard off the suite must not pass.

@precise
def test_without_hook_red(machine, arch):
    """The accesses alone, without the machine-check hook, save nothing."""
    result, again = run(machine, arch, run=["registers"],
                        append="io_check_nohook")
    failed = (result.hits_in_bar() if MACHINES[machine].faults
              else len(result.injected))
    assert result.outcome == "panic" and failed == 1, again
    assert not green(result.ktap), again


@faulting
def test_extable_alone_red(machine, arch):
    """An exception table entry alone does not save a kernel load."""
    if MACHINES[machine].extable:
        pytest.skip("access faults consult the exception table there")
    result, again = run(machine, arch, run=["registers"], args=["extable"])
    assert result.outcome == "panic" and result.hits_in_bar() == 1, again
    assert "ok 1 accesses to a live device" in result.ktap.read_text(), again
    assert not green(result.ktap), again


@injected
def test_foreign_exception_red(machine, arch):
    """One that comes at an access of nobody's session ends the kernel as before.

    The access is virtio's, of its interrupt status.
    """
    result, again = run(machine, arch, run=["registers"], plan=inject.Plan(
        ("ioread8", "vp_interrupt"), 1, start="registers: memory decode off", plain=True))
    assert len(result.injected) == 1, again
    assert result.outcome == "panic", again
    assert not green(result.ktap), again


@with_pim
@pytest.mark.parametrize("missing", [inject.PIM, 0x80000000, 0x10000000],
                         ids=["all", "queue", "registers"])
def test_without_pim_red(machine, arch, missing):
    """An HPMC that firmware's PIM does not tell enough of ends the kernel."""
    result, again = run(machine, arch, run=["registers"], plan=each_access(
        arch, pim=inject.PIM & ~missing))
    assert result.outcome == ("panic" if missing != inject.PIM else "stopped"), again
    assert len(result.injected) == 1, again
    assert not green(result.ktap), again


@pytest.mark.slow
@with_pim
@pytest.mark.parametrize("check", [0, 0x80000000, 0x40000000, 0x10000000, 0xa0000000])
def test_other_check_red(machine, arch, check):
    """An HPMC for a cache, TLB or assists check ends the kernel, in an access as well."""
    result, again = run(machine, arch, run=["registers"],
                        plan=each_access(arch, check=check))
    assert result.outcome == "panic" and len(result.injected) == 1, again
    assert not green(result.ktap), again


@machines
def test_stray_pointer_red(machine, arch):
    """A checked access through a stray pointer is a bug, and ends in an Oops."""
    result, again = run(machine, arch, run=["registers"], args=["stray"])
    text = result.console.read_text()
    assert "registers: a stray pointer" in text, again
    assert result.outcome == "panic" and result.hits_in_bar() == 0, again
    assert "no error of a device" not in result.ktap.read_text(), again


def test_harness_sees_wrong_count(tmp_path):
    """The bench's own guards: lost hits and kernel warnings are noticed."""
    hits = Hits("lsi_do_dma")
    rd, wr = os.pipe()
    os.write(wr, b"Invalid read at addr 0x1004, size 4, region '(null)', "
                 b"reason: rejected\n"
                 b"Invalid write at addr 0x2000, size 8, region '(null)', "
                 b"reason: rejected\n"
                 b"lsi_do_dma DMA addr=0x1004 len=4\n")
    os.close(wr)
    hits.read(rd)
    assert hits.inside(0x1000, 0x1fff) == 1 and not hits.capped.is_set()
    assert hits.traced == ["lsi_do_dma DMA addr=0x1004 len=4"]
    assert hits.inside(0x1000, 0x2fff) == 2
    assert hits.inside(0x1000, 0x2fff, "write") == 1
    livelock = Hits(cap=2)
    rd, wr = os.pipe()
    os.write(wr, b"Invalid read at addr 0x1004, size 4\n" * 3)
    os.close(wr)
    livelock.read(rd)
    assert livelock.inside(0x1000, 0x1fff) == 2 and livelock.capped.is_set()
    console = tmp_path / "console"
    console.write_text("[ 1.0] WARNING: CPU: 0 PID: 1 at x\n")
    ktap = tmp_path / "ktap"
    ktap.write_text("KTAP version 1\n1..1\nnot ok 1 x\n")
    result = Result("completed", 0, hits, ktap, console)
    assert result.complaints()
    for bad in ("not ok 1 x", "ok 1 x # SKIP", ""):
        ktap.write_text(f"KTAP version 1\n1..1\n{bad}\n")
        assert not green(ktap), bad
    ktap.write_text("KTAP version 1\n1..1\nok 1 x\n")
    assert green(ktap)


def test_firmware_hangs(tmp_path, monkeypatch):
    """Repeated is what ended in firmware, a few times; not what its kernel did."""
    kernel = "INIT: Starting kernel at 0x20010000\n"

    def boots(machine, *guests):
        found = []

        def once(boot):
            outcome, text, *rejected = guests[len(found)]
            found.append(boot)
            (tmp_path / "console").write_text(text)
            hits = Hits()
            hits.count.update(rejected)
            return Result(outcome, 0, hits, tmp_path / "ktap", tmp_path / "console")
        monkeypatch.setattr(process, "once", once)
        return process.run(Boot(machine)).outcome, len(found)
    hang, dead = ("stopped", "HWPROBE: Begin\n"), ("timeout", kernel)
    assert boots("powernv9", hang, ("completed", kernel), dead) == ("completed", 2)
    assert boots("powernv9", dead, hang) == ("timeout", 1)
    assert boots("powernv9", ("panic", ""), hang) == ("panic", 1)
    assert boots("powernv9", *[hang] * 5) == ("stopped", process.TRIES[process.NO_KERNEL])
    assert boots("q35", hang, dead) == ("stopped", 1)
    died = (f"{process.DIED} SIGSEGV", kernel)
    assert boots("powernv9", died, ("completed", kernel), dead) == ("completed", 2)
    assert boots("q35", *[died] * 5) == (died[0], 2)
    still = (process.STALLED, kernel)
    assert boots("q35", still, ("completed", kernel)) == ("completed", 2)
    assert boots("q35", *[still] * 5) == (still[0], 2)
    silent = (process.SILENT, kernel)
    assert boots("q35", silent, ("completed", kernel), dead) == ("completed", 2)
    assert boots("q35", *[silent] * 5) == (process.SILENT, 2)
    stray = ("panic", kernel, ("read", 0x10830, 2))
    assert boots("powernv9", stray, ("completed", kernel), dead) == ("completed", 2)
    assert boots("powernv9", *[stray] * 5) == ("panic", process.TRIES[process.STRAY])
    adapters = ("panic", kernel, ("read", 0x600c000000034, 4))
    assert boots("powernv9", adapters, dead) == ("panic", 1)
    assert boots("powernv9", ("completed", *stray[1:]), dead) == ("completed", 1)
    # each reason has its own count
    assert boots("powernv9", hang, died, hang, dead) == ("timeout", 4)


def fake(tmp_path, monkeypatch, script, **more):
    """A Boot whose QEMU is a shell script."""
    monkeypatch.setitem(MACHINES, "fake", Machine(
        "", ("fake",), f"sh {tmp_path}/qemu", "none"))
    monkeypatch.setattr(guest, "kernel_image", lambda *_: paths.TOP / "Makefile")
    monkeypatch.setattr(guest, "initramfs", lambda *_: None)
    boot = Boot("fake", log=tmp_path, **{"timeout": 2, **more})
    (tmp_path / "qemu").write_text(script.format(console=boot.console,
                                                 ktap=boot.outputs["ktap"]))
    return boot


@pytest.mark.parametrize("script,outcome", [
    ("kill -SEGV $$", "QEMU died of SIGSEGV"), ("kill -KILL $$", "QEMU died of SIGKILL"),
    ("exit 1", "stopped"), ("sleep 60", "timeout"),
    ("echo Kernel panic >> {console}; kill -SEGV $$", "panic"),
    ("echo bench: done >> {console}; kill -SEGV $$", "QEMU died of SIGSEGV")])
def test_qemu_dies(tmp_path, monkeypatch, script, outcome):
    """A signal is named, unless it is the bench's own or the guest's kernel panicked."""
    assert process.once(fake(tmp_path, monkeypatch, script)).outcome == outcome


@pytest.mark.parametrize("script,silence,outcome", [
    ("sleep 60", 1, "silent"), ("sleep 60", 0, "timeout"),
    ("for i in 1 2 3 4; do sleep 0.5; echo $i >> {console}; done; echo bench: done >> {console}",
     1, "completed"),
    ("for i in 1 2 3 4; do sleep 0.5; echo $i >> {ktap}; done; echo bench: done >> {console}",
     1, "completed")], ids=["silent", "allowed", "console", "ktap"])
def test_silence(tmp_path, monkeypatch, script, silence, outcome):
    """A guest that has said nothing on its console and ports for too long is ended."""
    boot = fake(tmp_path, monkeypatch, script, timeout=4, silence=silence)
    assert process.once(boot).outcome == outcome


@pytest.mark.parametrize("script,outcome", [
    ("sleep 60", process.STALLED),
    ("while sleep 0.3; do for i in $(seq 20000); do :; done; done", "timeout")],
    ids=["still", "idle"])
def test_stall(tmp_path, monkeypatch, script, outcome):
    """QEMU without any CPU time is ended; that of an idle guest has some now and then."""
    monkeypatch.setattr(process, "STALL", 1)
    assert process.once(fake(tmp_path, monkeypatch, script, timeout=4)).outcome == outcome


def test_host_withholds(tmp_path, monkeypatch):
    """Wanted is the time in state R, of each thread; sleeping wants nothing."""
    clock = iter((100.0, 101.0, 102.0, 104.0, 105.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    host = HostShare(0)
    host.proc = tmp_path
    ticks = os.sysconf("SC_CLK_TCK")

    def sample(had, *states):
        for tid, state in enumerate(states):
            (tmp_path / f"task/{tid}").mkdir(parents=True, exist_ok=True)
            (tmp_path / f"task/{tid}/stat").write_text(f"{tid} (CPU 0) R) {state} 1 2")
        (tmp_path / "stat").write_text(
            f"0 (qemu) S {'0 ' * 10}{had * ticks // 2:.0f} {had * ticks // 2:.0f} 0")
        host.sample()
        return host.share
    assert sample(0, "S", "S") == 1
    assert sample(1, "R", "S") == 1
    assert sample(2, "R", "R") == 2 / 5
    # what has ended changes nothing
    (tmp_path / "stat").unlink()
    host.sample()
    assert host.share == 2 / 5


def test_host_is_busy():
    """One of four busy loops on a CPU has a fourth of it, or less."""
    loops = [subprocess.Popen(["taskset", "-c", str(min(os.sched_getaffinity(0))),
                               "sh", "-c", "while :; do :; done"]) for _ in range(4)]
    host = HostShare(loops[0].pid)
    for _ in range(200):
        time.sleep(0.02)
        host.sample()
    for loop in loops:
        loop.kill()
        loop.wait()
    assert 0 < host.share < 0.4


def test_demo_judges_time_apart():
    """What was withheld excuses a slow recovery, and nothing else."""
    how = {"hba": "fusion", "faults": 1, "disks": 3, "smp": 1, "machine": "powernv9"}
    vanilla = {"outcome": "panic", "hits": 1, "hits_isr": 1, "bursts_hit": 1}
    good = {"outcome": "completed", "bursts_hit": 1, "hits": 3, "detected": 3,
            "hits_store": 1, "hits_isr": 1, "io_errors": 0, "verify_errors": 0,
            "complaints": [], "recovery_ms_median": 500, "recovery_ms_max": 500,
            "withheld": 0}

    def holds(**row):
        want, untimed = demo.judge("bursts", vanilla, {**good, **row}, how)
        return all(want.values()), bool(untimed)
    slow = {"recovery_ms_median": 900, "recovery_ms_max": 9000}
    assert holds() == (True, False)
    assert holds(**slow) == (False, False)
    assert holds(**slow, withheld=10) == (False, False)
    assert holds(**slow, withheld=60) == (True, True)
    for bad in ({"outcome": "timeout"}, {"detected": 2}, {"io_errors": 1},
                {"verify_errors": 1}, {"bursts_hit": 0}, {"complaints": ["WARNING"]}):
        assert holds(**bad, withheld=60) == (False, True), bad


def test_demo_judges_each_part():
    """An I/O error under injected exceptions is none of the zeros that come after them."""
    how = {"hba": "sym53c8xx", "faults": 50, "disks": 3, "smp": 1, "machine": "c3700"}
    vanilla = {"outcome": "panic", "injected": 1, "io_errors": None}
    good = {"outcome": "completed", "io_errors": 0, "verify_errors": 0, "complaints": []}
    rows = {"vanilla": vanilla, "vanilla-zeros": vanilla,
            "patched": {**good, "injected": 50, "detected": 50},
            "patched-zeros": {**good, "faults": 5, "hits": 5, "detected": 5}}

    def failed():
        return [what for what, holds in demo.verdicts(rows, how)[0].items() if not holds]
    assert failed() == []
    for part in ("patched", "patched-zeros"):
        for bad in ({"outcome": "timeout"}, {"io_errors": 16}, {"verify_errors": 1},
                    {"complaints": ["WARNING"]}, {"detected": 4}):
            whole = rows[part]
            rows[part] = {**whole, **bad}
            assert len(failed()) == 1, (part, bad)
            rows[part] = whole


def test_demo_faults(tmp_path):
    """As many bursts as were asked for; those that give zeros are few beside exceptions,
    but not where the machine has no other fault."""
    def asked(machine, arch, part):
        how = {"machine": machine, "arch": arch, "base": BASE, "smp": 1, "disks": 3,
               "hba": "sym53c8xx", "faults": 50, "seed": 1, "variant": "on"}
        return demo.storm("patched", how, tmp_path, part)
    assert 50 in asked("q35", "x86_64", "zeros").args
    assert 50 in asked("powernv9", "ppc64", "bursts").args
    assert 50 in asked("c3700", "parisc64", "injected").args
    assert 50 not in asked("c3700", "parisc64", "zeros").args
    # a burst of zeros fills QEMU's log, which may not end the boot before the last
    assert asked("q35", "x86_64", "zeros").lines == 10 * Boot.lines
    assert asked("c3700", "parisc64", "zeros").lines == Boot.lines


def test_report_sees_outage(tmp_path):
    """Recovery is from a burst's end to the first adapter's next I/O."""
    (tmp_path / "bursts.csv").write_text(
        "burst,start_ns,end_ns,length_ns,errors\n"
        "0,100000000,200000000,100000000,3\n"
        "1,700000000,701000000,1000000,0\n"
        "2,")
    (tmp_path / "samples.csv").write_text("ns,sda,sdb\n" + "".join(
        f"{ms}000000,{7 if ms < 105 else 9 if ms < 500 else ms},{ms}\n"
        for ms in range(0, 1000, 10)) + "1000")
    ktap = tmp_path / "ktap"
    ktap.write_text("# adapter 0000:01:00.0 bar 1 0x1000 0x1fff\n"
                    "# disk sda ../pci0000:00/0000:00:00.0/0000:01:00.0\n"
                    "# disk sdb ../pci0001:00/0001:00:00.0/0001:01:00.0\n")
    line = timeline.Timeline(Result("panic", 0, Hits(), ktap, tmp_path / "console.log"))
    assert line.recovery() == ([300], [400])
    assert line.bursts_hit() == 2 and len(line.bursts) == 3
    assert line.total(line.beside) == 990


def test_phases(tmp_path):
    """Where an outage's time goes: the log's clock is 90 ms before the CSV files'."""
    (tmp_path / "bursts.csv").write_text(
        "burst,start_ns,end_ns,length_ns,errors\n"
        "0,100000000,200000000,100000000,3\n"
        "1,700000000,701000000,1000000,0\n"
        "2,800000000,820000000,20000000,1\n"
        "3,950000000,951000000,1000000,1\n"
        "4,")
    (tmp_path / "samples.csv").write_text("ns,sda\n" + "".join(
        f"{ms}000000,{7 if ms < 300 else 9 if ms < 860 else 11}\n"
        for ms in range(0, 1000, 10)))
    (tmp_path / "console.log").write_text("".join(f"[    0.{us:06}] {text}\n" for us, text in (
        (95000, "bench: clock 1000000"), (96000, "bench: clock 6000000"),
        (99000, "bench: clock 7000000"),
        (195000, "mptsas 0000:01:00.0: io_check: read of BAR 1 offset 0x44 failed"),
        (300000, "mptbase: ioc0: Initiating recovery"),
        (301000, "mptsas 0000:01:00.0: io_check: reset failed, again"),
        (330000, "mptbase: ioc0: Initiating recovery"),
        (370000, "mptsas 0000:01:00.0: io_check: recovered after 175 ms"),
        (891000, "mptsas 0000:01:00.0: io_check: read of BAR 1 offset 0x44 failed"),
        (920000, "mptbase: ioc0: Initiating recovery"),
        (925000, "mptsas 0000:01:00.0: io_check: recovered after 34 ms"),
        (1041000, "mptsas 0000:01:00.0: io_check: read of BAR 1 offset 0x44 failed"))))
    ktap = tmp_path / "ktap"
    ktap.write_text("# adapter 0000:01:00.0 bar 1 0x1000 0x1fff\n"
                    "# disk sda ../pci0000:00/0000:00:00.0/0000:01:00.0\n")
    line = timeline.Timeline(Result("panic", 0, Hits(), ktap, tmp_path / "console.log"))
    # the third has no recovery in the log, and its burst no part in this
    assert line.phases("Initiating recovery") == {
        "failure": [5, 1], "reset": [40, 10], "recovered": [40, 5], "io": [20, 25]}
    assert line.phases(None)["reset"] == [] and line.phases(None)["recovered"] == [80, 15]
    line.times = []
    assert line.phases(None)["failure"] == []


@pytest.mark.parametrize("depth", [1, 40])
def test_deep_checkout(tmp_path, depth):
    """A socket has an address wherever the repository is."""
    directory = tmp_path.joinpath(*["deep"] * depth)
    directory.mkdir(parents=True)
    path = sockets.place(directory, "qtest")
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        sockets.connect(path).close()
    path.unlink()
    assert (path.parent == directory) == (depth == 1)
