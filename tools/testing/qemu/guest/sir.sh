#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A 53c8xx whose SCRIPTS got lost interrupts for a command that there is not: where its
# SCRIPTS go on when they are signalled there is an interrupt instruction, and DSA is 0.
#
# usage: sir.sh [REASON...]
#
# REASON is a SIR_* of sym_hipd.h (all).

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

WAIT_RESELECT=0x50000000	# and its target, when SIGP is set; see sym_defs.h
INT=0x98080000
[ "$driver" = sym53c8xx ] || skip "$bdf is no 53c8xx"
regs=$(sed -n 2p "$dev/resource" | cut -d ' ' -f 1)
ram=$(sed -n 3p "$dev/resource" | cut -d ' ' -f 1)
at=$((ram)) start=
while [ -z "$start" ] && [ $at -lt $((ram + 4096)) ]; do
	[ "$(devmem $at 32)" != $WAIT_RESELECT ] || start=$(devmem $((at + 4)) 32)
	at=$((at + 8))
done
[ -n "$start" ] || skip "no SCRIPTS in $ram"

[ $# -gt 0 ] || set -- 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
echo "1..$(($# + 2))"
hourly_limit 1000000
command_timeout 5 "$disks"
fill
for number; do
	first=$(devmem "$start" 32)
	second=$(devmem $((start + 4)) 32)
	echo "sir: $number" > /dev/kmsg
	# DSA, and SIGP in ISTAT (LSI53C895A manual, SCSI Registers)
	devmem $((regs + 0x10)) 32 0
	devmem $((start + 4)) 32 "$number"
	devmem "$start" 32 $INT
	devmem $((regs + 0x14)) 8 0x20
	devmem "$start" 32 "$first"
	devmem $((start + 4)) 32 "$second"
	start_fio /tmp/check "$near" --rw=read --bs=256k --number_ios=4
	wait $fio
	sound /tmp/check "$near"
	result $? "I/O goes on after interrupt $number"
done
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
