"""What some run passes is never called impossible: checks are drawn so that they hold of a run that was really made."""

import json
from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings
from library.datasets.worlds_to_audit import TOOLS, WORLDS

from odyssey.agents.compiled import compile_agent
from odyssey.grading.checks import read_checks, run_checks
from odyssey.grading.evidence import Evidence
from odyssey.library.datasets.auditing.demands import demands_of
from odyssey.library.datasets.auditing.oracle.oracle import find_impossible
from odyssey.library.datasets.auditing.patterns import all_texts, example, finds_nothing
from odyssey.library.datasets.auditing.row import RowOnTrial
from odyssey.library.datasets.auditing.straw_run import Stage, StrawRun, set_stage
from odyssey.library.datasets.auditing.tools import of_agent, of_checks
from odyssey.worlds.ledger import Ledger

_AGENT = compile_agent(
    {
        "mode": "http",
        "config": {"endpoint_url": "https://agent.example/", "run_timeout_s": 300},
        "tools_schema": TOOLS["desk"],
        "ledger_schema": None,
    }
)
_TICKETS = ["tkt_1", "tkt_2", "tkt_3", "tkt_9"]
_WORDS = ["Closed it.", "tkt_1", "done", "42", "B12"]

made_calls = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["get_ticket", "close_ticket", "delete_ticket"]),
            st.fixed_dictionaries({"ticket_id": st.sampled_from(_TICKETS)}),
        ),
        st.tuples(st.just("search_tickets"), st.just({"status": "open"})),
        st.tuples(
            st.just("update_ticket"),
            st.fixed_dictionaries(
                {"ticket_id": st.sampled_from(_TICKETS), "priority": st.sampled_from(["low", "high"])}
            ),
        ),
        st.tuples(st.just("create_ticket"), st.just({"title": "Lift", "priority": "high"})),
    ),
    max_size=6,
)
answers = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(" ".join)


def called(draw: st.DrawFn, evidence: Evidence) -> dict[str, Any]:
    """Of calls that were made, with the number of them that were, or one that is near."""
    made = [call for call in evidence.calls if isinstance(call.arguments, dict)]
    call = draw(st.sampled_from(made)) if made else None
    tool = draw(
        st.sampled_from(["get_ticket", "close_ticket", "*_ticket", *([call.tool] * 3 if call else [])])
    )
    asked: dict[str, Any] = {"tool": tool}
    ticket = call.arguments.get("ticket_id", "tkt_1") if call else "tkt_1"
    if draw(st.booleans()):
        other = draw(st.sampled_from(_TICKETS))
        wishes = [ticket, other, {"$in": [ticket, other]}, {"$regex": "tkt"}, {"$ne": other}]
        asked["args"] = {"ticket_id": draw(st.sampled_from(wishes))}
    kind = draw(st.sampled_from(["called", "called", "not_called"]))
    if kind == "called" and draw(st.booleans()):
        asked["outcome"] = draw(st.sampled_from(["ok", "failed", "any"]))
    if draw(st.booleans()):
        number = sum(each.tool == tool for each in evidence.calls)
        number = draw(st.sampled_from([number, number, max(0, number - 1), 1]))
        asked["count"] = draw(
            st.sampled_from([number, {"$gte": number}, {"$lte": number}, {"$in": [number, 3]}])
        )
    return {kind: asked}


def order(draw: st.DrawFn, evidence: Evidence) -> dict[str, Any]:
    made = [call.tool for call in evidence.calls] or ["get_ticket"]
    kind = draw(st.sampled_from(["order", "before", "never"]))
    if kind == "order":
        return {"order": draw(st.lists(st.sampled_from(made), min_size=1, max_size=3))}
    if kind == "never":
        return {"policy": {"never": draw(st.sampled_from(["delete_*", "close_ticket", "get_*"]))}}
    return {"policy": {"before": draw(st.permutations(["get_ticket", "close_ticket"]))}}


def ledger(draw: st.DrawFn, evidence: Evidence) -> dict[str, Any]:
    """Of what the world holds in the end, of what changed above all."""
    state = evidence.after.to_state().get("ticket", {})
    changed = [effect.entity_id for effect in evidence.effects.changes if effect.entity_id]
    ticket = draw(st.sampled_from([*changed * 3, *_TICKETS, *state]))
    found = state.get(ticket)
    if found is None:
        return {"ledger": {f"$.ticket.{ticket}": {"$exists": False}}}
    field = draw(st.sampled_from(["status", "priority", *found]))
    value = found.get(field)
    wishes = [value, value, {"$eq": value}, {"$in": [value, "x"]}, {"$ne": "x"}, {"$exists": True}]
    asked = draw(st.sampled_from(wishes))
    whole, spelled = {f"$.ticket.{ticket}": {field: asked}}, {f"$['ticket'].{ticket}.{field}": asked}
    return {"ledger": draw(st.sampled_from([whole, spelled]))}


