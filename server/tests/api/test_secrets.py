"""Planted secrets are searched for everywhere a copy could lie: the log, the database files, every answer."""

from pathlib import Path
from typing import Any

import httpx
from support.agents import Answer, Dispatched, ScriptedAgent, final
from support.platform import TOOLS, WORLD
from support.process import ServerProcess

KEY = "pk_live_" + "5ec2e7" * 6 + "beef"
HEADER = "Bearer canary-of-the-customer-header"
PASSWORD = "canary password of a person"


class _Leaky:
    """An agent that answers well, then with its secrets in an error, then with a part of its token."""

    def __init__(self) -> None:
        self.received: list[Dispatched] = []

    def __call__(self, d: Dispatched) -> Any:
        self.received.append(d)
        d.call("update_order", {"order_id": "ord_1", "status": "x"})
        d.call("nothing")
        if len(self.received) == 2:
            return Answer(500, f"I was given {d.token} and {d.headers['authorization']}".encode())
        return final() if len(self.received) == 1 else final(d.token[:5])


def _plant(client: httpx.Client, server: ServerProcess, agent_url: str) -> tuple[int, list[str]]:
    """Register an agent with a secret, and make every other kind of secret there is."""
    config = {"endpoint_url": agent_url, "auth_header_name": "Authorization", "auth_header_value": HEADER}
    body = {"name": "a", "tools_schema": TOOLS, "config": config}
    agent_id = client.post("/api/agents", json=body).json()["id"]
    client.post(f"/api/agents/{agent_id}/publish")
    client.post(f"/api/agents/{agent_id}/test-connection")
    client.post("/api/people", json={"email": "p@example.com", "role": "viewer", "password": PASSWORD})
    token = client.post("/api/auth/token", json={"email": "p@example.com", "password": PASSWORD}).json()
    link = server.signin_link().partition("#")[2]
    begun = client.post("/api/auth/session", json={"link": link})
    browser = [*begun.cookies.values(), begun.json()["csrf_token"]]
    client.cookies.clear()
    new_key = client.post("/api/keys", json={"name": "second"}).json()["key"]
    planted = [KEY, HEADER, HEADER.removeprefix("Bearer "), PASSWORD, new_key, token["access_token"]]
    return agent_id, [*planted, link, *browser]


def _run_and_read(client: httpx.Client, agent_id: int) -> str:
    """Run three tasks and return everything the API then says."""
    said = ""
    seeds = [{"user_instruction": str(n), "initial_state": WORLD} for n in range(3)]
    for run in client.post("/api/runs", json={"agent_id": agent_id, "seeds": seeds}).json()["runs"]:
        with client.stream("GET", f"/api/runs/{run['id']}/events") as stream:
            said += stream.read().decode()
        said += client.get(f"/api/runs/{run['id']}").text + client.get(f"/api/runs/{run['id']}/trace").text
    paths = ("/api/agents", "/api/keys", "/api/people", "/api/audit-log", "/api/batches")
    return said + "".join(client.get(path).text for path in (*paths, f"/api/agents/{agent_id}/versions"))


def test_no_secret_is_found_in_log_database_or_answers(tmp_path: Path) -> None:
    leaky = _Leaky()
    agent = ScriptedAgent(leaky)
    server = ServerProcess("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=KEY, ODYSSEY_LOG_LEVEL="debug")
    with httpx.Client(base_url=server.url, headers={"X-API-Key": KEY}, trust_env=False, timeout=30) as client:
        agent_id, canaries = _plant(client, server, agent.url)
        answers = _run_and_read(client, agent_id)
    assert server.stop() == 0
    agent.stop()
    assert len(leaky.received) == 3
    canaries += [one.token for one in leaky.received]
    stored = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "secret.key"
    )
    log = "".join(server.log)
    for canary in canaries:
        assert canary not in log
        assert canary not in answers
        assert canary.encode() not in stored
    assert all(one.headers["x-pipelines-run-token-jti"] in log for one in leaky.received)
