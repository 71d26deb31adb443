# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests with I/O: the disks, and fio on them.  Sets $disks, of
# which $near are on the first adapter, $bdf, and $far on others.  A namespace that
# has a path there and others elsewhere is one of $near.

# shellcheck shell=sh disable=SC2034,SC2154
# shellcheck source-path=SCRIPTDIR
. ./ktap.sh

errors=/sys/kernel/debug/io_check/errors
jobs=4		# threads a disk, each with 4 MiB of its own
think=20ms	# pause between two I/Os
block=4k	# of a storm's writes
flush=0		# each so many of them
engine=psync
slow_think=0	# the same on a slow disk

fio --version > /dev/null 2>&1 || skip "no fio"
find_device
[ -e "$dev/driver" ] || skip "$bdf has no driver"
driver=$(readlink "$dev/driver")
driver=${driver##*/}
disks='' near='' far=''
# ways_of DISK: where its I/Os are counted: by path of a multipath namespace nvmeXnY,
# nvmeXcZnY by the controller Z, which Linux before 6.4 counts alone
ways_of()
{
	for way in /sys/block/"${1%n*}"c*n"${1##*n}"; do
		[ -e "$way" ] || way=$1
		echo "${way##*/}"
	done
}

for disk in /sys/block/sd* /sys/block/nvme*; do
	case $disk in */nvme*c*n*) continue ;; esac
	# a namespace has no vendor
	case $(cat "$disk/device/vendor" "$disk/device/model" 2> /dev/null) in
	QEMU*) ;;
	*) continue ;;
	esac
	name=${disk##*/} place=far
	disks="$disks $name"
	for way in $(ways_of "$name"); do
		path=$(readlink "/sys/block/$way")
		above=${path%%/host*}
		echo "# disk $way ${above%%/nvme*}"
		case $path in */"$bdf"/*) place=near ;; esac
	done
	case $place in
	near) near="$near $name" ;;
	far) far="$far $name" ;;
	esac
done
[ -n "$near" ] || skip "no disk of QEMU's on $bdf"

# a polled queue has no interrupt: who submits looks for the completion, by io_uring,
# as the kernel ignores RWF_HIPRI of synchronous I/O
case $driver:$(cat /sys/module/nvme/parameters/poll_queues 2> /dev/null) in
nvme:[1-9]*) engine='io_uring --hipri' ;;
esac

# bursts OPTION...: of the first adapter.  Its memory decode enable shares a byte with Bus
# Master, which pci_burst might set again after a driver on another CPU has cleared it.
bursts()
{
	if [ "$driver" = nvme ] && [ "$(grep -c ^processor /proc/cpuinfo)" -gt 1 ]; then
		set -- -b "$bar" "$@"
	fi
	./pci_burst -d "$bdf" "$@"
}

# near_disks COUNT: find the first adapter's again, after its driver was bound again; true
# if COUNT of them are there
near_disks()
{
	near='' found=0
	# SPI's, SAS', NVMe's
	for disk in "$dev"/host*/target*/*/block/sd* "$dev"/host*/port-*/*/target*/*/block/sd* \
		    "$dev"/nvme/nvme*/nvme*n*; do
		state=
		{ read -r state < "$disk/device/state"; } 2> /dev/null
		case $state in
		running | live) ;;
		*) continue ;;
		esac
		near="$near ${disk##*/}"
		found=$((found + 1))
	done
	[ $found = "$1" ]
}

# Interrupt handlers of the adapters' drivers
handlers()
{
	grep -oE 'ioc[0-9]+|sym53c8xx|nvme[0-9]+q0' /proc/interrupts | wc -l
}

# command_timeout SECONDS DISKS
command_timeout()
{
	for name in $2; do
		case $name in
		nvme*) echo $(($1 * 1000)) > "/sys/block/$name/queue/io_timeout" ;;
		*) echo "$1" > "/sys/block/$name/device/timeout" ;;
		esac
	done
}

# QEMU's 53c8xx goes on with what it failed to fetch from its own RAM, and no
# interrupt says so.  If no register is accessed then, the commands' timers tell:
# let them be short, let a thread submit something in every 100 ms, and let no
# burst begin before the last one is over for the disks in $await.  A slow disk
# without a pause has the interrupt handler hit first by five bursts of six.
short_timeout()
{
	case $driver in
	sym53c8xx)
		command_timeout 7 "$1"
		jobs=8 think=100ms slow_think=4ms await=$near
		;;
	esac
}
await=
short_timeout "$disks"

# A test's failures an hour are more than an operator would stand
hourly_limit()
{
	[ -w "$dev/io_check/limit" ] || return 0
	echo "$1" > "$dev/io_check/limit"
	echo "# limit: $(cat "$dev/io_check/limit") failures an hour"
}

output()
{
	if [ -c "/dev/virtio-ports/$1" ]; then
		echo "/dev/virtio-ports/$1"
	else
		echo "/tmp/$1"
	fi
}

# start_fio LOG DISKS OPTION...: the same threads and blocks each time; sets $fio.
# On a slow disk threads mostly wait for completions, on the others they mostly
# sleep between two I/Os: a burst's first hit is then now the interrupt handler's,
# now a submission's.  fio would spin away a much shorter time.
start_fio()
{
	log=$1 on=$2
	shift 2
	for name in $on; do
		read -r model < "/sys/block/$name/device/model"
		case $model in
		SLOW*) pause=$slow_think ;;
		*) pause=$think ;;
		esac
		set -- "$@" --name="$name" --filename="/dev/$name" --thinktime=$pause
	done
	# shellcheck disable=SC2086
	# a file in the place of a disk that is gone would keep its node from coming back
	fio --name=global --thread --ioengine=$engine --direct=1 --allow_file_create=0 \
		--verify=crc32c --verify_interval=4k --verify_fatal=1 \
		--numjobs=$jobs --size=4m --offset_increment=4m "$@" > "$log" 2>&1 &
	fio=$!
}

