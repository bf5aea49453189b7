"""The wrapper of the porting text works as it stands: only `run_my_agent`, which it leaves to the reader, is added."""

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
from support.reference import reference_wrapper

TOKEN = "token-of-the-wrapper"

RUN_MY_AGENT = """

def run_my_agent(user_instruction, task_input, proxy_call):
    order = proxy_call("get_order", {"order_id": task_input["order_id"]})
    refused = proxy_call("get_order", {"wrong": "argument"})
    assert "arguments_invalid" in refused["error"]
    changed = proxy_call("update_order", {"order_id": order["order_id"], "status": "refunded"})
    return f"{user_instruction} -> {order['status']} then {changed['status']}"
"""


@pytest.fixture
def wrapper(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "wrapper.py").write_text(reference_wrapper() + RUN_MY_AGENT, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "wrapper:app", "--port", str(port), "--log-level", "warning"]
    process = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "AGENT_TOKEN": TOKEN})
    url = f"http://127.0.0.1:{port}/dispatch"
    try:
        for _ in range(300):
            try:
                httpx.post(url, json={"ping": True}, trust_env=False)
                break
            except httpx.ConnectError:
                assert process.poll() is None
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_the_reference_wrapper_is_an_agent(org: Org, wrapper: str) -> None:
    config = {"auth_header_name": "Authorization", "auth_header_value": f"Bearer {TOKEN}"}
    agent = org.agent(wrapper, config=config)
    tested = org.ok(org.post(f"/api/agents/{agent['id']}/test-connection"))
    assert (tested["ok"], tested["status"]) == (True, 200)
    wrong = {"config": {"auth_header_value": "Bearer wrong"}}
    tested = org.ok(org.post(f"/api/agents/{agent['id']}/test-connection", wrong))
    assert (tested["ok"], tested["status"]) == (False, 401)
    run = org.run(agent, user_instruction="Refund it", input={"order_id": "ord_1"}, initial_state=WORLD)
    assert run["status"] == "completed", run["error_json"]
    assert run["final_response"] == "Refund it -> shipped then refunded"
    statuses = [event["data"]["http_status"] for event in org.trace(run["id"], "tool_call")]
    assert statuses == [200, 422, 200]
