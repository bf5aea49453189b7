"""What is said of a row that nobody can pass."""

from typing import NamedTuple


class Impossibility(NamedTuple):
    check: int
    """The check that cannot hold."""
    reason: str
    """Such as "check 2 forbids every call of cancel_order": what it goes against, for people."""


def named(check: int) -> str:
    """A check as people count them."""
    return f"check {check + 1}"
