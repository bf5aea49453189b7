"""Checks of what was called: which tool, with which arguments, how often. Only calls the proxy accepted count."""

from typing import Any

from odyssey.expressions.arguments import Matcher, read_args, read_value
from odyssey.grading.checks.check import Compiled, Facts, Finding
from odyssey.grading.checks.tools import Named, read_tools
from odyssey.grading.checks.wording import as_json, times
from odyssey.grading.evidence import ObservedCall
from odyssey.records.faults import Faults, one_of, shown

_MEMBERS = ("tool", "args", "count")
_COMPARISONS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
_LISTS = ("$in", "$nin")


def read_called(raw: Any, faults: Faults) -> Compiled | None:
    return _read(raw, faults, wanted=True)


def read_not_called(raw: Any, faults: Faults) -> Compiled | None:
    """The opposite of `called` with the same members."""
    return _read(raw, faults, wanted=False)


def _read(raw: Any, faults: Faults, *, wanted: bool) -> Compiled | None:
    given = {"tool": raw} if isinstance(raw, str) else raw
    if not isinstance(given, dict):
        faults.add('write a tool name or an object {"tool", "args", "count"}')
        return None
    faults.unknown_members(given, _MEMBERS, "a check of calls")
    if "tool" not in given:
        faults.add("tool is missing", "tool")
        return None
    tools = read_tools(given["tool"], faults.at("tool"))
    args = read_args(given.get("args", {}), faults.at("args"))
    count = _read_count(given["count"], faults.at("count")) if "count" in given else None
    asked = f", asked for {as_json(given['count'])}" if count else ""

    def look(facts: Facts) -> Finding:
        fitting = [call for call in facts.accepted if _fits(call, tools, args)]
        holds = bool(fitting) if count is None else count(len(fitting))
        reason = _in_words(facts, tools, len(fitting), has_args=args is not None) + asked
        return Finding(holds is wanted, reason, fitting[0].sequence if fitting else None)

    return Compiled(look, tools.written)


def _fits(call: ObservedCall, tools: Named, args: Matcher | None) -> bool:
    return tools.includes(call.tool) and (args is None or args(call.arguments))


def _in_words(facts: Facts, tools: Named, fitting: int, *, has_args: bool) -> str:
    such = " with such arguments" if has_args else ""
    if fitting:
        return f"{tools} was called {times(fitting)}{such}"
    if any(tools.includes(call.tool) for call in facts.accepted):
        return f"{tools} was called, but never{such}"
    refused = sum(tools.includes(call.tool) for call in facts.evidence.calls)
    return f"{tools} was never called" + (f" but for {refused} that the proxy refused" if refused else "")


def _read_count(raw: Any, faults: Faults) -> Matcher | None:
    if _is_count(raw):
        return read_value(raw, faults)
    if not isinstance(raw, dict) or not raw:
        faults.add('write how often, as an integer of 0 or more, or an operator object such as {"$gte": 2}')
        return None
    before = faults.count()
    for name, operand in raw.items():
        _check_operator(name, operand, faults.at(name))
    return read_value(raw, faults) if faults.count() == before else None


def _check_operator(name: str, operand: Any, faults: Faults) -> None:
    if name in _LISTS:
        if not isinstance(operand, list) or not all(map(_is_count, operand)):
            faults.add("write a list of integers of 0 or more")
    elif name not in _COMPARISONS:
        known = (*_COMPARISONS, *_LISTS)
        faults.add(f"{shown(name)} is none of {one_of(known)}{faults.hint(name, known)}")
    elif not _is_count(operand):
        faults.add("compare with an integer of 0 or more")


def _is_count(raw: Any) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0
