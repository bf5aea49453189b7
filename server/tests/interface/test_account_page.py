"""One's own password and keys, and the people of the organisation."""

import httpx
from playwright.sync_api import expect
from support.browser import new_link
from support.site import Site

from interface.conftest import OpenPage


def test_a_key_is_shown_once_and_works(open_page: OpenPage, site: Site) -> None:
    page = open_page("/account?tab=keys").page
    page.get_by_label("Name").fill("from the browser")
    page.get_by_role("button", name="Make a key").click()
    made = page.get_by_role("status").filter(has_text="shown this once")
    key = made.locator("code").inner_text()
    answer = httpx.get(f"{site.url}/api/org", headers={"X-API-Key": key}, trust_env=False)
    assert answer.json()["name"] == "Harbour Goods"
    page.get_by_role("button", name="I have it").click()
    expect(page.get_by_text(key)).to_have_count(0)


def test_a_person_sets_a_password_and_signs_in_with_it(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("Third", "ida@third.example")
    watched = open_page(f"/signin#{new_link(org)}", anonymous=True)
    watched.expected = ["401"]
    page = watched.page
    page.get_by_role("button", name="Sign in to Odyssey").click()
    page.get_by_role("navigation", name="Main").wait_for()
    page.goto("/account")
    page.get_by_label("New password", exact=True).fill("correct horse battery")
    with page.expect_response("**/api/auth/password") as changed:
        page.get_by_role("button", name="Set password").click()
    assert changed.value.ok
    page.get_by_role("button", name="Sign out").first.click()
    page.get_by_label("E-mail").fill("ida@third.example")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Home")).to_be_visible()


def test_an_admin_adds_a_person_and_the_audit_log_says_so(open_page: OpenPage, site: Site) -> None:
    page = open_page("/account?tab=people").page
    page.get_by_label("E-mail").fill("new@harbour.example")
    page.get_by_role("button", name="Add").first.click()
    expect(page.get_by_text("new@harbour.example").first).to_be_visible()
    page.get_by_role("tab", name="Audit log").click()
    expect(page.get_by_text("person.create").first).to_be_visible()
