"""Whether a matrix lets a change pass: by default only what is confirmed, and so not noise, stops it."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pipelines.odyssey.cli.connection import FAILED, NOT_RIGHT
from pipelines.odyssey.cli.printing.screen import many

Json = Mapping[str, Any]
FailOn = Literal["confirmed", "flagged", "never"]


class Gate(NamedTuple):
    code: int
    """0: pass, 1: something moved, 2: the matrix cannot tell."""
    sentence: str


def judge(matrix: Json, fail_on: FailOn) -> Gate:
    """A matrix that measured nothing must not make a build green."""
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
    if all(cell["state"] != "measured" for cell in cells):
        return Gate(FAILED, "The gate cannot tell: no cell could be measured.")
    if fail_on == "never":
        return Gate(0, "The gate was not asked.")
    return Gate(0, f"The gate passes: no cell {fail_on}.")
