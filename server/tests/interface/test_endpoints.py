"""Endpoints of live tools: registered, discovered, tried, changed and deleted."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.chromium import Watched
from support.live_org import SECRET, DescribedShop, LiveOrg
from support.live_shop import DOCUMENT, agent_of, live
from support.mcp_peers import SdkPeer, text
from support.platform import Org
from support.site import Site

from interface.conftest import TOOK, OpenPage, as_person_of, as_viewer_of


@pytest.fixture
def org(site: Site) -> Org:
    return site.platform.new_org("Endpoints")


@pytest.fixture
def shop() -> Iterator[DescribedShop]:
    shop = DescribedShop()
    yield shop
    shop.stop()


def form(open_page: OpenPage, org: Org, path: str = "/endpoints/new") -> Watched:
    watched = as_person_of(open_page, org, path)
    watched.expected = ["422", "409"]
    return watched


def made(org: Org, shop: DescribedShop, **config: Any) -> str:
    endpoint: str = org.ok(org.post("/api/tool-endpoints", shop.described(**config)))["id"]
    return endpoint


def save(page: Page) -> None:
    page.get_by_role("button", name=re.compile("and discover")).click()


def tools(page: Page) -> Locator:
    return page.get_by_role("list", name="Tools", exact=True).get_by_role("listitem")


def test_an_api_is_registered_by_the_address_of_its_document_and_tried(
    open_page: OpenPage, org: Org, shop: DescribedShop
) -> None:
    page = form(open_page, org).page
    expect(page.get_by_role("radio", name="Code")).to_be_disabled()
    page.get_by_label("Name", exact=True).fill("orders-api")
    page.get_by_label("Address of the document").fill(shop.document_url)
    page.get_by_label("Base URL").fill(shop.url)
    page.get_by_role("radio", name="API key").press("Space")
    page.get_by_label("Key", exact=True).fill(SECRET)
    save(page)
    expect(page.get_by_role("heading", level=1, name="orders-api")).to_be_visible()
    expect(tools(page)).to_have_count(3)
    about = page.get_by_role("region", name="About this endpoint")
    for fact in ("OpenAPI", shop.url, "X-API-Key", "****7c21"):
        expect(about).to_contain_text(fact)
    assert SECRET not in page.content()

    tools(page).filter(has_text="addNote").get_by_role("button").click()
    detail = page.get_by_role("region", name="addNote", exact=True)
    expect(detail).to_contain_text("POST/orders/{order_id}/notes")
    expect(detail).to_contain_text("may change something")
    expect(detail.get_by_role("textbox", name="Arguments as JSON")).to_contain_text('"text": ""')
    tools(page).filter(has_text="readOrder").get_by_role("button").click()
    detail = page.get_by_role("region", name="readOrder", exact=True)
    expect(detail.get_by_role("row").filter(has_text="order_id")).to_contain_text("yes")
    detail.get_by_role("textbox", name="Arguments as JSON").fill('{"order_id": "ord_404"}')
    detail.get_by_role("button", name="Call it").click()
    expect(detail.get_by_role("status")).to_contain_text(re.compile(rf"passthrough\s*HTTP 404\s*{TOOK}"))
    expect(detail.get_by_role("region", name="response")).to_contain_text("no such order")
    assert shop.asked[-1].headers["x-api-key"] == SECRET
    arguments = detail.get_by_role("textbox", name="Arguments as JSON")
    arguments.fill('{"order_id": "ord_500"}')
    arguments.press("Control+Enter")
    why = detail.get_by_role("region", name="Why there is no answer")
    expect(why).to_contain_text("upstream_5xx")
    expect(why).to_contain_text("may have had an effect")
    expect(detail.get_by_role("status")).to_contain_text("HTTP 500")


def test_documents_are_pasted_mcp_servers_registered_and_silent_services_kept(
    open_page: OpenPage, org: Org, shop: DescribedShop
) -> None:
    page = form(open_page, org).page
    page.get_by_role("radio", name="Pasted").press("Space")
    save(page)
    expect(page.get_by_text("An endpoint needs a name.")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="Paste the document.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("pasted")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("dialog", name="Leave without saving?").get_by_role("button", name="Stay").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("pasted")
    page.get_by_label("The OpenAPI document").fill("swagger: '2.0'")
    save(page)
    expect(page.get_by_role("alert").first).to_contain_text(re.compile("openapi", re.IGNORECASE))
    page.get_by_label("The OpenAPI document").fill(json.dumps(DOCUMENT))
    page.get_by_label("Base URL").fill("http://10.1.2.3/private")
    save(page)
    expect(page.get_by_label("Base URL")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Base URL").fill(shop.url)
    save(page)
    expect(page.get_by_role("heading", level=1, name="pasted")).to_be_visible()
    expect(page.get_by_role("region", name="About this endpoint")).to_contain_text("pasted")
    expect(tools(page)).to_have_count(3)
    page.goto("/endpoints/new")
    an_mcp_server_is_registered_by_its_url(page)
    page.goto("/endpoints/new")
    a_service_nobody_answers_at_is_kept_and_said_to_be(page)


def an_mcp_server_is_registered_by_its_url(page: Page) -> None:
    peer = SdkPeer({"read_time": lambda ctx, arguments: text("noon")})
    page.get_by_label("Name", exact=True).fill("clocks")
    page.get_by_role("radio", name="MCP server").check()
    page.get_by_label("URL of the MCP server").fill(peer.url)
    save(page)
    expect(tools(page)).to_have_text(re.compile("read_time"))
    page.get_by_role("button", name="Call it").click()
    expect(page.get_by_role("group", name="response")).to_have_text("noon")
    peer.stop()


def a_service_nobody_answers_at_is_kept_and_said_to_be(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("nobody")
    page.get_by_label("Address of the document").fill("http://127.0.0.1:9/openapi.json")
    save(page)
    expect(page.get_by_role("heading", level=1, name="nobody")).to_be_visible()
    failure = page.get_by_role("region", name="Why discovery failed")
    expect(failure).to_contain_text("unreachable")
    expect(failure).to_contain_text("No tool is known yet.")
    expect(page.get_by_role("tabpanel")).to_contain_text("They have not been discovered yet.")


def test_an_endpoint_is_changed_discovered_again_and_deleted_when_nobody_needs_it(
    open_page: OpenPage, org: Org, shop: DescribedShop
) -> None:
    other = DescribedShop()
    endpoint = made(org, shop, auth={"type": "bearer", "secret": SECRET})
    page = form(open_page, org, f"/endpoints/{endpoint}/edit").page
    expect(page.get_by_text("****7c21")).to_be_visible()
    page.get_by_label("Base URL").fill(other.url)
    save(page)
    expect(page.get_by_text("send secret again")).to_be_visible()
    assert other.asked == []
    page.get_by_role("button", name="Change the token").click()
    page.get_by_label("Token", exact=True).fill("another-secret-of-more-9f9f")
    save(page)
    expect(page.get_by_role("region", name="About this endpoint")).to_contain_text("****9f9f")
    expect(page.get_by_role("region", name="About this endpoint")).to_contain_text(other.url)
    what_changed_at_the_service_is_told_by_tool_and_path(page, shop)
    while_it_is_in_use_it_is_not_deleted_and_its_users_are_named(page, org, endpoint)
    other.stop()


def what_changed_at_the_service_is_told_by_tool_and_path(page: Page, shop: DescribedShop) -> None:
    changed = page.get_by_role("region", name="What changed at the endpoint")
    page.get_by_role("button", name="Discover again").click()
    expect(page.get_by_text("3 tools, as before.")).to_be_visible()
    expect(changed).to_have_count(0)
    shop.renovate()
    page.get_by_role("button", name="Discover again").click()
    rows = changed.get_by_role("listitem")
    expect(rows.filter(has_text="readStock")).to_contain_text("new")
    expect(rows.filter(has_text="dropOrder")).to_contain_text("gone")
    expect(rows.filter(has_text="readOrder")).to_contain_text(re.compile(r"changed.*input_schema.*required"))
    expect(tools(page).filter(has_text="readStock")).to_contain_text("new")
    page.goto("/endpoints")
    expect(page.get_by_role("table", name="Endpoints").get_by_role("row").nth(1)).to_contain_text("changed")


def while_it_is_in_use_it_is_not_deleted_and_its_users_are_named(page: Page, org: Org, endpoint: str) -> None:
    agent = org.agent(
        "http://127.0.0.1:9/dispatch", name="Needs it", **agent_of(live("get_order", "readOrder"))
    )
    page.goto(f"/endpoints/{endpoint}?tab=used")
    expect(page.get_by_role("table", name="Agents that use it")).to_contain_text("get_order")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete this endpoint")
    dialog.get_by_role("button", name="Delete the endpoint").click()
    expect(dialog.get_by_role("region", name="Still in use")).to_contain_text("Needs it: get_order")
    assert org.client.delete(f"/api/agents/{agent['id']}").is_success
    dialog.get_by_role("button", name="Delete the endpoint").click()
    expect(page.get_by_role("heading", name="No endpoints yet")).to_be_visible()
    assert org.get(f"/api/tool-endpoints/{endpoint}").status_code == 404


def test_the_list_is_found_by_two_keys_filtered_sorted_and_opened(
    open_page: OpenPage, live_org: LiveOrg
) -> None:
    page = as_person_of(open_page, live_org.org, "/").page
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", level=1, name="Endpoints")).to_be_visible()
    table = page.get_by_role("table", name="Endpoints")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="orders-api")).to_contain_text("Shop assistant")
    page.get_by_label("Filter endpoints").fill("mcp")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("q=mcp"))
    page.reload()
    expect(rows).to_have_text(re.compile("clocks"))
    page.get_by_label("Filter endpoints").fill("nothing like it")
    page.get_by_role("button", name="Show all 3").click()
    table.get_by_role("columnheader", name="Tools").get_by_role("button").click()
    expect(rows.first).to_contain_text("clocks")
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="clocks")).to_be_visible()
    page.goto(f"/endpoints/{live_org.endpoint}")
    a_tool_is_found_by_name_and_stands_in_the_address(page)
    page.goto(f"/endpoints/{live_org.silent}")
    a_service_that_is_gone_keeps_what_was_known_of_it(page)


def a_tool_is_found_by_name_and_stands_in_the_address(page: Page) -> None:
    page.get_by_label("Filter tools").fill("note")
    expect(tools(page)).to_have_count(1)
    tools(page).get_by_role("button").click()
    expect(page).to_have_url(re.compile("q=note&tool=addNote|tool=addNote&q=note"))
    page.reload()
    expect(page.get_by_role("region", name="addNote", exact=True)).to_be_visible()
    expect(page.get_by_label("Filter tools")).to_have_value("note")


def a_service_that_is_gone_keeps_what_was_known_of_it(page: Page) -> None:
    failure = page.get_by_role("region", name="Why discovery failed")
    expect(failure).to_contain_text("upstream_unreachable")
    expect(failure).to_contain_text("those of the last discovery that succeeded")
    expect(tools(page)).to_have_count(3)
    page.get_by_role("button", name="Call it").click()
    expect(page.get_by_role("region", name="Why there is no answer")).to_contain_text("Nothing was sent")


def test_others_than_admins_look_and_change_nothing(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = as_viewer_of(open_page, live_org.org, f"/endpoints/{live_org.endpoint}?tool=readOrder")
    expect(page.get_by_text("Only admins may call a tool by hand.")).to_be_visible()
    for name in ("Discover again", "More", "Call it"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("region", name="About this endpoint")).to_contain_text("****7c21")
    page.goto("/endpoints/new")
    expect(page.get_by_role("heading", name="Only admins may change endpoints")).to_be_visible()
