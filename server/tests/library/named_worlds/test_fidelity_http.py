"""How faithful a world is: kept by its state, and carried by every run that begins with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App
from support.agents import Behaviour, ScriptedAgent, final
from support.platform import TOOLS, WORLD, Org
from support.worlds import edit_world, new_world, read_world

from odyssey.commands.fidelity import fidelity

StartAgent = Callable[[Behaviour], ScriptedAgent]

SHARE = {"share": 0.75, "interval": [0.5, 0.9], "equal": 3, "of": 4}
NOTHING = {"share": None, "interval": [0, 1]}
ROW: dict[str, Any] = {"calls": 4, "responses": SHARE, "changes": NOTHING, "refusals": SHARE}
REPORT = ROW | {"tools": {"get_order": ROW | {"stateless": False}}}


def put(org: Org, world: dict[str, Any], report: dict[str, Any]) -> Any:
    return org.put(f"/api/worlds/{world['id']}/fidelity", report)


def test_a_report_belongs_to_the_state(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    world, twin, other = new_world(org), new_world(org), new_world(org, initial_state={})
    own_state = org.run(agent, initial_state=WORLD)
    assert org.ok(org.get(f"/api/runs/{own_state['id']}"))["fidelity"] is None
    kept = org.ok(put(org, world, REPORT))
    assert kept["tools"]["get_order"]["responses"] == SHARE
    for each in (world, twin):
        assert org.ok(org.get(f"/api/worlds/{each['id']}/fidelity")) == kept
    figures = {
        "responses": {"share": 0.75, "interval": [0.5, 0.9], "equal": 3, "of": 4},
        "changes": {"share": None, "interval": [0, 1], "equal": None, "of": None},
        "refusals": {"share": 0.75, "interval": [0.5, 0.9], "equal": 3, "of": 4},
        "measured_at": kept["measured_at"],
    }
    assert read_world(org, world)["fidelity"] == figures
    listed = org.ok(org.get("/api/worlds"))["items"]
    assert [each["fidelity"] for each in listed] == [None, figures, figures]
    assert org.ok(org.get(f"/api/runs/{own_state['id']}"))["fidelity"] == figures
    assert org.run(agent, world_id=other["id"])["fidelity"] is None
    assert org.get(f"/api/worlds/{other['id']}/fidelity").status_code == 404


@pytest.mark.both_databases
def test_another_state_has_none_until_it_is_measured(org: Org) -> None:
    world = new_world(org)
    org.ok(put(org, world, REPORT))
    add = {"op": "add", "entity_type": "order", "id": "ord_3"}
    edited = org.ok(edit_world(org, world, add))
    assert edited["fidelity"] is None
    back = org.ok(edit_world(org, edited, {"op": "remove", "entity_type": "order", "id": "ord_3"}))
    assert back["fidelity"]["responses"]["share"] == 0.75
    newer = org.ok(put(org, world, REPORT | {"responses": SHARE | {"share": 1}}))
    assert newer["responses"]["share"] == 1


def test_a_report_of_another_state_is_refused(org: Org) -> None:
    world = new_world(org)
    answer = put(org, world, REPORT | {"state_hash": "0" * 64})
    assert (answer.status_code, answer.json()["code"]) == (409, "world_changed")
    org.ok(put(org, world, REPORT | {"state_hash": world["hash"]}))


def test_orgs_with_equal_states_measure_their_own(org: Org, other_org: Org) -> None:
    mine, theirs = new_world(org), new_world(other_org)
    org.ok(put(org, mine, REPORT))
    assert read_world(other_org, theirs)["fidelity"] is None


@pytest.fixture
def command(org: Org, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`odyssey fidelity` with its files, aimed at the platform of the test."""
    monkeypatch.setenv("ODYSSEY_URL", org.platform.url)
    monkeypatch.setenv("ODYSSEY_API_KEY", org.api_key)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    call = {"tool": "get_order", "args": {"order_id": "ord_1"}, "response": WORLD["order"]["ord_1"]}
    (tmp_path / "calls.jsonl").write_text(json.dumps({"task": 1, "calls": [call]}), "utf-8")
    (tmp_path / "state.json").write_text(json.dumps(WORLD), "utf-8")
    app = App(name="odyssey", result_action="return_value")
    app.command(fidelity)
    files = ["--tools", str(tmp_path / "tools.json"), "--calls", str(tmp_path / "calls.jsonl")]

    def run(*tokens: str) -> None:
        app(["fidelity", *files, *tokens])

    return run


def test_the_command_measures_a_world_and_tells_it(
    org: Org, command: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = new_world(org)
    command("--world", str(world["id"]), "--json")
    printed = json.loads(capsys.readouterr().out)
    kept = org.ok(org.get(f"/api/worlds/{world['id']}/fidelity"))
    assert printed["responses"]["share"] == 1
    assert {name: kept[name] for name in printed} == printed
    command("--world", str(world["id"]), "--state", str(tmp_path / "state.json"))
    assert org.ok(org.get(f"/api/worlds/{world['id']}/fidelity"))["measured_at"] > kept["measured_at"]


def test_the_command_says_in_a_sentence_what_is_wrong(
    org: Org, command: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_world(org, initial_state={})
    wrong: list[tuple[list[str], dict[str, str], str]] = [
        ([], {}, "give the world to measure on"),
        (["--world", "999999999"], {}, "answered 404"),
        (
            ["--world", str(world["id"]), "--state", str(tmp_path / "state.json")],
            {},
            "is not the state of the world",
        ),
        (["--world", str(world["id"])], {"ODYSSEY_API_KEY": "pk_live_wrong"}, "answered 401"),
        (["--world", str(world["id"])], {"ODYSSEY_API_KEY": ""}, "There is no API key"),
        (["--world", str(world["id"])], {"ODYSSEY_URL": "http://127.0.0.1:9"}, "no connection"),
        (["--world", str(world["id"])], {"ODYSSEY_URL": "nonsense"}, "must begin with http"),
    ]
    for tokens, environment, message in wrong:
        with monkeypatch.context() as changed:
            for name, value in environment.items():
                changed.setenv(name, value)
            with pytest.raises(SystemExit) as stopped:
                command(*tokens)
        assert message in str(stopped.value)
        assert org.api_key not in str(stopped.value)
