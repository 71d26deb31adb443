#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Another kernel begins (kexec) while the first adapter recovers, and finds its disks.
#
# usage: kexec.sh [panic] [DELAY...]
#
# With panic the kernel dies, and the next one is a crash kernel (kdump), whose only CPU
# finds the adapter in the middle of what it did.
#
# After the first DELAY, in seconds since the burst began, the next kernel gets the others.
# The last one has none.  The disks have no cache: nothing of the shutdown but the driver
# itself waits for the recovery.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

burst='-n 1 -g 1 -l 300000' crash=''
if [ "$1" = panic ]; then
	crash=-p
	shift
fi

next_kernel()
{
	# rootfs without what is mounted on it
	mkdir -p /tmp/root
	mount -o bind / /tmp/root
	( cd /tmp/root && find . | cpio -o -H newc ) > /tmp/initramfs
	left=$(echo "$*" | tr ' ' ,)
	# shellcheck disable=SC2086
	./kexec $crash kernel /tmp/initramfs \
		"$(sed "s/\(bench.args=\)[^ ]*/\1$left/" /proc/cmdline) ${crash:+nr_cpus=1 reset_devices}"
}

echo "1..4"
hourly_limit 1000000
# where the bus swallows a store in silence, the commands' timers tell
command_timeout 5 "$disks"
fill
storm /tmp/storm "$near"
sleep 1
if [ $# -gt 0 ]; then
	delay=$1
	shift
	next_kernel "$@"
	result $? "the next kernel is loaded"
	for cache in /sys/class/scsi_disk/*/cache_type; do
		[ ! -e "$cache" ] || echo 'temporary write through' > "$cache"
	done
	# shellcheck disable=SC2086
	bursts $burst -o /tmp/bursts.csv > /dev/null &
	sleep "$delay"
	[ -z "$crash" ] || echo c > /proc/sysrq-trigger
	./kexec
	result $? "the next kernel began"
	finish
fi
# shellcheck disable=SC2086
bursts $burst -o /tmp/bursts.csv > /dev/null
# shellcheck disable=SC2086
goes_on "$(completed $near)"
result $? "I/O goes on after a burst"
sleep 1
kill $fio
wait $fio
sound /tmp/storm "$near"
result $? "the I/O is sound"
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
