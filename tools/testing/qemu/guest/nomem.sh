#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fail each allocation of a probe of the first adapter, the n-th for n from 1 to LAST, or
# until ENOUGH probes in turn did not come so far (fail-nth in
# Documentation/fault-injection/fault-injection.rst).  A probe that fails leaves no
# interrupt, and the next one works; one that goes on without has its disks.
#
# Only what the probe allocates itself is failed, not what its work does; and one probe
# has an allocation more than the next, so that a run may miss some.  The other
# adapter has no driver: SCSI's midlayer, in Linux 6.1, removes a directory in /proc that
# both have when it finds no memory for a thread.
#
# usage: nomem.sh LAST

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

ENOUGH=3 last=$1
drv=/sys/bus/pci/drivers/$driver
debugfs=/sys/kernel/debug
[ -e $debugfs/failslab ] || skip "no $debugfs/failslab: CONFIG_FAILSLAB?"
count=$(echo "$near" | wc -w)

# What a debug kernel says of a mistake.  Nobody misses a file or a directory in /proc/mpt
# before the driver fills or removes it, and the kernel says so.
complaints()
{
	dmesg -c > /tmp/dmesg
	grep -E 'BUG:|WARNING: CPU|Oops|INFO: task|possible (circular|recursive)' /tmp/dmesg |
		grep -Ev 'at (remove_proc_entry|__xlate_proc_name)'
}

echo "1..3"
hourly_limit 1000000
for what in failslab fail_page_alloc; do
	echo N > $debugfs/$what/ignore-gfp-wait
	echo 1 > $debugfs/$what/verbose
done
echo 0 > $debugfs/fail_page_alloc/min-order
for adapter in "$drv"/*:*; do
	[ "${adapter##*/}" = "$bdf" ] || echo "${adapter##*/}" > "$drv/unbind"
done
until_true 20 near_disks "$count"
had=$(handlers)
dmesg -c > /dev/null
n=0 short=0 failed=0 findings=0
while [ $n -lt "$last" ] && [ $short -lt $ENOUGH ] && [ $findings -lt 10 ]; do
	n=$((n + 1)) why=
	echo "nomem: $n" > /dev/kmsg
	echo "$bdf" > "$drv/unbind"
	# the shell's own, whose open() allocates as well
	exec 4> "$drv/bind" 5> /proc/self/fail-nth
	echo $n >&5
	echo "$bdf" >&4 2> /dev/null
	# it may be this open() that fails
	left=
	{ read -r left < /proc/self/fail-nth; } 2> /dev/null
	echo 0 >&5
	exec 4>&- 5>&-
	if [ "$left" = 0 ]; then
		short=0
	else
		short=$((short + 1))
	fi
	if [ ! -e "$dev/driver" ]; then
		failed=$((failed + 1))
		[ "$(handlers)" -lt "$had" ] || why="an interrupt"
		echo "$bdf" > "$drv/bind" || why="$why no driver"
	fi
	until_true 20 near_disks "$count" || why="$why no disks"
	[ "$(handlers)" = "$had" ] || why="$why interrupts"
	complaints > /tmp/complaints && why="$why $(cat /tmp/complaints)"
	[ -n "$why" ] || continue
	findings=$((findings + 1))
	echo "# finding $n $why"
	tail -n 60 /tmp/dmesg > /dev/console
	[ -e "$dev/driver" ] || echo "$bdf" > "$drv/bind"
done
result $findings "each allocation of a probe fails"
[ $failed -gt 0 ]
result $? "some probes failed"
disks=$near
fill
echo "# figures allocations=$n failed=$failed findings=$findings"
finish
