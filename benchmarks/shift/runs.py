"""Runs as a matrix sees them, and what they are drawn from."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.distance import distance_matrix
from odyssey.evals.incidents import ObservedDeeds

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

RECORDED, MIXED, DESK, HABITUAL = "recorded", "mixed", "desk", "habit"
"""Whose runs they are."""
_OUTCOME, _POLICY = "outcome", "policy"


class DrawnRun(NamedTuple):
    stored: str
    """Its behaviour, as the product keeps it."""
    matched: bool | None
    """None where nothing is expected."""
    findings: str | None
    """What became of each thing that is expected, as the product keeps it."""
    deeds: ObservedDeeds

    @property
    def behaviour(self) -> Behaviour:
        return self.deeds.behaviour


def drawn_run(behaviour: Behaviour, *, outcome: bool, broken_rules: Iterable[str] = ()) -> DrawnRun:
    """Say what a run did, whether its outcome is the expected one and which rules it broke."""
    broken = sorted(broken_rules)
    findings = [
        {"where": _OUTCOME, "passed": outcome},
        {"where": _POLICY, "passed": not broken, "broken_rules": broken},
    ]
    missed = {_OUTCOME: not outcome, _POLICY: bool(broken)}
    return DrawnRun(
        _stored(behaviour),
        outcome and not broken,
        msgspec.json.encode(findings).decode(),
        ObservedDeeds(0, behaviour, frozenset(where for where in missed if missed[where]), frozenset(broken)),
    )


def nothing_expected(behaviour: Behaviour) -> DrawnRun:
    return DrawnRun(_stored(behaviour), None, None, ObservedDeeds(0, behaviour))


def _stored(behaviour: Behaviour) -> str:
    return msgspec.json.encode(behaviour).decode()


class Pool(NamedTuple):
    """Runs of one scenario, drawn with replacement: whatever is drawn differs by chance alone."""

    runs: Sequence[DrawnRun]
    other: Sequence[DrawnRun] = ()
    """What a changed agent does instead,"""
    share: float = 0.0
    """in this share of its runs."""

    @property
    def match_rate(self) -> float | None:
        """The true one; None where nothing is expected."""
        known = [run.matched for run in self.runs if run.matched is not None]
        return sum(known) / len(known) if known else None

    def draw(self, random: np.random.Generator) -> DrawnRun:
        runs = self.other if self.share and random.random() < self.share else self.runs
        return runs[int(random.integers(len(runs)))]


class Sample(NamedTuple):
    """Run `trials * task + trial` is one trial of one task."""

    runs: list[DrawnRun]
    trials: int
    distances: FloatArray
    """Between trials of different tasks perhaps 0, where nobody asks."""

    @property
    def tasks(self) -> int:
        return len(self.runs) // self.trials

    @property
    def behaviours(self) -> list[Behaviour]:
        return [run.behaviour for run in self.runs]

    def trials_of(self, task: int) -> IntArray:
        return self.trials * task + np.arange(self.trials)

    def pools(self) -> list[Pool]:
        return [Pool([self.runs[run] for run in self.trials_of(task)]) for task in range(self.tasks)]

    def within(self) -> FloatArray:
        """The distances between different trials of one task, for all tasks."""
        first, second = np.triu_indices(self.trials, 1)
        of_tasks = [self.trials_of(task) for task in range(self.tasks)]
        return np.concatenate([self.distances[runs[first], runs[second]] for runs in of_tasks])

    def across(self) -> FloatArray:
        """The distances between trials of different tasks."""
        first, second = np.triu_indices(len(self.runs), 1)
        apart = first // self.trials != second // self.trials
        return np.asarray(self.distances[first[apart], second[apart]])


def sample_of(runs: list[DrawnRun], trials: int, *, across_tasks: bool) -> Sample:
    tasks = np.arange(len(runs)) // trials
    wanted = None if across_tasks else tasks[:, None] == tasks
    return Sample(runs, trials, distance_matrix([run.behaviour for run in runs], wanted))
