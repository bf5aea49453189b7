"""The hop leaves the run free: other calls go on, and rules, rate and ledger are as if it had taken no time."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.live_shop import Gate, LiveShop, agent_of, live, mirrored, order_of
from support.platform import Org, Platform

from odyssey.runs.states import RunStates

StartAgent = Callable[[Behaviour], ScriptedAgent]

LIVE = live("look_up", "readOrder")
ONE = {"order_id": "ord_1"}


@pytest.fixture
def shop(org: Org) -> Iterator[LiveShop]:
    shop = LiveShop()
    shop.register(org)
    yield shop
    shop.stop()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def kinds(run: OpenRun) -> list[str]:
    return [f"{event['kind']} {event['data'].get('tool_name', '')}".strip() for event in run.events()[1:]]


def forget(platform: Platform, run: OpenRun) -> None:
    """Let the proxy know the run from the journal alone."""

    async def do() -> None:
        platform.part(RunStates)._on_revoked(run.id)

    platform.do(do())


@pytest.mark.both_databases
def test_calls_of_one_run_are_out_at_the_same_time(
    org: Org, shop: LiveShop, agent_server: StartAgent, pool: ThreadPoolExecutor
) -> None:
    together = threading.Barrier(4, timeout=60)

    def meet(request: Any) -> Any:
        together.wait()
        return order_of(request)

    shop.behaviour = meet
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        calls = [pool.submit(run.call, "look_up", {"order_id": f"ord_{number}"}) for number in range(4)]
        answers = [call.result().json()["response"]["id"] for call in calls]
        events = run.events()[1:]
    assert answers == ["ord_0", "ord_1", "ord_2", "ord_3"]
    assert [event["kind"] for event in events] == ["forward"] * 4 + ["tool_call"] * 4
    forwards = {event["sequence"]: event["data"]["arguments"] for event in events[:4]}
    assert {event["data"]["forward"]: event["data"]["arguments"] for event in events[4:]} == forwards
    assert len(shop.asked) == 4


@pytest.mark.both_databases
def test_an_answer_meets_the_world_as_it_is_when_it_arrives(
    org: Org, shop: LiveShop, agent_server: StartAgent, pool: ThreadPoolExecutor
) -> None:
    gate = shop.behaviour = Gate()
    with open_run(org, agent_server, agent=agent_of(mirrored())) as run:
        held = pool.submit(run.call, "get_order", ONE)
        gate.wait()
        for order_id in ("ord_1", "ord_2"):
            changed = run.call("update_order", {"order_id": order_id, "status": "lost"}).json()
            assert changed["source"] == "odyssey"
        gate.release.set()
        assert held.result().json()["source"] == "passthrough"
        lost = run.call("list_orders", {"status": "lost"}).json()["response"]
        state = org.ok(org.get(f"/api/runs/{run.id}/ledger"))["state"]["order"]
        assert kinds(run) == [
            "forward get_order",
            "tool_call update_order",
            "tool_call update_order",
            "tool_call get_order",
            "tool_call list_orders",
        ]
    assert ("ord_1" in str(lost), "ord_2" in str(lost)) == (False, True)
    assert (state["ord_1"]["status"], state["ord_2"]["status"]) == ("shipped", "lost")


@pytest.mark.both_databases
def test_rules_fire_before_the_hop_and_count_it_once(
    org: Org, shop: LiveShop, agent_server: StartAgent, pool: ThreadPoolExecutor
) -> None:
    rules = [{"tool": "look_up", "call": {"every": 3}, "error": {"code": "down", "message": "No."}}]
    gate = shop.behaviour = Gate()
    with open_run(org, agent_server, agent=agent_of(LIVE), failure_rules=rules) as run:
        held = [pool.submit(run.call, "look_up", ONE)]
        gate.wait()
        held.append(pool.submit(run.call, "look_up", ONE))
        gate.wait()
        third = run.call("look_up", ONE).json()
        gate.release.set()
        assert [call.result().json()["source"] for call in held] == ["passthrough"] * 2
        rest = [run.call("look_up", ONE).json()["source"] for _ in range(3)]
        events = run.events()
    assert (third["source"], third["matched_rule_index"]) == ("injected", 0)
    assert rest == ["passthrough", "passthrough", "injected"]
    assert len(shop.asked) == len([event for event in events if event["kind"] == "forward"]) == 4


@pytest.mark.both_databases
def test_a_rule_sees_the_source_of_earlier_live_calls(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    condition = "calls.exists(c, c.tool == 'look_up' && c.source == 'passthrough')"
    rules = [{"tool": "list_orders", "when": condition, "response": "seen"}]
    with open_run(org, agent_server, agent=agent_of(LIVE), failure_rules=rules) as run:
        first = run.call("list_orders").json()["source"]
        run.call("look_up", ONE)
        second = run.call("list_orders").json()["source"]
        forget(org.platform, run)
        again = run.call("list_orders").json()["source"]
    assert (first, second, again) == ("odyssey", "injected", "injected")


@pytest.fixture(scope="module")
def slow_lane(new_database: Callable[[], str]) -> Iterator[Platform]:
    platform = Platform(new_database(), rate_limit=3)
    yield platform
    platform.stop()


@pytest.mark.parametrize("forgotten", [False, True], ids=["in memory", "from the journal"])
def test_the_rate_counts_a_live_call_once(
    slow_lane: Platform, agent_server: StartAgent, forgotten: bool
) -> None:
    org, shop = slow_lane.new_org(), LiveShop()
    shop.register(org)
    with open_run(org, agent_server, agent=agent_of(LIVE)) as run:
        statuses = []
        for _ in range(5):
            if forgotten:
                forget(slow_lane, run)
            statuses.append(run.call("look_up", ONE).status_code)
        counted = [event["data"].get("count") for event in run.events("tool_call")]
    shop.stop()
    assert statuses == [200, 200, 200, 429, 429]
    assert counted == [None, None, None, 2]
    assert len(shop.asked) == 3
