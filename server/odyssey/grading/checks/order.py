"""The check of an order: the accepted calls contain these tools one after another, whatever lies between."""

from typing import Any

from odyssey.grading.checks.check import Compiled, Facts, Finding
from odyssey.grading.checks.tools import read_tool
from odyssey.records.faults import Faults

MAX_STEPS = 100


def read_order(raw: Any, faults: Faults) -> Compiled | None:
    if not isinstance(raw, list) or not raw:
        faults.add("order is a list of tool names or globs, in the order they are to be called")
        return None
    if len(raw) > MAX_STEPS:
        faults.add(f"{len(raw)} tools are too many; an order takes at most {MAX_STEPS}")
        return None
    steps = [read_tool(item, faults.at(position)) for position, item in enumerate(raw)]

    def look(facts: Facts) -> Finding:
        reached = 0
        last: tuple[str, int] | None = None
        for call in facts.accepted:
            if reached < len(steps) and steps[reached].includes(call.tool):
                reached, last = reached + 1, (call.tool, call.sequence)
        sequence = last[1] if last else None
        if reached == len(steps):
            return Finding(True, "the calls were made in this order", sequence)
        after = f" after {last[0]} (step {last[1]})" if last else ""
        return Finding(False, f"{steps[reached]} was not called{after}", sequence)

    return Compiled(look, tuple(name for step in steps for name in step.written))
