"""Whether enough runs of a batch passed; a batch of which nothing can be said must not make a build green."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pipelines.odyssey.cli.connection import FAILED, NOT_RIGHT
from pipelines.odyssey.cli.printing.figures import percent
from pipelines.odyssey.cli.printing.results import had_nothing, has_passed

Json = Mapping[str, Any]


class Outcome(NamedTuple):
    code: int
    """0: enough passed, 1: too few did, 2: it cannot be told."""
    pass_rate: float | None
    sentence: str
    failures: Sequence[Json]
    """Runs that should have passed and did not, each with the `row` it belongs to."""


def judge(batch: Json, rows: Sequence[Json], least: float) -> Outcome:
    """A run that is NOT APPLICABLE though there was something to grade it by did not pass."""
    runs = [{**run, "row": row["row"]} for row in rows for run in row["runs"] if not had_nothing(run)]
    failures = [run for run in runs if not has_passed(run)]
    if batch["status"] != "completed":
        return Outcome(NOT_RIGHT, None, f"The batch is {batch['status']}.", failures)
    if not runs:
        sentence = "No run could be graded: give the rows checks or a rubric."
        return Outcome(FAILED, None, sentence, failures)
    passed = len(runs) - len(failures)
    rate = passed / len(runs)
    said = f"{passed} of {len(runs)} passed, {percent(rate)}; at least {percent(least)} must."
    return Outcome(0 if rate >= least else NOT_RIGHT, rate, said, failures)
