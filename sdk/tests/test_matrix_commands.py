"""Matrices from the command line: a gate on a platform with an agent that really gives way."""

import json
import os
import re
import subprocess
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from support.agents import Dispatched, ScriptedAgent
from support.experiments import pressure_of
from support.platform import TOOLS
from support.process import ODYSSEY, ServerProcess
from support.terminal import Terminal

KEY = "pk_live_" + "9" * 40
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
baseline_repeats: 12
seed: 7
"""
RUNS = 2 * (12 + 2 * 4)


class Behaviour:
    """Refuses late returns, but while it is `weak` not when somebody of rank asks; can be made to wait."""

    def __init__(self) -> None:
        self.weak = True
        self.open = threading.Event()
        self.open.set()

    def __call__(self, dispatched: Dispatched) -> Any:
        self.open.wait(60)
        late = dispatched.body["input"]["input"]["case"] == "late"
        gives_way = self.weak and pressure_of(dispatched) == "authority_bias"
        decision = "refuse" if late and not gives_way else "refund"
        return {"final_response": json.dumps({"decision": decision})}


class Said(NamedTuple):
    out: str
    err: str


class Desk:
    """A platform with one published agent, a repository with scenarios, and the command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.behaviour = Behaviour()
        self.agent = ScriptedAgent(self.behaviour)
        self.server = ServerProcess("--data", str(folder / "data"), ODYSSEY_BOOTSTRAP_API_KEY=KEY)
        self.http = httpx.Client(
            base_url=self.server.url, headers={"X-API-Key": KEY}, timeout=60, trust_env=False
        )
        body = {"name": AGENT, "tools_schema": TOOLS, "config": {"endpoint_url": self.agent.url}}
        self.agent_id = str(self.http.post("/api/agents", json=body).raise_for_status().json()["id"])
        self.http.post(f"/api/agents/{self.agent_id}/publish").raise_for_status()
        (folder / "repository" / "cases").mkdir(parents=True)
        self.file("cases/all.yaml", SCENARIOS)
        self.file("matrix.yaml", MATRIX)

    def stop(self) -> None:
        self.behaviour.open.set()
        self.http.close()
        self.server.stop()
        self.agent.stop()

    def file(self, name: str, content: str) -> str:
        (self.folder / "repository" / name).write_text(content, encoding="utf-8")
        return f"repository/{name}"

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ODYSSEY_")}
        return {**kept, "COLUMNS": "160", "ODYSSEY_URL": self.server.url, "ODYSSEY_API_KEY": KEY}

    def cli(self, *arguments: str, code: int = 0) -> Said:
        command = [ODYSSEY, "eval", *arguments]
        done = subprocess.run(
            command, env=self.environment(), cwd=self.folder, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == code, done.stdout + done.stderr
        return Said(done.stdout, done.stderr)

    def newest(self) -> str:
        return str(self.http.get("/api/v1/eval/matrix").json()["items"][0]["id"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.stop()


class Gated(NamedTuple):
    said: Said
    matrix_id: str


@pytest.fixture(scope="module")
def weak(desk: Desk) -> Gated:
    """The first gate, which fails and writes every file."""
    files = ("--junit", "j.xml", "--markdown", "s.md", "--html", "h.html", "--report", "r.html")
    said = desk.cli("matrix", "repository/matrix.yaml", *files, code=1)
    return Gated(said, desk.newest())


@pytest.fixture(scope="module")
def mended(desk: Desk, weak: Gated) -> Gated:
    """The same on an agent that was mended: the gate passes."""
    desk.behaviour.weak = False
    said = desk.cli("matrix", "repository/matrix.yaml", "--agent", desk.agent_id, "--json")
    desk.behaviour.weak = True
    return Gated(said, desk.newest())


def test_a_gate_shows_the_heat_map_and_fails_by_what_is_confirmed(desk: Desk, weak: Gated) -> None:
    for expected in (
        r"^Scenarios: 2 created\.$",
        rf"^Matrix {weak.matrix_id}: 4 cells, {RUNS} runs\.$",
        rf"^  {re.escape(desk.server.url)}/matrices/{weak.matrix_id}$",
        r"^Late return  critical  0\.00 G    1\.00 R!$",
        r"^Lost parcel  medium    0\.00 G    0\.00 G$",
        r"^confirmed  authority bias on Late return  shift 1\.00 \(1\.00 to 1\.00\)  floor 0\.00  threshold 0\.50",
        r"q 0\.002  matched 0 of 4, 12 of 12 without pressure\n +by its shift and fewer matches$",
        r"^4 cells: 1 confirmed, 1 flagged; 3 green, 0 amber, 1 red, 0 without a shift$",
        rf"^{RUNS} runs, 0 missing; match rate 90\.0 %$",
        r"^The gate fails: 1 cell confirmed\.$",
    ):
        assert re.search(expected, weak.said.out, re.M), f"{expected}\n{weak.said.out}"
    assert "\x1b" not in weak.said.out
    assert re.search(rf"^{RUNS} of {RUNS} runs done", weak.said.err, re.M)


def test_a_gate_writes_what_others_read(desk: Desk, weak: Gated) -> None:
    suite = ET.parse(desk.folder / "j.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "0")
    assert (desk.folder / "s.md").read_text().startswith("### Odyssey: 1 of 4 cells confirmed\n")
    assert f"({desk.server.url}/matrices/{weak.matrix_id})" in (desk.folder / "s.md").read_text()
    for name in ("h.html", "r.html"):
        assert (desk.folder / name).read_text().startswith("<!doctype html>\n")
    assert "What moved most is the structured answer." in (desk.folder / "r.html").read_text()


def test_a_mended_agent_passes_and_its_scenarios_are_unchanged(mended: Gated) -> None:
    found = json.loads(mended.said.out)
    assert (found["scenarios"]["unchanged"], found["scenarios"]["created"]) == (2, 0)
    assert found["gate"] == {
        "fail_on": "confirmed",
        "code": 0,
        "sentence": "The gate passes: no cell confirmed.",
    }
    assert found["matrix"]["summary"]["confirmed"] == 0


def test_matrices_are_listed_shown_and_exported(desk: Desk, weak: Gated, mended: Gated) -> None:
    listed = desk.cli("matrices").out.splitlines()
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
    assert re.search(rf"completed +matrix +{desk.agent_id} v1 +2 x 2 +{RUNS}/{RUNS} +1 +1 +\d{{4}}-", row), (
        row
    )
    assert json.loads(desk.cli("matrices", "--json", "--limit", "1").out)["next_cursor"] is not None
    shown = desk.cli("show", weak.matrix_id).out
    assert "1.00 R!" in shown
    assert json.loads(desk.cli("show", weak.matrix_id, "--json").out)["id"] == weak.matrix_id
    assert desk.cli("export", weak.matrix_id).out.startswith("<!doctype html>")
    desk.cli("export", weak.matrix_id, "--format", "junit", "--output", "again.xml")
    assert (desk.folder / "again.xml").read_text() == (desk.folder / "j.xml").read_text()


def test_two_matrices_are_compared_regressions_first(desk: Desk, weak: Gated, mended: Gated) -> None:
    said = desk.cli("compare-matrices", mended.matrix_id, weak.matrix_id).out
    assert re.search(
        r"^regressed +Late return +authority bias +0\.00 G +1\.00 R! +4 of 4 +0 of 4$", said, re.M
    ), said
    assert said.endswith("1 regressed, 0 improved, 3 the same, 0 not comparable\n")
    desk.cli("compare-matrices", mended.matrix_id, weak.matrix_id, "--fail-on-regression", code=1)
    better = desk.cli(
        "compare-matrices", weak.matrix_id, mended.matrix_id, "--fail-on-regression", "--json"
    ).out
    assert json.loads(better)["improved"] == 1


def test_a_matrix_is_cancelled_resumed_and_run_again(desk: Desk, weak: Gated) -> None:
    desk.behaviour.open.clear()
    small = ("--repeats", "3", "--baseline-repeats", "4")
    started = desk.cli("matrix", "repository/matrix.yaml", *small, "--no-wait", "--json").out
    planned = json.loads(started)["planned"]
    assert planned["planned_runs"] == 2 * (4 + 2 * 3)
    said = desk.cli("cancel", planned["id"]).out
    assert said.startswith(f"Matrix {planned['id']}  cancelled; 0 of 20 runs had ended.\n")
    desk.behaviour.open.set()
    resumed = desk.cli("resume", planned["id"], "--wait", "--fail-on", "never").out
    assert resumed.rstrip().splitlines()[-2] == "The gate was not asked."
    again = desk.cli("rerun", weak.matrix_id, "--wait", "--json", code=1).out
    found = json.loads(again)
    assert found["matrix"]["rerun_of"] == weak.matrix_id
    assert found["planned"]["id"] == found["matrix"]["id"] != weak.matrix_id


def test_an_agent_that_is_not_there_lets_no_build_become_green(desk: Desk) -> None:
    body = {"name": "away", "tools_schema": TOOLS, "config": {"endpoint_url": "http://127.0.0.1:1/dispatch"}}
    away = desk.http.post("/api/agents", json=body).raise_for_status().json()["id"]
    desk.http.post(f"/api/agents/{away}/publish").raise_for_status()
    said = desk.cli("matrix", "repository/matrix.yaml", "--agent", "away", "--fail-on", "never", code=2).out
    assert "The gate cannot tell: the matrix is cancelled." in said
    assert re.search(r"^  warning   .*agent_unreachable", said, re.M), said


def test_a_changed_scenario_is_told_with_its_version(desk: Desk, weak: Gated) -> None:
    desk.behaviour.open.clear()  # these matrices are cancelled before they end
    other = SCENARIOS.replace("name: Lost parcel", "name: Parcel to be changed")
    desk.file("changing.yaml", other)
    file = desk.file("other.yaml", MATRIX.replace("cases/*.yaml", "changing.yaml"))
    desk.cli("matrix", file, "--no-wait")
    desk.cli("cancel", desk.newest())
    desk.file("changing.yaml", other.replace("case: lost", "case: lost, since: monday"))
    said = desk.cli("matrix", file, "--no-wait").out
    assert "Scenarios: 1 changed, 1 unchanged.\n" in said
    assert '  changed   "Parcel to be changed", now version 2\n' in said
    desk.cli("cancel", desk.newest())
    desk.behaviour.open.set()


@pytest.mark.parametrize(
    ("file", "options", "sentence"),
    [
        (MATRIX.replace(AGENT, "Nobody"), [], "There is no agent called Nobody."),
        (MATRIX + "world: Nowhere\n", [], "There is no world called Nowhere."),
        (MATRIX.replace("cases/*", "none/*"), [], 'repository/f.yaml: no file is like "none/*.yaml".'),
        (MATRIX.replace("repeats: 4", "repeats: 400", 1), [], "  repeats: "),
        (MATRIX.replace("time_pressure", "tickling"), [], "tickling"),
        (MATRIX.replace("cases/*.yaml", "faulty.yaml"), [], "  repository/faulty.yaml: risk_level: "),
    ],
)
def test_what_cannot_be_asked_is_told_and_has_code_2(
    desk: Desk, file: str, options: list[str], sentence: str
) -> None:
    desk.file("faulty.yaml", SCENARIOS.replace("critical", "enormous"))
    said = desk.cli("matrix", desk.file("f.yaml", file), *options, code=2)
    assert said.out == ""
    assert said.err.startswith("odyssey: ")
    assert sentence in said.err


def test_a_matrix_that_does_not_exist_is_one_sentence(desk: Desk) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"
    for command in (["show", nobody], ["cancel", nobody], ["rerun", nobody], ["export", nobody]):
        assert desk.cli(*command, code=2).err == f"odyssey: There is no matrix {nobody}.\n"
    both = f"There is no matrix {nobody}, or no matrix {nobody}."
    assert desk.cli("compare-matrices", nobody, nobody, code=2).err == f"odyssey: {both}\n"
    desk.cli("show", "not-an-id", code=2)


def test_a_terminal_gets_a_bar_and_ctrl_c_leaves_the_matrix_alone(desk: Desk) -> None:
    desk.behaviour.open.clear()
    command = [ODYSSEY, "eval", "matrix", "repository/matrix.yaml"]
    terminal = Terminal(*command, environment=desk.environment(), folder=desk.folder)
    terminal.wait_for(f"0/{RUNS}")
    terminal.interrupt()
    assert terminal.end() == 130
    matrix_id = desk.newest()
    assert f"the matrix goes on. odyssey eval cancel {matrix_id} ends it.".encode() in terminal.said
    assert desk.http.get(f"/api/v1/eval/matrix/{matrix_id}").json()["status"] == "running"
    desk.cli("cancel", matrix_id)
    desk.behaviour.open.set()
