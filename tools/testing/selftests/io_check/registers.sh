#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Registers of a PCI device, alive and dead, by each size and direction.
#
# usage: registers.sh [checked|reads|plain|extable|stray|ones] [COUNT]
#
# "checked" (default) uses readX_check() and writeX_check(); each access to
# the dead device has to report an error, and no access to the living one may.
# "reads" is that for reads alone, where nothing tells of a write.
# "plain" uses readX() and writeX(): on a machine that signals the error it
# ends in a panic.  So does "extable" on powerpc and arm64, a load with an
# exception table entry and nothing else.  "stray" is a checked read through a
# pointer to no device: a bug, which has to stay one, and to end in an Oops.
# "ones" reads a register that says all-ones and means it, before and after some reads
# of the dead device: neither may have a wrong verdict.
# COUNT (125) is per size and direction.

# shellcheck source-path=SCRIPTDIR
. ./ktap.sh

mode=${1:-checked}
count=${2:-125}
case $mode in
checked) read=R write=W ;;
reads) read=R write= ;;
plain) read=r write=w ;;
extable) read=X write= ;;
stray) read=S write= ;;
ones) ;;
*) skip "no mode '$mode'" ;;
esac
find_adapter
if [ "$mode" = stray ]; then
	echo "1..1"
	echo "registers: a stray pointer" > /dev/console
	access $read 0 4 1
	result 1 "a stray pointer is no error of a device" "$record"
	finish
fi
if [ "$mode" = ones ]; then
	# an empty reply FIFO; SCRATCHA has what is written to it
	echo "1..3"
	off=0x44
	[ -z "$ram" ] || off=0x34
	for part in "all-ones of a live device" "of the device back alive"; do
		[ -z "$ram" ] || access w $off 4 1 0xffffffff
		access R $off 4 "$count"
		[ "$errors:$value" = 0:0xffffffff ]
		result $? "$count $part" "$record"
		[ $tests = 1 ] || break
		memory_off
		access R $off 4 100
		memory_on
		[ "$errors" = 100 ]
		result $? "100 reads of the dead device" "$record"
	done
	finish
fi
sizes="1 2 4"
case $(uname -m) in *64*) sizes="1 2 4 8" ;; esac
[ "$mode" != extable ] || sizes=4

accesses=0 detected=0 wrong=0

# at SIZE: sets $off, $want (what $off holds), and $junk (to write when dead)
at()
{
	off=0x34 want=0x9 junk=0x1
	# the register is the upper half, the lower one (status) reads 0
	[ "$1" != 8 ] || off=0x30 want=0x900000000 junk=0x100000000
	ones=0xffffffffffffffff
	case $1 in
	1) ones=0xff ;;
	2) ones=0xffff ;;
	4) ones=0xffffffff ;;
	esac
}

bad()
{
	wrong=$((wrong + $1))
	echo "# $2: $record"
}

alive()
{
	before=$wrong
	for size in $sizes; do
		at $size
		access w $off $size 1 $want
		for op in $write $read; do
			access $op $off $size $count $want
			accesses=$((accesses + count))
			[ "$errors" = 0 ] || bad "$errors" "error on a live device"
			[ "$value" = $want ] || bad 1 "value is not $want"
		done
	done
	[ $wrong = $before ]
}

dead()
{
	before=$wrong
	for size in $sizes; do
		at $size
		access $read $off $size $count
		accesses=$((accesses + count))
		detected=$((detected + errors))
		[ "$errors" = "$count" ] ||
			bad $((count - errors)) "read of a dead device unseen"
		[ "$value" = $ones ] || bad 1 "value is not all-ones"
		case $record in
		*lost*) bad 1 "a process's register" ;;
		*" bar=$bar offset=$off size=$size write=0 cause="[1-6]) ;;
		*) bad 1 "record names another access" ;;
		esac
		[ -n "$write" ] || continue
		access $write $off $size $count $junk
		accesses=$((accesses + count))
		detected=$((detected + errors))
		[ "$errors" = "$count" ] ||
			bad $((count - errors)) "write to a dead device unseen"
		case $record in
		*lost*) bad 1 "a process's register" ;;
		*" bar=$bar offset=$off size=$size write=1 cause="[1-6]) ;;
		*) bad 1 "record names another access" ;;
		esac
	done
	[ $wrong = $before ]
}

untouched()
{
	at 4
	access r $off 4 1
	[ "$value" = $want ]
}

echo "1..4"
alive
result $? "accesses to a live device"
echo "registers: memory decode off, $mode accesses" > /dev/console
memory_off
dead
rc=$?
echo "registers: memory decode on" > /dev/console
memory_on
result $rc "accesses to a dead device"
untouched
result $? "writes to a dead device went nowhere" "$record"
alive
result $? "accesses to the device back alive"
echo "# figures accesses=$accesses detected=$detected wrong=$wrong"
finish
