"""The indexes of a world against a plain scan, through any changes, and what they must not cost."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.canonical import canonical_json
from odyssey.worlds.entity_map import EntityMap, entity_map
from odyssey.worlds.field_index import Path, PathStep, values_at

FIELDS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "size": st.sampled_from([1, 1.0, 2, "1", True, None]),
        "place": st.fixed_dictionaries({"hall": st.sampled_from(["A", "a", "B"])}),
        "parts": st.lists(st.fixed_dictionaries({"part_id": st.sampled_from(["x", "y"])}), max_size=2),
        "days": st.dictionaries(st.sampled_from(["mon", "tue"]), st.just({}), max_size=2),
    },
)
CHANGES = st.lists(st.tuples(st.integers(0, 5).map(str), st.none() | FIELDS), max_size=20)
PATHS: list[Path] = [
    ("size",),
    ("place", "hall"),
    ("place", "hall", PathStep.FOLDED),
    ("parts", PathStep.EACH, "part_id"),
    ("days", PathStep.KEY),
]
VALUES: list[Any] = [1, "1", True, None, "A", "a", "x", "mon"]


def change(entities: EntityMap, entity_id: str, fields: dict[str, Any] | None) -> EntityMap:
    if fields is not None:
        return entities.with_entity(entity_id, fields)
    return entities.without_entity(entity_id) if entity_id in entities else entities


def scan(entities: EntityMap, path: Path, value: Any) -> list[str]:
    def fold(each: Any) -> bytes:
        return canonical_json(
            each.casefold() if path[-1] is PathStep.FOLDED and isinstance(each, str) else each
        )

    return [
        entity_id
        for entity_id, fields in entities.items()
        if fold(value) in {fold(each) for each in values_at(fields, path)}
    ]


@given(early=CHANGES, late=CHANGES)
def test_they_find_what_a_scan_finds(early: Any, late: Any) -> None:
    entities = entity_map({})
    for each in early:
        entities = change(entities, *each)
    for path in PATHS:
        entities.having(path, None)  # built here, kept up from here on
    past = entities
    for each in late:
        entities = change(entities, *each)
    for world in (past, entities):
        for path in PATHS:
            for value in VALUES:
                assert world.having(path, value) == scan(world, path, value)
            seen = {canonical_json(v) for fields in world.values() for v in values_at(fields, path[:2])}
            if PathStep.FOLDED not in path and len(path) <= 2:
                assert {canonical_json(value) for value in world.vocabulary(path, 10)} == seen
        both = [(PATHS[0], 1), (PATHS[1], "A")]
        assert world.having_all(both) == [
            each for each in scan(world, *both[0]) if each in scan(world, *both[1])
        ]


def test_a_vocabulary_that_is_too_large_is_none() -> None:
    entities = entity_map({str(number): {"size": number, "hall": number % 3} for number in range(50)})
    assert entities.vocabulary(("size",), 49) == []
    assert entities.vocabulary(("hall",), 3) == [0, 1, 2]
    for number in range(50):
        entities = entities.with_entity(str(number), {"size": 7, "hall": number})
    assert entities.vocabulary(("size",), 1) == [7]
    assert entities.vocabulary(("hall",), 49) == []


def test_the_sample_is_the_same_object_until_the_oldest_change() -> None:
    entities = entity_map({str(number): {} for number in range(40)})
    sample = entities.sample()
    assert list(sample.entities) == [str(number) for number in range(32)]
    assert entities.with_entity("39", {"a": 1}).without_entity("38").sample() is sample
    changed = entities.with_entity("3", {"a": 1}).sample()
    assert changed is not sample
    assert changed.entities["3"] == {"a": 1}
    few = entity_map({"a": {}})
    few.sample()
    assert list(few.with_entity("b", {}).sample().entities) == ["a", "b"]
    assert list(reversed(few.with_entity("b", {}))) == ["b", "a"]


def test_a_look_up_touches_what_it_finds_and_not_the_rest() -> None:
    class Counting(dict[str, Any]):
        looks = 0

        def __contains__(self, key: object) -> bool:
            Counting.looks += 1
            return super().__contains__(key)

    entities = entity_map({str(number): Counting(size=number) for number in range(1000)})
    assert entities.having(("size",), 5) == ["5"]
    Counting.looks = 0
    for number in range(100):
        assert entities.having(("size",), number) == [str(number)]
    assert entities.with_entity("7", {"size": -1}).having(("size",), -1) == ["7"]
    assert Counting.looks <= 1
