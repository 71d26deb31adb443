#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How a recovery, and what is told of errors, grows with what there is.
#
# usage: growth.sh WAY N [MASK]
#
# WAY is one of
#	threads	N threads without a pause write to the adapter's first disk, verified;
#		five bursts of 20 ms fail its accesses
#	disks, adapters, memory
#		the same with four threads on each disk; there are N of these, which
#		QEMU's command line has seen to
#	dead	N threads, and the adapter does not answer again
#	errors	N failed reads of a register, driver bound
# A burst takes the bits MASK of the command register away, 2 if none is given. With
# Bus Master among them commands may be lost as well, and none says so: the bursts do
# not wait for recoveries.
#
# A row of each: N, the commands that the disks had in flight, and the milliseconds
# of each recovery, or to offline and to the end of the last thread; or the lines of the
# kernel's log and the bytes of sysfs.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

way=$1 n=$2 mask=${3:-2}
BURSTS=5 DEAD=5
think=0 slow_think=0 jobs=4
# shellcheck disable=SC2086
set -- $near
case $way in
threads | dead)
	near=$1 jobs=$n
	depth=/sys/block/$1/device/queue_depth
	[ ! -w "$depth" ] || echo 1024 > "$depth" 2> /dev/null
	;;
esac
hourly_limit 1000000
[ "$mask" = 2 ] || { BURSTS=20; command_timeout 3 "$near"; }

# The disk has 60 MiB for them, each thread at least 60 KiB
share=$((60 * 1024 / jobs / 4 * 4))
[ $share -le 4096 ] || share=4096
io()
{
	start_fio /tmp/growth "$near" --rw=randwrite --bs=4k --verify_backlog=16 \
		--loops=1000000 --size=${share}k --offset_increment=${share}k
	# threads start one after the other
	until_true 60 completed_more "$jobs"
	sleep 2
}

in_flight()
{
	for name in $near; do
		cat "/sys/block/$name/inflight"
	done | awk '{ sum += $1 + $2 } END { print sum + 0 }'
}

# of the kernel's log; 0 if some have been dropped
lines()
{
	dmesg | awk '/Linux version/ { whole = 1 } END { print whole ? NR : 0 }'
}

now_ms()
{
	awk '{ print int($1 * 1000) }' /proc/uptime
}

# shellcheck disable=SC3045	# busybox has it
ulimit -n 4096

echo "1..1"
case $way in
dead)
	param=/sys/module/io_check_recovery/parameters/dead_timeout
	[ "$driver" != nvme ] || param=/sys/module/nvme/parameters/io_check_timeout
	echo $DEAD > $param
	io
	queued=$(in_flight) start=$(now_ms)
	# as death.sh does: the BAR is where no bridge leads
	printf '\000\000\000\176' | dd of="$dev/config" bs=4 seek=$((4 + bar)) \
		conv=notrunc 2> /dev/null
	wait $fio
	took=$(($(now_ms) - start))
	offline=$(dmesg | awk -F '[][]' '
		/io_check: (read|write) of/ && !first { first = $2 }
		/io_check: no answer for/ { last = $2 }
		END { printf "%d", last ? (last - first) * 1000 : 0 }')
	echo "# row way=dead n=$n queued=$queued limit=$((DEAD * 1000))" \
		"offline=$offline ended=$took"
	[ "$offline" -gt 0 ]
	;;
errors)
	insmod /modules/io_check_test.ko
	first=$(lines)
	memory_off
	failed=0 left=$n
	# a loop in the kernel without a pause: not for longer than a stall's warning
	while [ $left -gt 0 ]; do
		access R 52 4 $((left < 10000 ? left : 10000))
		failed=$((failed + errors)) left=$((left - 10000))
	done
	[ -e "$dev/io_check" ] && told=$(cat "$dev"/io_check/* 2> /dev/null | wc -c)
	memory_on
	sleep 3
	last=$(lines)
	echo "# row way=errors n=$n failed=$failed lines=$((last - first)) sysfs=${told:-0}"
	[ "$failed" = "$n" ] && [ "$first" -gt 0 ] && [ "$last" -gt 0 ]
	;;
*)
	io
	queued=$(in_flight)
	# one after the other: NVMe's state is ok again before its requests are done
	hits=0
	while [ $hits -lt $BURSTS ]; do
		hits=$((hits + 1))
		./pci_burst -d "$bdf" -m "$mask" -s $hits -l 20000 -g 200000:1000000 -n 10 \
			-e $errors -H 1 > /dev/null
		[ "$mask" = 2 ] || continue
		wait_for "io_check: recovered after" $hits || break
	done
	kill $fio
	wait $fio
	sound /tmp/growth "$near"
	good=$?
	dmesg | sed -n 's/.*io_check: recovered after \([0-9]*\) ms.*/\1/p' > /tmp/ms
	sed "s/.*/# row way=$way n=$n queued=$queued ms=&/" /tmp/ms
	[ $good = 0 ] && { [ "$mask" != 2 ] || [ "$(wc -l < /tmp/ms)" -ge $BURSTS ]; }
	;;
esac
result $? "$way $n"
finish
