# SPDX-License-Identifier: GPL-2.0
"""Drivers and their host adapters: drivers/NAME.toml, which make and the menu read."""

import dataclasses
import tomllib

from . import paths
from .machines import tuples


@dataclasses.dataclass(frozen=True)
class Demo:
    """How a driver is tried, and what the patched kernel is held to.

    median_ms, worst_ms  guest time from the end of a burst to the first I/O
                         completed after it
    seconds              of wall time a burst
    stubs, plain         functions with accesses to inject exceptions at: io_check's,
                         and vanilla's
    settle               seconds from one of those to the next
    burst                options of pci_burst: bursts are further apart than a
                         recovery takes, or than storm.sh has to wait for I/O
    reset                what the driver logs as it resets the adapter, a pattern
    lost                 whether a burst may lose the adapter without a hit, and
                         vanilla then die of its error handling instead
    """

    median_ms: int
    worst_ms: int
    seconds: int
    stubs: tuple[str, ...]
    plain: tuple[str, ...]
    settle: float
    burst: tuple[str, ...] = ()
    reset: str | None = None
    lost: bool = False


@dataclasses.dataclass(frozen=True)
class Sweep:
    """What is swept of a driver, and where.

    arch         it runs on that architecture's machine
    guests       at a time; they sleep much
    phases       {name: count of accesses that a boot goes through}
    again        phases to repeat for accesses that were missed
    unreachable  what cannot run on the machine: {pattern: reason}, of the access, "<"
                 each condition that it is under, "<" its function
    append       to the guest's command line
    knobs        {name of a phase: what its guests have besides}
    qemu         more arguments
    """

    arch: str
    guests: int
    phases: dict[str, int]
    again: tuple[str, ...]
    unreachable: dict[str, str]
    append: str = ""
    knobs: dict[str, str] = dataclasses.field(default_factory=dict)
    qemu: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Driver:
    """A driver, and the adapter that it is tried with.

    title      in tables
    adapter    in the menu
    option     of the kernel: the driver recovers
    directory  of its sources
    device     QEMU's -device
    store      (offset, size) of the register that is written to submit a command
    isr        (offset, size) of one that the interrupt handler reads, and nothing
               else while commands run
    express    whether the adapter is of PCI Express
    wwn        whether the adapter shows only disks that have one
    serial     whether the adapter needs a serial number of its own
    disk       -device of a disk
    bus        of the adapter's disks, after its id
    not_on     architectures whose machines it does not work on
    """

    title: str
    adapter: str
    option: str
    directory: str
    device: str
    store: tuple[int, int]
    isr: tuple[int, int]
    demo: Demo
    sweep: Sweep
    express: bool = False
    wwn: bool = False
    serial: bool = False
    disk: str = "scsi-hd"
    bus: str = ".0"
    not_on: tuple[str, ...] = ()


def load(file) -> Driver:
    """The Driver of a file; one that does not fit is named."""
    try:
        facts = {k: tuples(v) for k, v in tomllib.loads(file.read_text()).items()}
        for name, kind in (("demo", Demo), ("sweep", Sweep)):
            facts[name] = kind(**{k: tuples(v) for k, v in facts[name].items()})
        return Driver(**facts)
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise SystemExit(f"{paths.short(file)}: {error}\n"
                         "remedy: its keys are those of Driver in harness/drivers.py") \
            from None


DRIVERS = {file.stem: load(file)
           for file in sorted((paths.QEMU / "drivers").glob("*.toml"))}
