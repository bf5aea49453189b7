"""One's own password and keys, and the people of the organisation."""

import re

import httpx
from playwright.sync_api import expect
from support.site import Site

from interface.conftest import OpenPage, as_person_of
from interface.test_signing_in import sign_out


def test_an_admin_makes_a_key_that_is_shown_once_and_adds_a_person(open_page: OpenPage, site: Site) -> None:
    page = open_page("/account").page
    page.get_by_role("tab", name="API keys").click()
    expect(page).to_have_url(re.compile("tab=keys"))
    page.get_by_label("Name").fill("from the browser")
    page.get_by_role("button", name="Make a key").click()
    made = page.get_by_role("status").filter(has_text="shown this once")
    key = made.locator("code").inner_text()
    answer = httpx.get(f"{site.url}/api/org", headers={"X-API-Key": key}, trust_env=False, timeout=60)
    assert answer.json()["name"] == "Harbour Goods"
    page.get_by_role("button", name="I have it").click()
    expect(page.get_by_text(key)).to_have_count(0)
    page.get_by_role("tab", name="People").click()
    expect(page).to_have_url(re.compile("tab=people"))
    page.reload()
    page.get_by_label("E-mail").fill("new@harbour.example")
    page.get_by_role("button", name="Add").first.click()
    expect(page.get_by_role("cell", name="new@harbour.example", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Audit log").click()
    expect(page).to_have_url(re.compile("tab=audit"))
    page.reload()
    expect(page.get_by_text("person.create").first).to_be_visible()


def test_a_person_sets_a_password_and_signs_in_with_it(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("Third", "ida@third.example")
    watched = as_person_of(open_page, org, "/account")
    watched.expected = ["401"]
    page = watched.page
    page.get_by_label("New password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_text("Your other sessions and sign-in links have ended.")).to_be_visible()
    sign_out(page)
    page.get_by_label("E-mail").fill("ida@third.example")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Home")).to_be_visible()
