"""No session is kept, so two servers on one Postgres serve one MCP client as one server would."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.calls import OpenRun, StartAgent, open_run
from support.gateway import send, tool_call
from support.platform import Platform
from support.postgres import new_postgres_database

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def platforms(postgres_server: str) -> Iterator[tuple[Platform, Platform]]:
    url = new_postgres_database(postgres_server, f"mcp_pair_{time.monotonic_ns()}")
    first, second = Platform(url), Platform(url)
    yield first, second
    second.stop()
    first.stop()


def at(run: OpenRun, platform: Platform, message: Any) -> Any:
    return send(run, message, base=f"{platform.url}/api/odyssey-proxy")


def test_a_client_may_talk_to_either(platforms: tuple[Platform, Platform], agent_server: StartAgent) -> None:
    org = platforms[0].new_org()
    with open_run(org, agent_server) as run:
        for number in range(6):
            new = tool_call("create_order", {"status": "new"})
            answers = [at(run, platforms[(number + turn) % 2], each) for turn, each in enumerate((LIST, new))]
            assert [answer.status_code for answer in answers] == [200, 200]
        events = run.events()
        assert [event["sequence"] for event in events] == list(range(1, 14))
        assert len(org.ok(org.get(f"/api/runs/{run.id}/ledger"))["state"]["order"]) == 8
        org.ok(org.post(f"/api/runs/{run.id}/cancel"))
        for platform in platforms:
            for message in (LIST, tool_call("list_orders")):
                answer = at(run, platform, message)
                assert (answer.status_code, answer.json()["code"]) == (401, "run_token_revoked")
