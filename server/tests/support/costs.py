"""What each test file costs, printed at the end of a run, so that everybody sees where the minutes go."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import pytest

SHOWN = 10


class FileCost(NamedTuple):
    file: str
    seconds: float
    """Of all phases of its tests, fixtures included, on whichever worker they ran."""
    tests: int


def costs_by_file(reports: Iterable[pytest.TestReport]) -> list[FileCost]:
    """Add up the reports of every phase, most expensive file first."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        file = report.nodeid.partition("::")[0]
        seconds[file] += report.duration
        tests[file].add(report.nodeid)
    found = [FileCost(file, seconds[file], len(tests[file])) for file in seconds]
    return sorted(found, key=lambda cost: (-cost.seconds, cost.file))


class Costs:
    """A pytest plugin: keeps every report of the run and prints the ten most expensive files."""

    def __init__(self) -> None:
        self._reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        costs = costs_by_file(self._reports)
        total = sum(cost.seconds for cost in costs)
        if not total:
            return
        terminalreporter.section(f"the {SHOWN} most expensive files of {len(costs)}")
        for cost in costs[:SHOWN]:
            share = cost.seconds / total
            terminalreporter.line(f"{cost.seconds:7.1f} s {share:5.1%}  {cost.tests:4} tests  {cost.file}")
