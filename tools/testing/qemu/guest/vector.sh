#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# An interrupt that no longer comes, as after the store of its vector got lost: entries of
# the MSI-X table hold an address that nobody has.  A command whose timer finds its
# completion has the controller reset, which writes the table.
#
# usage: vector.sh

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

# PCI 3.0, 6.7: the list of capabilities; 6.8.2: MSI-X, its enable bit and its table
at=$(byte "$dev" 52)
while [ "$at" != 0 ] && [ "$(byte "$dev" "$at")" != 17 ]; do
	at=$(byte "$dev" $((at + 1)))
done
[ "$driver" = nvme ] && [ "$at" != 0 ] && [ "$(byte "$dev" $((at + 3)))" -ge 128 ] ||
	skip "no NVMe controller with MSI-X"
table=$(($(byte "$dev" $((at + 4))) + 256 * $(byte "$dev" $((at + 5)))))
[ $((table % 8)) = $bar ] || skip "no table in the registers' BAR"

# a read and its time, in ms
read_ms()
{
	start=$(awk '{ print int($1 * 1000) }' /proc/uptime)
	# shellcheck disable=SC2086
	set -- $near
	dd if="/dev/$1" of=/dev/null bs=4k count=1 skip=$n iflag=direct 2> /dev/null ||
		return
	echo $(($(awk '{ print int($1 * 1000) }' /proc/uptime) - start))
}

echo "1..4"
command_timeout 3 "$near"
insmod /modules/io_check_test.ko
n=1
[ "$(read_ms)" -lt 2000 ]
result $? "a read is soon done"
# of all queues but the administrator's
for entry in 1 2 3 4; do
	access W $((table - table % 8 + 16 * entry)) 4 1 0xa0000000
	[ "$errors" = 0 ] || break
done
n=2 lost=$(read_ms)
[ "$lost" -ge 2000 ]
result $? "without its interrupt a read is slow" "$lost ms"
sleep 1
n=3 after=$(read_ms)
[ "$after" -lt 2000 ]
result $? "the next one is not" "$after ms"
dmesg | grep -q "io_check: an interrupt got lost"
result $? "which the kernel has said"
echo "# figures lost_ms=$lost after_ms=$after"
finish