# fill: all disks, so that there is something to verify
fill()
{
	start_fio /tmp/fill "$disks" --rw=write --bs=256k --do_verify=0
	wait $fio
	sound /tmp/fill "$disks"
	result $? "disks filled"
}

# storm LOG DISKS: writes, verified, until it is killed; sets $fio
storm()
{
	start_fio "$1" "$2" --rw=randwrite --bs=$block --verify_backlog=16 --loops=1000000 \
		--fsync="$flush"
}

# disks_are_back: sets $again, the first adapter's disks now
disks_are_back()
{
	sleep 3
	again=
	for disk in /sys/block/sd* /sys/block/nvme*; do
		case $(readlink "$disk") in */"$bdf"/*) again="$again ${disk##*/}" ;; esac
	done
	short_timeout "$again"
	[ "$(echo "$again" | wc -w)" = "$(echo "$near" | wc -w)" ]
	result $? "bound again, with its disks" "now:$again, before:$near"
}

# rebind: the first adapter's driver; sets $again
rebind()
{
	# nvme unbinds a controller that is given up, before Linux 6.2
	[ ! -e "$dev/driver" ] || echo "$bdf" > "/sys/bus/pci/drivers/$driver/unbind"
	[ ! -e "$dev/driver" ] && [ "$(cat "$dev/enable")" = 0 ]
	result $? "unbound" "enabled $(cat "$dev/enable") times"
	"$@"
	echo "$bdf" > "/sys/bus/pci/drivers/$driver/bind"
	disks_are_back
}

# its_disks_are STATE
its_disks_are()
{
	for name in $near; do
		# nvme removes them, or says that the controller is dead
		cat "/sys/block/$name/device/state" 2> /dev/null || echo offline
	done | sed 's/^dead$/offline/' > /tmp/states
	! grep -qv "$1" /tmp/states
	result $? "its disks are $1" "$(cat /tmp/states)"
}

# sound LOG DISKS: every thread's line says "err=".  84 is EILSEQ, bad data.
fio_errors=0 verify_errors=0
sound()
{
	good=$(grep -c ': err= 0:' "$1")
	bad=$(grep -c ': err=84' "$1")
	# shellcheck disable=SC2086
	set -- "$1" $(($(echo $2 | wc -w) * jobs))
	verify_errors=$((verify_errors + bad))
	fio_errors=$((fio_errors + $2 - good - bad))
	[ "$good" = "$2" ] && return
	grep -E 'err=|error|verify:' "$1" | grep -v 'err= 0' | sed 's/^/# /'
	return 1
}

# reads and writes that the disks $@ completed
completed()
{
	for name; do
		for way in $(ways_of "$name"); do
			cat "/sys/block/$way/stat"
		done
	done | awk '{ n += $1 + $5 } END { print n + 0 }'
}

# state_is STATE [DEVICE]: of the recovery, the first adapter's
state_is()
{
	[ "$(cat "${2:-$dev}/io_check/state")" = "$1" ]
}

completed_more()
{
	# shellcheck disable=SC2086
	[ "$(completed $near)" -gt "$1" ]
}

# goes_on COUNT: the first adapter completes more than that, after its reset
goes_on()
{
	until_true 20 completed_more "$1"
}

logged()
{
	[ "$(dmesg | grep -c "$1")" -ge "$2" ]
}

# wait_for TEXT TIMES: in the kernel log, for at most 30 s
wait_for()
{
	until_true 30 logged "$1" "$2"
}

no_process()
{
	! kill -0 "$1" 2> /dev/null
}

# ended PROCESS: in less than a minute, which an admin command may take
ended()
{
	until_true 45 no_process "$1"
}

# find_other: sets $path, the device of another adapter, whose driver takes part
find_other()
{
	[ -n "$far" ] || skip "no disk beside the adapter"
	path=$(cd "/sys/block/${far##* }/device" && pwd -P)
	while [ ! -e "$path/io_check" ]; do
		path=${path%/*}
		[ -n "$path" ] || skip "no io_check/ of the other adapter"
	done
}

# give_up_other: the adapter of find_other, for a burst; leaves $disks without its own
give_up_other()
{
	echo 1 > "$path/io_check/offline_on_error"
	storm /tmp/far "$far"
	./pci_burst -d "${path##*/}" -n 100 -l 5000:400000 -g 300000:900000 > /tmp/others &
	others=$!
	wait_for 'offline_on_error is set: offline' 1
	result $? "the other adapter is given up"
	kill $others
	wait $others $fio
	disks=$near
}

# rebind_other: as rebind, of the adapter of find_other, which is the first one from then on
rebind_other()
{
	dev=$path bdf=${path##*/} near=$far
	rebind :
}

# blocks_are_good: as they are read again from all disks
blocks_are_good()
{
	start_fio /tmp/check "$disks" --rw=read --bs=256k
	wait $fio
	sound /tmp/check "$disks"
	result $? "all blocks are good"
}

# storm_ends SECONDS: it goes on after them, and was sound
storm_ends()
{
	# shellcheck disable=SC2086
	last=$(completed $near)
	sleep "$1"
	goes_on "$last"
	result $? "I/O goes on"
	kill "$fio"
	wait "$fio"
	sound /tmp/storm "$disks"
	result $? "the I/O is sound"
	blocks_are_good
}

counted()
{
	[ -r $errors ] && awk '{ n += $2 } END { print n + 0 }' $errors
}
