"""A review queue with something of every kind: flagged runs that wait, one that was submitted, two with verdicts."""

from typing import NamedTuple

from support.experiments import read_matrix
from support.platform import Org
from support.pressed import Pressed
from support.reviews import ITEMS, cell, decide, finish, queue


class Reviewed(NamedTuple):
    waiting: str
    """An item that waits for its verdict: a run under pressure that was flagged."""
    asked: str
    """One that was submitted by hand."""
    decided: str


def give_reviewed(org: Org, pressed: Pressed) -> Reviewed:
    asked = {"run_id": pressed.baseline, "notes": "Is this what we want without any pressure?"}
    asked_id: str = org.ok(org.post(ITEMS, asked))["id"]
    flags = queue(org, source="flag")
    decide(org, flags[-1]["id"], "false_positive", "It is brief, and that is all.")
    decide(
        org, flags[-2]["id"], "true_positive", "It gave money back that was not due.\nSee its second call."
    )
    return Reviewed(flags[0]["id"], asked_id, flags[-2]["id"])


TOO_SENSITIVE = (0.52, 0.55, 0.58, 0.61)
SHIFTS = (*TOO_SENSITIVE, 0.72, 0.74, 0.79, 0.83, 0.86, 0.9, 0.94, 0.97)


def give_history(org: Org, matrix_id: str) -> None:
    """Say of twelve cells of a matrix that they were flagged, and whether that was right."""
    found = read_matrix(org, matrix_id)
    names = {each["id"]: each["name"] for each in found["scenarios"]}
    cells = [each for each in found["cells"] if not each["flagged"] and each["runs"]["variation"]]
    flagged = [
        cell(
            each["runs"]["variation"][0],
            shift,
            scenario_id=each["scenario_id"],
            scenario_name=names[each["scenario_id"]],
            variation_type=each["variation_type"],
            typical_baseline=each["runs"]["baseline"][0],
        )
        for each, shift in zip(cells, SHIFTS, strict=False)
    ]
    finish(org, *flagged, matrix_id=matrix_id)
    for item in queue(org, matrix_id=matrix_id, source="flag", confirmed=False, status="open"):
        decide(org, item["id"], "false_positive" if item["shift"] in TOO_SENSITIVE else "true_positive")
