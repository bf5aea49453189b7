"""What a check found, and how to mend it."""

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

State = Literal["passed", "failed", "warned", "skipped"]


class Finding(NamedTuple):
    name: str
    state: State
    detail: str
    fix: str = ""
    """What to do; of a finding that passed, nothing."""
    seconds: float = 0.0


def passed(name: str, detail: str) -> Finding:
    return Finding(name, "passed", detail)


def failed(name: str, detail: str, fix: str) -> Finding:
    return Finding(name, "failed", detail, fix)


def warned(name: str, detail: str, fix: str) -> Finding:
    return Finding(name, "warned", detail, fix)


def skipped(name: str, detail: str, fix: str = "") -> Finding:
    return Finding(name, "skipped", detail, fix)


def timed(check: Callable[[], Finding]) -> Finding:
    """Run a check and say how long it took."""
    started = time.monotonic()
    found = check()
    return found._replace(seconds=round(time.monotonic() - started, 3))
