"""Generated rows in the form of the recorded data that the benchmarks read, which is no part of the repository."""

import json
from pathlib import Path
from typing import Any

from benchmarks.retail.measure import PROGRAMS

from odyssey.kit.yaml_reader import read_yaml

TASKS = 5
TRIALS = 4
_HOME = {"address1": "1 Quay", "address2": "", "city": "Ulm", "state": "BW", "country": "DE", "zip": "89073"}
_ANN = {
    "user_id": "ann",
    "name": {"first_name": "Ann", "last_name": "Berg"},
    "address": _HOME,
    "email": "ann@example.com",
    "payment_methods": {"card": {"source": "credit_card", "id": "card"}},
    "orders": [],
}


def write_shop(folder: Path, *, found: str = "ann") -> Path:
    """Write a shop of one customer, and two calls of its back end: one finds `found`, the other moves her."""
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in read_yaml(PROGRAMS.read_bytes())]
    moved = {**_HOME, "address1": "2 Quay"}
    after = {**_ANN, "address": moved}
    change = {"entity_type": "user", "id": "ann", "before": _ANN, "after": after}
    calls = [
        _call("find_user_id_by_email", {"email": "ann@example.com"}, found),
        _call("modify_user_address", {"user_id": "ann", **moved}, after, change),
    ]
    folder.mkdir()
    state = {"user": {"ann": _ANN}, "order": {}, "product": {}}
    (folder / "tools.json").write_text(json.dumps(tools), "utf-8")
    (folder / "state.json").write_text(json.dumps(state), "utf-8")
    (folder / "calls.jsonl").write_text(json.dumps({"task": "0", "calls": calls}) + "\n", "utf-8")
    return folder


def _call(tool: str, args: dict[str, Any], response: Any, *changes: dict[str, Any]) -> dict[str, Any]:
    return {"tool": tool, "args": args, "response": response, "error": None, "changes": list(changes)}


def write_runs(path: Path) -> Path:
    """Write a few trials of each of a few tasks, which call different tools and end with different words."""
    runs = [
        {
            "task": task,
            "trial": trial,
            "passed": trial > 0,
            "calls": [{"tool": f"tool_{task}", "args": {"number": trial}}],
            "final_response": f"Task {task} is done, in {trial} ways.",
        }
        for task in range(TASKS)
        for trial in range(TRIALS)
    ]
    path.write_text(json.dumps(runs), "utf-8")
    return path
