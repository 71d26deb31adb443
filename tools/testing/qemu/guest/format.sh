#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Format NVM (NVMe 1.4, 5.23) of a namespace again and again, while accesses of its
# controller fail under verified I/O to the others.  The driver freezes all queues for it,
# and a reset has to come through.
#
# usage: format.sh [HITS]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

[ "$driver" = nvme ] || skip "no NVMe controller"
# shellcheck disable=SC2086
set -- "${1:-10}" $near
[ -n "$3" ] || skip "no second namespace"
hits=$1 two=$3
ctrl=$(echo "$dev"/nvme/nvme*)
# the ioctl's fields are the CPU's, and sg_raw has bytes
nsid="$(printf '%02x' "$(cat "/sys/block/$two/nsid")") 00 00 00"
case $(printf '\001\000' | od -An -tx2) in
*0100*) nsid="00 00 00 ${nsid%% *}" ;;
esac
zero='00 00 00 00 00 00 00 00'

# Opcode 80h; the namespace in bytes 4 to 7, and all else 0: the format that it has
format()
{
	# shellcheck disable=SC2086
	sg_raw --timeout=60 "/dev/${ctrl##*/}" 80 00 00 00 $nsid \
		$zero $zero $zero $zero $zero $zero $zero
}

zeros()
{
	dd if="/dev/$two" bs=64k count=1 iflag=direct 2> /dev/null |
		cmp -s -n 65536 - /dev/zero
}

echo "1..7"
hourly_limit 1000000
fill
! zeros && format > /tmp/format 2>&1 && zeros
result $? "a namespace is formatted" "$(tail -n 1 /tmp/format)"
storm /tmp/storm "$2 $far"
sleep 1
bursts -l 1000:300000 -g 300000:1000000 -n $((3 * hits)) \
	-e "$errors" -H "$hits" > /tmp/bursts &
burst=$!
formats=0 refused=0
while kill -0 $burst 2> /dev/null; do
	if format > /tmp/format 2>&1; then
		formats=$((formats + 1))
	else
		refused=$((refused + 1))
		echo "format: $(tail -n 1 /tmp/format)" > /dev/console
	fi
done
wait $burst
result $? "pci_burst ran"
[ $formats -gt 0 ]
result $? "a namespace is formatted under bursts" "$formats times, $refused times not"
# the last one's reset
until_true 10 grep -q live "$ctrl/state"
last=$(completed "$2")
format > /tmp/format 2>&1 && zeros
result $? "and after them" "$(tail -n 1 /tmp/format)"
goes_on "$last"
result $? "I/O goes on"
kill $fio
wait $fio
sound /tmp/storm "$2 $far"
result $? "no error of fio's"
recovered=$(dmesg | grep -c 'io_check: recovered')
echo "# figures formats=$formats refused=$refused resets=$recovered" \
	"fio_errors=$fio_errors verify_errors=$verify_errors"
finish
