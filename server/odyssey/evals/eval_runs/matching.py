"""Matching one run with what its scenario expects, reserved keys and all."""

from typing import Any

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.match import RESERVED_KEYS, Finding, Matched, match
from odyssey.evals.scenarios.expected import known_expected
from odyssey.grading.checks import read_checks, run_checks
from odyssey.grading.evidence import Evidence


def asks_of_more(expected_behavior: Any) -> bool:
    """Whether more than the answer is asked for: only then is the run's evidence needed."""
    return any(key in expected_behavior for key in RESERVED_KEYS)


def match_run(expected_behavior: Any, behaviour: Behaviour, evidence: Evidence | None) -> Matched:
    """Match a run. Where a check itself broke, nothing is known: that is neither a match nor a miss."""
    expected = known_expected(expected_behavior)
    if evidence is None:
        return match(expected, behaviour)
    broken: list[str] = []

    def reserved(key: str, raw: Any) -> Finding:
        results = run_checks(read_checks(raw).checks, evidence)
        broken.extend(key for result in results if result.state == "error")
        failed = [result for result in results if result.state != "passed"]
        told = failed or results
        return Finding(key, not failed, "; ".join(result.reason for result in told[:3]) or "nothing is asked")

    matched = match(expected, behaviour, reserved)
    return Matched(None, matched.findings) if broken else matched
