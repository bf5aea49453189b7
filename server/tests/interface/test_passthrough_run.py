"""Live tools of an agent: how they are bound and switched, and what a run shows of them."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.agents import Dispatched, ScriptedAgent, final
from support.chromium import Watched, write_over
from support.live_org import LiveOrg
from support.live_shop import ADAPTER, Gate, LiveShop, agent_of, live, mirrored
from support.platform import Org
from support.site import Site

from interface.conftest import TOOK, OpenPage, as_person_of, as_viewer_of


def opened(open_page: OpenPage, org: Org, path: str) -> Page:
    watched: Watched = as_person_of(open_page, org, path)
    watched.expected = ["422"]  # a draft is checked while it is not valid yet
    return watched.page


def steps(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Steps").get_by_role("option")


def step_of(org: Org, run: int, order: str, tool: str) -> int:
    """The sequence of a call by what it asks for."""
    found = [
        event["sequence"]
        for event in org.trace(run, "tool_call")
        if event["data"]["tool_name"] == tool and event["data"]["arguments"]["order_id"] == order
    ]
    assert len(found) == 1, found
    sequence: int = found[0]
    return sequence


def opened_step(page: Page, live_org: LiveOrg, order: str, tool: str) -> Locator:
    """Click a step; gives what is shown of it."""
    sequence = step_of(live_org.org, live_org.run, order, tool)
    page.locator(f"#step-{sequence}").click()
    shown = page.get_by_role("region", name=f"Step {sequence}", exact=True)
    shown.wait_for()
    return shown


def test_the_timeline_tells_live_answers_from_simulated_ones(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = opened(open_page, live_org.org, f"/runs/{live_org.run}")
    strip = page.get_by_role("region", name="About this run")
    for count in ("3 passthrough", "2 transport_error", "1 odyssey"):
        expect(strip).to_contain_text(count)
    forwards = steps(page).filter(has_text="forwarded")
    expect(forwards).to_have_count(5)
    expect(forwards.first).to_contain_text("to orders-api")
    forwards.first.click()
    sent = page.get_by_role("region", name="What came of it")
    sent.get_by_role("link", name=re.compile("step")).click()
    expect(page.get_by_role("region", name=re.compile(r"Step \d+")).first).to_contain_text("passthrough")
    a_live_answer_says_who_gave_it_and_what_the_ledger_learned(page, live_org)
    an_error_of_the_service_is_told_from_a_hop_that_failed(page, live_org)


def a_live_answer_says_who_gave_it_and_what_the_ledger_learned(page: Page, live_org: LiveOrg) -> None:
    step = opened_step(page, live_org, "ord_7", "get_order")
    for fact in ("orders-api", "OpenAPI", "readOrder", "HTTP status200", "by the adapter", "shipped"):
        expect(step).to_contain_text(fact)
    expect(step).to_contain_text(re.compile(f"Took{TOOK}"))
    expect(step.get_by_role("region", name="response")).to_contain_text("79.5")
    after = opened_step(page, live_org, "ord_7", "update_order")
    expect(after).to_contain_text(re.compile("shipped.*→.*refunded"))


def an_error_of_the_service_is_told_from_a_hop_that_failed(page: Page, live_org: LiveOrg) -> None:
    refused = opened_step(page, live_org, "ord_404", "get_order")
    expect(refused).to_contain_text("an error, by its own word")
    expect(refused).to_contain_text("What the ledger adapter left out")
    failed = opened_step(page, live_org, "ord_500", "get_order")
    why = failed.get_by_role("region", name="Why there is no answer")
    expect(why).to_contain_text("upstream_5xx")
    expect(why).to_contain_text("It was sent, and may have had an effect")
    never = opened_step(page, live_org, "ord_7", "check_stock")
    why = never.get_by_role("region", name="Why there is no answer")
    expect(why).to_contain_text("upstream_unreachable")
    expect(why).to_contain_text("Nothing was sent")


def test_a_call_on_its_way_is_waited_for_and_its_answer_appears(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("On its way")
    gate = Gate()
    shop = LiveShop(gate)
    shop.register(org)
    server = ScriptedAgent(asking)
    agent = org.agent(server.url, name="Patient", **agent_of(live("get_order", "readOrder")))
    try:
        (run,) = org.start(agent, {"user_instruction": "Ask."})
        gate.wait()
        page = opened(open_page, org, f"/runs/{run}?step=2")
        expect(page.get_by_role("region", name="Waiting for an answer")).to_be_visible()
        expect(steps(page).nth(1)).to_contain_text("waiting")
        gate.release.set()
        expect(page.get_by_role("region", name="What came of it")).to_contain_text("step 3")
        expect(steps(page).nth(1)).to_contain_text("forwarded")
    finally:
        gate.release.set()
        server.stop()
        shop.stop()


def asking(dispatched: Dispatched) -> dict[str, Any]:
    dispatched.call("get_order", {"order_id": "ord_1"})
    return final()


def test_a_call_whose_answer_nobody_recorded_says_so(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = opened(open_page, live_org.org, f"/runs/{live_org.lost}?step=2")
    expect(steps(page).nth(1)).to_contain_text("outcome unknown")
    why = page.get_by_role("region", name="Outcome unknown")
    expect(why).to_contain_text("Sent, outcome unknown.")
    expect(why).to_contain_text("may have had an effect")


def test_an_agent_shows_the_mode_of_each_tool_and_one_click_switches_it(
    open_page: OpenPage, site: Site
) -> None:
    org = site.platform.new_org("Switching")
    shop = LiveShop()
    shop.register(org)
    tools = agent_of(mirrored(), live("add_note", "addNote") | {"default_execution_mode": "sandbox"})
    agent = org.agent("http://127.0.0.1:9/dispatch", name="Switched", **tools)
    page = opened(open_page, org, f"/agents/{agent['id']}?tool=add_note")
    expect(page.get_by_role("region", name="Overview")).to_contain_text(
        re.compile("5 sandbox.*1 passthrough")
    )
    panel = page.get_by_role("region", name="add_note", exact=True)
    expect(panel).to_contain_text("calls go to addNote of orders-api")
    expect(panel).to_contain_text("Makes version 2 and publishes it.")
    panel.get_by_role("button", name="Switch to passthrough").click()
    expect(panel.get_by_role("button", name="Switch to sandbox")).to_be_visible()
    expect(page.get_by_text("v2 published")).to_be_visible()
    page.get_by_role("list", name="Tools").get_by_role("button", name="get_order").click()
    panel = page.get_by_role("region", name="get_order", exact=True)
    expect(panel).to_contain_text("Its ledger policy is left out.")
    panel.get_by_role("link", name="orders-api").wait_for()
    panel.get_by_role("button", name="Switch to sandbox").click()
    expect(page.get_by_text("v3 published")).to_be_visible()
    stored = {tool["name"]: tool for tool in org.ok(org.get(f"/api/agents/{agent['id']}"))["tools_schema"]}
    assert stored["add_note"]["default_execution_mode"] == "passthrough"
    assert stored["get_order"]["passthrough_binding"]["tool_name"] == "readOrder"
    assert "ledger_adapter" not in {k for k, v in stored["get_order"].items() if v is not None}
    panel.get_by_role("button", name="Sandbox or passthrough?").click()
    expect(panel).to_contain_text("Moves real money")
    viewed = as_viewer_of(open_page, org, f"/agents/{agent['id']}?tool=add_note")
    expect(viewed.get_by_role("region", name="add_note", exact=True)).to_contain_text("with its real effects")
    expect(viewed.get_by_role("button", name=re.compile("Switch to"))).to_have_count(0)
    shop.stop()


def test_a_tool_is_bound_in_the_form_by_what_was_discovered(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("Binding")
    shop = LiveShop()
    shop.register(org)
    agent = org.agent("http://127.0.0.1:9/dispatch", name="Bound", **agent_of())
    page = opened(open_page, org, f"/agents/{agent['id']}/edit")
    page.get_by_role("button", name="get_order: edit").click()
    tool = page.get_by_role("listitem", name="get_order")
    tool.get_by_role("radio", name="passthrough").press("Space")
    expect(tool).to_contain_text("passthrough_binding")
    tool.get_by_label("Endpoint of get_order").click()
    page.get_by_role("option", name="orders-api").click()
    tool.get_by_label("Live tool of get_order").fill("readOrders")
    expect(tool).to_contain_text("did you mean", ignore_case=True)
    tool.get_by_label("Live tool of get_order").fill("read")
    page.get_by_role("option", name="readOrder").click()
    tool.get_by_role("button", name="Take its schemas").click()
    expect(tool.get_by_role("button", name="get_order: close")).to_contain_text("view?")
    tool.get_by_label("Ledger policy of get_order").select_option("adapter")
    write_over(tool.get_by_role("textbox", name="Ledger adapter of get_order"), '{"op": ')
    expect(tool).to_contain_text("ledger_adapter must be an object")
    write_over(tool.get_by_role("textbox", name="Ledger adapter of get_order"), json.dumps(ADAPTER))
    expect(page.get_by_text("no problems")).to_be_visible()
    tool.get_by_role("radio", name="sandbox").press("Space")
    expect(tool.get_by_label("Endpoint of get_order")).to_have_count(0)
    tool.get_by_role("radio", name="passthrough").press("Space")
    expect(tool.get_by_label("Endpoint of get_order")).to_have_value("orders-api")
    page.get_by_role("button", name="Save and publish").click()
    expect(page.get_by_text("v2 published")).to_be_visible()
    stored = org.ok(org.get(f"/api/agents/{agent['id']}"))["tools_schema"]
    (kept,) = [tool for tool in stored if tool["name"] == "get_order"]
    assert kept["passthrough_binding"] == {"endpoint_name": "orders-api", "tool_name": "readOrder"}
    assert kept["ledger_adapter"] == ADAPTER
    shop.stop()
