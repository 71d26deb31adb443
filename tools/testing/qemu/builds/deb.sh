#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Make a Debian package of a patched kernel, by Kbuild's bindeb-pkg.
#
# usage: deb.sh BASE ARCH
# result: build/deb/linux-image-VERSION-io-check_PACKAGE-VERSION_DEBIAN-ARCH.deb
#
# The same sources and series give the same package.  Kbuild's packages of headers are left
# out: in a cross build they hold programs of the build machine.

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# = 2 ] || die "usage: deb.sh BASE ARCH"
base=$1 arch=$2
src=$top/build/$base/patched
obj=$src/O.$arch.on@deb
out=$top/build/deb
[ -r "$src/.series-head" ] ||
	die "no tree ${src#"$top"/}" "remedy: scripts/series.py patched $base"

# version and date of Debian's sources
KDEB_PKGVERSION=$(cat "$top/build/$base/vanilla/.unpacked")+iocheck
SOURCE_DATE_EPOCH=$(stat -c %Y "$top/build/$base/vanilla/Makefile")
export KDEB_PKGVERSION SOURCE_DATE_EPOCH
export KDEB_CHANGELOG_DIST=unstable DEBFULLNAME=io_check DEBEMAIL=io_check@bench
# what it needs is in scripts/packages; dpkg would look for it of that architecture
export DPKG_FLAGS=-d
# 6.1 dates the changelog by date -R
mkdir -p "$out/bin"
cat > "$out/bin/date" <<-'DATE'
	#!/bin/sh
	exec /bin/date -u -d "@$SOURCE_DATE_EPOCH" "$@"
DATE
chmod +x "$out/bin/date"

# they go to the directory above the objects
rm -f "$src"/*.deb "$src"/*.buildinfo "$src"/*.changes
# the last LOCALVERSION counts
PATH=$out/bin:$PATH KEXTRA=LOCALVERSION=-io-check \
	"$qemu_dir/builds/kernel.sh" "$base" patched "$arch" on@deb bindeb-pkg
deb=("$src"/linux-image-*-io-check_"${KDEB_PKGVERSION}"_*.deb)
[ -r "${deb[0]}" ] && [ ${#deb[@]} = 1 ] ||
	die "bindeb-pkg made no image of version $KDEB_PKGVERSION" \
	    "log: ${obj#"$top"/}/build.log"
rm -f "$out/linux-image-$base".*_"$(dpkg-deb -f "${deb[0]}" Architecture)".deb
mv "${deb[0]}" "$out/"
rm -f "$src"/*.deb "$src"/*.buildinfo "$src"/*.changes
echo "build/deb/${deb[0]##*/}"
