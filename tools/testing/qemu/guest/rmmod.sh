#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver's modules are unloaded while accesses fail, as soon as nobody uses its disks:
# what of a recovery runs on has no code left.  In each second round they are loaded and
# unloaded once more before the bursts end, whatever that finds.  Loaded after them they
# bring the disks back.
#
# usage: rmmod.sh [ROUNDS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

rounds=${1:-6}
case $driver in
mptsas) modules='mptbase mptscsih mptsas' ;;
nvme) modules='nvme-core nvme' ;;
*) modules=$driver ;;
esac

load()
{
	for name in $modules; do
		insmod "/modules/$name.ko" || return
	done
}

# in the other order, as each uses the one before it; who scans for disks holds one
unload()
{
	names=
	for name in $modules; do
		names="$name $names"
	done
	for name in $names; do
		until_true 20 rmmod "$name" || return
	done
}

[ -e "/modules/${modules##* }.ko" ] || skip "$driver is no module"
echo "1..$((2 + 3 * rounds))"
fill
n=0
while [ $n -lt "$rounds" ]; do
	n=$((n + 1))
	hourly_limit 1000000
	bursts -i -s $n -n 20 -l 20000:100000 -g 20000:200000 > /tmp/bursts &
	bursting=$!
	# shellcheck disable=SC2086
	last=$(completed $near)
	storm /tmp/storm "$near"
	# all of its threads have begun
	goes_on $((last + 100))
	sleep 0.$n
	kill "$fio"
	wait "$fio"
	sound /tmp/storm "$near"
	result $? "its disks take I/O"
	if [ $((n % 2)) = 0 ]; then
		unload && load
	fi
	unload &
	unloading=$!
	ended $unloading && wait $unloading
	result $? "unloaded while accesses fail"
	wait "$bursting"
	load
	disks_are_back
	near=$again
done
disks=$near
blocks_are_good
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors detected=$(counted)"
finish
