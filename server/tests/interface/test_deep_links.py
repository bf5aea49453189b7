"""Whatever is chosen on a page stands in its address, and the address alone brings it back."""

import re

from playwright.sync_api import Locator, Page, expect
from support.site import Site

from interface.conftest import OpenPage


def rows(page: Page) -> Locator:
    return page.get_by_role("table").first.locator("tbody tr")


def steps(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Steps").get_by_role("option")


def only(page: Page, text: str) -> None:
    """Every row has this text, and there are rows."""
    expect(rows(page).filter(has_text=text).first).to_be_visible()
    expect(rows(page).filter(has_not_text=text)).to_have_count(0)


def address_says(page: Page, *parts: str) -> None:
    for part in parts:
        expect(page).to_have_url(re.compile(part))


def on_tab(page: Page, name: str) -> None:
    tab = page.get_by_role("tab", name=name, exact=True)
    expect(tab).to_have_attribute("aria-selected", "true")


def sort_by(page: Page, column: str, *directions: str) -> None:
    """Click a heading until it is sorted so; the next click counts from what is shown."""
    for direction in directions:
        page.get_by_role("columnheader", name=column).get_by_role("button").click()
        is_sorted(page, column, direction)


def is_sorted(page: Page, column: str, direction: str) -> None:
    expect(page.get_by_role("columnheader", name=column)).to_have_attribute("aria-sort", direction)


def pick(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).first.click()


def test_what_is_chosen_of_the_agents(open_page: OpenPage) -> None:
    page = open_page("/agents").page
    page.get_by_text("published", exact=True).first.click()
    only(page, "published")
    sort_by(page, "Name", "ascending", "descending")
    address_says(page, "status=published", "sort=-name")
    page.reload()
    only(page, "published")
    is_sorted(page, "Name", "descending")
    address_says(page, "status=published", "sort=-name")


def test_what_is_chosen_of_an_agent(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/agents/{site.desk.agent['id']}").page
    tool = page.get_by_role("region", name="list_orders", exact=True)
    words = page.get_by_placeholder(re.compile("Filter 7 tools"))
    page.get_by_text("list_orders", exact=True).click()
    expect(tool).to_be_visible()
    words.fill("payment")
    address_says(page, "tool=list_orders", "q=payment")
    page.reload()
    expect(tool).to_be_visible()
    expect(words).to_have_value("payment")
    page.get_by_role("tab", name="Ledger schema").click()
    address_says(page, "tab=ledger")
    page.reload()
    on_tab(page, "Ledger schema")


def test_what_is_chosen_of_the_runs(open_page: OpenPage) -> None:
    page = open_page("/runs").page
    pick(page, "Verdict", "not graded")
    only(page, "not graded")
    page.get_by_role("group", name="Status").get_by_text("failed").click()
    only(page, "failed")
    page.get_by_role("combobox", name="Error class").fill("contract_error")
    page.keyboard.press("Enter")
    only(page, "contract_error")
    sort_by(page, "Duration", "ascending")
    chosen = ("verdict=NOT", "status=", "error_class=contract_error", "sort=duration")
    address_says(page, *chosen)
    page.reload()
    for text in ("not graded", "failed", "contract_error"):
        only(page, text)
    is_sorted(page, "Duration", "ascending")
    address_says(page, *chosen)


def test_whose_runs_are_looked_at_and_what_they_were_told(open_page: OpenPage) -> None:
    page = open_page("/runs").page
    pick(page, "Agent", "Support desk")
    only(page, "Support desk")
    page.get_by_label("Part of the instruction").fill("telescope")
    only(page, "telescope")
    address_says(page, r"agent_id=\d+", "q=telescope")
    page.reload()
    for text in ("Support desk", "telescope"):
        only(page, text)
    address_says(page, r"agent_id=\d+", "q=telescope")


def test_which_part_of_a_run_and_which_step_is_looked_at(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    step = page.get_by_role("region", name="Step 8")
    zoom = page.get_by_role("button", name="Zoom to the rows in sight")
    changed = page.get_by_role("article", name="ord_2 changed")
    steps(page).nth(7).click()
    expect(step).to_contain_text("list_orders")
    step.get_by_role("tab", name="Ledger").click()
    page.get_by_text("Changed since the start").click()
    expect(changed).to_contain_text("cancelled")
    address_says(page, "step=8", "pane=ledger", "since=start")
    page.reload()
    on_tab(page, "Ledger")
    expect(changed).to_contain_text("cancelled")
    step.get_by_role("tab", name="Raw event").click()
    on_tab(page, "Raw event")
    zoom.click()
    address_says(page, "step=8", "pane=raw", "zoom=sight")
    page.reload()
    on_tab(page, "Raw event")
    expect(zoom).to_have_attribute("aria-pressed", "true")
    for name in ("Transcript", "Seed", "Raw"):
        page.get_by_role("tab", name=name, exact=True).click()
        address_says(page, f"tab={name.lower()}")
        page.reload()
        on_tab(page, name)


def test_which_steps_of_a_run_are_looked_at(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    actor = page.get_by_label("Actor", exact=True)
    actor.select_option("supervisor")
    expect(steps(page)).to_have_count(3)
    page.get_by_label("Filter steps by text").fill("list_orders")
    expect(steps(page)).to_have_count(1)
    address_says(page, "actor=supervisor", "q=list_orders")
    page.reload()
    expect(steps(page)).to_have_count(1)
    expect(actor).to_have_value("supervisor")
    address_says(page, "actor=supervisor", "q=list_orders")


def test_versions_to_compare_stand_in_the_address(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Thrice", description="one")
    for words in ("two", "three"):
        site.org.ok(site.org.put(f"/api/agents/{agent['id']}", {"description": words}))
    page = open_page(f"/agents/{agent['id']}?tab=versions").page
    page.get_by_role("radio", name="Compare from version 1").check()
    address_says(page, "from=1")
    page.reload()
    expect(page.get_by_role("region", name="From version 1 to 3")).to_contain_text("three")


def test_what_an_address_cannot_mean_is_left_out_of_it(open_page: OpenPage, site: Site) -> None:
    """What each kind of choice takes and what it leaves out is tried in search.test.ts."""
    page = open_page(f"/runs/{site.crew_run}?tab=nothing&step=x&source=%5B%22made-up%22%5D&pane=7").page
    on_tab(page, "Timeline")
    expect(steps(page)).to_have_count(9)
    page.goto("/runs?status=nonsense&agent_id=x&sort=%3Cscript%3E")
    expect(rows(page).first).to_be_visible()
