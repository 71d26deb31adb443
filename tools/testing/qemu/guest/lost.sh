#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A store that nobody misses: the doorbell of a command that an NVMe controller's reset
# waits for gets lost.  After serror.sh.
#
# usage: lost.sh [COUNT]
#
# COUNT (1) resets in a row lose their first command, Identify.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

el2=/sys/kernel/debug/el2
[ "$driver" = nvme ] && [ -d $el2 ] || skip "no NVMe controller below an EL2 of the bench's"
regs=$(sed -n "$((bar + 1))p" "$dev/resource" | cut -d ' ' -f 1)
ctrl=$(echo "$dev"/nvme/nvme*)

echo "1..4"
fill
storm /tmp/storm "$near"
sleep 1
# SQ0TDBL (NVMe 1.4, 3.1.24)
echo $((regs + 0x1000)) > $el2/lose_at
# of the reset's beginning, which deletes a queue's two halves
echo 2 > $el2/pass
echo "${1:-1}" > $el2/lose
if echo 1 > "$ctrl/reset_controller"; then rc=0; else rc=1; fi
result $rc "the controller is reset"
last=$(completed $near)
goes_on "$last"
result $? "I/O goes on"
kill $fio
wait $fio
sound /tmp/storm "$near"
result $? "no error of fio's"
echo "# figures lost=$((${1:-1} - $(cat $el2/lose)))"
finish
