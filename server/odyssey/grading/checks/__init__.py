"""Checks: deterministic graders over what was observed. Read when a row is accepted, run when a run has ended."""

from odyssey.grading.checks.check import Check, CheckResult, CheckState, ChecksVersion
from odyssey.grading.checks.reading import (
    GRADER_VERSION,
    LATEST_VERSION,
    MAX_CHECKS,
    ReadChecks,
    depend_on_version,
    read_checks,
    run_checks,
)

__all__ = [
    "GRADER_VERSION",
    "LATEST_VERSION",
    "MAX_CHECKS",
    "Check",
    "CheckResult",
    "CheckState",
    "ChecksVersion",
    "ReadChecks",
    "depend_on_version",
    "read_checks",
    "run_checks",
]
