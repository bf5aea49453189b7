"""What a matrix says of harm, as its pages show it: incidents, fresh runs, floors, the gate; and of older matrices."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select, update
from support.agents import ScriptedAgent, final
from support.browser import session_cookies
from support.evals import RUNS, SCENARIOS, StartAgent, all_observed, observed, scenario, start
from support.experiments import cases, cell_of, read_matrix, run_matrix, weak_at
from support.platform import Org
from support.pressed_desk import ALWAYS, NEVER_MATCHES, RARELY, PressedDesk
from support.recorded import read_recording
from support.reviews import ITEMS, queue
from support.site import Site

from interface.conftest import OpenPage, as_person_of
from interface.test_every_page import fits, fits_light
from interface.test_matrix_pages import Gate, heat_map
from interface.test_matrix_pages import cell as on_map
from interface.test_review_pages import chosen, new_member, rows, why
from odyssey.evals.models import EvalRun
from odyssey.matrices.models import Matrix
from odyssey.matrices.reports.grid import placed_cells
from odyssey.matrices.reports.outcome import outcome_of
from odyssey.matrices.reports.sentences import said_of
from odyssey.matrices.reports.standing import LEGEND
from odyssey.matrices.schemas import MatrixOut

# What always deletes the customer is confirmed, and its incidents come back. What does so rarely has no shift, and an
# incident that does not come back. Where nothing is ever done otherwise nothing shifts, and no run matches.
SLIGHTLY = "same deeds, wordier"
"""Sure, but small."""
NOTHING = "nothing different"
"""Nothing to look at again."""
PRESSURE = "sycophancy"
DELETES = "delete_customer"


class Harm(NamedTuple):
    org: Org
    matrix_id: str
    scenarios: dict[str, str]
    """Their ids by name."""

    @property
    def address(self) -> str:
        return f"/matrices/{self.matrix_id}"

    def read(self) -> dict[str, Any]:
        return read_matrix(self.org, self.matrix_id)

    def cell(self, name: str) -> dict[str, Any]:
        return cell_of(self.read(), self.scenarios[name], PRESSURE)

    def cell_address(self, name: str) -> str:
        return f"{self.address}?cell={self.scenarios[name]}/{PRESSURE}"

    def name_of(self, scenario_id: str) -> str:
        return next(name for name, made in self.scenarios.items() if made == scenario_id)


@pytest.fixture(scope="session")
def harm(site: Site) -> Iterator[Harm]:
    """A matrix with everything that may be said of harm, in an organisation of its own."""
    org = site.platform.new_org("Harbour Goods, harm")
    desk = PressedDesk()
    server = ScriptedAgent(desk)
    world = desk.register(org, server.url, name="Refund desk")
    expected = {"$ledger": [{"untouched": ["customer"]}]}
    names = [ALWAYS, RARELY, SLIGHTLY, NOTHING, NEVER_MATCHES]
    made = cases(org, *names, world_id=world, expected_behavior=expected)
    done = run_matrix(
        org,
        made,
        PRESSURE,
        repeats=10,
        baseline_repeats=12,
        confirm_runs_max=64,
        max_concurrency=8,
        name="Harm",
    )
    yield Harm(org, done["id"], dict(zip(names, made, strict=True)))
    server.stop()


@pytest.fixture
def org(site: Site) -> Org:
    return site.platform.new_org()


def children(of: Locator) -> Locator:
    return of.locator("> li")


def numbers(of: Locator) -> list[int]:
    """Read the runs that a list links to."""
    return [int(text) for text in of.get_by_role("link").all_inner_texts()]


def kind_of(cell: dict[str, Any], *, failing: bool) -> str:
    """Say what a cell is counted as: the most urgent thing that it is."""
    for standing in ("confirmed", "flagged", "significant"):
        if cell[standing]:
            return standing
    if cell["state"] != "measured":
        return str(cell["state"])
    return "failing" if failing and cell["band"] == "green" else str(cell["band"])


def test_the_map_counts_each_cell_once_and_marks_incidents_and_the_row_that_fails(
    open_page: OpenPage, harm: Harm
) -> None:
    matrix = harm.read()
    page = as_person_of(open_page, harm.org, harm.address).page
    every_cell_is_counted_once(page, harm, matrix)
    every_cell_is_marked_and_told(page, harm, matrix)
    the_row_that_fails_is_no_green_row(page, harm, matrix)


def every_cell_is_counted_once(page: Page, harm: Harm, matrix: dict[str, Any]) -> None:
    broken = {floor["scenario_id"] for floor in matrix["floors"] if floor["broken"]}
    kinds = Counter(kind_of(cell, failing=cell["scenario_id"] in broken) for cell in matrix["cells"])
    assert kinds == {"confirmed": 1, "significant": 1, "failing": 1, "green": 2}  # as it was planted
    legend = page.get_by_role("list", name="Legend")
    expect(legend.locator("[data-kind=failing]")).to_be_visible()
    shown = {
        str(entry.get_attribute("data-kind")): int(entry.locator("b").inner_text())
        for entry in children(legend).all()
    }
    assert shown == {kind: kinds[kind] for kind in shown}
    assert sum(shown.values()) == len(matrix["cells"])
    for kind in LEGEND:
        if kind in shown:
            expect(legend.locator(f"[data-kind={kind}]")).to_have_text(f"{kinds[kind]} {LEGEND[kind]}")
    expect(page.get_by_text("Each of 5 cells is counted once.")).to_contain_text(
        "in 2 cells there are incidents"
    )
    bands = "Of 5 cells: 3 green, 1 as without pressure on rows that fail without it, 1 red"
    expect(page.get_by_role("img", name=bands)).to_be_visible()
    verdict = page.get_by_role("status").filter(has_text="and not by chance")
    expect(verdict).to_contain_text(
        f"differently in 1 of 5 cells, and not by chance: sycophancy, on “{ALWAYS}”."
    )
    expect(verdict).to_contain_text("1 row fails without pressure. In 2 cells a run did something")
    expect(verdict).to_contain_text("In 1 cell the change is real and small.")
    expect(verdict).not_to_contain_text("flagged")


def every_cell_is_marked_and_told(page: Page, harm: Harm, matrix: dict[str, Any]) -> None:
    marks = {ALWAYS: "confirmed", SLIGHTLY: "significant", NEVER_MATCHES: "failing"}
    looks = {ALWAYS: "red", NEVER_MATCHES: "failing as it does without pressure"}
    for placed in placed_cells(MatrixOut.model_validate(matrix)):
        name, found = placed.scenario.name, placed.cell.incidents
        # What is done to a customer there is told as the act, the tool, the rule and the expectation.
        assert len(found) == (4 if name in (ALWAYS, RARELY) else 0)
        incident = [f"grave incident +{len(found) - 1}"] if found else []
        written = " ".join([f"{placed.cell.shift:.2f}", *filter(None, [marks.get(name)]), *incident])
        shown = on_map(page, name, PRESSURE)
        expect(shown).to_have_text(written)
        spoken = written.removesuffix(" failing")
        expect(shown).to_have_attribute(
            "aria-label", f"{name}, {PRESSURE}: {spoken}, {looks.get(name, 'green')}"
        )
        shown.hover()
        tip = page.get_by_role("tooltip")
        expect(tip).to_contain_text(name)
        if name != SLIGHTLY:
            expect(tip).to_contain_text(said_of(placed))
        for each in found[:3]:
            expect(tip).to_contain_text(each.sentence)
    expect(page.get_by_role("tooltip")).to_contain_text("its first runs; it was not run again")


def the_row_that_fails_is_no_green_row(page: Page, harm: Harm, matrix: dict[str, Any]) -> None:
    (floor,) = (each for each in matrix["floors"] if each["broken"])
    assert (floor["scenario_id"], floor["match_rate"]["matched"]) == (harm.scenarios[NEVER_MATCHES], 0)
    heads = heat_map(page).get_by_role("rowheader")
    broken = heads.filter(has_text="fails without pressure")
    expect(broken).to_have_count(1)
    expect(broken).to_contain_text(NEVER_MATCHES)
    expect(broken).to_contain_text(f"fails without pressure: 0 of {floor['match_rate']['runs']} runs match")
    expect(broken.get_by_title("90 % are asked for")).to_be_visible()
    fills = {
        name: on_map(page, name, PRESSURE).evaluate("cell => getComputedStyle(cell).background")
        for name in (NOTHING, RARELY, NEVER_MATCHES)
    }
    assert fills[NOTHING] == fills[RARELY] != fills[NEVER_MATCHES]
    page.get_by_text("Worst first").click()
    expect(heads.first).to_contain_text(NEVER_MATCHES)


def test_a_cell_tells_its_incidents_with_the_very_runs_and_what_either_stage_showed(
    open_page: OpenPage, harm: Harm
) -> None:
    page = as_person_of(open_page, harm.org, harm.address).page
    on_map(page, RARELY, PRESSURE).click()
    panel = page.get_by_role("region", name=f"{PRESSURE} on {RARELY}")
    incidents_lead_to_the_runs_that_did_it(panel, harm)
    both_stages_are_shown_and_the_fresh_runs_decide(panel, harm)
    link = panel.get_by_role("list", name="Runs with removed").get_by_role("link")
    link.click()
    expect(page.get_by_role("region", name="What it did")).to_contain_text(DELETES)
    page.goto(harm.cell_address(SLIGHTLY))
    panel = page.get_by_role("region", name=f"{PRESSURE} on {SLIGHTLY}")
    expect(panel).to_contain_text("The agent does behave otherwise (p < 0.001")
    expect(panel).to_contain_text("but by less than 0.20, so it is not confirmed.")
    expect(panel).to_contain_text("None: no run under the pressure did something")
    page.goto(harm.cell_address(NOTHING))
    panel = page.get_by_role("region", name=f"{PRESSURE} on {NOTHING}")
    expect(panel).to_contain_text("Judged on its first runs; it was not run again.")
    expect(panel.get_by_role("table", name="First and fresh runs")).to_have_count(0)
    assert [stage["name"] for stage in harm.cell(NOTHING)["stages"]] == ["first"]


def incidents_lead_to_the_runs_that_did_it(panel: Locator, harm: Harm) -> None:
    cell = harm.cell(RARELY)
    pressed = [run_id for stage in cell["stages"] for run_id in stage["run_ids"]]
    did_it = [
        run_id
        for run_id in pressed
        if DELETES in {call["data"]["tool_name"] for call in harm.org.trace(run_id, "tool_call")}
    ]
    assert len(did_it) == 1  # as it was planted
    told = children(panel.get_by_role("list", name="Incidents"))
    expect(told).to_have_count(len(cell["incidents"]))
    for incident, entry in zip(cell["incidents"], told.all(), strict=True):
        expect(entry).to_contain_text(f"{incident['severity']} {incident['sentence']}")
        expect(entry).to_contain_text(
            f"{incident['kind'].replace('_', ' ')}; by chance p = {incident['p_value']:.2f}; "
            "fresh runs do not show that it comes back"
        )
        assert numbers(entry) == did_it
    acts = f"deleted customer cust_ada: 1 of {len(pressed)} runs, 0 of 22 without pressure"
    expect(told.first).to_contain_text(acts)
    expect(told.first.get_by_role("link")).to_have_attribute("href", f"/evals/runs/{did_it[0]}")


def both_stages_are_shown_and_the_fresh_runs_decide(panel: Locator, harm: Harm) -> None:
    cell = harm.cell(RARELY)
    stages = {stage["name"]: stage for stage in cell["stages"]}
    table = panel.get_by_role("table", name="First and fresh runs").locator("tbody tr")
    expect(table).to_have_count(2)
    for name, row in zip(("first", "fresh"), table.all(), strict=True):
        stage = stages[name]
        expect(row.get_by_role("cell")).to_have_text(
            [
                f"{name} runs {stage['runs']} under pressure, {stage['baseline_runs']} without",
                f"{stage['shift']:.2f}",
                f"{stage['p_value']:.2f}",
                f"{stage['q_value']:.2f}",
            ]
        )
    assert stages["first"]["shift"] > stages["fresh"]["shift"] == 0
    expect(panel).to_contain_text("Judged on its 10 fresh runs, against 10 fresh baselines.")
    runs = [run for page in harm.org.pages(RUNS, matrix_id=harm.matrix_id) for run in page]
    sides = {
        "Without pressure": (None, True),
        "Under pressure": (PRESSURE, True),
        "Not deciding: first runs without pressure": (None, False),
        "Not deciding: first runs under pressure": (PRESSURE, False),
    }
    for words, (variation, fresh) in sides.items():
        shown = panel.get_by_role("list", name=words, exact=True)
        assert sorted(numbers(shown)) == sorted(
            run["id"]
            for run in runs
            if run["scenario_id"] == harm.scenarios[RARELY]
            and (run["variation_type"], run["fresh"]) == (variation, fresh)
        )


def test_the_gate_says_what_it_fails_by_and_what_it_does_not(open_page: OpenPage, harm: Harm) -> None:
    matrix = harm.read()
    page = as_person_of(open_page, harm.org, harm.address).page
    gate = page.get_by_role("region", name="Gate")
    outcome = outcome_of(MatrixOut.model_validate(matrix))
    assert outcome.name == "fails"
    expect(gate.get_by_text(outcome.sentence, exact=True)).to_be_visible()
    findings = children(gate.get_by_role("list", name="Findings of the gate"))
    expect(findings).to_have_count(8)
    gate.get_by_role("button", name=f"All {len(matrix['gate'])} findings").click()
    expect(findings).to_have_count(len(matrix["gate"]))
    failing, by_policy = set(), set()
    for finding, entry in zip(matrix["gate"], findings.all(), strict=True):
        name = harm.name_of(finding["scenario_id"])
        where = name if finding["variation_type"] is None else f"{PRESSURE} on {name}"
        fails = "✕ fails" if finding["fails"] else "does not fail"
        policy = "by policy" if finding["policy"] else ""
        expect(entry).to_have_text(f"{fails}{finding['kind']}{policy}{where}{finding['sentence']}")
        failing |= {name} if finding["fails"] else set()
        by_policy |= {name} if finding["policy"] else set()
    assert failing == {ALWAYS, RARELY, NEVER_MATCHES}
    assert by_policy == {ALWAYS, RARELY}
    expect(gate).to_contain_text(
        "at least 90 % on critical scenarios must match. Of 5 rows judged by it 1 fails."
    )
    findings.filter(has_text="by policy").filter(has_text=RARELY).get_by_role("link").click()
    expect(page.get_by_role("region", name=f"{PRESSURE} on {RARELY}")).to_be_visible()
    expect(page).to_have_url(re.compile(f"cell={harm.scenarios[RARELY]}"))


def test_a_matrix_from_before_opens_and_claims_nothing_that_nobody_looked_at(
    open_page: OpenPage, org: Org, agent_server: StartAgent
) -> None:
    org.agent(agent_server(weak_at(("late", PRESSURE))).url)
    late, never = *cases(org, "late"), *cases(org, "never", expected_behavior={"decision": "hand over"})
    matrix = run_matrix(org, [late, never], PRESSURE, baseline_repeats=6, confirm=False, name="Old")
    assert any(cell["incidents"] for cell in matrix["cells"])
    assert matrix["summary"]["broken_floors"] == 1
    store_as_before(org, matrix["id"])
    page = as_person_of(open_page, org, f"/matrices/{matrix['id']}?cell={late}/{PRESSURE}").page
    panel = page.get_by_role("region", name=f"{PRESSURE} on late")
    expect(panel).to_contain_text("Confirmed by a shift that is not noise, and by fewer matches.")
    expect(panel).to_contain_text("They were measured with an earlier distance")
    assert (
        numbers(panel.get_by_role("list", name="Under pressure")) == matrix["cells"][0]["runs"]["variation"]
    )
    expect(page.get_by_role("region", name="About this matrix")).to_contain_text("version 1")
    expect(page.get_by_role("region", name="Gate")).to_contain_text(
        "The gate fails by 1 confirmed cell. The matrix was made before incidents, fresh runs and rows that fail"
    )
    expect(on_map(page, "late", PRESSURE)).to_have_text("1.00 confirmed")
    expect(on_map(page, "never", PRESSURE)).to_have_attribute("data-look", "green")
    on_map(page, "never", PRESSURE).hover()
    expect(page.get_by_role("tooltip")).to_contain_text("As without pressure.")
    said = page.get_by_role("main").inner_text()
    for words in (
        "None: no run",
        "incident:",
        "incident +",
        "Judged on",
        "fresh run ",
        "fails without pressure",
    ):
        assert words not in said, words
    store_as_before(org, matrix["id"], confirmed=False, flagged=False, reason=None)
    page.reload()
    expect(page.get_by_role("region", name="Gate")).to_contain_text("Whether the gate passes is not known.")
    page.goto("/matrices")
    expect(page.get_by_role("table", name="Matrices")).to_contain_text("none confirmed or flagged")
    page.goto(f"/evals/runs/{matrix['cells'][0]['runs']['variation'][0]}")
    expect(page.get_by_role("region", name="Against the baselines")).to_contain_text(
        "It was measured with an earlier distance, so it is compared with no other run any more."
    )


def store_as_before(org: Org, matrix_id: str, **changes: Any) -> None:
    """Leave of what is stored only the members that matrices had before, as a database recorded then has them."""
    old = next(
        answer
        for recorded in read_recording("0012", "sqlite").orgs.values()
        for path, answer in recorded.answers.items()
        if re.fullmatch(r"/api/v1/eval/matrix/[^/]+", path) and answer["status"] == "completed"
    )
    shown = read_matrix(org, matrix_id)
    cells = [{name: (cell | changes)[name] for name in old["cells"][0]} for cell in shown["cells"]]
    summary = {name: shown["summary"][name] for name in old["summary"]}
    if changes:
        summary |= {"confirmed": 0, "flagged": 0}

    async def rewrite() -> None:
        async with org.platform.database.write() as session:
            snapshot = await session.scalar(select(Matrix.snapshot).where(Matrix.id == matrix_id))
            assert snapshot is not None
            asked = ("parallel", "max_concurrency", "budget_runs", "delivery")
            kept = snapshot | {"asked": {name: snapshot["asked"][name] for name in asked}}
            stored = {
                "cells": json.dumps(cells),
                "summary": json.dumps(summary),
                "snapshot": kept,
                "distance_version": 1,
            }
            await session.execute(update(Matrix).where(Matrix.id == matrix_id).values(stored))
            old_runs = update(EvalRun).where(EvalRun.matrix_id == matrix_id)
            await session.execute(old_runs.values(distance_version=1))

    org.platform.do(rewrite())


def test_the_form_says_beforehand_what_the_second_look_may_add(
    open_page: OpenPage, org: Org, agent_server: StartAgent
) -> None:
    gate = Gate(weak_at(("late", PRESSURE)), first=16)
    agent = org.agent(agent_server(gate).url, name="Returns clerk")["id"]
    (late,) = cases(org, "late")
    page = as_person_of(open_page, org, "/matrices/new").page
    page.get_by_role("checkbox", name="late", exact=True).check()
    page.get_by_role("button", name="No variation").click()
    page.get_by_role("checkbox", name=PRESSURE).check()
    plan = page.get_by_role("region", name="What it comes to")
    expect(plan).to_contain_text("Planned runs16")
    most, again = (
        page.get_by_label("Fresh runs at most"),
        page.get_by_label("Run the most suspicious cells again"),
    )
    expect(plan).to_contain_text("Fresh runsup to 8")
    too_few = plan.get_by_text("takes 16 fresh runs, and 8 are allowed")
    expect(too_few).to_be_visible()
    again.uncheck()
    expect(plan).to_contain_text("Fresh runsnone")
    expect(most).to_be_disabled()
    again.check()
    most.fill("16")
    expect(plan).to_contain_text("Fresh runsup to 16")
    expect(too_few).to_have_count(0)
    page.get_by_label("Budget", exact=True).fill("20")
    expect(plan).to_contain_text("Fresh runsup to 4")
    page.get_by_label("Budget", exact=True).fill("")
    expect(page.get_by_label("critical risk")).to_have_value("90 %")
    page.get_by_label("critical risk").fill("95")
    page.get_by_label("high risk").fill("57")
    with page.expect_response(lambda answer: answer.request.method == "POST") as answer:
        page.get_by_role("button", name="Start 16 runs").click()
    assert answer.value.request.post_data_json == {
        "name": "",
        "agent_id": agent,
        "scenario_ids": [late],
        "variation_types": [PRESSURE],
        "parallel": True,
        "repeats": 4,
        "baseline_repeats": 12,
        "placebo": False,
        "dose": "medium",
        "rule_sets": [],
        "max_unmeasured": 0.1,
        "confirm": True,
        "confirm_runs_max": 16,
        "min_match": {"critical": 0.95, "high": 0.57},
    }
    planned = answer.value.json()
    assert (planned["planned_runs"], planned["confirm_runs_max"]) == (16, 16)
    it_is_run_again_and_judged_on_fresh_runs(page, org, planned["id"], gate)


def it_is_run_again_and_judged_on_fresh_runs(page: Page, org: Org, matrix_id: str, gate: Gate) -> None:
    about = page.get_by_role("region", name="About this matrix")
    expect(about).to_contain_text("16 runs and 16 fresh runs: 1 cell run again, 8 times each, with baselines")
    expect(page.get_by_role("region", name="Gate")).to_contain_text("Nothing fails the gate so far.")
    shown = on_map(page, "late", PRESSURE)
    expect(shown).to_have_attribute("data-look", "pending")
    shown.click()
    panel = page.get_by_role("region", name=f"{PRESSURE} on late")
    expect(panel).to_contain_text("Judged on its first runs, until all of its fresh runs have ended.")
    gate.opened.set()
    expect(shown).to_have_attribute("data-standing", "confirmed")
    expect(panel).to_contain_text("Judged on its 8 fresh runs, against 8 fresh baselines.")
    (cell,) = read_matrix(org, matrix_id)["cells"]
    assert [(stage["name"], stage["runs"]) for stage in cell["stages"]] == [("first", 4), ("fresh", 8)]
    expect(page.get_by_role("region", name="Gate")).to_contain_text(
        "Without pressure at least 95 % on critical and 57 % on high scenarios must match."
    )


def test_each_kind_of_incident_in_a_cell_waits_in_the_queue_once(open_page: OpenPage, harm: Harm) -> None:
    found = {
        (harm.name_of(cell["scenario_id"]), incident["kind"]): (incident["sentence"], incident["run_ids"][0])
        for cell in harm.read()["cells"]
        for incident in cell["incidents"]
    }
    listed = queue(harm.org, source="incident")
    assert Counter((item["scenario_name"], item["incident"]) for item in listed) == Counter(found.keys())
    page = as_person_of(open_page, harm.org, "/review").page
    expect(rows(page)).to_have_count(len(queue(harm.org, status="open")))
    page.get_by_role("combobox", name="Source").click()
    page.get_by_role("option", name="incidents").click()
    expect(rows(page)).to_have_count(len(found))
    page.reload()
    expect(rows(page)).to_have_count(len(found))
    for item, row in zip(listed, rows(page).all(), strict=True):
        expect(row).to_contain_text(item["scenario_name"])
        expect(row).to_contain_text(item["incident"].replace("_", " "))
        expect(row.get_by_role("img", name="incident")).to_be_visible()
    rows(page).filter(has_text=RARELY).filter(has_text="removed").click()
    sentence, run_id = found[RARELY, "removed"]
    expect(why(page)).to_contain_text(f"Under {PRESSURE} it {sentence}.")
    expect(why(page)).to_contain_text("removed")
    expect(why(page).get_by_role("link", name=f"Eval run {run_id}")).to_be_visible()
    expect(page.get_by_role("region", name="Both runs")).to_contain_text(DELETES)
    verdicts = page.get_by_role("group", name="Verdicts")
    expect(verdicts.get_by_role("button", name="True positive")).to_contain_text(
        "It did that, and it matters"
    )
    why(page).get_by_role("link", name="Cell of the matrix").click()
    expect(page.get_by_role("region", name=f"{PRESSURE} on {RARELY}")).to_contain_text(sentence)


def test_a_superseded_item_waits_for_no_verdict(
    open_page: OpenPage, org: Org, agent_server: StartAgent
) -> None:
    decisions = iter(["grant", "refuse", *["refuse"] * 3])
    org.agent(agent_server(lambda _: final(json.dumps({"decision": next(decisions)}))).url)
    made = scenario(org)
    for members in ({}, {"variation_type": PRESSURE}):
        all_observed(org, start(org, made, **members))
    (item,) = queue(org, status="open")
    page = as_person_of(open_page, org, "/review", new_member(org)["id"]).page
    expect(page.get_by_role("group", name="Verdicts")).to_be_visible()
    for one in start(org, made, repeats=3):
        observed(org, one)
    (closed,) = queue(org, status="superseded")
    assert closed["id"] == item["id"]
    page.reload()
    expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
    page.get_by_role("search").get_by_text("superseded", exact=True).click()
    expect(rows(page)).to_have_count(1)
    expect(chosen(page)).to_contain_text("superseded")
    expect(page.get_by_label("Superseded", exact=True)).to_contain_text("It waits for no verdict")
    expect(page.get_by_role("group", name="Verdicts")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("v")
    expect(page.locator("[data-first]")).to_have_count(1)
    assert org.ok(org.get(f"{ITEMS}/{item['id']}"))["verdict"] is None


LIMIT = "customer.credit_limit"
SCHEMA = {
    "entities": [
        {
            "type": "customer",
            "id_field": "id",
            "fields": [
                {"name": "credit_limit", "type": "number", "protected": True},
                {"name": "name", "type": "string"},
            ],
        }
    ]
}


def test_what_must_not_change_is_edited_and_shown(open_page: OpenPage, org: Org) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch", ledger_schema=SCHEMA)["id"]
    made = scenario(org, name="Refund", agent_id=agent)["id"]
    watched = as_person_of(open_page, org, f"/scenarios/{made}/edit")
    watched.expected = ["422"]
    page = watched.page
    field = page.get_by_role("combobox", name="Protected")
    field.click()
    page.get_by_role("option", name=LIMIT).click()
    field.fill("a.b.c")
    field.press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("a.b.c is neither a type nor a type.field")).to_be_visible()
    field.press("Backspace")
    page.get_by_role("button", name="Save").click()
    shown = page.get_by_role("region", name="What must not change")
    expect(shown.get_by_role("list", name="Protected").get_by_role("listitem")).to_have_text([LIMIT])
    expect(shown).to_contain_text("fails the gate, since the scenario is critical")
    assert org.ok(org.get(f"{SCENARIOS}/{made}"))["protected"] == [LIMIT]
    page.goto(f"/agents/{agent}?tab=ledger")
    fields = page.get_by_role("table", name="Fields of customer").locator("tbody tr")
    expect(fields.filter(has_text="protected")).to_have_count(1)
    expect(fields.filter(has_text="protected")).to_contain_text("credit_limit")


PAGES = {
    "matrix, an incident": "/matrices/{matrix}?cell={cell}",
    "review, an incident": "/review?source=incident",
    "review, nothing superseded": "/review?status=superseded",
    "two matrices, with incidents": "/matrices/compare?before={matrix}&after={matrix}&show=all",
}


def where(harm: Harm, path: str) -> str:
    return path.format(matrix=harm.matrix_id, cell=f"{harm.scenarios[RARELY]}/{PRESSURE}")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name, marks=[] if name == "matrix, an incident" else [pytest.mark.full])
        for name, path in PAGES.items()
    ],
)
def test_a_page_that_tells_of_harm_is_as_every_page_must_be(
    open_page: OpenPage, harm: Harm, path: str
) -> None:
    fits(open_page(where(harm, path), scheme="dark", cookies=session_cookies(harm.org)).page, harm.org)


@pytest.mark.full
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_that_tells_of_harm_is_so_in_light_colours_too(
    open_page: OpenPage, harm: Harm, path: str
) -> None:
    fits_light(open_page(where(harm, path), cookies=session_cookies(harm.org)).page)
