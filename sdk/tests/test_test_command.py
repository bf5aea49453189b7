"""`odyssey test`: the tasks of a project on an agent that really runs, and what a build learns from it."""

import json
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
from support.agents import Dispatched, ScriptedAgent
from support.commands import PROJECT, Desk
from support.model_server import ModelServer
from support.platform import TOOLS, WORLD, Org

CANCELLED = [{"ledger": {"$.order.ord_2.status": "cancelled"}}]


class Behaviour:
    """Cancels when it is told to; waits when it is told to."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def __call__(self, dispatched: Dispatched) -> Any:
        word = dispatched.body["input"]["user_instruction"]
        if word == "wait":
            self.release.wait(60)
        if word == "cancel":
            dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        return {"final_response": f"I did {word}."}


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour()


@pytest.fixture
def agent(org: Org, behaviour: Behaviour) -> Iterator[dict[str, Any]]:
    scripted = ScriptedAgent(behaviour)
    yield org.agent(scripted.url, name="Orders desk")
    behaviour.release.set()
    scripted.stop()


@pytest.fixture(autouse=True)
def project(desk: Desk) -> None:
    desk.write(odyssey_toml=PROJECT)


def tasks(desk: Desk, *words: str) -> None:
    rows = [f"{word},{_cell(WORLD)},{_cell(CANCELLED)}\n" for word in words]
    desk.write(tasks_csv="user,state,checks\n" + "".join(rows))


def _cell(value: Any) -> str:
    return '"' + json.dumps(value).replace('"', '""') + '"'


def test_a_build_is_green_when_all_pass(desk: Desk, org: Org, agent: dict[str, Any]) -> None:
    tasks(desk, "cancel")
    report = desk.folder / "report.xml"
    ended = desk.type("test", "--repeats", "2", "--junit", str(report))
    assert ended.stdout.splitlines()[-1] == "PASS: 2 of 2 passed, 100.0 %; at least 100.0 % must."
    assert "done" in ended.stderr
    assert len(ET.parse(report).getroot().findall(".//testcase")) == 2
    assert [path.name for path in desk.folder.glob(".report*")] == []
    desk.type("test")
    (dataset,) = org.ok(org.get("/api/datasets"))["items"]
    assert (dataset["name"], dataset["revision"]) == ("Orders desk: tasks.csv", 2)


def test_a_build_is_red_with_reasons_and_runs(desk: Desk, org: Org, agent: dict[str, Any]) -> None:
    tasks(desk, "cancel", "nothing", "cancel")
    ended = desk.type("test", code=1)
    last = ended.stdout.splitlines()
    assert last[-1] == "FAIL: 2 of 3 passed, 66.7 %; at least 100.0 % must."
    failing = next(run for run in org.ok(org.get("/api/runs"))["items"] if run["verdict"] == "FAIL")
    (row,) = [line for line in last if line.split()[:3] == [str(failing["id"]), "1", "FAIL"]]
    assert failing["failure_mode"] in row
    assert "ord_2" in row
    assert f"odyssey runs show {failing['id']} tells what happened." in last
    desk.type("test", "--min-pass-rate", "0.5")
    desk.write(odyssey_toml=PROJECT + "min_pass_rate = 0.6\nrepeats = 2\n")
    assert "4 of 6 passed" in desk.type("test").stdout


def test_programs_read_the_same(desk: Desk, agent: dict[str, Any]) -> None:
    tasks(desk, "nothing")
    told = json.loads(desk.type("test", "--json", "--agent", str(agent["id"]), code=1).stdout)
    assert (told["passed"], told["pass_rate"], told["min_pass_rate"]) == (False, 0.0, 1.0)
    assert told["batch"]["status"] == "completed"
    assert [row["row"] for row in told["rows"]] == [0]
    (failure,) = told["failures"]
    assert failure["id"] == told["rows"][0]["runs"][0]["id"]
    assert "ord_2" in failure["reason"]


def test_seeds_may_be_json_or_yaml_and_need_no_project(desk: Desk, agent: dict[str, Any]) -> None:
    (desk.folder / "odyssey.toml").unlink()
    seed = {"user_instruction": "cancel", "initial_state": WORLD, "checks": CANCELLED}
    for name in ("tasks.json", "tasks.yaml"):
        (desk.folder / name).write_text(json.dumps([seed]))
        assert "PASS: 1 of 1" in desk.type("test", name, "--agent", "Orders desk").stdout
    assert "Which agent?" in desk.type("test", "tasks.json", code=2).stderr
    assert "Which tasks?" in desk.type("test", "--agent", "Orders desk", code=2).stderr


def test_faults_of_the_rows_are_told_before_anything_is_sent(
    desk: Desk, org: Org, agent: dict[str, Any]
) -> None:
    desk.write(tasks_csv="user,checks\ncancel,[\n")
    ended = desk.type("test", code=1)
    assert "line 2: is not JSON" in ended.stdout
    assert ended.stdout.endswith("Nothing was sent.\n")
    told = json.loads(desk.type("test", "--json", code=1).stdout)
    assert told["lint"]["errors"][0]["column"] == "checks"
    desk.write(tasks_csv='user,checks\ncancel,"[{""called"": {""tool"": 7}}]"\n')
    assert "Nothing was started." in desk.type("test", code=1).stdout
    assert org.ok(org.get("/api/runs"))["items"] == []


def test_what_cannot_be_graded_does_not_make_a_build_green(desk: Desk, agent: dict[str, Any]) -> None:
    desk.write(tasks_csv="user\ncancel\n")
    assert "FAIL: No run could be graded" in desk.type("test", code=2).stdout


def test_an_agent_that_is_not_there_or_not_reached_is_told(desk: Desk, org: Org) -> None:
    tasks(desk, "cancel")
    assert "`odyssey push` registers it" in desk.type("test", code=2).stderr
    gone = ScriptedAgent(lambda _: {"final_response": ""})
    gone.stop()
    org.agent(gone.url, name="Orders desk")
    ended = desk.type("test", code=1)
    assert ended.stdout.splitlines()[-1] == "FAIL: The batch is failed."


def test_ctrl_c_cancels_the_batch(desk: Desk, org: Org, agent: dict[str, Any], behaviour: Behaviour) -> None:
    tasks(desk, "wait")
    terminal = desk.terminal("test")
    terminal.wait_for("0/1")  # the bar of a command that waits: before it, Ctrl-C finds nothing to cancel
    (run,) = org.ok(org.get("/api/runs"))["items"]
    org.wait(run["id"], "running")
    terminal.interrupt()
    assert terminal.end() == 130
    assert b"is cancelled." in terminal.said
    (batch,) = org.ok(org.get("/api/batches"))["items"]
    assert batch["status"] == "cancelled"


def test_a_world_that_contradicts_itself_is_named_beside_the_verdict(
    desk: Desk, org: Org, behaviour: Behaviour
) -> None:
    forgets = {"response": {"order_id": "ord_2", "status": "cancelled"}, "operations": []}
    agent = ScriptedAgent(behaviour)
    tasks(desk, "cancel", "nothing")
    warning = "The world contradicted itself in 1 call (step 2)."
    with ModelServer(forgets) as server:
        org.ok(org.put("/api/settings", server.settings(role="simulator", api_key="sk-of-nobody")))
        config = {"engines": {"update_order": "llm"}}
        org.agent(agent.url, name="Orders desk", config=config, tools_schema=TOOLS)
        said = desk.type("test", code=1).stdout.splitlines()
        told = json.loads(desk.type("test", "--json", code=1).stdout)
        runs = {run["user_instruction"]: run for run in org.ok(org.get("/api/runs?sort=-id"))["items"]}
        tasks(desk, "cancel")
        assert "Not measured: 1 world_at_fault." in desk.type("test", code=2).stdout  # nothing was measured
    agent.stop()
    spoilt, failed = runs["cancel"]["id"], runs["nothing"]["id"]
    assert [line for line in said if warning in line] == [f"Run {spoilt}: {warning}"]
    assert said[-2:] == [
        "Not measured: 1 world_at_fault.",
        "FAIL: 0 of 1 passed, 0.0 %; at least 100.0 % must.",
    ]
    assert told["unmeasured"] == {"world_at_fault": 1}
    assert [each["world_warning"] for each in told["failures"]] == [warning, None]
    shown = desk.type("runs", "show", str(spoilt)).stdout.splitlines()
    place = shown.index(f"  world     {warning}")
    assert shown[place + 1].startswith("            step 2, update_order, contradiction: ")
    assert "  world  " not in desk.type("runs", "show", str(failed)).stdout
