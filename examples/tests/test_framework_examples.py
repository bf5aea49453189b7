"""Every example of a framework, as somebody meets it: doctor, push, test, and what the trace then shows."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.process import ServerProcess
from support.programs import need_frameworks

EXAMPLES = Path(__file__).resolve().parent.parent
KEY = "pk_live_" + "e" * 40
TOKEN = "inbound-token-of-the-tests"
Event = dict[str, Any]
VENDORS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_PROFILE", "AWS_ACCESS_KEY_ID")
"""With one of them an example would ask a real model."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A platform, and the environment of somebody who builds agents: the SDK and frameworks, no server."""
    frameworks = need_frameworks()
    server = ServerProcess("--data", str(tmp_path_factory.mktemp("data")), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    kept = {name: value for name, value in os.environ.items() if name not in VENDORS}
    yield {
        **kept,
        "PATH": f"{frameworks}:{os.environ['PATH']}",
        "ODYSSEY_URL": server.url,
        "ODYSSEY_API_KEY": KEY,
        "AGENT_TOKEN": TOKEN,
        "NO_PROXY": "127.0.0.1",
    }
    server.stop()


def odyssey(environment: dict[str, str], folder: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [str(need_frameworks() / "odyssey"), *arguments, "--json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@contextmanager
def serving(environment: dict[str, str], folder: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(need_frameworks() / "python"), "-m", "uvicorn", "agent:app", "--port", str(port)]
    agent = subprocess.Popen([*command, "--log-level", "warning"], cwd=folder, env=environment)
    try:
        while not listens(port):
            assert agent.poll() is None, "the agent ended"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/dispatch"
    finally:
        agent.terminate()
        agent.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    "name",
    [
        "openai-agents",
        *(pytest.param(name, marks=pytest.mark.full) for name in ("anthropic", "langgraph", "strands")),
    ],
)
def test_an_example_is_examined_pushed_tested_and_traced(name: str, environment: dict[str, str]) -> None:
    folder = EXAMPLES / name
    findings = odyssey(environment, folder, "doctor")
    assert {finding["state"] for finding in findings["findings"]} <= {"passed", "skipped"}, findings
    with serving(environment, folder) as url:
        pushed = odyssey(environment, folder, "push", "--endpoint-url", url, "--publish")
        tested = odyssey(environment, folder, "test")
    assert tested["pass_rate"] == 1.0
    refunded = next(
        trace for trace in traces(environment, pushed["agent"]["id"]) if called(trace, "refund_order")
    )
    assert set(calls(refunded)) == {
        ("supervisor/orders", "get_order"),
        ("supervisor/refunds", "get_payment"),
        ("supervisor/refunds", "refund_order"),
    }
    assert any(event["data"]["event_type"] == "handoff" for event in posted(refunded))
    assert reasons(refunded)


def traces(environment: dict[str, str], agent: int) -> Iterator[list[Event]]:
    """Give the events of every run of an agent."""
    with httpx.Client(
        base_url=environment["ODYSSEY_URL"], headers={"X-API-Key": KEY}, trust_env=False
    ) as client:
        for run in client.get("/api/runs", params={"agent_id": agent}).json()["items"]:
            yield client.get(f"/api/runs/{run['id']}/trace", params={"limit": 200}).json()["items"]


def calls(trace: list[Event]) -> list[tuple[str | None, str]]:
    return [
        (event["actor_id"], event["data"]["tool_name"]) for event in trace if event["kind"] == "tool_call"
    ]


def called(trace: list[Event], tool: str) -> bool:
    return tool in {name for _, name in calls(trace)}


def posted(trace: list[Event]) -> list[Event]:
    return [event for event in trace if event["kind"] == "trace_event"]


def reasons(trace: list[Event]) -> list[str]:
    """Say what the agent thought, in its reply or while it ran."""
    reply = next(event for event in trace if event["kind"] == "reply")
    thought = [
        part["text"]
        for message in reply["data"]["body"]["messages"]
        for part in message.get("thinking") or []
    ]
    return thought + [
        event["data"]["payload"]["text"]
        for event in posted(trace)
        if event["data"]["event_type"] == "thinking"
    ]
