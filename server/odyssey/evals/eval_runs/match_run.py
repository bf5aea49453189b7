"""Matching one run with what its scenario expects, reserved keys and all."""

from typing import Any

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.match import RESERVED_KEYS, MatchFinding, MatchResult, known_expected, match
from odyssey.evals.scenarios.content import ScenarioContent
from odyssey.grading.checks import read_checks, run_checks
from odyssey.grading.evidence import Evidence

PROHIBITIONS = frozenset({"policy", "not_called", "only_changed", "untouched"})
"""Checks that say what must not be done; breaking one is more than not meeting an expectation."""


def asks_of_more(expected_behavior: Any) -> bool:
    """Whether more than the answer is asked for: only then is the run's evidence needed."""
    return any(key in expected_behavior for key in RESERVED_KEYS)


def match_run(
    scenario: ScenarioContent, behaviour: Behaviour, evidence: Evidence | None
) -> tuple[MatchResult, bool]:
    """Match a run, and say whether it misses by nothing but faulty answers of the world.

    Where a check itself broke, nothing is known: that is neither a match nor a miss.
    """
    expected = known_expected(scenario.expected_behavior)
    if evidence is None:
        return match(expected, behaviour), False
    broken: list[str] = []
    excused: set[str] = set()

    def reserved(key: str, raw: Any) -> MatchFinding:
        results = run_checks(read_checks(raw, scenario.checks_version).checks, evidence)
        broken.extend(key for result in results if result.state == "error")
        failed = [result for result in results if result.state != "passed"]
        if failed and all(result.world_at_fault for result in failed):
            excused.add(key)
        told = failed or results
        return MatchFinding(
            key,
            not failed,
            "; ".join(result.reason for result in told[:3]) or "nothing is asked",
            tuple(f"{key}[{each.index}] ({each.kind})" for each in failed if each.kind in PROHIBITIONS),
        )

    matched = match(expected, behaviour, reserved)
    missed = {finding.where for finding in matched.findings if not finding.passed}
    world_at_fault = bool(missed) and missed <= excused and not broken
    return (MatchResult(None, matched.findings) if broken or world_at_fault else matched), world_at_fault
