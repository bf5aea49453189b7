"""Policies over the calls: one tool only after another, or never a tool at all. They name the step that broke them."""

from typing import Any

from odyssey.grading.checks.check import Compiled, Facts, Finding
from odyssey.grading.checks.tools import read_tool, read_tools
from odyssey.records.faults import Faults

_MEMBERS = ("before", "never")


def read_policy(raw: Any, faults: Faults) -> Compiled | None:
    if not isinstance(raw, dict):
        faults.add('policy is {"before": [first, then]} or {"never": tool}')
        return None
    faults.unknown_members(raw, _MEMBERS, "policy")
    given = [name for name in _MEMBERS if name in raw]
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

    def look(facts: Facts) -> Finding:
        for call in facts.accepted:
            if first.includes(call.tool):
                return Finding(True, f"{first} came before {then}", call.sequence)
            if then.includes(call.tool):
                return Finding(
                    False, f"step {call.sequence} calls {call.tool} before any {first}", call.sequence
                )
        return Finding(True, f"{then} was never called")

    return Compiled(look, (*first.written, *then.written))


def _read_never(raw: Any, faults: Faults) -> Compiled:
    tools = read_tools(raw, faults)

    def look(facts: Facts) -> Finding:
        for call in facts.accepted:
            if tools.includes(call.tool):
                return Finding(
                    False, f"step {call.sequence} calls {call.tool}, which is never allowed", call.sequence
                )
        return Finding(True, f"{tools} was never called")

    return Compiled(look, tools.written)
