# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: KTAP, and the registers of one LSI host adapter.

# shellcheck shell=sh disable=SC2034
KSFT_SKIP=4
FILE=/sys/kernel/debug/io_check_test
tests=0
ktap_failed=0

skip()
{
	echo "1..0 # SKIP $1"
	exit $KSFT_SKIP
}

# result RC NAME [DIAGNOSTIC]
result()
{
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests $2"
	else
		ktap_failed=$((ktap_failed + 1))
		[ -z "$3" ] || echo "# $3"
		echo "not ok $tests $2"
	fi
}

finish()
{
	[ $ktap_failed = 0 ]
	exit
}

# until_true SECONDS COMMAND...: true within them
until_true()
{
	polls=$(($1 * 5))
	shift
	until "$@"; do
		[ $polls -gt 0 ] || return 1
		polls=$((polls - 1))
		sleep 0.2
	done
}

# Find the first adapter: $bdf, $dev, and $bar of its registers.
find_device()
{
	for dev in /sys/bus/pci/devices/*; do
		case $(cat "$dev/vendor"):$(cat "$dev/device") in
		0x1000:0x0054) bar=1 ram=; break ;;	# SAS1068
		0x1000:0x0012) bar=1 ram=2; break ;;	# 53c895a
		0x1b36:0x0010) bar=0 ram=; break ;;	# QEMU's NVMe controller
		esac
		dev=
	done
	[ -n "$dev" ] || skip "no LSI SAS1068 or 53c895a, nor QEMU's NVMe controller"
	bdf=${dev##*/}
	# shellcheck disable=SC2046
	for n in $bar $ram; do
		echo "# adapter $bdf bar $n" \
			$(sed -n "$((n + 1))p" "$dev/resource" | cut -d ' ' -f 1,2)
	done
}

# Take the adapter from its driver, and others as well: no access of theirs is to
# come between.  In both families offset 0x34 is a register that stores what is
# written and does nothing while no driver is bound: SCRATCHA, and of
# HostInterruptMask the bits of 0x9.
find_adapter()
{
	insmod /modules/io_check_test.ko 2> /dev/null ||
		modprobe io_check_test 2> /dev/null
	[ -w $FILE ] || skip "no $FILE: CONFIG_IO_CHECK_KUNIT_TEST?"
	find_device
	for adapter in /sys/bus/pci/drivers/mptsas/*:* \
		/sys/bus/pci/drivers/sym53c8xx/*:*; do
		[ ! -e "$adapter" ] ||
			echo "${adapter##*/}" > "${adapter%/*}/unbind"
	done
	memory_on
}

# Memory decoding is bit 1 of the command register (PCI 3.0, 6.2.2); the test
# needs no other bit.
memory_on()
{
	printf '\002' | dd of="$dev/config" bs=1 seek=4 conv=notrunc 2> /dev/null
}

memory_off()
{
	printf '\000' | dd of="$dev/config" bs=1 seek=4 conv=notrunc 2> /dev/null
}

# byte PATH OFFSET: of a configuration space
byte()
{
	od -An -tu1 "-j$2" -N1 "$1/config" | tr -d ' '
}

# express PATH: sets $at, the offset of its PCI Express capability (PCI 3.0, 6.7; ID 10h)
express()
{
	at=$(byte "$1" 52)
	while [ "$at" -ge 64 ]; do
		[ "$(byte "$1" "$at")" != 16 ] || return 0
		at=$(byte "$1" $((at + 1)))
	done
	return 1
}

# access OP OFFSET SIZE COUNT [VALUE]: sets $errors, $error, $value, $record
access()
{
	echo "$1 $bdf $bar $2 $3 $4 ${5:-0}" > $FILE || return
	record=$(cat $FILE)
	errors=${record#*errors=} errors=${errors%% *}
	error=${record#*error=} error=${error%% *}
	value=${record#*value=} value=${value%% *}
}
