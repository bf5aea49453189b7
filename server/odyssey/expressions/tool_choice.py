"""Which tools are meant: names, globs such as `get_*`, or a list of both."""

import fnmatch
import re
from typing import Any, NamedTuple

from odyssey.records.faults import Faults

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
