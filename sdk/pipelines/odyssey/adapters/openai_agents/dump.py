"""What an agent is registered with: its tools, and who it is made of."""

import json
from collections.abc import Mapping
from typing import Any

from agents import Agent, FunctionTool, Handoff

from pipelines.odyssey.adapters.openai_agents.tree import (
    AnyAgent,
    agents_of,
    check_sandbox,
    function_tools,
    neighbours,
    target_of,
)
from pipelines.odyssey.context import actor_part
from pipelines.odyssey.errors import ToolError, UnproxiableToolError
from pipelines.odyssey.tools import Execution, Tool, tools_schema


def dump_tools_schema(
    agent_or_tools: AnyAgent | list[Any], *, executions: Mapping[str, Execution] | None = None
) -> list[dict[str, Any]]:
    """Describe the function tools of an agent and of all it can reach, each once; `executions` by the tool's name."""
    entries: dict[str, dict[str, Any]] = {}
    for tool in _tools(agent_or_tools):
        entry = _entry(tool)
        if entries.setdefault(tool.name, entry) != entry:
            raise ToolError(
                f"Two different tools are called {tool.name!r}; the proxy knows a tool by its name, so rename one."
            )
    return tools_schema(entries.values(), executions)


def dump_tools_schema_json(
    agent_or_tools: AnyAgent | list[Any], *, executions: Mapping[str, Execution] | None = None
) -> str:
    """As `dump_tools_schema`, as text for the import dialog."""
    return json.dumps(dump_tools_schema(agent_or_tools, executions=executions), indent=2, ensure_ascii=False)


def dump_sub_agents(agent: AnyAgent | list[Any]) -> dict[str, Any] | None:
    """Say which agents there are, what each owns and whom it may give work; None for a single agent."""
    if not isinstance(agent, Agent):
        return None
    everyone = agents_of(agent)
    if len(everyone) == 1:
        return None
    ids = [actor_part(each.name) for each in everyone]
    if twice := next((name for name in ids if ids.count(name) > 1), None):
        raise ToolError(
            f"Two agents are called {twice!r}; the trace tells agents apart by name, so rename one."
        )
    return {
        "sub_agents": [_sub_agent(each) for each in everyone],
        "topology": {"entry": actor_part(agent.name)},
    }


def _tools(agent_or_tools: AnyAgent | list[Any]) -> list[FunctionTool]:
    if not isinstance(agent_or_tools, Agent):
        return function_tools(list(agent_or_tools))
    everyone = agents_of(agent_or_tools)
    for agent in everyone:
        _check_reach(agent)
    return [tool for agent in everyone for tool in function_tools(agent.tools)]


def _check_reach(agent: AnyAgent) -> None:
    """Refuse an agent some of whose tools nobody can list beforehand."""
    check_sandbox(agent)
    for server in agent.mcp_servers:
        raise UnproxiableToolError(
            server.name,
            f"the tools of {agent.name!r} come from this MCP server when the agent runs. Declare them in a list "
            "of Tool objects, and in a run give the agent the run's own MCP server: `pipelines-mcp-shim`, or the "
            "address {proxy_url}/mcp with the run token as bearer.",
        )
    for handoff in agent.handoffs:
        if isinstance(handoff, Handoff) and target_of(handoff) is None:
            raise ToolError(
                f"The handoff {handoff.tool_name!r} of {agent.name!r} chooses its agent only when it is made, so "
                "that agent's tools are unknown; build it with agents.handoff(agent)."
            )


def _entry(tool: FunctionTool) -> dict[str, Any]:
    schema = tool.params_json_schema or {"type": "object", "properties": {}}
    return Tool(
        tool.name, tool.description, input_schema=schema, output_schema=tool.output_json_schema
    ).as_dict()


def _sub_agent(agent: AnyAgent) -> dict[str, Any]:
    talks_to = list(
        dict.fromkeys(actor_part(other.name) for other in neighbours(agent) if other is not agent)
    )
    names = list(dict.fromkeys(tool.name for tool in function_tools(agent.tools)))
    entry: dict[str, Any] = {"actor_id": actor_part(agent.name), "tools": names}
    return {**entry, "talks_to": talks_to} if talks_to else entry
