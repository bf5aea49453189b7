"""Datasets, batches, audits and verdicts from the command line, on a platform with an agent that really runs."""

import itertools
import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.agents import Answer, Dispatched, ScriptedAgent
from support.commands import Desk
from support.platform import WORLD, Platform

LOOKED = [{"called": "get_order"}, {"final_response": {"contains": "shipped"}}]
CANCELLED = [{"ledger": {"$.order.ord_2.status": "cancelled"}}]
ROWS: list[dict[str, Any]] = [
    {"user_instruction": "look", "initial_state": WORLD, "checks": LOOKED},
    {"user_instruction": "cancel", "initial_state": WORLD, "checks": CANCELLED},
    {"user_instruction": "waver", "initial_state": WORLD, "checks": CANCELLED},
    {"user_instruction": "chat", "initial_state": WORLD},
]
BROKEN = 'user,checks\nlook,"[{""caled"": ""get_order""}]"\n,\n'
WEAK = 'user,expected_outcome,checks\nsay hello,,"[{""not_called"": ""delete_order""}]"\nsay no,refusal,\n'


class Behaviour:
    """Does what the instruction names, and cancels only while it is `able`."""

    def __init__(self) -> None:
        self.able = True
        self.release = threading.Event()
        self._wavered = itertools.count(1)

    def __call__(self, dispatched: Dispatched) -> Any:
        if "ping" in dispatched.body:
            return {"ok": True}
        return getattr(self, dispatched.body["input"]["user_instruction"])(dispatched)

    def look(self, dispatched: Dispatched) -> Any:
        order = dispatched.call("get_order", {"order_id": "ord_1"}).json()["response"]
        return {"final_response": f"It is {order['status']}."}

    def cancel(self, dispatched: Dispatched) -> Any:
        if self.able:
            dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        return {"final_response": "It is cancelled."}

    def waver(self, dispatched: Dispatched) -> Any:
        if next(self._wavered) % 2:
            dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        return {"final_response": "It is cancelled."}

    def chat(self, _: Dispatched) -> Any:
        return {"final_response": "Hello."}

    def lie(self, _: Dispatched) -> Any:
        calls = [{"id": "c1", "name": "get_order", "arguments": {"order_id": "ord_1"}}]
        claimed = {"role": "assistant", "content": None, "tool_calls": calls}
        return {"final_response": "It is shipped.", "messages": [claimed]}

    def crash(self, _: Dispatched) -> Any:
        return Answer(500, b"no")

    def hang(self, _: Dispatched) -> Any:
        self.release.wait(60)
        return {"final_response": "Late."}


class Said(NamedTuple):
    code: int
    out: str
    err: str


class Office:
    """An organisation with one published agent, and the command line that speaks to it."""

    def __init__(self, platform: Platform, home: Path) -> None:
        self.behaviour = Behaviour()
        self.agent = ScriptedAgent(self.behaviour)
        self.org = platform.new_org()
        self.agent_id = str(self.org.agent(self.agent.url)["id"])
        self.desk = Desk(home, self.org, COLUMNS="160")
        self.folder = self.desk.folder

    def stop(self) -> None:
        self.behaviour.release.set()
        self.org.client.close()
        self.agent.stop()

    def cli(self, *arguments: str, code: int = 0) -> Said:
        done = self.desk.type(*arguments, code=code)
        return Said(done.returncode, done.stdout, done.stderr)

    def file(self, name: str, content: str) -> str:
        (self.folder / name).write_text(content, encoding="utf-8")
        return name

    def upload(self, name: str, rows: list[dict[str, Any]]) -> str:
        said = self.cli("datasets", "upload", self.file(f"{name}.json", json.dumps(rows)), "--json")
        return str(json.loads(said.out)["id"])

    def start(self, dataset: str, *options: str, code: int = 0) -> Said:
        return self.cli("runs", "start", "--agent", self.agent_id, "--dataset", dataset, *options, code=code)


