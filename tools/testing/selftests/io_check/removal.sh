#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The first adapter is removed by surprise, under verified I/O: the power of its
# slot goes off without a word to anybody.  Its driver has to give it up, and
# nothing beside it may suffer.
#
# usage: removal.sh [SECONDS]
#
# SECONDS (7) is the timeout of the disks' commands.  Where a write to a register
# that is not there is seen by nobody, that timeout may be the first to tell, so
# the driver has two seconds more.  The slot's power is a bit of the port above,
# and stays off.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

timer=${1:-7} limit=$((${1:-7} + 2))
[ -n "$far" ] || skip "no disk beside the adapter"

# The port whose slot the adapter is in: bit 8 of the capability's flags.
find_port()
{
	port=$(cd -P "$dev" && pwd -P)
	while port=${port%/*}; do
		[ -e "$port/config" ] || return 1
		express "$port" && [ $(($(byte "$port" $((at + 3))) & 1)) = 1 ] &&
			return 0
	done
}
find_port || skip "no slot above $bdf"
echo "# port ${port##*/}"

# Slot Control, upper byte: bit 2 the power off, bits 0 and 1 its indicator off
# (PCI Express 6.0, 7.5.3.10)
power_off()
{
	printf '\007' | dd of="$port/config" bs=1 seek=$((at + 25)) conv=notrunc 2> /dev/null
}

echo "1..7"
command_timeout "$timer" "$disks"
fill
storm /tmp/far "$far"
far_fio=$fio
storm /tmp/near "$near"
sleep 2
echo "<4>removal: power off" > /dev/kmsg
power_off
[ "$(byte "$dev" 0)" = 255 ]
result $? "it is gone" "vendor $(byte "$dev" 0)"
tries=0
until dmesg | grep -q 'io_check: it was removed' || [ $tries -gt $((5 * limit)) ]; do
	sleep 0.2
	tries=$((tries + 1))
done
took=$(dmesg | awk -F '[][]' '/removal: power off/ { first = $2 }
			      /io_check: it was removed/ { last = $2 }
			      END { printf "%d", last ? (last - first) * 1000 : 1e6 }')
[ "$took" -le $((limit * 1000)) ]
result $? "its driver gives it up" "after $took ms"
echo "# took $took ms"
# its threads end with an error, and soon
tries=0
while kill -0 $fio 2> /dev/null && [ $tries -lt 100 ]; do
	sleep 0.2
	tries=$((tries + 1))
done
grep -q 'err= 5' /tmp/near
result $? "its I/O fails" "$(grep 'err=' /tmp/near | tail -n 1)"
its_disks_are offline
driver=$(readlink "$dev/driver")
echo "$bdf" > "/sys/bus/pci/drivers/${driver##*/}/unbind" &&
	[ ! -e "$dev/driver" ] && [ ! -e "/sys/block/${near##* }" ]
result $? "unbound, its disks are gone"
sleep 2
kill $far_fio
wait $far_fio
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
