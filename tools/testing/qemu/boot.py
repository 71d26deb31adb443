#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Boot one guest, run the tests it is told to, and report what was seen.

The guest's console and its results (KTAP, on a virtio serial port) go to
files.  QEMU's own log of rejected accesses comes through a pipe and is counted
on the way: it is the independent witness of how many accesses the bus failed.

Run by hand it repeats what a make target did:

    boot.py powernv9 --tree patched --variant on --run registers
"""

import argparse
import collections
import dataclasses
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import inject

TOP = Path(__file__).resolve().parents[3]
BUILD = TOP / "build"
SELFTESTS = "tools/testing/selftests/io_check"


@dataclasses.dataclass(frozen=True)
class Machine:
    """How QEMU runs one machine.

    arch    kernels that run on it: a name in arch/
    qemu    emulator and machine arguments
    console kernel's console= device
    hbas    bus= properties of the host adapters, "" for the default bus
    port    bus= property of the ports' adapter
    smp     whether -smp may exceed 1
    image   what it boots, in the object directory
    extable whether an exception table entry saves a kernel access, io_check
            or not
    faults  whether its bus raises an exception for an access that nobody claims
    injects whether inject.py can raise one
    append  to the kernel's command line
    slots   whether the adapters are in slots of PCI Express, below bridge0 and bridge1
    dies    the Result.outcome of an exception that nobody recovers from
    starts  what firmware says when it starts the kernel, if it may not come to that
    """

    arch: tuple
    qemu: tuple
    console: str
    hbas: tuple = ("", "")
    port: str = ""
    smp: bool = True
    image: str = "vmlinux"
    extable: bool = False
    faults: bool = True
    injects: bool = False
    append: str = ""
    slots: bool = False
    dies: str = "panic"
    starts: str = ""

    @property
    def precise(self):
        """Whether an access can be made to raise an exception."""
        return self.faults or self.injects


def powernv(cpu):
    """A PowerNV machine: one PHB a device, 1 GiB or QEMU exits."""
    return Machine(("ppc64", "ppc64el"),
                   ("qemu-system-ppc64", "-M", f"powernv{cpu}", "-m", "1G"),
                   "hvc0", hbas=("pcie.0", "pcie.1"), port="pcie.2",
                   starts="INIT: Starting kernel")


def pseries(cpu):
    """A PAPR machine.  FWNMI is off where a plain machine check has to end in
    an Oops: TCG does not deliver it the way the guest then expects."""
    return Machine(("ppc64", "ppc64el"),
                   ("qemu-system-ppc64", "-M", "pseries,cap-fwnmi=off",
                    "-cpu", f"POWER{cpu}", "-m", "512",
                    "-vga", "none"), "hvc0")


def virt(emulator, *qemu, **more):
    """QEMU's own machine.  Its host bridge answers all-ones where nobody is,
    unless it is told to reject the access as the buses of others do."""
    return Machine(qemu=(f"qemu-system-{emulator}", "-M", "virt", *qemu, "-m", "512",
                         "-global", "gpex-pcihost.allow-unmapped-accesses=off"),
                   **more)


def powermac(name):
    """A Power Macintosh with the PowerPC 7410."""
    return Machine(("ppc32",), ("qemu-system-ppc", "-M", name, "-cpu", "7410",
                                "-m", "256", "-nographic", "-vga", "none"),
                   "ttyPZ0", smp=False, faults=False, injects=True)


def hppa(name, arch, *more):
    """An HP 9000.  Its firmware has no PIM: inject.py's has."""
    return Machine((arch,), ("qemu-system-hppa", "-M", name, "-m", "256", *more),
                   "ttyS0", smp=False, faults=False, injects=True)


