#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Rates of a small board: of memory, of files, of the raw disks, and of clients
# that upload while one plays back.
#
# usage: board8020.sh disk|raid5|degraded MIB
#
# On one disk, on RAID-5 of four by 32 KiB, or on that with a member failed; ext2
# with blocks of 4 KiB, its stride in the superblock.  MIB is the size of the file
# that is read and written.  Each line is of one figure; MB/s are 10^6 bytes.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh
. ./md.sh

what=$1 mib=$2
writers=8 upload=1200		# KB/s each
frame=20480 frames=25		# bytes; a second

# job FILE OPTION...: fio's terse line in /tmp/job; fails if it has an error
job()
{
	file=$1
	shift
	fio --name=job --thread --filename="$file" --ioengine=psync --minimal \
		--terse-version=3 "$@" > /tmp/job 2> /tmp/said
	awk -F ';' '$1 == 3 { good = $5 == 0 } END { exit !good }' /tmp/job
}

# field NUMBER
field()
{
	awk -F ';' -v n="$1" '$1 == 3 { print $n }' /tmp/job
}

row()
{
	echo "# row on=$what $*"
}

forget()
{
	sync
	echo 3 > /proc/sys/vm/drop_caches
}

mb_s()
{
	awk -v kib="$1" -v ms="$2" 'BEGIN { printf "%.2f", ms ? kib * 1.024 / ms : 0 }'
}

# shellcheck disable=SC2086
set -- $disks
echo "1..12"
echo 1 > /proc/sys/kernel/printk
if [ "$what" = disk ]; then
	dev=$1
	[ -b "/dev/$dev" ]
else
	dev=md0
	md_new md0 raid5 32 "$1" "$2" "$3" "$4"
fi
result $? "$what" "$(dmesg | grep md | tail -n 3)"
[ $ktap_failed = 0 ] || finish
if [ "$what" = degraded ]; then
	md_fail md0 "$2" && [ "$(cat /sys/block/md0/md/degraded)" = 1 ]
	result $? "one member failed"
else
	result 0 "all members there"
fi

board memory 8 > /tmp/board
result $? "memory"
row "$(cat /tmp/board)"

# zones of 1 MiB, in MB/s, and seeks, in ms
job "/dev/$dev" --rw=read --bs=1m --direct=1 --write_lat_log=/tmp/zone --disable_slat=1 \
	--disable_clat=1
result $? "zones" "$(cat /tmp/said)"
awk -F ', *' '{
		rate = 1048576e3 / $2; sum += rate
		if (NR == 1 || rate < min) min = rate
		if (rate > max) max = rate
	}
	END { printf "zones=%d zone_min=%.2f zone_avg=%.2f zone_max=%.2f\n", NR, min, sum / NR, max }
	' /tmp/zone_lat.1.log > /tmp/zone
row "$(cat /tmp/zone)"
job "/dev/$dev" --rw=randread --bs=4k --direct=1 --number_ios=500
result $? "seeks" "$(cat /tmp/said)"
# fields 14 to 16: minimum, maximum, mean of completion, in us
row "$(awk -F ';' '$1 == 3 { printf "seek_min=%.3f seek_avg=%.3f seek_max=%.3f\n",
	$14 / 1000, $16 / 1000, $15 / 1000 }' /tmp/job)"

# the stride, in blocks of a chunk, and the stripe's width: fields of ext4's superblock
mkfs.ext2 -b 4096 "/dev/$dev" > /tmp/said 2>&1 &&
if [ "$what" != disk ]; then
	printf '\010\000' | dd of="/dev/$dev" bs=1 seek=1380 conv=notrunc 2> /dev/null &&
	printf '\030\000\000\000' | dd of="/dev/$dev" bs=1 seek=1392 conv=notrunc 2> /dev/null
fi &&
mkdir -p /hd && mount -t ext2 "/dev/$dev" /hd
result $? "ext2" "$(cat /tmp/said; dmesg | tail -n 3)"
[ $ktap_failed = 0 ] || finish
row "filesystem=$(sed -n 's,.* /hd \([a-z0-9]*\) .*,\1,p' /proc/mounts)" \
	"stripe=$(sed -n 's,.* /hd .*stripe=\([0-9]*\).*,\1,p' /proc/mounts)"

rc=0
for size in 0 1024 4096 10240; do
	if board files /hd $size 1000 > /tmp/board; then
		row "size=$size files=1000 $(cat /tmp/board)"
	else
		rc=1
	fi
done
result $rc "files"

# cached: read twice, the second time from memory
job /hd/bench --rw=write --bs=64k --size=8m --end_fsync=1 &&
cat /hd/bench > /dev/null &&
job /hd/bench --rw=read --bs=64k --size=8m --invalidate=0 --loops=4 &&
row "file_read=$(mb_s "$(field 6)" "$(field 9)")" &&
job /hd/bench --rw=read --bs=64k --size=8m --invalidate=0 --loops=4 --ioengine=mmap &&
row "file_mmap=$(mb_s "$(field 6)" "$(field 9)")"
result $? "cached reads" "$(cat /tmp/said)"

# fields 47 and 50: KiB and ms of writes
job /hd/bench --rw=write --bs=64k --size="${mib}m" --end_fsync=1 --verify=crc32c \
	--do_verify=0 &&
row "seq_write=$(mb_s "$(field 47)" "$(field 50)")"
result $? "sequential write" "$(cat /tmp/said)"
forget
job /hd/bench --rw=read --bs=64k --size="${mib}m" &&
row "seq_read=$(mb_s "$(field 6)" "$(field 9)")" &&
job /hd/bench --rw=read --bs=64k --size="${mib}m" --verify=crc32c
result $? "sequential read, and what was written" "$(cat /tmp/said)"

# a frame is late if it takes longer than its share of a second
forget
fio --name=upload --thread --directory=/hd --ioengine=psync --rw=write --bs=64k \
	--size=2m --numjobs=$writers --rate=${upload}k --time_based --runtime=8 \
	--group_reporting --minimal --terse-version=3 > /tmp/upload 2>&1 &
uploader=$!
job /hd/bench --rw=read --bs=$frame --size="${mib}m" --rate_iops=$frames \
	--time_based --runtime=8 --write_lat_log=/tmp/play --disable_slat=1 --disable_clat=1
rc=$?
wait $uploader || rc=1
awk -F ';' '$1 == 3 { good = $5 == 0 } END { exit !good }' /tmp/upload || rc=1
result $rc "playback beside uploads" "$(cat /tmp/said /tmp/upload | head -n 5)"
awk -F ', *' -v frames=$frames -v writers=$writers '
	FILENAME == "/tmp/upload" { split($0, f, ";"); kb = f[48]; next }
	{ n++; late += $2 > 1e9 / frames; worst = $2 > worst ? $2 : worst; end = $1 }
	END {
		printf "writers=%d upload_kb_s=%d frames=%d late=%d worst_ms=%.1f per_s=%.1f\n",
			writers, kb / writers, n, late, worst / 1e6, end ? 1000 * n / end : 0
	}' /tmp/upload /tmp/play_lat.1.log > /tmp/played
row "$(cat /tmp/played)"
umount /hd
rc=$?
if [ "$what" = raid5 ]; then
	wrong=$(md_mismatches md0 60)
	row "mismatches=$wrong"
	[ "$wrong" = 0 ] || rc=1
fi
result $rc "unmounted, parity is right"
finish
