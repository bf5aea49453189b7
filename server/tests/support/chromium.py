"""Real Chromium, and pages that remember every error and every request that left this origin."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Playwright,
    Request,
    ViewportSize,
    sync_playwright,
)
from support.programs import need

AXE = Path(__file__).resolve().parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDE: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 390, "height": 844}
GUARD_MS = 30_000
"""Against hanging, not a limit of speed."""
Scheme = Literal["light", "dark"]

SHELL = "chromium-headless-shell"
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",  # of one context, so that its pages share what is compiled
    # A page lives for seconds, in which optimising its code and collecting its garbage do not pay.
    "--js-flags=--always-sparkplug --no-maglev --no-turbofan --min-semi-space-size=64 --max-semi-space-size=128",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    # The shell has no window, tabs or menus to draw, which is a sixth of what the tests of pages take.
    program = shutil.which(SHELL) or need("chromium", SHELL)
    with sync_playwright() as playwright:
        browser = _launch(playwright, program)
        yield browser
        browser.close()


def _launch(playwright: Playwright, program: str) -> Browser:
    return playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)


_BLANK = "/favicon.svg"
"""An address of the same origin at which nothing runs."""


class Contexts:
    """Contexts to lend out, each with one page and with nothing in it but the cookies it is given.

    They are kept, and so are their pages: to make a page, and to fetch and compile the whole interface anew, is most
    of the time that opening one takes.
    """

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self._idle: list[BrowserContext] = []
        self._sessions: dict[BrowserContext, CDPSession] = {}

    def lend(self, cookies: dict[str, str] | None = None) -> BrowserContext:
        context = self._idle.pop() if self._idle else self._new()
        for name, value in (cookies or {}).items():
            context.add_cookies([{"name": name, "value": value, "url": self._origin}])
        return context

    def take_back(self, context: BrowserContext) -> None:
        first, *others = context.pages
        for page in others:
            page.close()
        first.unroute_all()
        first.goto(_BLANK)
        first.evaluate("sessionStorage.clear()")
        kinds = "cookies,local_storage,indexeddb,cache_storage,service_workers"
        kept_by_pages = {"origin": self._origin, "storageTypes": kinds}
        self._sessions[context].send("Storage.clearDataForOrigin", kept_by_pages)
        context.clear_permissions()
        self._idle.append(context)

    def _new(self) -> BrowserContext:
        context = self._browser.new_context(base_url=self._origin, viewport=WIDE, reduced_motion="reduce")
        page = context.new_page()
        page.goto(_BLANK)
        self._sessions[context] = context.new_cdp_session(page)
        return context


class Watched:
    """What went wrong on a page while nobody looked."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = urlsplit(origin).netloc
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.expected: list[str] = []
        """Parts of console messages that a test provokes, such as the 401 of a wrong password."""
        page.on("console", self._console)
        page.on("pageerror", self._uncaught)
        page.on("request", self._request)

    def _uncaught(self, error: Error) -> None:
        self.errors.append(f"uncaught: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.netloc != self.origin and parts.scheme not in ("blob", "about"):
            self.foreign.append(request.url)

    def stop(self) -> None:
        """Look away: the page is lent to somebody else."""
        self.page.remove_listener("console", self._console)
        self.page.remove_listener("pageerror", self._uncaught)
        self.page.remove_listener("request", self._request)

    def verify(self) -> None:
        left = [error for error in self.errors if not any(part in error for part in self.expected)]
        assert left == [], left
        assert self.foreign == []


def axe_findings(page: Page) -> list[str]:
    """Serious and critical findings, one line each. What goes away was a page on its way."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    run = "axe.run({resultTypes: ['violations']})"
    if becomes_true(page, f"async () => (await {run}).violations.every(isMinor)"):
        return []
    result: dict[str, Any] = page.evaluate(run)
    return [
        f"{violation['id']}: {node['html'][:160]} ({violation['help']})"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def becomes_true(page: Page, condition: str, given: Any = None) -> bool:
    """Ask a page with every frame; wait_for_function would evaluate a string, which the policy of ours forbids."""
    asking = f"""async given => {{
        const isMinor = ({{impact}}) => impact !== 'serious' && impact !== 'critical';
        const condition = {condition};
        const end = performance.now() + {GUARD_MS};
        while (!await condition(given)) {{
            if (performance.now() > end) return false;
            await new Promise(requestAnimationFrame);
        }}
        return true;
    }}"""
    return bool(page.evaluate(asking, given))


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    pixels: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return pixels


def write_over(editor: Locator, text: str) -> None:
    """Replace what stands in an editor as a person does: to fill over marked text, Chromium would style it inline."""
    editor.click()
    editor.page.keyboard.press("Control+a")
    editor.page.keyboard.press("Delete")
    editor.page.keyboard.insert_text(text)
