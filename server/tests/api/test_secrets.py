"""Planted secrets are searched for everywhere a copy could lie: the log, the database files, every answer."""

import threading
from pathlib import Path
from typing import Any

import httpx
from support.agents import Answer, Dispatched, ScriptedAgent, final
from support.platform import TOOLS, WORLD
from support.process import ServerProcess

KEY = "pk_live_" + "5ec2e7" * 6 + "beef"
HEADER = "Bearer canary-of-the-customer-header"
PASSWORD = "canary password of a person"


def test_no_secret_is_found_in_log_database_or_answers(tmp_path: Path) -> None:
    received: list[Dispatched] = []
    arrived = threading.Event()

    def behave(d: Dispatched) -> Any:
        received.append(d)
        d.call("update_order", {"order_id": "ord_1", "status": "x"})
        d.call("nothing")
        if len(received) == 1:
            return final()
        if len(received) == 2:
            return Answer(500, f"I was given {d.token} and {d.headers['authorization']}".encode())
        arrived.set()
        return final(d.token[:5])

    agent = ScriptedAgent(behave)
    server = ServerProcess("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=KEY, ODYSSEY_LOG_LEVEL="debug")
    answers = ""
    with httpx.Client(base_url=server.url, headers={"X-API-Key": KEY}, trust_env=False, timeout=30) as client:
        config = {"endpoint_url": agent.url, "auth_header_name": "Authorization", "auth_header_value": HEADER}
        body = {"name": "a", "tools_schema": TOOLS, "config": config}
        agent_id = client.post("/api/agents", json=body).json()["id"]
        client.post(f"/api/agents/{agent_id}/publish")
        client.post(f"/api/agents/{agent_id}/test-connection")
        person = {"email": "p@example.com", "role": "viewer", "password": PASSWORD}
        client.post("/api/people", json=person)
        token = client.post("/api/auth/token", json={"email": "p@example.com", "password": PASSWORD}).json()
        link = server.signin_link().partition("#")[2]
        begun = client.post("/api/auth/session", json={"link": link})
        browser = [*begun.cookies.values(), begun.json()["csrf_token"]]
        client.cookies.clear()
        new_key = client.post("/api/keys", json={"name": "second"}).json()["key"]
        received.clear()
        seeds = [{"user_instruction": str(n), "initial_state": WORLD} for n in range(3)]
        runs = client.post("/api/runs", json={"agent_id": agent_id, "seeds": seeds}).json()["runs"]
        for run in runs:
            with client.stream("GET", f"/api/runs/{run['id']}/events") as stream:
                answers += stream.read().decode()
            answers += (
                client.get(f"/api/runs/{run['id']}").text + client.get(f"/api/runs/{run['id']}/trace").text
            )
        for path in (
            "/api/agents",
            "/api/keys",
            "/api/people",
            "/api/audit-log",
            f"/api/agents/{agent_id}/versions",
        ):
            answers += client.get(path).text
    assert server.stop() == 0
    agent.stop()
    canaries = [KEY, HEADER, HEADER.removeprefix("Bearer "), PASSWORD, new_key, token["access_token"]]
    canaries += [link, *browser, *(one.token for one in received)]
    assert len(received) == 3
    stored = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "secret.key"
    )
    log = "".join(server.log)
    for canary in canaries:
        assert canary not in log
        assert canary not in answers
        assert canary.encode() not in stored
    assert all(one.headers["x-pipelines-run-token-jti"] in log for one in received)
