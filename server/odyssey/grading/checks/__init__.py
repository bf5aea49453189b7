"""Checks: deterministic graders over what was observed. Read when a row is accepted, run when a run has ended."""

from odyssey.grading.checks.check import Check, CheckResult, CheckState
from odyssey.grading.checks.reading import CHECKS_VERSION, MAX_CHECKS, ReadChecks, read_checks, run_checks

__all__ = [
    "CHECKS_VERSION",
    "MAX_CHECKS",
    "Check",
    "CheckResult",
    "CheckState",
    "ReadChecks",
    "read_checks",
    "run_checks",
]
