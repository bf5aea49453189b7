"""The form of an agent: every field of it, and documents that fill it."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.agents import Dispatched, ScriptedAgent, final
from support.chromium import Watched, write_over
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
SECRET = "Bearer s3cret-of-the-form"


def form(open_page: OpenPage, path: str = "/agents/new") -> Watched:
    watched = open_page(path)
    watched.expected = ["422"]  # a draft is checked while it is not valid yet
    return watched


def import_dialog(page: Page) -> Locator:
    page.get_by_role("button", name="Import JSON").first.click()
    return page.get_by_role("dialog", name="Import JSON")


def import_json(page: Page, document: Any) -> None:
    dialog = import_dialog(page)
    dialog.get_by_role("textbox").first.fill(json.dumps(document))
    dialog.get_by_role("button", name="Fill the form").click()
    expect(dialog).to_be_hidden()


def drop(target: Locator, file: Path) -> None:
    transfer = target.page.evaluate_handle(
        """([text, name]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, {type: "application/json"}));
            return transfer;
        }""",
        [file.read_text(), file.name],
    )
    target.dispatch_event("drop", {"dataTransfer": transfer})


def stored(site: Site, name: str) -> dict[str, Any]:
    (found,) = site.org.ok(site.org.get("/api/agents", params={"q": name}))["items"]
    return {**found}


def test_every_field_is_checked_and_kept_and_the_secret_is_never_shown_again(
    open_page: OpenPage, site: Site
) -> None:
    agent = ScriptedAgent(lambda _: final())
    page = form(open_page).page
    page.get_by_label("Name", exact=True).fill("Written by hand")
    page.get_by_label("Description").fill("Field by field.")
    page.get_by_label("Endpoint URL").fill(agent.url)
    page.get_by_label("Auth header name").fill("Authorization")
    page.get_by_label("Auth header value").fill(SECRET)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="Connected: HTTP 200")).to_be_visible()
    assert agent.pings[-1].headers["authorization"] == SECRET
    assert site.org.ok(site.org.get("/api/agents", params={"q": "Written by hand"}))["items"] == []
    page.get_by_label("Time-out").fill("9999")
    expect(page.get_by_label("Time-out")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name=re.compile("1 problem"))).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Written by hand")
    page.get_by_label("Time-out").fill("45")
    page.get_by_label("Require a gradeable rich transcript").press("Space")
    page.get_by_role("radio", name="strict").press("Space")
    import_json(page, OPENAI_TOOLS[:1])
    page.get_by_role("button", name="Add a sub-agent").click()
    page.get_by_label("Actor id of sub-agent 1").fill("sorter")
    expect(page.get_by_text("no problems")).to_be_visible()
    page.get_by_role("button", name="Register as draft").click()
    expect(page.get_by_role("heading", level=1, name="Written by hand")).to_be_visible()
    overview = page.get_by_role("region", name="Overview")
    for fact in (agent.url, "Authorization", "45 s per run", "transcript is required", "strict", "sorter"):
        expect(overview).to_contain_text(fact)
    kept = stored(site, "Written by hand")
    config = kept["config"]
    assert (kept["status"], config["run_timeout_s"], config["consistency_mode"]) == ("draft", 45, "strict")
    assert config["response_contract"] == {"response_mode": "rich", "strictness": "strict"}
    assert [each["actor_id"] for each in config["sub_agents"]] == ["sorter"]
    assert SECRET not in json.dumps(kept)

    page.get_by_role("link", name="Edit").or_(page.get_by_role("button", name="Edit")).first.click()
    expect(page.get_by_label("Endpoint URL")).to_have_value(agent.url)
    assert SECRET not in page.content()
    expect(page.get_by_role("button", name="Change", exact=True)).to_be_visible()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="Connected: HTTP 200")).to_be_visible()
    assert [ping.headers["authorization"] for ping in agent.pings] == [SECRET] * 2
    page.goto(page.url.removesuffix("/edit"))
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="200")).to_be_visible()
    assert agent.pings[-1].headers["authorization"] == SECRET
    agent.stop()


def test_a_secret_is_kept_changed_and_removed(open_page: OpenPage, site: Site) -> None:
    config = {"auth_header_name": "X-Key", "auth_header_value": SECRET}
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Secretive", config=config)
    page = form(open_page, f"/agents/{agent['id']}/edit").page
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("removed when you save")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_label("Description").fill("Kept.")
    page.get_by_role("button", name="Save as draft").click()
    expect(page).to_have_url(re.compile(rf"/agents/{agent['id']}(\?|$)"))
    assert stored(site, "Secretive")["auth_header_set"] is True
    page.goto(f"/agents/{agent['id']}/edit")
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Save as draft").click()
    expect(page).to_have_url(re.compile(rf"/agents/{agent['id']}(\?|$)"))
    assert stored(site, "Secretive")["auth_header_set"] is False


def test_an_imported_registration_becomes_an_agent(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(answering)
    registration = json.loads((DESK / "agent.json").read_text())
    registration["name"] = "Imported desk"
    registration["config"]["endpoint_url"] = agent.url
    page = form(open_page).page
    import_json(page, registration)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Imported desk")
    expect(page.get_by_role("list", name="Tools").get_by_role("listitem").first).to_be_visible()
    page.get_by_role("button", name="Register and publish").click()
    expect(page.get_by_role("heading", level=1, name="Imported desk")).to_be_visible()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status").filter(has_text="200")).to_be_visible()
    agent.stop()
    kept = stored(site, "Imported desk")
    assert kept["status"] == "published"
    assert len(kept["tools_schema"]) == len(registration["tools_schema"])


def answering(dispatched: Dispatched) -> Any:
    return {"pong": True} if dispatched.body == {"ping": True} else final()


def test_files_are_imported_and_what_is_wrong_with_them_is_said(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(OPENAI_TOOLS[:1]))
    page = form(open_page).page
    dialog = import_dialog(page)
    what_cannot_be_imported_says_why(dialog)
    drop(dialog.get_by_text("drop a file here"), file)
    expect(dialog).to_contain_text("OpenAI")
    dialog.get_by_role("button", name="Fill the form").click()
    expect(page.get_by_role("list", name="Tools")).to_contain_text("get_parcel")
    second = json.loads(file.read_text())
    second[0]["function"]["name"] = "send_parcel"
    file.write_text(json.dumps(second))
    dialog = import_dialog(page)
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="choose a file").click()
    chooser.value.set_files(file)
    expect(dialog).to_contain_text("send_parcel")
    dialog.get_by_text("Add to them").click()
    dialog.get_by_role("button", name="Fill the form").click()
    expect(page.get_by_role("list", name="Tools").get_by_role("listitem")).to_have_count(2)
    file.write_text(json.dumps(OPENAI_TOOLS))
    dialog = import_dialog(page)
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="choose a file").click()
    chooser.value.set_files(file)
    dialog.get_by_role("button", name="Fill the form").click()
    faults_of_a_tool_stand_at_the_tool(page)


def what_cannot_be_imported_says_why(dialog: Locator) -> None:
    fill = dialog.get_by_role("button", name="Fill the form")
    expect(fill).to_be_disabled()
    for text, why in (('{"name": ', "JSON"), ('{"colour": "blue"}', "tools"), ("[1, 2]", "tool")):
        write_over(dialog.get_by_role("textbox").first, text)
        expect(dialog.get_by_role("alert")).to_contain_text(why)
        expect(fill).to_be_disabled()


def faults_of_a_tool_stand_at_the_tool(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("Depot")
    page.get_by_label("Endpoint URL").fill("http://127.0.0.1:9/dispatch")
    tools = page.get_by_role("list", name="Tools").get_by_role("listitem")
    expect(tools.and_(page.get_by_role("listitem", name="bad name!"))).to_contain_text("is not a tool name")
    expect(page.get_by_role("button", name=re.compile("1 problem"))).to_be_visible()
    expect(tools.filter(has_text="get_parcel").get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Remove bad name!").click()
    expect(page.get_by_text(re.compile("no problems"))).to_be_visible()
