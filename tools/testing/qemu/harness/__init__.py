# SPDX-License-Identifier: GPL-2.0
"""What boots a kernel in QEMU and says what was seen.

machines, drivers, arches  facts, from the files of the same names
guest       what a boot is: kernel, initramfs, disks, QEMU's command line
process     the emulator's run, and the Result
inject      exceptions raised from outside, by gdb; qmp: QEMU's monitor
objects     what nm, objdump and addr2line say of a kernel
ktap        what the guest says; timeline: a storm in guest time
results     tables and JSON of a target; seen: records of the fault matrix
report      HTML, CSV and plots
"""
