#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Again and again an access fails while a Fusion MPT adapter is asked for a page of its
# configuration: more often than it has request frames, which have to come back.
#
# usage: frames.sh [TIMES]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

times=${1:-150}
inject=/sys/kernel/debug/io_check/$bdf/fault_inject
[ -d "$inject" ] || skip "no $inject: CONFIG_IO_CHECK_FAULT_INJECTION?"
set -- "$dev"/host*/phy-*/sas_phy/phy-*/invalid_dword_count
[ -r "$1" ] || skip "no phy whose errors are counted in a page"

echo "1..4"
hourly_limit 1000000
n=0 lost=0
while [ $n -lt "$times" ]; do
	n=$((n + 1))
	# the doorbell is read, then the request is posted
	echo 2 > "$inject/nth"
	cat "$1" > /dev/null 2>&1 || lost=$((lost + 1))
	until_true 5 state_is ok
done
echo 0 > "$inject/nth"
[ $lost -gt $((times * 3 / 4)) ]
result $? "requests got lost" "$lost of $times"
[ "$(cat "$dev/io_check/state")" = ok ] && sleep 1 && cat "$1" > /dev/null
result $? "pages are read"
# without a frame no command is ever sent
[ $ktap_failed = 0 ] || finish
fill
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors lost=$lost"
finish
