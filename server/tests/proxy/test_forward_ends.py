"""What is left when something ends while a call is out: the agent's connection, the run, the server, its database."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.calls import OpenRun, open_run
from support.live_shop import Gate, LiveShop, agent_of, live
from support.platform import WORLD, Org, Platform
from support.waiting import wait_for

from odyssey.core.database import StorageUnavailableError
from odyssey.core.group_commit import GroupWriter, Unit
from odyssey.endpoints.openapi.upstream import OpenApiUpstream

StartAgent = Callable[[Behaviour], ScriptedAgent]

LIVE = live("look_up", "readOrder")
NOTE = live("add_note", "addNote")
ONE = {"order_id": "ord_1"}


@pytest.fixture
def shop(org: Org) -> Iterator[LiveShop]:
    shop = LiveShop()
    shop.register(org)
    yield shop
    shop.stop()


def events_until(run: OpenRun, count: int) -> list[dict[str, Any]]:
    """Read the trace until it has so many live events."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        events = [event for event in run.events() if event["kind"] in ("forward", "tool_call")]
        if len(events) >= count:
            return events
        time.sleep(0.02)
    raise AssertionError(events)


def test_an_agent_that_leaves_does_not_stop_the_record(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    gate = shop.behaviour = Gate()
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        address = httpx.URL(run.url)
        body = b'{"order_id":"ord_1"}'
        head = (
            f"POST {address.path}/tools/look_up HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
            f"Authorization: Bearer {run.token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection((address.host, address.port or 80)) as connection:
            connection.sendall(head.encode() + body)
            gate.wait()
        gate.release.set()
        forward, call = events_until(run, 2)
    assert (forward["kind"], call["kind"]) == ("forward", "tool_call")
    assert (call["data"]["source"], call["data"]["forward"]) == ("passthrough", forward["sequence"])
    assert len(shop.asked) == 1


@pytest.mark.parametrize(("tool", "verdict"), [(LIVE, "PASS"), (NOTE, "FAIL")], ids=["a read", "an act"])
def test_a_run_that_ends_meanwhile_keeps_that_the_call_went_out(
    org: Org, shop: LiveShop, agent_server: StartAgent, tool: dict[str, Any], verdict: str
) -> None:
    gate = shop.behaviour = Gate()
    answers: list[httpx.Response] = []
    threads: list[threading.Thread] = []

    def behave(d: Dispatched) -> Any:
        arguments = ONE | ({"text": "x"} if tool is NOTE else {})
        threads.append(threading.Thread(target=lambda: answers.append(d.call(tool["name"], arguments))))
        threads[0].start()
        gate.wait()
        return final("I will not do that.")

    agent = org.agent(agent_server(behave).url, **agent_of(tool))
    (run_id,) = org.start(
        agent,
        {"user_instruction": "Do it.", "expected_outcome": "refusal", "initial_state": WORLD},
    )
    run = org.graded(run_id)
    gate.release.set()
    threads[0].join(60)
    assert (answers[0].status_code, answers[0].json()["code"]) == (401, "run_token_revoked")
    assert [event["kind"] for event in org.trace(run_id)] == ["dispatch", "forward", "reply", "grade"]
    assert len(shop.asked) == 1
    assert run["verdict"] == verdict
    assert (run["grades"][0]["failure_mode"] or "") == (
        "acted_instead_of_refusing" if verdict == "FAIL" else ""
    )


def test_a_stopped_server_leaves_the_forward_and_ends_in_order(
    new_database: Callable[[], str], agent_server: StartAgent
) -> None:
    url = new_database()
    first = Platform(url)
    org, gate = first.new_org(), Gate()
    shop = LiveShop(gate)
    shop.register(org)
    answers: list[httpx.Response] = []
    stopped = threading.Event()

    def behave(d: Dispatched) -> Any:
        if d.headers["x-pipelines-attempt"] == "1":
            answers.append(d.call("look_up", ONE))
            stopped.wait(60)
        return final(f"attempt {d.headers['x-pipelines-attempt']}")

    agent = org.agent(agent_server(behave).url, **agent_of(LIVE))
    (run_id,) = org.start(agent)
    gate.wait()
    first.stop()
    stopped.set()
    gate.release.set()
    second = Platform(url)
    again = Org(second, org.api_key)
    run = again.wait(run_id)
    kinds = [(event["attempt"], event["kind"]) for event in again.trace(run_id)]
    again.client.close()
    second.stop()
    shop.stop()
    assert run["final_response"] == "attempt 2"
    assert kinds == [(1, "dispatch"), (1, "forward"), (2, "dispatch"), (2, "reply")]
    assert ([answer.status_code for answer in answers], len(shop.asked)) == ([500], 1)


class Refusing:
    """Lets the database refuse some writes of answers, before or after they are done."""

    def __init__(self, platform: Platform, *, refusals: int, done: bool) -> None:
        self._writer = platform.part(GroupWriter)
        self._commit = self._writer.commit
        self._left = refusals
        self._done = done

    def __enter__(self) -> None:
        self._writer.commit = self._refuse  # type: ignore[method-assign] # the others go through

    def __exit__(self, *error: object) -> None:
        self._writer.commit = self._commit  # type: ignore[method-assign]

    async def _refuse(self, unit: Unit) -> bool:
        if unit.guard.parameters.get("kind") == "tool_call" and self._left:
            self._left -= 1
            if self._done:
                await self._commit(unit)
            raise StorageUnavailableError
        return bool(await self._commit(unit))


@pytest.mark.parametrize("done", [False, True], ids=["not written", "written all the same"])
def test_an_answer_the_database_refuses_is_written_once_and_not_asked_for_again(
    org: Org, shop: LiveShop, agent_server: StartAgent, done: bool
) -> None:
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        with Refusing(org.platform, refusals=1, done=done):
            answer = run.call("look_up", ONE)
        following = run.call("look_up", ONE)
        kinds = [event["kind"] for event in run.events()[1:]]
    assert (answer.status_code, answer.json()["source"]) == (200, "passthrough")
    assert following.json()["source"] == "passthrough"
    assert kinds == ["forward", "tool_call"] * 2
    assert len(shop.asked) == 2


def test_a_database_that_stays_away_does_not_make_a_call_look_undone(
    org: Org, shop: LiveShop, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odyssey.proxy.forward._PAUSES_S", (0.01, 0.01))
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        with Refusing(org.platform, refusals=3, done=False):
            answer = run.call("look_up", ONE)
        kinds = wait_for(
            lambda: [event["kind"] for event in run.events()[1:]], lambda kinds: "platform_fault" in kinds
        )
    assert (answer.status_code, answer.json()["code"]) == (500, "answer_unrecorded")
    assert answer.json()["retryable"] is False
    assert kinds == ["forward", "platform_fault"]
    assert len(shop.asked) == 1


def test_a_hop_that_breaks_in_our_own_code_is_recorded_and_logged(
    org: Org,
    shop: LiveShop,
    agent_server: StartAgent,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(OpenApiUpstream, "call", fail)
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        envelope = run.call("look_up", ONE).json()
        kinds = [event["kind"] for event in run.events()[1:]]
    error = envelope["response"]["error"]
    assert (envelope["source"], error["code"], error["outcome"]) == (
        "transport_error",
        "upstream_protocol_error",
        "unknown",
    )
    assert kinds == ["forward", "tool_call"]
    assert [record.exc_text for record in caplog.records if "hop failed" in record.message] != []


def test_a_forward_streams_before_its_answer(org: Org, shop: LiveShop, agent_server: StartAgent) -> None:
    gate = shop.behaviour = Gate()
    with (
        ThreadPoolExecutor(1) as pool,
        open_run(org, agent_server, agent=agent_of(LIVE)) as run,
        org.client.stream("GET", f"/api/runs/{run.id}/events") as stream,
    ):
        held = pool.submit(run.call, "look_up", ONE)
        kinds = []
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
            if kinds[-1:] == ["forward"]:
                gate.release.set()
            if kinds[-1:] == ["tool_call"]:
                break
        assert held.result().status_code == 200
    assert kinds == ["dispatch", "forward", "tool_call"]
