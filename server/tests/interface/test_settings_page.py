"""The models, the budgets and the thresholds: who may change them, and what is never shown."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from support.chromium import Watched
from support.model_server import ModelServer, answers
from support.platform import Org
from support.site import Site

from interface.conftest import OpenPage, as_person_of

ROLES = ("judge", "simulator")
KEY = "sk-never-shown-again-7f3a"


@pytest.fixture
def org(site: Site) -> Org:
    return site.platform.new_org("Settings")


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(answers) as server:
        yield server


@pytest.fixture
def settings(open_page: OpenPage, org: Org) -> Watched:
    return as_person_of(open_page, org, "/settings")


def model_of(org: Org, role: str) -> dict[str, object] | None:
    found: dict[str, object] | None = org.ok(org.get("/api/settings"))["models"][role]
    return found


def panel_of(page: Page, role: str) -> Locator:
    return page.get_by_role("region", name=f"{role.capitalize()} model")


def test_an_admin_sets_models_whose_keys_are_never_shown_again_and_removes_them(
    settings: Watched, org: Org, model: ModelServer
) -> None:
    page = settings.page
    for place, role in enumerate(ROLES, 1):
        is_set(panel_of(page, role), role, model)
        kept = model_of(org, role)
        assert kept is not None
        assert (kept["provider"], kept["model"], kept["base_url"]) == ("anthropic", "scripted-1", model.url)
        assert kept["input_usd_per_mtok"] == 2.5
        assert [each for each in ROLES if model_of(org, each) is not None] == list(ROLES[:place])
    page.reload()
    for role in ROLES:
        expect(panel_of(page, role).get_by_label("Model", exact=True)).to_have_value("scripted-1")
    assert KEY not in page.content()
    settings.expected.append("422")
    another_host_asks_for_the_key_again(page, panel_of(page, "simulator"))
    for role in ROLES:
        panel = panel_of(page, role)
        panel.get_by_role("button", name="Remove", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name=f"Remove the {role}").click()
        expect(panel.get_by_role("button", name=f"Use this {role}")).to_be_visible()
        expect(panel.get_by_label("Model", exact=True)).to_have_value("")
        assert model_of(org, role) is None


def is_set(panel: Locator, role: str, model: ModelServer) -> None:
    expect(panel.get_by_text("There is none: ")).to_be_visible()
    expect(panel.get_by_role("button", name=f"Use this {role}")).to_be_disabled()
    panel.get_by_role("radio", name="Anthropic").press("Space")
    panel.get_by_label("Model", exact=True).fill("scripted-1")
    panel.get_by_label("Base URL").fill(model.url)
    panel.get_by_label("API key").fill(KEY)
    panel.get_by_label("Price of input").fill("2.5")
    panel.get_by_role("button", name=f"Use this {role}").click()
    expect(panel.get_by_text("****7f3a")).to_be_visible()
    expect(panel.get_by_role("button", name="Save", exact=True)).to_be_disabled()


def another_host_asks_for_the_key_again(page: Page, panel: Locator) -> None:
    panel.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    with page.expect_response("**/api/settings") as answer:
        panel.get_by_role("button", name="Save", exact=True).click()
    assert answer.value.json()["code"] == "secret_required"
    expect(panel.get_by_text("send api_key again")).to_be_visible()
    panel.get_by_role("button", name="Change the key").click()
    panel.get_by_label("API key").fill("sk-another-key-9999")
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel.get_by_text("****9999")).to_be_visible()


def test_what_is_wrong_is_said_at_its_field_and_unsaved_changes_are_not_lost_by_a_click(
    settings: Watched,
) -> None:
    page = settings.page
    panel = panel_of(page, "judge")
    settings.expected.append("422")
    panel.get_by_label("Model", exact=True).fill("half a na")
    panel.get_by_label("Base URL").fill("ftp://somewhere")
    panel.get_by_label("Time-out").fill("")
    panel.get_by_role("button", name="Use this judge").click()
    expect(panel.get_by_label("Time-out")).to_have_attribute("aria-invalid", "true")
    panel.get_by_label("Time-out").fill("60")
    panel.get_by_role("button", name="Use this judge").click()
    expect(panel.get_by_label("Base URL")).to_have_attribute("aria-invalid", "true")
    runs = page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs", exact=True)
    runs.click()
    dialog = page.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Stay").click()
    expect(dialog).to_be_hidden()
    expect(panel.get_by_label("Model", exact=True)).to_have_value("half a na")
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(panel.get_by_label("Model", exact=True)).to_have_value("")
    runs.click()
    expect(page.get_by_role("heading", level=1, name="Runs")).to_be_visible()


def test_budgets_and_thresholds_are_set_and_explained(settings: Watched, org: Org) -> None:
    page = settings.page
    settings.expected.append("422")
    page.get_by_label("Money").fill("5")
    page.get_by_label("Model calls").fill("0")
    page.get_by_role("button", name="Save budgets").click()
    spent = page.get_by_role("region", name="Spent today")
    expect(spent).to_contain_text("$0.00 of $5.00")
    expect(spent).to_contain_text("0 of 0 used up")
    page.get_by_label("Money").fill("")
    page.get_by_role("button", name="Save budgets").click()
    expect(spent).to_contain_text("$0.00, no limit")
    assert org.ok(org.get("/api/settings"))["budgets"] == {"usd_per_day": None, "calls_per_day": 0}
    panel = page.get_by_role("region", name="Eval thresholds")
    expect(panel).to_contain_text("how far behaviour moved beyond the agent's own noise")
    expect(panel).to_contain_text("why-your-eval-cries-wolf")
    expect(panel.get_by_label("Critical")).to_have_value("0.5")
    save = panel.get_by_role("button", name="Save thresholds")
    expect(save).to_be_disabled()
    panel.get_by_label("Critical").fill("0.35")
    panel.get_by_label("Low").fill("1.5")
    save.click()
    expect(panel.get_by_label("Low")).to_have_attribute("aria-invalid", "true")
    panel.get_by_label("Low").fill("0.9")
    save.click()
    expect(page.get_by_text("The thresholds are saved.")).to_be_visible()
    expect(save).to_be_disabled()
    page.reload()
    expect(panel.get_by_label("Critical")).to_have_value("0.35")
    kept = {"critical": 0.35, "high": 0.55, "medium": 0.6, "low": 0.9}
    assert org.ok(org.get("/api/settings"))["evals"]["thresholds"] == kept


def test_what_was_spent_today_is_shown(open_page: OpenPage, site: Site) -> None:
    page = open_page("/settings").page
    expect(page.get_by_role("region", name="Spent today")).to_contain_text("2 of 10,000")


def test_others_than_admins_read_and_change_nothing(
    open_page: OpenPage, org: Org, model: ModelServer
) -> None:
    body = {"provider": "openai", "base_url": model.url, "model": "scripted", "api_key": KEY}
    org.ok(org.put("/api/settings", {"models": {"judge": body}}))
    for role in ("viewer", "member"):
        body = {"email": f"{role}@settings.example", "role": role}
        person = org.ok(org.post("/api/people", body))["id"]
        page = as_person_of(open_page, org, "/settings", person).page
        expect(page.get_by_text("Only an admin can change these settings.")).to_be_visible()
        judge = page.get_by_role("region", name="Judge model")
        expect(judge).to_contain_text("scripted")
        expect(judge).to_contain_text("****7f3a")
        expect(page.get_by_role("region", name="Eval thresholds")).to_contain_text("Critical0.5")
        expect(page.get_by_role("main").get_by_role("textbox")).to_have_count(0)
        expect(page.get_by_role("button", name="Save")).to_have_count(0)
