#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The report of io_check_board.ko, and what it refuses.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./ktap.sh

find_device
module=/modules/io_check_board.ko
[ -e $module ] || skip "no $module"

# says TEXT NAME ARGUMENT...: the module ends, and has said that
says()
{
	text=$1 name=$2
	shift 2
	dmesg -c > /dev/null
	! insmod $module "$@" 2> /dev/null && dmesg | grep -qF "$text"
	result $? "$name" "$(dmesg | tail -n 3)"
}

echo "1..9"
driver=$(basename "$(readlink "$dev/driver")")
says "has the driver $driver: unbind it first" "a function with a driver" device="$bdf"
echo "$bdf" > "$dev/driver/unbind"
says "it is DOMAIN:BUS:DEV.FN" "no function" device=
says "there is no ffff:00:1f.7" "a function that is not there" device=ffff:00:1f.7
says "has no BAR 5 of memory" "a BAR that is not there" device="$bdf" bar=5
says "has no BAR $bar of memory with a register at 0x7ffffffc" "an offset outside" \
	device="$bdf" bar="$bar" offset=0x7ffffffc
says "it is 1 to 1000000" "a count of none" device="$bdf" bar="$bar" count=0
command=$(od -An -tx1 -j4 -N2 "$dev/config")
says "100 reads: " "a report" device="$bdf" bar="$bar"
# busybox loads what ends with an error by the older system call as well: the last report
dmesg | awk '/io_check_board: a report/ { n = 0 }
	sub(/.*io_check_board: /, "# report ") { line[n++] = $0 }
	END { for (i = 0; i < n; i++) print line[i] }'
[ "$(od -An -tx1 -j4 -N2 "$dev/config")" = "$command" ]
result $? "the command register as it was"
! dmesg | grep -E 'BUG|WARNING|Oops'
result $? "no complaint of the kernel's"
found=$(dmesg | sed -n 's/.*reads: \([0-9]*\) failed.*/\1/p' | tail -n 1)
echo "# figures reads=100 detected=${found:-0}"
finish
