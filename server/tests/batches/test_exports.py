"""A batch as a file: a table that does nothing, JSON, and XML that every parser reads, whatever agents say."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.batches import all_rows, dataset, ended, rows, set_verdicts, start_batch
from support.platform import Org, Platform

from odyssey.batches.export_files import ExportedRun, csv_lines, junit_case

StartAgent = Callable[[Behaviour], ScriptedAgent]

HOSTILE = [
    '=HYPERLINK("http://evil.example","click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    'quote " comma , semicolon ; and\r\nnew\nlines',
    "]]></failure><testcase name='forged'/>",
    "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "nul \x00 bell \x07 escape \x1b vertical \x0b delete \x7f",
    "noncharacters \ufffe \uffff and beyond \U0001fffe 😀 \u2028",
    "'already quoted",
]


@pytest.fixture
def agent(org: Org, agent_server: StartAgent) -> dict[str, Any]:
    def echo(d: Dispatched) -> Any:
        return final(d.body["input"]["input"]["say"])

    return org.agent(agent_server(echo).url, name='A <great> & "good" agent')


def said(org: Org, agent: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """A batch whose runs answer these texts."""
    seeds = [{"user_instruction": text, "input": {"say": text}} for text in texts]
    return ended(org, start_batch(org, agent, seeds=seeds))


def export(org: Org, batch: dict[str, Any], file_format: str) -> str:
    answer = org.get(f"/api/batches/{batch['id']}/export", params={"format": file_format})
    suffix = "xml" if file_format == "junit" else file_format
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="batch-{batch["id"]}.{suffix}"'
    return answer.content.decode("utf-8")


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_a_table_has_every_run_and_no_formula(org: Org, agent: dict[str, Any]) -> None:
    batch = said(org, agent, HOSTILE)
    text = export(org, batch, "csv")
    lines = read_csv(text)
    assert [line["row"] for line in lines] == [str(number) for number in range(len(HOSTILE))]
    for line, original in zip(lines, HOSTILE, strict=True):
        for cell in line.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\0"))
        expected = f"'{original}" if original[0] in "=+-@\t\r\0" else original
        assert line["final_response"] == line["user_instruction"] == expected
        assert (line["status"], line["verdict"]) == ("completed", "NOT APPLICABLE")
        assert line["attempts"] == "1"


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def exported(**members: Any) -> ExportedRun:
    values: dict[str, Any] = {
        "run_id": 1,
        "row": 0,
        "task_id": 1,
        "repeat": 1,
        "user_instruction": "x",
        "expected_outcome": "completion",
        "status": "completed",
        "verdict": "FAIL",
        "failure_mode": "check_failed",
        "score": 0.5,
        "reason": "because",
        "error_class": None,
        "error_detail": None,
        "final_response": "x",
        "agent_id": 1,
        "agent_version": 1,
        "random_seed": -5,
        "attempts": 1,
        "cost_usd": 0.0,
        "started_at": None,
        "finished_at": None,
        "seconds": 1.25,
    }
    return ExportedRun(**(values | members))


FORMULAS = (*"=+-@\t\r\n\0", *"＝＋－＠")
"""How a cell begins that a spreadsheet may take for a formula."""


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, ANY_TEXT), max_size=5))
def test_cells_come_back_as_they_were_but_for_one_quote(texts: list[tuple[str, str, str]]) -> None:
    runs = [exported(user_instruction=a, final_response=b, reason=c) for a, b, c in texts]
    lines = list(csv.reader(io.StringIO(csv_lines(runs).decode("utf-8"), newline=""), strict=True))
    assert len(lines) == len(runs)
    columns = list(ExportedRun.__struct_fields__)
    for line, (a, b, c) in zip(lines, texts, strict=True):
        for column, original in (("user_instruction", a), ("final_response", b), ("reason", c)):
            cell = line[columns.index(column)]
            assert cell in (original, f"'{original}")
            assert not cell.startswith(FORMULAS)
            assert (cell != original) == original.lstrip("'").startswith(FORMULAS)
        assert line[columns.index("random_seed")] == "'-5"


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, st.sampled_from(["PASS", "FAIL", "PENDING", "NOT APPLICABLE"]))
def test_a_case_is_one_element_whatever_the_texts_say(
    suite: str, instruction: str, answer: str, reason: str, verdict: str
) -> None:
    run = exported(user_instruction=instruction, final_response=answer, reason=reason, verdict=verdict)
    case = ET.fromstring(junit_case(run, suite).encode("utf-8"))
    assert (case.tag, case.attrib["time"]) == ("testcase", "1.250")
    inside = {"PASS": [], "FAIL": ["failure"], "PENDING": ["skipped"], "NOT APPLICABLE": ["error"]}
    assert [child.tag for child in case] == inside[verdict]
    assert [len(child) for child in case] == [0] * len(case)
    if verdict == "FAIL" and answer.isprintable():
        assert answer in (case[0].text or "")


@pytest.mark.both_databases
def test_junit_says_what_failed_what_broke_and_what_was_skipped(
    org: Org, agent: dict[str, Any], platform: Platform
) -> None:
    batch = said(org, agent, HOSTILE)
    ids = [row["runs"][0]["id"] for row in all_rows(org, batch)]
    set_verdicts(platform, dict.fromkeys(ids[:3], "PASS"))
    set_verdicts(platform, dict.fromkeys(ids[3:9], "FAIL"), failure_mode="check_failed")
    set_verdicts(platform, {ids[9]: "NOT APPLICABLE"}, failure_mode="grader_failed")
    set_verdicts(platform, {ids[10]: "PENDING"}, status="cancelled")
    root = ET.fromstring(export(org, batch, "junit").encode("utf-8"))
    (suite,) = root
    for element in (root, suite):
        numbers = [element.attrib[name] for name in ("tests", "failures", "errors", "skipped")]
        assert numbers == ["12", "6", "1", "2"]
    assert suite.attrib["name"] == f'batch {batch["id"]} on A <great> & "good" agent version 1'
    assert [[child.tag for child in case] for case in suite] == [
        *[[]] * 3,
        *[["failure"]] * 6,
        ["error"],
        *[["skipped"]] * 2,
    ]
    assert [case.attrib["name"].split(":")[0] for case in suite] == [f"row {n} repeat 1" for n in range(12)]
    for case, original in list(zip(suite, HOSTILE, strict=True))[3:9]:
        assert case[0].attrib["type"] == "check_failed"
        text = (case[0].text or "").replace("\r\n", "\n")
        assert original.replace("\r\n", "\n") in text


def test_a_batch_whose_agent_is_not_there_is_no_green_build(org: Org) -> None:
    batch = ended(org, start_batch(org, org.agent("http://127.0.0.1:9/dispatch"), seeds=rows(3)))
    root = ET.fromstring(export(org, batch, "junit").encode("utf-8"))
    assert (root.attrib["tests"], root.attrib["errors"]) == ("3", "3")
    assert {error.attrib["type"] for error in root.iter("error")} == {"agent_unreachable"}


def test_json_has_the_batch_and_its_runs_as_they_are(org: Org, agent: dict[str, Any]) -> None:
    batch = said(org, agent, HOSTILE)
    document = json.loads(export(org, batch, "json"))
    assert document["batch"] == batch
    assert [run["final_response"] for run in document["runs"]] == HOSTILE
    assert [run["row"] for run in document["runs"]] == list(range(len(HOSTILE)))
    assert all(datetime.fromisoformat(run["finished_at"]).tzinfo == UTC for run in document["runs"])


@pytest.mark.both_databases
def test_files_are_read_page_by_page_and_lose_nothing(
    org: Org, platform: Platform, agent_server: StartAgent
) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    data = dataset(org, rows(35))
    batch = ended(org, start_batch(org, agent, dataset_id=data["id"], repeats=4))
    sizes: list[int] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if "FROM runs JOIN tasks" in statement:
            sizes.append(1)

    engine = platform.database.reader.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        lines = read_csv(export(org, batch, "csv"))
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert [(int(line["row"]), int(line["repeat"])) for line in lines] == [
        (row, repeat) for row in range(35) for repeat in (1, 2, 3, 4)
    ]
    assert len(sizes) == 3  # two pages of at most 100, and a look past the end
    assert len(json.loads(export(org, batch, "json"))["runs"]) == 140
    assert len(list(ET.fromstring(export(org, batch, "junit").encode()).iter("testcase"))) == 140


def test_an_unknown_format_is_refused(org: Org, agent: dict[str, Any]) -> None:
    batch = said(org, agent, ["x", "y"])
    answer = org.get(f"/api/batches/{batch['id']}/export", params={"format": "xlsx"})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
