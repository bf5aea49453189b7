"""One palette: a colour for each source and each band, told apart and readable in light and in dark."""

import re

from playwright.sync_api import Page, expect
from support.chromium import Scheme
from support.site import Site

from interface.conftest import OpenPage

SOURCES = ("odyssey", "injected", "passthrough", "error", "transport_error")
BANDS = ("green", "amber", "red")
NAMES = [f"--source-{name}" for name in SOURCES] + [f"--band-{name}" for name in BANDS]
READABLE = 4.5
"""The least contrast of text, by WCAG 2 AA."""


def colour(page: Page, name: str) -> str:
    value: str = page.evaluate(
        "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
    )
    assert re.fullmatch(r"#[0-9a-f]{6}", value), (name, value)
    return value


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_sources_and_bands_have_colours_of_their_own_in_both_schemes(open_page: OpenPage) -> None:
    page = open_page().page
    seen: dict[Scheme, dict[str, str]] = {}
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
        seen[scheme] = {name: colour(page, name) for name in NAMES}
        assert len({seen[scheme][f"--source-{name}"] for name in SOURCES}) == len(SOURCES)
        assert len({seen[scheme][f"--band-{name}"] for name in BANDS}) == len(BANDS)
        for name, value in seen[scheme].items():
            for behind in (f"{name}-soft", "--ody-surface"):
                assert contrast(value, colour(page, behind)) >= READABLE, (scheme, name, behind)
    assert not set(seen["light"].items()) & set(seen["dark"].items())


def test_a_bar_and_a_badge_have_the_colour_of_their_source(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/runs/{site.crew_run}").page
    for sequence, source in ((2, "odyssey"), (4, "injected")):
        row = page.locator(f"#step-{sequence}")
        wanted = as_rgb(colour(page, f"--source-{source}"))
        expect(row.get_by_text(source, exact=True)).to_have_css("color", wanted)
        painted = row.evaluate(
            "row => [...row.querySelectorAll('*')].map(each => getComputedStyle(each).backgroundColor)"
        )
        assert wanted in painted


def as_rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
