"""Which tools and which arguments a rule is about."""

import fnmatch
import re
from collections.abc import Callable, Mapping
from functools import partial
from operator import ge, gt, le, lt
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]

from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults, shown

# Which arguments a rule is about: a subset match whose leaves are values or operator objects.
#
# An object in `args` asks for an object that has at least its members. An object whose keys all start with
# `$` is an operator object; its operators must all hold. What an operator compares with is taken as it
# stands, so `{"$eq": {"$ref": "x"}}` asks for a member that begins with `$`.
#
# A member that is absent fails every operator but `{"$exists": false}`: also `$ne` and `$nin` speak only of
# values that are there. Values are equal when their canonical JSON is. `$gt` and its kin compare numbers with
# numbers and strings with strings, by code point; anything else does not match, and a boolean is no number.

MAX_PATTERN = 1000

Matcher = Callable[[Any], bool]
"""Says whether a value matches; the value of a member that is not there is `ABSENT`."""

ABSENT: Any = object()


def read_args(raw: Any, faults: Faults) -> Matcher | None:
    """Compile `args`; None when it asks for nothing. What is wrong goes to `faults`."""
    if not isinstance(raw, dict):
        faults.add("args is an object of argument names and the values they must have")
        return None
    if any(name.startswith("$") for name in raw):
        faults.add("args names arguments; an operator stands below the argument it is about")
        return None
    return _read_members(raw, faults) if raw else None


def read_value(raw: Any, faults: Faults) -> Matcher:
    """Compile what one value must be: an object of members, an operator object, or a value to equal."""
    if not isinstance(raw, dict):
        return _equals(raw, faults)
    operators = sum(name.startswith("$") for name in raw)
    if not operators:
        return _read_members(raw, faults)
    if operators < len(raw):
        faults.add("an object has either operators or members, not both")
    tests = [_read_operator(name, value, faults) for name, value in raw.items() if name.startswith("$")]
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _read_members(raw: Mapping[str, Any], faults: Faults) -> Matcher:
    members = [(name, read_value(value, faults.at(name))) for name, value in raw.items()]

    def has_members(value: Any) -> bool:
        return isinstance(value, dict) and all(test(value.get(name, ABSENT)) for name, test in members)

    return has_members


def _read_operator(name: str, operand: Any, faults: Faults) -> Matcher:
    reader = _OPERATORS.get(name)
    if reader is None:
        faults.at(name).add(f"unknown operator {shown(name)}{faults.hint(name, _OPERATORS)}")
        return _never
    return reader(operand, faults.at(name))


def _equals(expected: Any, faults: Faults) -> Matcher:
    wanted = _canonical(expected, faults)
    return lambda value: value is not ABSENT and canonical_json(value) == wanted


def _differs(expected: Any, faults: Faults) -> Matcher:
    unwanted = _canonical(expected, faults)
    return lambda value: value is not ABSENT and canonical_json(value) != unwanted


def _ordered(holds: Callable[[Any, Any], bool], operand: Any, faults: Faults) -> Matcher:
    if isinstance(operand, str):
        return lambda value: isinstance(value, str) and holds(value, operand)
    if isinstance(operand, bool) or not isinstance(operand, int | float):
        faults.add("compare with a number or a string")
    return lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and holds(value, operand)
    )


def _is_one_of(listed: bool, operand: Any, faults: Faults) -> Matcher:
    if not isinstance(operand, list):
        faults.add("write a list of values")
        return _never
    values = {_canonical(item, faults.at(position)) for position, item in enumerate(operand)}
    return lambda value: value is not ABSENT and (canonical_json(value) in values) is listed


def _contains(operand: Any, faults: Faults) -> Matcher:
    wanted = _canonical(operand, faults)

    def holds(value: Any) -> bool:
        if isinstance(value, str):
            return isinstance(operand, str) and operand in value
        return isinstance(value, list) and any(canonical_json(item) == wanted for item in value)

    return holds


def read_pattern(operand: Any, faults: Faults) -> Matcher:
    """Compile a regular expression that texts are searched for, in linear time."""
    if not isinstance(operand, str):
        faults.add("write a regular expression as a string")
        return _never
    if len(operand) > MAX_PATTERN:
        faults.add(f"the pattern has {len(operand)} characters; at most {MAX_PATTERN} are read")
        return _never
    try:
        search = re2.compile(operand, _quietly()).search
    except (re2.error, UnicodeError) as error:
        faults.add(f"not a pattern RE2 takes: {_in_words(error)}")
        return _never
    return lambda value: isinstance(value, str) and search(value) is not None


def _exists(operand: Any, faults: Faults) -> Matcher:
    if not isinstance(operand, bool):
        faults.add("write true or false")
    return lambda value: (value is not ABSENT) is operand


def _never(_value: Any) -> bool:
    return False


def _canonical(value: Any, faults: Faults) -> bytes:
    try:
        return canonical_json(value)
    except (ValueError, TypeError) as error:
        faults.add(f"not a JSON value: {error}")
        return b""


def _quietly() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def _in_words(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


_OPERATORS: dict[str, Callable[[Any, Faults], Matcher]] = {
    "$eq": _equals,
    "$ne": _differs,
    "$gt": partial(_ordered, gt),
    "$gte": partial(_ordered, ge),
    "$lt": partial(_ordered, lt),
    "$lte": partial(_ordered, le),
    "$in": partial(_is_one_of, True),
    "$nin": partial(_is_one_of, False),
    "$contains": _contains,
    "$regex": read_pattern,
    "$exists": _exists,
}


# Which tools are meant: names, globs such as `get_*`, or a list of both.

MAX_TOOLS = 256
MAX_TOOL_NAME = 256

_GLOB = re.compile(r"[*?[]")


class ToolChoice(NamedTuple):
    names: frozenset[str]
    """Tools named without a glob."""
    globs: re.Pattern[str] | None
    """Matches the whole name of every tool that a glob is about."""

    def includes(self, tool: str) -> bool:
        return tool in self.names or (self.globs is not None and self.globs.fullmatch(tool) is not None)


def read_tool_choice(raw: Any, faults: Faults) -> ToolChoice:
    """Compile a choice; what is wrong goes to `faults`, and then no tool is meant."""
    given = raw if isinstance(raw, list) else [raw]
    if not given or not all(isinstance(name, str) and name for name in given):
        faults.add("write a tool name, a glob such as 'get_*', or a list of them")
        return ToolChoice(frozenset(), None)
    if len(given) > MAX_TOOLS or any(len(name) > MAX_TOOL_NAME for name in given):
        faults.add(f"at most {MAX_TOOLS} names, each of at most {MAX_TOOL_NAME} characters")
        return ToolChoice(frozenset(), None)
    globs = [name for name in given if _GLOB.search(name)]
    names = frozenset(given).difference(globs)
    return ToolChoice(names, re.compile("|".join(map(fnmatch.translate, globs))) if globs else None)
