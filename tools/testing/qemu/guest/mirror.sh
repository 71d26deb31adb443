#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# RAID-1 of a disk of the first adapter and one of another, under verified I/O.  Bursts cost
# it no member.  The first adapter is given up, and the other disk goes on alone; it is bound
# again, and its disk is rebuilt.
#
# usage: mirror.sh BURSTS [alone]
#
# alone: both disks are the first adapter's.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh
. ./md.sh

count=$1
[ -n "$far" ] || skip "no disk beside the adapter"
one=${near##* } other=${far##* }
[ "$2" != alone ] || other=${near% *}
other=${other##* }
md=/sys/block/md0/md

in_sync()
{
	[ "$(cat $md/dev-*/state | grep -c in_sync)" = "$1" ]
}

echo "1..11"
hourly_limit 1000000
md_new md0 raid1 0 "$one" "$other" && in_sync 2
result $? "a mirror of $one and $other" "$(dmesg | tail -n 3)"
[ $ktap_failed = 0 ] || finish
fio --name=mirror --thread --filename=/dev/md0 --ioengine=psync --direct=1 --bs=4k \
	--rw=randwrite --size=4m --offset_increment=4m --numjobs=$jobs --thinktime=$think \
	--verify=crc32c --verify_fatal=1 --verify_backlog=16 --fsync=32 --loops=1000000 \
	> /tmp/storm 2>&1 &
fio=$!
failed=$(counted)
bursts -s 1 -n "$count" -l 20000:400000 -g 300000:900000 > /tmp/bursts
result $? "pci_burst ran"
[ "$(counted)" -gt "$failed" ] && in_sync 2
result $? "bursts cost it no member" "$(cat $md/dev-*/state)"
echo 1 > "$dev/io_check/offline_on_error"
bursts -s 2 -n 100 -l 20000:400000 -g 300000:900000 > /tmp/bursts 2>&1 &
bursting=$!
wait_for 'offline_on_error is set: offline' 1
result $? "the first adapter is given up"
kill $bursting
wait $bursting
until_true 30 in_sync 1
result $? "its disk is failed" "$(cat $md/dev-*/state)"
(near=$other; goes_on $(($(completed "$other") + 20)))
result $? "the other one goes on" "$(tail -n 3 /tmp/storm)"
# nvme's is gone with the controller
[ ! -e "$md/dev-$one" ] || md_fail md0 "$one"
rebind :
# shellcheck disable=SC2154
md_rebuild md0 "${again##* }" 0 && md_wait md0 90 && in_sync 2
result $? "rebuilt" "$(cat /proc/mdstat)"
kill $fio
wait $fio
sound /tmp/storm md0
result $? "the I/O is sound"
wrong=$(md_mismatches md0 60)
[ "$wrong" = 0 ]
result $? "both disks are the same" "$wrong sectors are not"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors detected=$(($(counted) - failed))"
finish
