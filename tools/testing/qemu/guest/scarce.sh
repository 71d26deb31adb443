#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Allocations of pages by the kernel's own threads fail, PERCENT of them, in bursts under
# I/O and in the recoveries from them: those are tried again, and no disk is lost.  Smaller
# ones do not: without memory for a message-signalled interrupt nvme takes INTx, which
# QEMU's controller does not take back in a reset.
#
# usage: scarce.sh PERCENT BURSTS

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

fail=/sys/kernel/debug/fail_page_alloc
[ -e $fail ] || skip "no $fail: CONFIG_FAIL_PAGE_ALLOC?"

echo "1..5"
hourly_limit 1000000
fill
storm /tmp/storm "$near"
echo N > $fail/ignore-gfp-wait
echo Y > $fail/task-filter
echo -1 > $fail/times
echo 1 > $fail/verbose
echo 0 > $fail/min-order
# who is born later has it of kthreadd
for task in /proc/[0-9]*; do
	name=
	{ read -r name < "$task/comm"; } 2> /dev/null
	case $name in
	kworker* | kthreadd) echo 1 > "$task/make-it-fail" ;;
	esac
done
echo "$1" > $fail/probability
bursts -n "$2" -l 20000:100000 -g 300000:600000 -o /tmp/bursts.csv
result $? "each burst has an end"
echo 0 > $fail/probability
# shellcheck disable=SC2086
goes_on "$(completed $near)"
result $? "I/O goes on"
kill $fio
wait $fio
sound /tmp/storm "$near"
result $? "the I/O is sound"
blocks_are_good
echo "# figures forced=$(dmesg | grep -c 'forcing a failure')" \
	"resets=$(cat "$dev/io_check/resets")" \
	"fio_errors=$fio_errors verify_errors=$verify_errors"
finish
