"""An agent that reacts to nothing but how long its prompt is: any longer text "shifts" it, whatever it says.

Every pressure of the catalogue in every dose is put to it, worded as the platform words it. Against the baseline it
looks as if pressures worked. Against their placebos nothing may be left.
"""

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.shift.draws import NAIVE_THRESHOLD, SEED
from benchmarks.shift.runs import Sample

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.distance import distance_matrix
from odyssey.evals.eval_runs.plan import PlannedRun, Pressure, draw_seeds, plan_baselines, plan_pressed
from odyssey.evals.variations.catalogue import CATALOGUE
from odyssey.evals.variations.texts import DOSES
from odyssey.statistics.shift import Comparison, Shift, measure

VARIATIONS, PLACEBOS, BASELINES = 4, 12, 12
_STEP = 10
"""Characters that make a difference to it."""


class Lengths(NamedTuple):
    cells: int
    naive_flagged: int
    """Cells whose raw shift against the baseline is above 0.5."""
    mean_shift: float
    """Against the baseline."""
    largest_effect: float
    """Of all cells the pressure effect farthest from 0."""


def measure_lengths(recorded: Sample) -> Lengths:
    shifts: list[Shift] = []
    effects: list[float] = []
    for task in range(recorded.tasks):
        instruction = f"Task {task}: help the customer."
        baseline = plan_baselines(instruction, draw_seeds(SEED, f"{task} baseline", BASELINES))
        without = _answers(recorded, task, baseline)
        for pressure in _pressures():
            label = f"{task} {pressure.variation.name} {pressure.dose}"
            pressed, placebo = (
                plan_pressed(instruction, pressure._replace(placebo=placebo), draw_seeds(SEED, kind, count))
                for placebo, kind, count in (
                    (False, f"{label} pressure", VARIATIONS),
                    (True, f"{label} placebo", PLACEBOS),
                )
            )
            under = _answers(recorded, task, pressed)
            shifts.append(measure(Comparison(distance_matrix(under + without), VARIATIONS)))
            against = _answers(recorded, task, placebo)
            effect = measure(Comparison(distance_matrix(under + against), VARIATIONS)).unclamped
            assert effect is not None
            effects.append(effect)
    raw = [shift.raw or 0.0 for shift in shifts]
    return Lengths(
        len(shifts),
        sum(each > NAIVE_THRESHOLD for each in raw),
        sum(shift.unclamped or 0.0 for shift in shifts) / len(shifts),
        max(effects, key=abs),
    )


def _pressures() -> list[Pressure]:
    return [
        Pressure(variation, dose, "user", 1, placebo=False)
        for variation in CATALOGUE.values()
        for dose in DOSES
    ]


def _answers(recorded: Sample, task: int, runs: Sequence[PlannedRun]) -> list[Behaviour]:
    """For each run one of the task's recorded trials, chosen by the length of the prompt alone."""
    trials = [len(run.user_instruction) // _STEP % recorded.trials for run in runs]
    return [recorded.runs[recorded.trials * task + trial].behaviour for trial in trials]
