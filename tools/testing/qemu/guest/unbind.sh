#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver of the first adapter is unbound under I/O while accesses fail, whatever it is
# about to do.  That has to end, and binding the driver again brings the disks back.
#
# usage: unbind.sh [ROUNDS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

rounds=${1:-5}
[ -n "$far" ] || skip "no disk beside the adapter"

# ended PROCESS: within 90 s, three times the timer of a command
ended()
{
	tries=0
	while kill -0 "$1" 2> /dev/null; do
		[ $tries -lt 450 ] || return 1
		sleep 0.2
		tries=$((tries + 1))
	done
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
	storm /tmp/near "$near"
	near_fio=$fio
	sleep 1
	# some before, some after it begins
	./pci_burst -d "$bdf" -i -s $n -n 6 -l 20000:200000 -g 1000:100000 > /tmp/bursts &
	burst=$!
	sleep 0.$n
	echo "$bdf" > "/sys/bus/pci/drivers/$driver/unbind" &
	ended $!
	result $? "unbound while accesses failed"
	wait $burst
	ended $near_fio
	result $? "the threads of its disks ended"
	rebind hourly_limit 1000000
done
wait $near_fio
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
