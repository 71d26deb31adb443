#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The first adapter is removed by surprise, under verified I/O: the power of its
# slot goes off.  Its driver has to give it up, and nothing beside it may suffer.
#
# usage: removal.sh [SECONDS [ORDER]]
#
# SECONDS (7) is the timeout of the disks' commands.  Where a write to a register
# that is not there is seen by nobody, that timeout may be the first to tell, and the
# block layer's timer is up to a second late, so the driver has three seconds more.  The
# slot's power is a bit of the port above, and stays off.
#
# ORDER says when pciehp hears of it, which removes the device:
#	never		(the default) the driver is alone, and unbound by hand
#	late		when the driver has given it up
#	first		at once, before the driver
#	recovering	at once, in a recovery that cannot end
#
# For these the device has to be pulled, too, when the kernel log says so: QEMU's slot
# without power still says that it is there.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

timer=${1:-7} limit=$((${1:-7} + 3)) order=${2:-never}
case $order in never|late|first|recovering) ;; *) skip "no order '$order'" ;; esac
[ -n "$far" ] || skip "no disk beside the adapter"

# The port whose slot the adapter is in: bit 8 of the capability's flags.
find_port()
{
	port=$(cd -P "$dev" && pwd -P)
	while port=${port%/*}; do
		[ -e "$port/config" ] || return 1
		express "$port" && [ $(($(byte "$port" $((at + 3))) & 1)) = 1 ] &&
			return 0
	done
}
find_port || skip "no slot above $bdf"
echo "# port ${port##*/}"

# pciehp's device of the port
pciehp=/sys/bus/pci_express/drivers/pciehp
for service in "$pciehp/${port##*/}":*; do
	[ -e "$service" ] || service=
done
[ -n "$service" ] || [ "$order" = never ] || skip "no pciehp on ${port##*/}"

# Slot Control, upper byte: bit 2 the power off, bits 0 and 1 its indicator off
# (PCI Express 6.0, 7.5.3.10)
power_off()
{
	printf '%b' "\\0$(printf %o $(($(byte "$port" $((at + 25))) | 7)))" |
		dd of="$port/config" bs=1 seek=$((at + 25)) conv=notrunc 2> /dev/null
}

power_on()
{
	printf '%b' "\\0$(printf %o $(($(byte "$port" $((at + 25))) & ~7 | 1)))" |
		dd of="$port/config" bs=1 seek=$((at + 25)) conv=notrunc 2> /dev/null
}

# Presence Detect State, bit 6 of Slot Status (7.5.3.11)
empty()
{
	[ $(($(byte "$port" $((at + 26))) & 64)) = 0 ]
}

given_up()
{
	dmesg | grep -q 'io_check: it was removed'
}

no_device()
{
	[ ! -e "$dev" ] && [ ! -e "/sys/block/${near##* }" ]
}

no_fio()
{
	! kill -0 "$fio" 2> /dev/null
}

# what the driver did by itself
check_driver()
{
	[ "$(byte "$dev" 0)" = 255 ]
	result $? "it is gone" "vendor $(byte "$dev" 0)"
	until_true $limit given_up
	took=$(dmesg | awk -F '[][]' '/removal: power off/ { first = $2 }
				      /io_check: it was removed/ { last = $2 }
				      END { printf "%d", last ? (last - first) * 1000 : 1e6 }')
	[ "$took" -le $((limit * 1000)) ]
	result $? "its driver gives it up" "after $took ms"
	echo "# took $took ms"
}

case $order in
first) echo "1..5" ;;
recovering) echo "1..6" ;;
late) echo "1..8" ;;
*) echo "1..7" ;;
esac
command_timeout "$timer" "$disks"
fill
storm /tmp/far "$far"
far_fio=$fio
storm /tmp/near "$near"
sleep 2
if [ "$order" = recovering ]; then
	memory_off
	until_true $((2 * limit)) state_is recovering
	result $? "it is being recovered" "$(cat "$dev/io_check/state")"
fi
echo "<4>removal: power off" > /dev/kmsg
power_off
case $order in never|late) check_driver ;; esac
if [ "$order" != never ]; then
	echo "<4>removal: pull it" > /dev/kmsg
	until_true $limit empty
	result $? "its slot is empty"
	# to pciehp what is off is removed; and a command that completes interrupts it, so
	# that it sees the other event
	[ "$order" = late ] || power_on
fi
# its threads end with an error, and soon
until_true $((2 * limit)) no_fio
grep -q 'err= 5' /tmp/near
result $? "its I/O fails" "$(grep 'err=' /tmp/near | tail -n 1)"
case $order in
never)
	its_disks_are offline
	# nvme unbinds by itself, before Linux 6.2
	[ ! -e "$dev/driver" ] || echo "$bdf" > "/sys/bus/pci/drivers/$driver/unbind"
	[ ! -e "$dev/driver" ] && [ ! -e "/sys/block/${near##* }" ]
	result $? "unbound, its disks are gone"
	;;
late)
	its_disks_are offline
	power_on
	;;
esac
if [ "$order" != never ]; then
	until_true $((2 * limit)) no_device
	result $? "pciehp removed it, its disks are gone"
fi
sleep 2
kill $far_fio
wait $far_fio
sound /tmp/far "$far"
result $? "the I/O beside it is sound"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
