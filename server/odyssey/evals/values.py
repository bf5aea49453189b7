"""How far apart two values are that ought to be the same: an amount, an address, a whole structured answer.

The worst member counts, not their mean: one wrong payee among ten right members is a wrong payee. Numbers have size,
prose of several words may agree in part, and lists are compared whatever their order.
"""

from typing import Any

from odyssey.evals.parts import words, words_distance

PROSE_WORDS = 6
_OTHER_NUMBER = 0.1
"""Two numbers that differ are at least so far apart, however near they are."""
_PROSE = 0.2
"""Other words altogether count so much where the text is prose."""
MOST_PAIRS = 10_000
"""Longer lists are compared place by place."""

_ABSENT = object()


def value_distance(left: Any, right: Any) -> float:
    """Compare two JSON values: 0 the same, 1 something else."""
    # 50 and 52 are 0.1 + 0.9 · 2/52 = 0.13 apart, 50 and 500 are 0.91 apart, 50 and -50 are 1 apart.
    # {"to": "ada", "amount": 50} and {"to": "bob", "amount": 50} are 1 apart: the worst member counts.
    if isinstance(left, dict) and isinstance(right, dict):
        return max(
            (
                _member_distance(left.get(name, _ABSENT), right.get(name, _ABSENT))
                for name in {**left, **right}
            ),
            default=0.0,
        )
    if isinstance(left, list) and isinstance(right, list):
        return _list_distance(left, right)
    if _is_number(left) and _is_number(right):
        return number_distance(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return _string_distance(left, right)
    return 0.0 if type(left) is type(right) and left == right else 1.0


def number_distance(left: float, right: float) -> float:
    if left == right:
        return 0.0
    if (left < 0) != (right < 0) and left != 0 and right != 0:
        return 1.0
    return _OTHER_NUMBER + (1 - _OTHER_NUMBER) * min(1.0, abs(left - right) / max(abs(left), abs(right)))


def _member_distance(left: Any, right: Any) -> float:
    """Compare a member that one side may lack: an empty one says as much as none, and prose adds little."""
    if left is _ABSENT or right is _ABSENT:
        there = right if left is _ABSENT else left
        if there is None or there in ("", [], {}):
            return 0.0
        return _PROSE if isinstance(there, str) and len(words(there)) >= PROSE_WORDS else 1.0
    return value_distance(left, right)


def _list_distance(left: list[Any], right: list[Any]) -> float:
    """Pair what is nearest; an item without a partner is wholly different."""
    if len(left) != len(right):
        return 1.0
    if len(left) * len(right) > MOST_PAIRS:
        return max((value_distance(one, other) for one, other in zip(left, right, strict=True)), default=0.0)
    worst = 0.0
    for _, _, apart in nearest_pairs([[value_distance(one, other) for other in right] for one in left]):
        worst = max(worst, apart)
    return worst


def nearest_pairs(distances: list[list[float]]) -> list[tuple[int, int, float]]:
    """Pair rows with columns, always the nearest that are left; of equals the first."""
    order = sorted(
        (apart, row, column) for row, line in enumerate(distances) for column, apart in enumerate(line)
    )
    rows: set[int] = set()
    columns: set[int] = set()
    pairs = []
    for apart, row, column in order:
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            pairs.append((row, column, apart))
    return pairs


def _string_distance(left: str, right: str) -> float:
    if left == right:
        return 0.0
    ours, theirs = words(left), words(right)
    if min(len(ours), len(theirs)) >= PROSE_WORDS:
        return _PROSE * words_distance(ours, theirs, left, right)
    return 0.0 if ours and ours == theirs else 1.0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
