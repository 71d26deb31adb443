#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compile the patched tree in many configurations: those of
kconfig/check-configs.toml.

A build has Kbuild's first .config, the options that are merged into it, and the
objects that are made: what the series touches, what includes a header that it touches,
of the directories that it touches also what does so indirectly, and a sample of what
does so elsewhere.  The other objects of these directories are compiled from vanilla's
text, and not made but in a group that is "whole".
It ends as

    ok       all objects were made, and the series' symbols are all defined
    lost     the final .config has not all of the options: not counted
    vanilla  the base alone fails in the same way
    failed   else

Outcomes are kept in build/BASE/configs: what had one is not built again until what the
architecture has of the series, the table's entry or this file changes.
build/results/check-configs.json has all of them; the exit status is 0 if none failed
and each group has counted.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from harness import arches, paths, results

sys.path.insert(0, str(paths.TOP / "scripts"))
import patchset as series  # noqa: E402  (after the path is set)

TABLE = paths.QEMU / "kconfig/check-configs.toml"
# Where a sample is taken from
POOL = ("kernel", "mm", "lib", "block", "drivers/base", "drivers/ras", "drivers/edac",
        "drivers/acpi", "drivers/firmware")
# The series' symbols, as nm shows them
OURS = re.compile(r"\.?_*(pci_|arch_)?(io_check|dma_hint)")
# for objects that differ in the numbers of their lines
NO_LINES = "KCFLAGS=-D__LINE__=0 -w"
OPTIONS = ("IO_CHECK", "DMA_HINTS")
# what toolchain.sh built
TOOLCHAINS = sorted(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")).glob(
    "io_check/toolchains/*/bin"))
# neither the user's choice of ARCH nor make's flags are Kbuild's
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in (
        "ARCH", "CROSS_COMPILE", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS",
        "V", "BASE")},
    "CCACHE_BASEDIR": str(paths.BUILD), "CCACHE_NOHASHDIR": "1",
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "PATH": os.pathsep.join([os.environ["PATH"], *map(str, TOOLCHAINS)]),
    "KBUILD_BUILD_USER": "io_check", "KBUILD_BUILD_HOST": "bench", "LC_ALL": "C"}


@dataclass(frozen=True)
class Build:
    """One configuration.

    name     of its log and its outcome
    karch, cross  Kbuild's ARCH and CROSS_COMPILE
    start    Kbuild's target for the first .config
    options  of the final .config, "NAME=VALUE"
    seed     of a random configuration, or 0
    The others are those of the table.
    """

    name: str
    arch: str
    karch: str
    cross: str
    start: str
    group: str
    options: tuple = ()
    vmlinux: bool = False
    compare: bool = False
    w1: bool = False
    whole: bool = False
    llvm: str = ""
    seed: int = 0

    @property
    def compiler(self):
        """The compiler's command."""
        return f"clang{self.llvm}" if self.llvm else f"{self.cross}gcc"

    def tool(self, name):
        """Command of one of the binutils, "nm" for instance."""
        return f"llvm-{name}{self.llvm}" if self.llvm else self.cross + name

    def without_series(self):
        """The same for a tree that has no option of the series."""
        return replace(self, options=tuple(
            o for o in self.options if not any(n in o for n in OPTIONS)))


@dataclass
class Outcome:
    """What became of a Build: objects made, seconds of wall time, and in bad the
    targets, symbols, warnings or options that it failed by."""

    outcome: str
    objects: int = 0
    seconds: int = 0
    bad: list = field(default_factory=list)


class Failed(Exception):
    """A make that failed; bad has its targets."""

    def __init__(self, what, text):
        super().__init__(what)
        self.bad = sorted(set(re.findall(
            r"^make.*\*\*\* \[\S+?:\d+: (\S+)\] Error", text, re.M))) or [what]


def table():
    """check-configs.toml."""
    return tomllib.loads(TABLE.read_text())


def toolchain(arch, tables):
    """(Kbuild's ARCH, prefix of the tools, bases that have it or "") of an
    architecture of the bench or the table."""
    if arch in tables["arch"]:
        return (*tables["arch"][arch][:2], "")
    env = arches.facts(arch)
    return env["KARCH"], env["CROSS"], env.get("BASES", "")


