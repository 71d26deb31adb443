#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver of the first adapter is unbound while accesses fail.  In each second round of
# three there is no I/O: those fail that the unbinding itself makes.  In each third the
# first of them fails after the unbinding has begun, when nobody resets the adapter any
# more.  It has to end, and binding the driver again brings the disks back.
#
# usage: unbind.sh [-r] [ROUNDS]
#
# -r: the device itself is removed, by its file in sysfs, and found again.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

remove=
[ "$1" != -r ] || { remove=1; shift; }
rounds=${1:-6}
[ -n "$far" ] || skip "no disk beside the adapter"

burst()
{
	bursts -i -s $n -n 20 -l 20000:100000 -g 20000:200000 > /tmp/bursts &
	bursting=$!
}

echo "1..$((2 + 4 * rounds))"
hourly_limit 1000000
storm /tmp/far "$far"
far_fio=$fio
again=$near
n=0
while [ $n -lt "$rounds" ]; do
	n=$((n + 1))
	near=$again
	near_fio=
	if [ $((n % 3)) != 2 ]; then
		storm /tmp/near "$near"
		near_fio=$fio
	fi
	sleep 1
	if [ $((n % 3)) != 0 ]; then
		burst
		sleep 0.$n
	fi
	if [ -n "$remove" ]; then
		echo 1 > "$dev/remove" &
	else
		echo "$bdf" > "/sys/bus/pci/drivers/$driver/unbind" &
	fi
	unbinding=$!
	[ $((n % 3)) != 0 ] || burst
	ended $unbinding
	result $? "unbound while accesses failed"
	wait "$bursting"
	[ -z "$near_fio" ] || ended $near_fio
	result $? "the threads of its disks ended"
	if [ -n "$remove" ]; then
		[ ! -e "$dev" ]
		result $? "removed"
		echo 1 > /sys/bus/pci/rescan
		disks_are_back
	else
		rebind true
	fi
	hourly_limit 1000000
done
start_fio /tmp/again "$again" --rw=write --bs=256k
wait $fio
sound /tmp/again "$again"
result $? "its disks take I/O"
kill $far_fio
wait $far_fio
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors detected=$(counted)"
finish
