"""MCP servers nobody here wrote, from npm and PyPI, discovered and called through the proxy by a run."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


@contextmanager
def connected(
    org: Org, start_agent: StartAgent, server: StdioServerParameters
) -> Iterator[tuple[OpenRun, dict[str, Any]]]:
    """A run all of whose tools are those of a live server."""
    with StdioBridge(server) as bridge:
        endpoint = _endpoint(org, bridge)
        tools = [_bound(endpoint, tool) for tool in endpoint["tools"]]
        with open_run(org, start_agent, agent={"tools_schema": tools}) as run:
            yield run, {tool["name"]: tool for tool in endpoint["tools"]}
            assert bridge.open_sessions == 1
        while bridge.open_sessions:  # the end of the run is the end of its session
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
    with connected(org, agent_server, live_servers.everything()) as (run, tools):
        assert {"echo", "get-sum", "get-tiny-image", "get-structured-content"} <= tools.keys()
        assert ask(run, "echo", message="ahoy") == "Echo: ahoy"
        assert "5" in ask(run, "get_sum", a=2, b=3)
        weather = ask(run, "get_structured_content", location="New York")
        assert {"temperature", "conditions", "humidity"} <= weather.keys()
        parts = ask(run, "get_tiny_image")
        assert "image" in [part["type"] for part in parts]


def test_filesystem(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    with connected(org, agent_server, live_servers.filesystem(folder)) as (run, tools):
        assert tools["read_text_file"]["read_only"]
        assert not tools["write_file"]["read_only"]
        note = str(folder / "note.txt")
        ask(run, "write_file", path=note, content="ahoy\n")
        assert Path(note).read_text() == "ahoy\n"
        assert ask(run, "read_text_file", path=note) == {"content": "ahoy\n"}
        outside = ask(run, "read_text_file", path="/etc/passwd")
        assert "denied" in json.dumps(outside)
        last = run.events("tool_call")[-1]["data"]
        assert last["upstream"]["is_error"]


def test_memory(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    with connected(org, agent_server, live_servers.memory(tmp_path / "graph.jsonl")) as (run, _):
        ship = {"name": "Argo", "entityType": "ship", "observations": ["has fifty oars"]}
        ask(run, "create_entities", entities=[ship])
        graph = ask(run, "read_graph")
        assert [entity["name"] for entity in graph["entities"]] == ["Argo"]
        assert "Argo" in (tmp_path / "graph.jsonl").read_text()


def test_time(org: Org, agent_server: StartAgent) -> None:
    with connected(org, agent_server, live_servers.time_server()) as (run, tools):
        assert tools.keys() == {"get_current_time", "convert_time"}
        converted = ask(
            run,
            "convert_time",
            source_timezone="UTC",
            time="12:00",
            target_timezone="Asia/Tokyo",
        )
        assert converted["target"]["datetime"].endswith("T21:00:00+09:00")
        assert "Invalid timezone" in ask(run, "get_current_time", timezone="Nowhere/At-all")


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
    with connected(org, agent_server, server) as (run, _):
        repository = str(tmp_path)
        assert "The first" in json.dumps(ask(run, "git_log", repo_path=repository))
        ask(run, "git_create_branch", repo_path=repository, branch_name="feature")
        assert git("branch", "--list", "feature").strip() == "feature"
        assert "working tree clean" in json.dumps(ask(run, "git_status", repo_path=repository))


def test_runs_have_a_process_each(org: Org, agent_server: StartAgent, tmp_path: Path) -> None:
    with StdioBridge(live_servers.filesystem(tmp_path.resolve())) as bridge:
        endpoint = _endpoint(org, bridge)
        agent = {"tools_schema": [_bound(endpoint, tool) for tool in endpoint["tools"]]}
        with open_run(org, agent_server, agent=agent) as first:
            ask(first, "list_allowed_directories")
            with open_run(org, agent_server, agent=agent) as second:
                ask(second, "list_allowed_directories")
                ask(first, "list_allowed_directories")
                assert bridge.open_sessions == 2
