# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: the DMA hints, $hints, of the first LSI host adapter.

# shellcheck shell=sh disable=SC2034,SC2154
# shellcheck source-path=SCRIPTDIR/../io_check
. ./disks.sh

hints=$dev/dma_hints
debug=/sys/kernel/debug/dma_hints
[ -d "$hints" ] || skip "$bdf has no dma_hints/"

# set_hint FILE VALUE: in $said what the shell says if it fails
set_hint()
{
	said=$( { echo "$2" > "$1"; } 2>&1 )
}

# refused FILE VALUE ERROR: with this error, and nothing is different
refused()
{
	value=$(cat "$1" 2> /dev/null)
	! set_hint "$1" "$2" && case $said in *"$3"*) ;; *) false ;; esac &&
		[ "$(cat "$1" 2> /dev/null)" = "$value" ]
	result $? "$2 in ${1#"$hints"/}: $3" "$said, $(cat "$1" 2>&1)"
}

# accepted FILE VALUE [NAME]
accepted()
{
	set_hint "$1" "$2" && [ "$(cat "$1")" = "$2" ]
	result $? "${3:-"$2 in ${1#"$hints"/}"}" "$said, $(cat "$1" "$hints/last_error")"
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
