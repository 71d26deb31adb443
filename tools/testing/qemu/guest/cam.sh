#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Random reads of 4 KiB from an array by more and more processes, and what else is
# to be had from the adapter then.
#
# usage: cam.sh LEVEL SECONDS PROCESSES...
#
# LEVEL is raid0, of six disks by 32 KiB, or raid5, of three by 64 KiB; the disk
# after them is the probe's: a read of 4 KiB, 100 ms after the last one is
# there.  Processes are started in waves, so that each of PROCESSES is reached;
# they read until the end.  A line of each has, over SECONDS, the array's reads a
# second and the load average at the end; the number of the probe's reads in that
# time, their median and worst time, and the longest time from the end of one to the
# end of the next; and after how many seconds each process had read something.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh
. ./md.sh

level=$1 seconds=$2
shift 2
starving=10	# seconds without an answer

case $level in
raid0) count=6 chunk=32 ;;
raid5) count=3 chunk=64 ;;
*) exit 1 ;;
esac
# shellcheck disable=SC2086
members=$(echo $disks | cut -d ' ' -f 1-$count)
# shellcheck disable=SC2086
probe=$(echo $disks | cut -d ' ' -f $((count + 1)))

echo "1..$(($# + 3))"
echo 1 > /proc/sys/kernel/printk
# shellcheck disable=SC2086
md_new md0 "$level" $chunk $members
result $? "$level" "$(dmesg | grep md | tail -n 3)"
[ $ktap_failed = 0 ] || finish

st "/dev/$probe" 4096 probe 100 > /tmp/probe &
prober=$!
st /dev/md0 4096 load "$seconds" "$@" > /tmp/steps 2> /tmp/said
load_rc=$?
kill $prober
wait $prober
rc=$?
awk -v level="$level" -v starving=$starving '
	$1 == "step" {
		n++; processes[n] = $2; ready[n] = $4; end[n] = $5
		reads[n] = $6; load[n] = $7; served[n] = $8; idle[n] = $9
	}
	FILENAME == "/tmp/probe" { probes++; at[probes] = $1; ms[probes] = $2 }
	END {
		for (s = 1; s <= n; s++) {
			count = 0; gap = 0; last = ready[s]
			# up to the first answer after the end, which was waited for
			for (p = 1; p <= probes && last < end[s]; p++) {
				if (at[p] <= ready[s])
					continue
				gap = at[p] - last > gap ? at[p] - last : gap
				last = at[p]
				# sorted by their time
				for (i = ++count; i > 1 && sorted[i - 1] > ms[p]; i--)
					sorted[i] = sorted[i - 1]
				sorted[i] = ms[p]
			}
			if (last < end[s])
				gap = end[s] - last > gap ? end[s] - last : gap
			starved = !count || gap > starving
			printf "# row level=%s processes=%d tps=%.0f load=%s probes=%d " \
				"median_ms=%.1f worst_ms=%.1f gap_ms=%d starved=%d served_s=%.1f idle=%d\n",
				level, processes[s], reads[s] / (end[s] - ready[s]), load[s],
				count, sorted[int((count + 1) / 2)], sorted[count],
				1000 * gap, starved, served[s], idle[s]
		}
	}' /tmp/steps /tmp/probe > /tmp/rows
cat /tmp/rows
result $rc "the probe could read"
for processes; do
	grep -q "processes=$processes tps=[1-9].* starved=0 .* idle=0" /tmp/rows
	result $? "$processes processes read, and the probe is answered"
done
! dmesg | grep -q -e 'I/O error' -e 'blocked for more' && [ $load_rc = 0 ]
result $? "all could read" "$(cat /tmp/said /tmp/steps)"
finish
