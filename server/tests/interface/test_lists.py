"""Long lists: sorted, in pages by key, and moving under a reader who is not disturbed by it."""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from sqlalchemy import text
from support.agents import Dispatched, ScriptedAgent, final
from support.site import Site

from interface.conftest import OpenPage

A_PAGE = 50


def rows(page: Page) -> Locator:
    return page.get_by_role("table", name="Runs").locator("tbody tr")


def ids(page: Page) -> list[int]:
    rows(page).first.wait_for()
    return [int(text) for text in rows(page).locator("td:first-child").all_inner_texts()]


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


@pytest.fixture
def quick(site: Site) -> Iterator[dict[str, Any]]:
    agent = ScriptedAgent(lambda _: final())
    yield site.org.agent(agent.url, name="Quick")
    agent.stop()


def test_runs_come_in_pages_that_neither_lose_nor_repeat_one_and_are_sorted_by_their_headings(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("/runs").page
    first = ids(page)
    assert len(first) == A_PAGE
    page.get_by_role("navigation", name="Pages").get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("cursor="))
    expect(page.get_by_role("region", name="Older runs")).to_be_visible()
    expect(rows(page).locator("td:first-child").first).not_to_have_text(str(first[0]))
    second = ids(page)
    query = {"limit": 200}
    newest = [run["id"] for run in site.org.ok(site.org.get("/api/runs", params=query))["items"]]
    assert first + second == newest[newest.index(first[0]) :][: len(first) + len(second)]
    page.reload()
    assert ids(page) == second
    page.get_by_role("button", name="Newest").click()
    expect(page.get_by_role("region", name="Newest runs")).to_be_visible()
    expect(rows(page).locator("td:first-child").first).to_have_text(str(first[0]))
    a_heading_sorts_the_runs_of_all_pages(page, site)


def a_heading_sorts_the_runs_of_all_pages(page: Page, site: Site) -> None:
    newest = ids(page)
    every = instructions(site)
    expect(page.get_by_role("columnheader", name="Agent").get_by_role("button")).to_have_count(0)
    assert len(every) > A_PAGE
    by_text = [run_id for run_id, _ in sorted(sorted(every, reverse=True), key=lambda run: run[1])]
    for title, direction, wanted in (
        ("Instruction", "ascending", by_text),
        ("Run", "ascending", sorted(run_id for run_id, _ in every)),
        ("Run", "descending", sorted((run_id for run_id, _ in every), reverse=True)),
    ):
        heading = page.get_by_role("columnheader", name=title, exact=True)
        heading.get_by_role("button").click()
        expect(heading).to_have_attribute("aria-sort", direction)
        expect(page.locator("[data-stale]")).to_have_count(0)
        assert ids(page) == wanted[:A_PAGE]
        if direction == "ascending":
            page.get_by_role("button", name="Next").click()
            expect(page).to_have_url(re.compile("cursor="))
            expect(rows(page).locator("td:first-child").first).to_have_text(str(wanted[A_PAGE]))
            assert ids(page) == wanted[A_PAGE : 2 * A_PAGE]
    heading.get_by_role("button").click()
    expect(heading).not_to_have_attribute("aria-sort", re.compile("."))
    assert ids(page) == newest


def instructions(site: Site) -> list[tuple[int, str]]:
    """Read every run with its instruction, by plain SQL."""
    statement = "SELECT runs.id, seed FROM runs JOIN tasks ON tasks.id = task_id WHERE runs.org_id = :org_id"
    org_id = site.org.ok(site.org.get("/api/org"))["id"]

    async def read() -> list[tuple[int, str]]:
        async with site.platform.database.read() as session:
            found = await session.execute(text(statement), {"org_id": org_id})
            return [(run_id, json.loads(seed)["user_instruction"]) for run_id, seed in found]

    return site.platform.do(read())


