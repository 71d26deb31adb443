#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fast checks of the series and of the project's own files; under a minute.  A patch that
# checkpatch has nothing against is not shown to it again.
#
# usage: lint.sh BASE [WORDS]
#
# With WORDS only the checks whose name begins with them.

set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
base=${1:?usage: lint.sh BASE}
vanilla=build/$base/vanilla
only=${2:-}
bad=0

# check NAME COMMAND...: when it passes, its notes alone are shown
check()
{
	local name=$1 out

	[[ $name = "$only"* ]] || return 0
	shift
	if out=$("$@" 2>&1); then
		echo "  LINT    $name"
		grep '^note: ' <<< "$out"
	else
		bad=1
		printf '  LINT    %s: FAILED\n%s\n' "$name" "$out" >&2
	fi
	return 0
}

# one_patch FILE: what checkpatch says of it, in the base's tree
one_patch()
{
	# the entries of MAINTAINERS are for all of a topic's files
	local patch=$1 ignore=FILE_PATH_CHANGES key

	# what is there without an option ignores its arguments
	ignore+=,MACRO_ARG_UNUSED
	# widths and plain accessors are words there, not values
	[[ $patch != *error-checked-register* && $patch != *checked-accessors* ]] ||
		ignore+=,MACRO_ARG_REUSE
	# a base is a tarball, without mainline's commits, and not each Fixes: is known
	ignore+=,UNKNOWN_COMMIT_ID,MISSING_FIXES_TAG
	# the names of Fusion's registers and functions are its own
	[[ $patch != *message-fusion* ]] || ignore+=,CAMELCASE
	# PCI_SPEED_66MHz
	[[ $patch != *Test-which-DMA-hints* ]] || ignore+=,CAMELCASE
	# sym53c8xx_2's register macros take a structure's name
	[[ $patch != *sym53c8xx_2* ]] || ignore+=,MACRO_ARG_REUSE
	# the first line's commit and the index lines change with the patches before it
	key=$({ echo "$ignore $judge"; sed '1d; /^index /d' "$patch"; } | sha256sum)
	[ ! -e "$clean/${key%% *}" ] || return 0
	perl scripts/checkpatch.pl --strict --quiet --no-summary --ignore $ignore "$patch" \
		> "$patch.out" 2>&1
	# with no finding it prints nothing
	[ ! -s "$patch.out" ] && touch "$clean/${key%% *}"
}
export -f one_patch

patches()
{
	local git=build/$base/series.git

	# patches that checkpatch had nothing against: on this version of the base
	export clean=${XDG_CACHE_HOME:-~/.cache}/io_check/checkpatch judge
	judge=$(cat "$vanilla/.unpacked")
	mkdir -p "$clean"
	rm -rf build/lint
	git -C "$git" rev-parse -q --verify series > /dev/null ||
		{ echo "the series does not apply: nothing was looked at"; return 1; }
	git -C "$git" format-patch -q -N -o "$PWD/build/lint" \
		"$(git -C "$git" rev-list --max-parents=0 series)..series"
	cd "$vanilla" || return
	# a long one takes as long as ten others: the longest first
	find "$OLDPWD/build/lint" -name '*.patch' -printf '%s %p\0' | sort -z -n -r |
		sed -z 's/^[0-9]* //' |
		xargs -0 -r -n 1 -P "$(nproc)" bash -c 'one_patch "$1"' -- && return
	cat "$OLDPWD"/build/lint/*.out
	return 1
}

spdx()
{
	local f lacks=0

	while read -r f; do
		head -n 3 "$f" | grep -q 'SPDX-License-Identifier: ' ||
			{ echo "$f: no SPDX-License-Identifier"; lacks=1; }
	done < <(git ls-files -co --exclude-standard -- \
		'*.c' '*.h' '*.S' '*.py' '*.sh' 'Makefile' '*/Makefile' \
		.ci/run tools/testing/qemu/guest/init)
	return $lacks
}

shell_files()
{
	git ls-files -co --exclude-standard -- '*.sh' .ci/run
}

list()
{
	git ls-files -co --exclude-standard -- "$@"
}

check "series bookkeeping" /usr/bin/python3 scripts/series.py check "$base"
check "checkpatch --strict, each patch" patches
check "SPDX" spdx
mapfile -t files < <(shell_files)
check "shellcheck" shellcheck -x -P SCRIPTDIR -S warning "${files[@]}"
check "shellcheck init" shellcheck -s sh -S error tools/testing/qemu/guest/init
check "fault matrix" /usr/bin/python3 tools/testing/qemu/matrix.py --lint
check "tables" /usr/bin/python3 tools/testing/qemu/tables.py --lint
mapfile -t files < <(list '*.py')
check "pyflakes3" pyflakes3 "${files[@]}"
mapfile -t files < <(list . ':!COPYING')
# TE is a bit of the 53C8xx, the others are in lines of the base kernels'
check "codespell" codespell -q 3 -L te,pathes,hsi,hte,damon,inflight \
	--ignore-regex 'queues as thos might have' "${files[@]}"
exit $bad
