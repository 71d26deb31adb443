# SPDX-License-Identifier: GPL-2.0
"""The model against the paper's tables; its two wrong variants must fail."""

import statistics

import pytest

import model
import paper

PREFETCH = paper.TABLE6_DEPTH["consistent", "MRM"]
FLAT = [(key, cells) for table in (paper.TABLE6_DEPTH, paper.TABLE6_BLOCK)
        for key, cells in table.items()
        if not (table is paper.TABLE6_DEPTH and key == ("consistent", "MRM"))]


def prefetch_cells_hold(bridge):
    """Whether each of Table 6's prefetch cells is within 5%."""
    return all(abs(bridge.rate(depth) / cell - 1) <= 0.05
               for depth, cell in zip(paper.DEPTHS, PREFETCH))


def test_prefetch_cells():
    """The fit explains the cells, and more depth is never less."""
    bridge = model.zx1()
    assert prefetch_cells_hold(bridge)
    rates = [bridge.rate(depth) for depth in paper.DEPTHS]
    assert rates == sorted(rates)
    # as the design of the model has it
    assert abs(bridge.again - 1012) < 10 and abs(bridge.ceiling - 219.7) < 0.1


@pytest.mark.parametrize("variant", [model.sliding_window, model.half_speed])
def test_wrong_variants_fail(variant):
    """Neither explains the cells, even with an A of its own."""
    assert not prefetch_cells_hold(variant())


def test_memory_latency_alone_fails():
    """It would not stall at all: A is not the memory's."""
    bridge = model.zx1()
    alone = model.Bridge(bridge.line, bridge.t_b, paper.LATENCY_ZX1, bridge.ceiling)
    assert not prefetch_cells_hold(alone)


@pytest.mark.parametrize("key,cells", FLAT, ids=["-".join(k) for k, _ in FLAT])
def test_flat_rows(key, cells):
    """A row that no prefetching limits has the ceiling for its mean.

    Within three standard errors; single cells scatter more, one by 12 MB/s.
    """
    spread = statistics.stdev(model.flat_cells()) / len(cells) ** 0.5
    assert abs(statistics.mean(cells) - model.ceiling()) <= 3 * spread


def test_block_size_is_flat_at_depth_3():
    """As measured: the ceiling is lower than what any block size costs."""
    bridge = model.zx1()
    assert {bridge.block_rate(3, block) for block in paper.BLOCKS} == {bridge.ceiling}
    # and costs something where there is no ceiling
    bare = model.Bridge(bridge.line, bridge.t_b, bridge.again)
    assert bare.block_rate(3, 640) < bare.block_rate(3, 4096) == bare.rate(3)


def test_table_1():
    """Relaxed ordering, with no parameter of its own; other cells stay flat."""
    streaming = paper.TABLE1["streaming"]
    got = model.relaxed(streaming["NONE"], model.zx1())
    assert abs(got / streaming["MRM"] - 1) <= 0.01
    flat = [cell for row in paper.TABLE1.values() for name, cell in row.items()
            if row is not streaming or name not in ("MRM", "ALL")]
    assert max(flat) / min(flat) - 1 <= 0.003


def test_table_5():
    """Ordering is flat; read current off costs up to 6%: no more is claimed."""
    spread = statistics.stdev(model.flat_cells())
    for (_, hint), row in paper.TABLE5.items():
        for cell in row.values():
            if hint == "order":
                assert abs(cell - model.ceiling()) <= 3 * spread
            else:
                assert 0.94 <= cell / model.ceiling() <= 1.01


def test_prediction_for_parisc():
    """As printed in the report: nobody has measured it."""
    assert [round(model.parisc().rate(d)) for d in paper.DEPTHS] == [53, 97, 133, 164]


def test_chooser():
    """The depth that it proposes gives the demand, and one less does not."""
    bridge = model.zx1()
    for demand in (50, 104, 168, 200, 219, 300):
        depth = bridge.depth_for(demand)
        free = model.Bridge(bridge.line, bridge.t_b, bridge.again)
        assert free.rate(depth) >= demand
        assert depth == 0 or free.rate(depth - 1) < demand
    assert bridge.depth_for(600) is None
