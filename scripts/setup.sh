#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install what the named package sets of scripts/packages lack; do nothing
# when nothing is missing.
#
# usage: setup.sh SET...
#        setup.sh --uri SUITE	print where apt has that suite of Debian's from
#
# A package src:NAME is a source package, downloaded to build/dl; kernel:SUITE is the
# newest linux-source-NUMBER of another suite of Debian, downloaded and unpacked in
# build/dl/SUITE, not installed.  A base that has a suite in `bases` is a set of its own,
# fetched once: the suite's linux-source-BASE, or what has taken its place.
# deb:SUITE:NAME is unpacked in build/dl/SUITE/NAME, fetched once and not installed.
#
# The machine's own sources, pins and package lists stay as they are: the
# backports and source entries, the pin for QEMU and the lists live under
# build/apt and are handed to apt on its command line.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
apt=$top/build/apt
dl=$top/build/dl
table=$top/scripts/packages

die()
{
	printf 'setup: %s\n' "$@" >&2
	exit 1
}

# Print the suite of a base that is not of the machine's own release.
suite_of()
{
	awk -v base="$1" '$1 == base { print $3 }' "$top/bases"
}

# Print the packages of the sets in $@ that are absent or too old.
missing()
{
	local set suite pkg min have

	for set in "$@"; do
		suite=$(suite_of "$set")
		if [ -n "$suite" ]; then
			[ -s "$dl/$suite/version" ] || echo "kernel:$suite:$set"
			continue
		fi
		grep -q "^$set	" "$table" ||
			die "no package set '$set' in scripts/packages" \
			    "sets: $(sed '/^#/d; s/[	 ].*//' "$table" "$top/bases" | sort -u | xargs)"
		while read -r _ pkg min; do
			if [ "$pkg" != "${pkg#src:}" ]; then
				compgen -G "$dl/${pkg#src:}_*.dsc" > /dev/null || echo "$pkg"
				continue
			fi
			if [ "$pkg" != "${pkg#kernel:}" ]; then
				echo "$pkg"	# there may be a newer one
				continue
			fi
			if [ "$pkg" != "${pkg#deb:}" ]; then
				have=${pkg#deb:}
				[ -d "$dl/${have%:*}/${have#*:}" ] || echo "$pkg"
				continue
			fi
			have=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "$pkg" 2>/dev/null || true)
			case $have in
			"installed "*)
				[ -z "$min" ] ||
				dpkg --compare-versions "${have#* }" ge "$min" ||
				echo "$pkg"
				;;
			*)
				echo "$pkg"
				;;
			esac
		done < <(grep "^$set	" "$table")
	done
}

# Print the package sets of all that make was asked for, by its dry run.
goals_sets()
{
	[ -n "${BENCH_GOALS:-}" ] || return 0
	xargs env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		make -n -C "$top" <<< "$BENCH_GOALS" 2> /dev/null |
		sed -n 's/^scripts\/setup\.sh //p' | xargs -n 1
}

# Print the URI of a suite, by the machine's own sources; nothing if it has none.
uri_of()
{
	# before the first apt-get update a repository has no codename
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(RELEASE)' \
		'Component: main' | sort -u |
		awk -v s="$1" '($2 == s || $3 == s) && !n++ { print $1 }'
}

# Sources under build/apt: the machine's own, and from the same mirror the
# backports of this release and the source packages.
write_sources()
{
	local key='' uri

	rm -rf "$apt/sources.list.d"
	mkdir -p "$apt/sources.list.d" "$apt/lists/partial"
	find /etc/apt/sources.list.d -maxdepth 1 \
		\( -name '*.list' -o -name '*.sources' \) \
		-exec cp {} "$apt/sources.list.d/" \;

	[ ! -r /usr/share/keyrings/debian-archive-keyring.gpg ] ||
		key='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
	uri=$(uri_of "$release")
	[ -n "$uri" ] ||
		die "no apt source for $release, component main, on this machine" \
		    "remedy: add one to /etc/apt/sources.list.d and try again"
	{
		echo "deb-src $key $uri $release main"
		[ -n "$(uri_of "$release-backports")" ] ||
			echo "deb $key $uri $release-backports main"
	} > "$apt/sources.list.d/io-check.list"
	cat > "$apt/preferences" <<-PIN
		Package: src:qemu src:opensbi src:seabios
		Pin: release n=$release-backports
		Pin-Priority: 500
	PIN
}

apt_get()
{
	apt-get -o Dir::Etc::sourceparts="$apt/sources.list.d" \
		-o Dir::Etc::preferences="$apt/preferences" \
		-o Dir::State::lists="$apt/lists" \
		-o APT::Sandbox::User=root \
		-o Acquire::Retries=3 \
		-o Dpkg::Use-Pty=0 -qq "$@"
}

