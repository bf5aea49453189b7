"""What a page shows while it waits, when it is refused, and when nobody answers."""

import json

import pytest
from playwright.sync_api import Route, expect
from support.chromium import Watched
from support.live_org import LiveOrg

from interface.conftest import OpenPage, as_person_of

ON_FIRE = {
    "type": "urn:odyssey:problem:unavailable",
    "title": "The server is busy",
    "status": 503,
    "detail": "Try again in a moment.",
    "code": "unavailable",
    "retryable": True,
}
LISTS = {"/agents": "**/api/agents?*", "/runs": "**/api/runs?*", "/worlds": "**/api/worlds?*"}
LIVE_LISTS = {"/endpoints": "**/api/tool-endpoints?*", "/cassettes": "**/api/cassettes?*"}


@pytest.mark.parametrize(("path", "request_of_it"), LISTS.items(), ids=LISTS)
def test_a_list_waits_fails_and_is_asked_again(open_page: OpenPage, path: str, request_of_it: str) -> None:
    waits_fails_and_is_asked_again(open_page(), path, request_of_it)


@pytest.mark.parametrize(("path", "request_of_it"), LIVE_LISTS.items(), ids=LIVE_LISTS)
def test_so_does_a_list_about_live_tools(
    open_page: OpenPage, live_org: LiveOrg, path: str, request_of_it: str
) -> None:
    waits_fails_and_is_asked_again(as_person_of(open_page, live_org.org, "/"), path, request_of_it)


def waits_fails_and_is_asked_again(watched: Watched, path: str, request_of_it: str) -> None:
    watched.expected = ["503"]
    page = watched.page
    answer_now = False

    def hold_and_refuse(route: Route) -> None:
        while not answer_now:
            page.wait_for_timeout(20)
        route.fulfill(status=503, body=json.dumps(ON_FIRE))

    page.route(request_of_it, hold_and_refuse)
    page.goto(path)
    expect(page.get_by_role("status", name="Loading").first).to_be_visible()
    answer_now = True
    alert = page.get_by_role("alert").filter(has_text="The server is busy")
    expect(alert).to_contain_text("Try again in a moment.")
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    page.unroute(request_of_it)
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("table").locator("tbody tr").first).to_be_visible()


def test_a_server_that_is_gone_is_told_from_one_that_refuses(open_page: OpenPage) -> None:
    watched = open_page("/agents")
    watched.expected = ["ERR_FAILED", "cannot be reached"]
    page = watched.page
    page.get_by_role("table", name="Agents").wait_for()
    page.route("**/api/**", lambda route: route.abort())
    page.goto("/runs")
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("The server cannot be reached. Is it still running?")
    page.unroute("**/api/**")
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("table", name="Runs").locator("tbody tr").first).to_be_visible()
