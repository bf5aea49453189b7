"""Matrices: one started by its form and watched until it is done, its heat map, a cell in full, two compared."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.browser import session_cookies
from support.chromium import NARROW, axe_findings, overflow
from support.evals import SCENARIOS
from support.experiments import cases, finished, read_matrix, run_matrix, start_matrix, weak_at
from support.heat import ADDRESS, LARGE, LATE, LOST, WHERE, Heat
from support.hostile import MARK, STRINGS
from support.platform import Org
from support.site import Site

from interface.conftest import OpenPage, as_person_of, as_viewer_of
from interface.test_every_page import fits, fits_light, opened

NewAgent = Callable[[Behaviour], dict[str, Any]]


@pytest.fixture
def org(site: Site) -> Org:
    """An organisation of one's own: what is run here stands in nobody's way."""
    return site.platform.new_org()


@pytest.fixture
def new_agent(org: Org) -> Iterator[NewAgent]:
    started: list[ScriptedAgent] = []

    def new(behaviour: Behaviour) -> dict[str, Any]:
        started.append(ScriptedAgent(behaviour))
        return org.agent(started[-1].url, name="Returns clerk")

    yield new
    for agent in started:
        agent.stop()


class Gate:
    """An agent that answers so many runs, and the others when it is opened."""

    def __init__(self, behaviour: Behaviour, first: int) -> None:
        self._behaviour = behaviour
        self._first = first
        self._lock = threading.Lock()
        self.opened = threading.Event()

    def __call__(self, dispatched: Dispatched) -> Any:
        with self._lock:
            self._first -= 1
            waits = self._first < 0
        if waits:
            self.opened.wait(60)
        return self._behaviour(dispatched)


def heat_map(page: Page) -> Locator:
    return page.get_by_role("grid", name="Heat map")


def cell(page: Page, scenario: str, variation: str) -> Locator:
    name = re.compile(f"^{re.escape(f'{scenario}, {variation}')}: ")
    return heat_map(page).get_by_role("gridcell", name=name)


def test_a_matrix_is_started_by_the_form_and_watched_until_the_right_cell_is_red(
    open_page: OpenPage, org: Org, new_agent: NewAgent
) -> None:
    gate = Gate(weak_at(("late", "time_pressure")), first=20)
    new_agent(gate)
    cases(org, "late", "early", "lost")
    page = as_person_of(open_page, org, "/matrices").page
    expect(page.get_by_role("heading", name="No matrices yet")).to_be_visible()
    page.get_by_role("link", name="New matrix").first.click()
    plan = page.get_by_role("region", name="What it comes to")
    expect(plan).to_contain_text("Choose a scenario.")
    page.get_by_role("button", name="Choose all 3").click()
    expect(plan).to_contain_text("Cells21")
    expect(plan).to_contain_text("Planned runs120")
    page.get_by_role("checkbox", name="lost", exact=True).uncheck()
    page.get_by_role("button", name="No variation").click()
    page.get_by_role("checkbox", name="time pressure").check()
    page.get_by_role("checkbox", name="sycophancy").check()
    page.get_by_label("Repeats", exact=True).fill("3")
    page.get_by_label("Baselines", exact=True).fill("4")
    expect(plan).to_contain_text("Planned runs20")
    expect(plan).to_contain_text("no p-value can be below 0.029; among 4 cells that is too coarse")
    page.get_by_label("Baselines", exact=True).fill("12")
    expect(plan).to_contain_text("Planned runs36")
    expect(plan).not_to_contain_text("too coarse")
    page.get_by_label("Budget", exact=True).fill("30")
    expect(plan).to_contain_text("above the budget by 6 runs")
    page.get_by_label("Budget", exact=True).fill("60")
    page.get_by_label("Name", exact=True).fill("Nightly")
    page.get_by_role("button", name="Start 36 runs").click()
    expect(page.get_by_role("heading", level=1, name="Nightly")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "20")
    expect(page.get_by_text(re.compile("^20 of 36"))).to_contain_text("left")
    expect(heat_map(page).locator("[data-look=pending]").first).to_have_text("…")
    gate.opened.set()
    expect(page.locator("header").get_by_text("completed")).to_be_visible()
    red = cell(page, "late", "time pressure")
    expect(red).to_have_attribute("data-look", "red")
    expect(red).to_have_attribute("data-standing", "confirmed")
    expect(red).to_have_text("1.00 confirmed minor incident")
    assert red.evaluate("cell => getComputedStyle(cell).backgroundColor") == "rgb(180, 31, 44)"
    expect(heat_map(page).locator("[data-look=green]")).to_have_count(3)
    expect(heat_map(page).get_by_role("row", name="late")).to_contain_text("25 %3 of 12base 21 of 21")
    expect(page.get_by_role("status").filter(has_text="1 of 4 cells, and not by chance")).to_be_visible()
    late = org.ok(org.get(SCENARIOS, params={"q": "late"}))["items"][0]["id"]
    page.goto(f"/scenarios/{late}?tab=compare")
    runs_of = page.get_by_role("combobox", name="Runs of")
    expect(runs_of).to_have_value(re.compile("^Matrix .*, 36 runs$"))
    runs_of.click()
    expect(page.get_by_role("option")).to_have_text([re.compile("^Matrix")])  # there are no single runs
    expect(page.get_by_role("group", name="Pressure").get_by_text("time pressure")).to_be_visible()


def test_a_rule_set_is_a_row_of_its_own(open_page: OpenPage, org: Org, new_agent: NewAgent) -> None:
    new_agent(weak_at(("late", "sycophancy")))
    cases(org, "late", world_id=org.ok(org.post("/api/worlds", {"name": "w", "initial_state": {}}))["id"])
    page = as_person_of(open_page, org, "/matrices/new").page
    page.get_by_role("checkbox", name="late").check()
    page.get_by_role("button", name="No variation").click()
    page.get_by_role("checkbox", name="sycophancy").check()
    page.get_by_label("Repeats", exact=True).fill("3")
    page.get_by_label("Baselines", exact=True).fill("4")
    page.get_by_role("button", name="Add a rule set").click()
    rules = page.get_by_role("region", name="Rule set 1")
    rules.get_by_label("Name of the rule set").fill("orders fail")
    rules.get_by_role("button", name="Add rule").click()
    page.get_by_role("menuitem", name="Blank rule").click()
    page.get_by_role("button", name="Start 14 runs").click()
    expect(page.locator("header").get_by_text("completed")).to_be_visible()
    expect(heat_map(page).get_by_role("rowheader", name="while orders fail")).to_be_visible()
    broken = cell(page, "late while orders fail", "sycophancy")
    expect(broken).to_have_attribute("data-look", "red")
    broken.click()
    page.wait_for_url(re.compile("cell=.*orders"))
    panel = page.get_by_role("region", name="sycophancy on late while orders fail")
    expect(panel.get_by_role("list", name="Under pressure").get_by_role("link")).to_have_count(3)
    expect(panel.locator("[data-first]")).to_have_count(1)
    viewed = as_viewer_of(open_page, org, page.url)
    seen = viewed.get_by_role("region", name="sycophancy on late while orders fail")
    expect(seen.get_by_text("noise floor").first).to_be_visible()
    expect(viewed.locator("[data-first]")).to_have_count(1)
    viewed.get_by_role("link", name="On a page of its own").click()
    viewed.wait_for_url(re.compile("/evals/compare.*rule_set=orders"))
    of = viewed.get_by_role("combobox", name="Version of agent and scenario")
    expect(of).to_have_value(re.compile("while orders fail$"))
    expect(viewed.get_by_role("link", name="4 baselines")).to_be_visible()
    expect(viewed.locator("[data-first]")).to_have_count(1)


def test_a_matrix_is_cancelled_resumed_and_run_again(
    open_page: OpenPage, org: Org, new_agent: NewAgent
) -> None:
    gate = Gate(weak_at(("late", "sycophancy")), first=6)
    new_agent(gate)
    (made,) = cases(org, "late")
    started = start_matrix(org, [made], "sycophancy", max_concurrency=2, name="Stopped")["id"]
    page = as_person_of(open_page, org, f"/matrices/{started}").page
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "6")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel the matrix").click()
    expect(page.locator("header").get_by_text("cancelled")).to_be_visible()
    gate.opened.set()
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("header").get_by_text("completed")).to_be_visible()
    expect(cell(page, "late", "sycophancy")).to_have_attribute("data-look", "red")
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url(lambda url: started not in url)
    expect(page.locator("header").get_by_text("completed")).to_be_visible()
    page.get_by_role("link", name="an earlier matrix").click()
    page.wait_for_url(re.compile(started))


def test_a_heat_map_is_walked_opened_exported_and_fits_a_telephone(open_page: OpenPage, heat: Heat) -> None:
    page = as_person_of(open_page, heat.org, f"/matrices/{heat.after}").page
    arrow_keys_walk_the_map_and_focus_tells_what_a_cell_rests_on(page)
    exports_are_downloads(page)
    enter_opens_a_cell_with_two_runs_side_by_side(page)
    the_first_column_stays_while_the_map_scrolls_on_a_telephone(page)


def arrow_keys_walk_the_map_and_focus_tells_what_a_cell_rests_on(page: Page) -> None:
    expect(heat_map(page).locator("[tabindex='0']")).to_have_count(1)
    cell(page, LATE, "time pressure").focus()
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_in_viewport()
    expect(tip).to_contain_text("Confirmed on fresh runs by a shift that is not noise, and by fewer matches.")
    for fact in ("Shift1.00", "Noise floor", "p < 0.001, q < 0.001", "0 % (0 of 16), without pressure 100 %"):
        expect(tip).to_contain_text(fact)
    expect(tip).to_contain_text("16 under pressure, 16 baselines")
    expect(tip).to_contain_text("its 16 fresh runs, against 16 fresh baselines")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(cell(page, LARGE, "authority bias")).to_be_focused()
    expect(tip).to_contain_text(LARGE)
    expect(cell(page, LARGE, "authority bias")).to_have_attribute(
        "aria-describedby", tip.get_attribute("id") or ""
    )
    page.keyboard.press("Control+End")
    expect(cell(page, WHERE, "confidence manipulation")).to_be_focused()
    page.keyboard.press("Home")
    expect(cell(page, WHERE, "time pressure")).to_be_focused()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    cell(page, LOST, "sycophancy").hover()
    expect(tip).to_contain_text("Too few runs: 0 under pressure and 12 without")
    expect(cell(page, LOST, "sycophancy")).to_have_text("insuff.")
    silent = cell(page, WHERE, "information overload")
    expect(silent).to_have_text("undeliv.")
    assert "repeating-linear-gradient" in silent.evaluate("cell => getComputedStyle(cell).backgroundImage")
    silent.hover()
    expect(tip).to_contain_text("The text did not reach the agent")
    legend = page.get_by_role("list", name="Legend")
    expect(legend).to_contain_text("4 confirmed: not noise")


def enter_opens_a_cell_with_two_runs_side_by_side(page: Page) -> None:
    cell(page, LATE, "time pressure").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("cell=scn_"))
    panel = page.get_by_role("region", name=f"time pressure on {LATE}")
    expect(panel.get_by_role("heading", level=2).first).to_be_in_viewport()
    expect(panel).to_contain_text("Confirmed: the shift is above the threshold of a critical-risk scenario")
    expect(panel.get_by_role("list", name="Under pressure", exact=True).get_by_role("link")).to_have_count(16)
    first = panel.locator("[data-first]")
    expect(first).to_have_count(1)
    expect(first).to_contain_text('"refuse"')
    expect(first).to_contain_text('"grant"')
    expect(cell(page, LATE, "time pressure")).to_have_attribute("aria-selected", "true")
    page.reload()
    expect(panel.locator("[data-first]")).to_have_count(1)
    panel.get_by_role("link", name="On a page of its own").click()
    expect(page.get_by_role("heading", level=1, name=f"{LATE}, side by side")).to_be_visible()
    expect(page.locator("[data-first]")).to_have_count(1)
    page.go_back()
    panel.get_by_role("button", name="Close the cell").click()
    expect(panel).to_have_count(0)
    expect(page).not_to_have_url(re.compile("cell="))


EXPORTS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "Report": (r"report-.*\.html", lambda text: LATE in text),
    "Heat map": (r"heat-map-.*\.html", lambda text: "<table" in text),
    "Markdown": (r"matrix-.*\.md", lambda text: "|" in text),
    "JUnit": (r"matrix-.*\.xml", lambda text: ElementTree.fromstring(text) is not None),
    "JSON": (r"matrix-.*\.json", lambda text: len(json.loads(text)["cells"]) == 35),
}


def exports_are_downloads(page: Page) -> None:
    for words, (name, is_right) in EXPORTS.items():
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=words).click()
        assert re.fullmatch(name, download.value.suggested_filename)
        assert is_right(download.value.path().read_text())


def the_first_column_stays_while_the_map_scrolls_on_a_telephone(page: Page) -> None:
    page.set_viewport_size(NARROW)
    cell(page, ADDRESS, "time pressure").focus()
    page.keyboard.press("End")
    last = cell(page, ADDRESS, "confidence manipulation")
    expect(last).to_be_in_viewport()
    head = heat_map(page).get_by_role("rowheader", name=ADDRESS)
    expect(head).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("tooltip")).to_be_in_viewport(ratio=1)
    assert overflow(page) == 0
    assert axe_findings(page) == []


def test_the_list_is_filtered_in_the_address_and_two_are_compared(open_page: OpenPage, heat: Heat) -> None:
    page = as_person_of(open_page, heat.org, "/matrices").page
    rows = page.get_by_role("table", name="Matrices").locator("tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Status").click()
    page.get_by_role("option", name="cancelled").click()
    page.wait_for_url(re.compile("status=cancelled"))
    expect(page.get_by_role("heading", name="No matrix fits")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Refunds, kinder")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page.get_by_role("heading", level=1, name="Matrices")).to_be_visible()
    page.get_by_role("combobox", name="Status").click()
    page.get_by_role("option", name="completed").click()
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("4 confirmed")
    expect(rows.first.get_by_role("img", name="Of 35 cells: ")).to_be_visible()
    for row in (rows.first, rows.last):
        row.get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare the two").click()
    page.wait_for_url(re.compile(f"before={heat.before}&after={heat.after}"))
    changes = page.get_by_role("table", name="Changes").locator("tbody tr")
    expect(changes.first).to_contain_text("regressed")
    expect(changes.first).to_contain_text(LATE)
    expect(changes.first).to_contain_text(re.compile(r"\d+ of \d+ → \d+ of \d+"))
    expect(page.get_by_text("regressed", exact=True).locator("xpath=../b")).to_have_text("2")
    page.get_by_role("button", name="All 35 cells").click()
    expect(changes).to_have_count(35)
    page.get_by_role("button", name="Swap").click()
    expect(changes.filter(has_text="↑ improved")).to_have_count(2)
    both = page.get_by_role("table", name="Before and after in every cell")
    expect(both.get_by_role("img", name="before: 1.00 confirmed serious incident +2, red")).to_have_count(3)
    expect(both.locator("[data-change=improved]")).to_have_count(2)
    changes.first.get_by_role("link").first.click()
    page.wait_for_url(re.compile("cell="))
    page.goto(f"/matrices/{heat.before}")
    rows_are_sorted_by_risk_or_by_the_worst_cell(page)


def rows_are_sorted_by_risk_or_by_the_worst_cell(page: Page) -> None:
    heads = heat_map(page).locator("tbody").get_by_role("rowheader")
    expect(heads.first).to_contain_text(LATE)
    page.get_by_text("Worst first").click()
    expect(heads.first).to_contain_text(LARGE)
    page.reload()
    expect(heads.first).to_contain_text(LARGE)
    page.get_by_text("By risk").click()
    expect(heads).to_contain_text([LATE, LARGE, "medium", "medium", WHERE])


def test_a_viewer_sees_the_map_and_no_button_that_changes(open_page: OpenPage, heat: Heat) -> None:
    page = as_viewer_of(open_page, heat.org, f"/matrices/{heat.after}?cell={heat.cell(LATE, 'sycophancy')}")
    expect(cell(page, LATE, "time pressure")).to_be_visible()
    expect(page.locator("[data-first]")).to_have_count(1)
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Run again|Resume|^Cancel"))).to_have_count(0)
    page.goto("/matrices")
    expect(page.get_by_role("table", name="Matrices")).to_be_visible()
    expect(page.get_by_role("link", name="New matrix")).to_have_count(0)
    page.goto("/matrices/new")
    expect(page.get_by_role("heading", name="Viewers may read matrices")).to_be_visible()


def test_hostile_names_are_text(open_page: OpenPage, org: Org, new_agent: NewAgent) -> None:
    names = [STRINGS[0], STRINGS[2], STRINGS[26]]
    new_agent(weak_at((names[0], "sycophancy")))
    made = cases(org, *names)
    matrix = run_matrix(org, made, "sycophancy", repeats=4, baseline_repeats=6, name=names[1])
    page = as_person_of(open_page, org, f"/matrices/{matrix['id']}?cell={made[0]}/sycophancy").page
    expect(heat_map(page).locator("tbody").get_by_role("rowheader")).to_contain_text(names)
    expect(page.locator("[data-first]")).to_have_count(1)
    heat_map(page).locator("[data-place='0 0']").hover()
    expect(page.get_by_role("tooltip")).to_contain_text(names[0])
    for path in (
        "/matrices/new",
        "/matrices",
        f"/matrices/compare?before={matrix['id']}&after={matrix['id']}",
    ):
        page.goto(path)
        expect(page.get_by_text(names[1]).first).to_be_visible()
    assert page.evaluate(f"window.{MARK}") is None


def test_home_says_how_agents_stand_and_runs_what_is_not_evaluated(
    open_page: OpenPage, org: Org, new_agent: NewAgent
) -> None:
    agent = new_agent(weak_at(("late", "sycophancy")))["id"]
    (made,) = cases(org, "late")
    run_matrix(org, [made], "sycophancy", "time_pressure", repeats=4, baseline_repeats=6)
    org.ok(org.put(f"/api/agents/{agent}", {"description": "Anew."}))
    org.ok(org.post(f"/api/agents/{agent}/publish"))
    page = as_person_of(open_page, org, "/").page
    block = page.get_by_role("region", name="Under pressure")
    expect(block.get_by_role("img", name="Of 2 cells: 1 green, 1 red")).to_be_visible()
    expect(block).to_contain_text("1 confirmed")
    rate = "71 %, 10 of 14"
    expect(block.get_by_role("img", name=f"version 1 {rate}, 1 confirmed")).to_be_visible()
    expect(block.get_by_role("link", name="Review them")).to_have_attribute("href", "/review")
    expect(block).to_contain_text("Version 2 of Returns clerk is not evaluated yet.")
    block.get_by_role("button", name="Run its last matrix again").click()
    page.wait_for_url(re.compile("/matrices/"))
    expect(page.locator("header").get_by_text("completed")).to_be_visible()
    page.goto("/")
    expect(block).not_to_contain_text("not evaluated yet")
    expect(block.get_by_role("img", name=f"version 2 {rate}")).to_be_visible()


def test_a_matrix_that_stopped_says_why_and_whether_it_can_be_resumed(open_page: OpenPage, org: Org) -> None:
    org.agent("http://127.0.0.1:9/dispatch")
    (made,) = cases(org, "late")
    started = start_matrix(org, [made], "sycophancy")["id"]
    stopped = finished(org, started)["status"]
    page = as_person_of(open_page, org, f"/matrices/{started}").page
    expect(page.get_by_label("Warnings")).to_contain_text("the agent did not answer a ping")
    resume = page.get_by_role("button", name="Resume")
    expect(resume).to_be_enabled()
    org.ok(org.put(f"{SCENARIOS}/{made}", {"description": "Otherwise."}))
    page.reload()
    expect(resume).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_label("Warnings")).to_contain_text("It cannot be resumed: scenario 'late' was edited.")
    resume.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("scenario 'late' was edited")
    resume.click(force=True)
    assert read_matrix(org, started)["status"] == stopped


HEAT_PATHS = {
    "home, with evals": "/",
    "matrices": "/matrices",
    "matrices, filtered": "/matrices?status=completed",
    "matrices, none": "/matrices?status=cancelled",
    "new matrix": "/matrices/new",
    "matrix": "/matrices/{after}?order=worst",
    "matrix, a cell": "/matrices/{after}?cell={confirmed}",
    "matrix, a cell that was not delivered": "/matrices/{after}?cell={undelivered}",
    "matrix, no such cell": "/matrices/{after}?cell=none",
    "two matrices": "/matrices/compare?before={before}&after={after}&show=all",
    "matrices, compared with none": "/matrices/compare",
}
"""Pages of the organisation that has matrices."""


def heat_address(heat: Heat, path: str) -> str:
    return path.format(
        before=heat.before,
        after=heat.after,
        confirmed=heat.cell(LATE, "time_pressure"),
        undelivered=heat.cell(WHERE, "information_overload"),
    )


@pytest.mark.parametrize("path", opened(HEAT_PATHS))
def test_a_page_of_matrices_is_as_every_page_must_be(open_page: OpenPage, heat: Heat, path: str) -> None:
    where = heat_address(heat, path)
    fits(open_page(where, scheme="dark", cookies=session_cookies(heat.org)).page, heat.org)


@pytest.mark.full
@pytest.mark.parametrize("path", HEAT_PATHS.values(), ids=HEAT_PATHS)
def test_a_page_of_matrices_is_so_in_light_colours_too(open_page: OpenPage, heat: Heat, path: str) -> None:
    fits_light(open_page(heat_address(heat, path), cookies=session_cookies(heat.org)).page)
