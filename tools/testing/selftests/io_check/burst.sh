#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Checked reads while pci_burst takes memory decoding away and gives it back.

# shellcheck source-path=SCRIPTDIR
. ./ktap.sh

find_adapter
access w 0x34 4 1 0x9
log=/tmp/bursts.csv

echo "1..4"
./pci_burst -d "$bdf" -n 10 -l 5000:200000 -g 20000 -s 1 -o $log &
pid=$!
detected=0 rounds=0
while kill -0 $pid 2> /dev/null; do
	access R 0x34 4 100
	detected=$((detected + errors))
	rounds=$((rounds + 1))
done
wait $pid
result $? "pci_burst ran"
[ "$(grep -c '^[0-9]' $log)" = 10 ] &&
awk -F , '/^[0-9]/ && ($3 - $2 < 5000000 || $4 != $3 - $2) { bad = 1 } END { exit bad }' $log
result $? "ten bursts were logged with their true length"
[ $detected -gt 0 ]
result $? "reads inside bursts reported errors" "$rounds rounds"
access R 0x34 4 100
[ "$errors:$value" = 0:0x9 ]
result $? "no error after the last burst" "$record"
echo "# figures detected=$detected"
finish
