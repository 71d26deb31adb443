#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Verified I/O to all disks of QEMU's while the first adapter, its driver
# bound, loses its memory decoding again and again.
#
# usage: storm.sh [-B SIZE] [-f] [-t SECONDS] [-w] [-x] [-i | -r]
#                 [HITS [SEED [PCI_BURST-OPTION...]]]
#
# HITS (50) bursts have to hit, that is, fail an access that the driver makes; a
# kernel that does not count failed accesses is given as many bursts, hit or not.
# SIZE is that of the writes (4k).  SECONDS is the timeout of the disks' commands.
# -f: each fourth write is followed by a flush of the disk's cache.
# -w: no burst begins before the adapter's disks are back from the last one.  -i:
# there are none; something outside of this machine fails HITS accesses.  -r: there
# are none; the SCSI bus of a 53c8xx is reset HITS times, as by another initiator.
# -x: others work at the adapter meanwhile: its hosts are scanned, a disk, its bus and
# its host are reset, and who reads the console may add and take away a disk of SPARE
# sectors; an NVMe controller is scanned and reset.  An adapter that has no disk is unbound
# and bound.  Bursts, and samples of the disks' progress, go to the virtio ports
# "bursts.csv" and "samples.csv", or else to /tmp.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

SPARE=32768
patience=3 outside='' resets='' crowd=''
while getopts B:ft:wirx option; do
	case $option in
	B) block=$OPTARG ;;
	f) flush=4 ;;
	t)
		patience=$((3 * OPTARG))
		command_timeout "$OPTARG" "$disks"
		;;
	w) await=$near ;;
	i) outside=1 ;;
	r) resets=1 ;;
	x) crowd=1 ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
hits=${1:-50}
seed=${2:-1}
shift $(($# < 2 ? $# : 2))

# flushes that the first adapter's disks completed (admin-guide/iostats.rst, field 16)
flushed()
{
	for name in $near; do
		cat "/sys/block/$name/stat"
	done | awk '{ n += $16 } END { print n + 0 }'
}

scan()
{
	for host in "$dev"/host*/scsi_host/host*; do
		echo '- - -' > "$host/scan"
	done
}

# the spare disk's name
spare()
{
	for disk in /sys/block/sd*; do
		[ "$(cat "$disk/size")" != $SPARE ] || echo "${disk##*/}"
	done
}

# the same of an NVMe controller, by its files
crowd_nvme()
{
	while :; do
		for way in rescan reset; do
			sleep 1
			# one that is being reset is busy
			echo 1 > "$(echo "$dev"/nvme/nvme*)/${way}_controller" || continue
			[ $way != reset ] || echo $way >> /tmp/resets_asked
		done
	done 2> /dev/null
}

# the driver's adapter that has no disk, if there is one
bare()
{
	for adapter in "$dev"/driver/*:*; do
		adapter=${adapter##*/}
		for name in $disks; do
			case $(readlink "/sys/block/$name") in */"$adapter"/*) continue 2 ;; esac
		done
		echo "$adapter"
	done
}

# rebind ADAPTER: until it is killed
rebind()
{
	while echo "$1" > "/sys/bus/pci/drivers/$driver/unbind" &&
	      echo "$1" > "/sys/bus/pci/drivers/$driver/bind"; do
		echo "$1" >> /tmp/rebinds
		sleep 1
	done
}

# everybody at once, until it is killed
crowd()
{
	[ "$driver" != nvme ] || crowd_nvme
	n=0
	while :; do
		for scope in device bus host; do
			n=$((n + 1))
			echo "storm: spare in $n." > /dev/console
			sleep 1
			scan
			name=$(spare)
			[ -z "$name" ] || echo "$n" >> /tmp/spares
			# QEMU's 53c8xx hangs when it is reset under I/O, without faults too
			if [ "$driver" != sym53c8xx ] &&
			   sg_reset --no-esc --$scope "/dev/${near##* }"; then
				echo $scope >> /tmp/resets_asked
			fi
			echo "storm: spare out $n." > /dev/console
			sleep 1
			# mptsas finds out by itself, at its next reset
			[ "$driver" != sym53c8xx ] || [ -z "$name" ] ||
				echo 1 > "/sys/block/$name/device/delete"
			scan
		done
	done
}

echo "1..5"
hourly_limit 1000000
if [ -n "$outside" ]; then
	# the failed access may be the other adapter's
	for limit in /sys/bus/pci/devices/*/io_check/limit; do
		[ ! -w "$limit" ] || echo 1000000 > "$limit"
	done
fi
fill

# A verify after every 16 writes; without time_based it checks each block's
# number too, so that a lost write does not pass for a good block.
storm /tmp/storm "$disks"
# shellcheck disable=SC2046
./disk_sample $(for name in $disks; do ways_of "$name"; done | sort) \
	> "$(output samples.csv)" &
sampler=$!
sleep 2
if [ -n "$crowd" ]; then
	: > /tmp/spares
	: > /tmp/resets_asked
	: > /tmp/rebinds
	crowd &
	crowd=$!
	adapter=$(bare)
	[ -z "$adapter" ] || { rebind "$adapter" & crowd="$crowd $!"; }
fi
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
	bursts -s "$seed" -l 1000:2000000 -g 700000:1000000 "$@" \
		-o "$(output bursts.csv)"
	result $? "pci_burst ran"
fi
if [ -n "$crowd" ]; then
	# shellcheck disable=SC2086
	kill $crowd
	# shellcheck disable=SC2086
	wait $crowd
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
blocks_are_good

figures=
for name in $disks; do
	figures="$figures ios_$name=$(completed "$name")"
done
[ -z "$before" ] || figures="$figures detected=$(($(counted) - before))"
aborts=$(dmesg | grep -c -e 'attempting task abort' -e 'ABORT operation started')
resets=$(dmesg | grep -c 'io_check: recovered')
[ -z "$crowd" ] ||
	for what in spares resets_asked rebinds; do
		figures="$figures $what=$(wc -l < /tmp/$what)"
	done
[ "$flush" = 0 ] || figures="$figures flushes=$(flushed)"
figures="resets=$resets aborts=$aborts$figures"
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors $figures"
finish
