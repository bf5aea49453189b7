"""Any mix of simulated and live calls over two proxies at once: the journal alone says what the world came to."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
import pytest
from starlette.datastructures import Headers
from support.agents import Behaviour, ScriptedAgent
from support.calls import OpenRun, open_run
from support.live_shop import LiveShop, agent_of, live, mirrored
from support.platform import WORLD, Org, Platform

from odyssey.agents.compiled import CompiledAgents
from odyssey.core.clock import PlatformClock
from odyssey.core.errors import OdysseyError
from odyssey.core.group_commit import GroupWriter
from odyssey.core.signals import Signals
from odyssey.endpoints.registry import Upstreams
from odyssey.journal.platform_faults import PlatformFaults
from odyssey.proxy.call import call_tool
from odyssey.proxy.live_runs import LiveRun, LiveRuns
from odyssey.proxy.parts import Hops, ProxyAddress, ProxyParts, ProxyRequest
from odyssey.records.tools import Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm import LlmEngine
from odyssey.simulation.rules import RuleCounters, decide, read_rules
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import SharedWorlds, load_entries

StartAgent = Callable[[Behaviour], ScriptedAgent]

RULES: list[dict[str, Any]] = [
    {"tool": "*", "call": {"every": 7}, "response": "every seventh"},
    {"tool": ["get_order", "update_order"], "probability": 0.2, "times": 3, "response": "now and then"},
    {"tool": "add_note", "call": {"from": 3, "to": 4}, "error": {"code": "busy", "message": "Later."}},
]
CALLS = 40


class Planned(NamedTuple):
    proxy: int
    tool: str
    arguments: dict[str, Any]


@pytest.fixture
def shop(org: Org) -> Iterator[LiveShop]:
    shop = LiveShop()
    shop.register(org)
    yield shop
    shop.stop()


def plan(seed: int) -> list[Planned]:
    """Draw calls; those of live tools carry a text by which the service tells them apart."""
    draw = random.Random(seed)
    made = []
    for number in range(CALLS):
        tool = draw.choice(["get_order", "get_order", "add_note", "update_order", "create_order", "nonsense"])
        order = {"order_id": f"ord_{draw.randrange(4)}"}
        arguments: dict[str, dict[str, Any]] = {
            "get_order": order | {"view": f"call {number}"},
            "add_note": order | {"text": f"call {number}"},
            "update_order": order | {"status": f"by call {number}"},
            "create_order": {"status": "new", "total": number},
            "nonsense": {},
        }
        made.append(Planned(draw.randrange(2), tool, arguments[tool]))
    return made


def second_proxies(platform: Platform) -> list[ProxyParts]:
    """Two proxies that share the database and nothing of what they remember."""
    agents, worlds = platform.part(CompiledAgents), platform.part(SharedWorlds)
    clock, upstreams = platform.part(PlatformClock), platform.part(Upstreams)

    def parts() -> ProxyParts:
        hops = Hops(upstreams)
        return ProxyParts(
            live_runs=LiveRuns(platform.database, agents, worlds, clock, hops.end_session),
            faults=PlatformFaults(clock, late_after_s=60),
            writer=platform.part(GroupWriter),
            llm=platform.part(LlmEngine),
            signals=platform.part(Signals),
            clock=clock,
            upstreams=upstreams,
            hops=hops,
            rate_limit=10**6,
            trace_limit=10**6,
        )

    return [parts(), parts()]


async def serve(parts: ProxyParts, run: OpenRun, planned: Planned) -> dict[str, Any] | str:
    async def body() -> bytes:
        return msgspec.json.encode(planned.arguments)

    headers = Headers({"authorization": f"Bearer {run.token}"})
    arrived = ProxyRequest(ProxyAddress(None, "tools", planned.tool), headers, body)
    try:
        answer: dict[str, Any] = msgspec.json.decode((await call_tool(parts, arrived)).body)
    except OdysseyError as refusal:
        return refusal.code
    return answer


async def serve_all(
    proxies: list[ProxyParts], run: OpenRun, planned: list[Planned]
) -> tuple[list[Any], list[LiveRun], Ledger]:
    """Make all calls at once; then say what each proxy remembers, and what the entries fold to."""
    answers = await asyncio.gather(*[serve(proxies[each.proxy], run, each) for each in planned])
    remembered = []
    for parts in proxies:
        live_run = await parts.live_runs.admit(run.token, None)
        await parts.live_runs.bring_up_to_date(live_run)
        remembered.append(live_run)
    async with run.org.platform.database.read() as session:
        entries = await load_entries(session, run.id, 1)
    return answers, remembered, fold(Ledger.boot(WORLD), entries)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 6))]
)
def test_two_proxies_serve_a_run_as_one(
    org: Org, shop: LiveShop, agent_server: StartAgent, seed: int
) -> None:
    agent = agent_of(mirrored(), live("add_note", "addNote", ledger_write_policy="none"))
    planned = plan(seed)
    with open_run(org, agent_server, agent=agent, failure_rules=RULES) as run:
        answers, remembered, folded = org.platform.do(serve_all(second_proxies(org.platform), run, planned))
        events = run.events()[1:]
    assert [event["sequence"] for event in events] == list(range(2, len(events) + 2))
    _check_forwards(shop, events, answers, planned)
    _check_rules(run, events, remembered)
    accepted = [event for event in events if event["kind"] == "tool_call" and "source" in event["data"]]
    assert len(accepted) == sum(isinstance(answer, dict) for answer in answers)
    for live_run in remembered:
        assert live_run.ledger == folded
        assert live_run.head == events[-1]["sequence"]
        assert len(live_run.tool_calls._moments) == len(planned)  # refused ones are recorded, and so counted


def _check_forwards(
    shop: LiveShop, events: list[dict[str, Any]], answers: list[Any], planned: list[Planned]
) -> None:
    """Every accepted live call that no rule answered was sent, once, and has its one answer."""
    answered = [
        each.arguments.get("view") or each.arguments["text"]
        for each, answer in zip(planned, answers, strict=True)
        if isinstance(answer, dict) and answer["source"] == "passthrough"
    ]
    asked = [request.query.get("view") or request.body["text"] for request in shop.asked]
    assert Counter(asked) == Counter(answered)
    assert max(Counter(asked).values()) == 1
    forwards = {event["sequence"]: event for event in events if event["kind"] == "forward"}
    closing = [event for event in events if "forward" in event["data"]]
    assert sorted(event["data"]["forward"] for event in closing) == sorted(forwards)
    assert len(forwards) == len(asked)
    for event in closing:
        forward = forwards[event["data"]["forward"]]
        assert forward["sequence"] < event["sequence"]
        assert forward["data"]["arguments"] == event["data"]["arguments"]


def _check_rules(run: OpenRun, events: list[dict[str, Any]], remembered: list[LiveRun]) -> None:
    """The rules decided one call after another, a live one where it was sent."""
    rules = read_rules(RULES).rules
    counters = RuleCounters.start(rules)
    nothing = Ledger.boot({})
    for event in events:
        data = event["data"]
        if "forward" in data or data.get("http_status", 200) != 200:
            continue
        tool, random_seed = Tool(data["tool_name"], {}), remembered[0].random_seed
        call = ToolCall(tool, data["arguments"], None, random_seed, event["sequence"])
        decision = decide(rules, counters, call, nothing)
        fired = None if decision.fired is None else decision.fired.index
        assert data.get("matched_rule_index") == fired, event["sequence"]
        counters = decision.counters
    assert [live_run.counters for live_run in remembered] == [counters, counters]
