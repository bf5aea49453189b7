"""Runs that begin with a named world: nothing of it is copied, and it is booted once."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from conftest import NewDatabase
from sqlalchemy import event
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import WORLD, Org, Platform
from support.worlds import edit_world, errors, new_world

from odyssey.worlds.ledger import Ledger

StartAgent = Callable[[Behaviour], ScriptedAgent]

URL = "http://127.0.0.1:9/dispatch"
RULES = [{"tool": "get_order", "response": "from a rule"}]


@contextmanager
def watched(platform: Platform) -> Iterator[list[tuple[str, Any]]]:
    """Every statement the database is asked, with its parameters."""
    asked: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        asked.append((statement, parameters))

    engines = {platform.database.engine.sync_engine, platform.database.reader.sync_engine}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    yield asked
    for engine in engines:
        event.remove(engine, "before_cursor_execute", note)


def boots(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Watch worlds being booted: how many types each has."""
    booted: list[int] = []
    adopt = Ledger.adopt

    def watch(state: Any) -> Ledger:
        booted.append(len(state))
        return adopt(state)

    monkeypatch.setattr(Ledger, "adopt", watch)
    return booted


def test_state_behaviour_and_rules_come_from_the_world(org: Org, agent_server: StartAgent) -> None:
    heard: list[Any] = []

    def behave(d: Dispatched) -> Any:
        heard.append(d.call("get_order", {"order_id": "ord_1"}).json())
        heard.append(d.call("list_orders").json())
        return final()

    world = new_world(org, behavior_instructions="Ask a manager.", failure_rules=RULES)
    run = org.run(org.agent(agent_server(behave).url), world_id=world["id"])
    assert heard[0]["response"] == "from a rule"
    assert "ord_2" in str(heard[1]["response"])
    assert any(text.startswith("behavior_not_understood: line 1: ") for text in run["soft_warnings"])
    seed = run["odyssey_seed"]
    assert seed["world_id"] == world["id"]
    assert seed["initial_state"] == WORLD
    assert (seed["behavior_instructions"], seed["failure_rules"]) == ("Ask a manager.", RULES)


