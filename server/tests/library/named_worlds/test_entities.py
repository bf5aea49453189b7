"""Leafing through the entities of a world, also when there are a hundred thousand."""

import base64
from typing import Any

import pytest
from support.platform import WORLD, Org
from support.worlds import edit_world, new_world

LIBRARY: dict[str, Any] = {
    "book": {
        "b1": {"title": "Sea of Ice", "year": 1999, "lent": True, "tags": ["Cold", {"shelf": "Nord"}]},
        "b2": {"title": "ÄRGER im Süden", "year": 2001, "lent": False, "tags": []},
        "b10": {"title": "Straße", "price": 12.5, "note": None},
    },
    "reader": {"r1": {"name": "Ada", "b1": "x"}},
}


def entities(org: Org, world: dict[str, Any], **query: Any) -> dict[str, Any]:
    page: dict[str, Any] = org.ok(org.get(f"/api/worlds/{world['id']}/entities", params=query))
    return page


def ids(page: dict[str, Any]) -> list[str]:
    return [item["id"] for item in page["items"]]


def test_they_come_by_type_and_id_with_their_fields(org: Org) -> None:
    page = entities(org, new_world(org, initial_state=LIBRARY))
    assert [(item["entity_type"], item["id"]) for item in page["items"]] == [
        ("book", "b1"),
        ("book", "b10"),
        ("book", "b2"),
        ("reader", "r1"),
    ]
    assert page["items"][0]["fields"] == LIBRARY["book"]["b1"]
    assert (page["total"], page["next_cursor"]) == (4, None)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"type": "reader"}, ["r1"]),
        ({"type": "nothing"}, []),
        ({"q": "B1"}, ["b1", "b10"]),
        ({"q": "sea OF"}, ["b1"]),
        ({"q": "ärger"}, ["b2"]),
        ({"q": "STRASSE"}, ["b10"]),
        ({"q": "nord"}, ["b1"]),
        ({"q": "1999"}, ["b1"]),
        ({"q": "12.5"}, ["b10"]),
        ({"q": "true"}, ["b1"]),
        ({"q": "null"}, ["b10"]),
        ({"q": "shelf"}, []),
        ({"q": "Iceb"}, []),
        ({"q": "cold", "type": "reader"}, []),
        ({"q": "%"}, []),
    ],
)
def test_they_are_found_by_id_or_value_but_not_by_the_name_of_a_field(
    org: Org, query: dict[str, str], found: list[str]
) -> None:
    page = entities(org, new_world(org, initial_state=LIBRARY), **query)
    assert ids(page) == found
    assert page["total"] == len(found)


def test_pages_follow_each_other_and_end(org: Org) -> None:
    world = new_world(org, initial_state={kind: {f"{n:02}": {"n": n} for n in range(7)} for kind in "ab"})
    for query in ({}, {"q": "0"}):
        seen: list[str] = []
        cursor = None
        for _ in range(10):
            page = entities(org, world, limit=3, **query, **({"cursor": cursor} if cursor else {}))
            assert page["total"] == 14
            seen += [f"{item['entity_type']}{item['id']}" for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == [f"{kind}{n:02}" for kind in "ab" for n in range(7)]


def test_an_edit_is_seen_at_once(org: Org) -> None:
    world = new_world(org)
    assert ids(entities(org, world)) == ["ord_1", "ord_2"]
    operation = {"op": "add", "entity_type": "order", "id": "ord_0", "fields": {}}
    org.ok(edit_world(org, world, operation))
    assert ids(entities(org, world)) == ["ord_0", "ord_1", "ord_2"]


def test_a_page_of_large_entities_ends_early(org: Org) -> None:
    state = {"blob": {f"b{n}": {"text": "x" * 3_000_000} for n in range(4)}}
    world = new_world(org, initial_state=state)
    first = entities(org, world)
    assert (ids(first), first["total"]) == (["b0"], 4)
    second = entities(org, world, cursor=first["next_cursor"])
    assert ids(second) == ["b1"]


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_many_entities_are_leafed_through_in_bounded_pages(org: Org, count: int) -> None:
    state = {"item": {f"i{n:06}": {"item_id": f"i{n:06}", "name": f"Name {n}"} for n in range(count)}}
    world = new_world(org, initial_state=state)
    assert world["entity_counts"] == {"item": count}
    cursor = base64.urlsafe_b64encode(f"k{count - 100}".encode()).decode().rstrip("=")
    last = entities(org, world, limit=200, cursor=cursor)
    middle = entities(org, world, limit=200, q="name 5000")
    assert (len(last["items"]), last["next_cursor"], last["total"]) == (100, None, count)
    named = [f"i{n:06}" for n in range(count) if "name 5000" in f"name {n}"]
    assert [item["id"] for item in middle["items"]] == named


def test_two_orgs_with_equal_worlds_share_nothing(org: Org, other_org: Org) -> None:
    mine, theirs = new_world(org), new_world(other_org)
    assert mine["hash"] == theirs["hash"]
    assert ids(entities(org, mine)) == ids(entities(other_org, theirs)) == list(WORLD["order"])
    assert other_org.get(f"/api/worlds/{mine['id']}/entities").status_code == 404
