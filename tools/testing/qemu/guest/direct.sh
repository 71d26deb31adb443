#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Sequential reads of all disks at once, one thread a disk: buffered, O_DIRECT, and
# through SCSI generic, which stands in for the raw devices that Linux no longer has.
#
# usage: direct.sh MIB_NORMAL MIB_DIRECT LOOPS
#
# Buffered blocks are of 512 bytes, direct ones of 4 MiB, those of SCSI generic as
# large as a command of the adapter's may be.  Each disk is read from its begin, as
# far as the arguments say, the latter two LOOPS times.  A line has all disks' MB/s
# (10^6 bytes, by the time of the slowest), the CPUs' idle time in percent, waiting
# for I/O included, and the shortest and longest time of a thread.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

normal=${1:-8}
direct=${2:-60}
loops=${3:-4}

# read_all MODE ENGINE BLOCK MIB LOOPS OPTION...
read_all()
{
	mode=$1 engine=$2 block=$3 mib=$4 times=$5
	shift 5
	for name in $disks; do
		file=/dev/$name
		[ "$engine" != sg ] ||
			file=$(echo "/sys/block/$name/device/scsi_generic"/sg*) file=/dev/${file##*/}
		set -- "$@" --name="$name" --filename="$file"
	done
	sync
	echo 3 > /proc/sys/vm/drop_caches
	idle=$(awk '$1 == "cpu" { print $5 + $6, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat)
	fio --name=global --thread --rw=read --ioengine="$engine" --bs="$block" \
		--size="${mib}m" --loops="$times" --minimal --terse-version=3 "$@" > /tmp/direct 2> /tmp/said
	# fields 5, 6, 9: error, KiB read, ms
	awk -F ';' -v before="$idle" -v mode="$mode" -v block="$block" -v mib=$((mib * times)) '
		FILENAME == "/proc/stat" && $1 ~ /^cpu / {
			split(before, b, " "); n = split($1, a, " ")
			for (i = 2; i <= 8 && i <= n; i++) all += a[i]
			idle = 100 * (a[5] + a[6] - b[1]) / (all - b[2])
		}
		$1 == 3 {
			jobs++; errors += $5 != 0; kib += $6
			if ($9 > longest) longest = $9
			if (jobs == 1 || $9 < shortest) shortest = $9
		}
		END {
			printf "# row mode=%s block=%d disks=%d mib=%d kib=%d errors=%d " \
				"mb_s=%.2f idle=%.1f shortest_ms=%d longest_ms=%d\n", mode,
				block, jobs, mib, kib, errors, kib * 1.024 / (longest ? longest : 1),
				idle, shortest, longest
			exit !(jobs && !errors && kib == jobs * mib * 1024)
		}' /tmp/direct /proc/stat
	rc=$?
	[ "$(grep -c '^3;' /tmp/direct)" = "$(echo $disks | wc -w)" ] || rc=1
	result $rc "$mode" "$(head -n 3 /tmp/said)"
}

# shellcheck disable=SC2086
set -- $disks
largest=$(cat "/sys/block/$1/queue/max_sectors_kb")
# of blocks that are whole in the bytes read
while [ $((direct * 1024 % largest)) != 0 ]; do
	largest=$((largest - 4))
done
echo "1..3"
echo 1 > /proc/sys/kernel/printk
read_all normal psync 512 "$normal" 1
read_all O_DIRECT psync 4194304 "$direct" "$loops" --direct=1
read_all sg sg $((largest * 1024)) "$direct" "$loops"
finish
