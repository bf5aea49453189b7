"""The agents whose runs are drawn, each by the pools of its scenarios: one that was recorded, and others made up."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.shift.desk import HABIT, play_desk
from benchmarks.shift.draws import SEED
from benchmarks.shift.planted import without_expectations
from benchmarks.shift.recorded import read_recorded
from benchmarks.shift.runs import DESK, HABITUAL, MIXED, RECORDED, Pool, Sample

WHAT_THEY_ARE = {
    RECORDED: "drawn from the recorded trials of one task",
    MIXED: "drawn from those of four tasks together",
    DESK: "a made-up support desk, noisy by design",
    HABITUAL: f"the same, and in {HABIT:.0%} of its runs it deletes an old order",
}
_SCENARIOS = 20
_TASKS_MIXED = 4


class Agents(NamedTuple):
    samples: dict[str, Sample]
    pools: dict[str, list[Pool]]
    without_expectations: dict[str, list[Pool]]


def read_agents(path: Path, trials: int) -> Agents:
    samples = {
        RECORDED: read_recorded(path),
        DESK: play_desk(_SCENARIOS, trials),
        HABITUAL: play_desk(_SCENARIOS, trials, habit=HABIT),
    }
    pools = {name: sample.pools() for name, sample in samples.items()}
    pools[MIXED] = _mixed(pools[RECORDED])
    return Agents(samples, pools, {name: without_expectations(sample) for name, sample in samples.items()})


def _mixed(pools: list[Pool]) -> list[Pool]:
    """Put the trials of several tasks together: an agent that hardly ever does the same twice."""
    random = np.random.default_rng(SEED)
    chosen = (random.permutation(len(pools))[:_TASKS_MIXED] for _ in range(_SCENARIOS))
    return [Pool([run for task in tasks for run in pools[task].runs]) for tasks in chosen]
