"""A run that replays a cassette: live tools answer as they did, with no forward and no network."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.evals import observed, scenario, start
from support.live_shop import LiveShop, Reply, Request, agent_of, live, mirrored, order_of
from support.platform import WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]

Calls = list[tuple[str, dict[str, Any]]]


class Desk:
    """An agent that makes the calls it is told, and keeps the answers."""

    def __init__(self, org: Org, start_agent: StartAgent, *tools: dict[str, Any]) -> None:
        self.calls: Calls = []
        self.answers: list[dict[str, Any]] = []
        self._org = org
        self._agent = org.agent(start_agent(self._behave).url, **agent_of(*tools))

    def _behave(self, d: Dispatched) -> Any:
        self.answers = [d.call(tool, arguments).json() for tool, arguments in self.calls]
        return final()

    def run(self, calls: Calls, cassette: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run to the end; returns the events of calls."""
        self.calls = calls
        body: dict[str, Any] = {"agent_id": self._agent["id"], "seeds": [SEED]}
        if cassette is not None:
            body["cassette"] = cassette
        (run,) = self._org.ok(self._org.post("/api/runs", body))["runs"]
        self._org.wait(run["id"])
        self.run_id = run["id"]
        return [event for event in self._org.trace(run["id"]) if event["kind"] in ("forward", "tool_call")]

    def record(self) -> str:
        made = self._org.ok(self._org.post("/api/cassettes", {"name": "tape", "run_id": self.run_id}))
        return str(made["id"])

    @property
    def told(self) -> list[tuple[str, Any]]:
        return [(answer["source"], answer["response"]) for answer in self.answers]


SEED = {"user_instruction": "Do it.", "initial_state": WORLD}
ONE, TWO = {"order_id": "ord_1"}, {"order_id": "ord_2"}


@pytest.fixture
def shop(org: Org) -> Iterator[LiveShop]:
    shop = LiveShop()
    shop.register(org)
    yield shop
    shop.stop()


def grumpy(request: Request) -> Any:
    """One order is there, the other is not, and a third breaks the service."""
    if request.order_id == "ord_3":
        return Reply(b"", status=500)
    return order_of(request) if request.order_id == "ord_1" else Reply(b'{"no": "such"}', status=404)


def test_a_replayed_run_gets_the_same_answers_from_nobody(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    shop.behaviour = grumpy
    desk = Desk(org, agent_server, mirrored())
    calls: Calls = [("get_order", ONE), ("get_order", TWO), ("get_order", {"order_id": "ord_3"})]
    live_events = [event for event in desk.run(calls) if event["kind"] == "tool_call"]
    told, cassette = desk.told, desk.record()
    assert [source for source, _ in told] == ["passthrough", "passthrough", "transport_error"]
    asked = len(shop.asked)
    shop.behaviour = order_of
    played = desk.run(calls, {"id": cassette, "match": "strict"})
    assert desk.told == told
    assert len(shop.asked) == asked == 3
    assert [event["kind"] for event in played] == ["tool_call"] * 3
    for event, before in zip(played, live_events, strict=True):
        assert event["data"]["cassette"]["id"] == cassette
        assert event["data"]["upstream"] == before["data"]["upstream"]
        assert event["data"]["operations"] == before["data"]["operations"]
    numbers = [event["data"]["cassette"]["number"] for event in played]
    assert numbers == sorted(set(numbers))
    ledger = org.ok(org.get(f"/api/runs/{desk.run_id}/ledger"))
    assert ledger["flags"] == ["fetched_order:ord_1"]


def test_what_the_cassette_lacks_fails_or_is_captured(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    desk = Desk(org, agent_server, live("get_order", "readOrder"))
    desk.run([("get_order", ONE)])
    cassette = desk.record()
    missed = desk.run([("get_order", TWO), ("get_order", ONE)], {"id": cassette, "match": "lenient"})
    assert [source for source, _ in desk.told] == ["transport_error", "passthrough"]
    error = desk.answers[0]["response"]["error"]
    assert (error["code"], error["outcome"]) == ("cassette_miss", "not_sent")
    assert [event["kind"] for event in missed] == ["tool_call", "tool_call"]
    assert len(shop.asked) == 1
    capture = {"id": cassette, "match": "lenient", "on_miss": "capture"}
    caught = desk.run([("get_order", TWO), ("get_order", ONE)], capture)
    assert [event["kind"] for event in caught] == ["forward", "tool_call", "tool_call"]
    assert len(shop.asked) == 2
    desk.run([("get_order", TWO), ("get_order", ONE)], {"id": cassette, "match": "lenient"})
    assert [source for source, _ in desk.told] == ["passthrough"] * 2
    assert len(shop.asked) == 2


def test_a_live_answer_carries_a_text_and_the_journal_keeps_it_clean(
    org: Org, shop: LiveShop, agent_server: StartAgent
) -> None:
    answers: dict[int, list[Any]] = {}

    def behave(d: Dispatched) -> Any:
        made = [d.call("get_order", ONE).json()["response"] for _ in range(3)]
        answers[d.body["run_id"]] = ["notice" in response for response in made]
        return final()

    org.agent(agent_server(behave).url, **agent_of(mirrored()))
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": WORLD}))
    made = scenario(org, world_id=world["id"])
    _, run_id = start(org, made, variation_type="sycophancy", delivery="tool_result", step=2)
    seen = observed(org, run_id)
    assert seen["delivered"] == "delivered"
    assert answers[run_id] == [False, True, False]
    calls = [event["data"] for event in org.trace(run_id, "tool_call")]
    assert [call["response"] for call in calls] == [order_of(shop.asked[0])] * 3
    assert ["injection" in call for call in calls] == [False, True, False]
