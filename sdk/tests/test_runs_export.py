"""`odyssey runs export`: runs whole, for other programs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from support.agents import Dispatched, ScriptedAgent
from support.commands import Desk
from support.platform import WORLD, Org, Platform

MESSAGES = [{"role": "user", "content": "tell"}, {"role": "assistant", "content": "Told."}]


def behave(dispatched: Dispatched) -> Any:
    if dispatched.body["input"]["user_instruction"] == "tell":
        return {"final_response": "Told.", "messages": MESSAGES}
    for event_type, text in (("system_prompt", "Be brief."), ("assistant_message", "I look.")):
        httpx.post(
            f"{dispatched.body['odyssey_proxy_url']}/traces/{event_type}",
            json={"text": text},
            headers={"Authorization": f"Bearer {dispatched.token}"},
            trust_env=False,
            timeout=None,
        )
    dispatched.call("get_order", {"order_id": "ord_2"}, **{"X-Pipelines-Actor-Id": "desk/orders"})
    dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
    return {"final_response": "Cancelled.\x1b[2J"}


class Runs(NamedTuple):
    org: Org
    silent: int
    """Of an agent that sent no messages."""
    told: int


@pytest.fixture(scope="module")
def runs(platform: Platform) -> Iterator[Runs]:
    org, agent = platform.new_org(), ScriptedAgent(behave)
    registered = org.agent(agent.url)
    silent, told = (
        org.run(registered, user_instruction=word, initial_state=WORLD)["id"] for word in ("go", "tell")
    )
    yield Runs(org, silent, told)
    agent.stop()
    org.client.close()


@pytest.fixture
def desk(runs: Runs, tmp_path: Path) -> Desk:
    return Desk(tmp_path, runs.org)


def test_a_run_is_whole_in_json(desk: Desk, runs: Runs) -> None:
    said = desk.type("runs", "export", str(runs.silent)).stdout
    assert "\x1b" not in said
    found = json.loads(said)
    path = f"/api/runs/{runs.silent}"
    assert found == {
        "run": runs.org.ok(runs.org.get(path)),
        "events": runs.org.ok(runs.org.get(f"{path}/trace", params={"limit": 200}))["items"],
        "difference": runs.org.ok(runs.org.get(f"{path}/ledger/diff")),
        "ledger": runs.org.ok(runs.org.get(f"{path}/ledger")),
    }
    assert found["ledger"]["state"]["order"]["ord_2"]["status"] == "cancelled"


def test_several_runs_are_a_list_and_each_is_there_once(desk: Desk, runs: Runs) -> None:
    several = desk.type("runs", "export", str(runs.told), str(runs.silent), str(runs.told)).stdout
    assert [each["run"]["id"] for each in json.loads(several)] == [runs.told, runs.silent]


def test_every_event_is_a_line(desk: Desk, runs: Runs) -> None:
    said = desk.type("runs", "export", str(runs.silent), str(runs.told), "--format", "jsonl").stdout
    lines = [json.loads(line) for line in said.splitlines()]
    kinds = [line["kind"] for line in lines if line["run_id"] == runs.silent]
    assert kinds == ["dispatch", "trace_event", "trace_event", "tool_call", "tool_call", "reply"]
    assert {line["run_id"] for line in lines} == {runs.silent, runs.told}


def test_the_transcript_is_the_agents_own_or_what_was_seen(desk: Desk, runs: Runs) -> None:
    said = desk.type("runs", "export", str(runs.told), str(runs.silent), "--format", "messages").stdout
    told, silent = map(json.loads, said.splitlines())
    assert told == {"run_id": runs.told, "messages": MESSAGES}
    messages = silent["messages"]
    assert [message["role"] for message in messages] == [
        "user", "system", "assistant", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    (call,) = messages[3]["tool_calls"]
    assert (call["name"], call["arguments"]) == ("get_order", {"order_id": "ord_2"})
    assert messages[3]["name"] == "desk/orders"
    assert messages[4]["tool_call_id"] == call["id"]
    assert json.loads(messages[4]["content"]) == WORLD["order"]["ord_2"]
    assert messages[-1] == {"role": "assistant", "content": "Cancelled.\x1b[2J"}


def test_a_file_is_there_whole_or_not_at_all(desk: Desk, runs: Runs) -> None:
    file = desk.folder / "out.json"
    file.write_text("as it was")
    file.chmod(0o604)
    refused = desk.type("runs", "export", str(runs.silent), "99999", "-o", str(file), code=2)
    assert "There is no run 99999." in refused.stderr
    assert file.read_text() == "as it was"
    assert list(desk.folder.iterdir()) == [file]
    assert desk.type("runs", "export", str(runs.silent), "-o", str(file)).stdout == ""
    assert json.loads(file.read_text())["run"]["id"] == runs.silent
    assert file.stat().st_mode & 0o777 == 0o604
    assert (
        json.loads(desk.type("runs", "export", str(runs.silent), "-o", "-").stdout)["run"]["id"]
        == runs.silent
    )
    nowhere = desk.type("runs", "export", str(runs.silent), "-o", "nowhere/out.json", code=2)
    assert "nowhere/out.json cannot be written" in nowhere.stderr
