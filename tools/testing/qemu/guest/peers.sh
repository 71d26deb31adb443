#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Reads of a register in each way that io_check_peers knows; a mark of the bench's
# plugin before and after each, on each CPU.
#
# usage: peers.sh CPUS LOOPS BAR OFFSET [WAY...]
#
# The register is the first adapter's; with BAR -1 it is memory, and with BAR ivshmem
# that of QEMU's ivshmem-plain, which is in its BAR 2.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./ktap.sh

cpus=$1 loops=$2 bar=$3 offset=$4
shift 4
[ $# -gt 0 ] || set -- empty readl8 session0 session1 session8 session64 2004 2005 eeh ones
file=/sys/kernel/debug/io_check_peers bdf=
if [ "$bar" = ivshmem ]; then
	for dev in /sys/bus/pci/devices/*; do
		case $(cat "$dev/vendor"):$(cat "$dev/device") in
		0x1af4:0x1110) bdf=${dev##*/} bar=2 ;;
		esac
	done
	[ -n "$bdf" ] || skip "no ivshmem-plain"
else
	find_device
fi

echo "1..1"
bad=0
for way; do
	if echo "$way $cpus $loops $bdf $bar $offset" > $file 2> /dev/null; then
		echo "# row $(cat $file)"
	elif [ "$way" != eeh ]; then	# not every architecture has it
		bad=1
	fi
done
result $bad "each way"
finish
