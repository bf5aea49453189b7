"""Targets: each is stated as data beside its benchmark, and all are reported in one way."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.processes import say

MISSED = 1
"""The exit code of a benchmark that missed a target."""


class Target(NamedTuple):
    """A bound on one figure, nearly always a ratio taken within one run."""

    name: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def wanted(self) -> str:
        bounds = {"at least": self.at_least, "at most": self.at_most}
        return " and ".join(f"{word} {bound:.3g}" for word, bound in bounds.items() if bound is not None)

    def measured(self, figure: float | None) -> "Outcome":
        """Compare a figure with the target; None stands for one that was not measured."""
        return Outcome(self, figure)


class Outcome(NamedTuple):
    target: Target
    figure: float | None

    @property
    def met(self) -> bool | None:
        """Tell whether the target is met; None when it was not measured."""
        if self.figure is None:
            return None
        at_most, at_least = self.target.at_most, self.target.at_least
        return (at_most is None or self.figure <= at_most) and (at_least is None or self.figure >= at_least)

    @property
    def line(self) -> str:
        word = {True: "met", False: "MISSED", None: "not measured"}[self.met]
        figure = "" if self.figure is None else f"{self.figure:.3g}, "
        return f"{word:<14}{self.target.name}: {figure}{self.target.wanted}"

    def as_json(self) -> dict[str, Any]:
        return {**self.target._asdict(), "measured": self.figure, "met": self.met}


def target_lines(outcomes: Iterable[Outcome]) -> Iterable[str]:
    yield ""
    yield "targets"
    yield from (outcome.line for outcome in outcomes)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Name the missed targets on standard error; returns the code to end with."""
    missed = [outcome.target.name for outcome in outcomes if outcome.met is False]
    if not missed:
        return 0
    say(f"{len(missed)} of {len(outcomes)} targets missed: {'; '.join(missed)}")
    return MISSED
