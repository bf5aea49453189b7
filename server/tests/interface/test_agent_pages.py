"""Looking at agents, testing, publishing and comparing them."""

import re
from typing import Any

from playwright.sync_api import expect
from support.agents import Answer, ScriptedAgent, SeesPings
from support.chromium import Watched
from support.site import Site

from interface.conftest import OpenPage


def form(open_page: OpenPage, path: str = "/agents/new") -> Watched:
    watched = open_page(path)
    watched.expected = ["422"]  # a draft is checked while it is not valid yet
    return watched


def test_the_list_is_filtered_and_sorted_in_the_address(open_page: OpenPage) -> None:
    page = open_page("/agents").page
    table = page.get_by_role("table", name="Agents")
    expect(table).to_contain_text("Support desk")
    page.get_by_label("Filter agents").fill("crew")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(table).to_contain_text("Order crew")
    page.reload()
    expect(table.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Filter agents").fill("")
    table.get_by_role("button", name="Agent").or_(table.get_by_role("button", name="Name")).first.click()
    page.wait_for_url(re.compile("sort="))


def test_a_change_makes_a_version_with_a_readable_difference(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Changes")
    page = form(open_page, f"/agents/{agent['id']}/edit").page
    page.get_by_label("Description").fill("Now with words.")
    page.get_by_role("button", name="Remove delete_order").click()
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("heading", level=1, name="Changes", exact=True)).to_be_visible()
    page.goto(f"/agents/{agent['id']}?tab=versions&from=1&to=2")
    expect(page.get_by_text("Now with words.").first).to_be_visible()
    expect(page.get_by_text("delete_order").first).to_be_visible()
    page.get_by_role("button", name="Publish v2").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Publish")).click()
    expect(page.get_by_text("v2 published")).to_be_visible()


def test_a_connection_is_tested_and_an_agent_deleted_by_its_name(open_page: OpenPage, site: Site) -> None:
    answers: list[Any] = [Answer(401, b"{}"), {"ok": True}]
    agent = ScriptedAgent(SeesPings(lambda _: answers.pop(0)))
    made = site.org.agent(agent.url, name="Short lived", publish=False)
    page = open_page(f"/agents/{made['id']}").page
    ping = page.locator("dt:text-is('Last ping') + dd")
    expect(ping).to_have_text("never")
    page.get_by_role("button", name="Test connection").click()
    result = page.get_by_role("status").filter(has_text="401")
    expect(result).to_contain_text(re.compile("auth header", re.IGNORECASE))
    page.get_by_role("button", name="Test connection").click()
    expect(ping).to_contain_text("up, ")
    agent.stop()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    confirm = page.get_by_role("button", name="Delete the agent")
    expect(confirm).to_be_disabled()
    page.get_by_label("Type its name to confirm").fill("Short lived")
    confirm.click()
    expect(page.get_by_role("heading", level=1, name="Agents")).to_be_visible()
    assert site.org.get(f"/api/agents/{made['id']}").status_code == 404


def test_tools_and_the_ledger_schema_are_shown_as_tables(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/agents/{site.desk.agent['id']}").page
    tools = (
        page.get_by_role("tabpanel")
        .get_by_role("link")
        .or_(page.get_by_role("tabpanel").get_by_role("button"))
    )
    expect(tools.filter(has_text="update_order")).to_contain_text("sandbox")
    tools.filter(has_text="update_order").click()
    detail = page.get_by_role("region", name="update_order", exact=True)
    expect(detail.get_by_role("row").filter(has_text="order_id").first).to_contain_text("yes")
    expect(detail).to_contain_text("one of pending, shipped, delivered, cancelled, refunded")
    expect(detail.get_by_role("region", name="tool update_order")).to_contain_text("input_schema")
    expect(detail.locator("[data-reading]")).to_have_text(re.compile("^changes order by order_id"))
    expect(detail).to_contain_text(re.compile(r"of 100 such answers about \d+ are exactly right"))
    page.get_by_role("tab", name="Ledger").click()
    expect(page.get_by_text("customer").first).to_be_visible()
    expect(page.get_by_role("table").filter(has_text="customer_id").first).to_be_visible()


def test_what_nobody_understands_is_told_before_it_is_published(open_page: OpenPage, site: Site) -> None:
    lost = {"name": "reticulate", "description": "Splines.", "input_schema": {"type": "object"}}
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Lost", tools_schema=[lost], publish=False)
    page = open_page(f"/agents/{agent['id']}?tool=reticulate").page
    detail = page.get_by_role("region", name="reticulate", exact=True)
    expect(detail.locator("[data-reading]")).to_contain_text("not understood")
    expect(detail).to_contain_text("Write a line of behaviour for reticulate")
    expect(page.get_by_role("tabpanel").get_by_text("not understood", exact=True).first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Publish")).first.click()
    said = page.get_by_role("dialog")
    expect(said).to_contain_text("1 tool of 1 is not understood, so calls get an error: reticulate.")


def test_what_unknown_tools_get_is_chosen_in_the_form(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Chooses")
    page = form(open_page, f"/agents/{agent['id']}/edit").page
    page.get_by_role("radiogroup", name="What nobody understands").get_by_role("radio", name="empty").press(
        "Space"
    )
    page.get_by_label("Ask a model above").fill("0.35")
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("heading", level=1, name="Chooses", exact=True)).to_be_visible()
    config = site.org.ok(site.org.get(f"/api/agents/{agent['id']}"))["config"]
    assert (config["unknown_tools"], config["ask_model_above"]) == ("empty", 0.35)
