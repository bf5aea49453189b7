"""How well a run went: the card on its page, the list, and grading while one looks."""

import re
import threading
from typing import Any

from playwright.sync_api import Locator, Page, expect
from support.agents import Dispatched, ScriptedAgent, final
from support.chromium import write_over
from support.model_server import Asked, ModelServer, answers
from support.platform import TOOLS, WORLD
from support.site import Site
from support.verdicts import RUBRIC, careful

from interface.conftest import OpenPage, as_person_of, as_viewer_of

UNRELOADED = "window.isUnreloaded"


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Verdict")


def rows(page: Page) -> Locator:
    return page.get_by_role("table", name="Runs").locator("tbody tr")


def test_a_fail_is_found_from_home_names_its_mode_and_leads_to_the_step_that_decided_it(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("/").page
    squares = page.get_by_role("list", name=re.compile("runs, oldest first"))
    violating = f"Run {site.verdicts.violating}: not passed, policy violated"
    expect(squares.get_by_role("link", name=violating)).to_have_count(1)
    page.get_by_role("list", name="By verdict").get_by_role("link", name=re.compile("not passed")).click()
    expect(page).to_have_url(re.compile("verdict=FAIL"))
    expect(rows(page).filter(has_text="Hasty desk")).to_contain_text(
        re.compile("fail.*75 %.*policy violated")
    )
    expect(rows(page).filter(has_text="Boasting desk")).to_contain_text("claimed without a call")
    expect(rows(page).filter(has_text="Careful desk")).to_have_count(0)
    page.get_by_role("combobox", name="Verdict").click()
    page.get_by_role("option", name="pass", exact=True).click()
    expect(rows(page).filter(has_text="Careful desk")).to_contain_text(re.compile("pass.*100 %"))
    expect(rows(page).filter(has_text="Hasty desk")).to_have_count(0)
    page.go_back()
    rows(page).filter(has_text="Boasting desk").press("Enter")
    a_claim_without_a_call_is_said_in_words(page)
    page.go_back()
    rows(page).filter(has_text="Hasty desk").press("Enter")
    a_fail_leads_to_the_step_that_decided_it(page)


def a_claim_without_a_call_is_said_in_words(page: Page) -> None:
    claims = card(page).get_by_role("list", name="Claims the proxy did not see")
    expect(claims).to_have_text("The transcript says update_order was called once; the proxy never saw it.")
    expect(card(page)).to_contain_text("claimed without a call")
    expect(card(page)).to_contain_text("0 %")


def a_fail_leads_to_the_step_that_decided_it(page: Page) -> None:
    expect(card(page)).to_contain_text("fail")
    expect(card(page)).to_contain_text("75 %")
    expect(card(page)).to_contain_text("policy violated")
    expect(card(page)).to_contain_text("No judge was asked; the verdict comes from the checks alone.")
    checks = card(page).get_by_role("region", name="Checks").get_by_role("listitem")
    expect(checks).to_have_count(4)
    expect(checks.first).to_contain_text(re.compile("failed.*Check 2.*policy.*before any get_order"))
    expect(checks.filter(has_text="passed")).to_have_count(3)
    checks.first.get_by_role("link", name="step 2").click()
    expect(page).to_have_url(re.compile(r"\?step=2$"))
    expect(page.get_by_role("region", name="Step 2")).to_contain_text("update_order")
    expect(page.get_by_role("region", name="Step 2")).to_be_in_viewport()


def test_a_judge_shows_its_answers_and_every_verdict_is_kept_with_what_changed(
    open_page: OpenPage, site: Site
) -> None:
    first, _ = [event["sequence"] for event in site.org.trace(site.verdicts.judged, "grade")]
    page = open_page(f"/runs/{site.verdicts.judged}").page
    judge = card(page).get_by_role("region", name="Judge")
    rubric = judge.get_by_role("list", name="Answers to the rubric").get_by_role("listitem")
    expect(rubric).to_have_count(3)
    expect(rubric.nth(0)).to_contain_text(
        re.compile("passed.*Was the order cancelled.*yes.*Because of done.")
    )
    expect(rubric.nth(1)).to_contain_text("5 of 5")
    expect(rubric.nth(2)).to_contain_text("friendly")
    for fact in ("scripted-judge-1", "1,000 in, 50 out", "$0.003"):
        expect(judge).to_contain_text(fact)
    expect(judge).not_to_contain_text("claimed_actions")
    judge.get_by_role("button", name="Raw answer of the model").click()
    expect(judge.get_by_role("group", name="raw answer of the judge")).to_contain_text("claimed_actions")
    card(page).get_by_role("button", name="Graded twice").click()
    given = card(page).get_by_role("list", name="Verdicts it was given, newest first")
    for change in (
        "verdict: fail → pass",
        "answer to clear: 1 of 5 → 5 of 5",
        "failure mode: rubric failed → none",
    ):
        expect(given.get_by_text(change, exact=True)).to_be_visible()
    expect(given.get_by_text("The judge's answers do not pass")).to_be_visible()
    a_grade_is_a_step_of_the_trace(page, first)


def a_grade_is_a_step_of_the_trace(page: Page, sequence: int) -> None:
    steps = page.get_by_role("listbox", name="Steps").get_by_role("option").filter(has_text="grade")
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("fail")
    steps.first.click()
    step = page.get_by_role("region", name=f"Step {sequence}")
    expect(step).to_contain_text("Grade 1, score 50 %, rubric failed")
    expect(step.get_by_role("list", name="Answers to the rubric")).to_contain_text("not passed")


def test_a_rubric_that_nobody_can_answer_leads_to_the_settings(open_page: OpenPage, site: Site) -> None:
    agent = ScriptedAgent(careful)
    run = site.org.run(site.org.agent(agent.url, name="Without a judge"), rubric=RUBRIC)
    page = open_page(f"/runs/{run['id']}").page
    banner = page.get_by_role("region", name="Why the run failed")
    expect(banner).to_contain_text("no model is configured for it")
    banner.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    agent.stop()


def test_the_head_of_a_run_says_what_the_world_did_badly(open_page: OpenPage, site: Site) -> None:
    def cancels(dispatched: Dispatched) -> Any:
        dispatched.call("ponder", {})
        dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        return final("It is cancelled.")

    org, agent = site.platform.new_org("Faulty world"), ScriptedAgent(cancels)
    ponder = {"name": "ponder", "input_schema": {"type": "object"}}
    with ModelServer({"response": {"order_id": "ord_2", "status": "cancelled"}, "operations": []}) as model:
        org.ok(org.put("/api/settings", model.settings(role="simulator")))
        config = {"engines": {"update_order": "llm", "ponder": "world"}}
        registered = org.agent(agent.url, config=config, tools_schema=[*TOOLS, ponder])
        checks = [{"ledger": {"$.order.ord_2.status": "cancelled"}}]
        (run,) = org.start(registered, {"user_instruction": "x", "initial_state": WORLD, "checks": checks})
        org.graded(run)
    agent.stop()
    page = as_person_of(open_page, org, f"/runs/{run}").page
    banner = page.get_by_role("region", name="What the world did badly")
    expect(banner).to_contain_text(
        "The world contradicted itself in 1 call and did not understand 1 (steps 2, 3)."
    )
    notes = banner.get_by_role("listitem")
    expect(notes).to_have_count(2)
    expect(notes.nth(0)).to_contain_text("ponder: the call was not understood.")
    expect(notes.nth(1)).to_contain_text("update_order: the answer contradicts the world.")
    expect(card(page)).to_contain_text("world at fault")
    expect(card(page)).to_contain_text("The task lacks nothing.")
    notes.nth(1).get_by_role("link", name="step 3").click()
    expect(page.get_by_role("region", name="Step 3")).to_contain_text("update_order")


def test_the_verdict_arrives_without_a_reload(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def waiting(_: Dispatched) -> Any:
        gate.wait()
        return final("Now it is done.")

    agent = ScriptedAgent(waiting)
    try:
        registered = site.org.agent(agent.url, name="Patient and graded")
        seed = {"user_instruction": "Wait.", "checks": [{"final_response": {"contains": "done"}}]}
        (run,) = site.org.start(registered, seed)
        page = open_page(f"/runs/{run}").page
        expect(card(page)).to_contain_text("It is graded by 1 check when it has ended.")
        page.evaluate(f"{UNRELOADED} = true")
        gate.set()
        expect(card(page)).to_contain_text("The check holds.")
        expect(page.get_by_role("option").filter(has_text="grade")).to_contain_text("pass")
        assert page.evaluate(UNRELOADED) is True
    finally:
        gate.set()
        agent.stop()


def test_grading_again_is_live_until_the_verdict_is_there(open_page: OpenPage, site: Site) -> None:
    gate = threading.Event()

    def slow(asked: Asked) -> Any:
        gate.wait()
        return answers(asked)

    org = site.platform.new_org("Judged", "judge@judged.example")
    agent = ScriptedAgent(careful)
    with ModelServer(slow) as model:
        try:
            run = org.run(org.agent(agent.url), initial_state=WORLD)
            page = as_person_of(open_page, org, f"/runs/{run['id']}").page
            expect(card(page)).to_contain_text("There is nothing to grade it by.")
            org.ok(org.put("/api/settings", model.settings()))
            page.evaluate(f"{UNRELOADED} = true")
            card(page).get_by_role("button", name="Grade").click()
            expect(card(page).get_by_role("status")).to_contain_text("Being graded")
            expect(card(page).get_by_role("button", name="Grade")).to_be_disabled()
            gate.set()
            expect(card(page).get_by_role("list", name="Answers to the rubric")).to_be_visible()
            expect(card(page).get_by_role("button", name="Grade again")).to_be_enabled()
            expect(page.get_by_role("option").filter(has_text="grade")).to_have_count(1)
            card(page).get_by_role("button", name="Grade again").click()
            expect(card(page).get_by_role("button", name="Graded twice")).to_be_visible()
            expect(page.get_by_role("option").filter(has_text="grade")).to_have_count(2)
            assert page.evaluate(UNRELOADED) is True
        finally:
            gate.set()
            agent.stop()


def test_a_viewer_sees_verdicts_and_grades_nothing(open_page: OpenPage, site: Site) -> None:
    page = as_viewer_of(open_page, site.org, f"/runs/{site.verdicts.passed}")
    expect(card(page)).to_contain_text("All 4 checks hold.")
    expect(card(page).get_by_role("button", name=re.compile("^Grade"))).to_have_count(0)


def test_checks_and_a_rubric_are_written_with_the_server_reading_along(
    open_page: OpenPage, site: Site
) -> None:
    agent = ScriptedAgent(careful)
    registered = site.org.agent(agent.url, name="Graded by the form")
    watched = open_page(f"/runs/new?agent_id={registered['id']}")
    watched.expected = ["422"]  # the form is checked while it is not valid yet
    page = watched.page
    page.get_by_label("User instruction").fill("Cancel order ord_2.")
    accepted = page.get_by_text("The server accepts this.")
    for kind in titles_of_templates(page, "Add a check"):
        page.get_by_role("button", name="Add a check").click()
        page.get_by_role("menuitem").filter(has_text=kind).first.click()
    expect(accepted).to_be_visible()
    for kind in titles_of_templates(page, "Add a question"):
        page.get_by_role("button", name="Add a question").click()
        page.get_by_role("menuitem").filter(has_text=kind).first.click()
    expect(page.get_by_text("No judge model is set")).to_be_visible()
    expect(accepted).to_be_visible()
    write_over(page.get_by_role("textbox", name="Checks"), '[{"caled": {"tool": "update_order"}}]')
    expect(page.get_by_text("did you mean 'called'").first).to_be_visible()
    write_over(page.get_by_role("textbox", name="Checks"), '[{"called": ')
    expect(page.get_by_role("button", name="Add a check")).to_be_disabled()
    write_over(
        page.get_by_role("textbox", name="Checks"), '[{"called": {"tool": "update_order", "outcome": "any"}}]'
    )
    write_over(page.get_by_role("textbox", name="Rubric"), "")
    expect(accepted).to_be_visible()
    page.get_by_role("button", name="Start run").click()
    expect(card(page)).to_contain_text("The check holds.")
    agent.stop()


def titles_of_templates(page: Page, menu: str) -> list[str]:
    page.get_by_role("button", name=menu).click()
    items = page.get_by_role("menuitem")
    items.first.wait_for()
    titles = [text.splitlines()[0] for text in items.all_inner_texts()]
    page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    return titles
