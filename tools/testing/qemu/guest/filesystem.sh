#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Journalled file systems, which the host has made, on the disks of the first adapter, whose
# accesses fail in bursts: pages are written back, and trees of files are made, linked and
# removed.  The host looks for what is inconsistent when all is over.
#
# usage: filesystem.sh BURSTS [offline_on_error]
#
# With offline_on_error the adapter goes offline in the first burst.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

count=$1
jobs=2

# errors that the file systems count
ext4_errors()
{
	for name in $near; do
		cat "/sys/fs/ext4/$name/errors_count"
	done | awk '{ n += $1 } END { print n + 0 }'
}

mount_all()
{
	for name in $near; do
		mkdir -p "/mnt/$name"
		mount -t ext4 "/dev/$name" "/mnt/$name" || return
	done
}

umount_all()
{
	for name in $near; do
		umount "/mnt/$name" || return
	done
}

sums()
{
	(cd "$1" && md5sum ./*.sh)
}

# tree_is_good DIRECTORY
tree_is_good()
{
	[ "$(sums "$1")" = "$wanted" ]
}

# trees: a tree a round on each disk, whose files have second names and lose their first ones;
# the one before the last is removed; until there is /tmp/enough
trees()
{
	round=0
	until [ -e /tmp/enough ]; do
		round=$((round + 1))
		for name in $near; do
			at=/mnt/$name/$round
			mkdir "$at" || return
			for file in /selftests/*.sh; do
				cat "$file" > "$at/new" && ln "$at/new" "$at/${file##*/}" &&
				rm "$at/new" || return
			done
			sync
			# from the disk
			echo 3 > /proc/sys/vm/drop_caches
			tree_is_good "$at" || return
			rm -rf "/mnt/${name:?}/$((round - 2))"
			echo "$round" > "/tmp/trees.$name"
		done
	done
}

trees_are_good()
{
	for name in $near; do
		[ -s "/tmp/trees.$name" ] &&
		tree_is_good "/mnt/$name/$(cat "/tmp/trees.$name")" || return
	done
}

# files: fio writes and verifies files of each disk, until it is killed; sets $fio
files()
{
	set --
	for name in $near; do
		set -- "$@" --name="$name" --directory="/mnt/$name"
	done
	fio --name=global --thread --ioengine=psync --fallocate=none --verify=crc32c \
		--verify_interval=4k --verify_fatal=1 --numjobs=$jobs --nrfiles=4 --size=2m \
		--rw=randwrite --bs=4k --fsync=8 --verify_backlog=16 --loops=1000000 \
		"$@" > /tmp/storm 2>&1 &
	fio=$!
}

echo "1..8"
if [ "${2:-}" = offline_on_error ]; then
	echo 1 > "$dev/io_check/offline_on_error"
else
	hourly_limit 1000000
fi
wanted=$(sums /selftests)
mount_all
result $? "file systems are mounted" "$(dmesg | tail -n 3)"
[ $ktap_failed = 0 ] || finish
files
trees > /tmp/trees 2>&1 &
trees=$!
# something is in the journals
sleep 5
before=$(counted)
bursts -s 1 -n "$count" -l 20000:400000 -g 300000:900000 > /tmp/bursts
result $? "pci_burst ran"
: > /tmp/enough
wait $trees
result $? "trees of files are good" "$(tail -n 3 /tmp/trees)"
kill $fio
wait $fio
sound /tmp/storm "$near"
result $? "the files are good"
met=$(ext4_errors)
[ "$met" = 0 ]
result $? "ext4 met no error" "$met"
# as they are on the disks
umount_all && mount_all
result $? "file systems are mounted again" "$(dmesg | tail -n 3)"
trees_are_good
result $? "the last trees are good"
umount_all
result $? "file systems are unmounted"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors" \
	"trees=$(cat /tmp/trees.* | awk '{ n += $1 } END { print n + 0 }')" \
	"ext4_errors=$met detected=$(($(counted) - before))"
finish
