# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: the DMA hints, $hints, of the first host adapter.

# shellcheck shell=sh disable=SC2034,SC2154
# shellcheck source-path=SCRIPTDIR/../io_check
. ./disks.sh

hints=$dev/dma_hints
[ -d "$hints" ] || skip "$bdf has no dma_hints/"

# value FILE: of the first carrier
value()
{
	read -r _ _ value _ < "$1" && echo "$value"
}

# owner FILE: of the first carrier
owner()
{
	read -r _ _ _ owner _ < "$1" && echo "$owner"
}

# set_hint FILE TEXT: in $said what the shell says if it fails
set_hint()
{
	said=$( { echo "$2" > "$1"; } 2>&1 )
}

# refused FILE TEXT ERROR: with this error, and nothing is different
refused()
{
	before=$(cat "$1" 2> /dev/null)
	! set_hint "$1" "$2" && case $said in *"$3"*) ;; *) false ;; esac &&
		[ "$(cat "$1" 2> /dev/null)" = "$before" ]
	result $? "$2 in ${1#"$hints"/}: $3" "$said, $(cat "$1" 2>&1)"
}

# accepted FILE TEXT [VALUE]: what is read back then
accepted()
{
	set_hint "$1" "$2" && [ "$(value "$1")" = "${3:-$2}" ] &&
		[ "$(owner "$1")" = administrator ]
	result $? "$2 in ${1#"$hints"/}" "$said, $(cat "$1")"
}

# outside TEXT: let somebody outside look at the registers
outside()
{
	echo "hints: look at $1" > /dev/console
	sleep 1
}

# What the adapter's disks hold is what was written, read back by DMA
checksums()
{
	for name in $near; do
		fio --name=check --thread --ioengine=psync --direct=1 --rw=write \
			--bs=64k --size=1m --verify=crc32c --verify_fatal=1 \
			--filename="/dev/$name" > /tmp/checksums 2>&1 || return 1
		grep -q 'err= 0' /tmp/checksums || return 1
	done
}

# config OFFSET BYTES [FUNCTION]: from configuration space, as a number
config()
{
	printf '%d\n' "0x$(od -An -tx1 -j "$(($1))" -N "$2" "${3:-$dev}/config" |
		awk '{ for (i = NF; i; i--) printf "%s", $i }')"
}

# capability ID [FUNCTION]: where it is, or nothing
capability()
{
	[ $(($(config 6 2 "$2") & 0x10)) != 0 ] || return 0
	at=$(config 0x34 1 "$2")
	while [ "$at" != 0 ]; do
		[ "$(config "$at" 1 "$2")" != $(($1)) ] || echo "$at"
		at=$(config $((at + 1)) 1 "$2")
	done
}
