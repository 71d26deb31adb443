#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# DMA hints of a Dino: each value of its two registers, the disks in use, and who
# is refused.
#
# usage: dino_hints.sh [safe]
#
# "safe": dma_hints.unsafe is not set, and what reads ahead without end is refused
# where several devices are bus masters.  Else the registers begin with what the
# kernel itself writes to a Dino without firmware.  For each line "hints: look at NAME VALUE"
# on the console something outside of this machine may look at the registers.

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

device=$hints/device
grep -q '^dino ' "$hints/path" || skip "no Dino above $bdf"
endless="half full"
if [ "$1" = safe ]; then
	endless=
else
	for reg in 0x824 0x828; do
		echo "$reg 0x222222" > "$(echo "$debug"/dino-*/raw)"
	done
fi

# shellcheck disable=SC2086
set -- 1 2 4 8 16 24 $endless
echo "1..$((2 * ($# + 4) + ($# == 6 ? 2 : 0) + 7))"
grep -q '^read_words bus$' "$hints/scope"
result $? "scope" "$(cat "$hints/scope")"
outside "first 0"
for words; do
	accepted "$device/read_words" "$words"
	outside "read_words $words"
	checksums
	result $? "checksums"
done
for words in 1 2 4 8; do
	accepted "$device/write_words" $words
	outside "write_words $words"
	checksums
	result $? "checksums"
done
refused "$device/read_words" 3 'nvalid argument'
refused "$device/write_words" 16 'nvalid argument'
if [ -z "$endless" ]; then
	refused "$device/read_words" full 'ot permitted'
	refused "$device/read_words" half 'ot permitted'
fi

# All on the bus share them
for other in /sys/bus/pci/devices/*/dma_hints/device/read_words; do
	[ "$other" = "$device/read_words" ] || break
done
accepted "$device/read_words" 8
refused "$other" 4 'usy'
set_hint "$hints/reset" 1
result $? "reset" "$said"
outside "reset 0"
grep -q '^PCIROR 0x824 0x' "$debug"/dino-*/regs
result $? "debugfs has the registers" "$(cat "$debug"/dino-*/regs)"
finish
