"""What is said of the world beside a verdict: where it contradicted itself, gave no answer or only guessed."""

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from grading.faulty_worlds import SIMULATORS
from grading.hostile_agents import honest
from grading.shop_rows import ROWS, SHOP_TOOLS
from support.agents import Dispatched, ScriptedAgent
from support.batches import all_rows, ended, start_batch
from support.evidence import call, evidence, refused
from support.model_server import ModelServer
from support.platform import Org

from odyssey.grading.world_notes import look_at_world
from odyssey.records.ledger import Violation

PONDER = {"name": "ponder", "description": "Think about it.", "input_schema": {"type": "object"}}
WARNING = "The world contradicted itself in 1 call and did not understand 1 (steps 2, 4)."


def ponders_and_is_honest(dispatched: Dispatched) -> Any:
    dispatched.call("ponder", {})
    return honest(dispatched)


@pytest.fixture
def batch(org: Org) -> Iterator[dict[str, Any]]:
    """An honest agent on three rows, in a world that forgets what it says it wrote."""
    agent = ScriptedAgent(ponders_and_is_honest)
    with ModelServer(SIMULATORS["forgets the write"]) as server:
        org.ok(org.put("/api/settings", server.settings(role="simulator", api_key="sk-of-nobody")))
        config = {"engine": "world", "engines": {"update_order": "llm"}}
        registered = org.agent(agent.url, config=config, tools_schema=[*SHOP_TOOLS, PONDER])
        seeds = [ROWS["called"], ROWS["ledger"], ROWS["refusal"]]
        yield ended(org, start_batch(org, registered, seeds=seeds))
    agent.stop()


def test_a_verdict_says_what_the_world_did_and_so_do_the_files_of_a_batch(
    org: Org, batch: dict[str, Any]
) -> None:
    runs = [org.graded(row["runs"][0]["id"]) for row in all_rows(org, batch)]
    verdicts = [(run["verdict"], run["failure_mode"]) for run in runs]
    expected = [
        ("PASS", None),
        ("NOT APPLICABLE", "world_at_fault"),
        ("FAIL", "acted_instead_of_refusing"),
    ]
    assert verdicts == expected
    for run in runs:
        (grade,) = run["grades"]
        assert (grade["world_warning"], grade["world_notes_left_off"]) == (WARNING, 0)
        assert "contradicted itself" not in grade["reason"]
        told = [(note["sequence"], note["tool"], note["kind"]) for note in grade["world_notes"]]
        assert told == [(2, "ponder", "not_understood"), (4, "update_order", "contradiction")]
        guessed, forgotten = (note["message"] for note in grade["world_notes"])
        first = org.trace(run["id"], "violation")[0]["data"]
        assert (first["sequence"], forgotten.startswith(first["message"].rstrip("."))) == (4, True)
        assert guessed == (
            "This call is not simulated: ponder names no act on a type of entity this world knows."
        )
        (event,) = org.trace(run["id"], "grade")
        assert event["data"]["world_notes"] == grade["world_notes"]
        assert event["data"]["world_warning"] == WARNING

    def export(file_format: str) -> str:
        return org.get(f"/api/batches/{batch['id']}/export", params={"format": file_format}).text

    passed, unmeasured, failed = ET.fromstring(export("junit").encode())[0]
    assert [[child.tag for child in case] for case in (passed, unmeasured, failed)] == [
        ["system-out"],
        ["error", "system-out"],
        ["failure", "system-out"],
    ]
    assert {case.findtext("system-out") for case in (passed, unmeasured, failed)} == {WARNING}
    assert unmeasured[0].get("type") == "world_at_fault"
    assert WARNING in (failed.findtext("failure") or "")
    assert [line["world_warning"] for line in csv.DictReader(io.StringIO(export("csv")))] == [WARNING] * 3


CONTRADICTION = Violation("unwritten", "order", "ord_1", "status", "The answer says x.")
CONTRADICTS = {"contradictions": (CONTRADICTION,)}
GIVES_NONE = {
    "source": "error",
    "response": {"error": {"code": "simulation_failed", "message": "It broke."}},
}
NOT_SIMULATED = {
    "source": "error",
    "response": {"error": {"code": "not_simulated", "message": "Nobody knows.", "help": []}},
}
GUESSES = {"confidence": 0.3, "explanation": "not understood: a riddle"}


@pytest.mark.parametrize(
    ("calls", "warning"),
    [
        ([], None),
        ([call(2, "t", confidence=0.31), call(3, "t"), refused(4, "t", 503)], None),
        ([call(2, "t", confidence=0.1, rests_on="world")], None),
        ([call(2, "t", confidence=0.1, rests_on="schema")], "The world guessed in 1 call (step 2)."),
        ([call(2, "t", **CONTRADICTS)], "The world contradicted itself in 1 call (step 2)."),
        (
            [call(4, "t", **CONTRADICTS), call(7, "t", **GUESSES), call(9, "t", **CONTRADICTS)],
            "The world contradicted itself in 2 calls and did not understand 1 (steps 4, 7, 9).",
        ),
        (
            [call(4, "t", **CONTRADICTS), call(7, "t", confidence=0.2, explanation="create order: note")],
            "The world contradicted itself in 1 call and guessed in 1 (steps 4, 7).",
        ),
        ([call(5, "t", **NOT_SIMULATED)], "The world did not understand 1 call (step 5)."),
        (
            [call(2, "t", **GUESSES), call(3, "t", **GIVES_NONE), call(4, "t", **CONTRADICTS)],
            "The world contradicted itself in 1 call, gave no answer to 1 and did not understand 1 (steps 2, 3, 4).",
        ),
        (
            [call(number, "t", **GUESSES) for number in range(2, 12)],
            "The world did not understand 10 calls (steps 2, 3, 4, 5, 6, 7, 8, 9, 2 more).",
        ),
    ],
)
def test_one_sentence_says_it_all(calls: list[Any], warning: str | None) -> None:
    assert look_at_world(evidence(calls=tuple(calls))).warning == warning


def test_a_note_says_what_was_wrong_with_one_call() -> None:
    calls = (
        call(2, "a", **CONTRADICTS, **GIVES_NONE),
        call(3, "b", contradictions=(CONTRADICTION,) * 3),
        call(4, "c", **GIVES_NONE),
        call(5, "d", source="error", response="no"),
        call(6, "e", confidence=0.0),
    )
    notes = look_at_world(evidence(calls=calls)).notes
    assert [(note.sequence, note.tool, note.kind, note.message) for note in notes] == [
        (2, "a", "contradiction", "The answer says x."),
        (3, "b", "contradiction", "The answer says x; and 2 more."),
        (4, "c", "no_answer", "simulation_failed: It broke."),
        (5, "d", "no_answer", "The answer names no error."),
        (6, "e", "guessed", "The engine says that it guessed."),
    ]


def test_notes_are_few_and_short_whatever_a_run_does() -> None:
    long = "\x00" + "x" * 10_000
    calls = tuple(call(number, "t", confidence=0.1, explanation=long) for number in range(2, 52))
    report = look_at_world(evidence(calls=calls))
    assert (len(report.notes), report.left_off) == (20, 30)
    assert {note.message for note in report.notes} == {"\ufffd" + "x" * 298 + "…"}
    assert report.warning is not None
    assert report.warning.startswith("The world guessed in 50 calls (")
