"""What goes wrong between a test and its platform.

OdysseyTestError
├── RefusedError       the platform did not take what the test gave it
├── NotServedError     an application did not start or does not answer
└── MisusedError       the test used a run in a way that makes no sense
"""

from collections.abc import Mapping, Sequence
from typing import Any


class OdysseyTestError(Exception):
    """The sentence says what was wrong and where."""


class RefusedError(OdysseyTestError):
    """The platform's own sentence, and one line for each fault with its place."""

    def __init__(self, what: str, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = problem.get("code", "")
        self.detail: str = problem.get("detail", "")
        self.errors: list[dict[str, Any]] = problem.get("errors") or []
        sentence = f"{what}: {self.detail or f'the platform answered {status}.'}"
        faults = [f"  {_place(fault['loc'])}: {fault['msg']}" for fault in self.errors]
        super().__init__("\n".join([sentence, *faults]))


class NotServedError(OdysseyTestError):
    pass


class MisusedError(OdysseyTestError):
    pass


def _place(loc: Sequence[str | int]) -> str:
    # A test gives one task, and never wrote the list it is sent in.
    return ".".join(map(str, loc[2:] if loc[:2] == ["seeds", 0] else loc))
