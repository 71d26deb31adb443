# SPDX-License-Identifier: GPL-2.0
"""What a boot is: kernel, initramfs, disks, and QEMU's command line."""

import dataclasses
import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import arches, machines, paths
from .drivers import DRIVERS, Driver


@dataclasses.dataclass(frozen=True)
class Disk:
    """A disk of MIB MiB.

    hba   the adapter it is on, from 0
    iops  limit of I/Os a second, or 0; a limited disk calls itself SLOW
    unit  bytes that count for an I/O of the limit, a larger one for several;
          0: each counts for one
    removable  its medium may change
    mkfs  command that makes a file system in the file that follows it; blank if empty
    """

    hba: int = 0
    iops: int = 0
    unit: int = 0
    removable: bool = False
    mkfs: tuple = ()

    MIB = 64


@dataclasses.dataclass(frozen=True)
class Boot:
    """One boot of one guest.

    machine  a name in machines/
    base, tree, variant, arch  the kernel: build/BASE/TREE/O.ARCH.VARIANT; the machine's
             first architecture, if none is given
    run      guest scripts without .sh, "kunit:SUITE", in order; args are theirs
    append   to the kernel's command line
    smp      virtual CPUs
    timeout  seconds of wall time on a host that has a CPU for QEMU whenever it wants
             one, and longer by as much as it has not; past it QEMU is killed
    silence  likewise, without a word on its console and ports; 0: it may say nothing
    lines    of QEMU's log, past which it is killed: a livelock writes 0.9 GB a minute
    log      directory for console.log, results.ktap and the files of ports
    disks    Disks, on adapters of the driver hba
    adapters bus= properties of these, in place of the machine's
    ports    names of virtio serial ports that the guest writes to
    plan     an inject.Plan, or None
    monitor  pairs: a pattern of the console, and what QEMU's monitor is told then
    trace    an event of QEMU, whose lines are the Result's hits.traced
    files    initramfs()'s
    qemu     more arguments, after the machine's and before the adapters'
    root     a directory that a kernel is installed in: that one is booted, with its
             modules
    """

    machine: str
    base: str = "6.1"
    tree: str = "patched"
    variant: str = "on"
    arch: str = ""
    run: tuple = ()
    args: tuple = ()
    append: str = ""
    smp: int = 1
    timeout: float = 120
    silence: float = 0
    lines: int = 5_000_000
    log: Path | None = None
    disks: tuple = ()
    adapters: tuple = ()
    ports: tuple = ()
    hba: str = "fusion"
    plan: object = None
    monitor: tuple = ()
    trace: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    qemu: tuple = ()
    root: Path | None = None

    def __post_init__(self):
        """Complete what depends on the others."""
        if not self.arch:
            object.__setattr__(self, "arch", self.model.arches[0])
        if not self.log:
            object.__setattr__(self, "log", paths.BUILD / "logs" / "-".join(
                (self.machine, self.arch, self.base, self.tree, self.variant,
                 *self.run)).replace(":", "_"))

    @property
    def model(self) -> machines.Machine:
        """The machine."""
        return machines.MACHINES[self.machine]

    @property
    def driver(self) -> Driver:
        """The adapters' driver."""
        return DRIVERS[self.hba]

    @property
    def obj(self) -> Path:
        """The kernel's object directory."""
        return paths.object_dir(self.base, self.tree, self.arch, self.variant)

    @property
    def what(self) -> str:
        """For progress."""
        return (f"{self.machine} {self.base}/{self.tree} {self.arch} {self.variant}: "
                f"{' '.join(self.run)} {self.append}").rstrip()

    @property
    def outputs(self) -> dict[str, Path]:
        """{virtio serial port: its file}."""
        return {"ktap": self.log / "results.ktap",
                **{port: self.log / port for port in self.ports}}

    @property
    def console(self) -> Path:
        """The console's file."""
        return self.log / "console.log"

    def command_line(self) -> str:
        """The kernel's."""
        return " ".join(filter(None, (
            f"console={self.model.console} panic=-1 bench.run={','.join(self.run)}",
            f"bench.args={','.join(map(str, self.args))}" if self.args else "",
            # newer kernels run a suite only if they are told to; others do not ask
            "kunit.autorun=1" if any(r.startswith("kunit:") for r in self.run) else "",
            self.model.append, self.append)))

    def facts(self, outcome: str, seconds: float) -> dict:
        """What QEMU's command line does not say of it: boots.Recorded.what."""
        began = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(
            seconds=seconds)
        return {name: getattr(self, name) for name in (
            "machine", "base", "tree", "variant", "arch", "run", "timeout")} | {
                "beside": " and ".join(filter(None, (
                    self.plan and "gdb", self.monitor and "a QMP client"))),
                "date": began.isoformat(timespec="seconds"), "seconds": round(seconds),
                "outcome": outcome}

    def again(self) -> str:
        """How to repeat it, for a failure's report."""
        return f"logs: {paths.short(self.log)}; repeat with: sh {paths.short(self.log)}/command"


