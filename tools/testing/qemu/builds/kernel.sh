#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Configure and build one bench kernel in build/BASE/TREE/O.ARCH.VARIANT.
#
# usage: kernel.sh BASE TREE ARCH VARIANT [MAKE-TARGET...]
#
# TREE is vanilla, or a tree that series.py expanded.  VARIANT names
# fragments joined by '+', each VARIANT.config of kconfig/, and VARIANT.ARCH.config and
# VARIANT.BASE.config where there are; 'plain' adds none, and 'clang' has clang build
# the kernel as well.  What follows a '@' in it only keeps object directories apart.
# MAKE-TARGETs default to the architecture's image and modules.  In the
# environment: KEXTRA, an argument for make; LAX=1, for options that a part of
# the series lacks.

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -ge 4 ] || die "usage: kernel.sh BASE TREE ARCH VARIANT [MAKE-TARGET...]"
base=$1 tree=$2 arch=$3 variant=$4
shift 4
[ -r "$qemu_dir/arch/$arch.env" ] ||
	die "no architecture '$arch'" \
	    "there are: $(cd "$qemu_dir/arch" && echo *.env | sed 's/\.env//g')"
# shellcheck source=/dev/null
. "$qemu_dir/arch/$arch.env"
[ $# -gt 0 ] || set -- "$IMAGE" modules
src=$top/build/$base/$tree
# an object directory alone would pass for a tree that has its sources
[ -e "$src/Makefile" ] ||
	die "build/$base/$tree has no sources" "remedy: make patched BASE=$base"
obj=$src/O.$arch.$variant
name="$base/$tree $arch $variant"

fragments=("$qemu_dir/kconfig/kernel.config" "$qemu_dir/arch/$arch.config")
# what is called differently from a base on
named=
while read -r b _; do
	[ ! -r "$qemu_dir/arch/$arch.$b.config" ] || named=$qemu_dir/arch/$arch.$b.config
	[ "$b" != "$base" ] || break
done < <(sed '/^#/d' "$top/bases")
[ -z "$named" ] || fragments+=("$named")
fragments_of=${variant%@*}
for v in ${fragments_of//+/ }; do
	[ "$v" = plain ] || fragments+=("$qemu_dir/kconfig/$v.config")
	for of in "$arch" "$base"; do
		[ ! -r "$qemu_dir/kconfig/$v.$of.config" ] ||
			fragments+=("$qemu_dir/kconfig/$v.$of.config")
	done
done

case +$fragments_of+ in
*+clang+*) tools=(LLVM=-19 CC="ccache clang-19") ;;
*) tools=(CROSS_COMPILE="$CROSS" CC="ccache ${CROSS}gcc") ;;
esac

# An object directory right below the sources makes Kbuild name them "..":
# vanilla and patched then share the compiler cache, and __FILE__.
kmake()
{
	make -C "$src" O="$obj" ARCH="$KARCH" "${tools[@]}" HOSTCC="ccache gcc" LOCALVERSION= \
		CHECK="$qemu_dir/builds/sparse.sh" ${KEXTRA:+"$KEXTRA"} "$@"
}

configure()
{
	(cd "$src" && env ARCH="$KARCH" "${tools[@]}" HOSTCC="ccache gcc" \
		scripts/kconfig/merge_config.sh -n -O "$obj" "${fragments[@]}")
}

mkdir -p "$obj"
# two builds at once would write into each other's dependencies; make's children,
# which have the lock as well, end with it
exec 9> "$obj/.lock"
if ! flock -n 9; then
	echo "  WAIT    $name: another build is in ${obj#"$top"/}"
	flock 9
fi
cat "${fragments[@]}" > "$obj/.fragments.new"
# a state of the series without a change of Kconfig keeps the configuration
if ! cmp -s "$obj/.fragments.new" "$obj/.fragments" ||
   [ -n "$(find "$src" -name 'O.*' -prune -o -name 'Kconfig*' \
	-newer "$obj/.fragments" -print -quit)" ]; then
	log=$obj/config.log
	logged "CONFIG  $name" "$log" configure
	# merge_config.sh warns of an option that did not take, and goes on; one that is
	# not to be set, and that the architecture does not have, is not set
	if [ -z "${LAX:-}" ] && awk '/not in final .config/ { what = $0 }
		/^Requested value:/ { asked = $0 }
		/^Actual value:/ && !(asked ~ /is not set$/ && NF == 2) {
			print what "\n" asked "\n" $0; bad = 1 }
		END { exit !bad }' "$log" >&2; then
		die "options of the fragments are not in $name's .config" \
		    "log: ${log#"$top"/}"
	fi
	mv "$obj/.fragments.new" "$obj/.fragments"
fi
export CCACHE_STATSLOG=$obj/ccache.log
rm -f "$CCACHE_STATSLOG"
logged "KERNEL  $name${KEXTRA:+ ($KEXTRA)}" "$obj/build.log" \
	kmake -j"$(nproc)" "$@"
[ ! -s "$CCACHE_STATSLOG" ] || awk '/_cache_hit$/ { hit++ } /^cache_miss$/ { miss++ }
	END { printf "  CCACHE  %d objects, %d of them compiled\n", hit + miss, miss }' \
	"$CCACHE_STATSLOG" | tee -a "$obj/build.log"

# Modules from outside the tree: vanilla gets the test module, with plain accesses; an
# architecture's guests have what is in guest/ARCH.
ext=$obj/external
sources=()
[ "$tree" != vanilla ] || sources+=("$top/drivers/pci/tests/io_check_test.c")
[ ! -d "$qemu_dir/guest/$arch" ] || sources+=("$qemu_dir/guest/$arch"/*)
if [ ${#sources[@]} -gt 0 ] && [[ " $* " == *" modules "* ]]; then
	mkdir -p "$ext"
	rm -f "$ext/Kbuild"
	cp -p "${sources[@]}" "$ext/"
	[ "$tree" != vanilla ] || echo "obj-m += io_check_test.o" >> "$ext/Kbuild"
	logged "MODULE  $name" "$obj/ext.log" kmake M="$ext" modules
fi
