"""MCP servers nobody here wrote, from npm and PyPI, discovered and called through the proxy by a run."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp.client.stdio import StdioServerParameters
from support import live_servers
from support.calls import OpenRun, StartAgent, open_run
from support.mcp_bridge import StdioBridge
from support.platform import Org, Platform


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """One database: what is tried here is the hop, and starting the servers takes long."""
    platform = Platform(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('live') / 'live.db'}")
    yield platform
    platform.stop()


class Live(NamedTuple):
    """A run all of whose tools are those of a live server."""

    bridge: StdioBridge
    run: OpenRun
    tools: dict[str, dict[str, Any]]
    """What was discovered, by name."""
    bound: list[dict[str, Any]]
    """The tools of the run's agent."""

    def ask(self, tool: str, **arguments: Any) -> Any:
        return ask(self.run, tool, **arguments)


@contextmanager
def connected(org: Org, start_agent: StartAgent, server: StdioServerParameters) -> Iterator[Live]:
    with StdioBridge(server) as bridge:
        endpoint = _endpoint(org, bridge)
        bound = [_bound(endpoint, tool) for tool in endpoint["tools"]]
        with open_run(org, start_agent, agent={"tools_schema": bound}) as run:
            yield Live(bridge, run, {tool["name"]: tool for tool in endpoint["tools"]}, bound)
            assert bridge.open_sessions == 1
        wait_for_sessions(bridge, 0)


def wait_for_sessions(bridge: StdioBridge, number: int) -> None:
    """Wait until the server has noticed the end of a run, which is the end of its session."""
    while bridge.open_sessions != number:
        time.sleep(0.01)


def _endpoint(org: Org, bridge: StdioBridge) -> dict[str, Any]:
    config = {"url": bridge.url, "auth": {"type": "none"}}
    body = {"name": "Live", "type": "mcp_server", "config": config}
    endpoint: dict[str, Any] = org.ok(org.post("/api/tool-endpoints", body))
    assert endpoint["discovery_error"] is None
    assert bridge.open_sessions == 0
    return endpoint


def _bound(endpoint: dict[str, Any], tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"].replace("-", "_"),
        "description": tool["description"],
        "input_schema": tool["input_schema"],
        "default_execution_mode": "passthrough",
        "passthrough_binding": {"endpoint_id": endpoint["id"], "tool_name": tool["name"]},
    }


def ask(run: OpenRun, tool: str, **arguments: Any) -> Any:
    answer = run.call(tool, arguments)
    assert answer.status_code == 200, answer.text
    assert answer.json()["source"] == "passthrough", answer.text
    return answer.json()["response"]


def test_everything(org: Org, agent_server: StartAgent) -> None:
    with connected(org, agent_server, live_servers.everything()) as live:
        assert {"echo", "get-sum", "get-tiny-image", "get-structured-content"} <= live.tools.keys()
        assert live.ask("echo", message="ahoy") == "Echo: ahoy"
        assert "5" in live.ask("get_sum", a=2, b=3)
        weather = live.ask("get_structured_content", location="New York")
        assert {"temperature", "conditions", "humidity"} <= weather.keys()
        parts = live.ask("get_tiny_image")
        assert "image" in [part["type"] for part in parts]


def test_filesystem_with_a_process_for_each_run(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    with connected(org, agent_server, live_servers.filesystem(folder)) as live:
        assert live.tools["read_text_file"]["read_only"]
        assert not live.tools["write_file"]["read_only"]
        note = str(folder / "note.txt")
        live.ask("write_file", path=note, content="ahoy\n")
        assert Path(note).read_text() == "ahoy\n"
        assert live.ask("read_text_file", path=note) == {"content": "ahoy\n"}
        outside = live.ask("read_text_file", path="/etc/passwd")
        assert "denied" in json.dumps(outside)
        last = live.run.events("tool_call")[-1]["data"]
        assert last["upstream"]["is_error"]
        with open_run(org, agent_server, agent={"tools_schema": live.bound}) as second:
            assert str(folder) in json.dumps(ask(second, "list_allowed_directories"))
            live.ask("list_allowed_directories")
            assert live.bridge.open_sessions == 2
        wait_for_sessions(live.bridge, 1)


@pytest.mark.full  # its sisters: structured content of the first server, a change on disk by the second
def test_memory(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    with connected(org, agent_server, live_servers.memory(tmp_path / "graph.jsonl")) as live:
        ship = {"name": "Argo", "entityType": "ship", "observations": ["has fifty oars"]}
        live.ask("create_entities", entities=[ship])
        graph = live.ask("read_graph")
        assert [entity["name"] for entity in graph["entities"]] == ["Argo"]
        assert "Argo" in (tmp_path / "graph.jsonl").read_text()


def test_time(org: Org, agent_server: StartAgent) -> None:
    with connected(org, agent_server, live_servers.time_server()) as live:
        assert live.tools.keys() == {"get_current_time", "convert_time"}
        converted = live.ask(
            "convert_time",
            source_timezone="UTC",
            time="12:00",
            target_timezone="Asia/Tokyo",
        )
        assert converted["target"]["datetime"].endswith("T21:00:00+09:00")
        assert "Invalid timezone" in live.ask("get_current_time", timezone="Nowhere/At-all")


@pytest.mark.full  # its sisters: a Python server is the clock, a change on disk is by the second
def test_git(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    server = live_servers.git(tmp_path)

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet", "--initial-branch=main")
    (tmp_path / "log.txt").write_text("one\n")
    git("add", ".")
    git("commit", "--quiet", "--message=The first")
    with connected(org, agent_server, server) as live:
        repository = str(tmp_path)
        assert "The first" in json.dumps(live.ask("git_log", repo_path=repository))
        live.ask("git_create_branch", repo_path=repository, branch_name="feature")
        assert git("branch", "--list", "feature").strip() == "feature"
        assert "working tree clean" in json.dumps(live.ask("git_status", repo_path=repository))
