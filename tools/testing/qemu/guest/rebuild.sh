#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# RAID-5 of four disks that loses a member and is rebuilt, onto the same disk and
# onto a spare, with I/O on it and while the adapter loses its memory decoding: its
# reads are then zeros, and nothing but the commands' timers says so.
#
# usage: rebuild.sh MIB BURSTS
#
# MIB are written, and compared at the end.  While each rebuild is under way there
# are BURSTS, each longer than the timers; its first I/O after each of them is late.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh
. ./md.sh

mib=$1 bursts=$2 seconds=2

row()
{
	echo "# row $*"
}

# rw OPTION...: fio on the array's first MIB, in /tmp/said
rw()
{
	fio --name=rw --thread --filename=/dev/md0 --ioengine=psync --direct=1 --bs=64k \
		--size="${mib}m" --verify=crc32c --verify_fatal=1 "$@" > /tmp/said 2>&1 &&
	grep -q 'err= 0' /tmp/said
}

# steps of SCSI's error handling
handled()
{
	dmesg | grep -c 'operation started'
}

# rebuild NAME DISK SLOT: with reads of the array, and bursts
rebuild()
{
	what=$1
	before=$(handled)
	read -r begin _ < /proc/uptime
	md_rebuild md0 "$2" "$3"
	result $? "$what: begins" "$(dmesg | tail -n 3)"
	fio --name=read --thread --filename=/dev/md0 --ioengine=psync --direct=1 --bs=4k \
		--rw=randread --size="${mib}m" --time_based --runtime=600 --thinktime=100ms \
		--numjobs=8 --group_reporting --minimal --terse-version=3 > /tmp/reads 2>&1 &
	reader=$!
	burst_rc=0
	if [ "$bursts" != 0 ]; then
		set --
		for name in /sys/block/md0/md/dev-*; do
			set -- "$@" -w "${name##*/dev-}"
		done
		./pci_burst -d "$bdf" -s 1 -n "$bursts" -l 2500000:4000000 -g 1000000 "$@" \
			-o "$(output bursts.csv)"
		burst_rc=$?
		under_way=$(cat /sys/block/md0/md/sync_action)
		[ "$under_way" = recover ]
		result $? "$what: bursts were over before it was" "$under_way"
	fi
	echo 200000 > /sys/block/md0/md/sync_speed_max
	md_wait md0 90
	read -r end _ < /proc/uptime
	[ "$(cat /sys/block/md0/md/sync_action)" = idle ] &&
		[ "$(cat /sys/block/md0/md/degraded)" = 0 ] && [ $burst_rc = 0 ]
	result $? "$what: done" "$(cat /proc/mdstat /sys/block/md0/md/dev-*/state)"
	kill -INT $reader
	wait $reader
	awk -F ';' '$1 == 3 { good = $5 == 0 && $8 > 0 } END { exit !good }' /tmp/reads
	result $? "$what: no error of a read's" "$(head -n 3 /tmp/reads)"
	row "rebuild=$what bursts=$bursts seconds=$(awk -v b="$begin" -v e="$end" \
		'BEGIN { print e - b }') handled=$(($(handled) - before))"
}

# shellcheck disable=SC2086
set -- $disks
echo "1..$((bursts ? 12 : 10))"
echo 1 > /proc/sys/kernel/printk
hourly_limit 1000000
command_timeout $seconds "$disks"
md_new md0 raid5 32 "$1" "$2" "$3" "$4"
result $? "raid5" "$(dmesg | grep md | tail -n 3)"
[ $ktap_failed = 0 ] || finish
# slow enough that the bursts are not late
[ "$bursts" = 0 ] || echo 1000 > /sys/block/md0/md/sync_speed_max
rw --rw=write --do_verify=0
result $? "written" "$(cat /tmp/said)"

md_fail md0 "$2" && rebuild same "$2" 1
[ "$bursts" = 0 ] || echo 1000 > /sys/block/md0/md/sync_speed_max
md_fail md0 "$3" && rebuild spare "$5" 2
echo 200000 > /sys/block/md0/md/sync_speed_max
rw --rw=read
result $? "all blocks are good" "$(tail -n 5 /tmp/said)"
wrong=$(md_mismatches md0 60)
[ "$wrong" = 0 ]
result $? "parity is right"
row "mismatches=$wrong members=$(cat /sys/block/md0/md/dev-*/state | grep -c in_sync)"
finish
