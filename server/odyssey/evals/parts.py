"""The parts of the distance between two behaviours, each from 0 to 1 and each pure."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel

from odyssey.evals.behaviour import BehaviourCall
from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Difference
from odyssey.worlds.ledger import json_equal

# Where two behaviours first part ways.


class FirstDifference(NamedTuple):
    where: str
    """A path, a call, a word: in the words of the part it belongs to."""
    left: Any
    """None also where there is nothing on this side."""
    right: Any


# Laying two sequences side by side without changing their order, so that as much as possible agrees.

Similarities = Sequence[Sequence[float]]
"""How alike item i of the left and item j of the right are; 0 and above."""


def best_total(similarities: Similarities, width: int) -> float:
    """Give the largest sum of similarities of pairs that do not cross; `width` is the length of the right."""
    # [[0, 0.7, 0],    Pairing 0 with 1 (0.7) and 1 with 0 (1) would cross, so only one of the two may be had.
    #  [1, 0,   0],    The best is 1 with 0 and 2 with 2, together 1.5. `above[column]` is the best of the rows so
    #  [0, 0, 0.5]]    far with the first `column` items of the right: one row of the table is enough for the sum.
    above = [0.0] * (width + 1)
    for row in similarities:
        current = [0.0]
        for column, alike in enumerate(row):
            current.append(max(above[column + 1], current[column], above[column] + alike))
        above = current
    return above[width]


def best_pairs(similarities: Similarities, width: int) -> list[tuple[int, int]]:
    """Give the pairs of such an alignment, in order; pairs that have nothing in common are left out."""
    table = [[0.0] * (width + 1)]
    for row in similarities:
        above, current = table[-1], [0.0]
        for column, alike in enumerate(row):
            current.append(max(above[column + 1], current[column], above[column] + alike))
        table.append(current)
    pairs: list[tuple[int, int]] = []
    # Back from the corner: where the total is the same without a row or a column, that one belongs to no pair.
    left, right = len(similarities), width
    while left and right:
        if table[left][right] == table[left - 1][right]:
            left -= 1
        elif table[left][right] == table[left][right - 1]:
            right -= 1
        else:
            left, right = left - 1, right - 1
            pairs.append((left, right))
    return pairs[::-1]


# How much two texts differ, by words: how many must go and come to make one of the other.
#
# Case, punctuation and layout do not count. Texts without words are compared by characters.

# Scripts written without spaces count by character; elsewhere a word is a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+")
_CONTEXT = 5


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def text_distance(left: str, right: str) -> float:
    return words_distance(words(left), words(right), left, right)


def words_distance(left_words: list[str], right_words: list[str], left: str, right: str) -> float:
    """Compare texts whose words are known already."""
    if left_words or right_words:
        return float(Indel.normalized_distance(left_words, right_words))
    return float(Indel.normalized_distance(left.strip(), right.strip()))


def first_text_difference(left: str, right: str) -> FirstDifference | None:
    """Name the first word that differs and show it with the words that follow."""
    ours, theirs = words(left), words(right)
    if ours == theirs:
        return None if ours or left.strip() == right.strip() else FirstDifference("text", left, right)
    position = next(
        (index for index, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return FirstDifference(f"word {position + 1}", _from(ours, position), _from(theirs, position))


def _from(said: list[str], position: int) -> str | None:
    return " ".join(said[position : position + _CONTEXT]) or None


# How much of two JSON values is the same, counted in leaves: scalars and empty containers.
#
# Members are compared by name. Items of lists are laid side by side in their order, so an item put in front
# costs one item and not all that follow. Two texts of several words are prose and may agree in part; every
# other leaf is the same or not: of two amounts, near is not the same.

PROSE_WORDS = 6
MOST_COMPARISONS = 40_000
"""Lists with more pairs of leaves than this are compared place by place."""


def overlap_distance(left: Any, right: Any) -> float:
    """Give 1 − 2 · what is shared / what there is on both sides."""
    # {"a": 1, "b": 2} and {"a": 1, "b": 3} share one leaf of two and two: 1 − 2 · 1 / 4 = 0.5.
    # [1, 2, 3] and [0, 1, 2, 3] share three of three and four: 1 − 2 · 3 / 7 = 1/7; place by place it would be 1.
    if json_equal(left, right):
        return 0.0
    return min(1.0, max(0.0, 1 - 2 * _shared(left, right) / (_leaves(left) + _leaves(right))))


def first_json_difference(left: Any, right: Any, path: str = "$") -> FirstDifference | None:
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
        return FirstDifference(path, left, right)
    found = (first_json_difference(ours, theirs, where) for where, ours, theirs in steps)
    # A member that is null on one side and absent on the other is told by the whole.
    return next((differs for differs in found if differs is not None), FirstDifference(path, left, right))


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


# How much two structured answers differ.


def structured_distance(left: dict[str, Any] | None, right: dict[str, Any] | None) -> float:
    """An answer without a structure has nothing in common with one that has it."""
    if left is None or right is None:
        return 0.0 if left is right else 1.0
    return overlap_distance(left, right)


def first_structured_difference(
    left: dict[str, Any] | None, right: dict[str, Any] | None
) -> FirstDifference | None:
    return first_json_difference(left, right)


# How much two runs differ in what they changed: entities, by what they became, and flags.
#
# Changed and removed entities are compared by their ids. Added ones often have ids made up during the run:
# they are compared by everything but the id, whatever the order in which they came.


def as_tree(difference: Difference | None) -> dict[str, Any]:
    """Write a difference as JSON whose leaves are what changed; empty if nothing did."""
    tree: dict[str, Any] = {}
    if difference is None:
        return tree
    for change in difference.changes:
        of_type = tree.setdefault(change.kind, {})
        after = change.after or {}
        if change.kind == "added":
            without_id = {name: value for name, value in after.items() if value != change.id}
            of_type.setdefault(change.entity_type, []).append(without_id)
        elif change.kind == "changed":
            fields = {name: after.get(name) for name in change.fields}
            of_type.setdefault(change.entity_type, {})[change.id] = fields
        else:
            of_type.setdefault(change.entity_type, {})[change.id] = True
    for entities in tree.get("added", {}).values():
        entities.sort(key=canonical_json)
    for name, flags in (("flags_set", difference.flags_set), ("flags_cleared", difference.flags_cleared)):
        if flags:
            tree[name] = dict.fromkeys(flags, True)
    return tree


def ledger_distance(left: dict[str, Any], right: dict[str, Any]) -> float:
    """Compare two trees; one in which nothing changed has nothing in common with one in which something did."""
    return overlap_distance(left, right)


def first_ledger_difference(left: dict[str, Any], right: dict[str, Any]) -> FirstDifference | None:
    return first_json_difference(left, right, "ledger")


# How much two runs differ in the calls they made: which tools, in which order, on which arguments.
#
# The calls are laid side by side in their order. The same call on the same arguments counts 1; the same tool
# on others counts `SAME_TOOL` and the rest by what the arguments share; another tool counts nothing. The
# distance is 1 − 2 · what was found in both / the calls of both.

SAME_TOOL = 0.25

CallKey = tuple[str, bytes]
"""A call as it is looked up: by tool and canonical arguments."""

Known = dict[tuple[CallKey, CallKey], float]
"""Similarities found already: the runs of one scenario repeat their calls."""


class ReadCalls(NamedTuple):
    calls: tuple[BehaviourCall, ...]
    keys: tuple[CallKey, ...]


def read_calls(calls: tuple[BehaviourCall, ...]) -> ReadCalls:
    return ReadCalls(calls, tuple((call.tool, canonical_json(call.arguments)) for call in calls))


def calls_distance(left: ReadCalls, right: ReadCalls, known: Known) -> float:
    """Compare what two runs called."""
    # get(id 1), refund(id 1, sum 5), close(id 1) beside get(id 1), refund(id 1, sum 9), note(), close(id 1):
    # get and close count 1 each; the refunds share half of their arguments, 0.25 + 0.75 · 0.5 = 0.625; the note has no
    # partner. 2.625 was found in both of 3 + 4 calls: 1 − 2 · 2.625 / 7 = 0.25.
    total = len(left.calls) + len(right.calls)
    if total == 0:
        return 0.0
    start = _alike(left.keys, right.keys)
    end = _alike(left.keys[start:][::-1], right.keys[start:][::-1])
    # What begins or ends alike belongs together in some best alignment: only the middle has to be searched.
    found = (
        start + end + best_total(*_similarities(_middle(left, start, end), _middle(right, start, end), known))
    )
    return max(0.0, 1 - 2 * found / total)


def first_call_difference(left: ReadCalls, right: ReadCalls) -> FirstDifference | None:
    """Name the first call that the other run did not make there."""
    start = _alike(left.keys, right.keys)
    if start == len(left.keys) == len(right.keys):
        return None
    pairs = best_pairs(*_similarities(_middle(left, start, 0), _middle(right, start, 0), {}))
    ours, theirs = (start + place for place in pairs[0]) if pairs else (len(left.keys), len(right.keys))
    if start < ours and start < theirs:
        return FirstDifference(f"call {start + 1}", _shown(left.calls[start]), _shown(right.calls[start]))
    if start < ours:
        return FirstDifference(f"call {start + 1}", _shown(left.calls[start]), None)
    if start < theirs:
        return FirstDifference(f"call {start + 1}", None, _shown(right.calls[start]))
    return FirstDifference(
        f"arguments of call {start + 1}", _shown(left.calls[start]), _shown(right.calls[start])
    )


def _similarities(left: ReadCalls, right: ReadCalls, known: Known) -> tuple[list[list[float]], int]:
    table = [
        [
            _similarity(one, key, other, other_key, known)
            for other, other_key in zip(right.calls, right.keys, strict=True)
        ]
        for one, key in zip(left.calls, left.keys, strict=True)
    ]
    return table, len(right.calls)


def _similarity(
    left: BehaviourCall, key: CallKey, right: BehaviourCall, other_key: CallKey, known: Known
) -> float:
    if key == other_key:
        return 1.0
    if left.tool != right.tool:
        return 0.0
    # One entry for both directions: every pair of runs is compared once, but its calls come in either order.
    pair = (key, other_key) if key < other_key else (other_key, key)
    if pair not in known:
        shared = 1 - overlap_distance(left.arguments, right.arguments)
        known[pair] = SAME_TOOL + (1 - SAME_TOOL) * shared
    return known[pair]


def _alike(left: tuple[CallKey, ...], right: tuple[CallKey, ...]) -> int:
    same = 0
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            break
        same += 1
    return same


def _middle(read: ReadCalls, start: int, end: int) -> ReadCalls:
    stop = len(read.calls) - end
    return ReadCalls(read.calls[start:stop], read.keys[start:stop])


def _shown(call: BehaviourCall) -> dict[str, object]:
    return {"tool": call.tool, "arguments": call.arguments}
