#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# From here on what the bus fails of the first adapter's registers is an SError: see
# guest/arm64/el2_main.c.  Words el2.NAME=VALUE of the kernel's command line are for its
# files.  The second time: what EL2 has counted.

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./ktap.sh

el2=/sys/kernel/debug/el2
find_device
if [ -d $el2 ]; then
	echo "1..1"
	[ "$(cat $el2/odd)" = 0 ]
	result $? "EL2 saw what it knows"
	echo "# figures serrors=$(cat $el2/serrors) dropped=$(cat $el2/dropped)"
	finish
fi
hole=
# shellcheck disable=SC2046
for n in $bar $ram; do
	set -- $(sed -n "$((n + 1))p" "$dev/resource")
	hole="$hole${hole:+,}$(($1)),$(($2 - $1 + 1))"
done
echo "1..1"
insmod /modules/el2.ko hole="$hole"
result $? "EL2 is the bench's, hole $hole"
for word in $(cat /proc/cmdline); do
	case $word in
	el2.*)
		file=${word#el2.}
		echo "${file#*=}" > "$el2/${file%%=*}"
		;;
	esac
done
finish
