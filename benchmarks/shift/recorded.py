"""Recorded runs of one agent under identical conditions: several trials of each task."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from benchmarks.shift.played import AgentCall, play
from benchmarks.shift.runs import FloatArray, Sample, drawn_run, sample_of

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.distance import distance_matrix
from odyssey.evals.parts import text_distance
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.worlds.ledger import Ledger

TRIALS = 4
_REFUSAL = "Error"
"""How the recorded back end begins its refusals."""
_ONE_ENTITY = re.compile(r"get_(?P<type>\w+?)(_details)? (?P=type)_id")
"""A tool that shows an entity by its id, and the one argument it takes."""


def read_recorded(path: Path) -> Sample:
    """Read the runs of every task that has enough trials."""
    by_task: dict[int, list[dict[str, Any]]] = {}
    for run in json.loads(path.read_text("utf-8")):
        by_task.setdefault(run["task"], []).append(run)
    runs = [
        run
        for _, trials in sorted(by_task.items())
        if len(trials) >= TRIALS
        for run in sorted(trials, key=lambda run: str(run["trial"]))[:TRIALS]
    ]
    world = _world(runs)
    drawn = [
        drawn_run(_behaviour(run, world, seed), outcome=bool(run["passed"])) for seed, run in enumerate(runs)
    ]
    return sample_of(drawn, TRIALS, across_tasks=True)


def deeds_alone(recorded: Sample) -> FloatArray:
    """The distances by what the runs did and looked at, whatever they said."""
    return distance_matrix([msgspec.structs.replace(each, text="", named=()) for each in recorded.behaviours])


def words_alone(recorded: Sample) -> FloatArray:
    """The distances between the texts, for what they are without a weight."""
    texts = [each.text for each in recorded.behaviours]
    return np.array([[text_distance(one, other) for other in texts] for one in texts])


def _behaviour(run: dict[str, Any], world: Ledger, seed: int) -> Behaviour:
    """Read a run as if it had been made in the platform: the engine classes the calls and says what came of them."""
    calls = [AgentCall(call["tool"], call["args"], _refusal(call)) for call in run["calls"]]
    return play(world, calls, run["final_response"] or "", random_seed=seed)


def _refusal(call: dict[str, Any]) -> str | None:
    answer = call.get("response")
    return answer if isinstance(answer, str) and answer.startswith(_REFUSAL) else None


def _world(runs: Sequence[dict[str, Any]]) -> Ledger:
    """Put together the world the runs began in, of what they were shown of it before they touched it.

    Without it the engine would not know what there is to change, and take every write for a call it cannot read.
    """
    world: dict[str, dict[str, Any]] = {}
    for run in runs:
        touched: set[str] = set()
        for call in run["calls"]:
            asked = _ONE_ENTITY.fullmatch(" ".join([call["tool"], *call["args"]]))
            entity = _object(call.get("response"))
            if asked is None or entity is None:
                touched |= {value for value in call["args"].values() if isinstance(value, str)}
                continue
            (entity_id,) = call["args"].values()
            if entity_id not in touched:
                world.setdefault(asked["type"], {}).setdefault(entity_id, entity)
    return Ledger.boot(world)


def _object(answer: Any) -> dict[str, Any] | None:
    try:
        value = read_json(answer) if isinstance(answer, str) else None
    except JsonInvalidError:
        return None
    return value if isinstance(value, dict) else None