def pcie(name):
    """A PC: each adapter behind a root port and a bridge to conventional PCI.

    Firmware's hotplug is off, and the ports are the kernel's.  TCG answers an
    access that nobody claims with zeros.
    """
    ports = [word for n in (0, 1) for word in (
        "-device", f"pcie-root-port,id=port{n},chassis={n},slot={n}",
        "-device", f"pcie-pci-bridge,id=bridge{n},bus=port{n}")]
    return Machine(("x86_64",), (
        "qemu-system-x86_64", "-M", name, "-m", "512", "-vga", "none", "-global",
        "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off", *ports),
                   "ttyS0", hbas=("bridge0,addr=1", "bridge1,addr=1"),
                   image="arch/x86/boot/bzImage", faults=False,
                   append="pcie_ports=native io_check.dead_value=0", slots=True)


MACHINES = {
    "powernv8": powernv(8),
    "powernv9": powernv(9),
    "powernv10": powernv(10),
    "pseries8": pseries(8),
    "pseries9": pseries(9),
    "pseries10": pseries(10),
    "arm64-virt": virt("aarch64", "-cpu", "cortex-a57", arch=("arm64",),
                       console="ttyAMA0", image="arch/arm64/boot/Image"),
    "riscv64-virt": virt("riscv64", arch=("riscv64",), console="ttyS0",
                         image="arch/riscv/boot/Image", extable=True),
    "g3beige": powermac("g3beige"),
    "mac99": powermac("mac99"),
    "b160l": hppa("B160L", "parisc"),
    # the console is silent unless PCI slots 0 to 2 are occupied
    "c3700": hppa("C3700", "parisc64", "-device", "pvpanic-pci"),
    "q35": pcie("q35"),
}


def facts(arch):
    """{name: value} of an architecture's .env."""
    env = (TOP / f"tools/testing/qemu/arch/{arch}.env").read_text()
    return dict(re.findall(r"^(\w+)=(.*)$", env, re.M))


@dataclasses.dataclass(frozen=True)
class Hba:
    """A host adapter.

    device  QEMU's -device
    wwn     whether it shows only disks that have one
    store   (offset, size) of the register that is written to submit a command
    isr     (offset, size) of one that the interrupt handler reads, and nothing
            else while commands run
    """

    device: str
    wwn: bool
    store: tuple
    isr: tuple


HBAS = {
    # RequestFifo, ReplyFifo
    "fusion": Hba("mptsas1068", True, (0x40, 4), (0x44, 4)),
    # ISTAT
    "sym53c8xx": Hba("lsi53c895a", False, (0x14, 1), (0x14, 1)),
}


# Why a boot says nothing of its kernel: how often it is tried
NO_KERNEL, DIED = "firmware did not start the kernel", "QEMU died of"
TRIES = {NO_KERNEL: 3, DIED: 2}
PANIC = re.compile(r"Kernel panic|Oops:|Unable to handle kernel|"
                   r"Internal error: |Oops - |"
                   r"Unrecoverable Machine Check|"
                   # two CPUs garble each other's words; the firmware's are whole
                   r"OPAL: Reboot requested due to Platform error")


# What vanilla says as well, and no driver of the series has a part in: 6.12's
# 8250_pci maps the BAR of C3700's serial card for each of its ports
OF_VANILLA = re.compile(r"WARNING: .* at pcim_add_mapping_to_legacy_table")


