#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Write nonsense, and what looks like sense, to the files of dma_hints/.  What is
# refused changes nothing, in the file and in the path's configuration spaces.
#
# usage: fuzz.sh [COUNT [SEED]]

# shellcheck source-path=SCRIPTDIR
. ./hints.sh

count=${1:-10000}
seed=${2:-1}

# the writes: FILE TEXT
awk -v n="$count" -v seed="$seed" 'BEGIN {
	srand(seed)
	files = split("relaxed_order read_current prefetch block reset query path", file)
	words = split("all consistent streaming mr mrl mrm mw mr,mrl,mrm mr,mw , mr, 0 1 " \
		      "y n on off 2 4 8 16 31 32 64 96 127 128 512 1024 4096 8192 -1 " \
		      "half full 0x40 0xfffffffe 4294967295 4294967296 " \
		      "99999999999999999999 1e3 %s%n ../.. \\0", word)
	for (i = 0; i < n; i++) {
		text = ""
		for (w = int(rand() * 5); w > 0; w--)
			text = text " " word[1 + int(rand() * words)]
		if (rand() < 0.1)
			for (w = int(rand() * 200); w > 0; w--)
				text = text sprintf("%c", 33 + int(rand() * 94))
		print file[1 + int(rand() * files)], substr(text, 2)
	}
}' > /tmp/fuzz

# Status apart, which others set and clear
spaces()
{
	while read -r name _; do
		[ ! -d "/sys/bus/pci/devices/$name" ] ||
			od -An -tx1 "/sys/bus/pci/devices/$name/config"
	done < "$hints/path"
}

echo "1..5"
for bridge in /sys/bus/pci/devices/*; do
	[ "$(cut -c 1-6 "$bridge/class")" != 0x0604 ] || config 6 2 "$bridge"
done > /tmp/status
accepted=0 refused=0 changed=0
spaces > /tmp/spaces
while read -r file text; do
	[ -e "$hints/$file" ] || continue
	old=$(cat "$hints/$file" 2> /dev/null)
	if { printf '%s\n' "$text" > "$hints/$file"; } 2> /dev/null; then
		accepted=$((accepted + 1))
		spaces > /tmp/spaces
	else
		refused=$((refused + 1))
		[ "$(cat "$hints/$file" 2> /dev/null)" = "$old" ] ||
			changed=$((changed + 1))
		[ $((refused % 50)) != 0 ] || spaces | cmp -s - /tmp/spaces ||
			changed=$((changed + 1))
	fi
done < /tmp/fuzz
[ "$refused" -gt $((count / 10)) ] && [ "$changed" = 0 ]
result $? "$accepted of $count writes accepted, $refused refused, without a change" \
	"$changed have changed something"
set_hint "$hints/reset" 1
result $? "reset" "$said"

# Another user
spaces > /tmp/spaces
chmod 644 /tmp/fuzz
# shellcheck disable=SC2016
said=$(chpst -u 65534:65534 sh -c 'done=0 tried=0
while read -r file text; do
	tried=$((tried + 1))
	{ printf "%s\n" "$text" > "$1/$file"; } 2> /dev/null && done=$((done + 1))
done < /tmp/fuzz
cat "$1"/* > /dev/null 2>&1
echo "$done of $tried"' sh "$hints" 2>&1)
[ "$said" = "0 of $count" ]
result $? "another user: none of $count accepted" "$said"
spaces | cmp -s - /tmp/spaces
result $? "and nothing is different"
for bridge in /sys/bus/pci/devices/*; do
	[ "$(cut -c 1-6 "$bridge/class")" != 0x0604 ] || config 6 2 "$bridge"
done | cmp -s - /tmp/status
result $? "no bridge's status is different"
finish
