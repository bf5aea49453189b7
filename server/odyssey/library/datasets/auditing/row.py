"""A row with all that the audit tries on it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from odyssey.grading.checks import Check, run_checks
from odyssey.grading.evidence import Evidence
from odyssey.grading.verdict import decide
from odyssey.library.datasets.auditing.demands import Demand
from odyssey.library.datasets.auditing.straw_run import Stage


class RowOnTrial(NamedTuple):
    stage: Stage
    raw_checks: list[Any]
    checks: Sequence[Check]
    demands: Sequence[Demand]

    def passes(self, evidence: Evidence) -> bool:
        decision = decide(evidence, run_checks(self.checks, evidence), (), None, gradable=True)
        return decision.verdict == "PASS"

    def answer_passes(self, answer: str) -> bool:
        """Whether the checks of the answer alone let these words through."""
        spoken = [check for check in self.checks if check.kind == "final_response"]
        results = run_checks(spoken, self.stage.evidence(answer))
        return all(result.state == "passed" for result in results if result.index is not None)
