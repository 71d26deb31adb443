#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build a cross compiler that Debian does not have, from Debian's gcc-12-source,
# into ~/.cache: C only, without a library, as the kernel needs it.
#
# usage: toolchain.sh TRIPLET
# result: $toolchains/bin/TRIPLET-gcc, beside links to Debian's binutils

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: toolchain.sh TRIPLET"
target=$1
tarball=$(echo /usr/src/gcc-12/gcc-12*.tar.xz)
[ -r "$tarball" ] || die "no source of gcc 12 in /usr/src" \
	"remedy: scripts/setup.sh $target"
out=$toolchains/$(dpkg-query -W -f '${Version}' gcc-12-source)
work=$top/build/toolchain/$target
[ ! -x "$out/bin/$target-gcc" ] || exit 0

configure()
{
	cd "$work/obj" && "$work/src/configure" --target="$target" --prefix="$out" \
		--without-headers --with-newlib --enable-languages=c \
		--disable-{shared,threads,multilib,nls,lto,plugin,gcov,libcc1} \
		--disable-{decimal-float,libssp,libquadmath,libgomp,libatomic} \
		--disable-bootstrap --without-isl --without-zstd --with-system-zlib \
		--enable-checking=release --with-as="/usr/bin/$target-as" \
		--with-ld="/usr/bin/$target-ld" \
		CFLAGS='-O1 -g0' CXXFLAGS='-O1 -g0' MAKEINFO=true
}

compiler()
{
	make -C "$work/obj" -j"$(nproc)" all-gcc MAKEINFO=true
}

# Debian's tarball has no manuals, and "install" wants them
install_it()
{
	make -C "$work/obj/gcc" install-driver install-common install-headers MAKEINFO=true
	for tool in "/usr/bin/$target-"*; do
		ln -sf "$tool" "$out/bin/"
	done
}

mkdir -p "$work/src" "$work/obj"
logged "UNPACK  ${tarball##*/}" "$work/unpack.log" \
	tar -xJf "$tarball" -C "$work/src" --strip-components=1
logged "CONFIG  $target-gcc" "$work/configure.log" configure
logged "CC      $target-gcc" "$work/build.log" compiler
logged "INSTALL $target-gcc" "$work/install.log" install_it
"$out/bin/$target-gcc" --version | head -n 1
