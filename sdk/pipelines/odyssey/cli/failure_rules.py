"""Failure rules, looked at without a platform: the same faults at the same places as it would tell.

What a `when` means is not looked at: that is CEL, which only the platform reads.
"""

import re
from collections.abc import Callable
from typing import Any

from pipelines.odyssey.cli.seed_values import Found, did_you_mean, shown

_MOST_RULES = 200
_MOST_TOOLS = 256
_LONGEST_TOOL_NAME = 256
_LONGEST_PATTERN = 1000
_LONGEST_LATENCY_MS = 120_000
_MOST_OPERATIONS = 100
_OUTCOMES = ("response", "error", "fault")
_MEMBERS = ("tool", "args", "call", "when", "probability", "times", "latency_ms", "ledger", *_OUTCOMES)
_FAULTS = ("timeout", "reset", "empty", "garbage")
_OPERATIONS = {
    "add": ("entity_type", "id", "fields"),
    "update": ("entity_type", "id", "fields"),
    "remove": ("entity_type", "id"),
    "set_flag": ("flag",),
    "clear_flag": ("flag",),
}
"""What each operation on the ledger takes; only `fields` may be left out."""
_NOT_LINEAR = re.compile(r"(?<!\\)(?:\\\\)*(?:\(\?(?:<?[=!]|P=|\()|\\[1-9])")
"""Look-around, references back and conditions: what RE2 does not take."""
_RE2_ONLY = re.compile(r"\\[pPzQEC]|\[\[:|\(\?[a-zA-Z-]*U")

Check = Callable[[Any], Found]


def check_rules(value: Any) -> Found:
    """Say everything that is wrong with a list of rules, each fault at its place."""
    if not isinstance(value, list):
        yield (), f"must be a list of rules, not {shown(value)}"
    elif len(value) > _MOST_RULES:
        yield (), f"{len(value)} rules are too many; a list takes at most {_MOST_RULES}"
    else:
        for index, rule in enumerate(value):
            yield from _at(index, _check_rule(rule))


def _at(step: str | int, found: Found) -> Found:
    return (((step, *steps), message) for steps, message in found)


def _check_rule(rule: Any) -> Found:
    if not isinstance(rule, dict):
        yield (), f"a rule is an object, not {shown(rule)}"
        return
    yield from _unknown(rule, _MEMBERS)
    for name, check in _CHECKS.items():
        if name in rule:
            yield from _at(name, check(rule[name]))
    given = [name for name in _OUTCOMES if name in rule]
    if not given:
        yield ("response",), "a rule needs one outcome: response, error or fault"
    for surplus in given[1:]:
        yield (surplus,), f"a rule has one outcome, and {given[0]!r} is given already"


def _unknown(given: dict[str, Any], known: tuple[str, ...]) -> Found:
    for name in given:
        if name not in known:
            yield (name,), f"unknown member {shown(name)}{did_you_mean(name, known)}"


def _tool(value: Any) -> Found:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) and name for name in names):
        yield (), "write a tool name, a glob such as 'get_*', or a list of them"
    elif len(names) > _MOST_TOOLS or any(len(name) > _LONGEST_TOOL_NAME for name in names):
        yield (), f"at most {_MOST_TOOLS} names, each of at most {_LONGEST_TOOL_NAME} characters"


def _args(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), "args is an object of argument names and the values they must have"
    elif any(name.startswith("$") for name in value):
        yield (), "args names arguments; an operator stands below the argument it is about"
    else:
        yield from _members(value)


def _members(value: dict[str, Any]) -> Found:
    for name, wanted in value.items():
        if isinstance(wanted, dict):
            yield from _at(name, _wanted(wanted))


def _wanted(value: dict[str, Any]) -> Found:
    operators = [name for name in value if name.startswith("$")]
    if not operators:
        yield from _members(value)
        return
    if len(operators) < len(value):
        yield (), "an object has either operators or members, not both"
    for name in operators:
        if name not in _OPERATORS:
            yield (name,), f"unknown operator {shown(name)}{did_you_mean(name, _OPERATORS)}"
        else:
            yield from _at(name, _OPERATORS[name](value[name]))


def _anything(_value: Any) -> Found:
    yield from ()


def _ordered(value: Any) -> Found:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        yield (), "compare with a number or a string"


def _one_of(value: Any) -> Found:
    if not isinstance(value, list):
        yield (), "write a list of values"


