# SPDX-License-Identifier: GPL-2.0
"""arm64: bus errors that come as SErrors, delivered by the bench's own EL2.

The bus error is QEMU's; guest/arm64/ makes an SError of it.  A57 has QEMU's syndrome,
which says nothing; N1 calls itself an A72, and its syndrome can be chosen.
"""

import re

import pytest

import demo
from common import BASE, clean, green, kernel, mutant, mutants
from harness import paths, process
from harness.drivers import DRIVERS
from harness.guest import Boot

CPUS = ("arm64-el2-a57", "arm64-el2-n1")
# instructions of a stub that wait for an SError: dsb, isb, dmb
WAITING = 3
READS = 5000
SIZES = 4
# bursts of a storm
HITS = 50
# in seconds
NVME_TIMERS = "nvme_core.io_timeout=2 nvme_core.admin_timeout=4"
PANIC = "Asynchronous SError Interrupt"


def run(machine, test, *args, append="", hba="fusion", tree="patched", el2=True, **more):
    """Boot with the first adapter's bus errors as SErrors, unless el2 is false; return
    Result and again."""
    variant = "plain" if tree == "vanilla" else "on"
    kernel(tree, "arm64", variant)
    boot = Boot(
        machine, base=BASE, tree=tree, variant=variant, run=("serror", test, "serror") if el2 else (test,), args=args,
        append=append, hba=hba, ports=("bursts.csv", "samples.csv"),
        log=paths.BUILD / "check" / "-".join(map(str, (
            machine, BASE, tree, hba, "serror" if el2 else "abort", test, *args, append))).replace(
                " ", "-").replace("/", "_").replace(":", "_"), **more)
    return process.run(boot), boot.again()


@pytest.mark.slow
@pytest.mark.parametrize("delay", range(WAITING))
@pytest.mark.parametrize("machine", CPUS)
def test_serror_reads(machine, delay, seen):
    """Each failed read is an error, wherever in the wait its SError comes."""
    result, again = run(machine, "registers", "reads", READS, append=f"el2.delay={delay}")
    clean(result, again)
    figures = result.figures()
    assert figures["detected"] == figures["serrors"] == SIZES * READS, again
    seen.cell(machine, "arm64", "registers", "serror", result.ktap)


@pytest.mark.slow
@pytest.mark.parametrize("delay", range(WAITING))
@pytest.mark.parametrize("machine", CPUS)
def test_serror_contexts(machine, delay):
    """Processes, timers, softirqs, IPIs and sections without interrupts, on two CPUs."""
    result, again = run(machine, "traps", "contexts", append=f"el2.delay={delay}", smp=2)
    clean(result, again)
    figures = result.figures()
    assert figures["detected"] == figures["serrors"] > 5000, again


@pytest.mark.slow
@pytest.mark.parametrize("own", ("", "io_check.serror=off"), ids=["own", "off"])
@pytest.mark.parametrize("machine", CPUS)
def test_aborts_as_ever(machine, own):
    """Synchronous aborts are recovered from, whether loads own SErrors or not."""
    result, again = run(machine, "registers", "checked", 500, append=own, el2=False)
    clean(result, again)
    assert result.figures()["detected"] == result.hits_in_bar() == 2 * SIZES * 500, again


RED = {
    "no-hook": ("io_check_nohook", "reads"),
    "off": ("io_check.serror=off", "reads"),
    "plain": ("", "plain"),
    # at the instruction after the wait
    "past-it": (f"el2.delay={WAITING}", "reads"),
    "store": ("el2.stores=1", "checked"),
}
# of N1, by syndrome: L2 ECC; nSEI (ISS[23:22] is 1); FEAT_RAS's UER and UC
SYNDROMES = (0x1000001, 0x1400002, 0xc11, 0x011)


@pytest.mark.slow
@pytest.mark.parametrize("why", RED)
@pytest.mark.parametrize("machine", CPUS)
def test_serror_red(machine, why):
    """What is not a load's own SError is as fatal as without io_check."""
    append, mode = RED[why]
    result, again = run(machine, "registers", mode, 1, append=append, timeout=60)
    assert result.outcome == "panic" and PANIC in result.console.read_text(), again


# {trap: (test and arguments, knobs, outcome, what the console has)}.  A masked error pends
# until SErrors are not masked any more (bit 8 of ISR_EL1; bit 7 is an interrupt's); a
# store's comes at the load that follows, which is not claimed, unless it comes later than
# that load's fence.
TRAPS = {
    "interrupt": (("registers", "reads", 200), "el2.wait=1", "completed", ()),
    "masked": (("traps", "masked"), "", "panic",
               (PANIC, r"el2_traps: masked: value 0x5aa5, ISR_EL1 0x1[08]0\b")),
    "store": (("traps", "store"), "el2.stores=1 el2.delay=7", "panic",
              (PANIC, r"pc : __io_check_ld32_owner\+0x10/")),
    "late store": (("traps", "store"), "el2.stores=1 el2.delay=8", "completed",
                   ("el2_traps: store: value 0xffffffff, failed",)),
}


def trap(machine, name, tree="patched"):
    """What a load makes of SErrors that it must neither lose nor take for its own.

    Return Result, again, and whether it is as it should be.
    """
    test, append, outcome, says = TRAPS[name]
    result, again = run(machine, *test, append=append, timeout=100, tree=tree)
    text = result.console.read_text()
    return result, again, (result.outcome == outcome and
                           all(re.search(what, text) for what in says))


