#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The fault matrix: on which machine which driver met which fault, and how.

Tests that pass leave records in build/results/seen (harness.seen).  This holds each
against its KTAP, brings it into docs/results/fault-matrix.csv, and writes the table of
docs/results.md and of Documentation/driver-api/io-check.rst from that.  A run of
some tests changes their lines alone; a test that failed loses its own.

What is built and was not run has a line for each kernel that builds/kernel.sh built,
with the kinds of faults that it has code for, by its .config.
"""

import argparse
import csv
import dataclasses
import io
import json
import re
import sys
from pathlib import Path

from harness import arches, ktap, paths, results, shards
from harness.document import Error, markdown, placed
from harness.drivers import DRIVERS
from harness.machines import MACHINES

LINES = paths.TOP / "docs/results/fault-matrix.csv"
NO, BUILT = "no", "built only"


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of fault.

    title   the table's
    how     what the cells say of it
    option  of the kernel, without which it has no code for it
    shown   what a KTAP has that met one: a figure above 0, or a case that passed
    stores  whether stores fail as well
    """

    title: str
    how: str
    option: str
    shown: str
    stores: bool = False


KINDS = {
    "dead": Kind("dead BAR", "real", "HAVE_ARCH_IO_CHECK", r"# figures .*\bdetected=(\d+)",
                 stores=True),
    # arm64's, delivered by the bench's own EL2
    "serror": Kind("dead BAR, as SError", "real, as SError", "ARM64",
                   r"# figures .*\bdetected=(\d+)"),
    "exception": Kind("exception from outside", "injected exception",
                      "HAVE_ARCH_IO_CHECK", r"# figures .*\bdetected=(\d+)", stores=True),
    "kernel": Kind("the kernel's own injection", "fault-injected",
                   "IO_CHECK_FAULT_INJECTION", r"# figures .*\binjections=(\d+)|^ *ok \d+ (test_inject_kinds)$"),
    "zeros": Kind("zeros", "real", "IO_CHECK", r"# figures .*\bdetected=(\d+)"),
    "aer": Kind("AER", "injected exception", "PCIEAER", r"# figures .*\brecovered=(\d+)"),
    "removal": Kind("surprise removal", "real", "HOTPLUG_PCI_PCIE",
                    r"^ *ok \d+ (it is gone)$"),
    "eeh": Kind("EEH", "real", "EEH", r"^ *ok \d+ (EEH recovers it)$"),
}
# driver: how the table calls it, and its option
ROWS = {"registers": ("registers alone", "IO_CHECK"),
        **{name: (driver.title, driver.option) for name, driver in DRIVERS.items()}}

NOTE = """\
Precise stores: QEMU faults stores as precisely as loads. Hardware posts stores: a
failed one is reported late or by other means, or not at all, and no session of the
store's sees it."""
# the documents that have the table
DOCUMENTS = [paths.TOP / "docs/results.md",
             paths.TOP / "Documentation/driver-api/io-check.rst"]


@dataclasses.dataclass(frozen=True, order=True)
class Line:
    """One of fault-matrix.csv.

    A test's: it met a fault of the kind, and sha256 is that of its KTAP files, one
    after the other.  A kernel's: how is BUILT, machine "-", kind the kinds that it
    has code for, test its image and sha256 the image's.
    """

    base: str
    machine: str
    arch: str
    driver: str
    kind: str
    how: str
    test: str
    sha256: str


FIELDS = [field.name for field in dataclasses.fields(Line)]


def bases():
    """The kernel bases."""
    return re.findall(r"^(\d\S*) ", (paths.TOP / "bases").read_text(), re.M)


def rows():
    """(base, machine, arch, driver) of all that the bench knows; the machine is "-"
    where QEMU has none."""
    found = []
    for base in bases():
        there = arches.in_base(base)
        pairs = [(m, a) for m, machine in MACHINES.items() if machine.knows(base)
                 for a in machine.arches if a in there]
        pairs += [("-", a) for a in there if a not in {arch for _, arch in pairs}]
        found += [(base, *pair, driver) for pair in pairs for driver in ROWS]
    return found


def shown(kind, texts):
    """How often KTAP texts show a fault of a kind."""
    return sum(int(m[m.lastindex]) if m[m.lastindex].isdigit() else 1
               for text in texts for m in re.finditer(KINDS[kind].shown, text, re.M))


