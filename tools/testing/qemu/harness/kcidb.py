# SPDX-License-Identifier: GPL-2.0
"""Boots as a submission to KCIDB, the kernel's common database of test results.

The schema is kcidb_io's, version 5.3.  A case of a boot's KTAP is a test; a panic is one
as well, which passes if it is what the boot is for.  What a submission says of the kind of fault is the
tests' records of the fault matrix.
"""

import hashlib
import json
import re

from . import paths, results
from .boots import Recorded
from .document import Error
from .ktap import complete

VERSION = {"major": 5, "minor": 3}
EXCERPT = 16384     # characters, the schema's limit
STATUS = {"pass": "PASS", "fail": "FAIL", "skip": "SKIP"}


def kinds(base: str) -> dict[str, str]:
    """{KTAP file below build/: kind of fault} of the tests' records."""
    found = {}
    for file in (paths.BUILD / "results/seen").glob("*.json"):
        record = json.loads(file.read_text())
        if record["base"] == base:
            for cell in record["cells"]:
                found.update(dict.fromkeys(cell["ktap"], cell["kind"]))
    return found


def checkout(base: str, origin: str) -> dict:
    """The series on a base: the digest of its patches as the schema has it."""
    about = results.about(base)["about"]
    patches = sorted((paths.BUILD / base / "series").glob("*.patch"))
    if not patches:
        raise Error(f"no patches in build/{base}/series\nremedy: make series BASE={base}")
    sums = "".join(hashlib.sha256(p.read_bytes()).hexdigest() + "\n" for p in patches)
    digest = hashlib.sha256(sums.encode()).hexdigest()
    return {"id": f"{origin}:{digest}", "origin": origin, "patchset_hash": digest,
            "comment": f"linux-source-{base} {about['version']} with the series",
            "valid": True}


def build(boot: Recorded, parent: dict) -> dict:
    """The kernel of a boot."""
    what = boot.what
    obj = paths.object_dir(what["base"], what["tree"], what["arch"], what["variant"])
    config = (obj / ".config").read_text()
    compiler = re.search(r'CONFIG_CC_VERSION_TEXT="(.*)"', config)
    name = f"{what['tree']}-{what['arch']}-{what['variant']}"
    return {"checkout_id": parent["id"], "id": f"{parent['id']}-{name}",
            "origin": parent["origin"], "architecture": what["arch"], "config_name": name,
            **({"compiler": compiler[1]} if compiler else {}), "status": "PASS",
            "misc": {"config_sha256": hashlib.sha256(config.encode()).hexdigest(),
                     # vanilla's kernels are there to be seen to fail
                     "tree": what["tree"]}}


def tests(boot: Recorded, parent: dict, kind: str, logs: str) -> list[dict]:
    """The cases of a boot.  Raise Error if its log is missing, or ends in the middle."""
    what = boot.what
    for name in ("console.log", "results.ktap"):
        if not (boot.log / name).is_file() or name == "console.log" and not boot.console:
            raise Error(f"{paths.short(boot.log)}: no {name}")
    if what["outcome"] == "completed":
        if not complete(boot.ktap) or not boot.cases():
            raise Error(f"{paths.short(boot.log)}: results.ktap ends in the middle")
        cases = boot.cases()
    elif what["outcome"] == "panic":
        cases = [("panic", "pass" if boot.may_panic else "fail")]
    else:
        raise Error(f"{paths.short(boot.log)}: ended otherwise: {what['outcome']}")
    common = {
        "build_id": parent["id"], "origin": parent["origin"],
        "start_time": what["date"], "environment": {
            "comment": f"QEMU, {what['machine']}",
            "misc": {"machine": what["machine"], "command": " ".join(boot.command)}},
        "misc": {"fault_kind": kind},
        "log_excerpt": boot.console[-EXCERPT:].replace("\0", "")}
    if logs:
        common["log_url"] = f"{logs.rstrip('/')}/{boot.log.relative_to(paths.BUILD)}/console.log"
    digest = hashlib.sha256(boot.console.encode()).hexdigest()[:16]
    return [{"id": f"{parent['origin']}:{digest}-{n}", "status": STATUS[verdict],
             "path": f"io_check.{case}", **common}
            for n, (case, verdict) in enumerate(cases, 1)]


def submission(base: str, boots: list[Recorded], origin: str, logs: str) -> dict:
    """All of it.  Raise Error if a boot cannot be reported as it is.

    origin  the reporter's name in KCIDB
    logs    URL under which the directories of build/ can be read, or ""
    """
    parent, kind_of = checkout(base, origin), kinds(base)
    builds, every = {}, []
    for boot in boots:
        one = build(boot, parent)
        builds[one["id"]] = one
        ktap = str((boot.log / "results.ktap").relative_to(paths.BUILD))
        every += tests(boot, one, kind_of.get(ktap, "none"), logs)
    parent["start_time"] = min(boot.what["date"] for boot in boots)
    return {"version": VERSION, "checkouts": [parent], "builds": list(builds.values()),
            "tests": every}
