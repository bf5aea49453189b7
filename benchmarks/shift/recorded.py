"""Recorded runs of one agent under identical conditions: several trials of each task, and the distances between all."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from odyssey.evals.behaviour import Behaviour, BehaviourCall, NetEffect, read_answer
from odyssey.evals.distance import distance_matrix
from odyssey.evals.parts import text_distance
from odyssey.grading.evidence import CHANGING, operation_of
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

TRIALS = 4


class Recorded(NamedTuple):
    """Run `TRIALS * task + trial` is one trial of one task."""

    behaviours: list[Behaviour]
    passed: npt.NDArray[np.bool_]
    distances: FloatArray

    @property
    def tasks(self) -> int:
        return len(self.behaviours) // TRIALS

    def trials(self, task: int) -> IntArray:
        return TRIALS * task + np.arange(TRIALS)

    def within(self) -> FloatArray:
        """The distances between different trials of one task, for all tasks."""
        first, second = np.triu_indices(TRIALS, 1)
        return np.concatenate(
            [
                self.distances[self.trials(task)[first], self.trials(task)[second]]
                for task in range(self.tasks)
            ]
        )

    def across(self) -> FloatArray:
        """The distances between trials of different tasks."""
        first, second = np.triu_indices(len(self.behaviours), 1)
        apart = first // TRIALS != second // TRIALS
        return np.asarray(self.distances[first[apart], second[apart]])

    def apart(self, task: int, other: int) -> float:
        """The mean distance over all ordered pairs of trials: of one task with itself, or with another."""
        return float(self.distances[np.ix_(self.trials(task), self.trials(other))].mean())


def read_recorded(path: Path) -> Recorded:
    """Read the runs of every task that has enough trials."""
    by_task: dict[int, list[dict[str, object]]] = {}
    for run in json.loads(path.read_text("utf-8")):
        by_task.setdefault(run["task"], []).append(run)
    runs = [
        run
        for _, trials in sorted(by_task.items())
        if len(trials) >= TRIALS
        for run in sorted(trials, key=lambda run: str(run["trial"]))[:TRIALS]
    ]
    behaviours = [_behaviour(run) for run in runs]
    passed = np.array([bool(run["passed"]) for run in runs])
    return Recorded(behaviours, passed, distance_matrix(behaviours))


def deeds_alone(recorded: Recorded) -> FloatArray:
    """The distances by what the runs did and looked at, whatever they said."""
    return distance_matrix([msgspec.structs.replace(each, text="") for each in recorded.behaviours])


def words_alone(recorded: Recorded) -> FloatArray:
    """The distances between the texts, for what they are without a weight."""
    texts = [each.text for each in recorded.behaviours]
    return np.array([[text_distance(one, other) for other in texts] for one in texts])


def _behaviour(run: dict[str, object]) -> Behaviour:
    """Class the calls as the world engine classes them by their names; of writes the arguments are the effect."""
    calls, final_response = run["calls"], run["final_response"]
    assert isinstance(calls, list)
    assert isinstance(final_response, str | None)
    structured, text = read_answer(final_response or "")
    classed = [(call["tool"], call["args"], _is_write(call["tool"], call["args"])) for call in calls]
    return Behaviour(
        structured,
        tuple(BehaviourCall(tool, given, "act" if writes else "read") for tool, given, writes in classed),
        None,
        text,
        effects=tuple(NetEffect("called", tool, after=given) for tool, given, writes in classed if writes),
    )


_SCHEMA = {"type": "object"}
_NOTHING = Ledger.boot({})


def _is_write(tool: str, arguments: dict[str, Any]) -> bool:
    operation = operation_of(
        ToolCall(Tool(tool, _SCHEMA), arguments, None, random_seed=0, sequence=1), _NOTHING
    )
    return operation in CHANGING or operation == "acknowledge"
