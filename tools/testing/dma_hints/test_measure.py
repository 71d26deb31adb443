# SPDX-License-Identifier: GPL-2.0
"""measure.py on a directory that looks like sysfs, with an fio that says numbers."""

import pytest

import measure

FIO = """#!/usr/bin/python3
import json
with open("{log}", "a") as log:
    log.write(open("{hint}").read() + "\\n")
print(json.dumps({{"jobs": [{{"read": {{"bw_bytes": 5e6}}}}]}}))
"""


@pytest.fixture
def system(tmp_path):
    """A sysfs with one hint of each kind; returns what main() is told."""
    hints = tmp_path / "sys/bus/pci/devices/0000:00:05.0/dma_hints"
    for file in ("consistent/mrm/prefetch", "streaming/mr/prefetch",
                 "streaming/mrm/prefetch", "device/mwi", "reset"):
        (hints / file).parent.mkdir(parents=True, exist_ok=True)
        (hints / file).write_text("7")
    fio = tmp_path / "fio"
    fio.write_text(FIO.format(log=tmp_path / "log",
                              hint=hints / "consistent/mrm/prefetch"))
    fio.chmod(0o755)
    return tmp_path, hints, ["0000:00:05.0", "--disk", str(fio), "--settle", "0",
                             "--sysfs", str(tmp_path / "sys"), "--fio", str(fio),
                             "--output", str(tmp_path / "out"), "--repeats", "2"]


def test_sweep(system, capsys):
    """Each value is there while fio runs, and reset after it."""
    where, hints, argv = system
    measure.main([*argv, "--hints", "prefetch"])
    # NONE; then consistent MRM with four values, twice each
    assert (where / "log").read_text().split()[:10] == list("7700112233")
    assert (hints / "reset").read_text() == "1"
    out = capsys.readouterr().out
    assert "consistent MRM  5.0 ± 0.0" in out and "streaming ALL" in out
    assert "consistent ALL" not in out and "mwi" not in out and "QEMU" not in out
    assert (where / "out/measure.csv").read_text().count("prefetch,") == 4 * 4 * 2


def test_refused(system, capsys, monkeypatch):
    """A value that the kernel refuses is shown as its error, and the rest goes on."""
    _, _, argv = system
    write = measure.write

    def kernel(file, value):
        if (file.name, value) == ("mwi", "1"):
            raise measure.Refused("EIO")
        write(file, value)
    monkeypatch.setattr(measure, "write", kernel)
    measure.main([*argv, "--hints", "mwi"])
    assert "device  5.0 ± 0.0  EIO" in capsys.readouterr().out


def test_error_name(tmp_path):
    """The error's name is the kernel's."""
    with pytest.raises(measure.Refused, match="ENOENT"):
        measure.write(tmp_path / "no/file", "1")


def test_qemu(system, capsys):
    """Under QEMU it says what its numbers are worth."""
    where, _, argv = system
    vendor = where / "sys/block/sda/device/vendor"
    vendor.parent.mkdir(parents=True)
    vendor.write_text("QEMU    \n")
    measure.main([*argv, "--hints", "mwi"])
    assert "these numbers mean nothing" in capsys.readouterr().out


@pytest.mark.parametrize("change,error", [
    (("0000:00:05.0", "0000:00:06.0"), "no .*0000:00:06.0/dma_hints\nremedy"),
    (("--disk", "--disk=/dev/none"), "no disk"),
])
def test_bad_input(system, change, error):
    """Named, with the remedy, before anything is set."""
    where, hints, argv = system
    argv = [change[1] if word == change[0] else word for word in argv]
    if "--disk=/dev/none" in argv:
        del argv[argv.index("--disk=/dev/none") + 1]
    with pytest.raises(SystemExit, match=error):
        measure.main(argv)
    assert (hints / "reset").read_text() == "7" and not (where / "log").exists()


def test_unknown_hint(system):
    """The hints that there are, are named."""
    with pytest.raises(SystemExit, match="no hint 'speed'; there are: prefetch"):
        measure.main([*system[2], "--hints", "speed"])


