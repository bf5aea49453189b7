"""Findings for people: a mark and a word, what was seen, and how to mend it."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from typing import Any

from pipelines.odyssey.cli.failures import NOT_RIGHT
from pipelines.odyssey.cli.printing.screen import Screen, many
from pipelines.odyssey.conformance.finding import Finding, State

_MARKS: dict[State, str] = {"passed": "✓", "failed": "✗", "warned": "!", "skipped": "–"}
_NAME = 24
_SLOW_S = 0.1


def tell(findings: Iterable[Finding], *, json_output: bool) -> list[Finding]:
    """Print findings as they come, and how many there were; as JSON all at once."""
    screen = Screen()
    screen.full = not screen.is_fitted
    kept: list[Finding] = []
    # What an agent prints is not ours: the screen has standard output already.
    with redirect_stdout(sys.stderr):
        for finding in findings:
            kept.append(finding)
            if json_output:
                _progress(finding)
            else:
                _print(screen, finding)
    if json_output:
        screen.json(_document(kept))
    else:
        screen.line()
        screen.line(_summary(kept))
    return kept


def exit_code(findings: Sequence[Finding]) -> int:
    return NOT_RIGHT if any(finding.state == "failed" for finding in findings) else 0


def _print(screen: Screen, finding: Finding) -> None:
    took = f" ({finding.seconds:.1f} s)" if finding.seconds >= _SLOW_S else ""
    lead = f"{_MARKS[finding.state]} {finding.state:<7}  {finding.name:<{_NAME}} "
    screen.text(finding.detail + took, lead)
    if finding.fix and finding.state != "passed":
        screen.text(finding.fix, f"{'':11}fix: ")


def _progress(finding: Finding) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{finding.name}: {finding.state}\n")


def _summary(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.state for finding in findings)
    said = ", ".join(f"{counts[state]} {state}" for state in _MARKS if counts[state])
    seconds = sum(finding.seconds for finding in findings)
    return f"{many(len(findings), 'check')}: {said or 'none'}; {seconds:.1f} s."


def _document(findings: Sequence[Finding]) -> dict[str, Any]:
    counts = Counter(finding.state for finding in findings)
    return {
        "ok": exit_code(findings) == 0,
        "counts": {state: counts[state] for state in _MARKS},
        "findings": [finding._asdict() for finding in findings],
    }
