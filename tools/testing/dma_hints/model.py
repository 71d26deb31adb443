# SPDX-License-Identifier: GPL-2.0
"""What a bridge's prefetching gives a device that reads memory by DMA.

A bridge fetches the line that is demanded and d more, streams them, and
disconnects; the master then pays a fixed cost A to ask again.  A is not known
from any document: it is fitted to the paper's two cells that the prefetch limits
(consistent MRM at depths 0 and 1).  So the model explains, and what it says of
other machines is a prediction nobody has measured.
"""

import dataclasses
import math

import paper


@dataclasses.dataclass(frozen=True)
class Bridge:
    """A bridge and its bus.

    line     bytes of a cache line
    t_b      ns that the bus takes for a line
    again    ns from a disconnect to the next data, A
    ceiling  MB/s that something else limits the device to, or infinite
    """

    line: int
    t_b: float
    again: float
    ceiling: float = math.inf

    def line_time(self, depth):
        """ns a line takes at a prefetch depth, in lines."""
        return self.t_b + self.again / (depth + 1)

    def rate(self, depth):
        """MB/s at a depth."""
        return min(self.ceiling, self.line / self.line_time(depth) * 1e3)

    def block_rate(self, depth, block):
        """MB/s at a depth, if prefetching ends at each multiple of block bytes."""
        lines = block // self.line
        per_line = self.t_b + math.ceil(lines / (depth + 1)) * self.again / lines
        return min(self.ceiling, self.line / per_line * 1e3)

    def depth_for(self, demand):
        """The smallest depth that gives demand, in MB/s; None if the bus cannot."""
        spare = self.line / demand * 1e3 - self.t_b
        if spare <= 0:
            return None
        return max(0, math.ceil(self.again / spare - 1))


def bus_time(line, clock=paper.CLOCK):
    """ns of a line on a 64-bit bus."""
    return line / paper.WIDTH * clock


def flat_cells():
    """Table 6's cells that no prefetching limits, in MB/s."""
    cells = [cell for table in (paper.TABLE6_DEPTH, paper.TABLE6_BLOCK)
             for cells in table.values() for cell in cells]
    for cell in paper.TABLE6_DEPTH["consistent", "MRM"][:2]:
        cells.remove(cell)
    return cells


def ceiling():
    """What else limits the 53c1010, in MB/s: the mean of the flat cells."""
    cells = flat_cells()
    return sum(cells) / len(cells)


def fit(time, cells):
    """The A, in ns, that gives the least squares of the logarithms of the rates.

    time(A, depth) is the model's ns of a line, cells are (depth, MB/s).
    """
    def error(again):
        return sum(math.log(paper.LINE_ZX1 / time(again, depth) * 1e3 / cell) ** 2
                   for depth, cell in cells)
    low, high = 0.0, 5000.0
    for _ in range(200):            # convex: ternary search
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if error(a) < error(b):
            high = b
        else:
            low = a
    return (low + high) / 2


UNSATURATED = list(zip(paper.DEPTHS, paper.TABLE6_DEPTH["consistent", "MRM"]))[:2]


def zx1(clock=paper.CLOCK):
    """The paper's bridge, with A fitted."""
    t_b = bus_time(paper.LINE_ZX1, clock)
    again = fit(lambda a, depth: t_b + a / (depth + 1), UNSATURATED)
    return Bridge(paper.LINE_ZX1, t_b, again, ceiling())


def parisc():
    """A prediction: ZX1's A and the difference in memory latency; no ceiling."""
    bridge = zx1()
    return Bridge(paper.LINE_PARISC, bus_time(paper.LINE_PARISC),
                  bridge.again + paper.LATENCY_PARISC - paper.LATENCY_ZX1)


@dataclasses.dataclass(frozen=True)
class Window(Bridge):
    """A wrong variant: the bridge keeps d + 1 lines in flight, always."""

    def line_time(self, depth):
        """ns a line takes, as the slower of bus and window."""
        return max(self.t_b, (self.t_b + self.again) / (depth + 1))


def sliding_window():
    """The wrong variant with its own best A."""
    t_b = bus_time(paper.LINE_ZX1)
    again = fit(lambda a, depth: max(t_b, (t_b + a) / (depth + 1)), UNSATURATED)
    return Window(paper.LINE_ZX1, t_b, again, ceiling())


def half_speed():
    """Another: a bus of 33 MHz, with its own best A."""
    return zx1(clock=2 * paper.CLOCK)


def relaxed(enforced, bridge):
    """Mb/s of Table 1 with ordering relaxed, from those with ordering enforced.

    A PIO write that a read's data has to wait for disconnects the burst, which
    costs A.  It finds a DMA under way with the probability p, the share of the time
    of a packet that its DMA takes.
    """
    packet = paper.MESSAGE * 8 / enforced * 1e3                     # ns
    lines = math.ceil((paper.MESSAGE + paper.HEADERS) / bridge.line)
    dma = lines * bridge.line / bridge.rate(paper.DEPTH_DEFAULT) * 1e3
    return paper.MESSAGE * 8 / (packet - dma / packet * bridge.again) * 1e3
