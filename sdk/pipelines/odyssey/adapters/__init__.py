"""Agents of the frameworks people use, each adapted in a module of its own; `describe` finds the right one."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from pipelines.odyssey.errors import ToolError
from pipelines.odyssey.tools import Tool, tools_schema

# By the package a class comes from; an adapter's own classes come from the module of that name.
_MODULES = {
    "agents": "openai_agents",
    "openai_agents": "openai_agents",
    "anthropic": "anthropic",
    "langchain": "langchain",
    "langchain_core": "langchain",
    "langgraph": "langchain",
    "strands": "strands",
}


class Described(NamedTuple):
    tools_schema: list[dict[str, Any]]
    sub_agents: dict[str, Any] | None
    """`{sub_agents, topology}` of an agent made of several."""


def describe(subject: Any) -> Described:
    """Say which tools and sub-agents there are: of a list of tools, an agent of a framework, or what makes one."""
    if callable(subject) and _adapter_of(subject) is None:
        subject = subject()
    adapter = _adapter_of(subject)
    if adapter is not None:
        return Described(adapter.dump_tools_schema(subject), adapter.dump_sub_agents(subject))
    if isinstance(subject, Iterable) and not isinstance(subject, str | Mapping):
        return _describe_list(list(subject))
    raise ToolError(
        f"{type(subject).__name__} is neither a list of tools nor an agent of a framework known here."
    )


def _describe_list(tools: list[Any]) -> Described:
    if all(isinstance(tool, Tool) or (isinstance(tool, Mapping) and "name" in tool) for tool in tools):
        return Described(tools_schema(tools), None)
    adapter = next((found for tool in tools if (found := _adapter_of(tool)) is not None), None)
    if adapter is None:
        raise ToolError(
            "A list of tools holds Tool objects, entries of a tools schema, or tools of a framework."
        )
    return Described(adapter.dump_tools_schema(tools), adapter.dump_sub_agents(tools))


def _adapter_of(subject: Any) -> Any | None:
    """Return the module for a framework's object: told by where its class, or one that it extends, comes from."""
    for kind in type(subject).__mro__:
        home = kind.__module__.removeprefix(f"{__name__}.")  # an adapter may have a class of its own
        name = _MODULES.get(home.partition(".")[0])
        if name is not None:
            return import_module(f"{__name__}.{name}")
    return None
