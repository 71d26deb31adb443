#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Checked loads of the first adapter's dead registers: guest/arm64/el2_contexts.c, and the
# traps of el2_traps.c.
#
# usage: traps.sh contexts|masked|store

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./ktap.sh

# the real-time clock of "virt" (QEMU's hw/arm/virt.c, VIRT_RTC), which lives
live=0x9010000

find_adapter
echo "1..1"
# shellcheck disable=SC2046
set -- "$1" $(sed -n "$((bar + 1))p" "$dev/resource")
memory_off
if [ "$1" = contexts ]; then
	insmod /modules/el2_contexts.ko dead="$2" 2> /dev/null
	# NAME: FAILED of READS; busybox loads what ends with an error once more
	dmesg | sed -n 's/.*el2_contexts: //p' > /tmp/contexts
	awk '$2 != $4 || !$2 { bad = 1 } END { exit bad || !NR || NR % 5 }' /tmp/contexts
	result $? "each read fails in each context" "$(cat /tmp/contexts)"
	awk '{ d += $2 } END { print "# figures detected=" d }' /tmp/contexts
	sed 's/^/# /' /tmp/contexts
else
	! insmod /modules/el2_traps.ko trap="$1" dead="$2" live=$live 2> /dev/null \
		stub="0x$(awk '$3 == "__io_check_ld32" { print $1 }' /proc/kallsyms)"
	result $? "a trap that ended"
fi
memory_on
finish
