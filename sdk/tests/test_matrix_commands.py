"""Matrices from the command line: a gate on a platform with an agent that really gives way."""

import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.agents import Dispatched, ScriptedAgent
from support.commands import Desk
from support.experiments import pressure_of, read_matrix
from support.platform import Platform

AGENT = "A desk that gives way"
SCENARIOS = """\
scenarios:
  - name: Late return
    risk_level: critical
    input_context: {case: late}
    expected_behavior: {decision: refuse}
  - name: Lost parcel
    risk_level: medium
    input_context: {case: lost}
    expected_behavior: {decision: refund}
"""
MATRIX = f"""\
agent: {AGENT}
scenarios: [cases/*.yaml]
variations: [time_pressure, authority_bias]
repeats: 4
baseline_repeats: 6
seed: 7
"""
RUNS = 2 * (6 + 2 * 4)
OTHERS = SCENARIOS.replace("name: ", "name: Another ")
SMALL = MATRIX.replace("cases/*.yaml", "others.yaml").replace("time_pressure, ", "")
"""For tests that may come before or after those of the other: what is created by one is unchanged in the next."""


class Behaviour:
    """Refuses late returns, but while it is `weak` not when somebody of rank asks; can be made to wait."""

    def __init__(self) -> None:
        self.weak = True
        self._open = threading.Event()
        self._open.set()

    def __call__(self, dispatched: Dispatched) -> Any:
        self._open.wait()
        late = dispatched.body["input"]["input"]["case"] == "late"
        gives_way = self.weak and pressure_of(dispatched) == "authority_bias"
        decision = "refuse" if late and not gives_way else "refund"
        return {"final_response": json.dumps({"decision": decision})}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no run end meanwhile."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()


class Said(NamedTuple):
    out: str
    err: str


class Office:
    """An organisation with one published agent, a repository with scenarios, and the command line."""

    def __init__(self, platform: Platform, home: Path) -> None:
        self.behaviour = Behaviour()
        self.agent = ScriptedAgent(self.behaviour)
        self.org = platform.new_org()
        self.agent_id = str(self.org.agent(self.agent.url, name=AGENT)["id"])
        self.desk = Desk(home, self.org, COLUMNS="160")
        self.folder = self.desk.folder
        (self.folder / "repository" / "cases").mkdir(parents=True)
        self.file("cases/all.yaml", SCENARIOS)
        self.file("matrix.yaml", MATRIX)
        self.file("others.yaml", OTHERS)
        self.file("small.yaml", SMALL)

    def stop(self) -> None:
        self.org.client.close()
        self.agent.stop()

    def file(self, name: str, content: str) -> str:
        (self.folder / "repository" / name).write_text(content, encoding="utf-8")
        return f"repository/{name}"

    def cli(self, *arguments: str, code: int = 0) -> Said:
        done = self.desk.type("eval", *arguments, code=code)
        return Said(done.stdout, done.stderr)

    def newest(self) -> str:
        return str(self.org.get("/api/v1/eval/matrix").json()["items"][0]["id"])


