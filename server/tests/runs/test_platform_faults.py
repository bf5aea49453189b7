"""While our database is away or too slow, nothing that an agent then does is held against it."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.gateway import BY_HAND, tool_call
from support.live_shop import LiveShop, agent_of, live
from support.outages import DatabaseWire, full_disk
from support.platform import TOOLS, WORLD, Org, Platform
from support.postgres import new_postgres_database
from support.process import ServerProcess
from support.waiting import wait_for

from odyssey.journal.platform_faults import PlatformFaults

StartAgent = Callable[[Behaviour], ScriptedAgent]

KEY = "pk_live_" + "e" * 40
REASON = "a commit that is lost"
CHECK = {"called": {"tool": "update_order"}}
SEED = {"user_instruction": "Cancel ord_2.", "initial_state": WORLD, "checks": [CHECK]}


@pytest.fixture(scope="module")
def wired(postgres_server: str) -> Iterator[tuple[Platform, DatabaseWire]]:
    wire = DatabaseWire(new_postgres_database(postgres_server, f"platform_faults_{time.monotonic_ns()}"))
    platform = Platform(wire.url, fault_after_seconds=0.5)
    yield platform, wire
    platform.stop()
    wire.stop()


class Cancels:
    """An agent that cancels the order, and says what came of it; in its first attempts something happens meanwhile."""

    def __init__(self, meanwhile: Callable[[Dispatched], None], attempts: int = 1) -> None:
        self._meanwhile = meanwhile
        self._attempts = attempts

    def __call__(self, dispatched: Dispatched) -> Any:
        if int(dispatched.headers["x-pipelines-attempt"]) <= self._attempts:
            self._meanwhile(dispatched)
            return final("I could not cancel it.")
        return final(f"update_order: {cancel(dispatched).status_code}")


def cancel(dispatched: Dispatched, **more: str) -> httpx.Response:
    return dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled", **more})


def ended(org: Org, run_id: int) -> dict[str, Any]:
    """Wait for a run's verdict while reading may be refused as well."""

    def is_over(answer: httpx.Response) -> bool:
        if answer.status_code == 503:
            return False
        run = org.ok(answer)
        return run["status"] in ("completed", "failed") and run["verdict"] != "PENDING"

    run: dict[str, Any] = wait_for(lambda: org.get(f"/api/runs/{run_id}"), is_over).json()
    return run


def outcomes(run: dict[str, Any]) -> list[str]:
    return [attempt["outcome"] for attempt in run["attempts"]]


