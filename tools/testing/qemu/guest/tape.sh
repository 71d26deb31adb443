#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A tape on the first adapter, guest/arm64/tape.c's, is written under bursts.  After a reset,
# which rewinds it, the next record has to fail, and each after it until somebody says where
# the tape is to be: it would be written over the first.  No record is sent twice.
#
# usage: tape.sh BURSTS OPTION...
#
# OPTIONs are pci_burst's.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

for name in $near; do	# the last is the tape
	tape=$name
done
address=$(readlink "/sys/block/$tape/device")
address=${address##*/}
host=${address%%:*} lun=${address##*:} target=${address%:*}
target=${target##*:}
insmod /modules/tape.ko host="$host" target="$target" || skip "no tape.ko"
echo 1 > "/sys/block/$tape/device/delete"
echo "- - -" > "/sys/class/scsi_host/host$host/scan"
[ "$lun" = 0 ] && [ -e /dev/nst0 ] || skip "no /dev/nst0: CONFIG_CHR_DEV_ST?"
counters=/sys/module/tape/parameters
disks=$(echo "$disks" | sed "s/ $tape\\>//")
near=$(echo "$near" | sed "s/ $tape\\>//")
echo "1..6"
fill
hourly_limit 1000000

# record NUMBER: of 4 KiB
record()
{
	awk -v text="record $1" 'BEGIN { while (n++ < 256) printf "%-15s\n", text }'
}

# put: the next record, to the tape that is open
put()
{
	dd if=/tmp/next bs=4k count=1 >&3 2> /dev/null
}

rewind()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		mt -f /dev/nst0 rewind 2> /dev/null && return
		sleep 1
	done
	return 1
}

# fill_tape: until a record fails, or there are 400; with the tape as 3
fill_tape()
{
	sent=1 wrote=
	if dd if=/tmp/first bs=4k count=1 >&3 2> /dev/null; then
		wrote=1
		while sent=$((sent + 1)) && [ $sent -lt 400 ] && put; do
			:
		done
	fi
	[ $sent -lt 400 ] || return 0
	failed=$((failed + 1))
	for _ in 1 2 3; do
		! put || blind=$((blind + 1))
	done
}

record first > /tmp/first
record next > /tmp/next
bursts -l 5000:300000 -n "$@" > /tmp/bursts &
bursting=$!
tapes=0 failed=0 blind=0 over=0 replayed=0 records=0
while kill -0 $bursting 2> /dev/null; do
	tapes=$((tapes + 1))
	before=$(cat $counters/accepted)
	# a burst may hit the opening as well
	rewind && fill_tape 3> /dev/nst0 || continue
	records=$((records + sent))
	[ $(($(cat $counters/accepted) - before)) -le "$sent" ] || replayed=$((replayed + 1))
	[ -n "$wrote" ] || continue
	# the first is read once more if a burst hits it
	for _ in 1 2 3 4 5; do
		rewind && dd if=/dev/nst0 of=/tmp/read bs=4k count=1 2> /dev/null && break
		: > /tmp/read
	done
	cmp -s /tmp/first /tmp/read && continue
	over=$((over + 1))
	echo "tape: $(head -n 1 /tmp/read) is where the first was" > /dev/console
done
[ "$failed" -gt 2 ]
result $? "bursts hit records" "$failed of $tapes tapes"
[ $blind = 0 ]
result $? "none is written where the position is unknown" "$blind were, of $failed tapes"
[ $over = 0 ]
result $? "none is written over the first" "$over of $tapes tapes"
[ $replayed = 0 ]
result $? "none is sent twice" "a record of $replayed tapes was"
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors records=$records" \
	"tapes=$tapes failed=$failed rewound=$(cat $counters/resets)" \
	"resets=$(cat "$dev/io_check/resets")"
finish
