#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The first adapter dies under verified I/O and stays dead: its register BAR is
# moved to where no bridge leads.  It has to go offline in time, and nothing
# beside it may suffer.  With the BAR back, binding the driver again brings
# the disks back.
#
# usage: death.sh [-u] [LIMIT]
#
# LIMIT (5) is the driver's: seconds without an answer until it gives up.  -u: it is not
# bound again.  Where the others are on its interrupt line they could not stand that:
# pci_enable_device() unmasks an interrupt that only the driver's reset ends.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

unbind=''
if [ "$1" = -u ]; then
	unbind=1
	shift
fi
limit=${1:-5}
param=/sys/module/io_check_recovery/parameters/dead_timeout
[ "$driver" != nvme ] || param=/sys/module/nvme/parameters/io_check_timeout
[ -n "$far" ] || skip "no disk beside the adapter"
skipped=
if [ -w $param ]; then
	echo "$limit" > $param
else
	skipped=" # SKIP no $param: a driver without a recovery"
fi

# a limit of no time at all, or of days, is refused and changes nothing
bad_limits()
{
	[ -z "$skipped" ] || return 0
	for bad in 0 3601 -1 soon; do
		! echo $bad 2> /dev/null > $param || return 1
	done
	[ "$(cat $param)" = "$limit" ]
}

# Base address register 0 is at offset 0x10 (PCI 3.0, 6.2.5.1)
at=$((16 + 4 * bar))
bar_read()
{
	od -An -tx1 -j$at -N4 "$dev/config" | sed 's/ \(..\)/\\x\1/g'
}

# with one access: byte by byte it would pass over other addresses, of the adapter's own
# memory for instance, and a chip that fetches registers for SCRIPTS writes anywhere
bar_write()
{
	printf '%b' "$1" | dd of="$dev/config" bs=4 seek=$((at / 4)) conv=notrunc 2> /dev/null
}

echo "1..$((unbind ? 8 : 9))"
bad_limits
result $? "bad limits are refused$skipped"
# where a write to a register that is not there is seen by nobody their timers tell
command_timeout 7 "$disks"
fill
storm /tmp/far "$far"
far_fio=$fio
storm /tmp/near "$near"
sleep 2
bar=$(bar_read)
echo "death: moving the BAR from $bar" > /dev/console
bar_write '\x00\x00\x00\x7e'
echo "death: BAR at $(bar_read)" > /dev/console
until_true $((limit + 10)) logged 'io_check: no answer for' 1
# by the kernel's clock, from the first failure: this shell has to wait its turn
took=$(dmesg | awk -F '[][]' '/io_check: (read|write) of/ && !first { first = $2 }
			      /io_check: no answer for/ { last = $2 }
			      END { printf "%d", last ? (last - first) * 1000 : 1e6 }')
[ "$took" -le $((limit * 1000 + 1000)) ]
result $? "offline within its limit" "after $took ms"
# its threads end with an error, and soon: of I/O, or of an open that comes after it
wait $fio
grep -q 'err= *[56]' /tmp/near
result $? "its I/O fails" "$(grep 'err=' /tmp/near | tail -n 1)"
its_disks_are offline
sleep 3
kill $far_fio
wait $far_fio
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
if [ -n "$unbind" ]; then
	echo "$bdf" > "$dev/driver/unbind"
	[ ! -e "$dev/driver" ]
	result $? "unbound"
	again=''
else
	rebind bar_write "$bar"
fi
start_fio /tmp/again "$again $far" --rw=write --bs=256k
wait $fio
sound /tmp/again "$again $far"
result $? "disks take I/O"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
