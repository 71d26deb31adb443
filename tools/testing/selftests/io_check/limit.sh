#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How many failures an hour an adapter may have: it recovers from as many as its
# limit says, and goes offline at the next one.  With offline_on_error it goes
# at the first.  Binding its driver again brings the disks back.
#
# Before Linux 6.2 NVMe's driver unbinds what it gives up, whose directory in sysfs goes
# with it.
#
# usage: limit.sh

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

attr=$dev/io_check
[ -r "$attr/limit" ] || skip "no $attr/limit"
[ -n "$far" ] || skip "no disk beside the adapter"

# look: sets $state and $resets; those of what was unbound are the last ones seen
state='' resets=''
look()
{
	state=$(cat "$attr/state" 2> /dev/null) || state=offline
	now=$(cat "$attr/resets" 2> /dev/null) && resets=$now
}

over()
{
	look
	[ "$state" != recovering ]
}

# fail: one burst that hits running I/O, and what came of it
fail()
{
	# shellcheck disable=SC2086
	goes_on "$(completed $near)"
	bursts -n 60 -l 200000 -g 300000 -e $errors -H 1 > /dev/null
	sleep 0.3	# the worker's start
	until_true 10 over
}

# nonsense: the limit is not what is no number
nonsense()
{
	! echo nonsense > "$attr/limit" 2> /dev/null && [ "$(cat "$attr/limit")" = 5 ]
	result $? "a limit that is no number is refused"
}

case $driver:$(uname -r) in
nvme:6.[01].*) unbinds=1 ;;
*) unbinds='' ;;
esac
echo "1..$((unbinds ? 12 : 14))"
storm /tmp/far "$far"
far_fio=$fio
storm /tmp/near "$near"
sleep 2
limit=$(cat "$attr/limit")
[ "$limit" = 5 ]
result $? "the default limit is 5" "$limit"
n=0
while [ $n -lt "$limit" ]; do
	n=$((n + 1))
	fail
done
[ "$state:$resets" = "ok:$limit" ]
result $? "recovered $limit times" "$state $resets"
fail
[ "$state:$resets" = "offline:$limit" ]
result $? "offline at the next failure" "$state $resets"
if [ -z "$unbinds" ]; then
	! bursts > /dev/null 2> /tmp/refused &&
		grep -q 'gave the device up' /tmp/refused
	result $? "no burst at what is offline" "$(cat /tmp/refused)"
fi
wait $fio
grep -q 'err= 5' /tmp/near
result $? "its I/O fails" "$(grep 'err=' /tmp/near | tail -n 1)"
its_disks_are offline
if [ -z "$unbinds" ]; then
	causes=$(awk '{ n += $2 } END { print n + 0 }' "$attr/errors_by_cause")
	[ "$causes" -gt "$limit" ] && grep -q "^cause=.* bar=$bar " "$attr/last_error"
	result $? "errors counted by cause, and the last one kept" \
		"$causes, $(cat "$attr/last_error")"
fi
[ -n "$unbinds" ] || nonsense
rebind true
[ -z "$unbinds" ] || nonsense
echo 1 > "$attr/offline_on_error"
look
start_fio /tmp/near "$again" --rw=randwrite --bs=4k --verify_backlog=16 --loops=1000000
sleep 2
fail
[ "$state:$resets" = "offline:0" ]
result $? "offline_on_error: offline at the first failure" "$state $resets"
wait $fio
kill $far_fio
wait $far_fio
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
rebind true
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
