#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# DMA hints of a Dino: each value of its two registers, the disks in use, and who
# is refused.
#
# usage: dino_hints.sh [safe]
#
# "safe": dma_hints.unsafe is not set, and what reads ahead without end is refused
# where several functions are bus masters.  For each line "hints: look at NAME VALUE"
# on the console something outside of this machine may look at the registers.

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

grep -q ' dino$' "$hints/path" || skip "no Dino above $bdf"
endless="half full"
[ "$1" != safe ] || endless=

# shellcheck disable=SC2086
set -- 4 8 16 32 64 96 $endless
echo "1..$((2 * ($# + 4) + ($# == 6 ? 2 : 0) + 11))"
grep -q '^prefetch possible=yes grain=bus commands=mr,mrl,mrm max=96$' "$hints/query" &&
	grep -q '^block possible=yes grain=bus commands=mw max=32$' "$hints/query"
result $? "query" "$(cat "$hints/query")"
outside "first 0"
for bytes; do
	accepted "$hints/prefetch" "$bytes"
	outside "prefetch $bytes"
	checksums
	result $? "checksums"
done
for bytes in 4 8 16 32; do
	accepted "$hints/block" $bytes
	outside "block $bytes"
	checksums
	result $? "checksums"
done
accepted "$hints/prefetch" 63 32
accepted "$hints/block" 'all mw 4096' 32
refused "$hints/prefetch" 3 'nvalid argument'
refused "$hints/prefetch" 'streaming 64' 'nvalid argument'
refused "$hints/prefetch" 'mrm 64' 'nvalid argument'
refused "$hints/block" 'mr 16' 'not supported'
if [ -z "$endless" ]; then
	refused "$hints/prefetch" full 'ot permitted'
	refused "$hints/prefetch" half 'ot permitted'
fi

# All on the bus share them
for other in /sys/bus/pci/devices/*/dma_hints/prefetch; do
	[ "$other" = "$hints/prefetch" ] || break
done
accepted "$hints/prefetch" 32
refused "$other" 16 'usy'
set_hint "$hints/reset" 1
result $? "reset" "$said"
outside "reset 0"
[ "$(owner "$hints/prefetch")" = driver ]
result $? "nobody's word any more" "$(cat "$hints/prefetch")"
finish