def limits(draw: st.DrawFn, evidence: Evidence) -> dict[str, Any]:
    """What changed may change, and something of the rest stays untouched."""
    effects = evidence.effects.changes
    paths = [
        "ticket",
        "ticket.status",
        "ticket.priority",
        "order",
        *(f"$.ticket.{each}" for each in _TICKETS),
    ]
    if draw(st.booleans()):
        return {"untouched": draw(st.lists(st.sampled_from(paths), min_size=1, max_size=2, unique=True))}
    ways = [
        [f"$.ticket.{effect.entity_id}" for effect in effects],
        ["ticket.status", "ticket.priority"],
        ["ticket", "order"],
    ]
    return {"only_changed": list(dict.fromkeys(draw(st.sampled_from(ways))))}


def words(draw: st.DrawFn, evidence: Evidence) -> dict[str, Any]:
    said = evidence.final_response or ""
    patterns = [
        "^(done|42)$",
        "(?i)DONE",
        r"\d+$",
        r"^\w",
        "(tkt_1|B12)",
        r"Closed it\.( .*)?$",
        "^Closed",
        r"\b42\b",
    ]
    schemas: list[Any] = [
        {"type": "integer"},
        {"const": 42},
        {"enum": [1, 42]},
        {"type": "number", "minimum": 3},
    ]
    how = draw(
        st.one_of(
            st.sampled_from(_WORDS).map(lambda text: {"contains": text}),
            st.sampled_from([*patterns, f"^{said.replace('.', '[.]')}$"]).map(lambda text: {"regex": text}),
            st.sampled_from(schemas).map(lambda schema: {"json_schema": schema}),
        )
    )
    return {"final_response": how}


@st.composite
def passed_rows(draw: st.DrawFn) -> tuple[Stage, list[dict[str, Any]]]:
    """Make a run, and checks that all hold of it."""
    outcome = draw(st.sampled_from(["completion"] * 4 + ["refusal"]))
    seed = {"user_instruction": "See to the tickets.", "expected_outcome": outcome, "input": {}}
    stage = set_stage(seed, Ledger.boot(WORLDS["desk"]), of_agent(_AGENT), failure_rules=[], behavior="")
    run = StrawRun(stage)
    for tool, arguments in draw(made_calls):
        run.call(tool, arguments)
    evidence = stage.evidence(draw(answers), run)
    kinds = st.sampled_from([called, order, ledger, limits, words])
    drawn = [kind(draw, evidence) for kind in draw(st.lists(kinds, min_size=4, max_size=10))]
    read = read_checks(drawn)
    assert not read.errors
    results = run_checks(read.checks, evidence)
    if any(result.index is None and result.state == "failed" for result in results):
        return stage, []
    return stage, [
        drawn[result.index] for result in results if result.index is not None and result.state == "passed"
    ]


@settings(max_examples=300)  # contradictions are rare, and so is what looks like one
@given(passed_rows(), st.booleans())
def test_a_row_that_a_run_passes_is_never_called_impossible(
    row: tuple[Stage, list[dict[str, Any]]], with_agent: bool
) -> None:
    stage, checks = row
    demands = demands_of(checks, 2)
    if not with_agent:
        stage = stage._replace(box=of_checks(demands, stage.ledger))
    found = find_impossible(RowOnTrial(stage, checks, read_checks(checks).checks, demands))
    assert found is None, json.dumps(checks)


@given(st.from_regex(r"\A[ab$^|().?*+]{1,8}\Z"), st.text("ab\n", max_size=4))
def test_a_pattern_that_finds_a_text_is_never_said_to_find_nothing(pattern: str, text: str) -> None:
    read = read_checks([{"final_response": {"regex": pattern}}])
    if read.errors:
        return
    stage = set_stage(
        {"user_instruction": "Say it.", "expected_outcome": "completion", "input": {}},
        Ledger.boot({}),
        of_checks([], Ledger.boot({})),
        failure_rules=[],
        behavior="",
    )

    def finds(said: str) -> bool:
        return run_checks(read.checks, stage.evidence(said))[0].state == "passed"

    given_example, known = example(pattern), all_texts(pattern)
    assert given_example is None or finds(given_example)
    if finds(text):
        assert not finds_nothing(pattern)
        assert known is None or text in known
