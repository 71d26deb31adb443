#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Leave the first adapter's recovery under way, for init's shutdown.
#
# usage: shutdown.sh [USEC]
#
# USEC (2000000) is the burst's length, which goes on beside the shutdown.  The disks
# have no cache then: nothing of the shutdown but the driver itself waits for it.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

echo "1..2"
hourly_limit 1000000
fill
for cache in /sys/class/scsi_disk/*/cache_type; do
	echo 'temporary write through' > "$cache"
done
storm /tmp/storm "$near"
sleep 1
bursts -g 1 -l "${1:-2000000}" -o /tmp/bursts.csv &
tries=0
until [ "$(cat "$dev/io_check/state")" = recovering ] || [ $tries = 15 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
[ $tries -lt 15 ]
result $? "a recovery is under way"
finish
