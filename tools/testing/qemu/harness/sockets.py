# SPDX-License-Identifier: GPL-2.0
"""Unix sockets that QEMU listens on."""

import socket
import time
from pathlib import Path

CONNECT_S = 20      # until QEMU has its sockets


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
