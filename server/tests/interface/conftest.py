"""Fixtures of the interface's tests: a furnished platform and a browser per worker, a signed-in page per test.

The browser ends with this package because Playwright keeps an event loop running in this thread while it lives, and
tests elsewhere want to run their own.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from support.browser import session_cookies
from support.chromium import WIDE, Contexts, Scheme, Watched, chromium
from support.heat import Heat, give_heat
from support.live_org import LiveOrg, give_live_org
from support.platform import Org
from support.site import Site, furnished_site

from odyssey.kit.ids import new_uuid

OpenPage = Callable[..., Watched]

TOOK = r"(\d+ ms|\d+\.\d s|\d+ min \d+ s)"
"""How long something took, on a machine of any speed."""

expect.set_options(timeout=30_000)  # a guard against hanging, not a limit of speed


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    database = tmp_path_factory.mktemp("interface") / "odyssey.db"
    with furnished_site(f"sqlite+aiosqlite:///{database}") as site:
        yield site


@pytest.fixture(scope="session")
def heat(site: Site) -> Iterator[Heat]:
    """Two matrices; made when the first test asks for them, since they are hundreds of runs."""
    with ExitStack() as stack:
        yield give_heat(site.platform, stack)


@pytest.fixture(scope="session")
def live_org(site: Site) -> Iterator[LiveOrg]:
    """Live tools, in an organisation of their own; made when the first test asks for them."""
    with ExitStack() as stack:
        yield give_live_org(site.platform, stack)


@pytest.fixture(scope="package")
def contexts(browser: Browser, site: Site) -> Contexts:
    return Contexts(browser, site.url)


@pytest.fixture(scope="package")
def admin(site: Site) -> dict[str, str]:
    """The cookies of somebody who is signed in."""
    return session_cookies(site.org)


@pytest.fixture
def open_page(contexts: Contexts, site: Site, admin: dict[str, str]) -> Iterator[OpenPage]:
    """Open the page of a context of its own, signed in; in the end nothing may have gone wrong on any of them."""
    opened: list[Watched] = []

    def start(
        path: str = "/",
        *,
        viewport: ViewportSize = WIDE,
        scheme: Scheme = "light",
        cookies: dict[str, str] | None = None,
        anonymous: bool = False,
    ) -> Watched:
        context = contexts.lend({} if anonymous else cookies or admin)
        page = context.pages[0]
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        opened.append(Watched(page, site.url))
        page.goto(path)
        return opened[-1]

    yield start
    for watched in opened:
        watched.stop()
        contexts.take_back(watched.page.context)
    for watched in opened:
        watched.verify()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page().page


def as_person_of(open_page: OpenPage, org: Org, path: str, person: int | None = None) -> Watched:
    """Open a page as a person of an organisation; as its admin if nobody is named."""
    return open_page(path, cookies=session_cookies(org, person))


def as_viewer_of(open_page: OpenPage, org: Org, path: str) -> Page:
    """Open a page as somebody new who may only look."""
    body = {"email": f"viewer-{new_uuid()}@example.com", "role": "viewer"}
    return as_person_of(open_page, org, path, org.ok(org.post("/api/people", body))["id"]).page