def entry(words, group, tables, seed=0):
    """The Build of "ARCH START" of a group of the table."""
    arch, start = words.split()
    wanted = tables["always"].get(arch, []) + [
        o for name in group.get("with", ()) for o in
        (tables["hardware"].get(arch, ()) if name == "hardware"
         else tables["sets"][name])] + group.get("set", [])
    # the last one of a name counts
    options = dict(o.split("=", 1) for o in wanted)
    return Build(
        f"{arch}-{start}-{group['label']}" + (f"-{seed}" if seed else ""), arch,
        *toolchain(arch, tables)[:2], start, group["label"],
        tuple(f"{n}={v}" for n, v in options.items()),
        **{key: group[key] for key in ("vmlinux", "compare", "w1", "whole", "llvm")
           if key in group}, seed=seed)


def builds(base, n, tables, quick=False):
    """The Builds of a base; n scales the number of random ones."""
    return [entry(words, group, tables, seed)
            for group in tables["group"] if base in group.get("bases", [base])
            for words in group["of"]
            if base in (toolchain(words.split()[0], tables)[2] or base).split()
            and (not quick or words.split()[0] in group.get("quick", ()))
            for seed in (range(1, n * group["seeds"] + 1) if "seeds" in group else [0])]


def fragment(options):
    """Lines of a .config for "NAME=VALUE"s."""
    return "".join(
        f"# CONFIG_{name} is not set\n" if value == "n" else f"CONFIG_{name}={value}\n"
        for name, value in (o.split("=", 1) for o in options))


def lost(config, options):
    """Those of the options that a .config's text has not."""
    have = dict(re.findall(r"^CONFIG_(\w+)=(.*)$", config, re.M))
    return [o for o in options
            if have.get(o.split("=", 1)[0], "n") != o.split("=", 1)[1]]


class Sources:
    """What a base's series touches in a tree, and who includes it."""

    def __init__(self, base):
        self.base = base
        self.patches = series.read_series(base)
        self.added = {a for p in self.patches for a in p.adds}
        self.touched = touched = {
            t for p in self.patches for t in p.touches} | self.added
        self.directories = sorted({os.path.dirname(t) for t in touched
                                   if t.endswith((".c", ".S"))
                                   and not t.startswith("tools/")})
        self.headers = {t for t in touched if t.endswith(".h")}
        self.tree = paths.BUILD / base / "vanilla"
        self.reaches = {}

    @staticmethod
    def name(header):
        """What stands after #include."""
        return re.sub(r"^(arch/\w+/)?include/", "", header)

    def includes(self, path):
        """What a file of the base includes, as it is written there."""
        file = self.tree / path
        return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]',
                          file.read_text(errors="replace"), re.M) if file.is_file() else []

    @staticmethod
    def concerns(path, karch):
        """Whether a kernel of an architecture is made of it."""
        return not path.startswith(("tools/", "Documentation/", "MAINTAINERS")) and (
            not path.startswith("arch/") or path.split("/")[1] == karch)

    def parts_of(self, karch):
        """Touched headers and directories of an architecture and of all."""
        return ({self.name(h) for h in self.headers if self.concerns(h, karch)},
                [d for d in self.directories if self.concerns(d, karch)])

    def digest(self, karch):
        """Of all that an architecture's kernel has of the series, with and without
        what is not a fix."""
        text = hashlib.sha256()
        for tree in ("fixes", "patched"):
            for path in sorted(self.touched):
                file = paths.BUILD / self.base / tree / path
                if self.concerns(path, karch) and file.is_file():
                    text.update(path.encode() + b"\0" + file.read_bytes() + b"\0")
        return text.hexdigest()

    def indirect(self, path, karch, seen=None):
        """Whether a file includes a touched header, at any depth."""
        key = karch, path
        if key not in self.reaches:
            self.reaches[key] = False    # of a circle
            wanted = self.parts_of(karch)[0]
            self.reaches[key] = any(
                name in wanted or any(self.indirect(f"{d}/{name}", karch) for d in (
                    "include", f"arch/{karch}/include"))
                for name in self.includes(path))
        return self.reaches[key]


