#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# PCI Express reports errors of the bridge above the first adapter, under verified
# I/O.  AER recovers from each through the driver's error handlers, and the disks
# stay.
#
# usage: aer.sh [-d | -f] [COUNT]
#
# Something outside of this machine makes an error for each of COUNT (3) lines
# "aer: now" on the console.  -d: the other adapter, below the same bridge, was given up
# before; it must not take the first one with it.  -f: AER fails, as something below the
# bridge has no handlers, and tells nobody.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

says='AER: device recovery successful' mode='' more=0
case $1 in
-d)
	find_other
	mode=dead more=3
	shift
	;;
-f)
	param=/sys/module/io_check_recovery/parameters/dead_timeout
	[ -w $param ] || skip "no $param: a driver without a recovery"
	echo 2 > $param
	says='AER: device recovery failed' mode=fails more=2
	shift
	;;
esac
count=${1:-3}
host=$(basename "$(readlink "/sys/block/${near##* }/device")")

# 6.1 has ports report errors, but not other bridges: Device Control, bits 0 to 3
# (PCI Express 6.0, 7.5.3.4)
bridge=$(cd -P "$dev/.." && pwd -P)
express "$bridge" || skip "no PCI Express above $bdf"
control=$(printf '%03o' $(($(byte "$bridge" $((at + 8))) | 15)))
printf "\\$control" | dd of="$bridge/config" bs=1 seek=$((at + 8)) conv=notrunc 2> /dev/null

echo "1..$((count + 4 + more))"
hourly_limit 1000000
fill
[ "$mode" != dead ] || give_up_other
storm /tmp/storm "$disks"
n=0
while [ $n -lt "$count" ]; do
	n=$((n + 1))
	sleep 2
	echo "aer: now $n" > /dev/console
	wait_for "$says" $n
	rc=$?
	# shellcheck disable=SC2086
	goes_on "$(completed $near)"
	result $((rc + $?)) "recovered from error $n" \
		"$(dmesg | grep 'AER:' | tail -n 1), $(cat "$dev/io_check/last_error")"
done
sleep 2
kill $fio
wait $fio
sound /tmp/storm "$disks"
result $? "no error of fio's"
blocks_are_good
[ "$(basename "$(readlink "/sys/block/${near##* }/device")")" = "$host" ]
result $? "its disks stayed"
case $mode in
dead) rebind_other ;;
fails) rebind ;;
esac
# nvme has handlers of its own
recovered=$(dmesg | grep -c -e 'io_check: recovered' -e 'restart after slot reset')
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors recovered=$recovered"
finish
