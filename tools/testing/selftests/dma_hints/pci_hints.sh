#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# DMA hints in the configuration space of a conventional PCI function: one that
# sticks, those that do not, and what is refused.
#
# usage: pci_hints.sh

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

log=$debug/pci-$bdf
device=$hints/device
[ -e "$device/cache_line_size" ] || skip "$bdf is no conventional PCI function"

echo "1..19"
grep -q '^device/cache_line_size quiet$' "$hints/caps"
result $? "caps" "$(cat "$hints/caps")"
grep -q '^cache_line_size device$' "$hints/scope"
result $? "scope" "$(cat "$hints/scope")"
grep -q "^pci $bdf\$" "$hints/path"
result $? "path" "$(cat "$hints/path")"

old=$(cat "$device/cache_line_size")
new=16
[ "$old" != 16 ] || new=8
refused "$device/cache_line_size" nonsense 'nvalid argument'
refused "$device/cache_line_size" 256 'nvalid argument'
refused "$device/cache_line_size" -1 'nvalid argument'
accepted "$device/cache_line_size" $new
[ "$(printf '%d' "0x$(od -An -tx1 -j12 -N1 "$dev/config" | tr -d ' ')")" = $new ]
result $? "it is in configuration space"

# What does not stick is undone
refused "$device/latency_timer" 64 'nput/output error'
grep -q '^-5 ' "$hints/last_error"
result $? "last_error says why" "$(cat "$hints/last_error")"
refused "$device/mwi" 1 'nput/output error'

# Fault injection: the first of its three accesses fails, the second, the third
for nth in 1 2 3; do
	echo $nth > "$log/inject"
	set_hint "$device/cache_line_size" "$((new + 4))"
	rc=$?
	[ $rc != 0 ] && [ "$(cat "$log/inject")" = 0 ] &&
		[ "$(cat "$device/cache_line_size")" = $new ]
	result $? "access $nth failed: nothing is different" "$said"
done
grep -q ' -5$' "$log/log" && grep -q '^[0-9]* write 0x1 ' "$log/log"
result $? "debugfs has the accesses" "$(cat "$log/log")"
# without dma_hints.unsafe
set_hint "$log/raw" "0x1 0x20"
[ $? != 0 ] && [ "$(cat "$device/cache_line_size")" = $new ]
result $? "no raw access" "$said"

refused "$hints/reset" 0 'nvalid argument'
set_hint "$hints/reset" 1 && [ "$(cat "$device/cache_line_size")" = "$old" ]
result $? "reset" "$said, $(cat "$device/cache_line_size")"
checksums
result $? "checksums of the disks"
finish
