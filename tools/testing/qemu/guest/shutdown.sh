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
sleep 0.1
# a 53c8xx that cannot fetch its SCRIPTS then may stand still, and have nothing to ask for
for name in $near; do
	dd if="/dev/$name" of=/dev/null bs=512 count=1 iflag=direct 2> /dev/null &
done
until_true 1 state_is recovering
result $? "a recovery is under way"
finish