class Tree:
    """A source tree of a base with the object directory of a Build."""

    def __init__(self, base, tree, build, extra=""):
        """extra is an argument for make; it has an object directory of its own."""
        self.src, self.build = paths.BUILD / base / tree, build
        # right below the sources, as kernel.sh has it: the compiler cache is shared
        self.obj = self.src / ("O.configs." + build.name + "@extra" * bool(extra))
        self.log = paths.BUILD / base / "configs" / f"{build.name}.{tree}.log"
        self.arguments = [
            f"ARCH={build.karch}", f"CROSS_COMPILE={build.cross}", "LOCALVERSION=",
            f"CC=ccache {build.compiler}", "HOSTCC=ccache gcc",
            f"CHECK={paths.QEMU / 'builds/sparse.sh'}",
            *([f"LLVM={build.llvm}"] if build.llvm else ()), *filter(None, [extra])]

    def make(self, *targets, keep_going=False, **env):
        """Run make; return its output, which goes to the log as well.

        Raise Failed, unless keep_going is true and make got to its targets.
        """
        command = ["make", "-C", self.src, f"O={self.obj}", f"-j{os.cpu_count()}",
                   *["-k"] * keep_going, *self.arguments, *targets]
        run = subprocess.run(command, env={**ENVIRONMENT, **env}, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, errors="replace")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "a") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{run.stdout}")
        if run.returncode and "-n" not in targets:
            raise Failed(" ".join(("make", *targets[:1])), run.stdout)
        return run.stdout

    def configure(self):
        """Make the .config; return the options that it lost."""
        shutil.rmtree(self.obj, ignore_errors=True)
        self.obj.mkdir(parents=True)
        self.log.unlink(missing_ok=True)
        wanted, config = self.obj / "wanted.config", self.obj / ".config"
        wanted.write_text(fragment(self.build.options))
        if self.build.start in ("allnoconfig", "allmodconfig", "randconfig"):
            self.make(self.build.start, KCONFIG_ALLCONFIG=str(wanted),
                      KCONFIG_SEED=hex(self.build.seed))
        else:
            self.make(self.build.start)
            with open(config, "a") as file:
                file.write(wanted.read_text())
            self.make("olddefconfig")
        return lost(config.read_text(), self.build.options)

    def would_make(self, directories):
        """The objects that Kbuild compiles in directories; the tree is prepared."""
        there = [f"{d}/" for d in directories if (self.src / d / "Makefile").is_file()]
        text = self.make("-n", *there, keep_going=True)
        return sorted(set(re.findall(r"echo '  (?:CC|AS)(?: \[M\])? +(\S+\.o)'", text)))

    def whole(self):
        """What the whole kernel is made by: modules fails where there can be none."""
        modular = "\nCONFIG_MODULES=y\n" in (self.obj / ".config").read_text()
        return ["vmlinux", *["modules"] * modular]

    def source(self, target):
        """Source of an object, or None."""
        return next((f for f in (target[:-1] + "c", target[:-1] + "S")
                     if (self.src / f).is_file()), None)

    def objects(self, sources, sample):
        """Objects to make: see above; sample is how many at the most of the last kind."""
        headers, directories = sources.parts_of(self.build.karch)
        pool = [d for d in POOL if d not in directories]
        must, others = [], []
        for target in self.would_make(directories + pool):
            source = self.source(target)
            there = os.path.dirname(target) in directories
            far = bool(source) and sources.indirect(source, self.build.karch)
            if (headers & set(sources.includes(source or "")) or there and (
                    self.build.whole or far or source in sources.touched)):
                must.append(target)
            elif far:
                others.append(target)
        draw = random.Random(self.build.name)
        return must + draw.sample(others, min(sample, len(others)))

    def undefined(self, targets):
        """The series' symbols that objects want and none defines."""
        there = [t for t in targets if (self.obj / t).is_file()]
        text = subprocess.run([self.build.tool("nm"), *there], cwd=self.obj, text=True,
                              capture_output=True).stdout
        found = {(kind == "U", name) for kind, name in
                 re.findall(r"(\w) (\S+)$", text, re.M) if OURS.match(name)}
        # bounds of sections are the linker script's
        script = self.src / "arch" / self.build.karch / "kernel/vmlinux.lds.S"
        if script.is_file():
            found |= {(False, name) for name in
                      re.findall(r"^\s*(\w+) = \.;", script.read_text(), re.M)}
        return sorted(name for wanted, name in found
                      if wanted and (False, name) not in found)

    def complaints(self, targets):
        """What W=1 and sparse say of the sources of targets."""
        for target in targets:
            (self.obj / target).unlink(missing_ok=True)
        text = self.make("W=1", "C=2", *targets) if targets else ""
        mine = {self.source(t) for t in targets}
        return sorted({f"{file}: {what}" for file, what in re.findall(
            r"^(?:\.\./)?(\S+?):\d+(?::\d+)?: (?:warning|error): (.*)$", text, re.M)
            if file in mine})

    def remove(self):
        """Remove the objects."""
        shutil.rmtree(self.obj, ignore_errors=True)


