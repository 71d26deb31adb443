# SPDX-License-Identifier: GPL-2.0
"""Write build/results/$BENCH_TARGET.json at the end of a pytest run, and what tests
saw of the fault matrix as they pass."""

import collections
import os

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


SECONDS = collections.Counter()


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
    results.write(f"{target}-{about['about']['base']}", good,
                  {**about, **count, "seconds": results.minutes(SECONDS)})
    results.took(f"make {target}", good, about)
