# SPDX-License-Identifier: GPL-2.0
"""The evaluations of five documents of 1998 to 2005, redone: a module each.

nine_cells  H. Ishii, "readX_check() performance evaluation", linux-kernel, January 2004
direct      L. Dale, "direct-to-BIO for O_DIRECT", linux-kernel, July 2002
cam         S. Shapiro, on FreeBSD's CAM, freebsd-current, October 1998
board       "Performance of New 8020 Backend Board", HHTech, June 2005
hints       G. Grundler, "DMA Hints on IA64/PARISC", Ottawa Linux Symposium 2003
cost        what an access costs beside the ways of others, and on several CPUs
silicon     the same on the host's own CPU
size        what an option adds to a driver's code and stack
growth      how recoveries, and what is told of errors, grow with what there is
soak        recoveries by the thousand: sound I/O, flat memory; make soak, not make bench

A module has cells(quick), the boots that it needs, and tables(results, figures), its
tables from what they showed, beside the paper's in the paper's own units; it may have
judge(figures), what the figures have to show, and goals(figures), what they should reach.
Boots and their results are cell.py's, counts of instructions counting.py's.
"""

from . import board, cam, cost, direct, growth, hints, nine_cells, silicon, size, soak

EVALUATIONS = (nine_cells, cost, size, silicon, direct, cam, board, hints, growth, soak)
