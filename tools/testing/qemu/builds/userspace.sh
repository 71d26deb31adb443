#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build what runs in a guest of one architecture, static: busybox, fio and sg3_utils
# from Debian's source packages, and the selftests' programs.
#
# usage: userspace.sh ARCH
# result: build/userspace/ARCH/{busybox,fio,sg_raw,sg_reset,sgp_dd,pci_burst,disk_sample,config_toggle,board,kexec,mptctl,st}

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: userspace.sh ARCH"
# shellcheck source=/dev/null
. "$qemu_dir/arch/$1.env"
out=$top/build/userspace/$1
mkdir -p "$out"

# unpack NAME: the source package from build/dl into build/NAME
unpack()
{
	local dsc=("$top/build/dl/$1"_*.dsc)

	[ ! -d "$top/build/$1" ] || return 0
	[ -r "${dsc[0]}" ] || die "no source of $1 in build/dl" \
		"remedy: scripts/setup.sh build"
	rm -rf "$top/build/$1.part"
	logged "UNPACK  ${dsc[0]##*/}" "$out/$1.unpack.log" \
		dpkg-source --no-check -x "${dsc[0]}" "$top/build/$1.part"
	mv "$top/build/$1.part" "$top/build/$1"
}

bbmake()
{
	make -C "$top/build/busybox" O="$obj" CROSS_COMPILE="$CROSS" CC="ccache ${CROSS}gcc" \
		HOSTCC="ccache gcc" SKIP_STRIP=n "$@"
}

busybox()
{
	# busybox's allnoconfig answers no to KCONFIG_ALLCONFIG's options too
	bbmake allnoconfig &&
	sed -n 's/^\(CONFIG_[A-Z0-9_]*\)=.*/^# \1 is not set$/p' \
		"$qemu_dir/kconfig/busybox.config" > "$obj/set" &&
	grep -v -f "$obj/set" "$obj/.config" > "$obj/rest" &&
	cat "$obj/rest" "$qemu_dir/kconfig/busybox.config" > "$obj/.config" &&
	{ yes '' || true; } | bbmake oldconfig &&
	bbmake -j"$(nproc)" busybox
}

fio()
{
	cd "$obj" &&
	"$top/build/fio/configure" --cc="ccache ${CROSS}gcc" --build-static \
		--disable-native --disable-numa --disable-rdma --disable-shm \
		--disable-tcmalloc --disable-http &&
	make -j"$(nproc)" fio &&
	"${CROSS}strip" -o "$out/fio" fio
}

sg3()
{
	cd "$obj" &&
	"$top/build/sg3-utils/configure" --host="${CROSS%-}" CC="ccache ${CROSS}gcc" \
		--disable-shared --disable-scsistrings &&
	make -j"$(nproc)" -C include &&
	make -j"$(nproc)" -C lib &&
	make -C src LDFLAGS=-all-static sg_raw sg_reset sgp_dd &&
	"${CROSS}strip" -o "$out/sg_raw" src/sg_raw &&
	"${CROSS}strip" -o "$out/sg_reset" src/sg_reset &&
	"${CROSS}strip" -o "$out/sgp_dd" src/sgp_dd
}

build_busybox()
{
	local obj=$out/busybox.d

	unpack busybox
	[ ! "$out/busybox" -nt "$qemu_dir/kconfig/busybox.config" ] || return 0
	mkdir -p "$obj"
	logged "BUSYBOX $1" "$out/busybox.log" busybox
	while IFS= read -r line; do
		case $line in CONFIG_*)
			grep -qxF "$line" "$obj/.config" ||
				die "$line of busybox.config is not in busybox's .config"
		esac
	done < "$qemu_dir/kconfig/busybox.config"
	cp "$obj/busybox" "$out/busybox"
}

build_fio()
{
	local obj=$out/fio.d

	unpack fio
	[ ! -x "$out/fio" ] || return 0
	rm -rf "$obj"
	mkdir -p "$obj"
	CROSS_COMPILE=$CROSS logged "FIO     $1" "$out/fio.log" fio
}

build_sg3()
{
	local obj=$out/sg3-utils.d

	unpack sg3-utils
	[ ! -x "$out/sg_raw" ] || [ ! -x "$out/sg_reset" ] || [ ! -x "$out/sgp_dd" ] ||
		return 0
	rm -rf "$obj"
	mkdir -p "$obj"
	logged "SG3     $1" "$out/sg3-utils.log" sg3
}

# at once: most of their time one of them runs a configure script
jobs=() rc=0
for package in busybox fio sg3; do
	"build_$package" "$1" &
	jobs+=($!)
done
for job in "${jobs[@]}"; do
	wait "$job" || rc=1
done
[ $rc = 0 ] || exit 1
for source in selftests/io_check/pci_burst selftests/io_check/disk_sample \
	selftests/dma_hints/config_toggle qemu/guest/board qemu/guest/kexec \
	qemu/guest/mptctl qemu/guest/st; do
	name=${source##*/}
	logged "CC      $1 $name" "$out/$name.log" "${CROSS}gcc" -O2 -Wall \
		-static -o "$out/$name" "$top/tools/testing/$source.c" -lm
done
