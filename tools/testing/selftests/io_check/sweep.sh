#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Fail the n-th checked access of a phase, for n from FIRST in steps of STEP until
# MISSES runs of the phase in turn pass without a failure or LAST is reached: an
# interrupt more or less, and one run has more accesses than the next.  After each the
# adapter and its disks have to be as good as before, and the kernel must not
# complain.
#
# usage: sweep.sh PHASE [FIRST [LAST [STEP]]]
#
# PHASE is one of
#	io	writes to the adapter's disks and their verification
#	reset	the recovery from a failed access: accesses after that one
#	line	the same, with io_check_irq.no_intx_masking: the interrupt's line is
#		disabled for the adapter's
#	fault	the driver's answer to a fault of the adapter's firmware (Fusion)
#	eh	error handling: resets of a device, of the bus (sym53c8xx) and of
#		the host; of nvme a reset and a scan by its files in sysfs
#	twice	the same; the next access after the n-th fails, too
#	abort	the abort of commands that the slow disk has not done in time
#	rare	commands of the driver's /proc/scsi file, and one that is sent more
#		data than it has room for (sym53c8xx)
#	suspend	suspend and resume of all devices, and of nothing else; either
#		may fail
#	rescan	the removal of a disk, and the scan that finds it as a new one
#	unbind	the driver's remove
#	leave	the driver's remove while it recovers from a failed access:
#		accesses after that one
#	probe	the driver's probe; it may fail, the next one may not
#
# Each access that was failed is named: "# inject PHASE N write|read CALLER".
# One instruction may make a thousand accesses, as the copy of SCRIPTS into the
# chip's RAM does: after its first few, every SKIP-th is failed, and all again
# from where another instruction comes next.
#
# A debug kernel takes long to start a process: the shell does what it can.

# shellcheck source-path=SCRIPTDIR
. ./disks.sh

phase=$1
first=${2:-1}
none=100000
last=${3:-$none}
step=${4:-1}
jobs=1 think=0
SAME=6 SKIP=16 MISSES=3
debugfs=/sys/kernel/debug/io_check
inject=$debugfs/$bdf/fault_inject
trace=/sys/kernel/tracing
[ -d "$inject" ] || skip "no $inject: CONFIG_IO_CHECK_FAULT_INJECTION?"
[ -d $trace/events ] || mount -t tracefs none $trace
[ -d $trace/events/ras/io_check_error ] || skip "no tracepoint io_check_error"
drv=/sys/bus/pci/drivers/$(basename "$(readlink "$dev/driver")")
case ${drv##*/} in
mpt*) fusion=1 scopes="device host" ;;
nvme) fusion='' scopes="reset rescan" ;;
*) fusion='' scopes="device bus host" ;;
esac
if [ "$phase" = suspend ]; then
	[ -w /sys/power/pm_test ] || skip "no /sys/power/pm_test: CONFIG_PM_DEBUG?"
	echo devices > /sys/power/pm_test
	echo 0 > /sys/module/suspend/parameters/pm_test_delay
fi
# How many accesses an arm() fails
case $phase in
reset | line | leave) want=2 ;;
*) want=1 ;;
esac
if [ "$phase" = line ] && ! grep -q no_intx_masking=1 /proc/cmdline; then
	skip "the kernel was not booted with io_check_irq.no_intx_masking=1"
fi
count=$(echo "$near" | wc -w)
regs=$(sed -n "$((bar + 1))p" "$dev/resource" | cut -d ' ' -f 1)

# What a debug kernel says of a mistake
complaint='BUG:|WARNING:|Oops|INFO: task|INFO: rcu|soft lockup|sleeping function'
complaint="$complaint|possible (circular|recursive)|inconsistent lock"
complaint="$complaint|scheduling while|suspicious RCU|kmemleak: [0-9]+ new"

# little VALUE: a register's 32 bits as devmem has them on this CPU, or back
little()
{
	if [ "$(printf '\1\0' | od -A n -t d2)" -eq 1 ]; then
		echo "$1"
	else
		printf '0x%02x%02x%02x%02x\n' $(($1 & 255)) $(($1 >> 8 & 255)) \
			$(($1 >> 16 & 255)) $(($1 >> 24))
	fi
}

# nvme's probe and its removal of a controller go on in work of their own
over()
{
	[ "${drv##*/}" = nvme ] && [ -e "$dev/driver" ] || return 0
	state=
	{ read -r state < "$(echo "$dev"/nvme/nvme*)/state"; } 2> /dev/null
	[ "$state" = live ]
}

recovering()
{
	state=
	{ read -r state < "$dev/io_check/state"; } 2> /dev/null
	[ "$state" = recovering ]
}

settled()
{
	! recovering && over
}

settle()
{
	until_true 30 settled
}

