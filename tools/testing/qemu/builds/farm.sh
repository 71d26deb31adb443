#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What checks the jobs of a test farm, and runs them without one, in build/farm: a Python
# environment with tuxrun and kcidb-io, and Debian's lava-run and schemas.
#
# usage: farm.sh

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/lib.sh"

farm=$top/build/farm
lava=$top/build/dl/unstable
# the versions that were tried
pins="tuxrun==1.11.0 tuxlava==0.28.0 kcidb-io==141"

[ -d "$lava/lava-dispatcher" ] ||
	die "no lava-dispatcher in build/dl" "remedy: scripts/setup.sh farm"
[ "$(cat "$farm/pins" 2> /dev/null)" != "$pins" ] || exit 0
rm -rf "$farm"
logged "PIP     $pins" "$top/build/logs/farm" bash -c "
	set -e
	/usr/bin/python3 -m venv --system-site-packages '$farm'
	'$farm/bin/pip' -q install $pins
"
for part in common dispatcher; do
	echo "$lava/lava-$part/usr/lib/python3/dist-packages"
done > "$("$farm/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lava.pth"
sed "1s|.*|#!$farm/bin/python|" "$lava/lava-dispatcher/usr/bin/lava-run" > "$farm/bin/lava-run"
chmod +x "$farm/bin/lava-run"
echo "$pins" > "$farm/pins"
