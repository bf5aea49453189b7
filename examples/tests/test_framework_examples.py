"""Every example of a framework, as somebody meets it: doctor, push, test, and what the trace then shows."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.example_agents import EXAMPLES
from support.platform import Org, Platform
from support.programs import need_frameworks
from support.warm_programs import warm_programs

TOKEN = "inbound-token-of-the-tests"
Event = dict[str, Any]
VENDORS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_PROFILE", "AWS_ACCESS_KEY_ID")
"""With one of them an example would ask a real model."""
ADAPTERS = {
    "openai-agents": "openai_agents",
    "anthropic": "anthropic",
    "langgraph": "langchain",
    "strands": "strands",
}


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Org]:
    platform = Platform(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('data') / 'odyssey.db'}")
    yield platform.new_org()
    platform.stop()


class Builder:
    """Somebody who builds agents, in the folder of one: has the SDK and its framework, and no server."""

    def __init__(self, org: Org, name: str, programs: Path) -> None:
        self.folder = EXAMPLES / name
        self._programs = programs
        kept = {name: value for name, value in os.environ.items() if name not in VENDORS}
        own = {"ODYSSEY_URL": org.platform.url, "ODYSSEY_API_KEY": org.api_key, "AGENT_TOKEN": TOKEN}
        self._environment = kept | own | {"NO_PROXY": "127.0.0.1"}

    def odyssey(self, *arguments: str) -> Any:
        done = subprocess.run(
            [str(self._programs / "odyssey"), *arguments, "--json"],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve the agent of the folder; gives its address."""
        command = [str(self._programs / "uvicorn"), "agent:app", "--port", "0"]
        pipes: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=self.folder, env=self._environment, **pipes) as agent:
            assert agent.stderr is not None
            said, found = b"", None
            while found is None:
                line = agent.stderr.readline()
                said += line
                assert line, said
                found = re.search(rb"running on (http://\S+)", line)
            try:
                yield f"{found[1].decode()}/dispatch"
            finally:
                agent.terminate()
                agent.stderr.read()  # until nobody has it open any more


@pytest.mark.parametrize(
    "name",
    [
        "openai-agents",
        *(pytest.param(name, marks=pytest.mark.full) for name in ("anthropic", "langgraph", "strands")),
    ],
)
def test_an_example_is_examined_pushed_tested_and_traced(name: str, org: Org, tmp_path: Path) -> None:
    python, adapter = str(need_frameworks() / "python"), f"pipelines.odyssey.adapters.{ADAPTERS[name]}"
    with warm_programs(tmp_path, adapter, python=python) as programs:
        builder = Builder(org, name, programs)
        findings = builder.odyssey("doctor")
        assert {finding["state"] for finding in findings["findings"]} <= {"passed", "skipped"}, findings
        with builder.serving() as url:
            pushed = builder.odyssey("push", "--endpoint-url", url, "--publish")
            tested = builder.odyssey("test")
    assert tested["pass_rate"] == 1.0
    refunded = next(trace for trace in traces(org, pushed["agent"]["id"]) if called(trace, "refund_order"))
    assert set(calls(refunded)) == {
        ("supervisor/orders", "get_order"),
        ("supervisor/refunds", "get_payment"),
        ("supervisor/refunds", "refund_order"),
    }
    assert any(event["data"]["event_type"] == "handoff" for event in posted(refunded))
    assert reasons(refunded)


def traces(org: Org, agent: int) -> Iterator[list[Event]]:
    """Give the events of every run of an agent."""
    for run in org.ok(org.get("/api/runs", params={"agent_id": agent}))["items"]:
        yield org.trace(run["id"])


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