def contents(objdump, file):
    """Sections and relocations of an object as text, without its header.

    gcc numbers static data, CSWTCH.7 for instance, and labels, and counts declarations;
    here those of a name count from 0.
    """
    text = subprocess.run([objdump, "-s", "-r", file], check=True, capture_output=True,
                          text=True).stdout.split("\n", 3)[3]
    numbered = re.compile(r"(R_\S+ +)([A-Za-z_]\w*\.|\.L)(\d+)")
    numbers = {}
    for _, name, number in numbered.findall(text):
        numbers.setdefault(name, set()).add(int(number))
    return numbered.sub(lambda m: f"{m[1]}{m[2]}{sorted(numbers[m[2]]).index(int(m[3]))}",
                        text)


def differing(trees, targets):
    """The targets whose objects differ between two Trees."""
    return [t for t in targets if not (trees[0].obj / t).is_file() or
            (trees[0].obj / t).read_bytes() != (trees[1].obj / t).read_bytes()]


def compared(base, build, sources, names=("fixes", "patched")):
    """Outcome of a Build whose objects must be the same in two trees of the base."""
    trees = [Tree(base, name, build) for name in names]
    targets = []
    for tree in trees:
        missing = tree.configure()
        if missing:
            return Outcome("lost", bad=missing)
        tree.make("prepare")
        targets = targets or tree.objects(sources, 0)
        tree.make(*targets, keep_going=True)
    bad = differing(trees, targets)
    if bad:
        again = [Tree(base, name, build, NO_LINES) for name in names]
        for tree in again:
            tree.configure()
            tree.make("prepare")
            tree.make(*bad, keep_going=True)
        # a declaration more may change the order of the symbol table, no more
        bad = [t for t in differing(again, bad) if len({
            contents(build.tool("objdump"), tree.obj / t) for tree in again}) > 1]
        for tree in again:
            tree.remove()
    for tree in trees:
        tree.remove()
    return Outcome("failed" if bad else "ok", len(targets), bad=bad)


def vanilla_fails(base, build, targets, bad):
    """Whether the base alone fails in all of the bad targets."""
    tree = Tree(base, "vanilla", build.without_series())
    try:
        tree.configure()
        tree.make("prepare")
        theirs = [t for t in targets if t in ("vmlinux", "modules") or tree.source(t)]
        if theirs:
            tree.make(*theirs, keep_going=True)
    except Failed as e:
        return set(bad) <= set(e.bad)
    finally:
        tree.remove()
    return False


def built(base, build, sources, sample, tree="patched"):
    """Outcome of a Build of a tree of the base."""
    tree = Tree(base, tree, build)
    missing = tree.configure()
    if missing:
        tree.remove()
        return Outcome("lost", bad=missing)
    targets = ["prepare"]
    try:
        tree.make("prepare")
        targets = tree.whole() if build.vmlinux else tree.objects(sources, sample)
        if targets:     # make without one would make all
            tree.make(*targets, keep_going=True)
    except Failed as e:
        outcome = "vanilla" if vanilla_fails(base, build, targets, e.bad) else "failed"
        return Outcome(outcome, bad=e.bad)
    # the linker and modpost have looked
    bad = [] if build.vmlinux else tree.undefined(targets)
    count = sum(1 for _ in tree.obj.rglob("*.o")) if build.vmlinux else len(targets)
    if build.w1:
        bad += tree.complaints([f"{a[:-2]}.o" for a in sources.added
                                if (tree.obj / f"{a[:-2]}.o").is_file()])
    if not bad:
        tree.remove()
    return Outcome("failed" if bad else "ok", count, bad=bad)


def key(base, build, sources, sample):
    """What an outcome depends on, as a digest."""
    version = subprocess.run([build.compiler, "--version"], env=ENVIRONMENT,
                             capture_output=True, text=True).stdout.split("\n")[0]
    text = json.dumps([sources.digest(build.karch), asdict(build), sample, version,
                       series.package(base)[0], Path(__file__).read_text()])
    return hashlib.sha256(text.encode()).hexdigest()


