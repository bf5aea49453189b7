"""What the values of a task may be, as far as it can be told without a platform."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MAX_TEXT = 1024 * 1024

_MOST_CHECKS = 100
_CHECKS = (
    "final_response",
    "called",
    "not_called",
    "order",
    "ledger",
    "only_changed",
    "untouched",
    "flag",
    "no_flag",
    "policy",
)
_SHOWN = 60

Steps = tuple[str | int, ...]
Found = Iterator[tuple[Steps, str]]
"""What is wrong within a value: the place in it, and the message."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    by_plain = {each.lower().replace("-", "_"): each for each in known}
    plain = re.sub(r"[^a-z0-9]+", "_", name[:_SHOWN].lower()).strip("_")
    near = difflib.get_close_matches(plain, by_plain, n=1, cutoff=0.6)
    return f"; did you mean {by_plain[near[0]]!r}?" if near else ""


def shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    said = repr(value) if not isinstance(value, bool) else str(value).lower()
    return said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"


def text(value: Any) -> Found:
    if not isinstance(value, str):
        yield (), f"must be a text, not {shown(value)}"
    elif len(value) > MAX_TEXT:
        yield (), f"has {len(value)} characters; at most {MAX_TEXT} are allowed"
    elif "\0" in value:
        yield (), "must not contain the NUL character"


def behaviour(value: Any) -> Found:
    """What a list of rules holds is looked at in `behaviour_lines`."""
    if isinstance(value, str):
        yield from text(value)
    elif not isinstance(value, list):
        yield (), f"must be a text of lines or a list of rules, not {shown(value)}"


def instruction(value: Any) -> Found:
    yield from text(value)
    if isinstance(value, str) and not value.strip():
        yield (), "is empty; say what the agent is asked to do"


def one_of(*words: str) -> Callable[[Any], Found]:
    def check(value: Any) -> Found:
        if value not in words:
            hint = did_you_mean(value, words) if isinstance(value, str) else ""
            yield (), f"must be {' or '.join(map(repr, words))}, not {shown(value)}{hint}"

    return check


def json_object(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), f"must be an object, not {shown(value)}"


def json_list(value: Any) -> Found:
    if not isinstance(value, list):
        yield (), f"must be a list, not {shown(value)}"


def state(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), f"must be an object {{type: {{id: {{field: value}}}}}}, not {shown(value)}"
        return
    for kind, entities in value.items():
        if not isinstance(entities, dict):
            yield (kind,), f"must be an object of entity ids, not {shown(entities)}"
            continue
        for key, fields in entities.items():
            if not isinstance(fields, dict):
                yield (kind, key), f"an entity must be an object of its fields, not {shown(fields)}"


def checks(value: Any) -> Found:
    if not isinstance(value, list) or len(value) > _MOST_CHECKS:
        yield (), f"must be a list of at most {_MOST_CHECKS} checks"
        return
    for index, check in enumerate(value):
        if not isinstance(check, dict) or len(check) != 1:
            yield (index,), f"a check is an object with exactly one member: {', '.join(_CHECKS)}"
            continue
        (kind,) = check
        if kind not in _CHECKS:
            yield (index, kind), f"there is no check {shown(kind)}{did_you_mean(kind, _CHECKS)}"


def checks_version(value: Any) -> Found:
    if type(value) is not int or value not in (1, 2):
        yield (), f"must be 1 or 2, not {shown(value)}"


def random_seed(value: Any) -> Found:
    if type(value) is not int or not -(2**63) <= value < 2**63:
        yield (), f"must be a 64-bit integer, not {shown(value)}"


def world(value: Any) -> Found:
    if not (type(value) is int and value > 0) and not (isinstance(value, str) and value.strip()):
        yield (), f"must be the id or name of a world, not {shown(value)}"