def verify(base, cell):
    """Raise Error unless a cell's KTAP files are there, are what the test saw, and
    say themselves that all passed and that a fault was met."""
    files = [paths.BUILD / path for path in cell["ktap"]]
    for file in files:
        if not file.is_file():
            raise Error(f"no {file}")
    if not files or results.digest(files) != cell["sha256"]:
        raise Error(f"not the KTAP that the test saw: {' '.join(cell['ktap'])}")
    for file in files:
        if not ktap.green(file, base):
            raise Error(f"not all passed: {file}")
    if ktap.figures(*files) != cell["figures"]:
        raise Error(f"other figures than recorded: {' '.join(cell['ktap'])}")
    if not shown(cell["kind"], [file.read_text() for file in files]):
        raise Error(f"no fault of the kind {cell['kind']}: {' '.join(cell['ktap'])}")


def records():
    """Lines of the records, {(base, test): lines}; of a test that failed, none."""
    found = {}
    for path in sorted((paths.BUILD / "results/seen").glob("*.json")):
        record = json.loads(path.read_text())
        lines = found[record["base"], record["test"]] = []
        for cell in record["cells"] if record["passed"] else ():
            try:
                if cell["kind"] not in KINDS:
                    raise Error(f"no kind '{cell['kind']}'")
                verify(record["base"], cell)
            except Error as error:
                raise Error(f"{record['test']} on {record['base']}: {error}\n"
                            f"record: {path}") from None
            lines.append(Line(record["base"], cell["machine"], cell["arch"],
                              cell["driver"], cell["kind"], KINDS[cell["kind"]].how,
                              record["test"], cell["sha256"]))
    return found


def built():
    """Lines of the kernels that are here, {(base, image): lines}."""
    found = {}
    for base in bases():
        for arch in arches.in_base(base):
            obj = paths.object_dir(base, "patched", arch, "on")
            image = obj / "vmlinux"
            if not image.is_file():
                continue
            has = set(re.findall(r"^CONFIG_(\w+)=[ym]$", (obj / ".config").read_text(),
                                 re.M))
            kinds = " ".join(kind for kind, k in KINDS.items() if k.option in has)
            name, sha256 = str(image.relative_to(paths.BUILD)), results.digest([image])
            found[base, name] = [
                Line(base, "-", arch, driver, kinds, BUILT, name, sha256)
                for driver, (_, option) in ROWS.items() if option in has]
    return found


def known(lines):
    """Raise Error unless each line is of a row and a test that there are, once."""
    there = rows()
    for line in lines:
        what = f"fault-matrix.csv: {line.base} {line.test}: "
        if line.how == BUILT:
            good = ((line.base, line.arch) in {(b, a) for b, _, a, _ in there} and
                    line.driver in ROWS and set(line.kind.split()) <= set(KINDS))
        else:
            good = ((line.base, line.machine, line.arch, line.driver) in there and
                    line.kind in KINDS and line.how == KINDS[line.kind].how)
            file, _, name = line.test.partition("::")
            path = paths.QEMU / ("tests" if file.startswith("test_") else ".") / file
            if not path.is_file() or (
                    file.startswith("test_") and
                    f"def {name.split('[')[0]}(" not in path.read_text()):
                raise Error(what + "no such test")
        if not good:
            raise Error(what + "no such cell")
        if not re.fullmatch(r"[0-9a-f]{64}", line.sha256):
            raise Error(what + "no sha256")
    keys = [line[:-1] for line in map(dataclasses.astuple, lines)]
    if len(set(keys)) != len(keys):
        raise Error("fault-matrix.csv: a line twice")


def read(path):
    """The lines of a file."""
    with open(path, newline="") as file:
        table = csv.reader(file)
        if next(table, None) != FIELDS:
            raise Error(f"{path}: does not begin with {','.join(FIELDS)}")
        try:
            return [Line(*words) for words in table]
        except TypeError:
            raise Error(f"{path}: not {len(FIELDS)} fields a line") from None


