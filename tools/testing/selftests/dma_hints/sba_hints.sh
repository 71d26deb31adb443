#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# DMA hints of an Astro and the Elroys below it.
#
# usage: sba_hints.sh [unsafe]
#
# "unsafe": dma_hints.unsafe is set.  For each line "hints: look at NAME VALUE" on
# the console something outside of this machine may look at the registers.

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

grep -q ' astro$' "$hints/path" || skip "no Astro above $bdf"
current=$hints/read_current
lba=$(readlink "$dev")
lba=${lba%/pci*}
elroy=/sys/kernel/debug/lba_hints/${lba##*/}

echo "1..$(($# == 1 ? 10 : 7))"
dmesg | sed -n '/hint_sets/s/^/# /p'
grep -q '^read_current possible=yes grain=system commands=mr,mrl,mrm max=1$' \
	"$hints/query"
result $? "query" "$(cat "$hints/query")"
[ "$(grep -c absent "$elroy")" = 14 ]
result $? "Elroy's hints are absent" "$(cat "$elroy")"
[ ! -e "$hints/prefetch" ] && [ ! -e "$hints/block" ]
result $? "no typed hints of Elroy's" "$(ls "$hints")"
error='ot permitted'
[ "$1" != unsafe ] || error='nput/output error'
before=$(cat "$elroy")
! set_hint "$elroy" "0 0x1" && case $said in *"$error"*) ;; *) false ;; esac
result $? "raw write: $error" "$said"
[ "$(cat "$elroy")" = "$before" ]
result $? "changes nothing"
outside "first 0"
if [ "$1" = unsafe ]; then
	accepted "$current" 0
	outside "read_current 0"
	checksums
	result $? "checksums"
	set_hint "$hints/reset" 1 && [ "$(value "$current")" = 1 ]
	result $? "reset" "$said"
	outside "reset 1"
	[ "$(($(cat /proc/sys/kernel/tainted) & 64))" = 64 ]
	result $? "the kernel is tainted" "$(cat /proc/sys/kernel/tainted)"
else
	refused "$current" 0 'ot permitted'
	outside "refused 1"
fi
checksums
result $? "checksums of the disks"
finish
