#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Leave the first adapter's recovery under way, for init's shutdown.
#
# usage: shutdown.sh [USEC [BURSTS]]
#
# USEC (2000000) is a burst's length; BURSTS (1) of them go on beside the shutdown.  With
# one the disks have no cache: nothing of the shutdown but the driver itself waits for it.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

echo "1..2"
hourly_limit 1000000
fill
for cache in /sys/class/scsi_disk/*/cache_type; do
	[ "${2:-1}" -gt 1 ] || echo 'temporary write through' > "$cache"
done
storm /tmp/storm "$near"
sleep 1
# nobody waits for them, as for who writes to the results; a function's redirection would
# keep a copy of that
(bursts -n "${2:-1}" -g 1:100000 -l "${1:-2000000}") > /dev/null 2>&1 &
sleep 0.1
# a 53c8xx that cannot fetch its SCRIPTS then may stand still, and have nothing to ask for
for name in $near; do
	dd if="/dev/$name" of=/dev/null bs=512 count=1 iflag=direct > /dev/null 2>&1 &
done
until_true 1 state_is recovering
result $? "a recovery is under way"
finish
