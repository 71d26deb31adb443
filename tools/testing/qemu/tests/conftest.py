# SPDX-License-Identifier: GPL-2.0
"""Write build/results/$BENCH_TARGET.json at the end of a pytest run, and what tests
saw of the fault matrix as they pass.  $BENCH_SHARD, "K/N", runs the K-th part of N."""

import collections
import os
import re

import pytest

from harness import results
from harness.seen import Seen

PASSED = pytest.StashKey()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Let the fixtures know whether their test has passed."""
    report = (yield).get_result()
    if report.when == "call":
        item.stash[PASSED] = report.passed


@pytest.fixture
def seen(request):
    """A Seen of the test: it calls cell(), which counts if it passes."""
    record = Seen(f"{request.path.name}::{request.node.name}",
                  os.environ.get("BENCH_BASE", "6.1"))
    yield record
    if request.node.stash.get(PASSED, False):
        record.passed()


SHARD = os.environ.get("BENCH_SHARD", "1/1")
SECONDS = collections.Counter()


def part(count, shard):
    """The (first, last + 1) of count tests that a shard "K/N" has: neighbours, which
    share builds.  Raise pytest.UsageError if there is no such shard."""
    numbers = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", shard)
    k, n = map(int, numbers.groups()) if numbers else (1, 0)
    if k > n:
        raise pytest.UsageError(f"no shard {shard}; it is K/N, K from 1 to N")
    return (k - 1) * count // n, k * count // n


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave the tests of other shards out."""
    first, last = part(len(items), SHARD)
    config.hook.pytest_deselected(items=items[:first] + items[last:])
    items[:] = items[first:last]


def pytest_runtest_logreport(report):
    """Sum the seconds of a test and its fixtures."""
    SECONDS[report.nodeid.removeprefix("tests/").removeprefix("test_")
            .replace(".py::test_", ": ")] += report.duration


def pytest_sessionfinish(session, exitstatus):
    """Counts of the run; "ok" only if something ran and nothing failed."""
    target = os.environ.get("BENCH_TARGET")
    if not target:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    count = {name: len(reporter.stats.get(name, []))
             for name in ("passed", "failed", "error", "skipped")}
    about = results.about(os.environ.get("BENCH_BASE", "6.1"))
    good = exitstatus == 0 and count["passed"] > 0
    if SHARD != "1/1":
        about["about"]["shard"] = SHARD
        target += "-" + SHARD.replace("/", "of")
    results.write(f"{target}-{about['about']['base']}", good,
                  {**about, **count, "seconds": results.minutes(SECONDS)})
    results.took(f"make {target}", good, about)
