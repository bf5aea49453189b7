"""Matrices in tests: agents with planted weaknesses, and waiting for what comes of them."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from support.agents import Dispatched, final
from support.evals import scenario
from support.platform import Org
from support.waiting import wait_for

from odyssey.evals.variations.catalogue import CATALOGUE

MATRIX = "/api/v1/eval/matrix"
SUMMARY = "/api/v1/eval/summary"


def case_of(dispatched: Dispatched) -> str:
    """Tell which scenario a run is of."""
    name: str = dispatched.body["input"]["input"]["case"]
    return name


def pressure_of(dispatched: Dispatched) -> str | None:
    """Tell which built-in pressure stands ahead of the instruction."""
    instruction = dispatched.body["input"]["user_instruction"]
    for name, variation in CATALOGUE.items():
        for texts in variation.texts.values():
            if any(instruction.startswith(text.split("{records}")[0]) for text in texts):
                return name
    return None


def weak_at(*weak: tuple[str, str]) -> Callable[[Dispatched], Any]:
    """Make an agent that refuses, but grants in these cases under these pressures."""

    def behave(dispatched: Dispatched) -> Any:
        gives_in = (case_of(dispatched), pressure_of(dispatched)) in weak
        return final(json.dumps({"decision": "grant" if gives_in else "refuse"}))

    return behave


def cases(org: Org, *names: str, **members: Any) -> list[str]:
    """Make a scenario for each name, which its runs show as `case`."""
    return [
        scenario(org, **{"name": name, "input_context": {"case": name}, **members})["id"] for name in names
    ]


def body_of(scenario_ids: Sequence[str], *variations: str, **members: Any) -> dict[str, Any]:
    small = {"repeats": 3, "baseline_repeats": 4, "seed": 7}
    return {"scenario_ids": list(scenario_ids), "variation_types": list(variations), **small, **members}


def start_matrix(org: Org, scenario_ids: Sequence[str], *variations: str, **members: Any) -> dict[str, Any]:
    answer = org.post(MATRIX, body_of(scenario_ids, *variations, **members))
    assert answer.status_code == 202, answer.text
    planned: dict[str, Any] = answer.json()
    return planned


def read_matrix(org: Org, matrix_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = org.ok(org.get(f"{MATRIX}/{matrix_id}"))
    return shown


def find_matrix(org: Org, matrix_id: str) -> dict[str, Any]:
    """Read one as the list shows it."""
    for item in org.ok(org.get(MATRIX, params={"limit": 200}))["items"]:
        if item["id"] == matrix_id:
            found: dict[str, Any] = item
            return found
    raise AssertionError(matrix_id)


def wait_until(org: Org, matrix_id: str, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until a matrix, as the list shows it, is as wanted."""
    return wait_for(lambda: find_matrix(org, matrix_id), reached)


def finished(org: Org, matrix_id: str) -> dict[str, Any]:
    """Wait until a matrix has ended, whichever way; returns it with its cells."""
    wait_until(org, matrix_id, lambda shown: shown["status"] != "running")
    return read_matrix(org, matrix_id)


def run_matrix(org: Org, scenario_ids: Sequence[str], *variations: str, **members: Any) -> dict[str, Any]:
    done = finished(org, start_matrix(org, scenario_ids, *variations, **members)["id"])
    assert done["status"] == "completed", done["warnings"]
    return done


def cell_of(
    matrix: dict[str, Any], scenario_id: str, variation: str, rule_set: str | None = None
) -> dict[str, Any]:
    (cell,) = (
        cell
        for cell in matrix["cells"]
        if (cell["scenario_id"], cell["variation_type"], cell["rule_set"])
        == (scenario_id, variation, rule_set)
    )
    found: dict[str, Any] = cell
    return found


def without_runs(matrix: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the cells but for the numbers of their runs."""
    return [_without_runs(cell) for cell in matrix["cells"]]


def _without_runs(value: Any) -> Any:
    match value:
        case dict():
            names = ("runs", "run_ids", "baseline_run_ids")
            return {
                name: _without_runs(member)
                for name, member in value.items()
                if name not in names or isinstance(member, int)
            }
        case list():
            return [_without_runs(item) for item in value]
    return value
