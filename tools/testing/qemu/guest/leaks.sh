#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# After other tests: the adapters are unbound, and nothing is left that nobody refers to.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./ktap.sh

leaks=/sys/kernel/debug/kmemleak
[ -e $leaks ] || skip "no $leaks: CONFIG_DEBUG_KMEMLEAK?"
find_device
echo "1..1"
# sym53c8xx keeps pointers in DMA memory, where nobody looks for them
for drv in /sys/bus/pci/drivers/mpt* /sys/bus/pci/drivers/sym* /sys/bus/pci/drivers/nvme; do
	for adapter in "$drv"/*:*; do
		[ ! -e "$adapter" ] || echo "${adapter##*/}" > "$drv/unbind"
	done
done
# what was freed a moment ago may still be in a register
echo scan > $leaks
sleep 6
echo scan > $leaks
! grep -q 'unreferenced object' $leaks
result $? "no memory is lost" "$(head -n 40 $leaks | tr '\n' ';')"
[ $ktap_failed = 0 ] || cat $leaks > /dev/console
finish
