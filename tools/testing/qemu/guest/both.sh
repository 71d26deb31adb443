#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Both adapters fail, each in bursts of its own, which overlap now and then: as where what
# is above them fails.
#
# usage: both.sh [HITS [SEED]]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

hits=${1:-15}
seed=${2:-1}
find_other
other=${path##*/}
echo "# other adapter $other"

echo "1..6"
hourly_limit 1000000
echo 1000000 > "$path/io_check/limit"
fill
storm /tmp/storm "$disks"
sleep 1
near_bdf=$bdf
set -- -n "$hits" -l 5000:400000 -g 300000:900000
bdf=$other
# shellcheck disable=SC2046,SC2086
bursts "$@" -s $((seed + 100)) $([ -z "$await" ] || printf -- '-w %s ' $far) > /tmp/others &
others=$!
bdf=$near_bdf
# shellcheck disable=SC2046,SC2086
bursts "$@" -s "$seed" $([ -z "$await" ] || printf -- '-w %s ' $await) \
	-o "$(output bursts.csv)"
result $? "bursts of the first adapter"
wait $others
result $? "bursts of the other one"
storm_ends 3
figures="resets=$(cat "$dev/io_check/resets") others=$(cat "$path/io_check/resets")"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors $figures"
finish
