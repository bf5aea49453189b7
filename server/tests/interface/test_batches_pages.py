"""Batches: progress as it happens, what came of them and how sure that is, and two of them side by side."""

import json
import re
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Locator, Page, expect
from support.agents import Dispatched, ScriptedAgent, final
from support.batches import dataset, ended, start_batch
from support.site import Site
from support.trials import CANCEL, REFUND, STATUS

from interface.conftest import OpenPage

CHECKED = {"checks": [{"final_response": {"contains": "done"}}]}


def tasks(page: Page) -> Locator:
    return page.get_by_role("table", name="Tasks").locator("tbody tr")


def outcomes(page: Page) -> Locator:
    return page.get_by_role("list", name="Runs by outcome")


def three(site: Site, name: str) -> int:
    rows = [{"user_instruction": f"{name} {n}", **CHECKED} for n in range(3)]
    made: int = dataset(site.org, rows, name=name)["id"]
    return made


def test_the_list_leads_to_a_batch_that_says_what_came_of_it(open_page: OpenPage, site: Site) -> None:
    page = open_page("/batches").page
    page.get_by_role("combobox", name="Dataset").click()
    page.get_by_role("option", name="Orders, six tasks").click()
    page.wait_for_url(re.compile(f"dataset_id={site.trials.dataset}"))
    rows = page.get_by_role("table", name="Batches").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("24 of 24 (× 4)")
    expect(rows.first).to_contain_text(re.compile(r"71 %\s*\[\d+–\d+\]"))
    page.reload()
    expect(rows).to_have_count(2)
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=f"Batch {site.trials.after}")).to_be_visible()
    says_what_came_of_it(page, site)
    is_exported(page, site)
    tasks_are_filtered_and_lead_to_their_runs(page)


def says_what_came_of_it(page: Page, site: Site) -> None:
    facts = page.get_by_role("region", name="About this batch")
    expect(facts).to_contain_text("Order clerk")
    expect(facts).to_contain_text("v2")
    expect(facts).to_contain_text("revision 1")
    expect(facts).to_contain_text("200, answered in")
    expect(outcomes(page)).to_contain_text("17 passed")
    expect(outcomes(page)).to_contain_text("7 failed")
    expect(page.get_by_role("region", name="Pass rate")).to_contain_text("17 of 24 graded runs passed")
    curve = page.get_by_role("region", name="pass^k: k runs in a row all pass")
    expect(curve.get_by_role("img")).to_have_attribute("aria-label", re.compile("from 71 % to 33 % at k = 4"))
    curve.get_by_role("button", name="As a table").click()
    expect(curve.get_by_role("row")).to_have_count(5)
    batch = site.org.ok(site.org.get(f"/api/batches/{site.trials.after}"))
    last = batch["pass_k"][-1]
    low, high = (round(bound * 100) for bound in last["interval"])
    expect(curve.get_by_role("row").last).to_contain_text(f"[{low}–{high}]")


def is_exported(page: Page, site: Site) -> None:
    def download(name: str) -> str:
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as started:
            page.get_by_role("menuitem", name=name).click()
        return Path(started.value.path()).read_text()

    assert len(download("CSV").splitlines()) == 25
    assert json.loads(download("JSON"))["batch"]["id"] == site.trials.after
    assert ElementTree.fromstring(download("JUnit")).tag == "testsuites"


def tasks_are_filtered_and_lead_to_their_runs(page: Page) -> None:
    expect(tasks(page)).to_have_count(6)
    page.get_by_role("radio", name="With a failing run").press("Space")
    expect(tasks(page)).to_have_count(4)
    page.wait_for_url(re.compile("show=failing"))
    page.get_by_role("list", name="Failure modes").get_by_role(
        "link", name="acted instead of refusing"
    ).click()
    expect(tasks(page)).to_have_count(1)
    page.reload()
    expect(tasks(page)).to_contain_text(REFUND)
    expect(tasks(page)).to_contain_text("refusal")
    expect(tasks(page)).to_contain_text("1 of 4")
    page.get_by_role("button", name="acted instead of refusing only").click()
    expect(tasks(page)).to_have_count(6)
    square = tasks(page).filter(has_text=CANCEL).get_by_role("link", name=re.compile("repeat .: fail"))
    square.click()
    expect(page.get_by_role("heading", level=1, name=re.compile("Run"))).to_be_visible()


