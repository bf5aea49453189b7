"""One palette, in light and in dark. That it can be read and told apart is tested beside it, in tokens.test.ts."""

import re

from playwright.sync_api import Page, expect
from support.chromium import Scheme

from interface.conftest import OpenPage

NAMES = ("--source-injected", "--source-transport_error", "--band-amber", "--ody-surface")
"""Of each kind one; they stand in one file."""


def colour(page: Page, name: str) -> str:
    value: str = page.evaluate(
        "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
    )
    assert re.fullmatch(r"#[0-9a-f]{6}", value), (name, value)
    return value


def as_rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_the_colours_follow_the_system_and_a_choice_is_remembered(open_page: OpenPage) -> None:
    page = open_page("/", scheme="light").page
    html = page.locator("html")
    seen: dict[Scheme, dict[str, str]] = {}
    schemes: tuple[Scheme, ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        expect(html).to_have_attribute("data-mantine-color-scheme", scheme)
        seen[scheme] = {name: colour(page, name) for name in NAMES}
    assert not set(seen["light"].items()) & set(seen["dark"].items())
    page.get_by_role("button", name="Use dark colours").click()
    expect(html).to_have_attribute("data-mantine-color-scheme", "dark")
    page.reload()
    expect(html).to_have_attribute("data-mantine-color-scheme", "dark")
