#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# EEH isolates the first adapter: a checked read says so, and the driver's error
# handlers bring the adapter back under verified I/O, with its disks.
#
# usage: eeh.sh [checked | plain | dead]
#
# plain: of a kernel that has no handlers.  dead: the other adapter, of the same
# endpoint, was given up before; it must not take the first one with it.
#
# The partitionable endpoint is frozen in the PHB4's own tables, as its hardware
# does it (PESTA, PESTB and PEEV through the IODA table registers 0x220 and
# 0x228); that needs /dev/mem and busybox' devmem.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

[ -c /dev/mem ] || skip "no /dev/mem"
grep -q PowerNV /proc/cpuinfo || skip "no PowerNV"
pe=$(($(cat "$dev/eeh_pe_config_addr")))
port=/sys/bus/pci/devices/${bdf%%:*}:00:00.0
phb=0x$(od -A n -t x1 -N 8 "$port/of_node/../reg" | tr -d ' \n')
host=$(basename "$(readlink "/sys/block/${near##* }/device")")
echo "# PE $pe of the PHB at $phb, disk at $host"

# ioda TABLE INDEX VALUE
ioda()
{
	devmem $((phb + 0x220)) 64 "$(printf 0x%x $((($1 << 48) | $2)))"
	devmem $((phb + 0x228)) 64 "$(printf 0x%x "$3")"
}

freeze()
{
	ioda 7 $pe $((1 << 63))
	ioda 8 $pe $((1 << 63))
	ioda 20 $((pe >> 6)) $((1 << (63 - (pe & 63))))
}

mode=${1:-checked}
times=1
case $mode in
checked)
	echo "1..8"
	times=2
	;;
plain) echo "1..2" ;;
dead) echo "1..8" ;;
esac
fill
if [ "$mode" = dead ]; then
	find_other
	[ "$(cat "$path/eeh_pe_config_addr")" = "$(cat "$dev/eeh_pe_config_addr")" ] ||
		skip "another endpoint of ${path##*/}"
	give_up_other
fi
if [ "$mode" = checked ]; then
	hourly_limit 1000000
	insmod /modules/io_check_test.ko 2> /dev/null
	# the reply FIFO of an idle adapter is empty, and says so with all-ones
	access R 0x44 4 1
	[ "$errors:$value" = 0:0xffffffff ]
	result $? "all-ones of a living adapter is data" "$record"
	freeze
	access R 0x44 4 1
	case $errors:$error:$record in
	1:-11:*cause=5*) true ;;
	*) false ;;
	esac
	result $? "a frozen adapter's is -EAGAIN" "$record"
	wait_for 'EEH: Recovery successful' 1
	result $? "EEH recovers it"
fi
storm /tmp/storm "$disks"
sleep 2
# an interrupt's last read of the FIFO asks firmware, which uses the same table
# registers: no I/O while they are written
kill -STOP $fio
sleep 0.5
freeze
kill -CONT $fio
if [ "$mode" = plain ]; then
	# fio may hang for as long as its disk is on its way out
	wait_for 'EEH: Reset with' 1
	sleep 5
	[ -e "/sys/block/${near##* }" ] && ! grep -q 'err=' /tmp/storm
	result $? "its disks stay" "$(grep 'err=' /tmp/storm | head -n 1)"
	finish
fi
wait_for 'EEH: Recovery successful' $times
result $? "EEH recovers it under I/O"
# shellcheck disable=SC2086
last=$(completed $near)
sleep 2
# shellcheck disable=SC2086
alive=$(completed $near)
result $((alive <= last)) "I/O goes on"
kill $fio
wait $fio
sound /tmp/storm "$disks"
result $? "no error of fio's"
[ "$(basename "$(readlink "/sys/block/${near##* }/device")")" = "$host" ] &&
	! dmesg | grep -q 'not EEH aware'
result $? "it was never unplugged"
[ "$mode" != dead ] || rebind_other
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors"
finish
