"""How much of two JSON values is the same, counted in leaves: scalars and empty containers.

Members are compared by name. Items of lists are laid side by side in their order, so an item put in front costs one
item and not all that follow. Two texts of several words are prose and may agree in part; every other leaf is the same
or not: of two amounts, near is not the same.
"""

from typing import Any

from odyssey.evals.parts.alignment import best_total
from odyssey.evals.parts.differs import Differs
from odyssey.evals.parts.text import words, words_distance
from odyssey.worlds.ledger import json_equal

PROSE_WORDS = 6
MOST_COMPARISONS = 40_000
"""Lists with more pairs of leaves than this are compared place by place."""


def overlap_distance(left: Any, right: Any) -> float:
    """Give 1 − 2 · what is shared / what there is on both sides."""
    if json_equal(left, right):
        return 0.0
    return min(1.0, max(0.0, 1 - 2 * _shared(left, right) / (_leaves(left) + _leaves(right))))


def first_json_difference(left: Any, right: Any, path: str = "$") -> Differs | None:
    """Find the first place, in the order of the left, where the values are not the same."""
    if json_equal(left, right):
        return None
    if isinstance(left, dict) and isinstance(right, dict):
        names = [*left, *(name for name in right if name not in left)]
        steps = [(f"{path}.{name}", left.get(name), right.get(name)) for name in names]
    elif isinstance(left, list) and isinstance(right, list) and left and right:
        longest = max(len(left), len(right))
        steps = [(f"{path}[{place}]", _item(left, place), _item(right, place)) for place in range(longest)]
    else:
        return Differs(path, left, right)
    found = (first_json_difference(ours, theirs, where) for where, ours, theirs in steps)
    # A member that is null on one side and absent on the other is told by the whole.
    return next((differs for differs in found if differs is not None), Differs(path, left, right))


def _leaves(value: Any) -> int:
    if isinstance(value, dict) and value:
        return sum(_leaves(member) for member in value.values())
    if isinstance(value, list) and value:
        return sum(_leaves(item) for item in value)
    return 1


def _shared(left: Any, right: Any) -> float:
    if isinstance(left, dict) and isinstance(right, dict) and left and right:
        return sum(_shared(member, right[name]) for name, member in left.items() if name in right)
    if isinstance(left, list) and isinstance(right, list) and left and right:
        return _shared_items(left, right)
    if _same_leaf(left, right):
        return 1.0
    if isinstance(left, str) and isinstance(right, str):
        return _shared_prose(left, right)
    return 0.0


def _same_leaf(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 and 1.0 are one number, and true is none."""
    alike = type(left) is type(right) or (_is_number(left) and _is_number(right))
    return bool(alike and left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shared_items(left: list[Any], right: list[Any]) -> float:
    if _leaves(left) * _leaves(right) > MOST_COMPARISONS:
        return sum(_shared(ours, theirs) for ours, theirs in zip(left, right, strict=False))
    return best_total([[_shared(ours, theirs) for theirs in right] for ours in left], len(right))


def _shared_prose(left: str, right: str) -> float:
    ours, theirs = words(left), words(right)
    if min(len(ours), len(theirs)) < PROSE_WORDS:
        return 0.0
    return 1 - words_distance(ours, theirs, left, right)


def _item(items: list[Any], place: int) -> Any:
    return items[place] if place < len(items) else None