# The driver's adapters
bound()
{
	set -- "$drv"/*:*
	[ -e "$1" ] && echo $# || echo 0
}

io()
{
	start_fio /tmp/sweep "$near" --rw=write --bs=4k --io_size=16k \
		--size=16k --offset_increment=0 --thinktime=0 --disk_util=0
	wait $fio
	sound /tmp/sweep "$near"
}

# holds FILE DISK
holds()
{
	dd if="/dev/$2" bs=4k count=4 iflag=direct 2> /dev/null |
		diff -q - "$1" > /dev/null
}

# The same as io() in a fourth of the time, where nothing is failed.  What was
# written the last time is other data, or a lost write would not be seen.
written()
{
	data=$((1 - data))
	for name in $near; do
		! holds /tmp/data$data "$name" &&
			dd if=/tmp/data$data of="/dev/$name" bs=4k \
			conv=notrunc oflag=direct 2> /dev/null &&
			holds /tmp/data$data "$name" || return 1
	done
}

arm()
{
	echo 1000000 > "$dev/io_check/limit"
	[ "$phase" != probe ] || return 0
	# out of diagnostic mode (WriteSequence, 0x4), as a failed reset leaves it
	[ -z "$fusion" ] || devmem $((regs + 4)) 32 0
	if [ $want = 2 ]; then
		# a handshake that was cut short: two words (MPI 1.5, Doorbell)
		[ -z "$fusion" ] || devmem "$regs" 32 "$(little 0x42020000)"
		echo "$1" > "$inject/then"
		echo 1 > "$inject/nth"
	elif [ "$phase" = twice ]; then
		echo 1 > "$inject/then"
		echo "$1" > "$inject/nth"
	else
		echo "$1" > "$inject/nth"
	fi
}

found_out()
{
	injected_now || logged 'HardReset: success' 1
}

run_phase()
{
	case $phase in
	io | reset | line) io ;;
	fault)
		# more reply frames than the ReplyFreeFifo (0x44) holds are a
		# fault, 4 in the Doorbell's top; the driver looks each second
		tries=0
		while
			devmem $((regs + 0x44)) 32 0
			[ $(($(little "$(devmem "$regs")") >> 28)) != 4 ] &&
				! dmesg | grep -q 'FAULT state'
		do
			tries=$((tries + 1))
			[ $tries -lt 1000 ] || return 1
		done
		until_true 10 found_out
		;;
	eh | twice)
		name=${near##* }
		for scope in $scopes; do
			case $scope in
			re*) echo 1 > "$(echo "$dev"/nvme/nvme*)/${scope}_controller" ;;
			*) sg_reset --no-esc --$scope "/dev/$name" ;;
			esac || injected_now || return 1
		done
		;;
	abort)
		slow=
		for name in $near; do
			read -r model < "/sys/block/$name/device/model"
			case $model in
			SLOW*) slow=$name ;;
			# a namespace has no model of its own: the first one
			*NVMe*) slow=${slow:-$name} ;;
			esac
		done
		case $slow in
		nvme*)
			command_timeout 1 "$slow"
			# 6.1's nvme_timeout() has a circle of locks, which ended with
			# be647e2c76b2 ("nvme: use srcu for iterating namespace list")
			case $(uname -r) in
			6.1.*) echo 0 > /proc/sys/kernel/prove_locking ;;
			esac
			;;
		*) command_timeout 2 "$slow" ;;
		esac
		start_fio /tmp/sweep "$slow" --rw=write --bs=800k --size=1600k \
			--do_verify=0
		wait $fio
		command_timeout 7 "$slow"
		# a request that in two resets takes longer than its timer ends with the
		# controller, where vanilla does not try the second one
		sound /tmp/sweep "$slow" || dmesg | awk '
			/a command of the reset got lost/ { lost = 1 }
			lost && /timeout, disable controller/ { disabled = 1 }
			END { exit !disabled }' || return 1
		injected_now ||
			dmesg | grep -qE 'ABORT operation started|timeout, aborting'
		;;
	rare)
		host=$(echo "$dev"/host*)
		for command in 'setdebug tiny' 'resetdev all' 'cleardev all' \
			       'setsync all 25' 'setwide all 1'; do
			echo "$command" > "/proc/scsi/sym53c8xx/${host##*/host}" ||
				injected_now || return 1
		done
		# INQUIRY (SPC-4, 6.6) of 36 bytes
		sg_raw -r 8 "/dev/${near##* }" 12 0 0 0 24 0 > /dev/null 2>&1
		echo setdebug > "/proc/scsi/sym53c8xx/${host##*/host}"
		io
		;;
	rescan)
		name=${near##* }
		echo 1 > "/sys/block/$name/device/delete"
		echo '- - -' > "$(echo "$dev"/host*/scsi_host/host*)/scan" ||
			injected_now || return 1
		written_back
		;;
	suspend) echo freeze > /sys/power/state || injected_now ;;
	unbind)
		echo "$bdf" > "$drv/unbind"
		told
		;;
	leave)
		dd if="/dev/${near##* }" of=/dev/null bs=4k count=1 iflag=direct \
			2> /dev/null &
		# a recovery takes less than the start of a process
		tries=0
		until recovering || [ $tries -ge 100000 ]; do
			tries=$((tries + 1))
		done
		echo "$bdf" > "$drv/unbind"
		wait $!
		# nvme ends a reset whose controller is being removed without a word to it,
		# with the option off as well
		[ "$driver" = nvme ] || told
		;;
	probe)
		echo "$bdf" > "$drv/unbind"
		echo "$1" > $debugfs/next_nth
		echo "$bdf" > "$drv/bind" 2> /dev/null
		return 0
		;;
	esac
}