class Gate:
    """An agent that answers when it is let; it counts who waits."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def __call__(self, _: Dispatched) -> dict[str, Any]:
        self.open.wait(60)
        return final("All done.")


def test_a_batch_moves_while_it_is_looked_at_and_is_cancelled(open_page: OpenPage, site: Site) -> None:
    gate = Gate()
    agent = ScriptedAgent(gate)
    slow, rows = site.org.agent(agent.url, name="Slow"), three(site, "Slow")
    batch = start_batch(site.org, slow, dataset_id=rows, repeats=2)
    page = open_page(f"/batches/{batch['id']}").page
    expect(tasks(page)).to_have_count(3)
    expect(page.get_by_role("link", name=re.compile("repeat 1: running")).first).to_be_visible()
    expect(outcomes(page)).to_contain_text("0 passed")
    top = tasks(page).first.bounding_box()
    gate.open.set()
    expect(outcomes(page)).to_contain_text("6 passed")
    expect(tasks(page).first.get_by_role("link", name=re.compile(": pass"))).to_have_count(2)
    expect(page.get_by_role("region", name="Pass rate")).to_contain_text("100 %")
    assert tasks(page).first.bounding_box() == top

    gate.open.clear()
    page.goto(f"/batches/{start_batch(site.org, slow, dataset_id=rows, repeats=3)['id']}")
    page.get_by_role("button", name="Cancel").click()
    dialog = page.get_by_role("dialog", name="Cancel this batch")
    expect(dialog).to_contain_text("What has ended keeps its verdict.")
    dialog.get_by_role("button", name="Cancel the batch").click()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(tasks(page).first.get_by_role("link", name=re.compile("cancelled"))).to_have_count(3)
    gate.open.set()
    agent.stop()


def test_an_agent_that_is_not_there_is_told_once(open_page: OpenPage, site: Site) -> None:
    absent = site.org.agent("http://127.0.0.1:9/dispatch", name="Absent")
    batch = ended(site.org, start_batch(site.org, absent, dataset_id=three(site, "Absent")))
    page = open_page(f"/batches/{batch['id']}").page
    why = page.get_by_role("region", name="Why it failed")
    expect(why).to_contain_text("agent_unreachable: nothing was sent to the agent")
    expect(outcomes(page)).to_contain_text("3 not graded")
    page.goto(f"/agents/{absent['id']}")
    expect(page.locator("dt:text-is('Last ping') + dd")).to_contain_text("agent_unreachable")
    page.goto("/agents?q=Absent")
    expect(page.get_by_role("table", name="Agents").locator("tbody tr")).to_contain_text("agent_unreachable")


def test_two_batches_are_compared(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/batches/{site.trials.after}").page
    page.get_by_role("button", name="Compare with…").click()
    page.get_by_role("menuitem", name=re.compile(f"Batch {site.trials.before}, Order clerk v1, 79 %")).click()
    page.wait_for_url(re.compile(rf"/batches/{site.trials.before}/compare\?with={site.trials.after}"))
    difference = page.get_by_role("region", name="Difference, B less A")
    expect(difference).to_contain_text(re.compile(r"−8 points of pass rate \[−\d+ to \+\d+\]"))
    expect(difference).to_contain_text("it may be chance")
    expect(page.get_by_role("region", name="A: Order clerk v1")).to_contain_text("in 6 rows")
    expect(difference.get_by_role("img")).to_have_attribute("aria-label", re.compile("−8 points"))
    rows = page.get_by_role("table", name="Compared tasks").locator("tbody tr")
    expect(rows).to_have_count(6)
    expect(rows.first).to_contain_text(REFUND)
    expect(rows.first).to_contain_text("regression")
    expect(rows.nth(1)).to_contain_text(STATUS)
    expect(rows.nth(1)).to_contain_text("improvement")
    page.get_by_role("button", name="Swap").click()
    page.wait_for_url(re.compile(rf"/batches/{site.trials.after}/compare\?with={site.trials.before}"))
    expect(difference).to_contain_text("+8 points of pass rate")
    expect(rows.first).to_contain_text(STATUS)
    rows.first.get_by_role("link", name="Runs of row 3 in A: 2 of 4 passed").click()
    page.wait_for_url(re.compile(rf"/runs\?.*batch_id={site.trials.after}"))
    expect(page.get_by_role("table", name="Runs").locator("tbody tr")).to_have_count(4)
    page.goto(f"/batches/{site.trials.before}/compare")
    expect(page.get_by_text("Compare it with what?")).to_be_visible()
    page.get_by_role("combobox", name="B", exact=True).click()
    page.get_by_role("option", name=re.compile(f"Batch {site.trials.after},")).click()
    expect(page.get_by_role("table", name="Compared tasks")).to_be_visible()
