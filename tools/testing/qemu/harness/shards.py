# SPDX-License-Identifier: GPL-2.0
"""Shards of make check-all: which tests one has, and what several have found, as one."""

import collections
import json
import re
import shutil
from pathlib import Path

from . import paths, results
from .document import Error

COUNTS = ("passed", "failed", "error", "skipped")


def numbers(shard: str) -> tuple[int, int]:
    """K and N of "K/N"; raise ValueError if there is no such shard."""
    words = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", shard)
    k, n = map(int, words.groups()) if words else (1, 0)
    if k > n:
        raise ValueError(f"no shard {shard}; it is K/N, K from 1 to N")
    return k, n


def part(count: int, shard: str) -> tuple[int, int]:
    """The (first, last + 1) of count tests that a shard "K/N" has: neighbours, which
    share builds.  Raise ValueError if there is no such shard."""
    k, n = numbers(shard)
    return (k - 1) * count // n, k * count // n


def found(sources: list[Path]) -> dict[str, dict[int, tuple[Path, dict]]]:
    """{base: {K: (source, result)}} of the results of shards in build directories.

    Raise Error if one was changed, is there twice, or is not of the others' run.
    """
    shards = {}
    for source in sources:
        there = sorted((source / "results").glob("check-all-*of*-*.json"))
        if not there:
            raise Error(f"no result of a shard in {source}/results\n"
                        "remedy: make check-all SHARD=K/N there")
        for file in there:
            result = json.loads(file.read_text())
            if results.checksum(result) != result.get("sha256"):
                raise Error(f"{file}: was changed")
            about = result["about"]
            k, n = numbers(about["shard"])
            of_base = shards.setdefault(about["base"], {})
            if k in of_base:
                raise Error(f"{file}: shard {k}/{n} is in {of_base[k][0]} as well")
            for _, other in of_base.values():
                for what in ("version", "series"):
                    if about[what] != other["about"][what]:
                        raise Error(f"{file}: of {what} {about[what]}, and shard "
                                    f"{other['about']['shard']} of {other['about'][what]}")
                if n != numbers(other["about"]["shard"])[1]:
                    raise Error(f"{file}: shard {about['shard']}, beside "
                                f"{other['about']['shard']}")
                if result["collected"] != other["collected"]:
                    raise Error(f"{file}: {result['collected']} tests in all, beside "
                                f"{other['collected']} of shard {other['about']['shard']}")
            of_base[k] = source, result
    return shards


def records(source: Path, result: dict) -> list[dict]:
    """What a shard's tests saw of the fault matrix; raise Error if a KTAP file is gone or
    another one."""
    about, mine = result["about"], []
    for file in sorted((source / "results/seen").glob("*.json")):
        record = json.loads(file.read_text())
        if record["base"] != about["base"] or record["test"] not in result["tests"]:
            continue
        for cell in record["cells"]:
            ktaps = [source / name for name in cell["ktap"]]
            for ktap in ktaps:
                if not ktap.is_file():
                    raise Error(f"{file}: no {ktap}")
            if results.digest(ktaps) != cell["sha256"]:
                raise Error(f"{file}: not the KTAP that the test saw")
        mine.append({**record, "file": file.name})
    return mine


def take(source: Path, shard: str, record: dict) -> None:
    """Bring a record here, with its KTAP files."""
    for cell in record["cells"]:
        # tests of two shards may have a boot of the same name
        here = [Path("shards", shard.replace("/", "of"), name) for name in cell["ktap"]]
        for path, name in zip(here, cell["ktap"]):
            (paths.BUILD / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, paths.BUILD / path)
        cell["ktap"] = [str(path) for path in here]
    file = paths.BUILD / "results/seen" / record.pop("file")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n")


def merge(sources: list[Path]) -> None:
    """Make one result of the shards in build directories, and bring their records here.

    Raise Error, and change nothing, if a shard is missing or a test is in none or in two.
    """
    every, seen = found(sources), []
    for base, shards in every.items():
        n = numbers(shards[min(shards)][1]["about"]["shard"])[1]
        missing = [f"{k}/{n}" for k in range(1, n + 1) if k not in shards]
        if missing:
            raise Error(f"check-all on {base}: no shard {', '.join(missing)}")
        tests = collections.Counter(t for _, r in shards.values() for t in r["tests"])
        for test, times in tests.items():
            if times > 1:
                raise Error(f"check-all on {base}: {test} is in {times} shards")
        for k, (source, result) in shards.items():
            first, last = part(result["collected"], f"{k}/{n}")
            if len(result["tests"]) != last - first:
                raise Error(f"check-all on {base}: shard {k}/{n} in {source} has run "
                            f"{len(result['tests'])} of its {last - first} tests")
            seen += [(source, result["about"]["shard"], record)
                     for record in records(source, result)]
    for record in seen:
        take(*record)
    for base, shards in every.items():
        whole = [result for _, (_, result) in sorted(shards.items())]
        about = {**whole[0]["about"], "date": max(r["about"]["date"] for r in whole)}
        about["shard"] = f"all of {len(whole)}"
        count = {name: sum(r[name] for r in whole) for name in COUNTS}
        results.write(f"check-all-{base}", all(r["ok"] for r in whole), {
            "about": about, **count, "collected": whole[0]["collected"],
            "tests": {t: how for r in whole for t, how in r["tests"].items()}})
        print(f"  MERGE   {base}, {len(whole)} shards: " + ", ".join(
            f"{n} {name}" for name, n in count.items()))