class HostShare:
    """What share of the CPU time that a process wanted the host gave it.

    A thread in state R wants a CPU, whether it has one or waits for it; utime and
    stime say for how long the process had one (proc(5)).  What it had is exact, what
    it wanted is sampled: a minute of 20 samples a second is good for some 5 %.  A
    hypervisor that withholds time from the whole host is not seen.
    """

    TICK = 1 / os.sysconf("SC_CLK_TCK")

    def __init__(self, pid):
        self.proc = Path(f"/proc/{pid}")
        self.last = time.monotonic()
        self.wanted = self.had = 0.0    # seconds

    @staticmethod
    def stat(path):
        """The fields of a stat file from the third one on, behind the name."""
        return (path / "stat").read_text().rpartition(")")[2].split()

    def sample(self):
        """To be called now and then; not after the process has ended."""
        now = time.monotonic()
        try:
            threads = [self.stat(task) for task in self.proc.glob("task/*")]
            utime, stime = self.stat(self.proc)[11:13]
        except (FileNotFoundError, ProcessLookupError):
            return      # a thread has ended in between
        self.wanted += (now - self.last) * sum(state[0] == "R" for state in threads)
        self.had = self.TICK * (int(utime) + int(stime))
        self.last = now

    @property
    def share(self):
        """0 to 1; 1 where nothing was wanted."""
        return min(1.0, self.had / self.wanted) if self.wanted else 1.0


class Hits:
    """Counts of QEMU's "Invalid read/write at addr ..." lines, by access; and the
    lines of one of its trace events."""

    CAP = 5_000_000     # lines; a livelock writes 0.9 GB a minute
    LINE = re.compile(rb"Invalid (read|write) at addr 0x([0-9A-Fa-f]+), size (\d+)")

    def __init__(self, trace=""):
        self.trace = trace.encode()
        self.count = collections.Counter()
        self.lines = 0
        self.traced = []
        self.capped = threading.Event()

    def read(self, fd):
        """Consume the log until QEMU closes it; past the cap, only drain."""
        with os.fdopen(fd, "rb") as log:
            for line in log:
                self.lines += 1
                if self.lines > self.CAP:
                    self.capped.set()
                    continue
                match = self.LINE.search(line)
                if self.trace and line.startswith(self.trace):
                    self.traced.append(line.decode().strip())
                if match:
                    self.count[match[1].decode(), int(match[2], 16),
                               int(match[3])] += 1

    def inside(self, start, end, direction=None):
        """Rejected accesses in [start, end], bus addresses as QEMU logs them."""
        return sum(n for (way, addr, _), n in self.count.items()
                   if start <= addr <= end and direction in (None, way))


@dataclasses.dataclass
class Result:
    """What one boot showed.

    outcome  "completed", "panic", "timeout", "log full", "stopped", or "QEMU died of"
             and the signal
    seconds  wall time of the guest
    hits     a Hits
    injected what the plan of inject.py raised, in order
    share    a HostShare's share
    """

    outcome: str
    seconds: float
    hits: Hits
    ktap: Path
    console: Path
    injected: list = dataclasses.field(default_factory=list)
    share: float = 1.0

    def figures(self):
        """The name=number pairs of the tests' "# figures" lines, summed."""
        sums = collections.Counter()
        for line in re.findall(r"# figures (.*)", self.ktap.read_text()):
            for name, value in re.findall(r"(\w+)=(-?\d+)(?!\S)", line):
                sums[name] += int(value)
        return dict(sums)

    def complaints(self):
        """The kernel's warnings on the console: none belong in a good run."""
        found = re.findall(r"^.*(?:WARNING: CPU|BUG:|INFO: task|soft lockup|"
                           r"Call [Tt]race:|Oops:|Oops - |Internal error: ).*$",
                           self.console.read_text(errors="replace"), re.M)
        return [line for line in found if not OF_VANILLA.search(line)]

    def bars(self):
        """(start, end) of the adapter's BARs, as the guest saw them; registers
        come first."""
        return [(int(start, 16), int(end, 16)) for start, end in dict.fromkeys(
            re.findall(r"# adapter \S+ bar \d+ (0x\w+) (0x\w+)",
                       self.ktap.read_text()))]

    def hits_in_bar(self, direction=None, register=None):
        """QEMU's count of the CPU's rejected accesses to the adapter, or to its
        register (offset, size).

        Reads of the BAR behind the registers' are the adapter's own: SCRIPTS
        run from on-chip RAM, which the CPU only writes to.
        """
        if not self.bars():
            return 0
        if register:
            offset, size = register
            return self.hits.count[direction, self.bars()[0][0] + offset, size]
        return sum(self.hits.inside(start, end, way)
                   for n, (start, end) in enumerate(self.bars())
                   for way in ("write",) + ("read",) * (n == 0)
                   if direction in (None, way))


