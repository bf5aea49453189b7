"""Changing a world by operations: strictly, all or none, and only the world that was seen."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from support.platform import WORLD, Org
from support.worlds import edit_world, errors, new_world, read_world

from odyssey.records.canonical import content_hash

ADD = {"op": "add", "entity_type": "order", "id": "ord_3", "fields": {"status": "new"}}
UPDATE = {"op": "update", "entity_type": "order", "id": "ord_1", "fields": {"status": None, "note": "x"}}
REMOVE = {"op": "remove", "entity_type": "order", "id": "ord_2"}


def test_operations_are_applied_in_order(org: Org) -> None:
    world = new_world(org, behavior_instructions="Ask.")
    again = {"op": "update", "entity_type": "order", "id": "ord_3", "fields": {"total": 3}}
    edited = org.ok(edit_world(org, world, ADD, UPDATE, REMOVE, again))
    state = {
        "order": {
            "ord_1": WORLD["order"]["ord_1"] | {"status": None, "note": "x"},
            "ord_3": {"status": "new", "total": 3},
        }
    }
    left = read_world(org, world)
    assert left["initial_state"] == state
    assert left["behavior_instructions"] == "Ask."
    assert edited == {name: left[name] for name in edited}
    assert (left["hash"], left["entity_counts"]) == (content_hash(state), {"order": 2})


def test_a_world_goes_on_knowing_a_type_whose_last_entity_went(org: Org) -> None:
    world = new_world(org, initial_state={"order": {"1": {}}})
    edited = org.ok(edit_world(org, world, {"op": "remove", "entity_type": "order", "id": "1"}))
    assert edited["entity_counts"] == {"order": 0}


def test_the_hash_of_another_state_is_refused(org: Org) -> None:
    world = new_world(org)
    org.ok(edit_world(org, world, ADD))
    answer = edit_world(org, world, REMOVE)
    assert (answer.status_code, answer.json()["code"]) == (409, "world_changed")
    current = read_world(org, world)
    assert current["hash"] in answer.json()["detail"]
    org.ok(edit_world(org, current, REMOVE))


@pytest.mark.parametrize(
    ("operation", "place", "message"),
    [
        (ADD | {"id": "ord_1"}, [], "exists already"),
        (UPDATE | {"id": "ord_9"}, [], "does not exist"),
        (REMOVE | {"entity_type": "ordr"}, [], "does not exist"),
        ({"op": "set_flag", "flag": "x"}, ["op"], "flags belong to runs"),
        ({"op": "clear_flag", "flag": "x"}, ["op"], "flags belong to runs"),
        ({"op": "upsert"}, [], "op"),
        (ADD | {"id": 5}, [], "id"),
        (ADD | {"id": ""}, ["id"], "empty"),
        (ADD | {"entity_type": ""}, ["entity_type"], "1 to 256"),
        (ADD | {"entity_type": "x" * 257}, ["entity_type"], "1 to 256"),
        (ADD | {"fields": []}, [], "fields"),
        (ADD | {"field": {}}, [], "field"),
        (REMOVE | {"fields": {}}, [], "fields"),
        (5, [], "object"),
        (None, [], "object"),
    ],
)
def test_a_wrong_operation_is_named_and_nothing_is_applied(
    org: Org, operation: Any, place: list[str], message: str
) -> None:
    world = new_world(org)
    (fault,) = errors(edit_world(org, world, ADD, operation))
    assert fault[0] == ["operations", 1, *place]
    assert message in fault[1]
    assert read_world(org, world) == world


def test_every_contradiction_is_named(org: Org) -> None:
    answer = edit_world(org, new_world(org), REMOVE, REMOVE, ADD, ADD, UPDATE | {"id": "x" * 10_000})
    places = [loc for loc, _ in errors(answer)]
    assert places == [["operations", 1], ["operations", 3], ["operations", 4]]
    assert len(answer.content) < 3000


def test_of_many_faults_the_first_hundred_are_named(org: Org) -> None:
    answer = edit_world(org, new_world(org), *[REMOVE | {"op": "explode"}] * 300)
    assert [loc for loc, _ in errors(answer)] == [["operations", number] for number in range(100)]


def test_of_edits_at_the_same_time_one_is_done(org: Org) -> None:
    world = new_world(org)
    ready = threading.Barrier(6)

    def add(number: int) -> httpx.Response:
        ready.wait(30)
        return edit_world(org, world, ADD | {"id": f"new {number}"})

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(add, range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409, 409]
    assert read_world(org, world)["entity_counts"] == {"order": 3}


def test_a_repeated_edit_has_one_effect(org: Org) -> None:
    world = new_world(org)
    key = {"Idempotency-Key": str(uuid4())}
    first, second = (edit_world(org, world, ADD, headers=key) for _ in range(2))
    assert (first.status_code, first.content) == (200, second.content)
    assert read_world(org, world)["entity_counts"] == {"order": 3}


def test_a_world_cannot_grow_without_end(org: Org) -> None:
    world = new_world(org, initial_state={str(n): {} for n in range(1000)})
    (fault,) = errors(edit_world(org, world, ADD))
    assert fault[0] == ["initial_state"]
    assert "at most 1000" in fault[1]
