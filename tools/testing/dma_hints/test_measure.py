# SPDX-License-Identifier: GPL-2.0
"""measure.py on a directory that looks like sysfs, with an fio that says numbers, and
its statistics on made-up data."""

import random

import pytest

import measure

FIO = """#!/usr/bin/python3
import json
block = open("{block}").read().split()[-1]
with open("{log}", "a") as log:
    log.write(block + "\\n")
rate = 6e6 if block == "4096" else 5e6
print(json.dumps({{"jobs": [{{"write": {{"bw_bytes": rate}}}}]}}))
"""


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A sysfs with two hints; returns the directory and what main() is told.

    The kernel is played by write(): reset brings the base line back.
    """
    hints = tmp_path / "sys/bus/pci/devices/0000:00:05.0/dma_hints"
    hints.mkdir(parents=True)
    first = {"block": "all mr,mrl,mrm 512 driver function\n",
             "relaxed_order": "streaming all 0 firmware mapping\n"}
    for file, text in first.items():
        (hints / file).write_text(text)
    fio = tmp_path / "fio"
    fio.write_text(FIO.format(log=tmp_path / "log", block=hints / "block"))
    fio.chmod(0o755)
    (tmp_path / "log").write_text("")

    def kernel(file, value):
        if file.name == "reset":
            for name, text in first.items():
                (hints / name).write_text(text)
        elif file.name == "relaxed_order":
            raise measure.Refused("EIO")
        else:
            file.write_text(value)
    monkeypatch.setattr(measure, "write", kernel)
    monkeypatch.setattr(measure, "plot", lambda *_: None)
    return tmp_path, ["0000:00:05.0", "--file", str(tmp_path), "--settle", "0",
                      "--sysfs", str(tmp_path / "sys"), "--fio", str(fio),
                      "--output", str(tmp_path / "out.csv"), "--rounds", "4"]


def test_sweep(system, capsys):
    """Each value beside the base line, the driver's own, in an order that changes."""
    where, argv = system
    measure.main([*argv, "--hints", "block"])
    seen = (where / "log").read_text().split()
    values = len(measure.VALUES["block"]) - 1
    assert len(seen) == 4 * values * 2
    # the fake's base line ends in the line's last word
    pairs = [seen[i:i + 2] for i in range(0, len(seen), 2)]
    assert all("function" in pair for pair in pairs)
    assert len({pair.index("function") for pair in pairs}) == 2
    rounds = [[max(p, key=str.isdigit) for p in pairs[n * values:(n + 1) * values]]
              for n in range(4)]
    assert all(sorted(r) == sorted(rounds[0]) for r in rounds) and len({*map(tuple, rounds)}) > 1
    out = capsys.readouterr().out
    assert "block all mr,mrl,mrm 4096  +20.0%" in out
    assert out.count("no difference at this precision") == values - 1
    # driver's default is back
    assert "driver" in (where / "sys/bus/pci/devices/0000:00:05.0/dma_hints/block").read_text()


def test_resumed(system):
    """What the CSV has is not measured again, and each run is there as it ends."""
    where, argv = system
    argv = [*argv, "--hints", "block"]
    measure.main(argv)
    whole = (where / "out.csv").read_text().splitlines()
    (where / "out.csv").write_text("\n".join(whole[:10]) + "\n")
    (where / "log").write_text("")
    measure.main(argv)
    assert sorted((where / "out.csv").read_text().splitlines()) == sorted(whole)
    assert len((where / "log").read_text().split()) == 2 * (len(whole) - 10)


def test_refused(system, capsys):
    """A value that the kernel refuses is shown as its error, and tried once."""
    where, argv = system
    measure.main([*argv, "--hints", "relaxed_order"])
    assert "relaxed_order streaming 1  refused: EIO" in capsys.readouterr().out
    assert (where / "out.csv").read_text().count("EIO") == 1


def test_error_name(tmp_path):
    """The error's name is the kernel's."""
    with pytest.raises(measure.Refused, match="ENOENT"):
        measure.write(tmp_path / "no/file", "1")


def test_qemu(system, capsys):
    """Under QEMU it refuses to judge."""
    where, argv = system
    vendor = where / "sys/block/sda/device/vendor"
    vendor.parent.mkdir(parents=True)
    vendor.write_text("QEMU    \n")
    measure.main([*argv, "--hints", "block"])
    out = capsys.readouterr().out
    assert "Nothing is judged" in out and "not judged" in out and "%" not in out


@pytest.mark.parametrize("change,error", [
    ({"0000:00:05.0": "0000:00:06.0"}, "0000:00:06.0 has no dma_hints/\nremedy"),
    ({"--file": "--disk"}, "would be overwritten; its serial number is not known"),
    ({"--output": "--hints", "out.csv": "speed"}, "the following arguments|no hint"),
])
def test_bad_input(system, change, error, capsys):
    """Named, with the remedy, before anything is set."""
    where, argv = system
    argv = [change.get(word, word) for word in argv]
    with pytest.raises(SystemExit) as raised:
        measure.main(argv)
    said = f"{raised.value} {capsys.readouterr().err}"
    assert any(part in said for part in error.split("|"))
    assert (where / "log").read_text() == ""


@pytest.mark.parametrize("typed,good", [("SER123", True), ("SER12", False), (None, False)])
def test_serial(system, typed, good, tmp_path):
    """A disk is written only by who types its serial number."""
    where, argv = system
    disk = tmp_path / "nvme9n1"
    disk.write_text("")
    device = where / "sys/block/nvme9n1/device"
    device.mkdir(parents=True)
    (device / "serial").write_text("SER123  \n")
    at = argv.index("--file")
    argv[at:at + 2] = ["--disk", str(disk), *(["--destructive", typed] if typed else [])]
    if good:
        assert measure.arguments(argv).disk == str(disk)
    else:
        with pytest.raises(SystemExit, match="remedy: --destructive SER123"):
            measure.arguments(argv)


def rounds(draw, effect, noise, number):
    """Made-up ratios: drift that both of a round share is gone from them."""
    return [effect * draw.lognormvariate(0, noise) / draw.lognormvariate(0, noise)
            for _ in range(number)]


@pytest.mark.parametrize("effect", [1.0, 1.05, 0.9])
def test_interval_covers(effect):
    """A 95% interval has the known effect in it about 95 times of 100."""
    draw = random.Random(4)
    hits = 0
    for _ in range(300):
        _, low, high = measure.interval(rounds(draw, effect, 0.05, 8))
        hits += low <= effect <= high
    assert 0.92 <= hits / 300 <= 0.98


def test_verdict_finds():
    """10% is found in noise of 3%; no effect is found in 5% of cases at most, however
    many settings are looked at."""
    draw = random.Random(7)
    found = sum(measure.verdict(rounds(draw, 1.10, 0.03, 10)).startswith("+")
                for _ in range(100))
    assert found > 95
    wrong = sum(any(not measure.verdict(rounds(draw, 1, 0.03, 10), 12).startswith("no diff")
                    for _ in range(12)) for _ in range(60))
    assert wrong <= 0.1 * 60


def test_too_few():
    """Two rounds are no measurement."""
    assert measure.verdict([1.1, 1.1]) == "too few rounds"
