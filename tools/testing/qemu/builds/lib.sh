# SPDX-License-Identifier: GPL-2.0
# Sourced by the build scripts: errors, and long steps with progress.

# shellcheck shell=bash disable=SC2034
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
qemu_dir=$top/tools/testing/qemu
export CCACHE_BASEDIR=$top/build CCACHE_NOHASHDIR=1
export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970'
export KBUILD_BUILD_USER=io_check KBUILD_BUILD_HOST=bench
# cross compilers that toolchain.sh built, a directory a version
toolchains=${XDG_CACHE_HOME:-~/.cache}/io_check/toolchains
for dir in "$toolchains"/*/bin; do
	[ ! -d "$dir" ] || PATH=$PATH:$dir
done
# neither the user's choice of ARCH nor his make flags are Kbuild's
unset ARCH CROSS_COMPILE MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS V

die()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	shift
	[ $# -eq 0 ] || printf '  %s\n' "$@" >&2
	exit 1
}

# logged WHAT LOG COMMAND...: output goes to LOG; every ten seconds a line
# says how far the log has come, by Kbuild's steps or debootstrap's; on failure
# its end and its place are shown.  What it took goes to build/times.tsv.
logged()
{
	local what=$1 log=$2 start=$SECONDS next pid steps rc=0

	shift 2
	mkdir -p "${log%/*}"
	echo "  $what"
	"$@" > "$log" 2>&1 &
	pid=$!
	next=$((start + 10))
	while kill -0 "$pid" 2> /dev/null; do
		sleep 0.2
		[ "$SECONDS" -lt "$next" ] && continue
		next=$((next + 10))
		steps=$(grep -cE '^(  [A-Z]|I: )' "$log") || steps=
		echo "  $what: $((SECONDS - start)) s${steps:+, $steps steps}"
	done
	wait "$pid" || rc=$?
	printf '%s\t%s\n' $((SECONDS - start)) "$what" >> "$top/build/times.tsv"
	[ $rc = 0 ] && return
	[ -z "${BENCH_V:-}" ] || cat "$log" >&2
	grep -E -A3 "(error:|undefined reference|[*][*][*])" "$log" | head -n 20 >&2 ||
		tail -n 20 "$log" >&2
	die "$what failed ($rc)" "log: ${log#"$top"/}"
}