# sd logs what failed
written_back()
{
	! dmesg | grep -qi 'synchronize cache.* failed'
}

# told: each disk was told to write its volatile cache back: power may go next.  NVMe's
# CSTS says that a shutdown is complete (NVMe 1.4, 3.1.6).
told()
{
	if [ "$driver" = nvme ]; then
		[ $(($(little "$(devmem $((regs + 0x1c)))") & 0xc)) = 8 ]
	else
		[ "$(dmesg | grep -c 'Synchronizing SCSI cache')" = "$count" ] &&
			written_back
	fi
}

injected_now()
{
	grep -q 'io_check_error: .* injected ' $trace/trace
}

# injected PHASE N: name what was failed; returns 1 if nothing was
injected()
{
	got=0
	while read -r line; do
		case $line in
		*'io_check_error: '*' read bar='*' injected ip='*) way='read' ;;
		*'io_check_error: '*' write bar='*' injected ip='*) way='write' ;;
		*) continue ;;
		esac
		line=${line#* injected ip=}
		caller=${line%% *}
		echo "# inject $1 $2 $way $caller"
		got=$((got + 1))
	done < $trace/trace
	echo > $trace/trace
	[ $got -ge $want ]
}

complaints()
{
	dmesg -c > /tmp/dmesg
	! grep -E "$complaint" /tmp/dmesg
}

echo "1..2"
echo 1 > $trace/events/ras/io_check_error/enable
echo > $trace/trace
dmesg -c > /dev/null
for n in 0 1; do
	dd if=/dev/urandom of=/tmp/data$n bs=4k count=4 2> /dev/null
done
n=$first data=0
injections=0 findings=0 finished=0 failed_last=0
same=0 from='' before='' missed=0
while [ "$n" -le "$last" ]; do
	echo "sweep: $phase $n" > /dev/console
	arm "$n"
	run_phase "$n"
	rc=$?
	settle || rc=settle
	injected $phase "$n"
	hit=$?
	[ $hit != 0 ] || { injections=$((injections + 1)); failed_last=$n; }
	# a phase that ended before the n-th access leaves it armed
	[ ! -e "$inject" ] || { echo 0 > "$inject/nth"; echo 0 > "$inject/then"; }
	echo 0 > $debugfs/next_nth
	if [ ! -e "$dev/driver" ]; then
		[ "$(handlers)" -le "$(bound)" ] || rc=interrupt
		echo "$bdf" > "$drv/bind" || rc=bind
	fi
	settle || rc=settle
	until_true 10 near_disks "$count" || rc="disks:$near"
	echo 1000000 > "$dev/io_check/limit"
	case $phase in
	io | reset | line) ;;	# which end with it
	*) written || rc=written ;;
	esac
	complaints > /tmp/complaints || rc=complaint
	if [ "$rc" != 0 ]; then
		findings=$((findings + 1))
		echo "# finding $phase $n $rc"
		sed 's/^/#   /' /tmp/complaints | head -n 5
		tail -n 15 /tmp/dmesg > /dev/console
	fi
	if [ $hit != 0 ]; then
		missed=$((missed + 1))
		[ -n "$from" ] || [ $missed -lt $MISSES ] || { finished=1; break; }
		caller=
	else
		missed=0
	fi
	if [ "$caller" = "$before" ]; then
		same=$((same + 1))
	else
		same=0
	fi
	before=$caller
	if [ $same = 0 ] && [ -n "$from" ]; then
		n=$from from=''
	elif [ $same -ge $SAME ]; then
		from=$((n + step))
		next=$((n + SKIP * step))
		[ $next -le "$last" ] || [ "$n" -ge "$last" ] || next=$last
		n=$next
	else
		n=$((n + step)) from=''
	fi
done
if [ -e /sys/kernel/debug/kmemleak ]; then
	# sym53c8xx keeps pointers in DMA memory, where nobody looks for them
	for adapter in "$drv"/*:*; do
		echo "${adapter##*/}" > "$drv/unbind"
	done
	# what was freed a moment ago may still be in a register
	echo scan > /sys/kernel/debug/kmemleak
	sleep 6
	echo scan > /sys/kernel/debug/kmemleak
	if grep -q 'unreferenced object' /sys/kernel/debug/kmemleak; then
		findings=$((findings + 1))
		echo "# finding $phase $n kmemleak"
		cat /sys/kernel/debug/kmemleak > /dev/console
	fi
fi
result $findings "$phase: good after each failed access"
[ $finished = 1 ] || [ "$last" != $none ]
result $? "$phase: until $MISSES runs passed without a failure"
echo "# figures phase=$phase last=$failed_last finished=$finished" \
	"injections=$injections findings=$findings" \
	"fio_errors=$fio_errors verify_errors=$verify_errors"
finish
