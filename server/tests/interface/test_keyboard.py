"""Getting about without a mouse."""

import re

from playwright.sync_api import Page, expect


def go(page: Page, words: str, found: str) -> None:
    """Write into the palette, and press Enter once it has found what it is to open."""
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog")
    palette.get_by_role("textbox").fill(words)
    expect(palette.locator("[data-selected]")).to_contain_text(found)
    page.keyboard.press("Enter")
    expect(palette).to_be_hidden()


IN_ONE_GO = """keys => {
    for (const key of keys) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    }
}"""


def press(page: Page, keys: str) -> None:
    """Press one key, or two in one go: a busy machine must not take longer between them than the page waits."""
    if len(keys) == 1:
        page.keyboard.press(keys)
    else:
        page.evaluate(IN_ONE_GO, keys)


def on_page(page: Page, title: str) -> None:
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()


def test_the_first_tab_skips_to_the_page_and_the_palette_goes_anywhere(page: Page) -> None:
    on_page(page, "Home")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    go(page, "runs", "Runs")
    on_page(page, "Runs")
    go(page, "Support desk", "Support desk")
    on_page(page, "Support desk")
    go(page, "3", "Run 3")
    on_page(page, "Run 3")


def test_keys_go_to_places_walk_rows_and_find_the_filter(page: Page) -> None:
    on_page(page, "Home")
    page.keyboard.press("?")
    help_dialog = page.get_by_role("dialog")
    expect(help_dialog).to_contain_text("Command palette")
    page.keyboard.press("Escape")
    expect(help_dialog).to_be_hidden()
    for keys, title in (
        ("ga", "Agents"),
        ("gr", "Runs"),
        ("n", "New run"),
        ("gs", "Settings"),
        ("gr", "Runs"),
    ):
        press(page, keys)
        on_page(page, title)
    rows = page.get_by_role("table", name="Runs").locator("tbody tr")
    rows.first.focus()
    for key, place in (("ArrowDown", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(rows.nth(place)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Run ")).to_be_visible()
    press(page, "gr")
    on_page(page, "Runs")
    page.keyboard.press("/")
    page.keyboard.type("telescope")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("q=telescope"))
