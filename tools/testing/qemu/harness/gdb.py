# SPDX-License-Identifier: GPL-2.0
"""QEMU's gdb stub.

The client speaks the few packets of gdb's remote protocol that injection takes (GDB
manual, appendix E) because gdb itself cannot be used: it writes all registers at once
where QEMU's hppa takes them one by one only.
"""

import re
import time

from .sockets import CONNECT_S, connect


class Gone(Exception):
    """The guest is: QEMU closed the socket."""


class Gdb:
    """QEMU's gdb stub."""

    def __init__(self, path):
        self.peer = connect(path)
        self.data = b""

    def send(self, packet):
        """Send a packet; the stub's acknowledgement is skipped by receive()."""
        body = packet.encode()
        try:
            self.peer.sendall(b"$" + body + b"#%02x" % (sum(body) & 255))
        except OSError as error:
            raise Gone from error

    def receive(self, seconds):
        """The next packet, or None in so many seconds."""
        end = time.monotonic() + seconds
        while True:
            match = re.search(rb"\$([^#]*)#..", self.data)
            if match:
                self.data = self.data[match.end():]
                self.peer.sendall(b"+")
                return match[1].decode()
            self.peer.settimeout(max(0.01, end - time.monotonic()))
            try:
                more = self.peer.recv(65536)
            except TimeoutError:
                return None
            except OSError as error:
                raise Gone from error
            if not more:
                raise Gone
            self.data += more

    def ask(self, packet):
        """Send a packet that has an answer, and return that."""
        self.send(packet)
        answer = self.receive(CONNECT_S)
        if answer is None or re.match(r"E\d\d$", answer):
            raise RuntimeError(f"gdb stub: {packet}: {answer}")
        return answer

    def go(self):
        """Let the guest run."""
        self.send("c")

    def stop(self):
        """Stop it, wherever it is."""
        self.peer.sendall(b"\x03")
        self.receive(CONNECT_S)
