#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rawread's nine cells with fio: 1, 2, 3 disks by 512, 4096, 32768 bytes,
# sequential O_DIRECT reads, a process a disk.
#
# usage: cells.sh READS
#
# READS a disk and cell.  A line of each cell has fio's MB/s and IOPS, summed, and
# the CPU's time in the kernel, in percent.  Around the reads of each cell is a
# sysrq, whose function is a mark of the bench's plugin.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

reads=${1:-2000}

mark()
{
	echo 4 > /proc/sysrq-trigger
}

# read_disks SIZE READS DISK...: fio's terse lines in /tmp/cell
read_disks()
{
	size=$1 count=$2
	shift 2
	for name; do
		shift
		set -- "$@" --name="$name" --filename="/dev/$name"
	done
	fio --name=global --direct=1 --rw=read --ioengine=psync --bs="$size" \
		--number_ios="$count" --size=60m --minimal --terse-version=3 "$@" > /tmp/cell
}

cpu()
{
	# user nice system idle iowait irq softirq: system with its interrupts, all
	awk '$1 == "cpu" { print $4 + $7 + $8, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat
}

echo "1..1"
echo 1 > /proc/sys/kernel/printk
read_disks 4096 64 $disks
bad=0
for size in 512 4096 32768; do
	set --
	for name in $disks; do
		[ $# -lt 3 ] || break
		set -- "$@" "$name"
		before=$(cpu)
		mark
		read_disks $size "$reads" "$@"
		mark
		after=$(cpu)
		[ "$(grep -c '^3;' /tmp/cell)" = $# ] || bad=1
		# fields 5, 7, 8: error, KB/s, IOPS
		awk -F ';' -v disks=$# -v size=$size -v before="$before" -v after="$after" '
			$1 == 3 { errors += $5 != 0; kb += $7; iops += $8 }
			END {
				failed = errors || !iops
				split(before, b, " "); split(after, a, " ")
				all = a[2] - b[2]
				printf "# row disks=%d size=%d errors=%d mb_s=%.3f iops=%d sys=%.1f\n", \
					disks, size, errors, kb / 1000, iops, \
					all ? 100 * (a[1] - b[1]) / all : 0
				exit failed
			}' /tmp/cell || bad=1
	done
done
result $bad "nine cells"
finish
