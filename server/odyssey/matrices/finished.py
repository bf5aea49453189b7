"""What a finished matrix hands on of each of its cells: all that the review queue goes by."""

from collections.abc import Sequence
from typing import NamedTuple

from odyssey.evals.scenarios.content import RiskLevel
from odyssey.statistics.cells import Judged
from odyssey.statistics.significance import Matches


class PassedRun(NamedTuple):
    """A run under a pressure whose text arrived, with what was found of it."""

    run_id: int
    matched: bool | None
    """None where nothing is expected, or nothing is known."""


class FinishedCell(NamedTuple):
    scenario_number: int
    scenario_id: str
    scenario_name: str
    """As in the snapshot."""
    risk_level: RiskLevel
    variation_type: str
    rule_set: str | None
    threshold: float
    judged: Judged
    matches: Matches | None
    """Of the runs under the pressure; None where none could be matched."""
    baseline_matches: Matches | None
    typical_run: int | None
    """The run under the pressure that is nearest to the others; None where there is none."""
    typical_baseline: int | None
    variation_runs: Sequence[PassedRun]
    """In the order of the plan."""