def test_new_runs_wait_for_a_reader_whose_hand_is_on_the_list(
    open_page: OpenPage, site: Site, quick: dict[str, Any]
) -> None:
    page = open_page("/runs").page
    expect(page.get_by_role("status").filter(has_text="live")).to_be_visible()
    rows(page).nth(1).hover()
    newest, place = ids(page)[0], top(rows(page).first)
    (run,) = site.org.start(quick, {"user_instruction": "Come quietly."})
    site.org.wait(run)
    news = page.get_by_role("button", name=re.compile("1 new run"))
    expect(news).to_be_visible()
    assert (ids(page)[0], top(rows(page).first)) == (newest, place)
    news.click()
    expect(rows(page).first).to_contain_text("Come quietly.")


def test_a_list_that_lost_its_stream_says_so_and_catches_up(
    open_page: OpenPage, site: Site, quick: dict[str, Any]
) -> None:
    watched = open_page("/favicon.svg")
    watched.expected = ["ERR_FAILED"]
    page = watched.page
    broken = threading.Event()

    def break_off(route: Route) -> None:
        route.abort() if broken.is_set() else route.fallback()

    page.route("**/api/runs/events", break_off)
    broken.set()
    page.goto("/runs")
    state = page.get_by_role("status").filter(has_text=re.compile("live|connecting"))
    expect(state).to_have_text("reconnecting…")
    (run,) = site.org.start(quick, {"user_instruction": "While nobody listened."})
    site.org.wait(run)
    broken.clear()
    expect(state).to_have_text("live")
    expect(rows(page).filter(has_text="While nobody listened.")).to_contain_text("completed")


def test_who_has_too_many_streams_open_is_told_so_and_reads(
    open_page: OpenPage, site: Site, quick: dict[str, Any]
) -> None:
    (run,) = site.org.start(quick, {"user_instruction": "Without a stream."})
    site.org.graded(run)
    watched = open_page("/favicon.svg")
    watched.expected = ["429"]
    page = watched.page
    full = {"code": "too_many_streams", "title": "Too many streams are open", "detail": "Close one."}
    page.route("**/events", lambda route: route.fulfill(status=429, json=full, headers={"Retry-After": "30"}))
    page.goto("/runs")
    state = page.get_by_role("status").filter(has_text=re.compile("live|connecting"))
    expect(state).to_have_text("not live: you have too many streams open")
    expect(rows(page).filter(has_text="Without a stream.")).to_contain_text("completed")
    page.goto(f"/runs/{run}")
    steps = page.get_by_role("listbox", name="Steps").get_by_role("option")
    expect(steps).to_have_count(len(site.org.trace(run)))


def test_a_trace_grows_inline_and_leaves_the_reader_where_he_is(open_page: OpenPage, site: Site) -> None:
    many, more = threading.Event(), threading.Event()

    def chatty(dispatched: Dispatched) -> Any:
        for number in range(40):
            dispatched.call("get_order", {"order_id": f"ord_{number}"})
            if number == 3:
                many.wait()
        more.wait()
        dispatched.call("list_orders", {"status": "late"})
        return final()

    agent = ScriptedAgent(chatty)
    try:
        (run,) = site.org.start(site.org.agent(agent.url, name="Chatty"), {"user_instruction": "Talk."})
        page = open_page(f"/runs/{run}?step=3").page
        expect(page.get_by_text("5 steps").first).to_be_visible()
        many.set()  # until now all were in sight, which is where others would follow
        expect(page.get_by_text("41 steps").first).to_be_visible()
        third = page.locator("#step-3")
        third.hover()
        before = top(third)
        more.set()
        expect(page.get_by_text("43 steps").first).to_be_visible()
        expect(page.get_by_role("region", name="Warnings")).to_be_attached()  # it came above the timeline
        assert abs(top(third) - before) < 1
        expect(page.get_by_role("region", name="Step 3")).to_be_visible()
    finally:
        many.set()
        more.set()
        agent.stop()