@pytest.mark.slow
@pytest.mark.parametrize("machine", CPUS)
def test_interrupt_in_the_wait(machine):
    """An interrupt that is pending as well does not take the SError with it."""
    result, again, held = trap(machine, "interrupt")
    assert held, again
    clean(result, again)
    assert result.figures()["detected"] == SIZES * 200, again


@pytest.mark.slow
@pytest.mark.parametrize("name", ("masked", "store"))
@pytest.mark.parametrize("machine", CPUS)
def test_trap_red(machine, name):
    """SErrors that are masked, and an older store's, are as fatal as without io_check."""
    _, again, held = trap(machine, name)
    assert held, again


@pytest.mark.slow
@pytest.mark.parametrize("machine", CPUS)
def test_late_store(machine):
    """A store's SError that its fence does not wait for is taken for the load's: a limit."""
    _, again, held = trap(machine, "late store")
    assert held, again


@pytest.mark.slow
@mutants("serror")
def test_mutant_serror_red(gone):
    """Without a guard of the load that waits its trap ends otherwise; the console has how."""
    with mutant(gone) as tree:
        result, again, held = trap(gone["machine"], gone["trap"], tree)
    assert not held and gone["says"] in result.console.read_text(), again


@pytest.mark.slow
@pytest.mark.parametrize("syndrome", SYNDROMES, ids=hex)
def test_syndrome_red(syndrome):
    """An SError in the wait that says that it is another error."""
    result, again = run("arm64-el2-n1", "registers", "reads", 1, timeout=60,
                        append=f"el2.syndrome={syndrome:#x}")
    assert result.outcome == "panic" and PANIC in result.console.read_text(), again


@pytest.mark.slow
@pytest.mark.parametrize("syndrome,cause", [(0x1000000, 3), (0x1000002, 2)], ids=hex)
def test_syndrome(syndrome, cause):
    """A decode error is nobody's answer, a slave error one that refuses."""
    result, again = run("arm64-el2-n1", "board_report",
                        append=f"el2.syndrome={syndrome:#x}")
    clean(result, again)
    assert f", cause {cause}, raw 0xbf00000" in result.ktap.read_text(), again


@pytest.mark.slow
def test_other_core_red():
    """A core that is not known is named, and its SErrors are fatal."""
    result, again = run("arm64-el2-n1", "registers", "reads", 1, timeout=60,
                        qemu=("-cpu", "neoverse-n1"))
    text = result.console.read_text()
    assert "io_check.serror=on ignored: not known of CPU0, MIDR 0x" in text, again
    assert result.outcome == "panic" and PANIC in text, again


@pytest.mark.slow
def test_bad_parameter():
    """A value that there is not is named."""
    result, again = run("arm64-el2-a57", "registers", "reads", 1, timeout=60,
                        append="io_check.serror=maybe io_check.serror=off")
    assert 'io_check.serror=maybe ignored: it is "on" or "off"' in result.console.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("hba", DRIVERS)
@pytest.mark.parametrize("machine", CPUS)
def test_serror_storm(machine, hba, seen):
    """Verified I/O through bursts on two CPUs; stores get lost, as where they are posted.

    NVMe's I/O only stores: the commands' timers ask in bursts that outlast them.
    """
    append, burst, seconds = "", DRIVERS[hba].demo.burst, DRIVERS[hba].demo.seconds
    if hba == "nvme":
        append, burst, seconds = NVME_TIMERS, demo.ZEROS_BURST, 10
    result, again = run(machine, "storm", HITS, 1, *burst, hba=hba, smp=2, append=append,
                        disks=demo.layout(3), timeout=250 + HITS * seconds)
    clean(result, again)
    figures = result.figures()
    assert figures["fio_errors"] == figures["verify_errors"] == 0, again
    assert figures["detected"] == figures["serrors"] == result.hits_in_bar("read"), again
    assert figures["detected"] >= HITS and figures["dropped"] > 0, again
    seen.cell(machine, "arm64", hba, "serror", result.ktap)


@pytest.mark.slow
def test_lost_in_a_reset():
    """A reset whose command's doorbell got lost, and nobody told, is tried once more."""
    result, again = run("arm64-el2-a57", "lost", hba="nvme", append=NVME_TIMERS,
                        disks=demo.layout(3))
    clean(result, again)
    assert result.figures()["lost"] == 1, again
    assert "a command of the reset got lost" in result.console.read_text(), again


@pytest.mark.slow
@pytest.mark.parametrize("tree", ("patched", "vanilla"))
def test_lost_in_resets_red(tree):
    """A controller whose commands get lost again is removed; vanilla's at once."""
    result, again = run("arm64-el2-a57", "lost", 9, hba="nvme", append=NVME_TIMERS,
                        disks=demo.layout(3), tree=tree)
    assert result.outcome == "completed" and not green(result.ktap), again
    assert "Removing after probe failure" in result.console.read_text(), again


def dies(hba, tree, off=""):
    """A storm ends at the first SError; NVMe's I/O only stores, which raise them here."""
    append = f"{'el2.stores=1' * (hba == 'nvme')} {off}".strip()
    result, again = run("arm64-el2-a57", "storm", 5, 1, *DRIVERS[hba].demo.burst, hba=hba,
                        append=append, tree=tree, disks=demo.layout(3), timeout=120)
    assert result.outcome == "panic" and PANIC in result.console.read_text(), again


@pytest.mark.slow
@pytest.mark.parametrize("hba", DRIVERS)
def test_serror_vanilla(hba):
    """Vanilla dies of the first SError."""
    dies(hba, "vanilla")


@pytest.mark.slow
@pytest.mark.parametrize("hba", DRIVERS)
def test_serror_storm_red(hba):
    """So does the patched kernel without its hook."""
    dies(hba, "patched", "io_check_nohook")
