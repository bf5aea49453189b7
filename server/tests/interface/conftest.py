"""Fixtures of the interface's tests: a furnished platform per worker, a browser per module, a signed-in page per test.

The browser ends with its module because Playwright keeps an event loop running in this thread while it lives, and
tests elsewhere want to run their own.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from support.browser import new_link
from support.chromium import WIDE, Scheme, Watched, chromium, sign_in
from support.platform import Org
from support.site import Site, furnished_site

from odyssey.kit.ids import new_uuid

OpenPage = Callable[..., Watched]

expect.set_options(timeout=30_000)  # a guard against hanging, not a limit of speed


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    database = tmp_path_factory.mktemp("interface") / "odyssey.db"
    with furnished_site(f"sqlite+aiosqlite:///{database}") as site:
        yield site


@pytest.fixture(scope="module")
def session_file(browser: Browser, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("session") / "state.json"
    sign_in(browser, site.url, site.signin_path(), keep_in=file)
    return file


@pytest.fixture
def open_page(browser: Browser, site: Site, session_file: Path) -> Iterator[OpenPage]:
    """Open a signed-in page in a context of its own; in the end nothing may have gone wrong on any of them."""
    opened: list[Watched] = []

    def start(
        path: str = "/", *, viewport: ViewportSize = WIDE, scheme: Scheme = "light", anonymous: bool = False
    ) -> Watched:
        context = browser.new_context(
            base_url=site.url,
            viewport=viewport,
            color_scheme=scheme,
            reduced_motion="reduce",
            storage_state=None if anonymous else session_file,
        )
        page = context.new_page()
        opened.append(Watched(page, site.url))
        page.goto(path)
        return opened[-1]

    yield start
    for watched in opened:
        watched.page.context.close()
    for watched in opened:
        watched.verify()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page().page


def as_person_of(open_page: OpenPage, org: Org, path: str, person: int | None = None) -> Watched:
    """Open a page as a person signs in to it by a link; as the organisation's admin if nobody is named."""
    watched = open_page(f"/signin#{new_link(org, person)}", anonymous=True)
    watched.expected = ["401"]
    watched.page.get_by_role("button", name="Sign in to Odyssey").click()
    watched.page.get_by_role("navigation", name="Main").wait_for()
    watched.page.goto(path)
    return watched


def as_viewer_of(open_page: OpenPage, org: Org, path: str) -> Page:
    """Open a page as somebody new who may only look."""
    body = {"email": f"viewer-{new_uuid()}@example.com", "role": "viewer"}
    return as_person_of(open_page, org, path, org.ok(org.post("/api/people", body))["id"]).page
