# SPDX-License-Identifier: GPL-2.0
"""Run QEMU for a Boot, and say what was seen.

The guest's console and its results (KTAP, on a virtio serial port) go to files.
QEMU's own log of rejected accesses comes through a pipe and is counted on the way: it
is the independent witness of how many accesses the bus failed.
"""

import collections
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time

from . import guest, inject, paths, qmp
from .guest import Boot
from .result import PANIC, Hits, HostShare, Result

# Why a boot says nothing of its kernel: how often it is tried
NO_KERNEL, DIED = "firmware did not start the kernel", "QEMU died of"
SILENT, STALLED = "silent", "QEMU stood still"
STRAY = "QEMU failed an access to something else"
TRIES = {NO_KERNEL: 3, DIED: 2, SILENT: 2, STALLED: 2, STRAY: 3}
# Seconds: a guest that is idle has a timer's interrupt now and then.  On a busy host
# QEMU 10 was seen to wait for ever, with its earliest timer 68 years away; it went on
# when a debugger had interrupted it, so it had missed that the guest set one.
STALL = 120


def run(boot: Boot) -> Result:
    """once(), and again where firmware did not get to start the kernel: that of powernv
    hangs now and then as it probes for hardware, on a busy host.  Once again where QEMU
    died of a signal, as it does now and then with several CPUs, and where the guest was
    silent for longer than its Boot allows, or QEMU stood still: a hang of the kernel's
    comes again.  Once or twice again where the kernel died of an access to another device
    that QEMU failed (Hits.strays())."""
    tried = collections.Counter()
    while True:
        result = once(boot)
        if result.outcome.startswith(DIED):
            why = DIED
        elif result.outcome in (SILENT, STALLED):
            why = result.outcome
        elif result.outcome == "panic" and result.hits.strays():
            why = STRAY
            print(f"  BOOT    {boot.machine}: {why}", flush=True)
        elif (result.outcome in ("stopped", "timeout") and
              boot.model.starts not in result.text()):
            why = NO_KERNEL
            print(f"  BOOT    {boot.machine}: {why}", flush=True)
        else:
            return result
        tried[why] += 1
        if tried[why] == TRIES[why]:
            return result


def once(boot: Boot) -> Result:
    """Boot and run the tests; return a Result."""
    image = guest.kernel_image(boot.obj, boot.arch, boot.root)
    if not image.is_file():
        sys.exit(f"boot: no kernel {paths.short(image)}\n"
                 "remedy: tools/testing/qemu/builds/kernel.sh "
                 f"{boot.base} {boot.tree} {boot.arch} {boot.variant}")
    boot.log.mkdir(parents=True, exist_ok=True)
    for file in (boot.console, *boot.outputs.values()):
        file.write_text("")
    guest.initramfs(boot, boot.log / "initramfs.cpio")
    emulator = Emulator(boot, guest.qemu_command(boot, image))
    emulator.start()
    try:
        outcome = emulator.watch()
    finally:
        emulator.end()
    return emulator.result(outcome)


class Emulator:
    """One process of QEMU."""

    def __init__(self, boot: Boot, command: list[str]):
        self.boot, self.command, self.hits = boot, command, Hits(boot.trace, boot.lines)
        self.injector = (inject.Injector(boot.plan, boot.arch, boot.obj / "vmlinux",
                                         boot.log) if boot.plan else None)
        self.monitor = qmp.Operator(boot.monitor, boot.log) if boot.monitor else None
        self.command += ["-monitor", "none"]
        for helper in filter(None, (self.injector, self.monitor)):
            self.command += helper.arguments()
        self.command += ["-trace", boot.trace] if boot.trace else []
        self.command += ["-d", "invalid_mem", "-D"]
        self.killed = False

    def start(self) -> None:
        """Write the file `command`, which repeats it, and start QEMU."""
        rd, wr = os.pipe()
        log = self.boot.log
        (log / "command").write_text(shlex.join([*self.command, str(log / "rejected")]) + "\n")
        print(f"  BOOT    {self.boot.what}", flush=True)
        self.began = time.monotonic()
        with open(log / "qemu.log", "wb") as errors:
            self.process = subprocess.Popen(
                # the kernel kills QEMU should this process die first
                ["setpriv", "--pdeathsig", "KILL", *self.command, f"/proc/self/fd/{wr}"],
                pass_fds=[wr], stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                start_new_session=True)
        os.close(wr)
        self.reader = threading.Thread(target=self.hits.read, args=(rd,), daemon=True)
        self.reader.start()
        for helper in filter(None, (self.injector, self.monitor)):
            helper.start(self.boot.console)
        self.host = HostShare(self.process.pid)

    def watch(self) -> str:
        """Wait for the end; return the outcome if this has to end it, or ""."""
        tick, spoke, said = self.began + 10, 0.0, -1
        while self.process.poll() is None:
            time.sleep(0.05)
            self.host.sample()
            past = time.monotonic() - self.began
            # a guest that gets next to nothing is not waited for
            if past * max(self.host.share, 0.1) > self.boot.timeout:
                return "timeout"
            size = sum(file.stat().st_size
                       for file in (self.boot.console, *self.boot.outputs.values()))
            if size != said:
                spoke, said = past, size
            if self.boot.silence and (past - spoke) * max(
                    self.host.share, 0.1) > self.boot.silence:
                return SILENT
            if self.host.still > STALL:
                return STALLED
            if self.hits.capped.is_set():
                return "log full"
            if self.began + past > tick:
                tick += 10
                print(f"  BOOT    {self.boot.what}: {past:.0f} s", flush=True)
                # two CPUs that panic at once may not get to the reboot
                if PANIC.search(self.boot.console.read_text(errors="replace")):
                    return "panic"
        return ""

    def end(self) -> None:
        """Kill what is left."""
        self.killed = self.process.poll() is None
        if self.killed:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.monitor:
            self.monitor.ended.set()
        self.reader.join(5)
        self.seconds = time.monotonic() - self.began

    def result(self, outcome: str) -> Result:
        """What it showed."""
        boot, text = self.boot, self.boot.console.read_text(errors="replace")
        if PANIC.search(text):
            outcome = "panic"
        elif self.process.returncode < 0 and not self.killed:
            outcome = f"{DIED} {signal.Signals(-self.process.returncode).name}"
        elif not outcome:
            outcome = "completed" if "bench: done" in text else "stopped"
        print(f"  BOOT    {boot.what}: {outcome} after {self.seconds:.1f} s", flush=True)
        (boot.log / "hits").write_text("".join(
            f"{way} {address:#x} {size}: {n}\n"
            for (way, address, size), n in sorted(self.hits.count.items())))
        injected = self.injector.done if self.injector else []
        if self.injector:
            (boot.log / "injected").write_text("".join(f"{at}\n" for at in injected))
            if self.injector.error:
                print(f"  BOOT    {boot.what}: inject: {self.injector.error}", flush=True)
        (boot.log / "boot.json").write_text(json.dumps(boot.facts(outcome, self.seconds)) + "\n")
        return Result(outcome, self.seconds, self.hits, boot.outputs["ktap"], boot.console,
                      injected, self.host.share)
