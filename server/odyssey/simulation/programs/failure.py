"""A program that cannot go on: that is no refusal of the tool, but a fault of who wrote it."""

from collections.abc import Callable
from typing import Any, TypeVar

from odyssey.expressions import EvaluationError

Found = TypeVar("Found")


class ProgramFailedError(EvaluationError):
    """The message says the place in the program, such as `require[1].that`, and the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


def evaluate_at(place: str, act: Callable[..., Found], *arguments: Any) -> Found:
    """Work something out; what cannot be is a failure here, or at the name that it needs."""
    try:
        return act(*arguments)
    except ProgramFailedError:
        raise
    except EvaluationError as error:
        raise ProgramFailedError(place, str(error)) from None


def at_place(place: str, act: Callable[..., Found], *arguments: Any) -> Callable[[], Found]:
    return lambda: evaluate_at(place, act, *arguments)