def test_a_refused_call_is_a_fault_of_ours_and_the_run_is_made_again(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    platform, wire = wired
    org, answers = platform.new_org(), []

    def meanwhile(dispatched: Dispatched) -> None:
        with wire.away():
            answers.append(cancel(dispatched))

    run_id = org.start(org.agent(agent_server(Cancels(meanwhile)).url), SEED)[0]
    run = ended(org, run_id)
    assert [(a.status_code, a.json()["code"], a.json()["retryable"]) for a in answers] == [
        (503, "storage_unavailable", True)
    ]
    assert answers[0].headers["retry-after"] == "1"
    assert (run["status"], run["verdict"], run["final_response"]) == (
        "completed",
        "PASS",
        "update_order: 200",
    )
    assert outcomes(run) == ["platform_fault", "completed"]
    (fault,) = org.trace(run_id, "platform_fault")
    assert (fault["attempt"], fault["data"]["reason"]) == (1, "storage_unavailable")


def test_a_refused_call_over_mcp_is_a_fault_of_ours(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    """In HTTP's own words, since a client takes an error inside of a message for the tool's."""
    platform, wire = wired
    org, answers = platform.new_org(), []
    arguments = {"order_id": "ord_2", "status": "cancelled"}

    def meanwhile(dispatched: Dispatched) -> None:
        with wire.away():
            message = json.dumps(tool_call("update_order", arguments))
            answers.append(dispatched.post("/mcp", message, **BY_HAND))

    run = ended(org, org.start(org.agent(agent_server(Cancels(meanwhile)).url), SEED)[0])
    assert [(a.status_code, a.json()["code"], a.headers["retry-after"]) for a in answers] == [
        (503, "storage_unavailable", "1")
    ]
    assert (run["verdict"], outcomes(run)) == ("PASS", ["platform_fault", "completed"])


def test_a_call_of_an_unknown_run_is_found_later(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    """The token is the first that the server sees of the run, and it cannot look it up."""
    platform, wire = wired
    org = platform.new_org()

    def meanwhile(dispatched: Dispatched) -> None:
        with wire.away():
            assert dispatched.post("/traces/thinking", '{"text": "hm"}').status_code == 503
            forged = dispatched.call("update_order", {}, Authorization="Bearer forged")
            assert forged.status_code in (401, 503)

    run = ended(org, org.start(org.agent(agent_server(Cancels(meanwhile)).url), SEED)[0])
    assert outcomes(run) == ["platform_fault", "completed"]


def test_a_call_that_waits_for_our_commit_is_a_fault_of_ours(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    platform, wire = wired
    org = platform.new_org()
    faults = platform.part(PlatformFaults)

    def meanwhile(dispatched: Dispatched) -> None:
        dispatched.call("list_orders")
        wire.pause()
        calling = threading.Thread(target=cancel, args=(dispatched,))
        calling.start()
        wait_for(lambda: len(faults.pending), lambda pending: pending > 0)
        wire.mend()
        calling.join()

    run_id = org.start(org.agent(agent_server(Cancels(meanwhile)).url), SEED)[0]
    run = ended(org, run_id)
    assert outcomes(run) == ["platform_fault", "completed"]
    (fault,) = org.trace(run_id, "platform_fault")
    assert fault["data"]["reason"] == "slow_storage"


def test_three_disturbed_attempts_say_nothing_of_the_agent(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    platform, wire = wired
    org = platform.new_org()

    def meanwhile(dispatched: Dispatched) -> None:
        with wire.away():
            cancel(dispatched)

    server = agent_server(Cancels(meanwhile, attempts=9))
    run = ended(org, org.start(org.agent(server.url), SEED)[0])
    assert (run["status"], run["error_class"]) == ("failed", "platform_fault")
    assert (run["verdict"], run["failure_mode"]) == ("NOT APPLICABLE", "platform_fault")
    assert outcomes(run) == ["platform_fault", "platform_fault", "failed"]
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("dropOrder", ("failed", "platform_fault", ["failed"])),
        ("readOrder", ("completed", None, ["platform_fault", "completed"])),
    ],
    ids=["may write", "read-only"],
)
def test_an_attempt_that_reached_a_live_tool_is_made_again_only_if_the_tool_is_read_only(
    wired: tuple[Platform, DatabaseWire],
    agent_server: StartAgent,
    operation: str,
    expected: tuple[str, str | None, list[str]],
) -> None:
    platform, wire = wired
    org, shop = platform.new_org(), LiveShop()
    shop.register(org)

    def behave(dispatched: Dispatched) -> Any:
        assert dispatched.call("live_tool", {"order_id": "ord_1"}).status_code == 200
        if dispatched.headers["x-pipelines-attempt"] == "1":
            with wire.away():
                dispatched.post("/traces/thinking", '{"text": "hm"}')
        return final()

    server = agent_server(behave)
    agent = org.agent(server.url, **agent_of(live("live_tool", operation)))
    run = ended(
        org,
        org.start(agent, {"user_instruction": "Do it.", "checks": [{"called": {"tool": "live_tool"}}]})[0],
    )
    shop.stop()
    assert (run["status"], run["error_class"], outcomes(run)) == expected
    assert (run["verdict"], run["failure_mode"]) == (
        ("NOT APPLICABLE", "platform_fault") if expected[1] else ("PASS", None)
    )
    assert len(server.received) == len(expected[2])


def test_a_commit_whose_answer_is_lost_is_looked_up(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    """It was applied: the agent gets its answer, and the journal has one call."""
    platform, wire = wired
    org, answers = platform.new_org(), []

    def behave(dispatched: Dispatched) -> Any:
        dispatched.call("list_orders")
        wire.lose_commit("after", REASON)
        answers.append(cancel(dispatched, reason=REASON))
        return final()

    run_id = org.start(org.agent(agent_server(behave).url), SEED)[0]
    run = ended(org, run_id)
    calls = [event["data"]["tool_name"] for event in org.trace(run_id, "tool_call")]
    assert answers[-1].status_code == 200
    assert calls == ["list_orders", "update_order"] * len(run["attempts"])


def test_a_commit_that_never_arrived_was_not_applied(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    platform, wire = wired
    org, answers = platform.new_org(), []

    def behave(dispatched: Dispatched) -> Any:
        dispatched.call("list_orders")
        if dispatched.headers["x-pipelines-attempt"] == "1":
            wire.lose_commit("before", REASON)
            answers.append(cancel(dispatched, reason=REASON))
        answers.append(cancel(dispatched))
        return final()

    run_id = org.start(org.agent(agent_server(behave).url), SEED)[0]
    run = ended(org, run_id)
    assert [(a.status_code, a.json().get("retryable")) for a in answers] == [
        (503, True),
        (200, None),
        (200, None),
    ]
    assert outcomes(run) == ["platform_fault", "completed"]
    calls = [(event["attempt"], event["data"]["tool_name"]) for event in org.trace(run_id, "tool_call")]
    assert calls == [(1, "list_orders"), (1, "update_order"), (2, "list_orders"), (2, "update_order")]


@pytest.fixture
def on_a_disk(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess("--data", str(tmp_path), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
    yield server
    server.kill()


def test_a_full_disk_is_a_fault_of_ours(on_a_disk: ServerProcess, agent_server: StartAgent) -> None:
    server, answers = on_a_disk, []

    def meanwhile(dispatched: Dispatched) -> None:
        with full_disk(server.pid):
            answers.append(cancel(dispatched))
            answers.append(httpx.post(f"{server.url}/api/agents", json=agent, headers=auth, trust_env=False))
            answers.append(httpx.get(f"{server.url}/health/live", trust_env=False))

    auth = {"X-API-Key": KEY}
    agent = {
        "name": "agent",
        "tools_schema": TOOLS,
        "config": {"endpoint_url": agent_server(Cancels(meanwhile)).url},
    }
    with httpx.Client(base_url=server.url, headers=auth, timeout=60, trust_env=False) as client:
        agent_id = client.post("/api/agents", json=agent).json()["id"]
        client.post(f"/api/agents/{agent_id}/publish").raise_for_status()
        made = client.post("/api/runs", json={"agent_id": agent_id, "seeds": [SEED]}).json()
        run_id = made["runs"][0]["id"]
        run = wait_for(
            lambda: client.get(f"/api/runs/{run_id}").json(), lambda run: run["verdict"] != "PENDING"
        )
    assert [answer.status_code for answer in answers] == [503, 503, 200]
    assert (run["status"], run["verdict"], outcomes(run)) == (
        "completed",
        "PASS",
        ["platform_fault", "completed"],
    )
    assert any("disk I/O error" in line or "disk is full" in line for line in server.log)


def test_a_fault_that_another_process_knew_of_too_late_takes_the_verdict_back(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent
) -> None:
    platform, _ = wired
    org = platform.new_org()

    def behave(dispatched: Dispatched) -> Any:
        cancel(dispatched)
        return final()

    server = agent_server(behave)
    run_id = org.start(org.agent(server.url), SEED)[0]
    assert ended(org, run_id)["verdict"] == "PASS"
    token_hash = hashlib.sha256(server.received[0].token.encode()).hexdigest()

    async def note() -> None:
        platform.part(PlatformFaults).note(token_hash, "storage_unavailable", is_known=True)

    platform.do(note())
    run = wait_for(lambda: ended(org, run_id), lambda run: run["verdict"] != "PASS")
    assert (run["status"], run["error_class"]) == ("failed", "platform_fault")
    assert (run["verdict"], run["failure_mode"]) == ("NOT APPLICABLE", "platform_fault")
    assert len(org.trace(run_id, "platform_fault")) == 1
