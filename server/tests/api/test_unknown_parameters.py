"""A filter that does not exist is refused everywhere: an answer that ignores it would be taken for a filtered one."""

import json
import re
from pathlib import Path

import pytest
from support.platform import Org

OPENAPI = json.loads((Path(__file__).parents[3] / "openapi.json").read_text())
READ = [path for path, methods in OPENAPI["paths"].items() if "security" in methods.get("get", {})]


def test_no_address_ignores_a_parameter(org: Org) -> None:
    assert len(READ) > 50
    for path in READ:
        answer = org.get(re.sub(r"{.*?}", "1", path), params={"no_such_filter": "1"})
        assert answer.status_code == 422, path
        assert [error["loc"] for error in answer.json()["errors"]] == [["query", "no_such_filter"]], path


@pytest.mark.parametrize(
    ("path", "given", "meant"),
    [
        ("/api/v1/eval/runs", "scenario", "scenario_id"),
        ("/api/v1/review/items", "state", "status"),
        ("/api/runs", "agent", "agent_id"),
        ("/api/batches", "dataset", "dataset_id"),
    ],
)
def test_a_near_miss_is_named(org: Org, path: str, given: str, meant: str) -> None:
    answer = org.get(path, params={given: "1"})
    message = f"'{given}' is not a parameter of this address; did you mean '{meant}'?"
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"loc": ["query", given], "msg": message}])
