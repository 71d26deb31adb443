# SPDX-License-Identifier: GPL-2.0
"""Where things are."""

from pathlib import Path

TOP = Path(__file__).resolve().parents[4]
BUILD = TOP / "build"
QEMU = TOP / "tools/testing/qemu"
GUEST = QEMU / "guest"
SELFTESTS = TOP / "tools/testing/selftests/io_check"
SERIES = TOP / "scripts/series.py"


def object_dir(base: str, tree: str, arch: str, variant: str) -> Path:
    """Where builds/kernel.sh builds."""
    return BUILD / base / tree / f"O.{arch}.{variant}"


def short(path: Path) -> str:
    """A path as the repository's reader writes it."""
    path = Path(path)
    return str(path.relative_to(TOP) if path.is_relative_to(TOP) else path)
