# SPDX-License-Identifier: GPL-2.0
"""Places in the kernel that the series has to reach, and that no hunk tells of.

A kernel that has one more of them takes each patch as before.
"""

import re

from .files import git

# What a session of checked accesses waits for: io_check has to hear of each bit that
# somebody clears.  Device Status is not among them: io_check reads that of functions
# without AER, which AER does not clear.
STATUS = "PCI_STATUS|PCI_SEC_STATUS|PCI_ERR_UNCOR_STATUS"
CLEARS = re.compile(rf"\bpci_write_config_d?word\([^;]*?\b({STATUS})\b[^;]*;")
HEARS = re.compile(r"\bio_check_clear_(status|aer)\(")

# A register access that is not checked.  What a macro does is not seen: the drivers'
# macros are the series' own.
PLAIN = re.compile(r"\b((?:__raw_)?(?:read|write)[bwlq](?:_relaxed)?|(?:in|out)[bwl]|"
                   r"io(?:read|write)\d+(?:be)?|lo_hi_\w+|hi_lo_\w+|"
                   r"memcpy_(?:to|from)io|memset_io)\(")

CLEARED_IN = ("drivers/pci", "drivers/edac")
CHECKED_IN = ("drivers/pci/msi", "drivers/nvme/host/pci.c", "drivers/scsi/sym53c8xx_2",
              "drivers/message/fusion")

# What may stay, and why: (function, register or accessor)
QUIET = {
    ("pci_scan_bridge_extend", "PCI_STATUS"):
        "the bridge has no bus below it yet",
    ("pci_cardbus_scan_bridge_extend", "PCI_STATUS"):
        "the bridge has no bus below it yet",
    ("pci_clear_surpdn_errors", "PCI_STATUS"):
        "dpc_irq() has told of what was lost below",
    ("msix_mask_all", "writel"):
        "only without CONFIG_IO_CHECK",
    ("pci_msix_write_tph_tag", "readl"):
        "no driver that checks its accesses uses TPH",
}


def functions(text):
    """(name, body) of each function of C source in the kernel's style, without comments
    and macros."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.M)
    for part in re.split(r"^\}$", text, flags=re.M):
        head = re.findall(r"^[a-zA-Z][^\n;=]*?\b(\w+)\((?=[^;{}]*\)[^;{}]*^\{$)", part,
                          re.M)
        if head:
            yield head[-1], part


def unheard(text):
    """[(function, register)] of what C source clears without a word to io_check."""
    return [(name, register) for name, body in functions(text)
            for register in sorted(set(CLEARS.findall(body)))
            if not HEARS.search(body) and (name, register) not in QUIET]


def unchecked(text):
    """[(function, accessor)] of the plain register accesses in C source."""
    return [(name, accessor) for name, body in functions(text)
            for accessor in sorted(set(PLAIN.findall(body)))
            if (name, accessor) not in QUIET]


def unreached(repo, tree):
    """A line for each place of a tree, with the repository's patches, that is unheard()
    or unchecked()."""
    patched = set(git("ls-tree", "-r", "--name-only", repo.head,
                      cwd=repo.dir).decode().split())

    def sources(where):
        for file in sorted(f for top in where for f in (
                [tree / top] if (tree / top).is_file() else (tree / top).rglob("*.[ch]"))):
            path = str(file.relative_to(tree))
            yield path, (git("show", f"{repo.head}:{path}", cwd=repo.dir).decode()
                         if path in patched else file.read_text(errors="replace"))

    return [*(f"{path}: {name}() clears {register}, and io_check does not hear of it"
              for path, text in sources(CLEARED_IN) for name, register in unheard(text)),
            *(f"{path}: {name}() has a plain {accessor}()"
              for path, text in sources(CHECKED_IN) for name, accessor in unchecked(text))]
