#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# An adapter whose host bridge tells of a thousand errors that no access explains, and
# its neighbour: the neighbour's I/O goes on and nothing of it is lost, it is reset a few
# times as its registers may have been concerned, and none of the errors counts.  Below
# another host bridge it is not even reset.
#
# usage: neighbour.sh [apart]

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

rounds=20 each=50 every=100	# errors, one of so many accesses
most=30				# resets of the neighbour: five at once, then 10 s apart at last
think=0

insmod /modules/io_check_test.ko 2> /dev/null || modprobe io_check_test 2> /dev/null
[ -w $FILE ] || skip "no $FILE: CONFIG_IO_CHECK_KUNIT_TEST?"
inject=${errors%/errors}/$bdf/fault_inject
[ -d "$inject" ] || skip "no $inject: CONFIG_IO_CHECK_FAULT_INJECTION?"
find_other
echo "# neighbour ${path##*/}"

echo "1..5"
fill
# not one error may count
echo 0 > "$path/io_check/limit"
before=$(cat "$path/io_check/resets")
storm /tmp/far "$far"
sleep 1
echo shared > "$inject/kind"
echo $every > "$inject/interval"
echo -1 > "$inject/times"
told=0 n=0
while [ $n -lt $rounds ]; do
	echo 100 > "$inject/probability"
	access R 0x34 4 $((each * every))
	echo 0 > "$inject/probability"
	told=$((told + errors))
	n=$((n + 1))
	sleep 1
done
# the driver looks at its adapter once a second
[ $told -gt $((rounds * (each - 1))) ]
result $? "each session of the adapter's was told" "$told, $record"
until_true 20 state_is ok "$path"
result $? "the neighbour is in service" "$(cat "$path/io_check/state")"
resets=$(($(cat "$path/io_check/resets") - before))
less="${path##*/}: io_check: errors on its way that may be other devices'"
if [ "${1:-}" = apart ]; then
	[ $resets = 0 ] && ! dmesg | grep -q "$less"
	result $? "it was left alone" "$resets"
else
	[ $resets -gt 0 ] && [ $resets -le $most ] &&
		{ [ $resets -lt 6 ] || dmesg | grep -q "$less"; }
	result $? "it was reset a few times" "$resets"
fi
kill $fio
wait $fio
sound /tmp/far "$far"
result $? "its I/O is sound"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors resets=$resets told=$told"
finish