def kernel_image(obj: Path, arch: str, root: Path | None) -> Path:
    """The kernel that a machine boots: of the object directory, or, if root is not
    None, the only one that is installed in that directory."""
    if not root:
        return obj / arches.facts(arch).get("BOOT", "vmlinux")
    found = list(root.glob("boot/vmlinu[xz]-*"))
    if len(found) != 1:
        sys.exit(f"boot: {len(found)} kernels are installed in {root}, not one")
    return found[0]


# of the series' tests and of the drivers, where the kernel builds and installs them
MODULES = ("drivers/pci/tests/*.ko", "drivers/pci/*_kunit.ko",
           "drivers/parisc/*_kunit.ko", "arch/*/kernel/*_io_check_kunit.ko",
           *(f"{driver.directory}/*.ko" for driver in DRIVERS.values()))


def initramfs(boot: Boot, out: Path) -> None:
    """Pack init, busybox, selftests and the kernel's modules of MODULES, root's if there is
    one; boot.files are {path in the guest: path here} of programs that a test needs
    besides."""
    parts = ([f"lib/modules/*/kernel/{part}" for part in MODULES] if boot.root else
             [*MODULES, "external/*.ko"])
    modules = {ko.name: ko for part in parts for ko in (boot.root or boot.obj).glob(part)}
    spec = (paths.GUEST / "initramfs.list").read_text()
    for name, ko in modules.items():
        spec += f"file /modules/{name} {ko} 0644 0 0\n"
    for guest, here in boot.files.items():
        spec += f"file {guest} {here} 0755 0 0\n"
    env = {**os.environ, "GUEST": str(paths.GUEST), "SELFTESTS": str(paths.SELFTESTS),
           "KERNEL": str(paths.BUILD / boot.base / "vanilla"),
           "USERSPACE": str(paths.BUILD / "userspace" / arches.userspace(boot.arch))}
    with tempfile.NamedTemporaryFile("w", suffix=".list") as listing:
        listing.write(spec)
        listing.flush()
        with open(out, "wb") as file:
            subprocess.run([boot.obj / "usr/gen_init_cpio", listing.name],
                           stdout=file, env=env, check=True)


def on_bus(bus: str) -> str:
    """A bus= property, or nothing for the default bus."""
    return f",bus={bus}" if bus else ""


def adapters(boot: Boot) -> list[str]:
    """QEMU's arguments for the host adapters: as many as disks need.

    The disks' images are files in the log's directory, made anew.
    """
    arguments = []
    for n in range(1 + max((disk.hba for disk in boot.disks), default=0)):
        bus = (boot.adapters or boot.model.places(boot.driver.express))[n]
        serial = f",serial=bench{n}" if boot.driver.serial and "serial=" not in bus else ""
        arguments += ["-device", f"{boot.driver.device}{serial},id=hba{n}" + on_bus(bus)]
    for n, disk in enumerate(boot.disks):
        image = boot.log / f"disk{n}.raw"
        image.unlink(missing_ok=True)
        with open(image, "wb") as file:
            file.truncate(disk.MIB << 20)
        if disk.mkfs:
            subprocess.run([*disk.mkfs, image], check=True)
        throttle = f",throttling.iops-total={disk.iops}" if disk.iops else ""
        if disk.unit:
            throttle += f",throttling.iops-size={disk.unit}"
        product = ",product=SLOW" if disk.iops and boot.driver.disk == "scsi-hd" else ""
        wwn = f",wwn={0x5000c50015ea7100 + n:#x}" if boot.driver.wwn else ""
        arguments += [
            "-drive", f"if=none,id=disk{n},format=raw,file={image}{throttle}",
            "-device", f"{boot.driver.disk},drive=disk{n},"
            f"bus=hba{disk.hba}{boot.driver.bus}{wwn}{product}" +
            ",removable=on" * disk.removable]
    return arguments


def qemu_command(boot: Boot, image: Path) -> list[str]:
    """QEMU's command line, but for its log, gdb stub and monitor."""
    return [
        *boot.model.qemu.split(), "-smp", str(boot.smp), "-nic", "none",
        "-display", "none", "-no-reboot", "-kernel", str(image),
        "-initrd", str(boot.log / "initramfs.cpio"), "-append", boot.command_line(),
        "-chardev", f"file,id=console,path={boot.console}",
        "-serial", "chardev:console",
        "-device", f"virtio-serial-pci{on_bus(boot.model.port)}",
        *(word for port, file in boot.outputs.items() for word in (
            "-chardev", f"file,id={port},path={file}",
            "-device", f"virtserialport,chardev={port},name={port}")),
        *boot.qemu, *adapters(boot)]
