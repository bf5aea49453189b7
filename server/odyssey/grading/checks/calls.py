"""Checks of the calls that the proxy saw: which tool, how often, on which arguments, in which order, after what.

What a check demands is done only by calls that succeeded, unless it says otherwise; what it forbids is broken by every
attempt. Rows from before version 2 of the checks keep their meaning: there, every call that the proxy accepted counts,
for demands and for prohibitions alike.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

from odyssey.expressions.arguments import Matcher, read_args, read_value
from odyssey.grading.checks.check import (
    CheckFinding,
    ChecksVersion,
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

CallOutcome = Literal["ok", "failed", "any"]
"""`ok`: answered without an error of the world, a failure rule or a live service. `failed`: with one. `any`: either."""

_OUTCOMES: dict[CallOutcome, Callable[[ObservedCall], bool]] = {
    "ok": lambda call: call.succeeded,
    "failed": lambda call: call.accepted and not call.succeeded,
    "any": lambda call: call.accepted,
}


def _read_outcome(given: dict[str, Any], faults: Faults, version: ChecksVersion) -> CallOutcome:
    outcome = given.get("outcome", "any" if version == 1 else "ok")
    if outcome not in get_args(CallOutcome):
        faults.at("outcome").add(f"write {one_of(get_args(CallOutcome))}")
        return "any"
    known: CallOutcome = outcome
    return known


def _attempts(facts: RunFacts, version: ChecksVersion) -> Sequence[ObservedCall]:
    """The calls that break a prohibition: all, whether or not they succeeded."""
    return facts.accepted if version == 1 else facts.evidence.calls


# Checks of what was called: which tool, with which arguments, how often.

_COMPARISONS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
_LISTS = ("$in", "$nin")


def read_called(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    given = _read_members(raw, ("tool", "args", "count", "outcome"), faults)
    if given is None:
        return None
    outcome = _read_outcome(given, faults, version)
    tools, fits, count, asked = _read_call(given, faults)
    is_wanted, unwanted = _OUTCOMES[outcome], "failed" if outcome == "ok" else "succeeded"

    def look(facts: RunFacts) -> CheckFinding:
        fitting = [call for call in facts.accepted if fits(call)]
        counted = [call for call in fitting if is_wanted(call)]
        reason = _how_often(facts, tools, counted or fitting, has_args="args" in given)
        if len(fitting) > len(counted):
            others = len(fitting) - len(counted)
            reason += f", {f'and {times(others)} more' if counted else 'but'} it {unwanted}"
        reason += asked
        first = next(iter(counted or fitting), None)
        passed = bool(counted) if count is None else count(len(counted))
        return CheckFinding(passed, reason, None if first is None else first.sequence, tuple(fitting))

    return Compiled(look, tools.written, fits)


def read_not_called(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    """The opposite of `called`, but for the outcome: an attempt is enough to break it."""
    if isinstance(raw, dict) and "outcome" in raw:
        faults.at("outcome").add("not_called counts every attempt, so it takes no outcome")
        return None
    given = _read_members(raw, ("tool", "args", "count"), faults)
    if given is None:
        return None
    tools, fits, count, asked = _read_call(given, faults)

    def look(facts: RunFacts) -> CheckFinding:
        fitting = [call for call in _attempts(facts, version) if fits(call)]
        holds = bool(fitting) if count is None else count(len(fitting))
        reason = _how_often(facts, tools, fitting, has_args="args" in given) + asked
        return CheckFinding(not holds, reason, fitting[0].sequence if fitting else None)

    return Compiled(look, tools.written)


def _read_members(raw: Any, known: tuple[str, ...], faults: Faults) -> dict[str, Any] | None:
    given = {"tool": raw} if isinstance(raw, str) else raw
    if not isinstance(given, dict):
        members = ", ".join(f'"{name}"' for name in known)
        faults.add(f"write a tool name or an object {{{members}}}")
        return None
    faults.unknown_members(given, known, "a check of calls")
    if "tool" not in given:
        faults.add("tool is missing", "tool")
        return None
    return given


class _CallTest(NamedTuple):
    tools: NamedTools
    fits: Callable[[ObservedCall], bool]
    holds: Matcher | None
    """Whether it was called often enough, by the number of calls; None where once will do."""
    asked: str
    """The count that is asked for, in words."""


def _read_call(given: dict[str, Any], faults: Faults) -> _CallTest:
    tools = read_tools(given["tool"], faults.at("tool"))
    args = read_args(given.get("args", {}), faults.at("args"))
    count = _read_count(given["count"], faults.at("count")) if "count" in given else None
    asked = f", asked for {as_json(given['count'])}" if count else ""

    def fits(call: ObservedCall) -> bool:
        return tools.includes(call.tool) and (args is None or args(call.arguments))

    return _CallTest(tools, fits, count, asked)


def _how_often(facts: RunFacts, tools: NamedTools, counted: Sequence[ObservedCall], *, has_args: bool) -> str:
    such = " with such arguments" if has_args else ""
    if counted:
        return f"{tools} was called {times(len(counted))}{such}"
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


# The check of an order: the calls contain these tools one after another, whatever lies between.

MAX_STEPS = 100


def read_order(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    """Read `[tools]` or `{"tools": [tools], "outcome": …}`."""
    given = raw if isinstance(raw, dict) else {"tools": raw}
    faults.unknown_members(given, ("tools", "outcome"), "order")
    tools = given.get("tools")
    if not isinstance(tools, list) or not tools:
        faults.add("order is a list of tool names or globs, in the order they are to be called")
        return None
    if len(tools) > MAX_STEPS:
        faults.add(f"{len(tools)} tools are too many; an order takes at most {MAX_STEPS}")
        return None
    is_wanted = _OUTCOMES[_read_outcome(given, faults, version)]
    place = faults.at("tools") if isinstance(raw, dict) else faults
    steps = [read_tool(item, place.at(position)) for position, item in enumerate(tools)]

    def look(facts: RunFacts) -> CheckFinding:
        reached = 0
        last: ObservedCall | None = None
        for call in facts.accepted:
            if reached < len(steps) and steps[reached].includes(call.tool) and is_wanted(call):
                reached, last = reached + 1, call
        sequence = last.sequence if last else None
        if reached == len(steps):
            return CheckFinding(True, "the calls were made in this order", sequence)
        after = f" after {last.tool} (step {last.sequence})" if last else ""
        others = tuple(
            call
            for call in facts.accepted
            if steps[reached].includes(call.tool) and (last is None or call.sequence > last.sequence)
        )
        if others:
            how = "failed" if is_wanted is _OUTCOMES["ok"] else "succeeded"
            reason = f"{steps[reached]} was called{after}, but it {how} (step {others[0].sequence})"
            return CheckFinding(False, reason, others[0].sequence, others)
        return CheckFinding(False, f"{steps[reached]} was not called{after}", sequence)

    def expects(call: ObservedCall) -> bool:
        return any(step.includes(call.tool) for step in steps)

    return Compiled(look, tuple(name for step in steps for name in step.written), expects)


# Policies over the calls: one tool only after another, or never a tool at all. They name the step that broke them.

_POLICY_MEMBERS = ("before", "never")


def read_policy(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    if not isinstance(raw, dict):
        faults.add('policy is {"before": [first, then]} or {"never": tool}')
        return None
    faults.unknown_members(raw, _POLICY_MEMBERS, "policy")
    given = [name for name in _POLICY_MEMBERS if name in raw]
    if len(given) != 1:
        faults.add("give exactly one of before and never; a second one is a check of its own")
        return None
    if "before" in raw:
        return _read_before(raw["before"], faults.at("before"), version)
    return _read_never(raw["never"], faults.at("never"), version)


def _read_before(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled | None:
    """A call that is itself one of the first never breaks it, so that `["verify_*", "*"]` says what it seems to.

    The first must have succeeded: who was told that the customer cannot be verified has not verified the customer.
    """
    if not isinstance(raw, list) or len(raw) != 2:
        faults.add("before is a list of two tools: the second is called only after the first")
        return None
    first, then = (read_tool(item, faults.at(position)) for position, item in enumerate(raw))
    if raw[0] == raw[1]:
        faults.add("name two different tools")

    def look(facts: RunFacts) -> CheckFinding:
        tried = False
        for call in _attempts(facts, version):
            if first.includes(call.tool):
                if version == 1 or call.succeeded:
                    return CheckFinding(True, f"{first} came before {then}", call.sequence)
                tried = True
            elif then.includes(call.tool):
                lacking = f"though no call of {first} had succeeded" if tried else f"before any {first}"
                return CheckFinding(False, f"step {call.sequence} calls {call.tool} {lacking}", call.sequence)
        return CheckFinding(True, f"{then} was never called")

    return Compiled(look, (*first.written, *then.written))


def _read_never(raw: Any, faults: Faults, version: ChecksVersion) -> Compiled:
    tools = read_tools(raw, faults)

    def look(facts: RunFacts) -> CheckFinding:
        for call in _attempts(facts, version):
            if tools.includes(call.tool):
                reason = f"step {call.sequence} calls {call.tool}, which is never allowed"
                return CheckFinding(False, reason, call.sequence)
        return CheckFinding(True, f"{tools} was never called")

    return Compiled(look, tools.written)
