#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Memory is short, and what does not fit is on a disk of the first adapter, whose accesses
# fail in bursts: a recovery that waits for memory would wait for itself.
#
# usage: swap.sh [BURSTS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

count=${1:-60}
[ -e /proc/swaps ] || skip "no /proc/swaps: CONFIG_SWAP?"
swap=${near##* } near=${near% *}
disks="$near $far"
mkswap "/dev/$swap"
swapon "/dev/$swap" || skip "no swap on $swap"

available()
{
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

echo "1..6"
hourly_limit 1000000
fill
# 64 MiB are left by what is never swapped; then half of the swap more than there is
mkdir -p /pad /mnt
mount -t ramfs pad /pad
dd if=/dev/zero of=/pad/pad bs=1024k count=$((($(available) - 65536) / 1024)) 2> /dev/null
kib=$(($(available) + $(awk '/^SwapTotal/ { print $2 }' /proc/meminfo) / 2))
mount -t tmpfs -o "size=$((kib + 1024))k" hog /mnt
dd if=/dev/urandom of=/mnt/hog bs=64k count=$((kib / 64)) 2> /dev/null
sum=$(md5sum /mnt/hog)
out=$(awk '$1 ~ /^SwapTotal/ { n += $2 } $1 ~ /^SwapFree/ { n -= $2 } END { print n }' \
	/proc/meminfo)
echo "# $kib KiB in memory, $out KiB swapped"
[ "$out" -gt 1024 ]
result $? "memory is short"
storm /tmp/storm "$disks"
before=$(counted)
bursts -s 1 -n "$count" -l 20000:200000 -g 200000:600000 > /tmp/bursts &
burst=$!
bad=0
while kill -0 $burst 2> /dev/null; do
	[ "$(md5sum /mnt/hog)" = "$sum" ] || bad=$((bad + 1))
done
result $bad "what was swapped is good"
storm_ends 2
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors" \
	"detected=$(($(counted) - before))"
finish
