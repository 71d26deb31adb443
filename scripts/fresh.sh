#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a command in a clone of HEAD, in a Debian 12 that has git and make only.
#
# usage: fresh.sh [-u] [-k] [-w] SUITES COMMAND
#
# SUITES is main (that suite alone), all (with updates and security), or both
# words: one root after the other.  COMMAND runs as root.
#
#  -u  COMMAND runs as an ordinary user, who lacks packages: it has to end with
#      a remedy and leave nothing behind; with what the remedy brings it has
#      to pass
#  -k  keep build/fresh/SUITES, to look at it
#  -w  warm: with build/dl and the compiler cache of this machine
#
# The root has a mount and a PID namespace: whatever ends this, its processes
# and mounts are gone.

set -euo pipefail
# shellcheck source=tools/testing/qemu/builds/lib.sh
. "$(dirname "$0")/../tools/testing/qemu/builds/lib.sh"

release=bookworm
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
usage="usage: fresh.sh [-u] [-k] [-w] 'main all' COMMAND"
src=/home/user/io_check		# of the clone, in the root

# Write apt's sources for the suites $1 into the root.
write_sources()
{
	local suite uri suites=$release

	[ "$1" = main ] || suites="$release $release-updates $release-security"
	for suite in $suites; do
		uri=$("$top/scripts/setup.sh" --uri "$suite")
		[ -n "$uri" ] || die "no apt source for $suite, component main, on this machine" \
			"remedy: add one to /etc/apt/sources.list.d and try again"
		echo "deb $uri $suite main"
	done > "$root/etc/apt/sources.list"
	apt-config dump | grep -i '^Acquire::.*Proxy' > "$root/etc/apt/apt.conf.d/proxy" || true
}

# as USER COMMAND: run it in the clone, with the environment of a login
as()
{
	local user=$1 var proxy=()

	for var in http_proxy https_proxy no_proxy; do
		[ -z "${!var:-}" ] || proxy+=("$var=${!var}")
	done
	chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups \
		env -i "${proxy[@]}" TERM="${TERM:-dumb}" USER="$user" \
		HOME="$([ "$user" = root ] && echo /root || echo "/home/$user")" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		bash -c "cd $src && $2"
}

# What the namespaces run: mount, then the command.
inside()
{
	mount -t proc proc "$root/proc"
	mount -t sysfs -o ro sysfs "$root/sys"
	mount -t devpts -o newinstance,ptmxmode=0666,gid=5 devpts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	if [ -n "$warm" ]; then
		mkdir -p "$root$src/build/dl" "$root/root/.cache/ccache" \
			"$top/build/dl" "$warm"
		mount --bind "$top/build/dl" "$root$src/build/dl"
		mount --bind "$warm" "$root/root/.cache/ccache"
	fi
	if [ -z "$user" ]; then
		as root "$command"
		return
	fi

	local out=$root/refused remedy left

	if as user "$command" 2>&1 | tee "$out"; then
		die "'$command' passed without packages"
	fi
	remedy=$(sed -n 's/^ *\(setup: \)\?remedy: sudo //p' "$out")
	[ -n "$remedy" ] || die "'$command' failed, and named no remedy"
	[ "$(wc -l <<< "$remedy")" = 1 ] || die "more remedies than one"
	left=$(as user "git status --short --ignored")
	[ -z "$left" ] || die "'$command' left behind:" "$left"
	as root "$remedy"
	as user "$command"
}

user='' keep='' warm=''
while getopts ukw option; do
	case $option in
	u) user=1 ;;
	k) keep=1 ;;
	w) warm=1 ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 2 ] && [ -n "$1" ] && [ -n "$2" ] || die "$usage"
suites=$1 command=$2
for suite in $suites; do
	[[ $suite = main || $suite = all ]] ||
		die "no suites '$suite'; there are: main all" "$usage"
done
[ "$(id -u)" = 0 ] ||
	die "only root can make and enter a root directory" "remedy: sudo $0 $*"
"$top/scripts/setup.sh" fresh
[ -z "$warm" ] || warm=$(ccache -k cache_dir)
[ -z "$(git -C "$top" status --short)" ] ||
	echo "note: HEAD is tried, without the edits that are not committed"

# End what runs in the root, and remove it; within logged() pid is that of its
# command.
cleanup()
{
	trap '' INT TERM
	[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null || true
	wait
	[ -n "$keep" ] && return
	# the last of its processes may be ending still
	rm -rf "$root" 2> /dev/null || { sleep 1; rm -rf "$root"; }
}

mkdir -p "$top/build/fresh"
rc=0
for suite in $suites; do
	root=$top/build/fresh/$suite pid=''
	exec 9> "$root.lock"
	flock -n 9 || die "another run is in ${root#"$top"/}"
	rm -rf "$root"
	trap cleanup EXIT
	trap 'exit 130' INT TERM
	uri=$("$top/scripts/setup.sh" --uri "$release")
	logged "ROOT    $suite" "$root.log" unshare --mount --pid --fork --kill-child \
		--mount-proc debootstrap --variant=minbase --keyring="$keyring" \
		--include=git,make "$release" "$root" "$uri"
	write_sources "$suite"
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	chroot "$root" useradd -m user
	git clone -q --no-hardlinks "$top" "$root$src"
	chroot "$root" chown -R "$([ -n "$user" ] && echo user || echo root):" "$src"
	start=$SECONDS
	export -f inside as die
	export top root src user warm command
	unshare --mount --pid --fork --kill-child bash -euo pipefail -c inside fresh.sh &
	pid=$!
	state=passed
	wait "$pid" || { rc=$?; state="failed ($rc)"; }
	pid=''
	echo "  FRESH   $suite: '$command' $state, $((SECONDS - start)) s"
	[ -z "$keep" ] || echo "  FRESH   kept: ${root#"$top"/}, and $src in it"
	trap - EXIT
	cleanup
done
exit $rc
