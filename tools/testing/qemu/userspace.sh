#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build what runs in a guest of one architecture, static: busybox from
# Debian's source package, and the selftests' programs.
#
# usage: userspace.sh ARCH
# result: build/userspace/ARCH/{busybox,pci_burst}

set -euo pipefail
# shellcheck source=tools/testing/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: userspace.sh ARCH"
# shellcheck source=/dev/null
. "$qemu_dir/arch/$1.env"
out=$top/build/userspace/$1
src=$top/build/busybox
obj=$out/busybox.d
mkdir -p "$obj"

bbmake()
{
	make -C "$src" O="$obj" CROSS_COMPILE="$CROSS" CC="ccache ${CROSS}gcc" \
		HOSTCC="ccache gcc" SKIP_STRIP=n "$@"
}

busybox()
{
	# busybox's allnoconfig answers no to KCONFIG_ALLCONFIG's options too
	bbmake allnoconfig &&
	sed -n 's/^\(CONFIG_[A-Z0-9_]*\)=.*/^# \1 is not set$/p' \
		"$qemu_dir/busybox.config" > "$obj/set" &&
	grep -v -f "$obj/set" "$obj/.config" > "$obj/rest" &&
	cat "$obj/rest" "$qemu_dir/busybox.config" > "$obj/.config" &&
	{ yes '' || true; } | bbmake oldconfig &&
	bbmake -j"$(nproc)" busybox
}

if [ ! -d "$src" ]; then
	dsc=("$top"/build/dl/busybox_*.dsc)
	[ -r "${dsc[0]}" ] || die "no source of busybox in build/dl" \
		"remedy: scripts/setup.sh build"
	rm -rf "$src.part"
	logged "UNPACK  ${dsc[0]##*/}" "$out/unpack.log" \
		dpkg-source --no-check -x "${dsc[0]}" "$src.part"
	mv "$src.part" "$src"
fi
if [ ! "$out/busybox" -nt "$qemu_dir/busybox.config" ]; then
	logged "BUSYBOX $1" "$out/busybox.log" busybox
	while IFS= read -r line; do
		case $line in CONFIG_*)
			grep -qxF "$line" "$obj/.config" ||
				die "$line of busybox.config is not in busybox's .config"
		esac
	done < "$qemu_dir/busybox.config"
	cp "$obj/busybox" "$out/busybox"
fi
src=$top/tools/testing/selftests/io_check
logged "CC      $1 pci_burst" "$out/selftest.log" \
	"${CROSS}gcc" -O2 -Wall -static -o "$out/pci_burst" "$src/pci_burst.c" -lm