# Package lists of another suite, under build/apt/SUITE: suite_apt has apt's options, and
# mirror where they are from.
open_suite()
{
	local lists=$apt/$1 where

	# write_sources has put them there: the key, if any, and the URI
	where=$(sed -n 's/^deb-src *\(\[[^]]*\]\)\{0,1\} *\([^ ]*\) .*/\1 \2/p' \
		"$apt/sources.list.d/io-check.list")
	rm -rf "$lists/sources"
	mkdir -p "$lists/sources" "$lists/lists/partial"
	echo "deb $where $1 main" > "$lists/sources/suite.list"
	mirror=${where##* }
	suite_apt=(-o Dir::Etc::sourcelist=/dev/null
		-o Dir::Etc::sourceparts="$lists/sources"
		-o Dir::State::lists="$lists/lists"
		-o APT::Sandbox::User=root -o Acquire::Retries=3)
	apt-get "${suite_apt[@]}" -qq update
}

# unpack DIRECTORY PACKAGE: download a package of the suite that is open, and unpack it
unpack()
{
	rm -rf "$1" "$1.part"
	mkdir -p "$1.part"
	# step() has set -e off
	cd "$1.part" &&
		apt-get "${suite_apt[@]}" -qq download "$2" &&
		dpkg-deb -x ./*.deb . &&
		rm ./*.deb &&
		mv "$1.part" "$1"
}

# deb SUITE:PACKAGE: one of another suite
deb()
{
	open_suite "${1%:*}" && unpack "$dl/${1%:*}/${1#*:}" "${1#*:}"
}

# kernel SUITE[:BASE]: download and unpack that suite's kernel source of BASE, or its newest
kernel()
{
	local suite=${1%:*} base=${1#*:} all pkg version
	local dir=$dl/$suite

	open_suite "$suite" || return
	all=$(apt-cache "${suite_apt[@]}" pkgnames linux-source- | grep -E '^linux-source-[0-9.]+$' | sort -V)
	pkg=$(grep -x "linux-source-$base" <<< "$all" || tail -n 1 <<< "$all")
	[ -n "$pkg" ] || die "no package linux-source-NUMBER in $suite at $mirror"
	version=$(apt-cache "${suite_apt[@]}" show "$pkg" | sed -n 's/^Version: //p' | sort -V | tail -n 1)
	[ "$(cat "$dir/version" 2> /dev/null)" != "$version" ] || return 0
	unpack "$dir" "$pkg" || return
	echo "$version" > "$dir/version"
}

# Run a step quietly; show its end when it fails.
step()
{
	local what=$1 start=$SECONDS log=$apt/log

	shift
	echo "  APT     $what"
	"$@" > "$log" 2>&1 || { tail -n 20 "$log" >&2; die "failed: $what"; }
	[ $((SECONDS - start)) -lt 5 ] || echo "  APT     done in $((SECONDS - start)) s"
}

[ $# -gt 0 ] || die "usage: setup.sh SET..."
if [ "$1" = --uri ]; then
	uri_of "${2:?usage: setup.sh --uri SUITE}"
	exit
fi

want=$(missing "$@" | sort -u)
[ -n "$want" ] || exit 0
sources=$(sed -n 's/^src://p' <<<"$want" | xargs)
kernels=$(sed -n 's/^kernel://p' <<<"$want" | xargs)
debs=$(sed -n 's/^deb://p' <<<"$want" | xargs)
# of the machine's own release, to be installed
own='/^src:/d; /^kernel:/d; /^deb:/d'
binaries=$(sed "$own" <<<"$want" | xargs)

command -v apt-get > /dev/null ||
	die "no apt-get here: the set-up knows Debian 12 only" "needed: $binaries $sources"
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
[ "$release" = bookworm ] ||
	die "this is '$release'; the set-up knows Debian 12 (bookworm) only:" \
	    "later releases carry no linux-source-6.1" \
	    "remedy: run on Debian 12, in a container or chroot for instance"
if [ -n "$binaries" ] && [ "$(id -u)" != 0 ]; then
	# of the whole make that this is a part of, not only its next step
	read -ra every < <(goals_sets | sort -u | xargs) || true
	[ ${#every[@]} = 0 ] || set -- "${every[@]}"
	die "missing packages: $(missing "$@" | sed "$own" | sort -u | xargs)" "remedy: sudo $0 $*"
fi

export DEBIAN_FRONTEND=noninteractive
mkdir -p "$apt" "$dl"
# what sudo brings is the user's
[ "$(id -u)" != 0 ] ||
	trap 'chown -R --reference="$top" "$apt" "$dl"; chown --reference="$top" "$top/build"' EXIT
write_sources
step "update" apt_get update
# shellcheck disable=SC2086
[ -z "$binaries" ] ||
	step "install $binaries" \
		apt_get install -y --no-install-recommends $binaries
if [ -n "$sources" ]; then
	cd "$dl"
	# shellcheck disable=SC2086
	step "source $sources" apt_get source --download-only $sources
fi
for wanted in $kernels; do
	step "kernel source of ${wanted%:*}" kernel "$wanted"
done
for wanted in $debs; do
	step "${wanted#*:} of ${wanted%:*}" deb "$wanted"
done
left=$(missing "$@" | sed '/^kernel:/d' | sort -u | xargs)
[ -z "$left" ] || die "apt brought no suitable version of: $left"
