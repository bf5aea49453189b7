"""The example of an agent that is an MCP client: its own process, a run, a trace and a verdict."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.platform import WORLD, Org

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "mcp-client-agent"
AGENT_TOKEN = "inbound-token-of-the-tests"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log") / "agent.log"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "mcp_agent:app",
        "--app-dir",
        str(EXAMPLE),
        "--port",
        str(port),
    ]
    env = os.environ | {"AGENT_TOKEN": AGENT_TOKEN, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    with log.open("wb") as sink:
        process = subprocess.Popen(command, env=env, stdout=sink, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/dispatch"
    try:
        while not is_up(url):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


def is_up(url: str) -> bool:
    headers = {"Authorization": f"Bearer {AGENT_TOKEN}"}
    try:
        return httpx.post(url, json={"ping": True}, headers=headers, trust_env=False).is_success
    except httpx.TransportError:
        return False


def test_an_agent_that_only_knows_mcp_comes_to_a_verdict(org: Org, example: str) -> None:
    config = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {AGENT_TOKEN}"}
    agent = org.agent(example, config=config)
    seed = {
        "user_instruction": "What became of ord_1?",
        "initial_state": WORLD,
        "checks": [{"called": {"tool": "get_order"}}],
    }
    (run_id,) = org.start(agent, seed)
    run = org.graded(run_id)
    assert (run["status"], run["verdict"]) == ("completed", "PASS"), run
    assert "shipped" in run["final_response"]
    kinds = [event["kind"] for event in org.trace(run_id)]
    assert kinds == ["dispatch", "trace_event", "trace_event", "tool_call", "reply", "grade"]
    (call,) = org.trace(run_id, "tool_call")
    assert (call["data"]["tool_name"], call["data"]["arguments"]) == ("get_order", {"order_id": "ord_1"})
