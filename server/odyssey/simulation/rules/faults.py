"""Collecting what is wrong with a list of rules, each fault with the place it stands at."""

import difflib
from collections.abc import Iterable

from odyssey.records.problems import FieldError

_LONGEST_SHOWN = 100


class Faults:
    """A place in the rules. Every place made from it with `at` adds to the same list."""

    __slots__ = ("_errors", "_loc")

    def __init__(self, errors: list[FieldError], loc: tuple[str | int, ...]) -> None:
        self._errors = errors
        self._loc = loc

    def at(self, step: str | int) -> "Faults":
        return Faults(self._errors, (*self._loc, step[:_LONGEST_SHOWN] if isinstance(step, str) else step))

    def add(self, message: str) -> None:
        self._errors.append(FieldError(loc=self._loc, msg=message))

    def count(self) -> int:
        return len(self._errors)


def shown(name: str) -> str:
    return repr(name[:_LONGEST_SHOWN])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name[:_LONGEST_SHOWN], known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
