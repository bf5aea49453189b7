import pytest
from hypothesis import given
from support.behaviours import CALLS

from odyssey.evals.behaviour import BehaviourCall
from odyssey.evals.parts import _similarities, best_total, calls_distance, first_call_difference, read_calls

LOOK, BOOK, PAY = (
    BehaviourCall("look", {"id": 1}),
    BehaviourCall("book", {"id": 1, "seat": "4A"}),
    BehaviourCall("pay", {"amount": 30}),
)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((), (), 0),
        ((LOOK,), (), 1),
        ((LOOK,), (BOOK,), 1),
        ((LOOK, BOOK, PAY), (LOOK, BOOK), 1 - 4 / 5),
        ((LOOK, BOOK, PAY), (BOOK, PAY), 1 - 4 / 5),
        ((LOOK, BOOK), (BOOK, LOOK), 1 - 2 / 4),
        ((LOOK,), (BehaviourCall("look", {"id": 2}),), 1 - 0.25),
        ((BOOK,), (BehaviourCall("book", {"seat": "4B", "id": 1.0}),), 1 - (0.25 + 0.75 / 2)),
        ((BehaviourCall("end", None),), (BehaviourCall("end", None),), 0),
    ],
)
def test_what_calls_count(
    left: tuple[BehaviourCall, ...], right: tuple[BehaviourCall, ...], expected: float
) -> None:
    assert calls_distance(read_calls(left), read_calls(right), {}) == pytest.approx(expected)


@given(CALLS, CALLS)
def test_what_begins_and_ends_alike_is_matched_by_the_best_alignment(
    left: tuple[BehaviourCall, ...], right: tuple[BehaviourCall, ...]
) -> None:
    """The shortcut must not change the distance."""
    first, second = read_calls((*left[:2], *right)), read_calls((*left, *right[-2:]))
    total = len(first.calls) + len(second.calls)
    whole = 1 - 2 * best_total(*_similarities(first, second, {})) / total if total else 0
    assert calls_distance(first, second, {}) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("left", "right", "where"),
    [
        ((LOOK, BOOK), (LOOK, PAY), ("call 2", "book", "pay")),
        ((LOOK, BOOK, PAY), (LOOK, PAY), ("call 2", "book", None)),
        ((LOOK,), (LOOK, PAY), ("call 2", None, "pay")),
        ((LOOK, PAY), (BOOK, LOOK, PAY), ("call 1", None, "book")),
        ((LOOK,), (BehaviourCall("look", {"id": 2}),), ("arguments of call 1", "look", "look")),
    ],
)
def test_the_first_difference_is_the_call_the_other_did_not_make(
    left: tuple[BehaviourCall, ...],
    right: tuple[BehaviourCall, ...],
    where: tuple[str, str | None, str | None],
) -> None:
    found = first_call_difference(read_calls(left), read_calls(right))
    assert found is not None
    assert (found.where, *(side and side["tool"] for side in found[1:])) == where


def test_the_same_calls_do_not_differ() -> None:
    assert first_call_difference(read_calls((LOOK,)), read_calls((LOOK,))) is None