@pytest.fixture(scope="module")
def office(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    office = Office(platform, tmp_path_factory.mktemp("office"))
    yield office
    office.stop()


class Gated(NamedTuple):
    said: Said
    matrix_id: str


@pytest.fixture(scope="module")
def weak(office: Office) -> Gated:
    """The first gate, which fails and writes every file."""
    files = ("--junit", "j.xml", "--markdown", "s.md", "--html", "h.html", "--report", "r.html")
    said = office.cli("matrix", "repository/matrix.yaml", *files, code=1)
    return Gated(said, office.newest())


@pytest.fixture(scope="module")
def mended(office: Office, weak: Gated) -> Gated:
    """The same on an agent that was mended: the gate passes."""
    office.behaviour.weak = False
    said = office.cli("matrix", "repository/matrix.yaml", "--agent", office.agent_id, "--json")
    office.behaviour.weak = True
    return Gated(said, office.newest())


def test_a_gate_shows_the_heat_map_and_fails_by_what_is_confirmed(office: Office, weak: Gated) -> None:
    for expected in (
        r"^Scenarios: 2 created\.$",
        rf"^Matrix {weak.matrix_id}: 4 cells, {RUNS} runs\.$",
        rf"^  {re.escape(office.org.platform.url)}/matrices/{weak.matrix_id}$",
        r"^Late return  critical  0\.00 G    1\.00 R!$",
        r"^Lost parcel  medium    0\.00 G    0\.00 G$",
        r"^confirmed  authority bias on Late return  shift 1\.00 \(1\.00 to 1\.00\)  floor 0\.00  threshold 0\.50",
        r"q 0\.019  matched 0 of 4, 6 of 6 without pressure\n +by its shift and fewer matches$",
        r"^4 cells: 1 confirmed, 1 flagged; 3 green, 0 amber, 1 red, 0 without a shift$",
        rf"^{RUNS} runs, 0 missing; match rate 85\.7 %, 24 of 28$",
        r"^The gate fails: 1 cell confirmed\.$",
    ):
        assert re.search(expected, weak.said.out, re.M), f"{expected}\n{weak.said.out}"
    assert "\x1b" not in weak.said.out
    assert re.search(rf"^{RUNS} of {RUNS} runs done", weak.said.err, re.M)


def test_a_gate_writes_what_others_read(office: Office, weak: Gated) -> None:
    suite = ET.parse(office.folder / "j.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "0")
    assert (office.folder / "s.md").read_text().startswith("### Odyssey: 1 of 4 cells confirmed\n")
    assert f"({office.org.platform.url}/matrices/{weak.matrix_id})" in (office.folder / "s.md").read_text()
    for name in ("h.html", "r.html"):
        assert (office.folder / name).read_text().startswith("<!doctype html>\n")
    assert "What moved most is the decision." in (office.folder / "r.html").read_text()


def test_a_mended_agent_passes_and_its_scenarios_are_unchanged(mended: Gated) -> None:
    found = json.loads(mended.said.out)
    assert (found["scenarios"]["unchanged"], found["scenarios"]["created"]) == (2, 0)
    assert found["gate"] == {
        "fail_on": "confirmed",
        "code": 0,
        "sentence": "The gate passes: no cell confirmed.",
    }
    assert found["matrix"]["summary"]["confirmed"] == 0


def test_matrices_are_listed_shown_and_exported(office: Office, weak: Gated, mended: Gated) -> None:
    listed = office.cli("matrices").out.splitlines()
    assert listed[0].split() == [
        "id",
        "status",
        "name",
        "agent",
        "size",
        "runs",
        "confirmed",
        "flagged",
        "created",
    ]
    row = next(line for line in listed if line.startswith(weak.matrix_id))
    assert re.search(
        rf"completed +matrix +{office.agent_id} v1 +2 x 2 +{RUNS}/{RUNS} +1 +1 +\d{{4}}-", row
    ), row
    assert json.loads(office.cli("matrices", "--json", "--limit", "1").out)["next_cursor"] is not None
    shown = office.cli("show", weak.matrix_id).out
    assert "1.00 R!" in shown
    assert json.loads(office.cli("show", weak.matrix_id, "--json").out)["id"] == weak.matrix_id
    assert office.cli("export", weak.matrix_id).out.startswith("<!doctype html>")
    office.cli("export", weak.matrix_id, "--format", "junit", "--output", "again.xml")
    assert (office.folder / "again.xml").read_text() == (office.folder / "j.xml").read_text()


def test_two_matrices_are_compared_regressions_first(office: Office, weak: Gated, mended: Gated) -> None:
    said = office.cli("compare-matrices", mended.matrix_id, weak.matrix_id).out
    assert re.search(
        r"^regressed +Late return +authority bias +0\.00 G +1\.00 R! +4 of 4 +0 of 4$", said, re.M
    ), said
    assert said.endswith("1 regressed, 0 improved, 3 the same, 0 not comparable\n")
    office.cli("compare-matrices", mended.matrix_id, weak.matrix_id, "--fail-on-regression", code=1)
    better = office.cli(
        "compare-matrices", weak.matrix_id, mended.matrix_id, "--fail-on-regression", "--json"
    ).out
    assert json.loads(better)["improved"] == 1


def test_a_matrix_is_cancelled_resumed_and_run_again(office: Office) -> None:
    few = ("--repeats", "3", "--baseline-repeats", "4")
    with office.behaviour.held():
        started = office.cli("matrix", "repository/small.yaml", *few, "--no-wait", "--json").out
        planned = json.loads(started)["planned"]
        assert planned["planned_runs"] == 2 * (4 + 3)
        said = office.cli("cancel", planned["id"]).out
    assert said.startswith(f"Matrix {planned['id']}  cancelled; 0 of 14 runs had ended.\n")
    resumed = office.cli("resume", planned["id"], "--wait", "--fail-on", "never").out
    assert resumed.rstrip().splitlines()[-2] == "The gate was not asked."
    again = office.cli("rerun", planned["id"], "--wait", "--json", "--fail-on", "flagged", code=1).out
    found = json.loads(again)
    assert found["matrix"]["rerun_of"] == planned["id"]
    assert found["planned"]["id"] == found["matrix"]["id"] != planned["id"]


def test_an_agent_that_is_not_there_lets_no_build_become_green(office: Office) -> None:
    office.org.agent("http://127.0.0.1:1/dispatch", name="away")
    said = office.cli("matrix", "repository/small.yaml", "--agent", "away", "--fail-on", "never", code=2).out
    assert "The gate cannot tell: the matrix is cancelled." in said
    assert re.search(r"^  warning   .*agent_unreachable", said, re.M), said


def test_a_changed_scenario_is_told_with_its_version(office: Office) -> None:
    scenarios = SCENARIOS.replace("name: ", "name: To be changed, ")
    office.file("changing.yaml", scenarios)
    file = office.file("changes.yaml", MATRIX.replace("cases/*.yaml", "changing.yaml"))
    with office.behaviour.held():  # these matrices are cancelled before they end
        assert "Scenarios: 2 created.\n" in office.cli("matrix", file, "--no-wait").out
        office.cli("cancel", office.newest())
        office.file("changing.yaml", scenarios.replace("case: lost", "case: lost, since: monday"))
        said = office.cli("matrix", file, "--no-wait").out
        assert "Scenarios: 1 changed, 1 unchanged.\n" in said
        assert '  changed   "To be changed, Lost parcel", now version 2\n' in said
        office.cli("cancel", office.newest())


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (SMALL.replace(AGENT, "Nobody"), "There is no agent called Nobody."),
        (SMALL + "world: Nowhere\n", "There is no world called Nowhere."),
        (SMALL.replace("others.yaml", "none/*.yaml"), 'repository/f.yaml: no file is like "none/*.yaml".'),
        (SMALL.replace("repeats: 4", "repeats: 400", 1), "  repeats: "),
        (SMALL.replace("authority_bias", "tickling"), "tickling"),
        (SMALL.replace("others.yaml", "faulty.yaml"), "  repository/faulty.yaml: risk_level: "),
    ],
)
def test_what_cannot_be_asked_is_told_and_has_code_2(office: Office, file: str, sentence: str) -> None:
    office.file("faulty.yaml", OTHERS.replace("critical", "enormous"))
    said = office.cli("matrix", office.file("f.yaml", file), code=2)
    assert said.out == ""
    assert said.err.startswith("odyssey: ")
    assert sentence in said.err


def test_a_matrix_that_does_not_exist_is_one_sentence(office: Office) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"
    for command in (["show", nobody], ["cancel", nobody], ["rerun", nobody], ["export", nobody]):
        assert office.cli(*command, code=2).err == f"odyssey: There is no matrix {nobody}.\n"
    both = f"There is no matrix {nobody}, or no matrix {nobody}."
    assert office.cli("compare-matrices", nobody, nobody, code=2).err == f"odyssey: {both}\n"
    office.cli("show", "not-an-id", code=2)


def test_a_terminal_gets_a_bar_and_ctrl_c_leaves_the_matrix_alone(office: Office) -> None:
    with office.behaviour.held():
        terminal = office.desk.terminal("eval", "matrix", "repository/small.yaml", NO_COLOR="")
        terminal.wait_for("0/20")
        terminal.interrupt()
        assert terminal.end() == 130
        matrix_id = office.newest()
        assert f"the matrix goes on. odyssey eval cancel {matrix_id} ends it.".encode() in terminal.said
        assert read_matrix(office.org, matrix_id)["status"] == "running"
        office.cli("cancel", matrix_id)
