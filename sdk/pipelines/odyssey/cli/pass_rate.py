"""Whether enough runs of a batch passed; a batch of which nothing can be said must not make a build green."""

from collections.abc import Sequence
from typing import NamedTuple

from pipelines.odyssey.cli.failures import FAILED, NOT_RIGHT
from pipelines.odyssey.cli.printing.figures import percent
from pipelines.odyssey.cli.printing.results import had_nothing, has_passed
from pipelines.odyssey.cli.printing.screen import many
from pipelines.odyssey.client import types as t


class Failure(t.RowRunOut):
    row: int


class Outcome(NamedTuple):
    code: int
    """0: enough passed, 1: too few did, 2: it cannot be told."""
    pass_rate: float | None
    sentence: str
    failures: Sequence[Failure]
    """Runs that should have passed and did not, each with the `row` it belongs to."""


def judge(batch: t.BatchOut, rows: Sequence[t.BatchRowOut], least: float) -> Outcome:
    """Say whether enough of the runs passed that say something of the agent, and whether enough of them do."""
    runs: list[Failure] = [
        {**run, "row": row["row"]} for row in rows for run in row["runs"] if not had_nothing(run)
    ]
    failures = [run for run in runs if not has_passed(run)]
    if batch["status"] != "completed":
        return Outcome(NOT_RIGHT, None, f"The batch is {batch['status']}.", failures)
    if not runs:
        sentence = "No run could be graded: give the rows checks or a rubric."
        return Outcome(FAILED, None, sentence, failures)
    measured = [run for run in runs if run["verdict"] in ("PASS", "FAIL")]
    unmeasured = len(runs) - len(measured)
    if not measured:
        sentence = f"None of {many(len(runs), 'run')} says anything of the agent, so it cannot be told."
        return Outcome(FAILED, None, sentence, failures)
    passed = sum(has_passed(run) for run in measured)
    rate = passed / len(measured)
    said = f"{passed} of {len(measured)} passed, {percent(rate)}; at least {percent(least)} must."
    if rate < least:
        return Outcome(NOT_RIGHT, rate, said, failures)
    most = batch["max_unmeasured"]
    if unmeasured:
        said += f" {many(unmeasured, 'run')} said nothing of the agent; at most {percent(most)} may."
    return Outcome(FAILED if unmeasured / len(runs) > most else 0, rate, said, failures)