@dataclasses.dataclass(frozen=True)
class Disk:
    """A blank disk of MIB MiB.

    hba   the adapter it is on: 0, or 1 for the second one
    iops  limit of QEMU's, or 0; a limited disk calls itself SLOW
    unit  bytes that count for an I/O of the limit, a larger one for several;
          0: each counts for one
    """

    hba: int = 0
    iops: int = 0
    unit: int = 0

    MIB = 64


def adapters(machine, hba, disks, directory):
    """QEMU's arguments for the host adapters: one, or two if disks need it.

    The disks' images are files in directory, made anew.
    """
    arguments = []
    for n in range(1 + any(disk.hba for disk in disks)):
        arguments += ["-device", f"{hba.device},id=hba{n}" + on(machine.hbas[n])]
    for n, disk in enumerate(disks):
        image = directory / f"disk{n}.raw"
        image.unlink(missing_ok=True)
        with open(image, "wb") as file:
            file.truncate(disk.MIB << 20)
        throttle = f",throttling.iops-total={disk.iops}" if disk.iops else ""
        if disk.unit:
            throttle += f",throttling.iops-size={disk.unit}"
        product = ",product=SLOW" if disk.iops else ""
        wwn = f",wwn={0x5000c50015ea7100 + n:#x}" if hba.wwn else ""
        arguments += [
            "-drive", f"if=none,id=disk{n},format=raw,file={image}{throttle}",
            "-device", f"scsi-hd,drive=disk{n},bus=hba{disk.hba}.0{wwn}{product}"]
    return arguments


def on(bus):
    """A bus= property, or nothing for the default bus."""
    return f",bus={bus}" if bus else ""


def object_dir(base, tree, arch, variant):
    """Where kernel.sh builds."""
    return BUILD / base / tree / f"O.{arch}.{variant}"


def kernel_image(machine, obj, root):
    """The kernel that a Machine boots: of the object directory, or, if root is not
    None, the only one that is installed in that directory."""
    if not root:
        return obj / machine.image
    found = list(root.glob("boot/vmlinu[xz]-*"))
    if len(found) != 1:
        sys.exit(f"boot: {len(found)} kernels are installed in {root}, not one")
    return found[0]


def initramfs(base, tree, arch, variant, out, files=None, root=None):
    """Pack init, busybox, selftests and the kernel's test modules, root's if it is not
    None; files are {path in the guest: path here} of programs that a test needs
    besides."""
    obj = object_dir(base, tree, arch, variant)
    modules = (root.glob("lib/modules/*/kernel/drivers/pci/tests/*.ko") if root else
               [*obj.glob("drivers/pci/tests/*.ko"), *obj.glob("external/*.ko")])
    spec = (TOP / "tools/testing/qemu/initramfs.list").read_text()
    for ko in modules:
        spec += f"file /modules/{ko.name} {ko} 0644 0 0\n"
    for guest, here in (files or {}).items():
        spec += f"file {guest} {here} 0755 0 0\n"
    env = {**os.environ, "QEMU_DIR": str(TOP / "tools/testing/qemu"),
           "SELFTESTS": str(TOP / SELFTESTS),
           "KERNEL": str(BUILD / base / "vanilla"),
           "USERSPACE": str(BUILD / "userspace" / facts(arch).get("USERSPACE", arch))}
    with tempfile.NamedTemporaryFile("w", suffix=".list") as listing:
        listing.write(spec)
        listing.flush()
        with open(out, "wb") as file:
            subprocess.run([obj / "usr/gen_init_cpio", listing.name],
                           stdout=file, env=env, check=True)


