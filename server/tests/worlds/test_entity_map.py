"""The persistent map against a plain dict, and the promise that a change costs the same in a large map."""

import tracemalloc
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from odyssey.worlds.entity_map import EntityMap, entity_map

KEYS = st.integers(0, 12).map(str)
CHANGES = st.lists(st.tuples(st.sampled_from(["set", "remove"]), KEYS, st.integers()), max_size=80)


@given(CHANGES)
def test_it_is_a_dict_that_keeps_its_past(changes: list[tuple[str, str, int]]) -> None:
    plain: dict[str, dict[str, int]] = {}
    persistent = entity_map({})
    past: list[tuple[EntityMap, dict[str, dict[str, int]]]] = []
    for change, key, value in changes:
        past.append((persistent, dict(plain)))
        if change == "set":
            plain[key] = {"value": value}
            persistent = persistent.with_entity(key, {"value": value})
        elif key in plain:
            del plain[key]
            persistent = persistent.without_entity(key)
    for then, expected in [*past, (persistent, plain)]:
        assert list(then.items()) == list(expected.items())
        assert len(then) == len(expected)
        assert all((str(number) in then) == (str(number) in expected) for number in range(13))


def allocated(change: Callable[[], object]) -> int:
    """Count the bytes one change takes: the nodes it copies."""
    change()
    tracemalloc.start()
    try:
        kept = change()
        size, _ = tracemalloc.get_traced_memory()
        assert kept is not None
        return size
    finally:
        tracemalloc.stop()


def test_a_change_copies_a_few_nodes_whatever_the_size() -> None:
    small = entity_map({str(number): {} for number in range(100)})
    large = entity_map({str(number): {} for number in range(100_000)})
    fields = {"value": 1}
    for change in (
        lambda entities: entities.with_entity("50", fields),
        lambda entities: entities.with_entity("new", fields),
        lambda entities: entities.without_entity("50"),
    ):
        few = allocated(lambda change=change: change(small))  # type: ignore[misc] # the loop variable is bound on purpose
        many = allocated(lambda change=change: change(large))  # type: ignore[misc] # as above
        assert many < 4 * few
        assert many < 10_000
