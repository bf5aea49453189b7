"""Getting about without a mouse."""

from playwright.sync_api import Page, expect


def test_the_palette_goes_to_pages_agents_and_runs(page: Page) -> None:
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("Control+k")
    search = page.get_by_role("dialog").get_by_role("textbox")
    search.fill("runs")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Runs")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("textbox").fill("Support desk")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Support desk")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("textbox").fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Run 3")).to_be_visible()


def test_two_keys_go_to_a_place_and_a_question_mark_lists_them(page: Page) -> None:
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("?")
    help_dialog = page.get_by_role("dialog")
    expect(help_dialog).to_contain_text("Command palette")
    page.keyboard.press("Escape")
    expect(help_dialog).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_role("heading", level=1, name="Agents")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", level=1, name="Runs")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", level=1, name="New run")).to_be_visible()


def test_rows_are_walked_by_arrows_and_opened_by_enter(page: Page) -> None:
    page.goto("/runs")
    rows = page.get_by_role("table").locator("tbody tr")
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Run ")).to_be_visible()


def test_a_slash_goes_to_the_filter(page: Page) -> None:
    page.goto("/runs")
    page.get_by_role("heading", level=1, name="Runs").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("telescope")
    expect(page.get_by_role("table").locator("tbody tr")).to_have_count(1)
    assert "q=telescope" in page.url


def test_the_first_tab_skips_to_the_page(page: Page) -> None:
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
