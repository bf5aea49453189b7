"""The support desk of the examples as a process, registered in an organisation, with its tickets run."""

import csv
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from support.platform import Org

DESK = Path(__file__).resolve().parents[3] / "examples" / "support-desk"


class Desk(NamedTuple):
    agent: dict[str, Any]
    runs: list[int]
    """One for each of the eight tickets, in their order, all ended."""


@contextmanager
def support_desk(org: Org) -> Iterator[Desk]:
    token, port = secrets.token_urlsafe(16), _free_port()
    command = [sys.executable, str(DESK / "desk_agent.py"), "--port", str(port)]
    environment = os.environ | {"AGENT_TOKEN": token}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/dispatch"
        _wait_for(url, token)
        agent = _register(org, url, token)
        yield Desk(agent, _run_tickets(org, agent))
    finally:
        process.terminate()
        process.wait(10)


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


def _wait_for(url: str, token: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            headers = {"Authorization": f"Bearer {token}"}
            if httpx.post(url, json={"ping": True}, headers=headers, trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the support desk did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
