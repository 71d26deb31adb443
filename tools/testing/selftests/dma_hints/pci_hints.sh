#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# DMA hints of a function and its path: what they say is what configuration space
# has; what the function does not keep is undone, while another program changes
# its command register.
#
# usage: pci_hints.sh

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

pcie=$(capability 0x10)
count=9
[ -z "$pcie" ] || count=$((count + 13))
echo "1..$count"
sed 's/^/# path: /' "$hints/path"
sed 's/^/# query: /' "$hints/query"
grep -q "^$bdf " "$hints/path"
result $? "path begins with the function"

# Each PCI Express function of the path: payload in force and possible
wrong=
functions=0
while read -r name kind rest; do
	there=/sys/bus/pci/devices/$name
	[ -d "$there" ] || continue
	functions=$((functions + 1))
	at=$(capability 0x10 "$there")
	[ -n "$at" ] || continue
	devcap=$(config $((at + 4)) 4 "$there")
	devctl=$(config $((at + 8)) 2 "$there")
	mps=mps=$((128 << (devctl >> 5 & 7)))/$((128 << (devcap & 7)))
	case " $rest " in *" $mps "*) ;; *) wrong="$wrong $name: $kind $mps" ;; esac
done < "$hints/path"
[ -z "$wrong" ]
result $? "payload sizes of $functions functions" "$wrong"
# every bridge above it is there
above=$(readlink "$dev" | tr / '\n' | grep -c '^[0-9a-f]*:[0-9a-f:]*\.[0-7]$')
[ "$functions" = "$above" ]
result $? "all $above functions of the path are there"
grep -q '^relaxed_order possible=' "$hints/query" &&
	[ "$(wc -l < "$hints/query")" = 4 ]
result $? "query has the four hints"
refused "$hints/reset" 0 'nvalid argument'
refused "$hints/reset" nonsense 'nvalid argument'
set_hint "$hints/reset" 1
result $? "reset where nothing was set" "$said"
! { echo 1 > "$hints/query"; } 2> /dev/null
result $? "query cannot be written"

if [ -n "$pcie" ]; then
	grep -q '^prefetch possible=no limit="requests say their length"$' "$hints/query" ||
		grep -q '^prefetch possible=no limit="nobody has it"$' "$hints/query"
	result $? "no prefetch with PCI Express"
	was=$(config $((pcie + 8)) 2)
	now=$((128 << (was >> 12 & 7)))
	[ "$(value "$hints/block")" = $now ] && [ "$(owner "$hints/block")" = firmware ]
	result $? "block is the read request size, $now" "$(cat "$hints/block")"
	for bad in nonsense 0 127 -1 4294967295 'streaming 512' 'mw 512' '512 512' 'all mr'; do
		case $bad in mw*) error='not supported' ;; *) error='nvalid argument' ;; esac
		refused "$hints/block" "$bad" "$error"
	done

	# Nobody has the function, and another program its command register
	echo "$bdf" > "$dev/driver/unbind"
	./config_toggle "$dev/config" 100000 > /tmp/toggle 2>&1 &
	tries=0 other=0
	while kill -0 $! 2> /dev/null; do
		for text in 4096 1024; do
			set_hint "$hints/block" $text
			case $said in *nput/output*) ;; *) other=$((other + 1)) ;; esac
		done
		set_hint "$hints/relaxed_order" $((!(was & 0x10)))
		case $said in *nput/output*) ;; *) other=$((other + 1)) ;; esac
		tries=$((tries + 3))
	done
	wait $!
	result $? "the other program's 100000 changes are all there" "$(cat /tmp/toggle)"
	[ "$other" = 0 ] && [ "$(config $((pcie + 8)) 2)" = "$was" ]
	result $? "$tries changes that the function does not keep are undone" \
		"$other of $tries ended otherwise: $said"
	echo "$bdf" > /sys/bus/pci/drivers_probe
fi
[ "$(owner "$hints/block" 2> /dev/null || echo firmware)" = firmware ]
result $? "and nobody owns anything"
finish
