# SPDX-License-Identifier: GPL-2.0
"""Unix sockets that QEMU listens on."""

import hashlib
import os
import socket
import tempfile
import time
from pathlib import Path

CONNECT_S = 20      # until QEMU has its sockets
PATH_BYTES = 107    # of a socket's address (unix(7))


def place(directory: Path, name: str) -> Path:
    """Where QEMU is to have a socket of a boot with this directory: there, or, if that
    path is too long, in the system's directory for temporary files."""
    path = directory / f"{name}.sock"
    if len(os.fsencode(path)) <= PATH_BYTES:
        return path
    digest = hashlib.sha1(os.fsencode(directory)).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"io_check-{os.getuid()}-{digest}.{name}")


def connect(path: Path) -> socket.socket:
    """A connected Unix socket, as soon as QEMU listens."""
    end = time.monotonic() + CONNECT_S
    while True:
        peer = socket.socket(socket.AF_UNIX)
        try:
            peer.connect(str(path))
            return peer
        except OSError:
            peer.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
