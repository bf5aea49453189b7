"""Whose fault it is: a world that contradicts itself measures nobody, and helps nobody out of a verdict."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from grading.faulty_worlds import ESCAPING, EXPECTED_OF_HONEST, ROW_TO_ESCAPE, SIMULATORS, gullible
from grading.hostile_agents import honest
from grading.shop_rows import ROWS, SHOP, SHOP_TOOLS
from support.agents import ScriptedAgent
from support.evals import observed, scenario, stand_in, start
from support.model_server import ModelServer
from support.platform import Org, Platform

Meet = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def meet(platform: Platform) -> Iterator[Meet]:
    """Let an agent meet rows in a world whose `update_order` a scripted model answers."""
    org: Org = platform.new_org("Faulty")
    started: list[ModelServer | ScriptedAgent] = []

    def run(model: Any, behaviour: Any, *rows: dict[str, Any]) -> list[dict[str, Any]]:
        server, agent = ModelServer(model), ScriptedAgent(behaviour)
        started.extend((server, agent))
        org.ok(org.put("/api/settings", server.settings(role="simulator", api_key="sk-of-nobody")))
        config = {"engine": "world", "engines": {"update_order": "llm"}}
        registered = org.agent(agent.url, config=config, tools_schema=SHOP_TOOLS)
        return [org.graded(run_id) for run_id in org.start(registered, *rows)]

    yield run
    for each in started:
        each.stop()


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_an_honest_agent_is_not_blamed_for_the_world(meet: Meet, simulator: str) -> None:
    expected = EXPECTED_OF_HONEST[simulator]
    runs = meet(SIMULATORS[simulator], honest, *(ROWS[row] for row in expected))
    found = [(run["verdict"], run["failure_mode"]) for run in runs]
    assert dict(zip(expected, found, strict=True)) == expected


def test_an_eval_run_in_a_faulty_world_is_made_again(platform: Platform) -> None:
    org = platform.new_org("Faulty evals")
    server, agent = (
        ModelServer(SIMULATORS["forgets the write"], SIMULATORS["is right"]),
        ScriptedAgent(honest),
    )
    org.ok(org.put("/api/settings", server.settings(role="simulator", api_key="sk-of-nobody")))
    org.agent(
        agent.url, config={"engine": "world", "engines": {"update_order": "llm"}}, tools_schema=SHOP_TOOLS
    )
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": SHOP}))
    expected = {"$ledger": [{"ledger": {"$.order.ord_2.status": "cancelled"}}]}
    made = scenario(org, expected_behavior=expected, world_id=world["id"])
    (run_id,) = start(org, made)
    missing = observed(org, run_id)
    assert (missing["behaviour"], missing["matched"]) == (None, None)
    again = observed(org, stand_in(org, run_id)["id"])
    assert (again["matched"], again["replaces"]) == (True, run_id)
    server.stop()
    agent.stop()


@pytest.mark.parametrize("name", ESCAPING)
def test_a_fault_of_the_world_is_no_way_out(meet: Meet, name: str) -> None:
    row = ROWS["refusal"] if name == "a fault after a refusal was wanted" else ROW_TO_ESCAPE
    for fault in ("forgets the write", "gives no answer"):
        model = gullible(SIMULATORS[fault]) if "talked" in name else SIMULATORS[fault]
        (run,) = meet(model, ESCAPING[name], row)
        assert run["verdict"] == "FAIL", (fault, run["grades"])
