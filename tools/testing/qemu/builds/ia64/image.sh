#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel and an initramfs for an ia64 system emulator of the user's own; the
# last line of the output is the command that boots them.
#
# usage: ia64/image.sh BASE [checked|plain]

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/../lib.sh"

[ $# -ge 1 ] || die "usage: ia64/image.sh BASE [checked|plain]"
base=$1 run=${2:-checked}
here=$qemu_dir/builds/ia64
obj=$top/build/$base/patched/O.ia64.on+builtin
out=$top/build/userspace/ia64

init()
{
	ia64-linux-gnu-gcc -O2 -Wall -ffreestanding -fno-builtin -nostdlib -static \
		-I"$obj/usr/include" -o "$out/init" \
		"$here/start.S" "$here/init.c"
}

initramfs()
{
	"$obj/usr/gen_init_cpio" - > "$out/initramfs.cpio" <<-LIST
		dir /dev 0755 0 0
		dir /proc 0755 0 0
		dir /sys 0755 0 0
		nod /dev/console 0600 0 0 c 5 1
		file /init $out/init 0755 0 0
	LIST
}

"$qemu_dir/builds/kernel.sh" "$base" patched ia64 on+builtin vmlinux.gz headers
mkdir -p "$out"
logged "CC      ia64 init" "$out/init.log" init
logged "CPIO    ia64" "$out/initramfs.log" initramfs
echo "  with QEMU_IA64, your emulator:"
# shellcheck disable=SC2016
printf '"$QEMU_IA64" -m 1G -nographic -no-reboot -device lsi53c895a -kernel %s -initrd %s -append "console=ttyS0 panic=-1 bench.run=%s"\n' \
	"$obj/vmlinux" "$out/initramfs.cpio" "$run"