def test_a_run_keeps_the_world_it_was_made_with(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    world = new_world(org)
    before = org.run(agent, world_id=world["id"])
    org.ok(edit_world(org, world, {"op": "remove", "entity_type": "order", "id": "ord_1"}))
    after = org.run(agent, world_id=world["id"])
    assert org.ok(org.get(f"/api/runs/{before['id']}"))["odyssey_seed"]["initial_state"] == WORLD
    assert list(after["odyssey_seed"]["initial_state"]["order"]) == ["ord_2"]


@pytest.mark.parametrize("member", ["initial_state", "behavior_instructions", "failure_rules"])
def test_a_world_and_its_members_are_not_both_given(org: Org, member: str) -> None:
    agent, world = org.agent(URL), new_world(org)
    values = {"initial_state": {}, "behavior_instructions": "", "failure_rules": []}
    seed = {"user_instruction": "x", "world_id": world["id"], member: values[member]}
    for path in ("/api/runs", "/api/runs/validate"):
        (fault,) = errors(org.post(path, {"agent_id": agent["id"], "seeds": [seed]}))
        assert fault[0] == ["seeds", 0, member]
    null = {"agent_id": agent["id"], "seeds": [seed | {member: None}]}
    assert org.ok(org.post("/api/runs/validate", null))["valid"] is True


def test_a_world_that_is_not_there_is_named_and_anothers_is_not_there(org: Org, other_org: Org) -> None:
    agent = org.agent(URL)
    foreign, deleted = new_world(other_org), new_world(org)
    org.ok(org.client.delete(f"/api/worlds/{deleted['id']}"))
    for world_id in (foreign["id"], deleted["id"], 2**62, 2**63 - 1, 0, -1):
        seeds = [{"user_instruction": "x"}, {"user_instruction": "x", "world_id": world_id}]
        answer = org.post("/api/runs", {"agent_id": agent["id"], "seeds": seeds})
        assert errors(answer) == [(["seeds", 1, "world_id"], f"there is no world {world_id}")]


def test_a_world_is_checked_against_the_ledger_schema_once(org: Org) -> None:
    schema = {"entities": [{"type": "customer", "id_field": "customer_id"}]}
    agent, world = org.agent(URL, ledger_schema=schema), new_world(org)
    seeds = [{"user_instruction": str(n), "world_id": world["id"]} for n in range(5)]
    with watched(org.platform) as asked:
        answer = org.post("/api/runs/validate", {"agent_id": agent["id"], "seeds": seeds})
    found = errors(answer)
    assert [loc for loc, _ in found] == [["seeds", n, "world_id"] for n in range(5)]
    assert "initial_state.order" in found[0][1]
    assert len([1 for statement, _ in asked if "FROM contents" in statement]) == 2  # its state, its conduct


def test_a_thousand_seeds_copy_nothing_of_the_world(new_database: NewDatabase) -> None:
    platform = Platform(
        new_database(), max_runs=1
    )  # of its own: nobody else should wait behind a thousand runs
    org = platform.new_org()
    state = {"order": {f"ord_{n}": {"status": "unmistakable"} for n in range(2000)}}
    world = new_world(org, initial_state=state, failure_rules=[{"tool": "x", "response": "plain to see"}])
    agent = org.agent(URL)
    body = {"agent_id": agent["id"], "seeds": [{"user_instruction": "x", "world_id": world["id"]}] * 1000}
    with watched(platform) as asked:
        started = org.ok(org.post("/api/runs", body))["runs"]
    assert len(started) == 1000
    written = [text for text in asked if text[0].startswith("INSERT")]
    assert written
    assert not [1 for statement, _ in written if "INTO contents" in statement]
    assert "unmistakable" not in str(written)
    assert "plain to see" not in str(written)
    reads = [statement for statement, _ in asked if "FROM contents" in statement]
    platform.stop()
    # Of the conduct, to plan and to make; without a ledger schema nobody looks at the state.
    assert len(reads) == 2


def test_runs_of_one_world_boot_it_once_and_each_changes_its_own(
    org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted = boots(monkeypatch)
    together = threading.Barrier(8)
    seen: list[bool] = []

    def behave(d: Dispatched) -> Any:
        together.wait(60)
        name = f"status {d.body['run_id']}"
        d.call("update_order", {"order_id": "ord_1", "status": name})
        seen.append(d.call("get_order", {"order_id": "ord_1"}).json()["response"]["status"] == name)
        return final()

    world = new_world(org, initial_state=WORLD | {"own": {"1": {}}})
    agent = org.agent(agent_server(behave).url)
    run_ids = org.start(agent, *[{"user_instruction": "x", "world_id": world["id"]}] * 8)
    for run_id in run_ids:
        assert org.wait(run_id)["status"] == "completed"
    assert seen == [True] * 8
    for run_id in run_ids:
        diff = org.ok(org.get(f"/api/runs/{run_id}/ledger/diff"))
        assert [change["after"]["status"] for change in diff["changes"]] == [f"status {run_id}"]
        now = org.ok(org.get(f"/api/runs/{run_id}/ledger"))
        assert now["state"]["order"]["ord_1"]["status"] == f"status {run_id}"
        first = org.ok(org.get(f"/api/runs/{run_id}/ledger", params={"at": 0}))
        assert first["state"]["order"] == WORLD["order"]
    org.ok(
        org.post(
            f"/api/worlds/{world['id']}/try",
            {"agent_id": agent["id"], "tool": "list_orders", "arguments": {}},
        )
    )
    assert booted == [2]


def test_orgs_do_not_share_a_ledger(
    org: Org, other_org: Org, agent_server: StartAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted = boots(monkeypatch)
    for one in (org, other_org, org):
        world = new_world(one, initial_state={"order": {}, "secret": {"same": {"in": "both"}}})
        agent = one.agent(agent_server(lambda d: final(str(d.call("list_orders").json()))).url)
        run = one.run(agent, world_id=world["id"])
        assert one.ok(one.get(f"/api/runs/{run['id']}/ledger"))["state"] == {
            "secret": {"same": {"in": "both"}}
        }
    assert booted == [2, 2]
