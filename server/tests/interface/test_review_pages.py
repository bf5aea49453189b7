"""The review queue: triage by keyboard, verdicts that stay, what they say of flags, and sending a run there."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.agents import ScriptedAgent
from support.experiments import cases, run_matrix, weak_at
from support.hostile import MARK, STRINGS
from support.platform import Org
from support.reviews import ITEMS, cell, decide, finish, queue, some_runs
from support.site import Site

from interface.conftest import OpenPage, as_person_of, as_viewer_of
from odyssey.kit.ids import new_uuid

SOURCES = ["flag", "flag", "manual", "incident", "incident"]
"""Of what is in the queue of the matrix: both weaknesses are flagged, and miss what is expected."""


@pytest.fixture
def org(site: Site) -> Org:
    """An organisation of one's own: its queue is nobody else's."""
    return site.platform.new_org()


@pytest.fixture
def matrix(org: Org) -> Iterator[dict[str, Any]]:
    """A matrix of an agent with two weaknesses, and a baseline that somebody wants looked at."""
    agent = ScriptedAgent(weak_at(("late", "sycophancy"), ("lost", "time_pressure")))
    org.agent(agent.url, name="Yielding clerk")
    scenarios = [*cases(org, "late"), *cases(org, "lost", risk_level="low")]
    org.ok(org.put("/api/settings", {"evals": {"sample_share": 0}}))
    done = run_matrix(org, scenarios, "sycophancy", "time_pressure", baseline_repeats=7)
    baseline = done["cells"][0]["runs"]["baseline"][0]
    org.ok(org.post(ITEMS, {"run_id": baseline, "notes": "Is this what we want without any pressure?"}))
    assert [item["source"] for item in queue(org, status="open")] == SOURCES
    yield done
    agent.stop()


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name=re.compile("items$")).get_by_role("listitem")


def chosen(page: Page) -> Locator:
    return page.locator("[data-chosen]")


def why(page: Page) -> Locator:
    return page.get_by_role("region", name="Why it is here")


def verdict(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Verdicts").get_by_role("button", name=name)


def waiting(page: Page) -> Locator:
    return page.get_by_role("navigation").get_by_role("link", name=re.compile("^Review"))


def new_member(org: Org) -> dict[str, Any]:
    body = {"email": f"grace-{new_uuid()[:8]}@example.com", "role": "member"}
    made: dict[str, Any] = org.ok(org.post("/api/people", body))
    return made


def test_the_queue_is_read_filtered_and_shows_its_evidence(
    open_page: OpenPage, org: Org, matrix: dict[str, Any]
) -> None:
    page = as_viewer_of(open_page, org, "/review")
    expect(chosen(page)).to_contain_text("late")
    expect(page.get_by_text("Members and admins give verdicts; you may read.")).to_be_visible()
    expect(page.get_by_role("group", name="Verdicts")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("v")
    page.keyboard.press("j")
    expect(chosen(page)).to_contain_text("lost")
    page.goto(f"/evals/runs/{matrix['cells'][0]['runs']['variation'][0]}")
    page.get_by_role("link", name="Trace of the run").wait_for()
    expect(page.get_by_role("button", name="Send to review")).to_have_count(0)
    assert len(queue(org, status="open")) == 5

    page = as_person_of(open_page, org, "/review").page
    filters_live_in_the_address(page)
    evidence_stands_side_by_side_and_leads_on(page, org, matrix)


def filters_live_in_the_address(page: Page) -> None:
    expect(rows(page)).to_have_count(5)
    page.get_by_role("search").get_by_text("confirmed", exact=True).click()
    expect(rows(page)).to_have_count(4)
    page.get_by_role("combobox", name="Risk").click()
    page.get_by_role("option", name="low").click()
    expect(rows(page)).to_have_count(2)
    expect(chosen(page)).to_contain_text("lost")
    page.reload()
    expect(rows(page)).to_have_count(2)
    page.get_by_role("combobox", name="Variation").click()
    page.get_by_role("option", name="sycophancy").click()
    expect(page.get_by_role("heading", name="Nothing fits")).to_be_visible()
    page.get_by_role("button", name="Clear filters").last.click()
    expect(rows(page)).to_have_count(5)
    page.get_by_role("combobox", name="Source").click()
    page.get_by_role("option", name="submitted").click()
    expect(rows(page)).to_have_count(1)
    expect(why(page).get_by_label("Notes of whoever put it here")).to_have_text(
        "Is this what we want without any pressure?"
    )
    page.goto(f"/review?matrix_id={new_uuid()}")
    expect(page.get_by_role("heading", name="Nothing fits")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Matrix .* only ×")).click()
    expect(rows(page)).to_have_count(5)
    page.get_by_role("search").get_by_text("decided", exact=True).click()
    expect(page.get_by_role("heading", name="No verdicts yet")).to_be_visible()
    page.get_by_role("search").get_by_text("open", exact=True).click()
    expect(rows(page)).to_have_count(5)


def evidence_stands_side_by_side_and_leads_on(page: Page, org: Org, matrix: dict[str, Any]) -> None:
    item = queue(org, status="open")[0]
    expect(page.locator("[data-first]")).to_have_attribute("data-where", "$.decision")
    both = page.get_by_role("region", name="Both runs")
    for number in (item["run_id"], item["baseline_run_id"]):
        expect(both.get_by_role("link", name=f"run {number}", exact=True)).to_be_visible()
    expect(
        why(page).get_by_role("img", name=re.compile("^Shift 1.00, interval .* Flagged above 0.50"))
    ).to_be_visible()
    expect(why(page)).to_contain_text("Yielding clerk, version 1")
    expect(why(page).get_by_role("link", name="Trace of the run")).to_have_attribute(
        "href", f"/runs/{item['run_id']}"
    )
    expect(why(page).get_by_role("link", name="Cell of the matrix")).to_have_attribute(
        "href", re.compile(rf"^/matrices/{matrix['id']}\?cell=")
    )
    why(page).get_by_role("link", name=f"Eval run {item['run_id']}").click()
    expect(page.get_by_role("heading", level=1, name=f"Eval run {item['run_id']}")).to_be_visible()


def test_the_queue_is_worked_by_the_keyboard_alone(
    open_page: OpenPage, org: Org, matrix: dict[str, Any]
) -> None:
    late, lost, asked, *incidents = queue(org, status="open")
    page = as_person_of(open_page, org, "/").page
    page.get_by_role("heading", level=1, name="Home").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("v")
    expect(page.get_by_role("heading", level=1, name="Review")).to_be_visible()
    expect(waiting(page)).to_contain_text("5 open")
    expect(rows(page)).to_have_count(5)
    expect(chosen(page)).to_contain_text("late")
    expect(why(page)).to_contain_text(
        "Under sycophancy it behaves differently, and that is not noise (q = 0.017): the shift of 1.00 is above "
        "0.50, the threshold of critical risk, and only 0 of 3 runs do what is expected, without it 7 of 7 runs."
    )
    names = [item["scenario_name"] for item in queue(org, status="open")]
    for key, name in [("j", name) for name in (*names[1:], names[-1])] + [
        ("k", name) for name in names[-2::-1]
    ]:
        page.keyboard.press(key)
        expect(chosen(page)).to_contain_text(name)
    expect(page).to_have_url(re.compile(late["id"]))
    page.locator("[data-first]").wait_for()
    page.keyboard.press("n")
    expect(page.locator("[data-difference='0']")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("1")
    expect(verdict(page, "True positive")).to_have_attribute("aria-pressed", "true")
    expect(verdict(page, "False positive")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("m")
    page.keyboard.type("It gave in: v 5 j.")
    page.keyboard.press("Escape")
    what_is_chosen_and_written_waits(page, org)
    page.keyboard.press("Enter")
    expect(chosen(page)).to_contain_text("lost")
    expect(rows(page)).to_have_count(4)
    expect(waiting(page)).to_contain_text("4 open")
    expect(page.get_by_text("True positive is kept for late.")).to_be_visible()
    page.keyboard.press("5")
    page.keyboard.press("g")
    page.keyboard.press("v")
    expect(verdict(page, "Defect found")).to_have_attribute("aria-pressed", "true")
    assert [item["id"] for item in queue(org, status="open")] == [
        item["id"] for item in (lost, asked, *incidents)
    ]
    page.keyboard.press("v")
    expect(page.get_by_text("What run ")).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Confirm: true negative")).to_be_focused()
    page.keyboard.press("Enter")
    for item in incidents:
        expect(chosen(page)).to_contain_text(re.compile(f"{item['scenario_name']}.*missed expectation"))
        expect(why(page)).to_contain_text(f"it {item['sentence']}.")
        page.keyboard.press("1")
        expect(verdict(page, "True positive")).to_contain_text("It did that, and it matters")
        page.keyboard.press("v")
    expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
    given = {item["id"]: item["verdict"] for item in queue(org, status="decided")}
    assert {item_id: each["verdict"] for item_id, each in given.items()} == {
        late["id"]: "true_positive",
        lost["id"]: "defect_found",
        asked["id"]: "true_negative",
        **{item["id"]: "true_positive" for item in incidents},
    }
    assert given[late["id"]]["notes"] == "It gave in: v 5 j."


def what_is_chosen_and_written_waits(page: Page, org: Org) -> None:
    """Go to another item and back, and try to leave, with a verdict and notes that are not confirmed."""
    page.keyboard.press("j")
    expect(chosen(page)).to_contain_text("lost")
    expect(verdict(page, "True positive")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("k")
    expect(verdict(page, "True positive")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="Notes")).to_have_value("It gave in: v 5 j.")
    page.keyboard.press("g")
    page.keyboard.press("h")
    guard = page.get_by_role("dialog", name="Leave without saving?")
    guard.get_by_role("button", name="Stay").click()
    expect(guard).to_be_hidden()
    assert len(queue(org, status="open")) == 5


def test_somebody_quicker_is_shown_and_a_run_is_sent_to_review_once(open_page: OpenPage, org: Org) -> None:
    runs = some_runs(org, 3)
    finish(org, cell(runs[0], 0.9, scenario_name="late"), cell(runs[1], 0.8, scenario_name="lost"))
    watched = as_person_of(open_page, org, "/review", new_member(org)["id"])
    watched.expected = ["409"]
    page = watched.page
    expect(chosen(page)).to_contain_text("late")
    page.keyboard.press("2")
    page.keyboard.press("m")
    page.keyboard.type("I think it is fine.")
    first = queue(org, status="open")[0]
    decide(org, first["id"], "true_positive", "It is not.")
    page.keyboard.press("Control+Enter")
    quicker = page.get_by_role("region", name="Somebody was quicker")
    admin = org.ok(org.get("/api/people"))["items"][-1]["email"]
    expect(quicker).to_contain_text(f"{admin} was quicker and called this item true positive.")
    expect(quicker).to_contain_text("yours was not saved")
    expect(quicker.get_by_role("button", name="Go on")).to_be_visible()
    expect(quicker.get_by_label("Your notes")).to_have_text("I think it is fine.")
    expect(page.get_by_label("Notes of the verdict")).to_have_text("It is not.")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(chosen(page)).to_contain_text("lost")
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(page.get_by_role("heading", level=1, name="Home")).to_be_visible()
    page.go_back()
    verdict(page, "Defect found").click()
    page.get_by_role("textbox", name="Notes").fill("It told the wrong order.\nSee call 3.")
    page.get_by_role("button", name="Confirm: defect found").click()
    expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
    a_decided_item_says_who_found_what(page, org)
    a_run_is_sent_to_review_once(page, org, runs[2])


def a_decided_item_says_who_found_what(page: Page, org: Org) -> None:
    page.get_by_role("search").get_by_text("decided", exact=True).click()
    page.get_by_role("combobox", name="Verdict").click()
    page.get_by_role("option", name="defect found").click()
    expect(rows(page)).to_have_count(1)
    given = page.get_by_role("region", name="Verdict", exact=True)
    expect(given).to_contain_text("defect found")
    expect(given).to_contain_text("grace-")
    expect(given.get_by_label("Notes of the verdict")).to_have_text("It told the wrong order.\nSee call 3.")
    expect(page.get_by_role("group", name="Verdicts")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("v")
    page.get_by_role("combobox", name="Verdict").click()
    page.get_by_role("option", name="false positive").click()
    expect(page.get_by_role("heading", name="Nothing fits")).to_be_visible()
    verdicts = sorted(item["verdict"]["verdict"] for item in queue(org, status="decided"))
    assert verdicts == ["defect_found", "true_positive"]


def a_run_is_sent_to_review_once(page: Page, org: Org, run_id: int) -> None:
    page.goto(f"/evals/runs/{run_id}")
    page.get_by_role("button", name="Send to review").click()
    page.get_by_role("textbox", name="Notes").fill("Why so short?")
    page.get_by_role("dialog").get_by_role("button", name="Send to review").click()
    expect(why(page).get_by_label("Notes of whoever put it here")).to_have_text("Why so short?")
    item = next(item for item in queue(org) if item["run_id"] == run_id)
    expect(page).to_have_url(re.compile(item["id"]))
    page.goto(f"/evals/runs/{run_id}")
    page.get_by_role("button", name="Send to review").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Send to review").click()
    expect(dialog.get_by_role("alert")).to_contain_text("waits for its verdict already")
    dialog.get_by_role("link", name="Go to its item").click()
    expect(why(page).get_by_label("Notes of whoever put it here")).to_have_text("Why so short?")
    expect(page).to_have_url(re.compile(item["id"]))


def test_an_empty_queue_lists_the_keys_and_says_what_is_not_there(open_page: OpenPage, org: Org) -> None:
    watched = as_person_of(open_page, org, "/review/figures")
    page = watched.page
    expect(page.get_by_role("heading", name="No flag has a verdict yet")).to_be_visible()
    expect(page.get_by_role("listitem", name="critical")).to_contain_text("0 verdicts so far")
    page.get_by_role("link", name="Go to the queue").click()
    page.get_by_role("heading", name="Nothing waits").wait_for()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog")
    for each in (
        "Go to Review",
        "Next and previous item",
        "Choose a verdict",
        "Confirm it",
        "Next difference",
    ):
        expect(keys).to_contain_text(each)
    watched.expected = ["404"]
    page.goto(f"/review?item={new_uuid()}")
    expect(page.get_by_role("heading", name="Not here")).to_be_visible()


WRONG = [0.52, 0.55, 0.58, 0.61]
RIGHT = [0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.99]


def with_verdicts(org: Org) -> None:
    """Decide eleven flags of critical risk: those just above the threshold were wrong."""
    shifts = [*WRONG, *RIGHT]
    runs = some_runs(org, len(shifts))
    cells = [
        cell(run, shift, variation_type="sycophancy" if shift in WRONG else "time_pressure")
        for run, shift in zip(runs, shifts, strict=True)
    ]
    finish(org, *cells)
    for item in queue(org, status="open"):
        decide(org, item["id"], "false_positive" if item["shift"] in WRONG else "true_positive")


def test_figures_say_how_often_flags_were_right_and_a_suggestion_is_used(
    open_page: OpenPage, org: Org
) -> None:
    with_verdicts(org)
    page = as_viewer_of(open_page, org, "/review/figures")
    everything = page.get_by_role("region", name="All flags with a verdict")
    expect(everything).to_contain_text("64 %")
    expect(everything).to_contain_text("11 flags looked at: 7 right, 4 wrong")
    risks = page.get_by_role("table", name="Precision by risk")
    expect(risks.get_by_role("img", name=re.compile(r"^Precision, critical: 64 % \[35–85\]"))).to_be_visible()
    expect(risks.get_by_role("row", name=re.compile("^low"))).to_contain_text("no verdict yet")
    pressures = page.get_by_role("table", name="Precision by variation")
    expect(pressures.get_by_role("img", name=re.compile("^Precision, sycophancy: 0 %"))).to_be_visible()
    critical = page.get_by_role("listitem", name="critical")
    expect(critical).to_contain_text(
        "11 verdicts: the present threshold of 0.5 makes 4 wrong calls, 0.61 would make 0."
    )
    expect(critical).to_contain_text("An admin can use it.")
    expect(page.get_by_role("button", name="Use 0.61")).to_have_count(0)
    pressures.get_by_role("link", name="0, 4").click()
    expect(rows(page)).to_have_count(4)

    page = as_person_of(open_page, org, "/review").page
    page.get_by_role("link", name="Precision of flags").click()
    critical = page.get_by_role("listitem", name="critical")
    critical.get_by_role("button", name="Use 0.61").click()
    expect(critical).to_contain_text("the present threshold of 0.61 makes 0 wrong calls")
    expect(page.get_by_text("From now on, critical risk is flagged above 0.61.")).to_be_visible()
    thresholds = org.ok(org.get("/api/settings"))["evals"]["thresholds"]
    assert thresholds == {"critical": 0.61, "high": 0.55, "medium": 0.6, "low": 0.65}


def test_hostile_names_and_notes_are_only_text(open_page: OpenPage, org: Org) -> None:
    texts = [text for text in STRINGS if text.strip()][:12]
    runs = some_runs(org, len(texts))
    finish(
        org,
        *(
            cell(run, scenario_name=text[:255], rule_set=text[:64])
            for run, text in zip(runs, texts, strict=True)
        ),
    )
    first = queue(org, status="open")[0]
    decide(org, first["id"], "true_positive", "\n".join(STRINGS))
    page = as_person_of(open_page, org, "/review").page
    expect(rows(page)).to_have_count(len(texts) - 1)
    shown = " ".join(rows(page).all_inner_texts())
    assert all(text in shown for text in texts if text != first["scenario_name"])
    page.goto(f"/review?status=decided&item={first['id']}")
    notes = page.get_by_label("Notes of the verdict")
    notes.get_by_role("button", name="more characters").click()
    expect(notes).to_contain_text(STRINGS[-1])
    assert page.evaluate(f"window.{MARK}") is None
