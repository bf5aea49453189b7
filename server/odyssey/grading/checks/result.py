"""What a check comes to."""

from typing import Literal

import msgspec

CheckState = Literal["passed", "failed", "error"]


class CheckResult(msgspec.Struct, frozen=True):
    index: int | None
    """The check's position in the row's list; None for the one that is built in."""
    kind: str
    state: CheckState
    """`error`: the check itself broke, which says nothing about the run."""
    reason: str
    sequence: int | None = None
    """The step of the trace that decided it, if one did."""