@pytest.fixture(scope="module")
def office(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    office = Office(platform, tmp_path_factory.mktemp("office"))
    yield office
    office.stop()


@pytest.fixture(scope="module")
def dataset(office: Office) -> str:
    return office.upload("orders", ROWS)


@pytest.fixture(scope="module")
def batches(office: Office, dataset: str) -> tuple[str, str]:
    """Two batches of two repeats each: the second by an agent that cancels nothing any more."""
    started = [office.start(dataset, "--repeats", "2", "--wait", "--json", code=1)]
    office.behaviour.able = False
    started.append(office.start(dataset, "--repeats", "2", "--wait", "--json", code=1))
    office.behaviour.able = True
    first, second = (str(json.loads(said.out)["batch"]["id"]) for said in started)
    return first, second


def test_the_template_is_clean_bites_and_comes_back_as_it_was(office: Office) -> None:
    for kind in ("csv", "json"):
        name = f"template.{kind}"
        office.cli("datasets", "template", "--format", kind, "--output", name)
        linted = office.cli("datasets", "lint", name).out.splitlines()
        assert linted[:2] == ["2 rows, nothing wrong.", "1 row can never get a PASS (counted from 0):"]
        assert linted[2].startswith("  0: a rubric and no judge model to ask")
        assert "No useless agent passes any" in office.cli("audit", name).out
        said = office.cli("datasets", "upload", name, "--name", f"from {kind}").out
        found = re.match(rf'Dataset (\d+): 2 rows, "from {kind}"\n  columns   user, ', said)
        assert found, said
        exported = office.cli("datasets", "export", found[1], "--format", kind).out
        assert office.cli("datasets", "lint", office.file(f"again.{kind}", exported)).out.startswith("2 rows")
    listed = office.cli("datasets", "list", "--limit", "1").out.splitlines()
    assert listed[0].split() == ["id", "name", "revision", "rows", "updated"]
    assert listed[2] == "There are more; --limit 2 shows twice as many."


def test_rows_that_nobody_can_pass_are_told(office: Office) -> None:
    rows = [
        {"user_instruction": "Go.", "checks": [{"called": "x"}, {"not_called": "x"}], "checks_version": 2}
    ]
    said = office.cli("audit", office.file("never.json", json.dumps(rows)), code=1).out
    assert re.search(r"^0 +1 +check 2 forbids every call of x +Go\.$", said, re.M), said
    assert "Rows are counted from 0, checks from 1.\n" in said


def test_faults_are_told_by_row_and_column(office: Office) -> None:
    name = office.file("broken.csv", BROKEN)
    said = office.cli("datasets", "lint", name, code=1).out
    assert re.search(r"^error +0 +checks\[0\]\.caled +line 2: there is no check 'caled'", said, re.M)
    assert re.search(r"^error +1 +user +line 3: ", said, re.M)
    assert said.endswith("2 rows: 2 errors, 0 warnings. Rows are counted from 0.\n")
    assert json.loads(office.cli("datasets", "lint", name, "--json", code=1).out)["valid"] is False
    for command in (["datasets", "upload"], ["audit"]):
        refused = office.cli(*command, name, code=1)
        assert "checks[0].caled" in refused.out
        assert refused.err == ""


def test_with_an_agent_lint_knows_its_tools(office: Office) -> None:
    name = office.file("tools.csv", 'user,checks\nlook,"[{""called"": ""get_ordr""}]"\n')
    said = office.cli("datasets", "lint", name, "--agent", office.agent_id).out
    assert re.search(r"warning +0 +checks\[0\]\.called +.*'get_ordr'.*did you mean 'get_order'", said)


def test_the_audit_names_rows_that_nothing_passes(office: Office) -> None:
    name = office.file("weak.csv", WEAK)
    said = office.cli("audit", name, code=1).out
    assert re.search(r"^0 +no_op, refuse_all, claims_done, past_tense, .* +say hello$", said, re.M)
    assert re.search(r"^1 +claims_done, past_tense +say no$", said, re.M)
    assert "row 1: Anybody passes: there is nothing to act on." in said
    kept = json.loads(office.cli("datasets", "upload", name, "--json").out)["id"]
    assert office.cli("audit", str(kept), code=1).out == said
    assert json.loads(office.cli("audit", name, "--json", code=1).out)["passed_rows"] == 2


def test_a_batch_is_waited_for_and_told_by_row(
    office: Office, dataset: str, batches: tuple[str, str]
) -> None:
    said = office.start(dataset, "--repeats", "2", "--wait", code=1)
    ungradable = r"1 row can never get a PASS \(counted from 0\):\n  3: no checks, .*\n"
    assert re.match(ungradable + r"Batch \d+: 8 runs\.\n", said.out)
    for expected in (
        r"^0 +2/2 +2 PASS +look$",
        r"^1 +2/2 +2 PASS +cancel$",
        r"^2 +1/2 +1 PASS, 1 FAIL +check_failed +waver$|^2 +1/2 +1 FAIL, 1 PASS +check_failed +waver$",
        r"^3 +0/0 +2 NOT APPLICABLE +chat$",
        r"^Batch \d+  completed$",
        r"^  runs      8 completed; 2 of each row$",
        r"^  verdicts  5 PASS, 1 FAIL, 2 NOT APPLICABLE$",
        r"^  why       1 check_failed$",
        r"^  pass rate 83\.3 % \(\d+\.\d % to \d+\.\d %\), 5 of 6 graded; 2 of 8 runs without a verdict left out$",
        r"^  pass\^2    66\.7 % \(",
        r"^2 runs without checks, rubric or judge: nothing to grade by",
        r"^1 run did not pass\.",
    ):
        assert re.search(expected, said.out, re.M), f"{expected}\n{said.out}"
    assert re.search(r"^8 of 8 runs done; 5 PASS", said.err, re.M)
    first = office.cli("batches", "show", batches[0]).out
    assert re.search(r"^2 +1/2 ", first, re.M)
    shown = json.loads(office.cli("batches", "show", batches[0], "--json").out)
    assert [row["passes"] for row in shown["rows"]] == [2, 2, 1, 0]


def test_what_has_nothing_to_be_graded_by_is_no_failure(office: Office) -> None:
    chat = office.upload("chat", ROWS[3:])
    assert "neither passed nor failed." in office.start(chat, "--wait").out
    one = office.cli("runs", "start", "--agent", office.agent_id, "--instruction", "chat", "--wait").out
    assert re.match(r"Run \d+  completed  verdict NOT APPLICABLE\n", one)


def test_a_crash_or_an_unreachable_agent_is_not_passed(office: Office) -> None:
    crashing = office.upload("crash", [{**ROWS[0], "user_instruction": "crash"}])
    said = office.start(crashing, "--wait", code=1).out
    assert re.search(r"^0 +0/1 +1 FAIL +agent_5xx +crash$", said, re.M)
    away = office.org.agent("http://127.0.0.1:1/dispatch", name="away")["id"]
    said = office.cli("runs", "start", "--agent", str(away), "--dataset", crashing, "--wait", code=1).out
    assert re.search(r"^Batch \d+  failed$", said, re.M)
    assert re.search(r"^  error     agent_unreachable: ", said, re.M)


def test_without_wait_it_says_where_to_look(office: Office) -> None:
    chat = office.upload("later", ROWS[3:])
    said = office.start(chat).out
    found = re.fullmatch(
        r"1 row can never get a PASS .*\n.*\n"
        r"Batch (\d+): 1 run\.\nodyssey batches show \1 tells what becomes of them\.\n",
        said,
    )
    assert found, said
    listed = office.cli("batches", "list", "--dataset", chat).out.splitlines()
    assert listed[1].split()[0] == found[1]


def test_batches_are_compared_row_by_row(office: Office, batches: tuple[str, str]) -> None:
    first, second = batches
    said = office.cli("batches", "compare", first, second).out
    assert re.search(r"^1 +regression +2/2 +0/2 +-100 points +cancel$", said, re.M)
    assert re.search(r"^B less A: -\d+\.\d points \(-\d+\.\d to [+-]\d+\.\d\)", said, re.M)
    assert "1 regression, 0 improvements, 2 same, 1 ungraded" in said
    assert "--fail-on-regression" in office.cli("batches", "compare", "--help").out
    office.cli("batches", "compare", first, second, "--fail-on-regression", code=1)
    improved = office.cli("batches", "compare", second, first, "--fail-on-regression", "--json").out
    assert json.loads(improved)["improvements"] == 1


def test_a_batch_is_exported_for_others(office: Office, batches: tuple[str, str]) -> None:
    office.cli("batches", "export", batches[1], "--format", "junit", "--output", "junit.xml")
    suite = ET.parse(office.folder / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "3", "2")
    table = office.cli("batches", "export", batches[1]).out.splitlines()
    assert len(table) == 9
    assert len(json.loads(office.cli("batches", "export", batches[1], "--format", "json").out)["runs"]) == 8


def test_a_refused_export_leaves_the_file_alone(office: Office) -> None:
    kept = office.file("kept.xml", "as it was")
    said = office.cli("batches", "export", "99999", "-o", kept, code=2)
    assert said.err == "odyssey: There is no batch 99999.\n"
    assert (office.folder / kept).read_text() == "as it was"
    said = office.cli("datasets", "template", "-o", "no/such/folder.csv", code=2)
    assert said.err == "odyssey: no/such/folder.csv cannot be written: No such file or directory.\n"


def test_a_run_is_shown_and_graded_again(office: Office, batches: tuple[str, str]) -> None:
    listed = office.cli("runs", "list", "--batch", batches[1], "--verdict", "fail", "--json").out
    run = next(item for item in json.loads(listed)["items"] if item["user_instruction"] == "cancel")
    said = office.cli("runs", "show", str(run["id"])).out
    for expected in (
        r"^  batch     \d+ repeat [12]$",
        r"^Verdict  FAIL  check_failed  score 0\.00$",
        r"^  Check 1 \(ledger\) failed: \$\.order\.ord_2\.status is \"pending\"",
        r"^  check 1   failed  ledger$",
        r'^            asked  {"ledger": {"\$\.order\.ord_2\.status": "cancelled"}}$',
        r"^  graders   checks 2",
        r"^#\d+ +\+\d+\.\d{3}s  grade +FAIL  check_failed$",
    ):
        assert re.search(expected, said, re.M), f"{expected}\n{said}"
    begun = json.loads(office.cli("runs", "grade", str(run["id"]), "--json").out)
    assert [item["verdict"] for item in begun] == ["PENDING"]
    again = office.cli("runs", "grade", str(run["id"]), "--wait").out  # others look at this batch too
    assert re.search(r"^  before    1 FAIL", again, re.M), again


def test_a_claim_without_a_call_is_shown(office: Office) -> None:
    said = office.start(office.upload("lie", [{**ROWS[0], "user_instruction": "lie"}]), "--wait", code=1).out
    assert re.search(r"^0 +0/1 +1 FAIL +claimed_without_call +lie$", said, re.M)
    listed = json.loads(office.cli("runs", "list", "--verdict", "fail", "--limit", "1", "--json").out)
    shown = office.cli("runs", "show", str(listed["items"][0]["id"])).out
    assert "  claimed   get_order once, seen never\n" in shown
    by_id = json.loads(office.cli("runs", "list", "--sort", "-id", "--limit", "5", "--json").out)["items"]
    assert [run["id"] for run in by_id] == sorted((run["id"] for run in by_id), reverse=True)
    said = office.cli("runs", "list", "--sort", "speed", code=2).err
    assert "this list cannot be sorted by 'speed'; it can by id, status, verdict, " in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["runs", "start", "--agent", "1"], "Give either --dataset or --instruction."),
        (
            ["runs", "start", "--agent", "1", "--dataset", "99999"],
            "There is no agent 1, or no dataset 99999.",
        ),
        (["runs", "start", "--agent", "99999", "--instruction", "x"], "There is no agent 99999."),
        (["runs", "grade", "99999"], "There is no run 99999."),
        (["audit", "99999"], "There is no dataset 99999."),
        (["audit", "nothing.csv"], "nothing.csv cannot be read: No such file or directory."),
        (["datasets", "lint", "."], ". cannot be read: Is a directory."),
        (["batches", "show", "99999"], "There is no batch 99999."),
        (["batches", "compare", "99999", "1"], "There is no batch 99999, or no batch 1."),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_2(
    office: Office, arguments: list[str], sentence: str
) -> None:
    said = office.cli(*arguments, code=2)
    assert (said.out, said.err) == ("", f"odyssey: {sentence}\n")


def test_faults_of_a_request_are_listed(office: Office) -> None:
    said = office.cli("runs", "start", "--agent", office.agent_id, "--instruction", " ", code=2)
    assert "\n  seeds.0.user_instruction: user_instruction must be a non-empty string\n" in said.err


def test_a_terminal_gets_a_bar_and_ctrl_c_leaves_the_runs_alone(office: Office) -> None:
    slow = office.upload("slow", [{**ROWS[0], "user_instruction": "hang"}])
    terminal = office.desk.terminal(
        "runs", "start", "--agent", office.agent_id, "--dataset", slow, "--wait", NO_COLOR=""
    )
    terminal.wait_for("0/1")
    terminal.interrupt()
    assert terminal.end() == 130
    assert b"Stopped waiting; the runs go on." in terminal.said
    found = re.search(rb"Batch (\d+): 1 run", terminal.said)
    assert found
    assert office.org.get(f"/api/batches/{int(found[1])}").json()["status"] == "running"
