# SPDX-License-Identifier: GPL-2.0
"""The builds of make check-configs, and that they can fail."""

import dataclasses
import json
import subprocess

import pytest

import configs
from common import BASE, mutant, mutants, patched
from harness import paths


def build(name):
    """The Build of a name."""
    return next(b for b in configs.builds(BASE, 1, configs.table()) if b.name == name)


def test_quick():
    """Kernels without PCI, and with the generic back end where the architecture has
    one of its own.  Those that are linked are judged, and not excused by vanilla's."""
    assert subprocess.run([configs.__file__, "--bases", BASE, "--quick"]).returncode == 0
    found = json.loads((paths.BUILD / "results/check-configs-quick.json").read_text())
    linked = [b for b in found["builds"] if b["linked"]]
    assert linked and all(b["outcome"] == "ok" and b["objects"] for b in linked), linked


@pytest.mark.slow
@mutants("configs")
def test_config_mutant(gone):
    """A tree that breaks a configuration is found, by the object or symbol."""
    # the objects and their symbols tell, the whole kernel need not be linked
    one = dataclasses.replace(build(gone["config"]), vmlinux=False)
    with mutant(gone) as tree:
        outcome = configs.built(BASE, one, configs.Sources(BASE), 0, tree)
    assert outcome.outcome == "failed"
    assert any(gone["found"] in bad for bad in outcome.bad), outcome.bad


@pytest.mark.slow
@mutants("same")
def test_same_mutant(gone):
    """An object that has code for an option that is off is found."""
    patched("--fixes")
    with mutant(gone) as tree:
        outcome = configs.compared(BASE, build(gone["config"]),
                                   configs.Sources(BASE), ("fixes", tree))
    assert (outcome.outcome, outcome.bad) == ("failed", [gone["found"]])


def test_numbered_statics(tmp_path):
    """The numbers that gcc gives to static data do not count, their order does."""
    def text(*names):
        tool = tmp_path / "objdump"
        tool.write_text("#!/bin/sh\necho; echo x.o: format; echo; " + "; ".join(
            f"echo '00000074 R_PARISC_DPREL21L  {name}'" for name in names))
        tool.chmod(0o755)
        return configs.contents(tool, "x.o")
    assert text("CSWTCH.84", "CSWTCH.9", "x.1") == text("CSWTCH.85", "CSWTCH.12", "x.4")
    assert text("CSWTCH.84", "CSWTCH.9") != text("CSWTCH.9", "CSWTCH.84")
    assert text("CSWTCH.84") != text("other.84")
    assert text(".L1240", ".L7+0x13") == text(".L1239", ".L6+0x13")
    assert text(".L1", ".L2") != text(".L2", ".L1")


def test_lost():
    """Options that the final .config has not are seen, also those that are not to be."""
    config = "CONFIG_PCI=y\nCONFIG_A=m\n# CONFIG_B is not set\n"
    assert configs.lost(config, ("PCI=y", "A=m", "B=n", "C=n")) == []
    assert configs.lost(config, ("PCI=n", "A=y", "B=y", "C=m")) == \
        ["PCI=n", "A=y", "B=y", "C=m"]
    assert configs.fragment(("A=m", "B=n")) == "CONFIG_A=m\n# CONFIG_B is not set\n"


def test_group_without_options(capsys):
    """A group of which each configuration lost the options has tested nothing."""
    one, two = build("x86_64-allnoconfig-nopci"), build("x86_64-allnoconfig-core")
    good, gone = configs.Outcome("ok", 1), configs.Outcome("lost", bad=["IO_CHECK=y"])
    name = "check-configs-test"
    assert configs.report({(BASE, one): good, (BASE, two): good}, name)
    assert not configs.report({(BASE, one): good, (BASE, two): gone}, name)
    assert "core: no configuration has the options" in capsys.readouterr().err
    assert not configs.report({(BASE, one): configs.Outcome("failed")}, name)
    (paths.BUILD / "results" / f"{name}.json").unlink()


def test_failed_targets():
    """A failed make names its objects."""
    text = ("  CC      drivers/ras/ras.o\nmake[3]: *** [../scripts/Makefile.build:250: "
            "drivers/ras/ras.o] Error 1\nmake[2]: *** [../scripts/Makefile.build:500: "
            "drivers/ras] Error 2\n")
    assert configs.Failed("make vmlinux", text).bad == ["drivers/ras", "drivers/ras/ras.o"]
    assert configs.Failed("make vmlinux", "make: nothing").bad == ["make vmlinux"]


def test_known_outcomes(tmp_path, monkeypatch, capsys):
    """A build is made again after its entry or what its architecture has of the series
    changed, and only then.  It says when it begins: it can take half an hour."""
    made, said = [], ""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    monkeypatch.setattr(configs, "built", lambda base, build, *_: made.append(
        build.name) or configs.Outcome("ok", 7))
    one, sources = build("x86_64-allnoconfig-nopci"), configs.Sources(BASE)

    def changed(path):
        assert path in sources.touched
        file = tmp_path / BASE / "patched" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("something else")
        return one

    for change, builds in (
            (lambda: one, 1), (lambda: one, 1),
            (lambda: dataclasses.replace(one, options=("PCI=y",)), 2),
            (lambda: one, 3),
            (lambda: changed("arch/parisc/kernel/io_check.c"), 3),
            (lambda: changed("drivers/pci/io_check.c"), 4)):
        assert configs.run(BASE, change(), sources, 0).objects == 7
        assert len(made) == builds
        said += capsys.readouterr().out
        assert said.count(f"{BASE} {one.name}: begun\n") == builds
