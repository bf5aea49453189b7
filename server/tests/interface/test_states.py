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
    "detail": "Try again in a moment.",
    "code": "unavailable",
    "retryable": True,
}
ASKED_TWICE_MORE = 503
REFUSED_AT_ONCE = 500
LISTS = {"/agents": "**/api/agents?*", "/runs": "**/api/runs?*", "/worlds": "**/api/worlds?*"}
LIVE_LISTS = {"/endpoints": "**/api/tool-endpoints?*", "/cassettes": "**/api/cassettes?*"}


def test_a_list_waits_fails_and_is_asked_again(open_page: OpenPage) -> None:
    watched = open_page("/favicon.svg")
    for path, request_of_it in LISTS.items():
        status = ASKED_TWICE_MORE if path == "/runs" else REFUSED_AT_ONCE
        waits_fails_and_is_asked_again(watched, path, request_of_it, status)


@pytest.mark.full
def test_so_does_a_list_about_live_tools(open_page: OpenPage, live_org: LiveOrg) -> None:
    watched = as_person_of(open_page, live_org.org, "/favicon.svg")
    for path, request_of_it in LIVE_LISTS.items():
        waits_fails_and_is_asked_again(watched, path, request_of_it, ASKED_TWICE_MORE)


def waits_fails_and_is_asked_again(watched: Watched, path: str, request_of_it: str, status: int) -> None:
    watched.expected = [str(status) for status in (ASKED_TWICE_MORE, REFUSED_AT_ONCE)]
    page = watched.page
    held: list[Route] = []
    is_refusing = False

    def refuse(route: Route) -> None:
        route.fulfill(status=status, body=json.dumps(ON_FIRE | {"status": status}))

    def hold_or_refuse(route: Route) -> None:
        refuse(route) if is_refusing else held.append(route)

    page.route(request_of_it, hold_or_refuse)
    with page.expect_request(request_of_it):
        page.goto(path)
    expect(page.get_by_role("status", name="Loading").first).to_be_visible()
    is_refusing = True
    for route in held:
        refuse(route)
    alert = page.get_by_role("alert").filter(has_text="The server is busy")
    expect(alert).to_contain_text("Try again in a moment.")
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    page.unroute(request_of_it)
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("table").locator("tbody tr").first).to_be_visible()


def test_a_server_that_is_gone_is_told_from_one_that_refuses(open_page: OpenPage) -> None:
    watched = open_page("/favicon.svg")
    watched.expected = ["ERR_FAILED", "cannot be reached"]
    page = watched.page
    page.route("**/api/**", lambda route: route.abort())
    page.goto("/runs")
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("The server cannot be reached. Is it still running?")
    page.unroute("**/api/**")
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("table", name="Runs").locator("tbody tr").first).to_be_visible()
