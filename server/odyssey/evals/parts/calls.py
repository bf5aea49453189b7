"""How much two runs differ in the calls they made: which tools, in which order, on which arguments.

The calls are laid side by side in their order. The same call on the same arguments counts 1; the same tool on others
counts `SAME_TOOL` and the rest by what the arguments share; another tool counts nothing. The distance is 1 − 2 · what
was found in both / the calls of both.
"""

from typing import NamedTuple

from odyssey.evals.behaviour import Call
from odyssey.evals.parts.alignment import best_pairs, best_total
from odyssey.evals.parts.differs import Differs
from odyssey.evals.parts.json_overlap import overlap_distance
from odyssey.records.canonical import canonical_json

SAME_TOOL = 0.25

Known = dict[tuple["KeyedCall", "KeyedCall"], float]
"""Similarities found already: the runs of one scenario repeat their calls."""


class KeyedCall(NamedTuple):
    """A call as it is looked up: by tool and canonical arguments."""

    tool: str
    arguments: bytes


class ReadCalls(NamedTuple):
    calls: tuple[Call, ...]
    keys: tuple[KeyedCall, ...]


def read_calls(calls: tuple[Call, ...]) -> ReadCalls:
    return ReadCalls(calls, tuple(KeyedCall(call.tool, canonical_json(call.arguments)) for call in calls))


def calls_distance(left: ReadCalls, right: ReadCalls, known: Known) -> float:
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


def first_call_difference(left: ReadCalls, right: ReadCalls) -> Differs | None:
    """Name the first call that the other run did not make there."""
    start = _alike(left.keys, right.keys)
    if start == len(left.keys) == len(right.keys):
        return None
    pairs = best_pairs(*_similarities(_middle(left, start, 0), _middle(right, start, 0), {}))
    ours, theirs = (start + place for place in pairs[0]) if pairs else (len(left.keys), len(right.keys))
    if start < ours and start < theirs:
        return Differs(f"call {start + 1}", _shown(left.calls[start]), _shown(right.calls[start]))
    if start < ours:
        return Differs(f"call {start + 1}", _shown(left.calls[start]), None)
    if start < theirs:
        return Differs(f"call {start + 1}", None, _shown(right.calls[start]))
    return Differs(f"arguments of call {start + 1}", _shown(left.calls[start]), _shown(right.calls[start]))


def _similarities(left: ReadCalls, right: ReadCalls, known: Known) -> tuple[list[list[float]], int]:
    table = [
        [
            _similarity(one, key, other, other_key, known)
            for other, other_key in zip(right.calls, right.keys, strict=True)
        ]
        for one, key in zip(left.calls, left.keys, strict=True)
    ]
    return table, len(right.calls)


def _similarity(left: Call, key: KeyedCall, right: Call, other_key: KeyedCall, known: Known) -> float:
    if key == other_key:
        return 1.0
    if left.tool != right.tool:
        return 0.0
    pair = (key, other_key) if key < other_key else (other_key, key)
    if pair not in known:
        shared = 1 - overlap_distance(left.arguments, right.arguments)
        known[pair] = SAME_TOOL + (1 - SAME_TOOL) * shared
    return known[pair]


def _alike(left: tuple[KeyedCall, ...], right: tuple[KeyedCall, ...]) -> int:
    same = 0
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            break
        same += 1
    return same


def _middle(read: ReadCalls, start: int, end: int) -> ReadCalls:
    stop = len(read.calls) - end
    return ReadCalls(read.calls[start:stop], read.keys[start:stop])


def _shown(call: Call) -> dict[str, object]:
    return {"tool": call.tool, "arguments": call.arguments}
