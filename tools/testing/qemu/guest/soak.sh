#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Verified I/O through many bursts, and the memory that the kernel has taken meanwhile.
#
# usage: soak.sh BURSTS SEED
#
# BURSTS have to fail an access of the driver's.  A row after each STEP of them: the bursts,
# the failed accesses, the resets, and in KiB the slabs that nobody can reclaim and all
# that is neither free nor a cache nor a process's.  Free pages that a CPU keeps for itself
# are free.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

STEP=10
hourly_limit 1000000
echo "1..5"
fill
before=$(counted)
storm /tmp/storm "$disks"
sleep 2
n=0
while [ $n -lt "$1" ]; do
	# a line each, with the accesses that failed; pci_burst may end without enough of them
	hit=$(bursts -s $(($2 + n)) -l 1000:300000 -g 300000:1000000 -n $((3 * STEP)) \
		-e $errors -H $STEP | awk -F, 'NR > 1 && $5 > 0 { n++ } END { print n + 0 }')
	[ "$hit" -gt 0 ] || break
	n=$((n + hit))
	awk -v n=$n -v detected=$(($(counted) - before)) -v resets="$(cat "$dev/io_check/resets")" '
		{ kib[$1] = $2 }
		$1 == "managed" { pages += $2 }
		$1 == "count:" { kept += $2 }
		END {
			page = kib["MemTotal:"] / pages
			print "# row bursts=" n, "detected=" detected, "resets=" resets,
				"slab=" kib["SUnreclaim:"],
				"used=" kib["MemTotal:"] - kib["MemFree:"] - kib["Buffers:"] -
				kib["Cached:"] - kib["SReclaimable:"] - kib["AnonPages:"] -
				kib["PageTables:"] - kib["KernelStack:"] - kept * page
		}' /proc/meminfo /proc/zoneinfo
done
[ $n -ge "$1" ]
result $? "$1 bursts hit" "$n did"
# shellcheck disable=SC2086
last=$(completed $near)
sleep 3
goes_on "$last"
result $? "I/O goes on after the last burst"
kill $fio
wait $fio
sound /tmp/storm "$disks"
result $? "no error of fio's under bursts"
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
