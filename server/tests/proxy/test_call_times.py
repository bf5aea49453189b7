"""When a call began and ended, as its trace says, is between the moments its caller sent it and had its answer."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.live_shop import LiveShop, Request, agent_of, live, order_of
from support.model_server import Asked, ModelServer
from support.platform import Org

from odyssey.core.clock import PlatformClock

StartAgent = Callable[[Behaviour], ScriptedAgent]

SLOW_S = 0.25
PONDER: dict[str, Any] = {
    "name": "ponder_order",
    "description": "Think about an order.",
    "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}}},
    "output_schema": {"type": "object", "properties": {"thought": {"type": "string"}}},
}
RULES = [{"tool": "update_order", "latency_ms": int(SLOW_S * 1000), "response": {"queued": True}}]
ONE = {"order_id": "ord_1"}


def think(_: Asked) -> Any:
    time.sleep(SLOW_S)
    return {"response": {"thought": "It has shipped."}, "operations": []}


def serve(request: Request) -> Any:
    time.sleep(SLOW_S)
    return order_of(request)


@pytest.fixture
def run(org: Org, agent_server: StartAgent) -> Iterator[OpenRun]:
    """A run whose tools are simulated, answered by a model, live, and made slow by a rule."""
    shop, model = LiveShop(serve), ModelServer(think)
    shop.register(org)
    simulator = {"provider": "openai", "base_url": model.url, "model": "scripted"}
    org.ok(org.put("/api/settings", {"models": {"simulator": simulator}}))
    agent = agent_of(live("check_order", "readOrder"), PONDER)
    with open_run(org, agent_server, agent=agent, failure_rules=RULES) as run:
        yield run
    shop.stop()
    model.stop()


class Seen(NamedTuple):
    """A call as its caller saw it."""

    sent: datetime
    answered: datetime


def test_a_call_is_recorded_between_its_request_and_its_answer(run: OpenRun) -> None:
    asked = ["get_order", "update_order", "ponder_order", "check_order", "get_order", "no_such_tool"]
    seen = []
    for tool in asked:
        sent = datetime.now(UTC)
        run.call(tool, ONE)
        seen.append(Seen(sent, datetime.now(UTC)))
    calls = run.events("tool_call")
    assert [call["data"]["tool_name"] for call in calls] == asked
    unsure, took = run.org.platform.part(PlatformClock).uncertainty, {}
    for call, (sent, answered) in zip(calls, seen, strict=True):
        started, ended = (datetime.fromisoformat(call["data"][name]) for name in ("started_at", "ended_at"))
        assert sent - unsure <= started <= ended <= answered + unsure, call["data"]["tool_name"]
        took[call["data"]["tool_name"]] = ended - started
        if "latency_ms" in call["data"]:
            assert ended - started == timedelta(milliseconds=call["data"]["latency_ms"])
    slow = timedelta(seconds=SLOW_S)
    assert min(took["update_order"], took["ponder_order"], took["check_order"]) >= slow
