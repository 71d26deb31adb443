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

grep -q '^astro ' "$hints/path" || skip "no Astro above $bdf"
current=$hints/consistent/mr/read_current
elroy=$(sed -n 's/^lba /lba-/p' "$hints/path")

echo "1..$(($# == 1 ? 10 : 7))"
dmesg | sed -n 's/.*sba_iommu: hint_sets:/# hint_sets:/p'
grep -q '^read_current system$' "$hints/scope"
result $? "scope" "$(cat "$hints/scope")"
absent=$(grep -c absent "$debug/$elroy/regs")
[ "$absent" = 15 ]
result $? "Elroy's hints are absent" "$(cat "$debug/$elroy/regs")"
[ ! -e "$hints/streaming/mrm/prefetch" ] && [ ! -e "$hints/streaming/mrm/block_size" ]
result $? "no typed hints of Elroy's"
error='ot permitted'
[ "$1" != unsafe ] || error='nput/output error'
before=$(cat "$debug/$elroy/regs")
! set_hint "$debug/$elroy/raw" "0x380 0x1" && case $said in *"$error"*) ;; *) false ;; esac
result $? "raw write: $error" "$said"
[ "$(cat "$debug/$elroy/regs")" = "$before" ]
result $? "changes nothing"
outside "first 0"
if [ "$1" = unsafe ]; then
	accepted "$current" 0
	outside "read_current 0"
	checksums
	result $? "checksums"
	set_hint "$hints/reset" 1 && [ "$(cat "$current")" = 1 ]
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
