"""Both pages as people open them: from a file, in light and dark, wide and narrow, by mouse and by keyboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from support.chromium import NARROW, WIDE, Scheme, axe_findings, chromium, overflow
from support.hostile import MARK, STRINGS
from support.matrices import confirmed, evidence_of, incident, matrix, of_every_kind, of_two_stages

from odyssey.matrices.reports.heat_map import heat_map_page
from odyssey.matrices.reports.report import report_page

SIZES = {"wide": WIDE, "narrow": NARROW}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = of_every_kind()
    harmed = of_two_stages()
    odd = matrix(
        {(row, 1): confirmed(incidents=[incident(sentence=text)]) for row, text in enumerate(STRINGS)},
        scenarios=dict.fromkeys(STRINGS, "critical"),
        variations=STRINGS[:4],
        agent_name=STRINGS[0],
        name=STRINGS[1],
    )
    pages = {
        "heat-map": heat_map_page(found, "https://o.example"),
        "report": report_page(found, evidence_of(found), "https://o.example"),
        "two-stages-heat-map": heat_map_page(harmed, "https://o.example"),
        "two-stages-report": report_page(harmed, evidence_of(harmed), "https://o.example"),
        "hostile-heat-map": heat_map_page(odd),
        "hostile-report": report_page(odd, evidence_of(odd)),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


LOOKS: list[tuple[Scheme, str]] = [("light", "narrow"), ("dark", "wide")]


@contextmanager
def opened(browser: Browser, file: Path) -> Iterator[Page]:
    """Open a page, and see to it that it neither complains nor asks for anything."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    yield page
    assert said == []
    assert asked == [file.as_uri()]
    assert page.evaluate(f"window.{MARK} === undefined")
    context.close()


def look(page: Page, scheme: Scheme, size: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(SIZES[size])


@pytest.mark.parametrize("name", ["heat-map", "report", "two-stages-heat-map", "two-stages-report"])
def test_a_page_can_be_read_by_everybody(browser: Browser, files: dict[str, Path], name: str) -> None:
    with opened(browser, files[name]) as page:
        for scheme, size in LOOKS:
            look(page, scheme, size)
            assert overflow(page) == 0
    # A browser that lets the checker in must not mind the policy, which keeps every script out.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(files[name].as_uri())
    for scheme, size in LOOKS:
        look(page, scheme, size)
        assert axe_findings(page) == []
    context.close()


@pytest.mark.parametrize("name", ["hostile-heat-map", "hostile-report"])
def test_hostile_names_do_nothing_and_fit(browser: Browser, files: dict[str, Path], name: str) -> None:
    with opened(browser, files[name]) as page:
        for size in SIZES:
            look(page, "light", size)
            assert overflow(page) == 0
        assert page.locator("bdi", has_text=STRINGS[0]).count() > 1


def test_a_cell_tells_more_on_hover_and_on_focus(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["heat-map"]) as page:
        for size in SIZES:
            look(page, "light", size)
            tells_more_within(page, SIZES[size])


def tells_more_within(page: Page, window: ViewportSize) -> None:
    cells = page.get_by_role("button")
    tips = page.get_by_role("tooltip")
    page.mouse.move(0, 0)
    expect(tips).to_have_count(0)
    cells.first.focus()
    expect(tips).to_have_count(1)
    page.keyboard.press("Tab")
    expect(cells.nth(1)).to_be_focused()
    expect(tips).to_contain_text("social anchoring on Late refund")
    expect(tips).to_contain_text("noise floor")
    box = tips.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] + box["height"] <= window["height"]
    page.evaluate("document.activeElement.blur()")
    expect(tips).to_have_count(0)
    cells.nth(2).hover()
    expect(tips).to_contain_text("authority bias on Late refund")


def test_incidents_and_failing_rows_are_seen_by_their_words(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["two-stages-heat-map"]) as page:
        for scheme, size in LOOKS:
            look(page, scheme, size)
            harmed = page.get_by_role("button", name="grave incident +1")
            expect(harmed).to_have_count(1)
            harmed.focus()
            expect(page.get_by_role("tooltip")).to_contain_text("Grave incident: deleted customer cust_ada")
            row = page.get_by_role("row", name="Broken from the start")
            expect(row.get_by_role("rowheader")).to_contain_text("fails without pressure: 0 of 28 runs match")
            expect(row.get_by_role("button", name="F failing")).to_have_count(7)


def test_paper_shows_cells_and_no_tips(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["heat-map"]) as page:
        look(page, "dark", "wide")
        page.emulate_media(media="print")
        page.get_by_role("button").first.focus()
        expect(page.get_by_role("tooltip")).to_have_count(0)
        expect(page.get_by_role("heading", name="Cells to look at")).to_be_visible()
        assert (
            page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--text')")
            == "#17242b"
        )
