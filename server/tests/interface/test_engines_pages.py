"""Engines in the interface: chosen and programmed in an agent's form, shown on its page and at every call."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from support.agents import Dispatched, ScriptedAgent, final
from support.chromium import write_over
from support.model_server import ModelServer
from support.platform import TOOLS, WORLD, Org
from support.site import Site

from interface.conftest import OpenPage, as_person_of

PONDER = {
    "name": "ponder_order",
    "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}}},
}
PROGRAM = {"response": {"order_id": "= args.order_id", "status": "as the program says"}}


@pytest.fixture
def org(site: Site) -> Org:
    return site.platform.new_org("Engines")


@pytest.fixture
def caller() -> Iterator[ScriptedAgent]:
    def calls(dispatched: Dispatched) -> Any:
        for tool in ("ponder_order", "ponder_order", "ponder_order", "get_order"):
            assert dispatched.call(tool, {"order_id": "ord_1"}).status_code == 200
        return final()

    agent = ScriptedAgent(calls)
    yield agent
    agent.stop()


def test_an_agent_gets_engines_and_programs_in_its_form(open_page: OpenPage, org: Org) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch", name="Engines")
    watched = as_person_of(open_page, org, f"/agents/{agent['id']}/edit")
    watched.expected = ["422"]  # a draft is checked while it is not valid yet
    page = watched.page
    section = page.get_by_role("region", name="Simulation")
    section.get_by_role("radio", name="world").press("Space")
    section.get_by_role("combobox", name="Engine of get_order").click()
    page.get_by_role("option", name="program").click()
    expect(section.get_by_text("has no program")).to_be_visible()
    editor = section.get_by_role("textbox", name="Programs as JSON")
    write_over(editor, json.dumps({"get_order": {"respond": 1}}))
    expect(section.get_by_text("respond").last).to_be_visible()
    write_over(editor, json.dumps({"get_order": PROGRAM}))
    page.get_by_role("button", name="Save and publish").click()
    expect(page.get_by_role("heading", level=1, name="Engines", exact=True)).to_be_visible()
    config = org.ok(org.get(f"/api/agents/{agent['id']}"))["config"]
    chosen = (config["engine"], config["engines"], config["programs"])
    assert chosen == ("world", {"get_order": "program"}, {"get_order": PROGRAM})
    expect(page.get_by_role("region", name="Overview")).to_contain_text("world, 1 program")
    page.goto(f"/agents/{agent['id']}?tool=get_order")
    expect(page.get_by_text("program: only its program")).to_be_visible()
    expect(page.get_by_text("as the program says")).to_be_visible()


def test_a_run_shows_who_answered_and_an_agent_how_often_it_was_contradicted(
    open_page: OpenPage, org: Org, caller: ScriptedAgent
) -> None:
    stray = {"op": "update", "entity_type": "order", "id": "ord_9", "fields": {"status": "lost"}}
    with ModelServer({"response": "It is late.", "operations": [stray]}) as model:
        simulator = {
            "provider": "openai",
            "base_url": model.url,
            "model": "thinker-1",
            "input_usd_per_mtok": 2,
        }
        org.ok(org.put("/api/settings", {"models": {"simulator": simulator}}))
        agent = org.agent(caller.url, name="Thinks", tools_schema=[*TOOLS, PONDER])
        run = org.run(agent, initial_state=WORLD)
    asked, _, kept, read = (event["sequence"] for event in org.trace(run["id"], "tool_call"))
    page = as_person_of(open_page, org, f"/runs/{run['id']}?step={asked}").page
    step = page.get_by_role("region", name=f"Step {asked}")
    for words in ("language model", "thinker-1 (openai)", "1,000 in, 50 out", "$0.002"):
        expect(step).to_contain_text(words)
    page.goto(f"/runs/{run['id']}?step={kept}")
    expect(page.get_by_role("region", name=f"Step {kept}")).to_contain_text("an earlier answer served again")
    page.goto(f"/runs/{run['id']}?step={read}")
    step = page.get_by_role("region", name=f"Step {read}")
    expect(step.get_by_label("Confidence")).to_be_visible()
    expect(step).to_contain_text("Engineworld")
    found = org.ok(org.get(f"/api/agents/{agent['id']}/consistency"))
    assert (found["runs"], found["tool_calls"], found["violations"]) == (1, 4, run["violations"])
    page.goto(f"/agents/{agent['id']}")
    assert found["per_1000"] == 1000 * found["violations"] / 4
    share = f"{found['per_1000']:g} violations per 1,000 calls"
    expect(page.get_by_role("region", name="Overview")).to_contain_text(share)
