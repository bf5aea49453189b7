"""The tools a check speaks of: a name, or a glob such as `get_*`."""

from typing import Any, NamedTuple

from odyssey.expressions.tool_choice import ToolChoice, read_tool_choice
from odyssey.records.faults import Faults


class Named(NamedTuple):
    """Tools, with the words they were named by."""

    written: tuple[str, ...]
    choice: ToolChoice

    def includes(self, tool: str) -> bool:
        return self.choice.includes(tool)

    def __str__(self) -> str:
        return " or ".join(self.written[:3]) + (" or …" if len(self.written) > 3 else "")


def read_tools(raw: Any, faults: Faults) -> Named:
    """Read a name, a glob, or a list of them of which any is meant."""
    before = faults.count()
    choice = read_tool_choice(raw, faults)
    if faults.count() > before:
        return Named((), choice)
    return Named(tuple(raw) if isinstance(raw, list) else (raw,), choice)


def read_tool(raw: Any, faults: Faults) -> Named:
    """Read one name or glob."""
    if not isinstance(raw, str):
        faults.add("write a tool name or a glob such as 'get_*'")
        return Named((), ToolChoice(frozenset(), None))
    return read_tools(raw, faults)
