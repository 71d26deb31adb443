# SPDX-License-Identifier: GPL-2.0
"""Write build/results/$BENCH_TARGET.json at the end of a pytest run, and what tests
saw of the fault matrix as they pass.  $BENCH_SHARD, "K/N", runs the K-th part of N.

Several tests may run at once (pytest-xdist): a guest mostly waits.  Those that have a tree
or a build in common with others are one after the other.
"""

import collections
import os

import pytest

from harness import results, shards
from harness.machines import MACHINES
from harness.seen import Seen

PASSED = pytest.StashKey()


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """Show a worker's progress; the summary is the whole run's."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.unregister(name="terminalreporter")
        os.dup2(2, 1)


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
# what became of each test, and how many there are in all shards
TESTS = {}
COLLECTED = []
# files each of whose tests has a directory of its own
ALONE = {"test_check", "test_drivers", "test_eeh", "test_serror"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave the tests of other shards out."""
    try:
        first, last = shards.part(len(items), SHARD)
    except ValueError as e:
        raise pytest.UsageError(str(e)) from None
    COLLECTED.append(len(items))
    config.hook.pytest_deselected(items=items[:first] + items[last:])
    items[:] = items[first:last]
    # where exceptions are raised from outside, a guest has to keep pace
    injects = [name for name, machine in MACHINES.items() if machine.injects]
    for item in items:
        if item.path.stem not in ALONE or any(name in item.name for name in injects):
            item.add_marker(pytest.mark.xdist_group("trees"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """What a worker has collected, which the others have as well."""
    COLLECTED.extend(node.workeroutput.get("collected", ()))


def pytest_runtest_logreport(report):
    """Sum the seconds of a test and its fixtures, and keep the worst that they say."""
    # xdist appends the group
    test = report.nodeid.removeprefix("tests/").removesuffix("@trees")
    SECONDS[test.removeprefix("test_").replace(".py::test_", ": ")] += report.duration
    if report.when == "call" or not report.passed:
        TESTS[test] = ("failed" if report.failed or TESTS.get(test) == "failed" else
                       report.outcome)


def pytest_sessionfinish(session, exitstatus):
    """Counts of the run; "ok" only if something ran and nothing failed."""
    target = os.environ.get("BENCH_TARGET")
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["collected"] = COLLECTED
        return
    if not target:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    count = {name: len(reporter.stats.get(name, []))
             for name in shards.COUNTS}
    about = results.about(os.environ.get("BENCH_BASE", "6.1"))
    good = exitstatus == 0 and count["passed"] > 0
    figures = {**about, **count, "seconds": results.minutes(SECONDS)}
    if SHARD != "1/1":
        about["about"]["shard"] = SHARD
        target += "-" + SHARD.replace("/", "of")
        # for shards.merge()
        figures.update(tests=TESTS, collected=COLLECTED[0])
    results.write(f"{target}-{about['about']['base']}", good, figures)
    results.took(f"make {target}", good, about)