def boot(name, **how):
    """boot_once(), and again where firmware did not get to start the kernel: that
    of powernv hangs now and then as it probes for hardware, on a busy host.  Once
    again where QEMU died of a signal, as it does now and then with several CPUs."""
    tried = collections.Counter()
    while True:
        result = boot_once(name, **how)
        if result.outcome.startswith(DIED):
            why = DIED
        elif (result.outcome in ("stopped", "timeout") and MACHINES[name].starts not in
              result.console.read_text(errors="replace")):
            why = NO_KERNEL
            print(f"  BOOT    {name}: {why}", flush=True)
        else:
            return result
        tried[why] += 1
        if tried[why] == TRIES[why]:
            return result


def boot_once(name, *, base="6.1", tree="patched", variant="on", arch=None, run=(),
              args=(), append="", smp=1, timeout=120, log=None, disks=(), ports=(),
              hba="fusion", plan=None, monitor=(), trace="", files=None, qemu=(),
              root=None):
    """Boot machine `name` and run the tests `run`; return a Result.

    timeout is in seconds of wall time on a host that has a CPU for QEMU whenever it
    wants one, and longer by as much as it has not; past it QEMU is killed, whatever
    the guest does.  log names the directory for console.log and results.ktap, and
    for what the guest writes to virtio serial ports: a file for each name in
    ports.  disks are Disks, on adapters of the kind hba.  plan is an
    inject.Plan.  monitor has pairs, a text of the console's and what QEMU's monitor
    is told when it is there.  trace names an event of QEMU's: its lines are the
    Result's hits.traced.  files are initramfs()'s; qemu has more arguments of QEMU's,
    behind the machine's own.  root is a directory that a kernel is installed in: that
    one is booted, with its modules.
    """
    machine = MACHINES[name]
    arch = arch or machine.arch[0]
    obj = object_dir(base, tree, arch, variant)
    image = kernel_image(machine, obj, root)
    if not image.is_file():
        sys.exit(f"boot: no kernel {obj.relative_to(TOP)}/{machine.image}\n"
                 f"remedy: tools/testing/qemu/kernel.sh {base} {tree} {arch} {variant}")
    log = Path(log or BUILD / "logs" / f"{name}-{arch}-{base}-{tree}-{variant}-{'-'.join(run)}"
               .replace(":", "_"))
    log.mkdir(parents=True, exist_ok=True)
    ktap, console = log / "results.ktap", log / "console.log"
    outputs = {"ktap": ktap, **{port: log / port for port in ports}}
    for file in (console, *outputs.values()):
        file.write_text("")
    initramfs(base, tree, arch, variant, log / "initramfs.cpio", files, root)

    rd, wr = os.pipe()
    cmdline = " ".join(filter(None, (
        f"console={machine.console} panic=-1 bench.run={','.join(run)}",
        f"bench.args={','.join(map(str, args))}" if args else "", machine.append,
        append)))
    command = [
        # the kernel kills QEMU should this process die first
        "setpriv", "--pdeathsig", "KILL",
        *machine.qemu, "-smp", str(smp), "-nic", "none", "-display", "none",
        "-no-reboot", "-kernel", str(image),
        "-initrd", str(log / "initramfs.cpio"), "-append", cmdline,
        "-chardev", f"file,id=console,path={console}", "-serial", "chardev:console",
        "-device", f"virtio-serial-pci{on(machine.port)}",
        *(word for port, file in outputs.items() for word in (
            "-chardev", f"file,id={port},path={file}",
            "-device", f"virtserialport,chardev={port},name={port}")),
        *adapters(machine, HBAS[hba], disks, log),
        "-d", "invalid_mem", "-D", f"/proc/self/fd/{wr}", *qemu,
    ]
    injector = inject.Injector(plan, arch, obj / "vmlinux", log) if plan else None
    if injector:
        command += injector.arguments()
    operator = inject.Monitor(monitor, log) if monitor else None
    command += operator.arguments() if operator else ["-monitor", "none"]
    command += ["-trace", trace] if trace else []
    (log / "command").write_text(" ".join(command) + "\n")
    what = f"{name} {base}/{tree} {arch} {variant}: {' '.join(run)} {append}".rstrip()
    print(f"  BOOT    {what}", flush=True)
    start = time.monotonic()
    hits = Hits(trace)
    with open(log / "qemu.log", "wb") as errors:
        guest = subprocess.Popen(command, pass_fds=[wr], stdin=subprocess.DEVNULL,
                                 stdout=errors, stderr=errors,
                                 start_new_session=True)
    os.close(wr)
    reader = threading.Thread(target=hits.read, args=(rd,), daemon=True)
    reader.start()
    if injector:
        injector.start(console)
    if operator:
        operator.start(console)
    outcome, tick = None, start + 10
    host = HostShare(guest.pid)
    try:
        while guest.poll() is None and not outcome:
            time.sleep(0.05)
            host.sample()
            now = time.monotonic()
            # a guest that gets next to nothing is not waited for
            if (now - start) * max(host.share, 0.1) > timeout:
                outcome = "timeout"
            elif hits.capped.is_set():
                outcome = "log full"
            if now > tick:
                tick += 10
                print(f"  BOOT    {what}: {now - start:.0f} s", flush=True)
                # two CPUs that panic at once may not get to the reboot
                if PANIC.search(console.read_text(errors="replace")):
                    outcome = "panic"
    finally:
        killed = guest.poll() is None
        if killed:
            os.killpg(guest.pid, signal.SIGKILL)
        guest.wait()
    reader.join(5)
    seconds = time.monotonic() - start
    text = console.read_text(errors="replace")
    if PANIC.search(text):
        outcome = "panic"
    elif guest.returncode < 0 and not killed:
        outcome = f"{DIED} {signal.Signals(-guest.returncode).name}"
    elif not outcome:
        outcome = "completed" if "bench: done" in text else "stopped"
    print(f"  BOOT    {what}: {outcome} after {seconds:.1f} s", flush=True)
    if injector:
        (log / "injected").write_text("".join(f"{at}\n" for at in injector.done))
    if injector and injector.error:
        print(f"  BOOT    {what}: inject: {injector.error}", flush=True)
    return Result(outcome, seconds, hits, ktap, console,
                  injector.done if injector else [], host.share)


