"""Behaviours: lines are read while they are written, tried before they are saved, and kept as they stand."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.chromium import axe_findings, write_over
from support.desk import desk_state
from support.site import Site

from interface.conftest import OpenPage, as_viewer_of

GUARD = 'update_order only when order.status == "pending" else conflict "Order {order.order_id} has left"'
PROSE = "Be slow on Mondays, as the harbour is."
IMAGE = '<img src=x onerror="window.hurt=1">'


def keep(site: Site, name: str, behaviour: str = "") -> dict[str, Any]:
    body = {"name": name, "initial_state": desk_state(), "behavior_instructions": behaviour}
    world: dict[str, Any] = site.org.ok(site.org.post("/api/worlds", body))
    return world


def path_of(site: Site, world: dict[str, Any], tool: str = "update_order") -> str:
    return f"/worlds/{world['id']}?tab=behaviour&agent={site.desk.agent['id']}&tool={tool}"


def kept(site: Site, world: dict[str, Any]) -> str:
    text: str = site.org.ok(site.org.get(f"/api/worlds/{world['id']}"))["behavior_instructions"]
    return text


def lines_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Behaviour instructions")


def left(page: Page) -> Locator:
    return page.get_by_role("list", name="Lines left to the model").get_by_role("listitem")


def understood(page: Page, words: str) -> None:
    expect(page.get_by_role("status").filter(has_text="understood")).to_have_text(words)


def test_lines_are_read_when_writing_pauses_and_not_lost_by_a_click(open_page: OpenPage, site: Site) -> None:
    page = open_page(path_of(site, keep(site, "Unknown tool"))).page
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(request.url) if "/behaviors/read" in request.url else None
    )
    lines_of(page).click()
    line = 'get_order fails when order.status == "refunded"'
    page.keyboard.type(line)
    understood(page, "1 line understood.")
    assert 1 <= len(asked) < len(line) / 2
    write_over(lines_of(page), GUARD.replace("update_order", "updat_order"))
    expect(left(page)).to_contain_text(["updat_order"])
    expect(left(page)).to_contain_text(["did you mean 'update_order'?"])
    expect(page.locator(".cm-lintRange-warning")).to_have_text("updat_order")
    lines_of(page).press("Control+Home")
    for _ in "updat":
        page.keyboard.press("ArrowRight")
    page.keyboard.type("e")
    expect(left(page)).to_have_count(0)
    understood(page, "1 line understood.")
    at_cursor = page.get_by_role("region", name="The line at the cursor")
    expect(at_cursor).to_contain_text('update_order is refused unless order.status == "pending"')
    expect(at_cursor).to_contain_text("only_when")
    page.get_by_role("tab", name="Raw").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    page.get_by_role("tab", name="Behaviour").click()
    expect(lines_of(page)).to_contain_text(GUARD)
    page.get_by_role("button", name="Discard").click()
    expect(lines_of(page)).not_to_contain_text("has left")


def test_lines_that_cannot_be_checked_are_written_all_the_same(open_page: OpenPage, site: Site) -> None:
    world = keep(site, "Unchecked")
    watched = open_page(path_of(site, world))
    watched.expected = ["ERR_FAILED"]
    page = watched.page
    page.route("**/api/behaviors/read", lambda route: route.abort())
    write_over(lines_of(page), GUARD)
    expect(page.get_by_role("alert").filter(has_text="The server cannot be reached")).to_be_visible()
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        page.get_by_role("button", name="Save behaviour").click()
    assert kept(site, world) == GUARD


def test_lines_are_left_to_the_model_taken_from_the_legend_or_pasted_as_rules(
    open_page: OpenPage, site: Site
) -> None:
    world = keep(site, "Prose", f"# A harbour\n{GUARD}\n{PROSE}")
    watched = open_page(path_of(site, world))
    watched.expected = ["422"]
    page = watched.page
    understood(page, "1 line understood, 1 left to a model (no effect without one).")
    expect(left(page)).to_contain_text(["left to a model (no effect without one)"])
    left(page).get_by_role("button", name="Line 3").click()
    expect(lines_of(page)).to_be_focused()
    page.keyboard.type(" And on Sundays.")
    expect(lines_of(page)).to_contain_text(f"{PROSE} And on Sundays.")
    about = page.get_by_role("region", name="About this world")
    expect(about).to_contain_text("1 line left to a model (no effect without one)")
    rules_written_as_json_become_lines(page)
    lines_are_taken_from_the_legend_and_shown_as_rules(page)


def rules_written_as_json_become_lines(page: Page) -> None:
    write_over(lines_of(page), '[{"tools": ["get_order"], "return": "order"}]')
    expect(page.get_by_role("alert").filter(has_text="did you mean")).to_contain_text("returns")
    write_over(lines_of(page), '[{"tools": ["get_order"], "returns": "order"}]')
    page.get_by_role("button", name="Show the lines").click()
    expect(lines_of(page)).to_have_text("get_order returns order")
    understood(page, "1 line understood.")


def lines_are_taken_from_the_legend_and_shown_as_rules(page: Page) -> None:
    page.get_by_role("button", name="What a line can say").click()
    examples = page.get_by_role("list", name="What a line can say").get_by_role("button")
    examples.first.wait_for()
    acts = examples.count()
    for number in range(acts):
        examples.nth(number).click()
    expect(left(page)).to_have_count(0)
    understood(page, f"{acts + 1} lines understood.")
    page.get_by_role("radio", name="Structured").press("Space")
    rules = page.get_by_role("region", name="the behaviour as rules")
    expect(rules).to_contain_text("changes_nothing_else")
    expect(rules).to_contain_text("fails_when")
    assert axe_findings(page) == []


def test_a_guard_refuses_before_it_is_saved_and_then_it_is_saved(open_page: OpenPage, site: Site) -> None:
    world = keep(site, "Guarded")
    page = open_page(path_of(site, world)).page
    write_over(lines_of(page), GUARD)
    understood(page, "1 line understood.")
    trying = page.get_by_role("region", name="Try it")
    trying.get_by_label("order_id").fill("ord_1002")
    trying.get_by_label("status").select_option("cancelled")
    page.keyboard.press("Control+Enter")
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("refused")
    expect(answer).to_contain_text("Order ord_1002 has left")
    expect(answer).to_contain_text("refused by behaviour line 1")
    expect(answer.get_by_text("world", exact=True)).to_be_visible()
    expect(answer.get_by_label("Confidence")).to_be_visible()
    trying.get_by_label("order_id").fill("ord_1003")
    lines_of(page).press("Control+Enter")
    expect(answer.get_by_role("article", name="ord_1003 changed")).to_contain_text('"pending" → "cancelled"')
    assert kept(site, world) == ""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        page.get_by_role("button", name="Save behaviour").click()
    expect(page.get_by_role("button", name="Save behaviour")).to_be_disabled()
    assert kept(site, world) == GUARD
    page.reload()
    understood(page, "1 line understood.")
    page.get_by_role("tab", name="Try a tool").click()
    call = page.get_by_role("region", name="Call")
    call.get_by_label("order_id").fill("ord_1002")
    call.get_by_role("button", name="Run", exact=True).click()
    expect(answer).to_contain_text("Order ord_1002 has left")


def test_hostile_lines_are_only_text(open_page: OpenPage, site: Site) -> None:
    hostile = f'{IMAGE}\nupdate_order only when order.status == "{IMAGE.replace(chr(34), "")}" else "{{{{{IMAGE[:4]}"'
    page = open_page(path_of(site, keep(site, IMAGE, hostile))).page
    understood(page, "1 line understood, 1 left to a model (no effect without one).")
    expect(left(page)).to_contain_text(["Line 1"])
    expect(lines_of(page)).to_contain_text(IMAGE)
    lines_of(page).press("Control+End")
    expect(page.get_by_role("region", name="The line at the cursor")).to_contain_text("onerror")
    lines_of(page).get_by_text("update_order").hover()
    expect(page.locator(".cm-tooltip")).to_contain_text("is refused unless")
    trying = page.get_by_role("region", name="Try it")
    trying.get_by_label("order_id").fill("ord_1002")
    trying.get_by_label("status").select_option("cancelled")
    trying.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("region", name="Answer")).to_contain_text("refused")
    assert page.locator("img[onerror], img[src=x]").count() == 0
    assert page.evaluate("window.hurt") is None


def test_a_run_is_written_with_lines_that_are_read_or_taken_from_a_world(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(f"/runs/new?agent_id={site.desk.agent['id']}").page
    write_over(lines_of(page), f"{GUARD}\n{PROSE}")
    understood(page, "1 line understood, 1 left to a model (no effect without one).")
    write_over(lines_of(page), "get_ordr removes order")
    expect(left(page)).to_contain_text(["did you mean 'get_order'?"])
    world = keep(site, "Lines taken along", f"{GUARD}\n{PROSE}")
    page.get_by_role("button", name="Discard").click()
    page.goto(f"/runs/new?world_id={world['id']}")
    held = page.get_by_role("group", name="What the world holds")
    expect(held).to_contain_text("has left")
    expect(held.get_by_role("list", name="Lines left to the model")).to_contain_text("Line 2")


def test_a_viewer_reads_the_lines(open_page: OpenPage, site: Site) -> None:
    world = keep(site, "Looked at", f"{GUARD}\n{PROSE}")
    page = as_viewer_of(open_page, site.org, path_of(site, world))
    panel = page.get_by_role("region", name="Behaviour", exact=True)
    expect(panel).to_contain_text("has left")
    expect(left(page)).to_contain_text([re.compile("Line 2.*left to a model", re.DOTALL)])
    expect(page.get_by_role("button", name="Save behaviour")).to_have_count(0)
