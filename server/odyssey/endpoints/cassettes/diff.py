"""The difference of two JSON values, by path: pure. Done to the first, the changes give the second."""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

Kind = Literal["added", "removed", "changed", "type_changed"]

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", "'": r"\'", "\\": r"\\"}
_KINDS = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class Change(NamedTuple):
    path: str
    """A JSONPath (RFC 9535) that leads to one value: in the second document, or if it was removed in the first."""
    kind: Kind
    before: Any
    """None if it was added."""
    after: Any
    """None if it was removed."""


def difference(before: Any, after: Any) -> Iterator[Change]:
    """Give every change, what was added last; items of lists are compared place by place."""
    return _difference("$", before, after)


def _difference(path: str, before: Any, after: Any) -> Iterator[Change]:
    if _KINDS[type(before)] != _KINDS[type(after)]:
        yield Change(path, "type_changed", before, after)
    elif isinstance(before, dict):
        yield from _of_objects(path, before, after)
    elif isinstance(before, list):
        yield from _of_lists(path, before, after)
    elif before != after:
        yield Change(path, "changed", before, after)


def _of_objects(path: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Change]:
    for name, value in before.items():
        if name in after:
            yield from _difference(_member(path, name), value, after[name])
        else:
            yield Change(_member(path, name), "removed", value, None)
    for name, value in after.items():
        if name not in before:
            yield Change(_member(path, name), "added", None, value)


def _of_lists(path: str, before: list[Any], after: list[Any]) -> Iterator[Change]:
    for place, (one, other) in enumerate(zip(before, after, strict=False)):
        yield from _difference(f"{path}[{place}]", one, other)
    for place in range(len(after), len(before)):
        yield Change(f"{path}[{place}]", "removed", before[place], None)
    for place in range(len(before), len(after)):
        yield Change(f"{path}[{place}]", "added", None, after[place])


def _member(path: str, name: str) -> str:
    if _PLAIN_NAME.match(name):
        return f"{path}.{name}"
    return f"{path}['{''.join(map(_escaped, name))}']"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " else character
