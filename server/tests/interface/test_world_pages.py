"""Keeping worlds: editing entities, trying tools, rules, imports, fidelity, and runs that begin from one."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.agents import ScriptedAgent, final
from support.chromium import write_over
from support.desk import desk_state
from support.site import Site

from interface.conftest import OpenPage, as_viewer_of

STATE = {
    "order": {
        f"ord_{n}": {"order_id": f"ord_{n}", "status": "pending", "total": n * 10, "tags": ["new"]}
        for n in range(1, 4)
    },
    "note": {"n1": {"text": "Fragile", "read": False}},
}


def keep(site: Site, name: str, **members: Any) -> dict[str, Any]:
    world: dict[str, Any] = site.org.ok(
        site.org.post("/api/worlds", {"name": name, "initial_state": STATE, **members})
    )
    return world


def stored(site: Site, world: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = site.org.ok(site.org.get(f"/api/worlds/{world['id']}"))["initial_state"]
    return state


def entities(page: Page, entity_type: str) -> Locator:
    return page.get_by_role("table", name=f"Entities of type {entity_type}").locator("tbody tr")


def unsaved(page: Page) -> Locator:
    return page.get_by_role("region", name="Unsaved changes")


def test_the_list_is_found_by_keys_and_filtered_and_a_world_is_searched(
    open_page: OpenPage, site: Site
) -> None:
    keep(site, "A second world")
    page = open_page("/").page
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(page.get_by_role("heading", level=1, name="Worlds")).to_be_visible()
    rows = page.get_by_role("table", name="Worlds").locator("tbody tr")
    harbour = rows.filter(has_text="Harbour Goods in spring")
    expect(harbour).to_contain_text(re.compile(r"order\s*8"))
    expect(harbour).to_contain_text(re.compile(r"98 %\s*\[\d+–\d+\]362 of 371"))
    page.get_by_label("Filter worlds").fill("harbour")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Harbour Goods in spring")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(page.get_by_role("heading", level=1, name="Worlds")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("textbox").fill("Harbour Goods in")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Harbour Goods in spring")).to_be_visible()
    entities_are_searched_in_the_address(page)


def entities_are_searched_in_the_address(page: Page) -> None:
    page.get_by_role("list", name="Entity types").get_by_role("button", name=re.compile("order")).click()
    expect(entities(page, "order")).to_have_count(8)
    page.keyboard.press("/")
    page.keyboard.type("TELESCOPE")
    expect(entities(page, "order")).to_have_count(1)
    page.wait_for_url(re.compile("q=TELESCOPE"))
    page.reload()
    expect(entities(page, "order")).to_have_count(1)
    entities(page, "order").first.click()
    expect(page.get_by_role("region", name="order ord_1001")).to_be_visible()
    page.wait_for_url(re.compile("entity=ord_1001"))


def test_many_entities_come_in_pages(open_page: OpenPage, site: Site) -> None:
    many = {"thing": {f"thing_{n:03}": {"size": n} for n in range(120)}}
    world = keep(site, "Many", initial_state=many)
    page = open_page(f"/worlds/{world['id']}").page
    expect(entities(page, "thing")).to_have_count(50)
    for _ in range(2):
        page.get_by_role("navigation", name="Pages").get_by_role("button", name="Next").click()
        page.wait_for_url(re.compile("cursor="))
    expect(entities(page, "thing")).to_have_count(20)
    expect(entities(page, "thing").last).to_contain_text("thing_119")
    page.get_by_role("navigation", name="Pages").get_by_role("button", name="First").click()
    expect(entities(page, "thing").first).to_contain_text("thing_000")


def test_edits_are_collected_kept_through_clicks_reviewed_and_saved_together(
    open_page: OpenPage, site: Site
) -> None:
    world = keep(site, "Edited")
    page = open_page(f"/worlds/{world['id']}?type=order&entity=ord_1").page
    page.get_by_label("Value of status").fill("paid")
    page.get_by_label("Value of total").fill("ten")
    expect(page.get_by_text("this is not a number")).to_be_visible()
    page.get_by_label("Value of total").fill("11.5")
    page.get_by_role("button", name="Remove tags").click()
    entities(page, "order").filter(has_text="ord_2").click()
    page.get_by_role("region", name="order ord_2").get_by_role("button", name="Duplicate").click()
    page.get_by_role("region", name="New entity").get_by_label("Id", exact=True).fill("ord_9")
    page.get_by_role("button", name="Add to the changes").click()
    entities(page, "order").filter(has_text="ord_3").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(unsaved(page)).to_contain_text("3 unsaved changes 1 added, 1 changed, 1 removed")
    page.get_by_role("tab", name="Raw").click()
    page.get_by_role("tab", name=re.compile("Entities")).click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(unsaved(page)).to_contain_text("3 unsaved changes")
    entities(page, "order").filter(has_text="ord_1").click()
    expect(page.get_by_label("Value of status")).to_have_value("paid")
    page.get_by_role("list", name="Entity types").get_by_role("button", name=re.compile("note")).click()
    entities(page, "note").first.click()
    pane = page.get_by_role("region", name="note n1")
    pane.get_by_role("radio", name="JSON").press("Space")
    write_over(pane.get_by_role("textbox"), '{"text": "Fragile", "read": true, "by": {"name": "Ada"}}')
    expect(unsaved(page)).to_contain_text("4 unsaved changes")
    unsaved(page).get_by_role("button", name="Review").click()
    review = page.get_by_role("dialog", name="Unsaved changes")
    expect(review.get_by_role("article", name="ord_1 changed")).to_contain_text('"pending" → "paid"')
    page.keyboard.press("Escape")
    expect(review).to_be_hidden()
    unsaved(page).get_by_role("button", name="Save to the world").click()
    expect(unsaved(page)).to_have_count(0)
    assert stored(site, world)["note"]["n1"] == {"text": "Fragile", "read": True, "by": {"name": "Ada"}}
    orders = stored(site, world)["order"]
    assert orders["ord_1"] == {"order_id": "ord_1", "status": "paid", "total": 11.5}
    assert orders["ord_9"] == STATE["order"]["ord_2"] | {"order_id": "ord_9"}
    assert sorted(orders) == ["ord_1", "ord_2", "ord_9"]


def test_a_world_that_changed_meanwhile_says_how_and_keeps_the_edits(open_page: OpenPage, site: Site) -> None:
    world = keep(site, "Contested")
    watched = open_page(f"/worlds/{world['id']}?type=order&entity=ord_1")
    watched.expected = ["409"]
    page = watched.page
    page.get_by_label("Value of status").fill("paid")
    others = [
        {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"total": 99}},
        {"op": "remove", "entity_type": "note", "id": "n1"},
    ]
    body = {"operations": others, "hash": world["hash"]}
    site.org.ok(site.org.post(f"/api/worlds/{world['id']}/operations", body))
    unsaved(page).get_by_role("button", name="Save to the world").click()
    alert = page.get_by_role("alert").filter(has_text="the world has changed since you opened it")
    expect(alert).to_contain_text("order ord_1 changed: total – you changed it too")
    expect(alert).to_contain_text("note n1 removed")
    alert.get_by_role("button", name="Reload and keep my 1 change").click()
    expect(page.get_by_label("Value of total")).to_have_value("99")
    expect(page.get_by_label("Value of status")).to_have_value("paid")
    unsaved(page).get_by_role("button", name="Save to the world").click()
    expect(unsaved(page)).to_have_count(0)
    state = stored(site, world)
    assert state["order"]["ord_1"] == STATE["order"]["ord_1"] | {"status": "paid", "total": 99}
    assert state["note"] == {}


def test_tools_are_tried_and_nothing_is_saved(open_page: OpenPage, site: Site) -> None:
    path = f"/worlds/{site.world}?tab=try&agent={site.desk.agent['id']}"
    watched = open_page(f"{path}&tool=update_order")
    watched.expected = ["422"]
    page = watched.page
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text='"order_id" is a required property')).to_be_visible()
    page.get_by_label("order_id").fill("ord_1002")
    page.get_by_label("status").select_option("cancelled")
    page.keyboard.press("Control+Enter")
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("Update order by order_id; changed status.")
    expect(answer.get_by_label("Confidence")).to_be_visible()
    expect(answer.get_by_role("article", name="ord_1002 changed")).to_contain_text(
        '"delivered" → "cancelled"'
    )
    expect(page.get_by_text("Nothing is saved")).to_be_visible()
    page.reload()
    expect(page.get_by_label("order_id")).to_have_value("ord_1002")
    page.get_by_label("order_id").fill("ord_none")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(answer).to_contain_text("not_found")
    expect(answer).to_contain_text("refused")
    page.get_by_role("radio", name="JSON").press("Space")
    write_over(
        page.get_by_role("textbox", name="Arguments as JSON"),
        '{"order_id": "ord_1001", "status": "pending"}',
    )
    page.get_by_role("button", name="Run", exact=True).click()
    expect(answer).to_contain_text("Update order")
    page.goto(f"{path}&tool=get_payment")
    tries_are_kept_on_the_page_and_rules_answer_first(page)
    assert site.org.ok(site.org.get(f"/api/worlds/{site.world}"))["initial_state"] == desk_state()


def tries_are_kept_on_the_page_and_rules_answer_first(page: Page) -> None:
    answer = page.get_by_role("region", name="Answer")
    page.get_by_label("payment_id").fill("pay_5002")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(answer).to_contain_text("injected")
    expect(answer).to_contain_text("rule 1")
    expect(answer).to_contain_text("No answer")
    page.get_by_label("payment_id").fill("pay_5001")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(answer).to_contain_text("7950")
    tries = page.get_by_role("list", name="Tries").get_by_role("button")
    expect(tries).to_have_count(2)
    tries.last.click()
    expect(answer).to_contain_text("rule 1")
    expect(page.get_by_label("payment_id")).to_have_value("pay_5002")


def test_rules_are_saved_and_fidelity_says_how_to_measure_it(open_page: OpenPage, site: Site) -> None:
    world = keep(site, "Ruled")
    watched = open_page(f"/worlds/{world['id']}?tab=rules")
    watched.expected = ["422"]
    page = watched.page
    save = page.get_by_role("button", name="Save rules")
    expect(save).to_be_disabled()
    page.get_by_role("button", name="Add rule").click()
    page.get_by_role("menuitem").first.click()
    rule = page.get_by_role("group", name="Rule 0")
    rule.get_by_label("Error code").fill("busy")
    rule.get_by_label("When").fill("args.order_id ==")
    save.click()
    expect(rule.get_by_text("mismatched input")).to_be_visible()
    rule.get_by_label("When").fill('args.order_id == "ord_1"')
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        save.click()
    expect(save).to_be_disabled()
    kept = site.org.ok(site.org.get(f"/api/worlds/{world['id']}"))
    assert [each["when"] for each in kept["failure_rules"]] == ['args.order_id == "ord_1"']
    page.get_by_role("tab", name="Fidelity").click()
    expect(page.get_by_role("heading", name="Not measured yet")).to_be_visible()
    page.goto(f"/worlds/{site.world}?tab=fidelity")
    row = page.get_by_role("table", name="Fidelity by tool").locator("tbody tr", has_text="update_order")
    expect(row).to_contain_text(re.compile(r"90 %\s*\[80–95\]55 of 61"))
    expect(page.get_by_text(f"--calls calls.jsonl --world {site.world}")).to_be_visible()


def test_a_table_is_imported_after_a_look_at_what_it_does(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    world = keep(site, "Imported into")
    file = tmp_path / "order.csv"
    file.write_text("order_id,status,total\nord_1,paid,10\nord_8,new,\nord_8,new,1\n")
    watched = open_page(f"/worlds/{world['id']}?tab=import")
    watched.expected = ["422"]
    page = watched.page
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose a file").click()
    chooser.value.set_files(file)
    expect(page.get_by_role("combobox", name="Entity type")).to_have_value("order")
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"row 2, order_id.*already"))
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_disabled()
    page.get_by_label("CSV or JSON").fill("order_id,status,total\nord_1,paid,10\nord_8,new,\n")
    preview = page.get_by_role("status", name="Preview")
    expect(preview).to_contain_text("2 rows as order by order_id")
    expect(preview).to_contain_text(re.compile(r"added\s*1\s*changed\s*1\s*removed\s*0"))
    page.get_by_text("replace", exact=True).click()
    expect(preview).to_contain_text(re.compile(r"removed\s*2"))
    page.get_by_text("merge", exact=True).click()
    expect(preview).to_contain_text(re.compile(r"removed\s*0"))
    assert stored(site, world) == STATE
    page.get_by_role("button", name="Import", exact=True).click()
    expect(entities(page, "order")).to_have_count(4)
    assert stored(site, world)["order"]["ord_8"] == {"order_id": "ord_8", "status": "new"}


def test_a_world_is_made_renamed_copied_and_deleted(open_page: OpenPage, site: Site) -> None:
    watched = open_page("/worlds/new")
    watched.expected = ["422", "404"]
    page = watched.page
    page.get_by_label("Name", exact=True).fill("By hand")
    write_over(page.get_by_role("textbox", name="State"), '{"order": {"ord_1": 7}}')
    page.get_by_role("button", name="Make the world").click()
    expect(page.get_by_role("alert").filter(has_text="ord_1")).to_be_visible()
    write_over(page.get_by_role("textbox", name="State"), json.dumps(STATE))
    page.get_by_role("button", name="Make the world").click()
    expect(page.get_by_role("heading", level=1, name="By hand")).to_be_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Renamed")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1, name="Renamed")).to_be_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Make a copy").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Renamed (copy)")
    page.get_by_role("button", name="Make the world").click()
    expect(page.get_by_role("heading", level=1, name="Renamed (copy)")).to_be_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the world").click()
    expect(page.get_by_role("heading", level=1, name="Worlds")).to_be_visible()
    names = [world["name"] for world in site.org.ok(site.org.get("/api/worlds?q=Renamed"))["items"]]
    assert names == ["Renamed"]


def test_a_ledger_becomes_a_world(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?step=5&pane=ledger").page
    expect(page.get_by_role("button", name="Download trace")).to_be_enabled()
    expect(page.get_by_role("button", name="Record cassette")).to_have_count(0)  # it made no live call
    page.get_by_role("link", name="Make a world of this").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(re.compile(f"Run {site.crew_run} after step"))
    page.get_by_label("Take its 2 failure rules as well").check()
    page.get_by_label("Name", exact=True).fill("After the cancellation")
    page.get_by_role("button", name="Make the world").click()
    expect(page.get_by_role("heading", level=1, name="After the cancellation")).to_be_visible()
    world = site.org.ok(site.org.get("/api/worlds?q=After the cancellation"))["items"][0]
    assert world["rules"] == 2
    assert stored(site, world)["order"]["ord_2"]["status"] == "cancelled"


def test_a_run_begins_from_a_world_and_carries_its_fidelity(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(lambda each: (each.call("get_order", {"order_id": "ord_1001"}), final())[1])
    registered = site.org.agent(agent.url, name="From a world")
    watched = open_page(f"/worlds/{site.world}")
    watched.expected = ["422"]
    page = watched.page
    page.get_by_role("link", name="New run from it").click()
    page.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name=re.compile("From a world")).click()
    page.get_by_label("User instruction").fill("Read order ord_1001.")
    held = page.get_by_role("group", name="What the world holds")
    expect(held).to_contain_text("1st call of create_payment")
    expect(page.get_by_text("The server accepts this.")).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    about = page.get_by_role("region", name="About this run")
    expect(about).to_contain_text(re.compile(r"98 % like the recorded back end \[\d+–\d+\], 362 of 371"))
    run = site.org.wait(int(page.url.rpartition("/runs/")[2].partition("?")[0]))
    assert run["odyssey_seed"]["world_id"] == site.world
    assert run["agent_id"] == registered["id"]
    page.goto(f"/runs/new?like={run['id']}")
    expect(page.get_by_role("combobox", name="Stored world")).to_have_value("Harbour Goods in spring")
    agent.stop()


def test_a_viewer_reads_worlds_but_changes_nothing(open_page: OpenPage, site: Site) -> None:
    page = as_viewer_of(open_page, site.org, f"/worlds/{site.world}?type=order&entity=ord_1001")
    expect(page.get_by_role("region", name="order ord_1001")).to_contain_text("Brass telescope")
    expect(page.get_by_role("button", name="Add entity")).to_have_count(0)
    expect(page.get_by_label("Value of status")).to_have_count(0)
    page.goto(f"/worlds/{site.world}?tab=rules")
    expect(page.get_by_text("1st call of create_payment")).to_be_visible()
    expect(page.get_by_role("button", name="Save rules")).to_have_count(0)
    page.goto("/worlds/new")
    expect(page.get_by_role("heading", name="Viewers may read worlds but not change them")).to_be_visible()
    expect(page.get_by_role("button", name="Make the world")).to_have_count(0)
