# SPDX-License-Identifier: GPL-2.0
"""Machines of QEMU: machines/NAME.toml, which make and the menu read as well."""

import dataclasses
import tomllib

from . import paths


@dataclasses.dataclass(frozen=True)
class Machine:
    """How QEMU runs one machine, and which tests it is in.

    title    in the menu
    arches   whose kernels run on it: names in arch/
    bases    that know it; none: all.  First in the file, for make
    qemu     emulator and machine arguments, by blank
    console  the kernel's console= device
    adapters bus= properties of the host adapters, "" for the default bus
    express  likewise, of adapters of PCI Express; none: those of adapters
    port     bus= property of the ports' adapter
    smp      whether -smp may exceed 1
    faults   whether its bus raises an exception for an access that nobody claims
    injects  whether inject.py can raise one
    extable  whether an exception table entry saves a kernel access, io_check or not
    append   to the kernel's command line
    slots    whether the adapters are in slots of PCI Express
    starts   what firmware prints when it starts the kernel, if it may fail to
    icount   a virtual CPU's time for an instruction is 2^icount ns where it is counted
    check, check_all  "ARCH:CPUS:DRIVER" of the drivers' tests in make check, and of
                      those that make check-all adds; with ":demo" two tests alone; a
                      mere "ARCH" has the core's tests alone, on the patched kernel
    hints    architectures of make check-hints
    """

    title: str
    arches: tuple[str, ...]
    qemu: str
    console: str
    bases: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ("", "")
    express: tuple[str, ...] = ()
    port: str = ""
    smp: bool = True
    faults: bool = True
    injects: bool = False
    extable: bool = False
    append: str = ""
    slots: bool = False
    starts: str = ""
    icount: int | None = None
    check: tuple[str, ...] = ()
    check_all: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def knows(self, base: str) -> bool:
        """Whether a kernel of that base runs on it."""
        return base in (self.bases or (base,))

    @property
    def precise(self) -> bool:
        """Whether an access can be made to raise an exception."""
        return self.faults or self.injects

    def places(self, express: bool) -> tuple[str, ...]:
        """bus= properties of the host adapters."""
        return express and self.express or self.adapters


def tuples(value):
    """TOML's lists as tuples."""
    return tuple(value) if isinstance(value, list) else value


def load(file) -> Machine:
    """The Machine of a file; one that does not fit is named."""
    try:
        return Machine(**{k: tuples(v) for k, v in tomllib.loads(file.read_text()).items()})
    except (TypeError, tomllib.TOMLDecodeError) as error:
        raise SystemExit(f"{paths.short(file)}: {error}\n"
                         "remedy: its keys are those of Machine in harness/machines.py") \
            from None


MACHINES = {file.stem: load(file)
            for file in sorted((paths.QEMU / "machines").glob("*.toml"))}
