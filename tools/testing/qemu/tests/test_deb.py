# SPDX-License-Identifier: GPL-2.0
"""The Debian package of the patched kernel: it installs in a clean root, and what is
installed there boots and passes the tests.

The environment says of what: BENCH_BASE, BENCH_DEB, an architecture; make has built
the package.  The root has a shell of the build machine's, as dpkg runs the package's
scripts in it, and nothing else.
"""

import os
import re
import shutil
import subprocess

import pytest

from common import BASE, clean, green
from harness import arches, paths, process
from harness.guest import Boot, kernel_image
from harness.machines import MACHINES

pytestmark = pytest.mark.slow

ARCH = os.environ.get("BENCH_DEB", "ppc64el")
MACHINE = arches.facts(ARCH)["MACHINE"]
CLEAN = paths.BUILD / "deb/root"
# what Debian's initramfs-tools would be called as
HOOK = '#!/bin/sh\necho "$0 $1 $2 $INITRD" >> /hooks\n'


def field(deb, name):
    """A field of a package."""
    return subprocess.run(["dpkg-deb", "-f", deb, name], check=True, text=True,
                          capture_output=True).stdout.strip()


@pytest.fixture(scope="module")
def deb():
    """The package."""
    found = list((paths.BUILD / "deb").glob(f"linux-image-{BASE}.*_{ARCH}.deb"))
    assert len(found) == 1, f"not one package: {found}; make deb ARCH={ARCH}"
    return found[0]


def install(deb, root):
    """Install a package by dpkg in a root made anew; returns what dpkg did."""
    shutil.rmtree(root, ignore_errors=True)
    for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "bin", "tmp",
                 "etc/kernel/postinst.d"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    shutil.copy("/bin/busybox", root / "bin/busybox")
    for applet in ("sh", "run-parts"):
        (root / "bin" / applet).symlink_to("busybox")
    hook = root / "etc/kernel/postinst.d/hook"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    # dpkg changes its root directory and the files' owners
    dpkg = ["unshare", "--map-root-user"] if os.getuid() else []
    dpkg += ["dpkg", f"--root={root}", f"--log={root}/var/log/dpkg.log"]
    env = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin:/bin"}
    subprocess.run([*dpkg, "--add-architecture", field(deb, "Architecture")], check=True,
                   env=env)
    return subprocess.run([*dpkg, "-i", deb], text=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def status(root, package):
    """What the root's dpkg says of a package."""
    return subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f",
                           "${Status}", package], text=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def root(deb):
    """A clean root with the package."""
    done = install(deb, CLEAN)
    assert done.returncode == 0, done.stdout
    return CLEAN


def test_installed(deb, root):
    """dpkg has it as installed, its files are whole, and kernel hooks were called."""
    package = field(deb, "Package")
    release = package.removeprefix("linux-image-")
    assert release.startswith(f"{BASE}.") and release.endswith("-io-check")
    name = f"{package}:{field(deb, 'Architecture')}"
    assert status(root, name) == "install ok installed"
    image = kernel_image(None, None, root)
    assert image.name.endswith(f"-{release}")
    sums = (root / f"var/lib/dpkg/info/{package}.md5sums").read_text()
    subprocess.run(["md5sum", "--quiet", "--strict", "-c", "-"], cwd=root, input=sums,
                   text=True, check=True)
    assert f"boot/{image.name}" in sums and "/io_check_kunit.ko" in sums
    assert (root / "hooks").read_text() == (
        f"/etc/kernel/postinst.d/hook {release} /boot/{image.name} Yes\n")
    assert "io_check_kunit.ko" in (root / f"lib/modules/{release}/modules.dep").read_text()
    config = (root / f"boot/config-{release}").read_text()
    for option in ("IO_CHECK", "FUSION_IO_CHECK", "SCSI_SYM53C8XX_IO_CHECK"):
        assert f"CONFIG_{option}=y\n" in config


def run(root, name):
    """Boot what is installed in root: KUnit, by its module, and registers.sh."""
    return process.run(Boot(
        MACHINE, base=BASE, arch=ARCH, variant="on@deb", root=root,
        run=("kunit:io_check", "registers"),
        log=paths.BUILD / "check" / f"{MACHINE}-{ARCH}-{BASE}-{name}"))


def test_boots(root):
    """The installed kernel passes the suite, and detects each hit."""
    result = run(root, "deb")
    again = f"logs: {paths.short(result.console.parent)}"
    clean(result, again)
    release = kernel_image(None, None, root).name.split("-", 1)[1]
    assert f"Linux version {release} " in result.console.read_text(), again
    seen = result.figures()
    if MACHINES[MACHINE].faults:
        assert result.hits_in_bar() == seen["detected"] >= 1000, again
    assert seen["wrong"] == 0, again


# Negative tests

def test_other_modules_red(root, tmp_path):
    """The modules are the root's: of another release the kernel takes none."""
    copy = tmp_path / "root"
    shutil.copytree(root, copy, symlinks=True)
    modules = list(copy.glob("lib/modules/*/kernel/drivers/pci/**/io_check_*.ko"))
    assert {ko.stem for ko in modules} >= {"io_check_kunit", "io_check_test"}
    for ko in modules:
        whole = ko.read_bytes()
        other = re.sub(rb"(vermagic=[\d.]+-io-)check", rb"\1other", whole)
        assert other != whole
        ko.write_bytes(other)
    result = run(copy, "deb-other")
    assert result.outcome == "completed" and not green(result.ktap)
    assert "version magic" in result.console.read_text()


def test_damaged_red(deb, tmp_path):
    """A package that lost its end is not installed; without it nothing boots."""
    damaged = tmp_path / deb.name
    damaged.write_bytes(deb.read_bytes()[:-4096])
    done = install(damaged, tmp_path / "root")
    name = f"{field(deb, 'Package')}:{field(deb, 'Architecture')}"
    assert done.returncode and status(tmp_path / "root", name) != "install ok installed"
    with pytest.raises(SystemExit, match="0 kernels are installed"):
        run(tmp_path / "root", "deb-none")


def test_repeats(deb):
    """Made a second time the package is the same, byte by byte."""
    before = deb.read_bytes()
    subprocess.run([paths.TOP / "tools/testing/qemu/builds/deb.sh", BASE, ARCH], check=True)
    assert deb.read_bytes() == before
