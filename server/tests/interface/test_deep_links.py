"""Whatever is chosen on a page stands in its address, and the address alone brings it back."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect
from support.site import Site

from interface.conftest import OpenPage
from interface.test_every_page import address

Act = Callable[[Page], None]


class Choice(NamedTuple):
    path: str
    choose: Act
    query: str
    """What the address says then."""
    shown: Act
    """Fails unless the page shows what was chosen."""


def tab(name: str) -> Act:
    return lambda page: page.get_by_role("tab", name=re.compile(name)).first.click()


def on_tab(name: str) -> Act:
    return lambda page: expect(page.get_by_role("tab", name=re.compile(name)).first).to_have_attribute(
        "aria-selected", "true"
    )


def rows(page: Page) -> Locator:
    return page.get_by_role("table").first.locator("tbody tr")


def steps(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Steps").get_by_role("option")


def only(text: str) -> Act:
    """Every row has this text, and there are rows."""

    def check(page: Page) -> None:
        expect(rows(page).filter(has_text=text).first).to_be_visible()
        expect(rows(page).filter(has_not_text=text)).to_have_count(0)

    return check


def sorted_by(column: str, direction: str) -> Act:
    return lambda page: expect(page.get_by_role("columnheader", name=column)).to_have_attribute(
        "aria-sort", direction
    )


def click_heading(column: str, times: int = 1) -> Act:
    def click(page: Page) -> None:
        for _ in range(times):
            page.get_by_role("columnheader", name=column).get_by_role("button").click()

    return click


def pick(label: str, option: str) -> Act:
    def choose(page: Page) -> None:
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=option).first.click()

    return choose


def type_into(label: str, text: str) -> Act:
    return lambda page: page.get_by_label(label).fill(text)


def enter(label: str, text: str) -> Act:
    def write(page: Page) -> None:
        page.get_by_role("combobox", name=label).fill(text)
        page.keyboard.press("Enter")

    return write


def choose_actor(name: str) -> Act:
    def choose(page: Page) -> None:
        page.get_by_label("Actor", exact=True).select_option(name)

    return choose


CHOICES = {
    "agents by status": Choice(
        "/agents",
        lambda page: page.get_by_text("published", exact=True).first.click(),
        "status=published",
        only("published"),
    ),
    "agents, sorted": Choice(
        "/agents", click_heading("Name", 2), "sort=-name", sorted_by("Name", "descending")
    ),
    "ledger schema of an agent": Choice(
        "/agents/{desk}", tab("Ledger schema"), "tab=ledger", on_tab("Ledger schema")
    ),
    "one tool": Choice(
        "/agents/{desk}",
        lambda page: page.get_by_text("list_orders", exact=True).click(),
        "tool=list_orders",
        lambda page: expect(page.get_by_role("region", name="list_orders", exact=True)).to_be_visible(),
    ),
    "tools by name": Choice(
        "/agents/{desk}",
        lambda page: page.get_by_placeholder(re.compile("Filter 7 tools")).fill("payment"),
        "q=payment",
        lambda page: expect(page.get_by_placeholder(re.compile("Filter 7 tools"))).to_have_value("payment"),
    ),
    "runs of an agent": Choice("/runs", pick("Agent", "Careful desk"), r"agent_id=\d+", only("Careful desk")),
    "runs by error class": Choice(
        "/runs", enter("Error class", "contract_error"), "error_class=contract_error", only("contract_error")
    ),
    "runs by verdict": Choice("/runs", pick("Verdict", "not graded"), "verdict=NOT", only("not graded")),
    "runs by status": Choice(
        "/runs",
        lambda page: page.get_by_role("group", name="Status").get_by_text("failed").click(),
        "status=",
        only("failed"),
    ),
    "runs by instruction": Choice(
        "/runs", type_into("Part of the instruction", "telescope"), "q=telescope", only("telescope")
    ),
    "runs, sorted": Choice(
        "/runs", click_heading("Duration"), "sort=duration", sorted_by("Duration", "ascending")
    ),
    "transcript of a run": Choice(
        "/runs/{crew_run}", tab("Transcript"), "tab=transcript", on_tab("Transcript")
    ),
    "seed of a run": Choice("/runs/{crew_run}", tab("Seed"), "tab=seed", on_tab("Seed")),
    "a run as JSON": Choice("/runs/{crew_run}", tab("Raw"), "tab=raw", on_tab("Raw")),
    "one step": Choice(
        "/runs/{crew_run}",
        lambda page: steps(page).nth(3).click(),
        "step=4",
        lambda page: expect(page.get_by_role("region", name="Step 4")).to_contain_text("rule 0"),
    ),
    "the ledger at a step": Choice("/runs/{crew_run}?step=5", tab("Ledger"), "pane=ledger", on_tab("Ledger")),
    "the ledger since the start": Choice(
        "/runs/{crew_run}?step=8&pane=ledger",
        lambda page: page.get_by_text("Changed since the start").click(),
        "since=start",
        lambda page: expect(page.get_by_role("article", name="ord_2 changed")).to_contain_text("cancelled"),
    ),
    "one step as JSON": Choice("/runs/{crew_run}?step=5", tab("Raw event"), "pane=raw", on_tab("Raw event")),
    "steps of a source": Choice(
        "/runs/{crew_run}",
        lambda page: page.get_by_role("button", name=re.compile("injected")).click(),
        "source=",
        lambda page: expect(steps(page)).to_have_count(2),
    ),
    "steps of an actor": Choice(
        "/runs/{crew_run}",
        choose_actor("night-shift"),
        "actor=night-shift",
        lambda page: expect(steps(page)).to_have_count(1),
    ),
    "steps by text": Choice(
        "/runs/{crew_run}",
        type_into("Filter steps by text", "list_orders"),
        "q=list_orders",
        lambda page: expect(steps(page)).to_have_count(1),
    ),
    "zoomed": Choice(
        "/runs/{crew_run}",
        lambda page: page.get_by_role("button", name="Zoom to the rows in sight").click(),
        "zoom=sight",
        lambda page: expect(page.get_by_role("button", name="Zoom to the rows in sight")).to_have_attribute(
            "aria-pressed", "true"
        ),
    ),
    "keys": Choice("/account", tab("API keys"), "tab=keys", on_tab("API keys")),
    "people": Choice("/account", tab("People"), "tab=people", on_tab("People")),
    "audit log": Choice("/account", tab("Audit log"), "tab=audit", on_tab("Audit log")),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_choice_stands_in_the_address_and_is_found_by_it(
    open_page: OpenPage, site: Site, choice: Choice
) -> None:
    page = open_page(address(site, choice.path)).page
    choice.choose(page)
    expect(page).to_have_url(re.compile(choice.query))
    choice.shown(page)
    page.reload()
    choice.shown(page)
    expect(page).to_have_url(re.compile(choice.query))


def test_versions_to_compare_stand_in_the_address(open_page: OpenPage, site: Site) -> None:
    agent = site.org.agent("http://127.0.0.1:9/dispatch", name="Thrice", description="one")
    for words in ("two", "three"):
        site.org.ok(site.org.put(f"/api/agents/{agent['id']}", {"description": words}))
    page = open_page(f"/agents/{agent['id']}?tab=versions").page
    page.get_by_role("radio", name="Compare from version 1").check()
    expect(page).to_have_url(re.compile("from=1"))
    page.reload()
    expect(page.get_by_role("region", name="From version 1 to 3")).to_contain_text("three")


def test_what_an_address_cannot_mean_is_left_out_of_it(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}?tab=nothing&step=x&source=%5B%22made-up%22%5D&pane=7").page
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")
    expect(steps(page)).to_have_count(9)
    page.goto("/runs?status=nonsense&agent_id=x&sort=%3Cscript%3E")
    expect(rows(page).first).to_be_visible()
