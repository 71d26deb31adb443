#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# CPUs are taken away and come back, one at a time, under I/O and bursts: interrupts move,
# and a queue that has lost its CPUs waits for its requests.
#
# usage: cpus.sh [HITS [SEED]]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

hits=${1:-15}
seed=${2:-1}
cpus=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ ! -w "$cpu/online" ] || cpus="$cpus $cpu"
done
[ -n "$cpus" ] || skip "no CPU that can be taken away"

# until there is /tmp/enough; whatever was taken away is back then
come_and_go()
{
	while [ ! -e /tmp/enough ]; do
		for cpu in $cpus; do
			echo 0 > "$cpu/online" && echo "$cpu" >> /tmp/away
			sleep 0.3
			echo 1 > "$cpu/online"
			sleep 0.2
		done
	done 2> /dev/null
}

echo "1..6"
hourly_limit 1000000
command_timeout 5 "$disks"
fill
storm /tmp/storm "$disks"
sleep 1
: > /tmp/away
come_and_go &
changing=$!
before=$(counted)
bursts -s "$seed" -n $((3 * hits)) -e $errors -H "$hits" -l 1000:500000 \
	-g 200000:800000 -o "$(output bursts.csv)"
result $? "pci_burst ran"
: > /tmp/enough
ended $changing && [ "$(wc -l < /tmp/away)" -ge "$hits" ]
result $? "CPUs came and went" "$(wc -l < /tmp/away)"
storm_ends 6
figures="away=$(wc -l < /tmp/away) detected=$(($(counted) - before))"
figures="$figures lost_irqs=$(dmesg | grep -c 'an interrupt got lost')"
figures="$figures timers=$(dmesg | grep -c 'timeout, completion polled')"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors $figures"
finish
