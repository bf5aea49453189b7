"""Registering, changing, testing and comparing agents."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from support.agents import Answer, Dispatched, ScriptedAgent, SeesPings, final
from support.chromium import Watched
from support.desk import DESK
from support.site import Site

from interface.conftest import OpenPage

OPENAI_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_parcel",
            "description": "Read one parcel.",
            "parameters": {"type": "object", "properties": {"parcel_id": {"type": "string"}}},
        },
    },
    {"type": "function", "function": {"name": "bad name!", "parameters": {"type": "object"}}},
]


def answering(dispatched: Dispatched) -> Any:
    if dispatched.body == {"ping": True}:
        return {"pong": True}
    return final()


def form(open_page: OpenPage, path: str = "/agents/new") -> Watched:
    watched = open_page(path)
    watched.expected = ["422"]  # a draft is checked while it is not valid yet
    return watched


def import_json(page: Page, document: Any) -> None:
    page.get_by_role("button", name="Import JSON").first.click()
    dialog = page.get_by_role("dialog", name="Import JSON")
    dialog.get_by_role("textbox").first.fill(json.dumps(document))
    dialog.get_by_role("button", name="Fill the form").click()
    expect(dialog).to_be_hidden()


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


def test_an_imported_registration_becomes_an_agent(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(answering)
    registration = json.loads((DESK / "agent.json").read_text())
    registration["name"] = "Imported desk"
    registration["config"]["endpoint_url"] = agent.url
    watched = form(open_page)
    page = watched.page
    import_json(page, registration)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Imported desk")
    expect(page.get_by_role("list", name="Tools").get_by_role("listitem").first).to_be_visible()
    page.get_by_role("button", name="Register and publish").click()
    expect(page.get_by_role("heading", level=1, name="Imported desk")).to_be_visible()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="200")).to_be_visible()
    agent.stop()
    stored = site.org.ok(site.org.get("/api/agents?q=Imported"))["items"]
    assert [each["status"] for each in stored] == ["published"]
    assert len(stored[0]["tools_schema"]) == len(registration["tools_schema"])


def test_a_dropped_file_is_read(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(OPENAI_TOOLS[:1]))
    page = form(open_page).page
    page.get_by_role("button", name="Import JSON").first.click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose a file").click()
    chooser.value.set_files(file)
    dialog = page.get_by_role("dialog", name="Import JSON")
    expect(dialog).to_contain_text("OpenAI")
    dialog.get_by_role("button", name="Fill the form").click()
    expect(page.get_by_role("list", name="Tools")).to_contain_text("get_parcel")


def test_faults_of_a_tool_stand_at_the_tool(open_page: OpenPage) -> None:
    page = form(open_page).page
    page.get_by_label("Name", exact=True).fill("Depot")
    page.get_by_label("Endpoint URL").fill("http://127.0.0.1:9/dispatch")
    import_json(page, OPENAI_TOOLS)
    tools = page.get_by_role("list", name="Tools").get_by_role("listitem")
    expect(tools.and_(page.get_by_role("listitem", name="bad name!"))).to_contain_text("is not a tool name")
    expect(page.get_by_role("button", name=re.compile("1 problem"))).to_be_visible()
    expect(tools.filter(has_text="get_parcel").get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Remove bad name!").click()
    expect(page.get_by_text(re.compile("no problems"))).to_be_visible()


def test_unsaved_changes_are_not_lost_by_a_click(open_page: OpenPage) -> None:
    page = form(open_page).page
    page.get_by_label("Name", exact=True).fill("Half typed")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Half typed")


def test_a_change_makes_a_version_with_a_readable_difference(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Changes")
    page = form(open_page, f"/agents/{agent['id']}/edit").page
    page.get_by_label("Description").fill("Now with words.")
    page.get_by_role("button", name="Remove delete_order").click()
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("heading", level=1, name="Changes")).to_be_visible()
    page.goto(f"/agents/{agent['id']}?tab=versions&from=1&to=2")
    expect(page.get_by_text("Now with words.").first).to_be_visible()
    expect(page.get_by_text("delete_order").first).to_be_visible()
    page.get_by_role("button", name="Publish v2").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Publish")).click()
    expect(page.get_by_text("v2 published")).to_be_visible()


def test_a_failing_connection_says_what_to_look_at(open_page: OpenPage, site: Site) -> None:
    strict = ScriptedAgent(SeesPings(lambda _: Answer(401, b"{}")))
    agent = site.org.agent(strict.url, name="Strict", publish=False)
    page = open_page(f"/agents/{agent['id']}").page
    page.get_by_role("button", name="Test connection").click()
    result = page.get_by_role("status").filter(has_text="401")
    expect(result).to_contain_text(re.compile("auth header", re.IGNORECASE))
    strict.stop()


def test_deleting_asks_for_the_name(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Short lived", publish=False)
    watched = open_page(f"/agents/{agent['id']}")
    page = watched.page
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    confirm = page.get_by_role("button", name="Delete the agent")
    expect(confirm).to_be_disabled()
    page.get_by_label("Type its name to confirm").fill("Short lived")
    confirm.click()
    expect(page.get_by_role("heading", level=1, name="Agents")).to_be_visible()
    assert site.org.get(f"/api/agents/{agent['id']}").status_code == 404


def test_the_ledger_schema_reads_as_tables(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/agents/{site.desk.agent['id']}?tab=ledger").page
    expect(page.get_by_text("customer").first).to_be_visible()
    expect(page.get_by_role("table").filter(has_text="customer_id").first).to_be_visible()
