# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts of the bench: md arrays without superblocks, set up through
# sysfs (Documentation/admin-guide/md.rst).

# shellcheck shell=sh

# md_add ARRAY DISK: as a spare
md_add()
{
	cat "/sys/block/$2/dev" > "/sys/block/$1/md/new_dev" &&
	echo $(($(cat "/sys/block/$2/size") / 2)) > "/sys/block/$1/md/dev-$2/size"
}

# md_new ARRAY LEVEL CHUNK_KIB DISK...: of blank disks, so that parity is right
md_new()
{
	array=$1
	sys=/sys/block/$1/md
	slot=0
	echo "$1" > /sys/module/md_mod/parameters/new_array &&
	echo none > "$sys/metadata_version" &&
	echo "$2" > "$sys/level" &&
	echo $(($3 * 1024)) > "$sys/chunk_size" || return
	[ "$2" = raid0 ] || echo 2 > "$sys/layout" || return	# left-symmetric
	size=$(($(cat "/sys/block/$4/size") / 2))
	shift 3
	echo $# > "$sys/raid_disks" || return
	for name; do
		md_add "$array" "$name" &&
		echo $slot > "$sys/dev-$name/slot" || return
		slot=$((slot + 1))
	done
	case $(cat "$sys/level") in
	raid0) ;;
	*)
		echo "$size" > "$sys/component_size" &&
		echo none > "$sys/resync_start" || return
		;;
	esac
	echo active > "$sys/array_state"
}

# md_fail ARRAY DISK: fail it, and take it out
md_fail()
{
	echo faulty > "/sys/block/$1/md/dev-$2/state" || return
	for try in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -e "/sys/block/$1/md/dev-$2" ] && return
		echo remove > "/sys/block/$1/md/dev-$2/state" 2> /dev/null
		sleep "0.$try"
	done
	[ ! -e "/sys/block/$1/md/dev-$2" ]
}

# md_rebuild ARRAY DISK SLOT: begins
md_rebuild()
{
	md_add "$1" "$2" &&
	echo "$3" > "/sys/block/$1/md/dev-$2/slot" &&
	echo recover > "/sys/block/$1/md/sync_action"
}

# md_wait ARRAY SECONDS: until nothing is rebuilt or checked
md_wait()
{
	left=$((10 * $2))
	until [ "$(cat "/sys/block/$1/md/sync_action")" = idle ]; do
		[ $left -gt 0 ] || return
		sleep 0.1
		left=$((left - 1))
	done
}

# md_mismatches ARRAY SECONDS: checks parity; prints the sectors that are wrong
md_mismatches()
{
	echo check > "/sys/block/$1/md/sync_action" &&
	md_wait "$1" "$2" &&
	cat "/sys/block/$1/md/mismatch_cnt"
}
