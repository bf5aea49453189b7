"""Signing in with a browser: by link, by password, and out again."""

from urllib.parse import quote

from playwright.sync_api import Page, expect
from support.browser import new_link
from support.chromium import Watched
from support.site import Site

from interface.conftest import OpenPage

PASSWORD = "a long enough password"


def home(page: Page) -> None:
    expect(page.get_by_role("heading", level=1, name="Home")).to_be_visible()


def anonymous(open_page: OpenPage, path: str) -> Watched:
    watched = open_page(path, anonymous=True)
    watched.expected = ["401"]  # asking who is signed in, when nobody is
    return watched


def sign_out(page: Page) -> None:
    """Sign out, and wait for the page that is loaded then: what is written into the last one is lost."""
    with page.expect_event("domcontentloaded"):
        page.get_by_role("button", name="Sign out").first.click()
    page.get_by_label("E-mail").wait_for()


def test_a_link_signs_in_on_a_click_and_only_once(open_page: OpenPage, site: Site) -> None:
    path = site.signin_path()
    page = anonymous(open_page, path).page
    button = page.get_by_role("button", name="Sign in to Odyssey")
    button.wait_for()
    assert "#" not in page.url, "the token must not stay in the address"
    page.reload()
    page.goto("about:blank")
    page.goto(path)
    button.click()
    home(page)
    again = anonymous(open_page, path).page
    again.get_by_role("button", name="Sign in to Odyssey").click()
    expect(again.get_by_role("alert")).to_contain_text("A link works once, within 15 minutes.")
    expect(again.get_by_text("odyssey signin-link").first).to_be_visible()


def test_a_password_signs_in_and_a_wrong_one_says_so(open_page: OpenPage, site: Site) -> None:
    org = site.platform.new_org("Second Org", "grace@second.example")
    (person,) = org.ok(org.get("/api/people"))["items"]
    org.ok(org.put(f"/api/people/{person['id']}", {"password": PASSWORD}))
    page = anonymous(open_page, "/signin").page
    page.get_by_label("E-mail").fill("grace@second.example")
    page.get_by_label("Password", exact=True).fill("not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The e-mail address or the password is wrong.")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    home(page)
    expect(page.get_by_role("navigation", name="Main")).to_contain_text("Second Org")


def test_a_session_is_a_cookie_that_scripts_cannot_read_and_signing_out_ends_it_on_the_server(
    open_page: OpenPage, site: Site
) -> None:
    page = anonymous(open_page, f"/signin?next=/account%3Ftab%3Dkeys#{new_link(site.org)}").page
    page.get_by_role("button", name="Sign in to Odyssey").click()
    page.get_by_label("Name").fill("made with a token")
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert page.evaluate("document.cookie") == ""
    assert cookie["value"] not in page.content() + page.evaluate(
        "JSON.stringify({...localStorage, ...sessionStorage})"
    )
    changes_carry_a_token(page)
    sign_out(page)
    page.context.add_cookies([cookie])  # type: ignore[list-item] # what was read can be set
    page.goto("/runs")
    page.get_by_label("E-mail").wait_for()


def changes_carry_a_token(page: Page) -> None:
    with page.expect_request(lambda request: request.method == "POST") as made:
        page.get_by_role("button", name="Make a key").click()
    token = made.value.headers["x-csrf-token"]
    assert made.value.response().ok  # type: ignore[union-attr] # it was answered
    without = page.request.post("/api/keys", data={"name": "made without"})
    assert (without.status, without.json()["code"]) == (403, "csrf_token_invalid")
    assert page.request.post("/api/keys", data={"name": "again"}, headers={"X-CSRF-Token": token}).ok


def test_after_sign_in_it_goes_on_only_within_this_server(open_page: OpenPage, site: Site) -> None:
    """Every other way to write a foreign address is tried in next-path.test.ts."""
    wanted = quote("//foreign.example/x", safe="")
    page = anonymous(open_page, f"/signin?next={wanted}#{new_link(site.org)}").page
    page.get_by_role("button", name="Sign in to Odyssey").click()
    home(page)
    expect(page).to_have_url(f"{site.url}/")


def test_a_deep_link_asks_to_sign_in_and_then_opens(open_page: OpenPage, site: Site) -> None:
    page = anonymous(open_page, f"/runs/{site.crew_run}?step=5").page
    page.get_by_label("E-mail").wait_for()
    asked = page.url
    assert "/signin?next=" in asked
    page.goto("about:blank")
    page.goto(f"{asked}#{new_link(site.org)}")
    page.get_by_role("button", name="Sign in to Odyssey").click()
    expect(page.get_by_role("region", name="Step 5")).to_be_visible()


def test_a_session_that_ended_elsewhere_leads_to_the_sign_in_page(open_page: OpenPage) -> None:
    watched = open_page("/")
    watched.expected = ["401"]
    page = watched.page
    home(page)
    page.context.clear_cookies()
    # By a script, since the page may notice by itself and have no link left to click.
    page.evaluate("document.querySelector('nav a[href=\"/runs\"]')?.click()")
    page.get_by_label("E-mail").wait_for()
