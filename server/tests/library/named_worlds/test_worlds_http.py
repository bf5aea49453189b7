"""Named worlds from the outside: kept, changed, listed, deleted."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.hostile import STRINGS
from support.platform import WORLD, Org
from support.worlds import errors, new_world, read_world

from odyssey.journal.models import Content
from odyssey.records.canonical import canonical_json, content_hash

StartAgent = Callable[[Behaviour], ScriptedAgent]

RULES = [{"tool": "delete_order", "error": {"code": "down", "message": "Try later."}}]


def contents_of(org: Org) -> int:
    org_id = org.ok(org.get("/api/org"))["id"]

    async def count() -> int:
        async with org.platform.database.read() as session:
            statement = select(func.count()).select_from(Content).where(Content.org_id == org_id)
            return await session.scalar(statement) or 0

    return org.platform.do(count())


def test_a_world_is_given_back_as_it_was_sent(org: Org) -> None:
    made = new_world(org, behavior_instructions="Ask a manager.", failure_rules=RULES)
    assert made == read_world(org, made)
    assert made["initial_state"] == WORLD
    assert (made["behavior_instructions"], made["failure_rules"]) == ("Ask a manager.", RULES)
    assert made["hash"] == content_hash(WORLD)
    assert made["bytes"] == len(canonical_json(WORLD))
    assert (made["entity_counts"], made["rules"], made["fidelity"]) == ({"order": 2}, 1, None)


def test_a_name_is_enough(org: Org) -> None:
    made = org.ok(org.post("/api/worlds", {"name": "empty"}))
    assert (made["initial_state"], made["behavior_instructions"], made["failure_rules"]) == ({}, "", [])
    assert (made["entity_counts"], made["rules"]) == ({}, 0)


def test_a_change_keeps_what_is_not_given(org: Org) -> None:
    made = new_world(org, behavior_instructions="Ask.", failure_rules=RULES)
    path = f"/api/worlds/{made['id']}"
    renamed = org.ok(org.put(path, {"name": "renamed"}))
    assert renamed == made | {"name": "renamed", "updated_at": renamed["updated_at"]}
    assert renamed["updated_at"] > made["updated_at"]
    calmer = org.ok(org.put(path, {"failure_rules": [], "behavior_instructions": None}))
    assert (calmer["rules"], calmer["behavior_instructions"]) == (0, "Ask.")
    emptied = org.ok(org.put(path, {"initial_state": {}}))
    assert (emptied["entity_counts"], emptied["name"]) == ({}, "renamed")
    assert org.ok(org.put(path, {})) == emptied == read_world(org, made)


@pytest.mark.both_databases
def test_every_change_is_in_the_audit_log_and_nothing_else(org: Org) -> None:
    made = new_world(org)
    path = f"/api/worlds/{made['id']}"
    org.ok(org.put(path, {"name": made["name"]}))
    org.ok(org.put(path, {"name": "renamed"}))
    org.ok(org.client.delete(path))
    log = [entry for entry in org.ok(org.get("/api/audit-log"))["items"] if entry["object_type"] == "world"]
    assert [entry["action"] for entry in log] == ["world.delete", "world.change", "world.create"]


@pytest.mark.both_databases
def test_equal_contents_are_stored_once(org: Org) -> None:
    before = contents_of(org)
    reordered = {"order": dict(reversed(WORLD["order"].items()))}
    worlds = [new_world(org, name=str(n)) for n in range(3)] + [new_world(org, initial_state=reordered)]
    assert len({world["hash"] for world in worlds}) == 1
    assert contents_of(org) == before + 2  # the state, and how the world behaves


@pytest.mark.both_databases
def test_worlds_are_listed_newest_first_and_found_by_name(org: Org) -> None:
    made = [new_world(org, name=name) for name in ("Bakery", "bank 100%", "Shop", "shop floor")]
    page = org.ok(org.get("/api/worlds", params={"limit": 3}))
    assert [world["name"] for world in page["items"]] == ["shop floor", "Shop", "bank 100%"]
    rest = org.ok(org.get("/api/worlds", params={"cursor": page["next_cursor"]}))
    assert [world["name"] for world in rest["items"]] == ["Bakery"]
    assert rest["next_cursor"] is None
    assert "initial_state" not in page["items"][0]
    for q, names in (
        ("SHOP", ["shop floor", "Shop"]),
        ("%", ["bank 100%"]),
        ("_", []),
        ("ba", ["bank 100%", "Bakery"]),
    ):
        found = org.ok(org.get("/api/worlds", params={"q": q}))["items"]
        assert [world["name"] for world in found] == names
    org.ok(org.client.delete(f"/api/worlds/{made[2]['id']}"))
    assert len(org.ok(org.get("/api/worlds"))["items"]) == 3


def test_a_deleted_world_is_gone(org: Org) -> None:
    path = f"/api/worlds/{new_world(org)['id']}"
    assert org.client.delete(path).status_code == 204
    for answer in (
        org.get(path),
        org.put(path, {"name": "x"}),
        org.client.delete(path),
        org.get(f"{path}/entities"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_hostile_words_stay_words(org: Org) -> None:
    state = {word[:256]: {word: {word: word, "list": [word]}} for word in STRINGS}
    for word in STRINGS:
        assert new_world(org, name=word[:255])["name"] == word[:255]
    made = new_world(org, initial_state=state, behavior_instructions="\n".join(STRINGS))
    assert made["initial_state"] == state
    assert made["behavior_instructions"] == "\n".join(STRINGS)
    for word in STRINGS[:10]:
        found = org.ok(
            org.get(f"/api/worlds/{made['id']}/entities", params={"q": word[:200], "type": word[:256]})
        )
        assert [(item["id"], item["fields"]) for item in found["items"]] == [(word, state[word[:256]][word])]


def test_numbers_keep_their_value_and_nul_survives(org: Org) -> None:
    state = {"thing": {"a\x00": {"big": 2**63 - 1, "small": 1e-9, "half": 0.5, "none": None, "\x00": "\x00"}}}
    assert new_world(org, initial_state=state)["initial_state"] == state


@pytest.mark.parametrize("members", [{}, {"initial_state": {"order": {"1": []}}, "failure_rules": [{}]}])
def test_everything_wrong_is_said_at_once(org: Org, members: dict[str, Any]) -> None:
    answer = org.post("/api/worlds", {"name": 5, **members})
    assert answer.status_code == 422
    both = org.post("/api/worlds", {"name": "x", "initial_state": {"a": {"1": 5}}, "failure_rules": [{}]})
    places = [loc for loc, _ in errors(both)]
    assert ["initial_state", "a", "1"] in places
    assert ["failure_rules", 0, "response"] in places


def test_the_same_request_twice_makes_one_world(org: Org) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    body = {"name": "once", "initial_state": WORLD}
    first, second = (org.post("/api/worlds", body, headers=key) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert len(org.ok(org.get("/api/worlds"))["items"]) == 1
    other = org.post("/api/worlds", body | {"name": "twice"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


@pytest.mark.both_databases
def test_changes_at_the_same_time_leave_one_whole_world(org: Org) -> None:
    made = new_world(org)
    ready = threading.Barrier(4)

    def change(number: int) -> None:
        ready.wait(30)
        state = {"order": {f"only {number}": {"n": number}}}
        org.ok(
            org.put(
                f"/api/worlds/{made['id']}", {"initial_state": state, "behavior_instructions": str(number)}
            )
        )

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(change, range(4)))
    left = read_world(org, made)
    number = left["behavior_instructions"]
    assert left["initial_state"] == {"order": {f"only {number}": {"n": int(number)}}}
    assert left["hash"] == content_hash(left["initial_state"])


@pytest.mark.both_databases
def test_deleting_a_world_never_breaks_its_runs(org: Org, agent_server: StartAgent) -> None:
    answers: list[Any] = []

    def behave(d: Dispatched) -> Any:
        answers.append(d.call("delete_order", {"order_id": "ord_1"}).json())
        return final()

    agent = org.agent(agent_server(behave).url)
    world = new_world(org, behavior_instructions="Ask.", failure_rules=RULES)
    (run_id,) = org.start(agent, {"user_instruction": "x", "world_id": world["id"]})
    org.ok(org.put(f"/api/worlds/{world['id']}", {"initial_state": {}, "failure_rules": []}))
    org.ok(org.client.delete(f"/api/worlds/{world['id']}"))
    run = org.wait(run_id)
    assert run["status"] == "completed"
    assert answers[0]["matched_rule_index"] == 0
    seed = run["odyssey_seed"]
    assert (seed["world_id"], seed["initial_state"], seed["failure_rules"]) == (world["id"], WORLD, RULES)
    assert org.ok(org.get(f"/api/runs/{run_id}/ledger"))["state"] == WORLD
