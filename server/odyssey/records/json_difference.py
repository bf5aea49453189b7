"""Where two JSON values differ, place by place."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

ABSENT: Any = object()
"""Stands for the value of a place that only the other side has."""


class JsonDifference(NamedTuple):
    path: tuple[str | int, ...]
    """Names of members and places in lists, from the outside in."""
    before: Any
    after: Any


def json_differences(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> Iterator[JsonDifference]:
    """Give the outermost places that differ, in the order of the first value and then what only the second has.

    Items of lists are compared place by place: `{"a": [1, 2]}` and `{"a": [3]}` differ at `("a", 0)` by 1 and 3, and at
    `("a", 1)` by 2 and ABSENT.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for name in [*before, *(name for name in after if name not in before)]:
            yield from json_differences(before.get(name, ABSENT), after.get(name, ABSENT), (*path, name))
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        for place, (one, other) in enumerate(zip_longest(before, after, fillvalue=ABSENT)):
            yield from json_differences(one, other, (*path, place))
    elif before != after or isinstance(before, bool) is not isinstance(after, bool):
        yield JsonDifference(path, before, after)  # true is 1 in Python, and not in JSON
