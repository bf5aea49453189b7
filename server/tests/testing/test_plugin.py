"""The plugin as pytest loads it: cheap, quiet, and telling when a test fails."""

import os
import subprocess
import sys
from pathlib import Path

SUITE = """
import json, urllib.request

TOOLS = [{"name": "get_order", "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}}}}]
STATE = {"order": {"ord_1": {"order_id": "ord_1", "status": "shipped"}}}

def my_agent(proxy_url, run_token):
    request = urllib.request.Request(
        f"{proxy_url}/tools/get_order",
        json.dumps({"order_id": "ord_1"}).encode(),
        {"Authorization": f"Bearer {run_token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["response"]["status"]

def test_that_holds(odyssey):
    with odyssey.world(tools=TOOLS, state=STATE).run("Where is ord_1?") as run:
        run.finish(my_agent(run.proxy_url, run.run_token))
    assert run.final_response == "shipped"
    assert [call.tool_name for call in run.calls] == ["get_order"]

def test_that_does_not_hold(odyssey):
    with odyssey.world(tools=TOOLS, state=STATE).run("Where is ord_1?") as run:
        run.finish(my_agent(run.proxy_url, run.run_token))
    assert run.ledger["order"]["ord_1"]["status"] == "delivered"

def test_without_a_platform():
    assert False
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # As somebody's own session: nothing of this one's settings, and only the plugin that is named.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean = {name: value for name, value in clean.items() if "proxy" not in name.lower()}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "odyssey.testing.plugin", "-W", "error", *arguments],
        env={
            **clean,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "ODYSSEY_HOST": "0.0.0.0",
            "ODYSSEY_DATABASE_URL": "x",
        },
        cwd=folder,
        capture_output=True,
        text=True,
    )


# Collected before the others: nothing has asked for a platform yet.
FIRST = """
import sys

def test_that_asks_for_nothing():
    loaded = {name.partition(".")[0] for name in sys.modules}
    assert not loaded & {"fastapi", "pydantic", "sqlalchemy", "uvicorn", "aiohttp", "httpx", "pipelines"}
    ours = {name for name in sys.modules if name.startswith("odyssey")}
    assert ours == {"odyssey", "odyssey.testing", "odyssey.testing.plugin"}
"""


def test_a_session_of_somebody_else_loads_nothing_until_a_test_asks_and_tells_its_runs(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_first.py").write_text(FIRST, encoding="utf-8")
    (tmp_path / "test_orders.py").write_text(SUITE, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 2 passed" in done.stdout
    assert "test_first.py ." in done.stdout
    assert "FAILED test_orders.py::test_that_does_not_hold - " in done.stdout
    told = done.stdout.partition("- odyssey runs -")[2]
    assert 'get_order {"order_id": "ord_1"} -> odyssey: {"order_id": "ord_1", "status": "shipped"}' in told
    assert done.stdout.count("- odyssey runs -") == 1, "the other failure has nothing to do with runs"
    assert not list(tmp_path.glob("**/odyssey.db")), "the database belongs into a temporary directory"


def test_the_fixtures_are_listed_with_what_they_are_for(tmp_path: Path) -> None:
    listed = run_pytest(tmp_path, "--fixtures").stdout
    assert "odyssey_platform [session scope]" in listed
    assert "Make worlds, run an agent in them, and read what it did" in listed
