#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sparse, for Kbuild's CHECK: Debian 12's knows riscv's single-letter extensions
# only, and ends at the first other one of -march=.

for word; do
	shift
	case $word in -march=*_*) word=${word%%_*} ;; esac
	set -- "$@" "$word"
done
exec sparse "$@"
