# SPDX-License-Identifier: GPL-2.0
"""A boot as a job of a LAVA test farm.

Kernel, initramfs and disks are artifacts.  A case of the boot's KTAP is a case of the
job, on the guest's console; one that is missing fails, and so does a kernel that does not
panic where it has to.  The jobs follow LAVA's schema (lava_common/schemas).
"""

import gzip
import hashlib
import re
import shlex
import shutil
from pathlib import Path

from .boots import Recorded
from .guest import Disk

# LAVA's words for the emulators' architectures, where they differ
LAVA_ARCH = {"aarch64": "arm64"}
# Options that the farm gives, or that are the bench's own, each with one word
FARM = ("-display", "-nic", "-serial", "-monitor", "-d", "-D", "-trace")
# Options that a device's template has from the job's context
CONTEXT = {"-M": "machine", "-cpu": "cpu", "-m": "memory"}
# A worker may be slower than the bench's machine, or have neighbours
PATIENCE = 3


def case_id(name: str) -> str:
    """A case's name as LAVA writes it, which it compares with what is expected."""
    return re.sub(r"\W+", "_", name.strip().lower())


def left(boot: Recorded) -> str:
    """Why it stays with the bench, or ""."""
    if boot.what["beside"]:
        return f"needs {boot.what['beside']} beside QEMU"
    if boot.what["outcome"] not in ("completed", "panic"):
        return f"ended otherwise: {boot.what['outcome']}"
    if boot.what["outcome"] == "panic" and not boot.may_panic:
        return "panicked, and only its test knows whether it has to"
    if boot.what["outcome"] == "completed" and not boot.cases():
        return "no case in its KTAP"
    return ""


class Artifacts:
    """Files that jobs deploy, each once, named by content."""

    def __init__(self, out: Path, prefix: str):
        self.out = out
        self.prefix = prefix.rstrip("/")
        self.known = {}
        out.mkdir(parents=True, exist_ok=True)

    def url(self, file: Path) -> str:
        """Where a worker gets a file from; it is put there."""
        key = file, file.stat().st_mtime_ns
        if key not in self.known:
            with open(file, "rb") as data:
                digest = hashlib.file_digest(data, "sha256").hexdigest()
            name = f"{digest[:16]}-{file.name}"
            if not (self.out / name).exists():
                shutil.copyfile(file, self.out / name)
            self.known[key] = f"{self.prefix}/{name}"
        return self.known[key]

    def blank(self) -> str:
        """A blank disk, as each boot begins with, compressed."""
        file = self.out / f"blank-{Disk.MIB}M.raw.gz"
        if not file.exists():
            file.write_bytes(gzip.compress(bytes(Disk.MIB << 20), mtime=0))
        return f"{self.prefix}/{file.name}"


def deployed(boot: Recorded, artifacts: Artifacts) -> tuple[dict, dict, list[str]]:
    """(images, context, other options) of QEMU's command line."""
    images, context, options = {}, {}, []
    words = iter(boot.command[1:])
    append = ""
    for word in words:
        if word in FARM:
            next(words)
        elif word in CONTEXT:
            context[CONTEXT[word]] = next(words)
        elif word in ("-kernel", "-initrd"):
            images[word[1:]] = {"image_arg": f"{word} {{{word[1:]}}}",
                                "url": artifacts.url(Path(next(words)))}
        elif word == "-append":
            append = next(words) + " bench.console=1 printk.devkmsg=on"
            if boot.what["outcome"] == "panic":
                # one that restarts closes the console before its last words are read
                append = append.replace("panic=-1", "panic=0")
        elif word == "-drive":
            drive = next(words)
            disk = re.search(r"\bid=(\w+)", drive)[1]
            images[disk] = {
                "image_arg": f"-drive {re.sub(r'file=[^,]+', f'file={{{disk}}}', drive)}",
                "url": artifacts.blank(), "compression": "gz"}
        elif word == "-chardev":
            device = next(words)
            if "id=console," not in device:
                # a null device never connects, and the guest waits for its port
                options += [word, re.sub(r"^file,(id=\w+),.*", r"file,\1,path=/dev/null", device)]
        else:
            options.append(word)
    images["kernel"]["image_arg"] += f" -append {shlex.quote(append)}"
    return images, context, [shlex.quote(word) for word in options]


def job(boot: Recorded, artifacts: Artifacts) -> dict:
    """A LAVA job of a boot."""
    images, context, options = deployed(boot, artifacts)
    arch = Path(boot.command[0]).name.removeprefix("qemu-system-")
    seconds = round(PATIENCE * boot.what["timeout"])
    if boot.what["outcome"] == "panic":
        monitor = {"name": "panic", "start": "Linux version", "end": r"end Kernel panic",
                   "pattern": f"(?P<test_case_id>(?P<result>{re.escape(boot.panic())}))",
                   "fixupdict": {boot.panic(): "pass"},
                   "expected": [case_id(boot.panic())]}
    else:
        monitor = {"name": boot.what["run"][0].replace(":", "-"),
                   "start": "bench: ", "end": "bench: done",
                   "pattern": r"bench: case (?P<test_case_id>\S+) (?P<result>pass|fail|skip)",
                   "expected": list(dict.fromkeys(case_id(case) for case, _ in boot.cases()))}
    return {
        "job_name": boot.name,
        "device_type": "qemu",
        "visibility": "public",
        "priority": "medium",
        "metadata": {key: boot.what[key] for key in ("base", "tree", "variant", "machine")},
        "context": {"arch": LAVA_ARCH.get(arch, arch), **context, "no_kvm": True,
                    "no_network": True, "extra_options": options},
        "timeouts": {"job": {"minutes": 10 + seconds // 60 + 1}, "action": {"seconds": 300},
                     "connection": {"seconds": seconds}},
        "actions": [
            {"deploy": {"to": "tmpfs", "timeout": {"seconds": 300}, "images": images}},
            {"boot": {"method": "qemu", "timeout": {"seconds": 300}}},
            {"test": {"timeout": {"seconds": seconds}, "monitors": [monitor]}},
        ],
    }
