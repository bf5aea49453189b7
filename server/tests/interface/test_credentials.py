"""Credentials of the organisation: written, bound to an address, never read."""

import pytest
from playwright.sync_api import Locator, Page, expect
from support.chromium import Watched
from support.live_org import SECRET, LiveOrg
from support.platform import Org
from support.site import Site

from interface.conftest import OpenPage, as_person_of, as_viewer_of


@pytest.fixture
def org(site: Site) -> Org:
    return site.platform.new_org("Credentials")


@pytest.fixture
def settings(open_page: OpenPage, org: Org) -> Watched:
    watched = as_person_of(open_page, org, "/settings")
    watched.expected = ["422", "409"]
    return watched


def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Credentials", exact=True)


def rows(page: Page) -> Locator:
    return panel(page).get_by_role("table", name="Credentials").locator("tbody tr")


def kept(org: Org) -> dict[str, tuple[str, str | None]]:
    items = org.ok(org.get("/api/credentials"))["items"]
    return {each["name"]: (each["shown"], each["origin"]) for each in items}


def test_a_credential_is_added_replaced_and_deleted_and_never_shown(settings: Watched, org: Org) -> None:
    page = settings.page
    expect(panel(page)).to_contain_text("No credentials")
    panel(page).get_by_role("button", name="Add a credential").click()
    dialog = page.get_by_role("dialog", name="Add a credential")
    dialog.get_by_label("Name").fill("not a name")
    dialog.get_by_label("Value").fill(SECRET)
    dialog.get_by_label("Address it is for").fill("https://api.example.com")
    dialog.get_by_role("button", name="Add it").click()
    expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Name").fill("SHOP_KEY")
    dialog.get_by_role("button", name="Add it").click()
    expect(dialog).to_be_hidden()
    expect(rows(page)).to_have_count(1)
    for word in ("SHOP_KEY", "****7c21", "https://api.example.com", "nothing"):
        expect(rows(page)).to_contain_text(word)

    rows(page).get_by_role("button", name="Replace").click()
    dialog = page.get_by_role("dialog", name="Replace SHOP_KEY")
    dialog.get_by_label("Address it is for").fill("https://other.example.com")
    dialog.get_by_role("button", name="Replace it").click()
    expect(dialog.get_by_text("send value again", exact=False)).to_be_visible()
    dialog.get_by_label("Value").fill("the-second-secret-of-many-0d0d")
    dialog.get_by_role("button", name="Replace it").click()
    expect(rows(page)).to_contain_text("****0d0d")
    assert kept(org) == {"SHOP_KEY": ("****0d0d", "https://other.example.com:443")}
    assert SECRET not in page.content()

    rows(page).get_by_role("button", name="Delete SHOP_KEY").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(panel(page)).to_contain_text("No credentials")
    assert kept(org) == {}


def test_one_that_an_endpoint_needs_stays_and_only_admins_are_shown_it(
    open_page: OpenPage, live_org: LiveOrg
) -> None:
    watched = as_person_of(open_page, live_org.org, "/settings")
    watched.expected = ["409"]
    page = watched.page
    expect(rows(page).get_by_role("link", name="orders-api")).to_be_visible()
    rows(page).get_by_role("button", name="Delete ORDERS_API_SECRET").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("orders-api")
    dialog.get_by_role("button", name="Keep it").click()
    rows(page).get_by_role("link", name="orders-api").click()
    expect(page.get_by_role("heading", level=1, name="orders-api")).to_be_visible()

    page = as_viewer_of(open_page, live_org.org, "/settings")
    expect(page.get_by_role("region", name="Judge model")).to_be_visible()
    expect(panel(page)).to_have_count(0)
