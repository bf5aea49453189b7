"""Real Chromium, and pages that remember every error and every request that left this origin."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
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
Scheme = Literal["light", "dark"]

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    program = need("chromium", "chromium")
    with sync_playwright() as playwright:
        browser = _launch(playwright, program)
        yield browser
        browser.close()


def _launch(playwright: Playwright, program: str) -> Browser:
    return playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)


def sign_in(browser: Browser, origin: str, link: str, keep_in: Path) -> None:
    """Sign in by a link, through the real page, and keep the session in a file for contexts to come."""
    context = browser.new_context(base_url=origin)
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("navigation", name="Main").wait_for()
    context.storage_state(path=keep_in)
    context.close()


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
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.netloc != self.origin and parts.scheme not in ("blob", "about"):
            self.foreign.append(request.url)

    def verify(self) -> None:
        left = [error for error in self.errors if not any(part in error for part in self.expected)]
        assert left == [], left
        assert self.foreign == []


def axe_findings(page: Page) -> list[str]:
    """Serious and critical findings, one line each. What is gone a moment later was a page on its way."""
    page.evaluate(AXE.read_text())
    found = _findings(page)
    if found:
        page.wait_for_timeout(1000)
        found = _findings(page)
    return found


def _findings(page: Page) -> list[str]:
    result: dict[str, Any] = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:160]} ({violation['help']})"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


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
