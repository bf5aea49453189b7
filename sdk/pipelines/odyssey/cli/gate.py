"""Whether a matrix lets a change pass: by default only what is confirmed, and so not noise, stops it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pipelines.odyssey.cli.failures import FAILED, NOT_RIGHT
from pipelines.odyssey.cli.printing.screen import clean, many
from pipelines.odyssey.client import types as t

FailOn = Literal["confirmed", "flagged", "never"]

_MOST_NAMED = 5


class Gate(NamedTuple):
    code: int
    """0: pass, 1: something moved, 2: the matrix cannot tell."""
    sentence: str


def judge(matrix: t.MatrixOut, fail_on: FailOn) -> Gate:
    """Say whether it passes. What was asked for and could not be measured must not make a build green."""
    if matrix["status"] != "completed":
        return Gate(FAILED, f"The gate cannot tell: the matrix is {matrix['status']}.")
    cells = matrix["cells"]
    found = {
        "confirmed": sum(cell["confirmed"] for cell in cells),
        "flagged": sum(cell["confirmed"] or cell["flagged"] for cell in cells),
        "never": 0,
    }[fail_on]
    if found:
        return Gate(NOT_RIGHT, f"The gate fails: {many(found, 'cell')} {fail_on}.")
    unmeasured = [cell for cell in cells if cell["state"] != "measured" and not cell["confirmed"]]
    if len(unmeasured) == len(cells):
        return Gate(FAILED, "The gate cannot tell: no cell could be measured.")
    if fail_on == "never":
        return Gate(0, "The gate was not asked.")
    most: float = matrix["max_unmeasured"]
    missing, planned = matrix["progress"]["missing"], matrix["progress"]["planned"]
    if missing / planned > most:
        said = f"{missing} of {many(planned, 'run')} say nothing of the agent; at most {most * 100:g} % may"
        return Gate(FAILED, f"The gate cannot tell: {said}.")
    if unmeasured:
        return Gate(FAILED, f"The gate cannot tell: {_named(unmeasured, matrix)}.")
    return Gate(0, f"The gate passes: no cell {fail_on}.")


def _named(unmeasured: Sequence[t.MatrixCell], matrix: t.MatrixOut) -> str:
    names = {scenario["id"]: clean(str(scenario["name"])) for scenario in matrix["scenarios"]}
    said = [
        f"{_spoken(cell['variation_type'])} on {names[cell['scenario_id']]} "
        f"({_spoken(cell['reason'] or cell['state'])})"
        for cell in unmeasured[:_MOST_NAMED]
    ]
    if len(unmeasured) > _MOST_NAMED:
        said.append(f"{len(unmeasured) - _MOST_NAMED} more")
    return f"{many(len(unmeasured), 'cell')} could not be measured: {', '.join(said)}"


def _spoken(name: object) -> str:
    return clean(str(name)).replace("_", " ")
