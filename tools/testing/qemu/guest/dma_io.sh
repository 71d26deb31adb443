#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Writes to and reads from all disks at once, with sgp_dd, four requests of 64 KiB
# outstanding a disk, under each DMA hint that is accepted.
#
# usage: dma_io.sh ROUNDS MIB
#
# In each of ROUNDS come the default, each hint's values in turn, and the default
# again; MIB a disk are outbound, that is, the adapter reads them from memory, and
# then inbound.  A line of each has the MB/s (10^6 bytes) of all disks.  Under each
# value there is one pattern, written and read back, in the first round.
#
# A 64-bit kernel (6.1's drivers/scsi/sg.c) refuses a 32-bit program's asynchronous
# requests to /dev/sgN; there four threads of fio's a disk have one request each.

# shellcheck source-path=SCRIPTDIR/../../selftests/dma_hints
. ./hints.sh

rounds=$1 mib=$2
pattern=0 values=0 way=sgp_dd
: > /tmp/errors
: > /tmp/said

# generic DISK: its device of SCSI generic
generic()
{
	set -- "/sys/block/$1/device/scsi_generic"/sg*
	echo "/dev/${1##*/}"
}

# all_disks in|out: prints the seconds it took
all_disks()
{
	if [ $way = fio ]; then
		rw="write"
		[ "$1" = out ] || rw="read"
		set --
		for name in $near; do
			set -- "$@" --name="$name" --filename="/dev/$name"
		done
		fio --name=global --thread --ioengine=sg --rw=$rw --bs=64k --numjobs=4 \
			--size=$((mib / 4))m --offset_increment=$((mib / 4))m \
			--group_reporting --minimal --terse-version=3 "$@" > /tmp/fio 2>&1
		# fields 5, 6, 9, 47, 50: error; KiB and ms of reads; of writes
		awk -F ';' -v kib=$((count * mib * 1024)) '
			$1 == 3 { good = $5 == 0 && $6 + $47 == kib; print ($9 + $50) / 1000 }
			END { exit !good }' /tmp/fio || echo fio >> /tmp/errors
		return
	fi
	read -r begin _ < /proc/uptime
	pids=
	for sg in $generics; do
		case $1 in
		in) set -- "$1" if="$sg" of=/dev/null ;;
		out) set -- "$1" if=/dev/zero of="$sg" ;;
		esac
		sgp_dd "$2" "$3" bs=512 bpt=128 thr=4 count=$((mib * 2048)) \
			> "/tmp/sgp_dd.${sg##*/}" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || echo sgp_dd >> /tmp/errors
	done
	read -r end _ < /proc/uptime
	awk -v begin="$begin" -v end="$end" 'BEGIN { print end - begin }'
}

# measure HINT VALUE
measure()
{
	for direction in out in; do
		seconds=$(all_disks $direction)
		awk -v seconds="${seconds:-0}" -v direction=$direction \
			-v hint="$1" -v value="$2" -v round="$round" -v way=$way \
			-v bytes=$((mib * 1048576 * count)) '
			BEGIN {
				printf "# row hint=%s value=%s direction=%s round=%d way=%s " \
					"mb_s=%.3f\n", hint, value, direction, round, way,
					(seconds ? bytes / 1e6 / seconds : 0)
			}'
	done
}

# pattern_of NUMBER: 1 MiB of a text, no two blocks the same
pattern_of()
{
	awk -v n="$1" 'BEGIN { for (i = 0; i < 65536; i++) printf "%7d %7d\n", n, i }'
}

# compare: a pattern of its own, written and read back
compare()
{
	if [ $way = fio ]; then
		checksums
		return
	fi
	pattern=$((pattern + 1))
	pattern_of $pattern > /tmp/pattern
	for sg in $generics; do
		sgp_dd if=/tmp/pattern of="$sg" bs=512 bpt=128 thr=4 count=2048 > /tmp/said 2>&1 &&
		sgp_dd if="$sg" of=/tmp/back bs=512 bpt=128 thr=4 count=2048 > /tmp/said 2>&1 &&
		[ "$(md5sum < /tmp/pattern)" = "$(md5sum < /tmp/back)" ] || return
	done
}

candidates()
{
	case $1 in
	prefetch) echo 4 8 16 32 64 96 half full ;;
	block) echo 4 8 16 32 512 1024 2048 4096 ;;
	*) echo 0 1 ;;
	esac
}

generics=
for name in $near; do
	generics="$generics $(generic "$name")"
done
# shellcheck disable=SC2086
count=$(echo $generics | wc -w)
echo "1..3"
echo 1 > /proc/sys/kernel/printk
cat "$hints/path" "$hints/query" | sed 's/^/# /'
# shellcheck disable=SC2086
set -- $generics
if ! sgp_dd if="$1" of=/dev/null bs=512 bpt=128 thr=4 count=2048 > /tmp/said 2>&1 &&
   grep -q 'starting io on sg device, error: Invalid argument' /tmp/said; then
	way=fio
fi
round=0
measure warm up > /dev/null
refused=
bad=
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	measure default 0
	for file in relaxed_order read_current prefetch block; do
		[ -e "$hints/$file" ] || continue
		default=$(value "$hints/$file")
		for value in $(candidates "$file"); do
			[ "$value" != "$default" ] || continue
			if ! set_hint "$hints/$file" "$value"; then
				[ $round != 1 ] || refused="$refused $file=$value"
				continue
			fi
			values=$((values + 1))
			measure "$file" "$value"
			[ $round != 1 ] || compare || bad="$bad $file=$value"
			set_hint "$hints/reset" 1 || bad="$bad $file:reset"
		done
	done
	measure again 0
done
for what in $refused; do
	echo "# row refused=${what%=*} refused_value=${what#*=}"
done
[ $values -gt 0 ]
result $? "hints are accepted"
[ ! -s /tmp/errors ]
result $? "no error of $way" "$(cat /tmp/errors /tmp/fio /tmp/sgp_dd.* 2>&1 | head -n 8)"
[ -z "$bad" ]
result $? "what is read is what was written" "$bad, $(head -n 8 /tmp/said)"
finish
