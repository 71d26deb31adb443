#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Management tools' ioctls to a Fusion MPT adapter, beside verified I/O and bursts.
#
# usage: mptctl.sh [HITS [SEED]]

# shellcheck source-path=SCRIPTDIR/../../selftests/io_check
. ./disks.sh

hits=${1:-15}
seed=${2:-1}
[ -c /dev/mptctl ] || skip "no /dev/mptctl: CONFIG_FUSION_CTL?"

echo "1..6"
hourly_limit 1000000
fill
storm /tmp/storm "$disks"
sleep 1
before=$(counted)
while [ ! -e /tmp/enough ]; do
	./mptctl 0 5 || : > /tmp/failed
done > /tmp/mptctl 2>&1 &
asking=$!
bursts -s "$seed" -n $((3 * hits)) -e $errors -H "$hits" -l 1000:500000 \
	-g 200000:800000 -o "$(output bursts.csv)"
result $? "pci_burst ran"
: > /tmp/enough
ended $asking && [ ! -e /tmp/failed ]
result $? "ioctls work, or say why not" "$(cat /tmp/mptctl)"
cat /tmp/mptctl
storm_ends 6
figures="detected=$(($(counted) - before))"
for word in good resets_asked again ended; do
	figures="$figures $word=$(sed "s/.* $word=\([0-9]*\).*/\1/" /tmp/mptctl |
		awk '/^[0-9]+$/ { n += $1 } END { print n + 0 }')"
done
echo "# figures fio_errors=$fio_errors verify_errors=$verify_errors $figures"
finish