def repeat_command(name, result, **how):
    """The one command that repeats a boot, for a failure's report."""
    parts = [f"tools/testing/qemu/boot.py {name}"]
    for key, value in how.items():
        if key in ("run", "args"):
            value = ",".join(map(str, value))
        if value:
            parts.append(f"--{key} '{value}'")
    return f"repeat with: {' '.join(parts)}\nlogs: {result.console.parent.relative_to(TOP)}"


def main():
    """Boot as the command line says; the exit status is 0 if it completed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machine", choices=MACHINES)
    for option, default in (("base", "6.1"), ("tree", "patched"),
                            ("variant", "on"), ("arch", None), ("append", ""),
                            ("hba", "fusion")):
        parser.add_argument(f"--{option}", default=default)
    parser.add_argument("--run", default="registers", help="tests, by comma")
    parser.add_argument("--args", default="", help="their arguments, by comma")
    parser.add_argument("--smp", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120, help="seconds")
    args = vars(parser.parse_args())
    name = args.pop("machine")
    args["run"] = args["run"].split(",")
    args["args"] = [a for a in args["args"].split(",") if a]
    result = boot(name, **args)
    print(result.ktap.read_text())
    print(f"outcome {result.outcome}, rejected accesses {result.hits.lines}, "
          f"in the BAR {result.hits_in_bar()}; {result.console.relative_to(TOP)}")
    sys.exit(result.outcome != "completed")


if __name__ == "__main__":
    main()
