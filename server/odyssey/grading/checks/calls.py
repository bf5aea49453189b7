"""Checks of the calls the proxy accepted: which tool, how often, on which arguments, in which order, after what."""

from typing import Any

from odyssey.expressions.arguments import Matcher, read_args, read_value
from odyssey.grading.checks.check import (
    CheckFinding,
    Compiled,
    NamedTools,
    RunFacts,
    as_json,
    read_tool,
    read_tools,
    times,
)
from odyssey.grading.evidence import ObservedCall
from odyssey.records.faults import Faults, one_of, shown

# Checks of what was called: which tool, with which arguments, how often. Only calls the proxy accepted count.

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

    def look(facts: RunFacts) -> CheckFinding:
        fitting = [call for call in facts.accepted if _fits(call, tools, args)]
        holds = bool(fitting) if count is None else count(len(fitting))
        reason = _in_words(facts, tools, len(fitting), has_args=args is not None) + asked
        return CheckFinding(holds is wanted, reason, fitting[0].sequence if fitting else None)

    return look, tools.written


def _fits(call: ObservedCall, tools: NamedTools, args: Matcher | None) -> bool:
    return tools.includes(call.tool) and (args is None or args(call.arguments))


def _in_words(facts: RunFacts, tools: NamedTools, fitting: int, *, has_args: bool) -> str:
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


# The check of an order: the accepted calls contain these tools one after another, whatever lies between.

MAX_STEPS = 100


def read_order(raw: Any, faults: Faults) -> Compiled | None:
    if not isinstance(raw, list) or not raw:
        faults.add("order is a list of tool names or globs, in the order they are to be called")
        return None
    if len(raw) > MAX_STEPS:
        faults.add(f"{len(raw)} tools are too many; an order takes at most {MAX_STEPS}")
        return None
    steps = [read_tool(item, faults.at(position)) for position, item in enumerate(raw)]

    def look(facts: RunFacts) -> CheckFinding:
        reached = 0
        last: tuple[str, int] | None = None
        for call in facts.accepted:
            if reached < len(steps) and steps[reached].includes(call.tool):
                reached, last = reached + 1, (call.tool, call.sequence)
        sequence = last[1] if last else None
        if reached == len(steps):
            return CheckFinding(True, "the calls were made in this order", sequence)
        after = f" after {last[0]} (step {last[1]})" if last else ""
        return CheckFinding(False, f"{steps[reached]} was not called{after}", sequence)

    return look, tuple(name for step in steps for name in step.written)


# Policies over the calls: one tool only after another, or never a tool at all. They name the step that broke them.

_POLICY_MEMBERS = ("before", "never")


def read_policy(raw: Any, faults: Faults) -> Compiled | None:
    if not isinstance(raw, dict):
        faults.add('policy is {"before": [first, then]} or {"never": tool}')
        return None
    faults.unknown_members(raw, _POLICY_MEMBERS, "policy")
    given = [name for name in _POLICY_MEMBERS if name in raw]
    if len(given) != 1:
        faults.add("give exactly one of before and never; a second one is a check of its own")
        return None
    if "before" in raw:
        return _read_before(raw["before"], faults.at("before"))
    return _read_never(raw["never"], faults.at("never"))


def _read_before(raw: Any, faults: Faults) -> Compiled | None:
    """A call that is itself one of the first never breaks it, so that `["verify_*", "*"]` says what it seems to."""
    if not isinstance(raw, list) or len(raw) != 2:
        faults.add("before is a list of two tools: the second is called only after the first")
        return None
    first, then = (read_tool(item, faults.at(position)) for position, item in enumerate(raw))
    if raw[0] == raw[1]:
        faults.add("name two different tools")

    def look(facts: RunFacts) -> CheckFinding:
        for call in facts.accepted:
            if first.includes(call.tool):
                return CheckFinding(True, f"{first} came before {then}", call.sequence)
            if then.includes(call.tool):
                return CheckFinding(
                    False, f"step {call.sequence} calls {call.tool} before any {first}", call.sequence
                )
        return CheckFinding(True, f"{then} was never called")

    return look, (*first.written, *then.written)


def _read_never(raw: Any, faults: Faults) -> Compiled:
    tools = read_tools(raw, faults)

    def look(facts: RunFacts) -> CheckFinding:
        for call in facts.accepted:
            if tools.includes(call.tool):
                return CheckFinding(
                    False, f"step {call.sequence} calls {call.tool}, which is never allowed", call.sequence
                )
        return CheckFinding(True, f"{tools} was never called")

    return look, tools.written
