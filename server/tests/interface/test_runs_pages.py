"""Starting runs and watching the list move."""

import re
import threading
from typing import Any

from playwright.sync_api import Page, expect
from support.agents import Dispatched, ScriptedAgent, final
from support.browser import new_link
from support.chromium import write_over
from support.site import Site

from interface.conftest import OpenPage, as_viewer_of


def rows(page: Page) -> Any:
    return page.get_by_role("table", name="Runs").locator("tbody tr")


def test_home_leads_to_runs_whose_filters_live_in_the_address(open_page: OpenPage, site: Site) -> None:
    page = open_page("/").page
    strip = page.get_by_role("list", name=re.compile("runs, oldest first"))
    strip.get_by_role("link", name=re.compile(f"Run {site.failed_run}: failed")).click()
    expect(page.get_by_role("heading", level=1, name=f"Run {site.failed_run}")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("r")
    rows(page).first.wait_for()
    page.get_by_label("Part of the instruction").fill("no such words")
    page.get_by_role("button", name="Clear filters").last.click()
    rows(page).first.wait_for()
    page.get_by_label("Part of the instruction").fill("telescope")
    expect(rows(page)).to_have_count(1)
    page.reload()
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Clear filters").first.click()
    page.get_by_role("group", name="Status").get_by_text("failed").click()
    page.wait_for_url(re.compile("status="))
    expect(rows(page).filter(has_text="contract_error").first).to_be_visible()
    expect(rows(page).filter(has_text="completed")).to_have_count(0)
    page.go_back()
    expect(rows(page).filter(has_text="completed").first).to_be_visible()


def test_the_list_moves_while_runs_run(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def waiting(_: Dispatched) -> Any:
        gate.wait(60)
        return final("Now it is done.")

    agent = ScriptedAgent(waiting)
    try:
        page = open_page("/runs").page
        expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
        registered = site.org.agent(agent.url, name="Patient")
        (run,) = site.org.start(registered, {"user_instruction": "Wait for the gate."})
        row = rows(page).filter(has_text="Wait for the gate.")
        expect(row).to_contain_text("running")
        gate.set()
        expect(row).to_contain_text("completed")
        assert site.org.wait(run)["status"] == "completed"
    finally:
        gate.set()
        agent.stop()


def test_a_run_is_composed_checked_and_started(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(lambda each: (each.call("update_order", {"order_id": "ord_1"}), final())[1])
    registered = site.org.agent(agent.url, name="Composed")
    watched = open_page(f"/runs/new?agent_id={registered['id']}")
    watched.expected = ["422"]  # the form is checked while it is not valid yet
    page = watched.page
    page.get_by_label("User instruction").fill("Ship order ord_1.")
    page.get_by_role("button", name="Add rule").click()
    page.get_by_role("menuitem").first.click()
    rule = page.get_by_role("group", name="Rule 0")
    rule.get_by_label("Error code").fill("busy")
    rule.get_by_label("When").fill("args.order_id ==")
    expect(rule.get_by_text("mismatched input")).to_be_visible()
    expect(page.get_by_text("The server accepts this.")).to_have_count(0)
    rule.get_by_label("When").fill('args.order_id == "ord_1"')
    expect(page.get_by_text("The server accepts this.")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1, name=re.compile(r"Run \d+"))).to_be_visible()
    run = int(page.url.rpartition("/runs/")[2].partition("?")[0])
    rules = site.org.wait(run)["odyssey_seed"]["failure_rules"]
    assert rules[0]["when"] == 'args.order_id == "ord_1"'
    agent.stop()


def test_repeats_of_a_task_are_one_batch(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(lambda _: final())
    registered = site.org.agent(agent.url, name="Repeated")
    page = open_page(f"/runs/new?agent_id={registered['id']}").page
    page.get_by_label("User instruction").fill("Do it three times.")
    page.get_by_label("Repeat").fill("3")
    page.get_by_role("button", name="Start 3 runs").click()
    page.wait_for_url(re.compile(r"/batches/\d+"))
    batch = int(page.url.rpartition("/")[2])
    runs = site.org.ok(site.org.get("/api/runs", params={"batch_id": batch}))["items"]
    assert sorted(run["repeat"] for run in runs) == [1, 2, 3]
    assert len({run["task_id"] for run in runs}) == 1
    for run in runs:
        site.org.wait(run["id"])
    page.goto(f"/runs?batch_id={batch}")
    expect(rows(page)).to_have_count(3)
    rows(page).first.get_by_role("link").first.click()
    page.locator("dt:text-is('Batch') + dd").get_by_role("link").click()
    page.wait_for_url(re.compile(rf"/batches/{batch}$"))
    agent.stop()


def test_rules_are_the_same_as_form_and_as_json(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/new?like={site.crew_run}").page
    expect(page.get_by_role("group", name="Rule 0")).to_be_visible()
    expect(page.get_by_role("group", name="Rule 0")).to_contain_text("1st call of update_order")
    writing = page.get_by_role("radiogroup", name="How to write the rules")
    writing.get_by_role("radio", name="JSON").press("Space")
    expect(page.get_by_role("textbox", name="Failure rules as JSON")).to_contain_text("latency_ms")
    writing.get_by_role("radio", name="Form").press("Space")
    expect(page.get_by_role("group", name="Rule 1")).to_contain_text("args.total > 100.0")
    expect(page.get_by_text("The server accepts this.")).to_be_visible()


def test_the_editor_of_rules_knows_their_words_marks_faults_and_loses_nothing(
    open_page: OpenPage, site: Site
) -> None:
    watched = open_page(f"/runs/new?agent_id={site.desk.agent['id']}")
    watched.expected = ["422"]
    page = watched.page
    page.get_by_label("User instruction").fill("Refund it.")
    page.get_by_role("radiogroup", name="How to write the rules").get_by_role("radio", name="JSON").press(
        "Space"
    )
    editor = page.get_by_role("textbox", name="Failure rules as JSON")
    offered = page.get_by_role("listbox", name="Completions").get_by_role("option")
    write_over(editor, "[")
    page.keyboard.type('{"')
    expect(offered.filter(has_text="probability")).to_have_count(1)
    for member in ("tool", "args", "call", "when", "latency_ms", "error", "response", "fault", "ledger"):
        expect(offered.filter(has_text=member).first).to_be_attached()
    page.keyboard.type('tool": "')
    expect(offered.filter(has_text="create_payment")).to_have_count(1)
    write_over(editor, '[{"tool": "create_payment", "fault": "earthquake"}]')
    marked = editor.locator(".cm-lintRange-error")
    expect(marked).to_contain_text("earthquake")
    expect(page.get_by_text("The server accepts this.")).to_have_count(0)
    write_over(editor, '[{"tool": "create_payment", "fault": "timeout"}]')
    expect(page.get_by_text("The server accepts this.")).to_be_visible()
    expect(marked).to_have_count(0)
    page.get_by_label("User instruction").fill("Half an instruc")
    page.reload()
    expect(page.get_by_label("User instruction")).to_have_value("Half an instruc")
    expect(editor).to_contain_text('"fault": "timeout"')


def test_an_empty_installation_says_what_to_do_next(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("Empty", "first@empty.example")
    watched = open_page(f"/signin#{new_link(org)}", anonymous=True)
    watched.expected = ["401"]
    page = watched.page
    page.get_by_role("button", name="Sign in to Odyssey").click()
    page.get_by_role("heading", level=1).wait_for()
    expect(page.get_by_text("make demo").first).to_be_visible()
    page.get_by_role("link", name=re.compile("Register")).first.click()
    expect(page.get_by_label("Endpoint URL")).to_be_visible()


def test_a_viewer_may_look_but_not_start(open_page: OpenPage, site: Site) -> None:
    page = as_viewer_of(open_page, site.org, f"/runs/{site.crew_run}")
    page.get_by_role("listbox", name="Steps").wait_for()
    expect(page.get_by_role("link", name="Run again with changes")).to_have_count(0)
    page.goto("/agents/new")
    expect(page.get_by_role("heading", name="Only admins may change agents")).to_be_visible()
    expect(page.get_by_role("button", name="Register and publish")).to_have_count(0)