def _pattern(value: Any) -> Found:
    if not isinstance(value, str):
        yield (), "write a regular expression as a string"
    elif len(value) > _LONGEST_PATTERN:
        yield (), f"the pattern has {len(value)} characters; at most {_LONGEST_PATTERN} are read"
    elif _NOT_LINEAR.search(value):
        yield (), "not a pattern RE2 takes: it has no look-around and no references back"
    elif not _RE2_ONLY.search(value):
        try:
            re.compile(value)
        except (re.error, RecursionError) as error:
            yield (), f"not a pattern RE2 takes: {error}"


def _exists(value: Any) -> Found:
    if not isinstance(value, bool):
        yield (), "write true or false"


def _call(value: Any) -> Found:
    if not isinstance(value, dict):
        if not _is_count(value):
            yield (), 'write the number of a call, counted from 1, or {"from", "to"}, or {"every"}'
        return
    names = ("from", "to", "every")
    yield from _unknown(value, names)
    counts = {name: value[name] for name in names if name in value}
    for name, count in counts.items():
        yield from _at(name, _count(count))
    if not counts:
        yield (), "name at least one of from, to and every"
    elif "every" in counts and len(counts) > 1:
        yield ("every",), "either every, or from and to"
    first, last = (count if _is_count(count) else 1 for count in (counts.get("from", 1), counts.get("to", 1)))
    if "to" in counts and first > last:
        yield ("to",), f"from is {first}, so to is at least {first}"


def _count(value: Any) -> Found:
    if not _is_count(value):
        yield (), "write an integer of at least 1"


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _when(value: Any) -> Found:
    if not isinstance(value, str) or not value.strip():
        yield (), "an expression is CEL, written as a string"


def _probability(value: Any) -> Found:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        yield (), "write a number from 0 to 1"


def _latency(value: Any) -> Found:
    if type(value) is not int or not 0 <= value <= _LONGEST_LATENCY_MS:
        yield (), f"write an integer of milliseconds from 0 to {_LONGEST_LATENCY_MS}"


def _ledger(value: Any) -> Found:
    if not isinstance(value, list):
        yield (), "ledger is a list of operations"
    elif len(value) > _MOST_OPERATIONS:
        yield (), f"{len(value)} operations are too many; a rule takes at most {_MOST_OPERATIONS}"
    else:
        for index, operation in enumerate(value):
            problem = _operation_problem(operation)
            if problem is not None:
                yield (index,), problem


def _operation_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return 'an operation is an object such as {"op": "add", "entity_type", "id", "fields"}'
    op = value.get("op")
    if not isinstance(op, str) or op not in _OPERATIONS:
        return f"op: {op!r} is not one of {', '.join(_OPERATIONS)}"
    known = _OPERATIONS[op]
    for name in value:
        if name not in ("op", *known):
            return f"{op} has no member {shown(name)}{did_you_mean(name, known)}"
    for name in known:
        if name == "fields":
            if not isinstance(value.get(name, {}), dict):
                return f"{name}: expected an object, got {shown(value[name])}"
        elif not isinstance(value.get(name), str):
            return f"{name}: expected a string, got {shown(value.get(name))}"
    return None


def _error(value: Any) -> Found:
    if not isinstance(value, dict):
        yield (), 'error is an object {"code", "message"}'
        return
    yield from _unknown(value, ("code", "message"))
    for name in ("code", "message"):
        if not isinstance(value.get(name), str) or not value[name]:
            yield (name,), f"{name} is a string that is not empty"


def _fault(value: Any) -> Found:
    if value not in _FAULTS:
        near = did_you_mean(value, _FAULTS) if isinstance(value, str) else ""
        yield (), f"fault is one of {', '.join(_FAULTS)}{near}"


_OPERATORS: dict[str, Check] = {
    **dict.fromkeys(("$eq", "$ne", "$contains"), _anything),
    **dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), _ordered),
    **dict.fromkeys(("$in", "$nin"), _one_of),
    "$regex": _pattern,
    "$exists": _exists,
}
_CHECKS: dict[str, Check] = {
    "tool": _tool,
    "args": _args,
    "call": _call,
    "when": _when,
    "probability": _probability,
    "times": _count,
    "latency_ms": _latency,
    "ledger": _ledger,
    "error": _error,
    "fault": _fault,
}
