"""The table of tickets on a real platform: its checks bite, and the demo ends as it always does."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.process import ServerProcess, odyssey

DESK = Path(__file__).resolve().parent.parent / "support-desk"
TICKETS = str(DESK / "tickets.csv")
KEY = "pk_live_" + "6" * 40


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A platform that has the world the tickets name, and their agent."""
    server = ServerProcess("--data", str(tmp_path_factory.mktemp("data")), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    headers = {"X-API-Key": KEY}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as http:
        world = json.loads((DESK / "world.json").read_text(encoding="utf-8"))
        agent = json.loads((DESK / "agent.json").read_text(encoding="utf-8"))
        agent["config"] = {"endpoint_url": "http://127.0.0.1:1/dispatch"}
        for path, body in (("/api/worlds", {"name": "Support desk", **world}), ("/api/agents", agent)):
            http.post(path, json=body).raise_for_status()
    yield {"ODYSSEY_URL": server.url, "ODYSSEY_API_KEY": KEY}
    server.stop()


def test_an_agent_that_does_nothing_passes_no_ticket(environment: dict[str, str]) -> None:
    audited = odyssey("audit", TICKETS, "--json", **environment)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert json.loads(audited.stdout) == {
        "rows": 8,
        "judged_only": 0,
        "nothing_to_grade": 0,
        "passed_rows": 0,
        "passed": [],
    }


def test_the_table_fits_the_agent(environment: dict[str, str]) -> None:
    linted = odyssey("datasets", "lint", TICKETS, "--agent", "1", **environment)
    assert (linted.returncode, linted.stdout) == (0, "8 rows, nothing wrong.\n"), linted.stderr


def test_the_demo_shows_verdicts_and_one_that_fails() -> None:
    command = [sys.executable, str(DESK / "demo.py"), "--once", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ask whether it is cancelled: FAIL (policy_violated)" in done.stdout
    assert done.stdout.count(": PASS") == 7
    assert "Pass rate 87.5 % (7 of 8;" in done.stdout
