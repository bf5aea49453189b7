"""The support desk of the examples, served here, registered in an organisation, with its tickets run."""

import csv
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from support.asgi import Served
from support.example_agents import EXAMPLES, load_example
from support.platform import Org

DESK = EXAMPLES / "support-desk"


class Desk(NamedTuple):
    agent: dict[str, Any]
    runs: list[int]
    """One for each of the eight tickets, in their order, all ended."""


@contextmanager
def support_desk(org: Org) -> Iterator[Desk]:
    token = secrets.token_urlsafe(16)
    with Served(load_example("support-desk/desk_agent.py", token).create_app(token)) as served:
        agent = _register(org, f"{served.url}/dispatch", token)
        yield Desk(agent, _run_tickets(org, agent))


def desk_state() -> dict[str, Any]:
    state: dict[str, Any] = _read("world.json")["initial_state"]
    return state


def _register(org: Org, url: str, token: str) -> dict[str, Any]:
    body = _read("agent.json")
    body["config"] |= {"endpoint_url": url, "auth_header_value": f"Bearer {token}"}
    agent = org.ok(org.post("/api/agents", body))
    published: dict[str, Any] = org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    return published


def _run_tickets(org: Org, agent: dict[str, Any]) -> list[int]:
    runs = org.start(agent, *_seeds())
    for run in runs:
        org.graded(run)
    return runs


def _seeds() -> list[dict[str, Any]]:
    """The rows of the desk's table, with the state of the world they name instead of its name."""
    with (DESK / "tickets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    members = ("failure_rules", "input", "checks")
    return [
        {
            "user_instruction": row["user"],
            "initial_state": json.loads(row["state"]) if row["state"] else desk_state(),
            "expected_outcome": row["expected_outcome"],
            **{member: json.loads(row[member]) for member in members if row[member]},
        }
        for row in rows
    ]


def _read(name: str) -> Any:
    return json.loads((DESK / name).read_text())
