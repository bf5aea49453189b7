"""An agent that another may call as a tool: the SDK has no such thing, so the loop of this adapter does."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.odyssey.errors import ToolError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""Fit for a tool of the Messages API and for an actor id."""
MESSAGE = "message"

System = str | Sequence[Mapping[str, Any]]
"""A text, or blocks of text with their `cache_control`."""


@dataclass(frozen=True)
class SubAgent:
    """`run` offers it as a tool with one argument, the message to it, and runs it as a loop of its own."""

    name: str
    description: str
    """When to turn to it, for the agent that may."""
    system: System | None = None
    tools: Sequence[Any] = ()
    """As in `run`: its own tools, and sub-agents of its own."""
    model: str | None = None
    """None is the model of the agent that calls it."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ToolError(
                f"{self.name!r} is no name of a sub-agent: letters, digits, '_' and '-', not beginning with a digit "
                "or '-', at most 64."
            )

    def definition(self) -> dict[str, Any]:
        """Return the entry of `tools` by which the calling model knows it."""
        said = {"type": "string", "description": "What it is to do, with all it needs to know."}
        schema = {"type": "object", "properties": {MESSAGE: said}, "required": [MESSAGE]}
        return {"name": self.name, "description": self.description, "input_schema": schema}


def tools_of(agent_or_tools: SubAgent | Iterable[Any]) -> list[Any]:
    return list(agent_or_tools.tools if isinstance(agent_or_tools, SubAgent) else agent_or_tools)


def sub_agents_of(agent_or_tools: SubAgent | Iterable[Any]) -> list[SubAgent]:
    return [tool for tool in tools_of(agent_or_tools) if isinstance(tool, SubAgent)]
