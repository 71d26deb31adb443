#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The machine sleeps (s2idle) and wakes up again and again, under I/O: in each second
# round of three just after accesses of the first adapter have failed, so that its
# recovery is under way; in each third an access fails on the way, by the kernel's own
# injection.  Or it hibernates: its image goes to the last disk, and is restored at once.
# RESETS adapters are reset by each resume.
#
# usage: suspend.sh [ROUNDS] [freeze|disk] [RESETS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

rounds=${1:-6} state=${2:-freeze} resets=${3:-0}
alarm=/sys/class/rtc/rtc0/wakealarm
inject=/sys/kernel/debug/io_check/$bdf/fault_inject
[ -d "$inject" ] || skip "no $inject: CONFIG_IO_CHECK_FAULT_INJECTION?"
case $state in
freeze)
	[ -w $alarm ] || skip "no clock that wakes the machine: CONFIG_RTC_CLASS?"
	;;
disk)
	[ -w /sys/power/disk ] || skip "no /sys/power/disk: CONFIG_HIBERNATION?"
	swap=${far##* } far=${far% *}
	disks="$near $far"
	mkswap "/dev/$swap"
	# which looks for an image at once
	cat "/sys/block/$swap/dev" > /sys/power/resume
	swapon "/dev/$swap" || skip "no swap"
	echo test_resume > /sys/power/disk
	echo 0 > /sys/power/image_size
	;;
esac

slept()
{
	cat /sys/power/suspend_stats/success
}

# asleep: and awake again.  A device may refuse while it fails, but not for ever.  Tasks are
# frozen in less than the alarm's time: an alarm of the past wakes nobody.  It has slept
# $before times.
asleep()
{
	tries=0
	while [ $tries -lt 5 ]; do
		if [ "$state" = disk ]; then
			! echo disk > /sys/power/state || return 0
		else
			echo 0 > $alarm
			echo +8 > $alarm
			echo freeze > /sys/power/state
			[ "$(slept)" -le "$before" ] || return 0
		fi
		tries=$((tries + 1))
		sleep 1
	done
	return 1
}

echo "1..$((3 + rounds + rounds / 3 + (resets ? rounds : 0)))"
hourly_limit 1000000
fill
storm /tmp/near "$near"
near_fio=$fio
storm /tmp/far "$far"
far_fio=$fio
n=0
while [ $n -lt "$rounds" ]; do
	n=$((n + 1))
	# a bus that was reset settles for three seconds
	sleep $((resets ? 5 : 1))
	count=$(dmesg | grep -c 'io_check: recovered')
	# the recovery takes a tenth of a second: nothing between the burst and the sleep
	before=$(slept)
	case $((n % 3)) in
	2) bursts -s $n -n 1 -l 20000:100000 -g 1000 > /tmp/bursts ;;
	0)
		# the callbacks' accesses, and those of the disks' last commands
		kill -STOP $near_fio
		sleep 0.5
		echo $((n * 2 - 5)) > "$inject/nth"
		;;
	esac
	asleep
	result $? "slept and woke up"
	if [ $((n % 3)) = 0 ]; then
		[ "$(cat "$inject/nth")" = 0 ]
		result $? "an access has failed"
		kill -CONT $near_fio
	fi
	[ "$resets" -gt 0 ] || continue
	# error handling alone never says so
	wait_for 'io_check: recovered' $((count + resets))
	result $? "reset by the resume"
	# the rest would take error handling minutes
	[ $ktap_failed = 0 ] || finish
done
sleep 2
kill $near_fio $far_fio
wait $near_fio $far_fio
sound /tmp/near "$near"
result $? "the I/O is sound"
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
