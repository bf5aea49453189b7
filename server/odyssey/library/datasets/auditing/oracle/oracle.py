"""Says of a row that nobody can pass it, and why; or nothing."""

from collections.abc import Iterator

from odyssey.grading.checks import run_checks
from odyssey.library.datasets.auditing.demands import Impossibility
from odyssey.library.datasets.auditing.oracle.answer import impossible_answers
from odyssey.library.datasets.auditing.oracle.calls import impossible_calls
from odyssey.library.datasets.auditing.oracle.evidence import best_evidence
from odyssey.library.datasets.auditing.oracle.world import impossible_worlds
from odyssey.library.datasets.auditing.row import RowOnTrial


def find_impossible(row: RowOnTrial) -> Impossibility | None:
    return next(_found(row), None)


def _found(row: RowOnTrial) -> Iterator[Impossibility]:
    # Whether calls can be made is a matter of the agent and its world, of which checks know nothing.
    yield from impossible_calls(row.demands, row.stage)
    contradictions = [
        *impossible_worlds(row.raw_checks, row.checks, row.stage),
        *impossible_answers(row.raw_checks, row.stage),
    ]
    if contradictions and not can_hold_together(row):
        yield from contradictions


def can_hold_together(row: RowOnTrial) -> bool:
    """Whether the checks themselves let the best run pass; if so, nothing of what they ask is a contradiction."""
    evidence = best_evidence(row.raw_checks, row.demands, row.stage)
    return all(result.state == "passed" for result in run_checks(row.checks, evidence))
