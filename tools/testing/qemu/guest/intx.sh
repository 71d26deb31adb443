#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A controller without MSI whose memory decoding is off for a second: its interrupt stays
# asserted, and has to be masked until it is reset.
#
# usage: intx.sh

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

[ -z "$(ls "$dev/msi_irqs" 2> /dev/null)" ] || skip "MSI"

# Interrupt Disable is bit 10 of Command (PCI 3.0, 6.2.2)
masked()
{
	[ $(($(byte "$dev" 5) & 4)) != 0 ]
}

interrupts()
{
	awk -v irq="$(cat "$dev/irq"):" '$1 == irq { for (n = 2; n < NF; n++) sum += $n }
					 END { print sum + 0 }' /proc/interrupts
}

echo "1..4"
storm /tmp/storm "$near"
sleep 1
! masked
result $? "not masked before"
bursts -l 1000000 -g 100000 -o /tmp/bursts.csv &
burst=$!
sleep 0.3
before=$(interrupts)
sleep 0.5
during=$(($(interrupts) - before))
masked
result $? "masked in the burst" "$during interrupts"
# the kernel disables a line after 100,000 that nobody handles
[ $during -lt 1000 ]
result $? "without interrupts" "$during of them"
wait $burst
# shellcheck disable=SC2086
goes_on "$(completed $near)" && ! masked
result $? "not masked after its reset"
kill $fio
wait $fio
echo "# figures during=$during"
finish
