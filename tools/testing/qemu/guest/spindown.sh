#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The first adapter's disks are stopped when nobody has used them for a moment, and started
# by the next read, under bursts: a START STOP UNIT that a reset took along is repeated.
# The midlayer repeats a file system's commands, not its own.
#
# usage: spindown.sh [BURSTS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

for name in $near; do
	device=/sys/block/$name/device
	[ -w "$device/power/autosuspend_delay_ms" ] || skip "no runtime PM of $name: CONFIG_PM?"
	# Linux 6.6 has one for the machine's sleep, and this
	for file in "$device"/scsi_disk/*/manage_runtime_start_stop \
		    "$device"/scsi_disk/*/manage_start_stop; do
		[ ! -w "$file" ] || break
	done
	echo 1 > "$file"
	echo 50 > "$device/power/autosuspend_delay_ms"
	echo auto > "$device/power/control"
done
echo "1..6"
fill
hourly_limit 1000000

# every_disk: a block of each, from the disk
every_disk()
{
	for name in $near; do
		timeout 40 dd if="/dev/$name" of=/dev/null bs=4k count=1 iflag=direct \
			2> /dev/null || return 1
	done
}

bursts -n "${1:-100}" -l 5000:100000 -g 50000:400000 > /tmp/bursts &
bursting=$!
reads=0 lost=0
while kill -0 $bursting 2> /dev/null; do
	every_disk || lost=$((lost + 1))
	reads=$((reads + 1))
	sleep 0.$((reads % 5))
done
[ $lost = 0 ]
result $? "all disks are read" "$lost of $reads rounds failed"
[ "$(dmesg | grep -c 'Stopping disk')" -gt $((reads / 4)) ]
result $? "they were stopped" "$(dmesg | grep -c 'Stopping disk') times in $reads rounds"
! dmesg | grep 'Start/Stop Unit failed' > /tmp/failed
result $? "no command that stops or starts one failed" "$(tail -n 1 /tmp/failed)"
stuck=
for name in $near; do
	case $(cat "/sys/block/$name/device/power/runtime_status") in
	error | unsupported) stuck="$stuck $name" ;;
	esac
done
[ -z "$stuck" ]
result $? "each can be stopped again" "not$stuck"

blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors reads=$reads" \
	"resets=$(cat "$dev/io_check/resets")"
finish
