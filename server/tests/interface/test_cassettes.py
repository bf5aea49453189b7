"""Cassettes: recorded from a run, looked into, replayed, compared with the live tools."""

import re

from playwright.sync_api import Page, expect
from support.agents import ScriptedAgent
from support.chromium import Watched
from support.live_org import LIVE_TOOLS, DescribedShop, LiveOrg, shop_assistant
from support.live_shop import Request, agent_of
from support.platform import Org
from support.site import Site

from interface.conftest import OpenPage, as_person_of, as_viewer_of


def opened(open_page: OpenPage, org: Org, path: str) -> Page:
    watched: Watched = as_person_of(open_page, org, path)
    watched.expected = ["422", "409"]
    return watched.page


def test_a_run_is_recorded_and_its_calls_are_kept(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = opened(open_page, live_org.org, f"/runs/{live_org.run}")
    page.get_by_role("button", name="Record cassette").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("5 passthrough calls of the last attempt")
    dialog.get_by_label("Name").fill("Recorded here")
    dialog.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Recorded here")).to_be_visible()
    calls = page.get_by_role("list", name="Recorded calls").get_by_role("listitem")
    expect(calls).to_have_count(5)
    expect(calls.nth(0)).to_contain_text(re.compile("get_order.*HTTP 200.*ord_7"))
    expect(calls.nth(2)).to_contain_text("HTTP 404")
    calls.nth(3).get_by_role("button").click()
    expect(page).to_have_url(re.compile("call="))
    page.reload()
    expect(page.get_by_role("region", name="Why there is no answer")).to_contain_text("upstream_5xx")
    calls.nth(3).get_by_role("button").press("ArrowUp")
    expect(page.get_by_role("region", name="response")).to_contain_text("no such order")
    expect(page.get_by_role("link", name=re.compile(rf"run {live_org.run}, step \d+"))).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the cassette").click()
    table = page.get_by_role("table", name="Cassettes")
    expect(table).to_contain_text("A day at the shop")
    expect(table).not_to_contain_text("Recorded here")


def test_it_is_replayed_without_the_network_and_compared_with_the_live_tools(
    open_page: OpenPage, site: Site
) -> None:
    org = site.platform.new_org("Replayed")
    shop, server = DescribedShop(), ScriptedAgent(shop_assistant)
    org.ok(org.post("/api/tool-endpoints", shop.described()))
    agent = org.agent(server.url, name="Shop assistant", **agent_of(*LIVE_TOOLS[:2]))
    run = org.run(agent, user_instruction="Look after order ord_7.")["id"]
    asked = len(shop.asked)
    org.ok(org.post("/api/cassettes", {"name": "Once more", "run_id": run}))
    page = opened(open_page, org, "/cassettes")
    page.get_by_role("link", name="Once more").click()
    page.get_by_role("link", name="Replay in a new run").click()
    panel = page.get_by_role("region", name="Live tools")
    expect(panel).to_contain_text("get_order, add_note: answered as they were, without the network.")
    expect(panel.get_by_role("combobox", name="Cassette")).to_have_value(re.compile("Once more"))
    panel.get_by_label("Match").select_option("lenient")
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_role("region", name="About this run")).to_contain_text(
        "from Once more lenient, a miss fails"
    )
    replayed = page.get_by_role("listbox", name="Steps").get_by_role("option").filter(has_text="replayed")
    expect(replayed).to_have_count(4)
    replayed.first.click()
    page.get_by_role("link", name="a cassette, without the network").click()
    expect(page.get_by_role("heading", level=1, name="Once more")).to_be_visible()
    assert len(shop.asked) == asked
    it_is_compared_with_the_live_tools_by_path(page, shop)
    shop.stop()
    server.stop()


def it_is_compared_with_the_live_tools_by_path(page: Page, shop: DescribedShop) -> None:
    def changed(request: Request) -> object:
        answer = shop.reply(request)
        return answer | {"state": "lost", "carrier": "gull"} if isinstance(answer, dict) else answer

    shop.behaviour = changed
    asked = len(shop.asked)
    page.get_by_role("tab", name="Compare with the live tools").click()
    page.get_by_role("button", name="Ask the live tools again").click()
    expect(page.get_by_role("status").filter(has_text="4 of 4 compared")).to_contain_text("1 changed")
    report = page.get_by_role("list", name="Compared calls").get_by_role("listitem")
    expect(report.first).to_contain_text(re.compile(r"\$\['state'\]|\$\.state"))
    expect(report.first).to_contain_text('"shipped"')
    expect(report.first).to_contain_text('"lost"')
    expect(report.first).to_contain_text("carrier")
    expect(page.get_by_role("list", name="Compared calls")).to_contain_text("not asked")
    assert {request.method for request in shop.asked[asked:]} == {"GET"}
    page.get_by_label("Also what may change something").check()
    with page.expect_response("**/diff"):
        page.get_by_role("button", name="Ask the live tools again").click()
    expect(report.filter(has_text="get_order")).to_have_count(3)
    expect(page.get_by_role("list", name="Compared calls")).not_to_contain_text("not asked")
    assert "POST" in {request.method for request in shop.asked[asked:]}


def test_the_choice_of_a_cassette_is_made_in_the_form(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = opened(open_page, live_org.org, f"/runs/new?agent_id={live_org.agent['id']}")
    panel = page.get_by_role("region", name="Live tools")
    expect(panel).to_contain_text("each call goes out, with its real effects")
    panel.get_by_role("radio", name="Played from a cassette").press("Space")
    page.get_by_label("User instruction").fill("Look after order ord_7.")
    start = page.get_by_role("region", name="Start")
    expect(start.get_by_role("status")).to_contain_text("choose a cassette")
    panel.get_by_role("combobox", name="Cassette").click()
    page.get_by_role("option", name=re.compile("A day at the shop")).click()
    expect(start.get_by_role("status")).to_contain_text("The server accepts this.")
    panel.get_by_label("On a miss").select_option("capture")
    expect(panel).to_contain_text("asked live, and added to it")


def test_viewers_look_at_cassettes_and_change_nothing(open_page: OpenPage, live_org: LiveOrg) -> None:
    page = as_viewer_of(open_page, live_org.org, "/cassettes")
    page.get_by_role("link", name="A day at the shop").click()
    expect(page.get_by_role("list", name="Recorded calls").get_by_role("listitem")).to_have_count(5)
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    page.get_by_role("tab", name="Compare with the live tools").click()
    expect(page.get_by_role("button", name="Ask the live tools again")).to_be_disabled()