def run(base, build, sources, sample):
    """Make a Build, unless it is known; return its Outcome."""
    record = paths.BUILD / base / "configs" / f"{build.name}.json"
    now = key(base, build, sources, sample)
    if record.is_file():
        known = json.loads(record.read_text())
        if known.pop("key") == now:
            return Outcome(**known)
    print(f"  CONFIG  {base} {build.name}: begun", flush=True)
    start = time.monotonic()
    try:
        outcome = (compared(base, build, sources) if build.compare else
                   built(base, build, sources, sample))
    except Failed as e:
        outcome = Outcome("failed", bad=e.bad)
    outcome.seconds = round(time.monotonic() - start)
    record.parent.mkdir(parents=True, exist_ok=True)
    if outcome.outcome != "failed":
        record.write_text(json.dumps({**asdict(outcome), "key": now}, indent=1))
    return outcome


def report(outcomes, name):
    """Write the results NAME.json of {(base, Build): Outcome}; whether all is well."""
    groups = {}
    for (base, build), outcome in outcomes.items():
        groups.setdefault((base, build.group), []).append(outcome.outcome)
    empty = [f"{base} {group}: no configuration has the options"
             for (base, group), found in groups.items() if set(found) == {"lost"}]
    count = {name: sum(o.outcome == name for o in outcomes.values())
             for name in ("ok", "vanilla", "failed", "lost")}
    for text in empty:
        print(f"check-configs: FAILED: {text}", file=sys.stderr)
    results.write(name, not count["failed"] and not empty, {
        "counts": count,
        "builds": [{"base": base, "architecture": build.arch,
                    "configuration": build.name, "group": build.group,
                    "compiler": build.compiler,
                    "linked": build.vmlinux, **asdict(outcome)}
                   for (base, build), outcome in outcomes.items()]})
    print(f"{len(outcomes)} builds: " + ", ".join(f"{n} {name}" for name, n in
                                                 count.items()))
    return not count["failed"] and not empty


def chosen(args):
    """(base, Build) pairs that the command line asks for."""
    tables = table()
    pairs = [(base, build) for base in args.bases.split()
             for build in builds(base, args.n, tables, args.quick)
             if fnmatch.fnmatch(build.name, args.only)]
    if not pairs:
        sys.exit(f"check-configs: no configuration is called '{args.only}'")
    shard, shards = map(int, args.shard.split("/"))
    return pairs[shard - 1::shards]


def main():
    """Build what is asked for; the exit status is 0 if none failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bases", default="6.1", help="by space")
    parser.add_argument("--only", default="*", help="pattern of names")
    parser.add_argument("--quick", action="store_true", help="what make check has")
    parser.add_argument("--shard", default="1/1", help="this part of the table")
    parser.add_argument("-n", type=int, default=2, help="random ones a start")
    parser.add_argument("--sample", type=int, default=20,
                        help="objects besides, 200 at the most")
    args = parser.parse_args()
    if not 0 <= args.sample <= 200:
        sys.exit(f"check-configs: a sample has 0 to 200 objects, not {args.sample}")
    pairs, sources = chosen(args), {}
    for base in args.bases.split():
        for more in ([], ["--fixes"]):
            subprocess.run([paths.SERIES, "patched", base, *more],
                           check=True)
        sources[base] = Sources(base)
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {pool.submit(run, base, build, sources[base], args.sample):
                (base, build) for base, build in pairs}
        for job in concurrent.futures.as_completed(jobs):
            base, build = jobs[job]
            outcome = outcomes[base, build] = job.result()
            print(f"  CONFIG  [{len(outcomes)}/{len(pairs)}] {base} {build.name}: "
                  f"{outcome.outcome}, {outcome.objects} objects, "
                  f"{outcome.seconds} s {' '.join(outcome.bad[:5])}", flush=True)
            if outcome.outcome == "failed":
                print(f"          log: build/{base}/configs/{build.name}.patched.log; "
                      f"repeat with: make check-configs BASE={base} "
                      f"CONFIGS={build.name}", flush=True)
    part = [*(["quick"] if args.quick else ()), *(["some"] if args.only != "*" else ()),
            *([args.shard.replace("/", "of")] if args.shard != "1/1" else ())]
    sys.exit(not report({pair: outcomes[pair] for pair in pairs},
                        "-".join(["check-configs", *part])))


if __name__ == "__main__":
    main()
