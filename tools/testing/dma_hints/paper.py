# SPDX-License-Identifier: GPL-2.0
"""Tables of G. Grundler, "DMA Hints on IA64/PARISC", Ottawa Linux Symposium 2003.

Units are the paper's: megabytes or megabits a second.  Rows are PCI commands,
columns prefetch depths in cache lines, block sizes in bytes, or mapping classes.
"""

# HP ZX1, sections 4.3 and 5: bytes of a cache line, and ns to deliver one
LINE_ZX1, LATENCY_ZX1 = 128, 110
# PA-RISC: the same
LINE_PARISC, LATENCY_PARISC = 64, 180
# 64 bits at 66 MHz: ns of a bus clock, and bytes it carries
CLOCK, WIDTH = 15, 8
# what firmware sets, section 5
DEPTH_DEFAULT, BLOCK_DEFAULT = 3, 4096

DEPTHS = (0, 1, 2, 3)
BLOCKS = (512, 1024, 2048, 4096)

# Table 6: 53c1010, MB/s, {(class, command): a cell for each depth or block}
TABLE6_DEPTH = {
    ("consistent", "MR"): (223, 219, 219, 224),
    ("consistent", "MRL"): (224, 223, 221, 224),
    ("consistent", "MRM"): (104, 168, 220, 223),
    ("streaming", "MR"): (218, 214, 223, 219),
    ("streaming", "MRL"): (221, 223, 216, 219),
    ("streaming", "MRM"): (216, 221, 214, 220),
}
TABLE6_BLOCK = {
    ("consistent", "MR"): (223, 223, 222, 223),
    ("consistent", "MRL"): (220, 218, 218, 221),
    ("consistent", "MRM"): (220, 221, 219, 220),
    ("streaming", "MR"): (216, 220, 208, 219),
    ("streaming", "MRL"): (215, 221, 221, 222),
    ("streaming", "MRM"): (218, 210, 224, 223),
}

# Table 5: 53c1010, MB/s, {(class, hint switched off): {command: cell}}
TABLE5 = {
    ("consistent", "order"): {"MR": 223, "MRL": 220, "MRM": 220, "NONE": 222},
    ("streaming", "order"): {"MR": 221, "MRL": 221, "MRM": 221, "NONE": 219},
    ("streaming", "read current"): {"MR": 220, "MRL": 214, "MRM": 208, "NONE": 217},
}

# Table 1: BCM5701, UDP_STREAM, 1024-byte messages, Mb/s, {class: {relaxed: cell}}
MESSAGE = 1024
# of UDP, IP and Ethernet, which the device fetches as well
HEADERS = 8 + 20 + 14
TABLE1 = {
    "consistent": {"NONE": 759.61, "MR": 759.09, "MRL": 759.99, "MRM": 759.68,
                   "ALL": 758.99},
    "streaming": {"NONE": 758.74, "MR": 760.67, "MRL": 759.70, "MRM": 797.19,
                  "ALL": 800.65},
}

# What cannot be had here, and why
NOT_HERE = {
    "Table 2": "BCM5704 on PCI-X: no such device, and no PCI-X in QEMU",
    "Table 3": "82546EB, UDP of a driver of 2003: network adapters are not this "
               "series', and emulated throughput says nothing",
    "Table 4": "82546EB, TCP and UDP: likewise",
    "Table 7": "53c1030 on PCI-X: QEMU's adapters have no PCI-X capability, and the "
               "paper saw no effect",
}
