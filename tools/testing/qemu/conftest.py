# SPDX-License-Identifier: GPL-2.0
"""Write build/results/$BENCH_TARGET.json at the end of a pytest run."""

import os

import results


def pytest_sessionfinish(session, exitstatus):
    """Counts of the run; "ok" only if something ran and nothing failed."""
    target = os.environ.get("BENCH_TARGET")
    if not target:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    count = {name: len(reporter.stats.get(name, []))
             for name in ("passed", "failed", "error", "skipped")}
    results.write(target, exitstatus == 0 and count["passed"] > 0, count)
