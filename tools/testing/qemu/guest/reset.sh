#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The PCI core resets the first adapter, as its file in sysfs asks: while it has nothing to
# do, under I/O, and in a recovery.  It forgets all; its disks stay, and wait for no timer.
#
# usage: reset.sh [TIMES]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

times=${1:-6}
[ -w "$dev/reset" ] || skip "no reset of $bdf"
case $driver in
# QEMU's asserts that no request is under way then (lsi_soft_reset())
sym53c8xx) ways=idle ;;
# its reset_prepare() waits for its recovery, and the end of a burst, which is written to
# configuration space from here, for the PCI core's reset
nvme) ways='idle busy' ;;
*) ways='idle busy recovering' ;;
esac

# nvme has handlers of its own, which are no recovery
recovered()
{
	[ "$driver" = nvme ] ||
		{ [ "$(cat "$dev/io_check/resets")" -gt "$before" ] && state_is ok; }
}

reset()
{
	echo 1 > "$dev/reset" && until_true 10 recovered
	result $? "reset while $way, and by the driver"
}

stop()
{
	kill "$fio"
	wait "$fio"
	sound /tmp/storm "$disks"
	result $? "the I/O is sound"
}

echo "1..$((2 + 3 * times))"
hourly_limit 1000000
fill
n=0
while [ $n -lt "$times" ]; do
	for way in $ways; do
		n=$((n + 1))
		[ $n -le "$times" ] || break
		before=$(cat "$dev/io_check/resets")
		if [ "$way" = idle ]; then
			reset
			storm /tmp/storm "$disks"
		else
			storm /tmp/storm "$disks"
			# shellcheck disable=SC2086
			goes_on "$(completed $near)"
			if [ "$way" = recovering ]; then
				bursts -i -s $n -n 20 -l 20000:100000 -g 20000:200000 > /tmp/bursts &
				bursting=$!
				until_true 3 state_is recovering ||
					result 1 "a recovery is under way"
			fi
			reset
			[ "$way" != recovering ] || wait "$bursting"
		fi
		sleep 1
		# shellcheck disable=SC2086
		goes_on $(($(completed $near) + 100))
		result $? "all threads go on, soon"
		stop
	done
done
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors resets=$(cat "$dev/io_check/resets")"
finish
