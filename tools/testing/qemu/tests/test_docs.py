# SPDX-License-Identifier: GPL-2.0
"""The documentation: what the kernel's own tools say of the series' files."""

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import PurePath

import pytest

import common
from common import BASE, PATCHES
from harness import paths

pytestmark = pytest.mark.slow

TREE = paths.BUILD / BASE / "patched"
ADDED = [f for p in PATCHES for f in p.adds]
ABI = [f for f in ADDED if f.startswith("Documentation/ABI/")]
# the books that hold them; the ABI files are part of the admin-guide
BOOKS = sorted({PurePath(f).parts[1] for f in ADDED
                if f.startswith("Documentation/") and f.endswith(".rst")} |
               ({"admin-guide"} if ABI else set()))


def about(files, log):
    """Lines of a log that name one of the files, as a path or a document."""
    names = [PurePath(f).stem if f.endswith(".rst") else f for f in files]
    return [line for line in log.replace(f"{TREE}/", "").splitlines()
            if any(n in line for n in names)
            # one book by itself knows no document of the others
            and "unknown document: '/" not in line]


def tool(*command):
    """Run a tool of the patched tree there; return what it prints."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run = subprocess.run(command, cwd=TREE, env=env, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


@pytest.fixture(scope="module", autouse=True)
def patched():
    """The tree as the series is now."""
    common.patched()


def validate(directory):
    """What get_abi.pl says of the ABI files in a directory of the tree."""
    return tool("perl", "scripts/get_abi.pl", "validate", "--dir", directory)


def test_abi():
    """The ABI files are valid."""
    assert ABI
    assert not about(ABI, validate("Documentation/ABI"))


def test_abi_red(tmp_path):
    """Without its description each ABI file is reported."""
    for name in ABI:
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((TREE / name).read_text().split("Description:")[0])
        assert about([name], validate(tmp_path)), name


def dangling(text):
    """Documents that a text names and the tree does not have."""
    return [f for f in re.findall(r"Documentation/[\w./-]*\w", text)
            if not (TREE / f).exists()]


def test_references():
    """The documents that the series' files name exist."""
    for name in ADDED:
        assert not dangling((TREE / name).read_text()), name
    assert dangling("see Documentation/io-check.rst.") == [
        "Documentation/io-check.rst"]


PAGE = """\
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io_check.h>
#include <linux/io_check_recovery.h>
#include <linux/module.h>
#include <linux/pci.h>

struct chip;
int chip_submit(struct chip *chip, u32 tag);

"""


def guide_page():
    """The driver on the guide's last page, whole."""
    guide = (TREE / "Documentation/driver-api/io-check.rst").read_text()
    page = re.search(r"^10\. All of it.*?code-block:: c\n\n(.*?)^\S", guide, re.M | re.S)
    return PAGE + textwrap.dedent(page[1]) + "module_pci_driver(chip_driver);\n"


def compiled(code, fails=False):
    """What the compiler says of a driver, with W=1; fails if it has to refuse it."""
    place = paths.BUILD / BASE / "page"
    place.mkdir(exist_ok=True)
    (place / "Makefile").write_text("obj-m := chip.o\n")
    (place / "chip.c").write_text(code)
    return common.kernel("patched", "x86_64", "on", f"M={place}", "chip.o", "W=1",
                         fails=fails)


def test_guide_compiles():
    """The driver on the guide's last page compiles, without a warning, also with its
    option off."""
    common.kernel("patched", "x86_64", "on")
    code = guide_page()
    assert "chip.c:" in compiled(code.replace("u32 id;\n\t", "u32 id, x;\n\t"))
    assert "chip.c:" not in compiled(code)
    assert "chip.c:" not in compiled("#define IO_CHECK_OFF\n" + code)


def test_option_takes_effect():
    """IO_CHECK_OFF after a header that had the option on, or the other way round, does
    not compile."""
    common.kernel("patched", "x86_64", "on")
    on, off = "#undef IO_CHECK_OFF\n", "#define IO_CHECK_OFF\n"
    late = "#include <ras/ras_event.h>\n"
    for first, then in (on, off), (off, on):
        log = compiled(first + late + then + guide_page(), fails=True)
        assert "define IO_CHECK_OFF before the first header" in log, log


def htmldocs(source, output, *books):
    """Everything that make htmldocs prints of the books."""
    shutil.rmtree(output, ignore_errors=True)	# what is up to date is silent
    return tool("make", "-C", source, "htmldocs", f"BUILDDIR={output}",
                f"SPHINXDIRS={' '.join(books)}")


def test_htmldocs():
    """No document and no kernel-doc comment of the series gives a warning."""
    log = htmldocs(TREE, paths.BUILD / BASE / "docs", *BOOKS)
    for book in BOOKS:
        assert f"source directory: {book}" in log
    assert not about(ADDED, log)


def test_htmldocs_red():
    """Faults in a document and in a kernel-doc comment are noticed."""
    book = TREE / "Documentation/io-check-doctored"
    book.mkdir(exist_ok=True)
    try:
        (book / "io_check.c").write_text(
            "/**\n * f() - do\n */\nvoid f(int x)\n{\n}\n")
        (book / "index.rst").write_text(
            "=\nx\n=\n\n``open\n\n"
            ".. kernel-doc:: Documentation/io-check-doctored/io_check.c\n")
        log = htmldocs(TREE, paths.BUILD / BASE / "docs-red", book.name)
    finally:
        shutil.rmtree(book)
    for name in ("index.rst", "io_check.c"):
        found = about([f"Documentation/{book.name}/{name}"], log)
        assert [line for line in found if "arning" in line.lower()], log
