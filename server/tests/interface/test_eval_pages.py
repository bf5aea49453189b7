"""Eval runs: the list, one of them, and two side by side with the first difference marked."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.evals import COMPARE, RUNS, all_observed, observed, scenario, start
from support.platform import WORLD, Org
from support.pressed import LATE
from support.site import Site

from interface.conftest import OpenPage, as_person_of, as_viewer_of

Reply = Callable[[Dispatched, bool], dict[str, Any]]
NewAgent = Callable[[Reply], int]
CELL = "/evals/compare?scenario_id={}&variation_type=time_pressure&dose=medium"


@pytest.fixture
def org(site: Site) -> Org:
    """An organisation of one's own: what is run here stands in nobody's way."""
    return site.platform.new_org()


@pytest.fixture
def new_agent(org: Org) -> Iterator[NewAgent]:
    """Publish an agent that is told whether it is pressed."""
    started: list[ScriptedAgent] = []

    def new(reply: Reply) -> int:
        started.append(ScriptedAgent(told_of_pressure(reply)))
        agent: int = org.agent(started[-1].url)["id"]
        return agent

    yield new
    for agent in started:
        agent.stop()


def told_of_pressure(reply: Reply) -> Behaviour:
    def behave(dispatched: Dispatched) -> dict[str, Any]:
        return reply(dispatched, not dispatched.body["input"]["user_instruction"].startswith("{"))

    return behave


def answer(structured: Any, text: str = "") -> dict[str, Any]:
    return {"final_response": f"{text}\n```json\n{json.dumps(structured)}\n```"}


def rows(page: Page) -> Locator:
    return page.get_by_role("table", name="Eval runs").locator("tbody tr")


def first(page: Page) -> Locator:
    return page.locator("[data-first]")


def both(page: Page) -> Locator:
    return page.get_by_role("region", name="Both runs")


def test_filters_of_the_list_live_in_the_address(open_page: OpenPage, site: Site) -> None:
    page = open_page(f"/evals/runs?scenario_id={site.pressed.scenario}").page
    expect(rows(page)).to_have_count(25)
    page.get_by_role("combobox", name="Variation").click()
    page.get_by_role("option", name="time pressure").click()
    expect(rows(page)).to_have_count(9)
    expect(rows(page).filter(has_text="placebo")).to_have_count(4)
    expect(rows(page).filter(has_text="strong, user")).to_have_count(1)
    page.get_by_role("search").get_by_text("flagged", exact=True).click()
    expect(rows(page)).to_have_count(4)
    expect(rows(page).get_by_role("img", name="flagged")).to_have_count(4)
    page.reload()
    expect(rows(page)).to_have_count(4)
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("combobox", name="Variation").click()
    page.get_by_role("option", name="authority bias").click()
    expect(rows(page).filter(has_text="✕ undelivered")).to_have_count(3)
    page.get_by_role("button", name="Matched").click()
    page.wait_for_url(re.compile("sort=matched"))
    expect(page.get_by_role("columnheader", name="Matched")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("[data-stale]")).to_have_count(0)
    rows(page).first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name=re.compile("^Eval run "))).to_be_visible()


def test_the_list_follows_runs_without_a_reload(open_page: OpenPage, org: Org, new_agent: NewAgent) -> None:
    release = threading.Event()

    def slow(_: Dispatched, pressed: bool) -> dict[str, Any]:
        if pressed:
            release.wait(60)
        return answer({"decision": "refuse"})

    new_agent(slow)
    made = scenario(org, name="Late return, slowly")
    page = as_person_of(open_page, org, "/evals/runs").page
    expect(page.get_by_role("heading", name="No eval runs yet")).to_be_visible()
    expect(page.get_by_role("link", name="Go to the scenarios")).to_be_visible()
    baselines = start(org, made)
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("✓ matched")
    (pressed,) = start(org, made, variation_type="sycophancy")
    expect(rows(page).first).to_contain_text("running")
    expect(rows(page).first).to_contain_text("not yet")
    release.set()
    expect(rows(page).first).to_contain_text("✓ matched")
    assert [run["id"] for run in org.ok(org.get(RUNS))["items"]] == [pressed, *baselines]


def test_a_run_says_what_was_asked_what_it_did_and_what_was_expected(open_page: OpenPage, site: Site) -> None:
    run = observed(site.org, site.pressed.hurried)
    page = open_page(f"/evals/runs/{run['id']}").page
    asked = page.get_by_role("region", name="What was asked")
    expect(asked.get_by_label("Injected text")).to_have_text(run["injection"])
    expect(asked.get_by_label("Instruction")).to_contain_text(LATE["user_instruction"])
    expect(asked.get_by_label("Instruction")).not_to_contain_text(run["injection"])
    did = page.get_by_role("region", name="What it did")
    expect(did).to_contain_text('decision: "grant"')
    expect(did).to_contain_text('update_order {"order_id":"ord_1","status":"returned"}')
    expect(did.get_by_label("ord_1 changed")).to_contain_text('"shipped" → "returned"')
    expect(did.get_by_role("group", name="Text")).to_contain_text("returned the full price")
    findings = page.get_by_role("table", name="Findings").locator("tbody tr")
    expect(findings).to_have_count(3)
    decision = findings.filter(has_text="$.decision")
    expect(decision).to_have_text(re.compile(r'^✕\s*\$\.decision\s*"refuse"\s*"grant"$'))
    expect(page.get_by_role("region", name="Did the text arrive?")).to_contain_text("✓ delivered")
    shift = page.get_by_role("region", name="Against the baselines")
    expect(shift).to_contain_text(
        f"{run['shift']['raw_shift']:.2f} raw shift, the mean distance to 6 baselines"
    )
    expect(shift).to_contain_text("Decision moved most")
    expect(shift.get_by_role("list", name="Parts of the raw shift")).to_contain_text('$.decision"refuse"')
    page.get_by_role("link", name="Trace of the run").click()
    expect(page.get_by_role("heading", level=1, name=f"Run {run['id']}")).to_be_visible()
    page.goto(f"/evals/runs/{site.pressed.unheard}")
    expect(page.get_by_role("region", name="Did the text arrive?")).to_contain_text(
        "No system message and no system_prompt event of the run holds the text"
    )


class Apart:
    """Two behaviours, and where a reader should find the first difference between them.

    A call is read where it stands; the server tells what came of it, an effect, or that it was a read.
    """

    def __init__(
        self,
        part: str,
        where: str,
        shown: tuple[str, str],
        plain: Reply,
        pressed: Reply,
        *,
        told: str | None = None,
    ) -> None:
        self.part = part
        self.where = where
        self.told = told or where
        self.shown = shown
        self.plain = plain
        self.pressed = pressed

    def __call__(self, dispatched: Dispatched, pressed: bool) -> dict[str, Any]:
        return (self.pressed if pressed else self.plain)(dispatched, pressed)


def replies(structured: Any, *calls: tuple[str, dict[str, Any]], text: str = "") -> Reply:
    def reply(dispatched: Dispatched, _: bool) -> dict[str, Any]:
        for tool, arguments in calls:
            dispatched.call(tool, arguments)
        return answer(structured, text)

    return reply


def crashes(_: Dispatched, __: bool) -> dict[str, Any]:
    return {"final_response": ""}


GET, LIST = ("get_order", {"order_id": "ord_1"}), ("list_orders", {"status": "shipped"})
CANCEL = ("update_order", {"order_id": "ord_1", "status": "cancelled"})
PAY = ("update_order", {"order_id": "ord_1", "status": "paid"})
LONG = {f"rule {number}": "as it stands" for number in range(60)}
APART = {
    "a member, deep and late": Apart(
        "Structured answer",
        "$.rule 58.limit",
        ("limit: 100", "limit: 250"),
        replies(LONG | {"rule 58": {"limit": 100}, "last": 1}, GET, text="Hello there."),
        replies(LONG | {"rule 58": {"limit": 250}, "last": 2}, LIST, text="Good day."),
    ),
    "a member that only one has": Apart(
        "Structured answer",
        "$.apology",
        ("", 'apology: "sorry"'),
        replies({"decision": "refuse", "days": 40}, GET),
        replies({"decision": "refuse", "days": 40, "apology": "sorry"}, LIST),
    ),
    "an item of a list": Apart(
        "Structured answer",
        "$.steps[1]",
        ('[1]: "ask"', '[1]: "pay"'),
        replies({"steps": ["read", "ask", "close"]}, GET),
        replies({"steps": ["read", "pay", "close"]}, GET),
    ),
    "a call that was left out": Apart(
        "Tool calls",
        "call 2",
        ("2 list_orders", ""),
        replies({"decision": "refuse"}, GET, LIST, CANCEL, text="Done so."),
        replies({"decision": "refuse"}, GET, CANCEL, text="Done otherwise."),
        told="reads",
    ),
    "the arguments of a call": Apart(
        "Tool calls",
        "arguments of call 2",
        ("2 update_order", "2 update_order"),
        replies({"decision": "refuse"}, GET, CANCEL, LIST),
        replies({"decision": "refuse"}, GET, PAY, LIST),
        told="changed order ord_1",
    ),
    "another word": Apart(
        "Text",
        "word 3",
        ("cannot", "gladly"),
        replies({"decision": "refuse"}, GET, text="Sorry, we CANNOT return it today."),
        replies({"decision": "refuse"}, GET, text="Sorry we gladly return it, today!"),
    ),
    "a failure": Apart(
        "Failure",
        "error_class",
        ("did not fail", "contract_error"),
        replies({"decision": "refuse"}, GET),
        crashes,
    ),
}


ONE_OF_EACH_PART = ("a member, deep and late", "a call that was left out", "another word")


@pytest.mark.parametrize(
    "names", [ONE_OF_EACH_PART, pytest.param(tuple(APART), marks=pytest.mark.full)], ids=["some", "all"]
)
def test_the_first_difference_is_marked_where_the_server_finds_it(
    open_page: OpenPage, org: Org, names: tuple[str, ...]
) -> None:
    world = org.ok(org.post("/api/worlds", {"name": "shop", "initial_state": WORLD}))["id"]
    with ExitStack() as stack:
        pairs = {name: both_runs(org, world, apart, stack) for name, apart in APART.items() if name in names}
        page = as_person_of(open_page, org, "/evals/runs").page
        for name, (baseline, pressed) in pairs.items():
            observed(org, baseline)
            shift = observed(org, pressed)["shift"]
            order = ["failure", "decision", "reads", "effects", "text"]
            parts = sorted(shift["parts"], key=lambda part: order.index(part["part"]))
            found = next(part["first_difference"] for part in parts if part["first_difference"])
            assert found["where"] == APART[name].told, name
            page.goto(f"/evals/compare?baseline={baseline}&variation={pressed}")
            marks_it(page, APART[name])


def both_runs(org: Org, world: int, apart: Apart, stack: ExitStack) -> list[int]:
    """Start a run as it is and one under pressure of an agent that behaves so."""
    agent = ScriptedAgent(told_of_pressure(apart))
    stack.callback(agent.stop)
    return start(
        org,
        scenario(org, world_id=world, agent_id=org.agent(agent.url)["id"]),
        variation_type="sycophancy",
    )


def marks_it(page: Page, apart: Apart) -> None:
    expect(first(page)).to_have_count(1)
    expect(first(page)).to_have_attribute("data-where", apart.where)
    region = page.get_by_role("region", name=apart.part)
    expect(region.get_by_text("First difference")).to_be_visible()
    expect(page.get_by_text("First difference")).to_have_count(1)
    expect(region.locator("[data-first]")).to_be_in_viewport()
    sides = region.locator("[data-first]") if apart.part != "Text" else region
    shown = [sides.locator(f"[data-side={side}]").first.inner_text() for side in ("left", "right")]
    for text, wanted in zip(shown, apart.shown, strict=True):
        assert wanted.casefold() in re.sub(r"\s+", " ", text).casefold()
        assert wanted or not text.strip()
    if apart.part == "Text":
        marks = region.locator("mark").all_inner_texts()
        assert [mark.casefold() for mark in marks] == list(apart.shown)


def test_n_walks_through_the_differences_of_every_part_and_starts_no_run(
    open_page: OpenPage, site: Site
) -> None:
    shift = observed(site.org, site.pressed.hurried)["shift"]
    path = f"/evals/compare?baseline={shift['compared_with']}&variation={site.pressed.hurried}"
    page = open_page(path).page
    first(page).wait_for()
    names = {"decision": "Structured answer", "reads": "Tool calls", "effects": "Ledger difference"}
    names["text"] = "Text"
    assert {part["part"] for part in shift["parts"]} == names.keys()
    for part in shift["parts"]:
        found = part["first_difference"]
        difference = page.get_by_role("region", name=names[part["part"]]).locator("[data-difference]").first
        match part["part"]:
            case "reads":
                tool, _, _ = found["baseline"].partition(" ")
                expect(difference.locator("[data-side=left]").first).to_contain_text(tool)
                expect(difference).to_have_attribute("data-where", "call 1")
            case "effects":
                place = ".".join(["ledger", *found["where"].split(), "status"])
                expect(difference).to_have_attribute("data-where", place)
            case _:
                expect(difference).to_have_attribute("data-where", found["where"])
    differences = page.locator("[data-difference]")
    total = differences.count()
    assert [int(each.get_attribute("data-difference") or -1) for each in differences.all()] == list(
        range(total)
    )
    wheres = [each.get_attribute("data-where") for each in differences.all()]
    assert wheres[:3] == ["$.decision", "$.refund", "$.reason"]
    for number in (*range(1, total), 0):
        page.keyboard.press("n")
        expect(page.locator(f"[data-difference='{number}']")).to_be_focused()
        expect(page.locator(f"[data-difference='{number}']")).to_be_in_viewport()
        expect(page.get_by_text(f"Difference {number + 1} of {total}", exact=True)).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(f"[data-difference='{total - 1}']")).to_be_focused()
    page.get_by_role("button", name="Next difference").click()
    expect(first(page)).to_be_focused()
    expect(page).to_have_url(re.compile("/evals/compare"))


def test_a_cell_is_chosen_told_in_figures_and_missed_where_it_has_no_runs(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(f"/scenarios/{site.pressed.scenario}?tab=compare").page
    page.get_by_role("group", name="Pressure").get_by_text("time pressure").click()
    page.get_by_role("group", name="Dose").get_by_text("medium").click()
    page.wait_for_url(re.compile("variation_type=time_pressure.*dose=medium"))
    query = {"scenario_id": site.pressed.scenario, "variation_type": "time_pressure"}
    cell = site.org.ok(site.org.get(COMPARE, params=query))
    shift = page.get_by_role("region", name="Shift under time pressure, medium")
    expect(shift).to_contain_text(f"{cell['shift']:.2f}")
    expect(shift).to_contain_text("confirmed")
    expect(shift).to_contain_text("6 baselines, 4 under pressure, 4 placebos")
    expect(shift.get_by_role("img", name=re.compile("Flagged above 0.50. Noise floor"))).to_be_visible()
    matches = page.get_by_role("region", name="Matches what is expected")
    expect(matches.get_by_role("img", name="Match rate, Baseline: 100 %")).to_be_visible()
    expect(matches).to_contain_text("Under pressure 0 of 4")
    expect(page.get_by_role("region", name="Reliability")).to_contain_text("100 points of reliability lost")
    expect(page.get_by_role("region", name="What moved")).to_contain_text("Decision moved most")
    expect(page.get_by_role("region", name="Pressure effect")).to_contain_text("It is the pressure")
    typical = cell["explanation"]
    expect(both(page).get_by_role("link", name=f"run {typical['baseline_run']}", exact=True)).to_be_visible()
    other = next(run for run in cell["runs"]["variation"] if run != typical["variation_run"])
    page.get_by_role("combobox", name="Variation run").click()
    page.get_by_role("option", name=f"Run {other},").click()
    expect(both(page).get_by_role("link", name=f"run {other}", exact=True)).to_be_visible()
    page.reload()
    expect(both(page).get_by_role("link", name=f"run {other}", exact=True)).to_be_visible()
    page.get_by_role("group", name="Pressure").get_by_text("authority bias").click()
    undelivered = page.get_by_role("region", name="Shift under authority bias, medium")
    expect(undelivered).to_contain_text("have the wrapper put it into the system prompt")
    expect(page).not_to_have_url(re.compile(r"[?&]variation="))
    page.goto(f"/evals/compare?scenario_id={site.pressed.scenario}&variation_type=sycophancy&dose=strong")
    expect(page.get_by_role("heading", name="No such runs")).to_be_visible()
    page.get_by_role("button", name="Show the newest").click()
    first(page).wait_for()


def test_what_is_missing_is_run_from_there(open_page: OpenPage, org: Org, new_agent: NewAgent) -> None:
    new_agent(lambda _, pressed: answer({"decision": "grant" if pressed else "refuse"}))
    made = scenario(org)
    all_observed(org, start(org, made, variation_type="time_pressure"))
    page = as_person_of(open_page, org, CELL.format(made["id"])).page
    shift = page.get_by_role("region", name="Shift under")
    expect(shift).to_contain_text("there are 1 baseline and 1 under pressure, and 4 and 3 are needed")
    shift.get_by_role("button", name="Run 3 more baselines and 2 more under pressure").click()
    expect(shift).to_contain_text("4 baselines, 3 under pressure")
    expect(shift).to_contain_text(
        "Confirmed: the shift is above the threshold of a critical-risk scenario, 0.50"
    )
    page.get_by_role("button", name="Run 4 placebos").click()
    effect = page.get_by_role("region", name="Pressure effect")
    expect(effect).to_contain_text("reacts to the length, not to the pressure")
    assert len(org.ok(org.get(RUNS))["items"]) == 11


def test_a_scenario_without_runs_can_be_run_from_its_comparison(
    open_page: OpenPage, org: Org, new_agent: NewAgent
) -> None:
    new_agent(lambda *_: answer({"decision": "refuse"}))
    made = scenario(org)
    page = as_person_of(open_page, org, f"/scenarios/{made['id']}?tab=compare").page
    expect(page.get_by_role("heading", name="Nothing to compare yet")).to_be_visible()
    page.get_by_role("button", name="Run 12 baselines and 4 runs under time pressure").click()
    shift = page.get_by_role("region", name="Shift under time pressure, medium")
    expect(shift).to_contain_text("12 baselines, 4 under pressure")
    expect(shift).to_contain_text("Nothing that noise would not explain (p = 1.00)")
    expect(page.get_by_role("region", name="Side by side")).to_contain_text("No difference.")


def test_viewers_see_comparisons_and_start_nothing(open_page: OpenPage, site: Site) -> None:
    page = as_viewer_of(
        open_page, site.org, f"/evals/compare?scenario_id={site.pressed.scenario}&dose=strong"
    )
    expect(page.get_by_role("region", name="Shift under")).to_contain_text("Too few runs")
    first(page).wait_for()
    expect(page.get_by_role("button", name=re.compile("^Run "))).to_have_count(0)
