#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Verified I/O to all disks of QEMU's while the first adapter, its driver
# bound, loses its memory decoding again and again.
#
# usage: storm.sh [-t SECONDS] [-w] [-i | -r] [HITS [SEED [PCI_BURST-OPTION...]]]
#
# HITS (50) bursts have to hit, that is, fail an access that the driver makes;
# a kernel that does not count failed accesses is given as many bursts, hit or
# not.  SECONDS is the timeout of the disks' commands.  -w: no burst begins before
# the adapter's disks are back from the last one.  -i: there are none; something
# outside of this machine fails HITS accesses.  -r: there are none; the SCSI bus of a
# 53c8xx is reset HITS times, as by another initiator.  Bursts, and samples of the disks'
# progress, go to the virtio ports "bursts.csv" and "samples.csv", or else to /tmp.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

patience=3 outside='' resets=''
while getopts t:wir option; do
	case $option in
	t)
		patience=$((3 * OPTARG))
		command_timeout "$OPTARG" "$disks"
		;;
	w) await=$near ;;
	i) outside=1 ;;
	r) resets=1 ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
hits=${1:-50}
seed=${2:-1}
shift $(($# < 2 ? $# : 2))

echo "1..5"
hourly_limit 1000000
fill

# A verify after every 16 writes; without time_based it checks each block's
# number too, so that a lost write does not pass for a good block.
storm /tmp/storm "$disks"
# shellcheck disable=SC2086
./disk_sample $disks > "$(output samples.csv)" &
sampler=$!
sleep 2
before=$(counted)
if [ -n "$outside" ]; then
	echo "storm: begins" > /dev/console
	tries=0
	until now=$(counted); [ "${now:-0}" -ge $((before + hits)) ]; do
		[ $tries -lt $((30 * hits)) ] || break
		sleep 1
		tries=$((tries + 1))
	done
	[ "${now:-0}" -ge $((before + hits)) ]
	result $? "accesses failed"
elif [ -n "$resets" ]; then
	regs=$(sed -n "$((bar + 1))p" "$dev/resource" | cut -d ' ' -f 1)
	n=0
	while [ $n -lt "$hits" ]; do
		# RST in SCNTL1 (LSI53C895A manual, SCSI Control One)
		devmem $((regs + 1)) 8 8 && devmem $((regs + 1)) 8 0 || break
		sleep 5
		n=$((n + 1))
	done
	[ $n = "$hits" ]
	result $? "the bus was reset"
else
	if [ -n "$before" ]; then
		set -- -n $((3 * hits)) -e $errors -H "$hits" "$@"
	else
		set -- -n "$hits" "$@"
	fi
	for name in $await; do
		set -- "$@" -w "$name"
	done
	./pci_burst -d "$bdf" -s "$seed" -l 1000:2000000 -g 700000:1000000 "$@" \
		-o "$(output bursts.csv)"
	result $? "pci_burst ran"
fi
# shellcheck disable=SC2086
last=$(completed $near)
# blocks written in the last burst are verified before the end; a lost command
# comes back after its timeout and what error handling takes
sleep $patience
goes_on "$last"
result $? "I/O goes on after the last burst"
kill $fio
wait $fio
kill $sampler
sound /tmp/storm "$disks"
result $? "no error of fio's under bursts"
start_fio /tmp/check "$disks" --rw=read --bs=256k
wait $fio
sound /tmp/check "$disks"
result $? "all blocks are good"

figures=
for name in $disks; do
	figures="$figures ios_$name=$(completed "$name")"
done
[ -z "$before" ] || figures="$figures detected=$(($(counted) - before))"
aborts=$(dmesg | grep -c -e 'attempting task abort' -e 'ABORT operation started')
resets=$(dmesg | grep -c 'io_check: recovered')
figures="resets=$resets aborts=$aborts$figures"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors $figures"
finish
