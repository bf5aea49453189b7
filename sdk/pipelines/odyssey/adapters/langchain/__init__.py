"""LangChain tools, `create_agent` agents and LangGraph graphs, run with their tools answered by the per-run proxy.

A compiled graph is copied node by node with the copy methods LangGraph itself uses; the original is not changed.
Tools are found in tool nodes, sub-graphs, agents that a tool asks, and functions of nodes that name them. A tool that
returns a Command directs the agents and stays as it is; so does one named in `local`. What is hidden deeper, such as
an attribute of an object, is not found: `run` stops before such a tool runs its own body.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.pregel import Pregel

from pipelines.odyssey.adapters.langchain.graphs import Port
from pipelines.odyssey.adapters.langchain.messages import reply_of
from pipelines.odyssey.adapters.langchain.middleware import OdysseyMiddleware
from pipelines.odyssey.adapters.langchain.running import run, run_sync
from pipelines.odyssey.adapters.langchain.tools import as_tool, directs_agents, entry_of, marked, proxied_tool
from pipelines.odyssey.context import current_actor
from pipelines.odyssey.errors import ToolError
from pipelines.odyssey.tools import Execution, tools_schema

__all__ = [
    "OdysseyMiddleware",
    "dump_sub_agents",
    "dump_tools_schema",
    "dump_tools_schema_json",
    "proxied",
    "reply_of",
    "run",
    "run_sync",
]


def dump_tools_schema(
    agent_or_tools: Any,
    *,
    executions: Mapping[str, Execution] | None = None,
    local: Collection[str] = (),
) -> list[dict[str, Any]]:
    """List the tools of a graph and of all agents below it, or of a list of tools, as a registration takes them."""
    if isinstance(agent_or_tools, Pregel):
        port = Port(agent_or_tools, local)
        if port.unproxiable:
            raise port.unproxiable[0]
        return tools_schema(port.entries.values(), executions)
    entries = [
        entry_of(tool)
        for tool in _listed(agent_or_tools)
        if isinstance(tool, Mapping) or _is_proxied(tool, local)
    ]
    return tools_schema([entry for n, entry in enumerate(entries) if entry not in entries[:n]], executions)


def dump_tools_schema_json(
    agent_or_tools: Any,
    *,
    executions: Mapping[str, Execution] | None = None,
    local: Collection[str] = (),
) -> str:
    """As `dump_tools_schema`, as text for the import dialog."""
    return json.dumps(
        dump_tools_schema(agent_or_tools, executions=executions, local=local), indent=2, ensure_ascii=False
    )


def dump_sub_agents(agent: Any, *, local: Collection[str] = ()) -> dict[str, Any] | None:
    """Name the agents of a graph, the tools of each and whom it may ask; None if there is but one."""
    if not isinstance(agent, Pregel):
        return None
    port = Port(agent, local)
    if len(port.actors) == 1:
        return None
    sub_agents = [
        {"actor_id": path, "tools": actor.tools, **({"talks_to": actor.talks_to} if actor.talks_to else {})}
        for path, actor in port.actors.items()
    ]
    return {"sub_agents": sub_agents, "topology": {"entry": port.entry}}


def proxied(agent_or_tools: Any, *, local: Collection[str] = ()) -> Any:
    """Return the same graph, tool or list of tools, every tool's body a call to the proxy of the run at hand.

    A tool keeps its name, description, schema, tags and way of answering; a function becomes the tool LangChain
    makes of it. What the provider of the model runs is left alone.
    """
    if isinstance(agent_or_tools, Pregel):
        return Port(agent_or_tools, local).graph
    tools = [tool if isinstance(tool, Mapping) else _proxied(tool, local) for tool in _listed(agent_or_tools)]
    return (
        tools
        if isinstance(agent_or_tools, Iterable) and not isinstance(agent_or_tools, BaseTool)
        else tools[0]
    )


def _proxied(tool: BaseTool, local: Collection[str]) -> BaseTool:
    if not _is_proxied(tool, local):
        return marked(tool, "local")
    return proxied_tool(tool, current_actor, shown=True)


def _is_proxied(tool: BaseTool, local: Collection[str]) -> bool:
    return tool.name not in local and not directs_agents(tool)


def _listed(tools: Any) -> list[Any]:
    given = [tools] if isinstance(tools, BaseTool | Mapping) or callable(tools) else tools
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ToolError(f"{type(tools).__name__} is neither a compiled graph nor a list of LangChain tools.")
    return [tool if isinstance(tool, BaseTool | Mapping) else as_tool(tool) for tool in given]