def text(lines):
    """A file of lines."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(FIELDS)
    table.writerows(map(dataclasses.astuple, sorted(lines)))
    return file.getvalue()


def update(lines):
    """Bring the records and the kernels that are here into lines."""
    new = {**records(), **built()}
    kept = [line for line in lines if (line.base, line.test) not in new]
    return sorted([*kept, *(line for found in new.values() for line in found)])


def cells(lines):
    """{row: {kind: what the cell says}}, complete.

    Of what is built and was not run at all it says so, where the kernel has code
    for it; of another kind than those that were met, nothing is claimed.
    """
    met = {(li.base, li.machine, li.arch, li.driver, li.kind) for li in lines
           if li.how != BUILT}
    kernels = {(li.base, li.arch, li.driver): li.kind.split() for li in lines
               if li.how == BUILT}
    found = {}
    for row in rows():
        base, _, arch, driver = row
        has = kernels.get((base, arch, driver), ())
        some = any((*row, kind) in met for kind in KINDS)
        found[row] = {
            kind: k.how if (*row, kind) in met else
            BUILT if kind in has and not some else NO for kind, k in KINDS.items()}
    return found


def merged(found):
    """[(arch, machines, driver, bases, cells)]: rows that say the same are one."""
    by_machine, by_row = {}, {}
    order = dict.fromkeys((arch, machine) for _, machine, arch, _ in found)
    first = list(dict.fromkeys(arch for arch, _ in order))
    order = sorted(order, key=lambda pair: first.index(pair[0]))
    for arch, machine in order:
        for driver in ROWS:
            for base in bases():
                if (base, machine, arch, driver) in found:
                    says = tuple(found[base, machine, arch, driver].values())
                    by_machine.setdefault((arch, machine, driver, says), []).append(base)
    for (arch, machine, driver, says), there in by_machine.items():
        by_row.setdefault((arch, driver, tuple(there), says), []).append(machine)
    return [(arch, machines, driver, there, says)
            for (arch, driver, there, says), machines in by_row.items()]


def table(found, mark):
    """Header and lines of the table's words; mark is that of the note."""
    lines = [["architecture", "machine", "driver", "base",
              *(k.title for k in KINDS.values())]]
    for arch, machines, driver, there, says in merged(found):
        lines.append([arch, ", ".join(machines), ROWS[driver][0], ", ".join(there), *(
            word + mark * (word == k.how and k.stores)
            for word, k in zip(says, KINDS.values()))])
    return lines


def words(document, found):
    """The table as a document has it."""
    if document.suffix == ".rst":
        return rst(found)
    head, *lines = table(found, " (s)")
    return markdown(head, lines) + "\n\n(s) " + NOTE


def rst(found):
    """The table of the documentation."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(table(found, " [#stores]_"))
    head, *lines = file.getvalue().splitlines()
    note = NOTE.replace("\n", "\n   ")
    return "\n".join([".. csv-table::", f"   :header: {head}", "",
                      *(f"   {line}" for line in lines), "", f".. [#stores] {note}"])


def main():
    """Write the tables or look at them; the exit status is 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true",
                        help="whether the tables are what the records give; write nothing")
    parser.add_argument("--lint", action="store_true",
                        help="whether they are what fault-matrix.csv gives")
    parser.add_argument("--csv", type=Path, default=LINES)
    parser.add_argument("--shards", nargs="*", type=Path, default=[], metavar="DIR",
                        help="first bring the shards of check-all together, from the build "
                        "directories of other checkouts")
    args = parser.parse_args()
    try:
        if args.shards:
            shards.merge(args.shards)
        lines = read(args.csv)
        new = lines if args.lint else update(lines)
        known(new)
        found = cells(new)
        texts = {document: placed(document, "fault matrix", words(document, found))
                 for document in DOCUMENTS}
        if args.check or args.lint:
            for document, whole in texts.items():
                if document.read_text() != whole:
                    raise Error(f"{document.name}: its table is not what the "
                                f"{'lines' if args.lint else 'records'} give\n"
                                "remedy: make matrix")
            if args.lint and text(lines) != args.csv.read_text():
                raise Error(f"{args.csv}: not in order")
            return
        for line in sorted({line[:-1] for line in map(dataclasses.astuple, lines)} -
                           {line[:-1] for line in map(dataclasses.astuple, new)}):
            print(f"  LOST    {' '.join(line)}")
        args.csv.write_text(text(new))
        for document, whole in texts.items():
            document.write_text(whole)
        every = [word for row in found.values() for word in row.values()]
        print("  MATRIX  " + ", ".join(
            f"{every.count(word)} {word}" for word in dict.fromkeys(
                [*(k.how for k in KINDS.values()), BUILT, NO])))
    except Error as error:
        sys.exit(f"matrix: {error}")


if __name__ == "__main__":
    main()
