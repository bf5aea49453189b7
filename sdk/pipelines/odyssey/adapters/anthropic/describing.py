"""What a `tools` array holds, as the platform registers it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipelines.odyssey.adapters.anthropic.sub_agent import SubAgent, sub_agents_of, tools_of
from pipelines.odyssey.context import actor_path
from pipelines.odyssey.errors import ToolError, UnproxiableToolError
from pipelines.odyssey.tools import Execution, Tool, tools_schema

ENTRY_NAME = "agent"
"""What the first agent is called when nobody says."""
_CLIENT_SIDE = ("bash_", "computer_", "memory_", "text_editor_", "browser_toolset_")


def dump_tools_schema(
    agent_or_tools: SubAgent | Iterable[Any], *, executions: Mapping[str, Execution] | None = None
) -> list[dict[str, Any]]:
    """Write the `tools_schema` of a registration: every tool, also of sub-agents, once; sub-agents are no tools."""
    found: dict[str, dict[str, Any]] = {}
    for tool in _functions(agent_or_tools):
        given = definition(tool)
        entry = Tool(
            str(given["name"]), str(given.get("description") or ""), input_schema=given["input_schema"]
        ).as_dict()
        if found.setdefault(entry["name"], entry) != entry:
            raise ToolError(
                f"Two different tools are called {entry['name']!r}; a name stands for one tool of an agent, "
                "sub-agents included."
            )
    return tools_schema(found.values(), executions)


def dump_tools_schema_json(
    agent_or_tools: SubAgent | Iterable[Any], *, executions: Mapping[str, Execution] | None = None
) -> str:
    """As `dump_tools_schema`, as text for the import dialog."""
    return json.dumps(dump_tools_schema(agent_or_tools, executions=executions), indent=2, ensure_ascii=False)


def dump_sub_agents(
    agent_or_tools: SubAgent | Iterable[Any], *, name: str = ENTRY_NAME
) -> dict[str, Any] | None:
    """Write `sub_agents` and `topology` of a registration; None for an agent without sub-agents.

    The first agent is called as `run` is told to call it.
    """
    tools = tools_of(agent_or_tools)
    if not sub_agents_of(tools):
        return None
    entry = actor_path(None, agent_or_tools.name if isinstance(agent_or_tools, SubAgent) else name)
    return {"sub_agents": list(_catalogue(entry, tools)), "topology": {"entry": entry}}


def definition(tool: Any) -> dict[str, Any]:
    """Return a tool as `messages.create` takes it, or raise for one that no proxy can answer."""
    if isinstance(tool, SubAgent):
        return tool.definition()
    given = tool if isinstance(tool, Mapping) else tool.to_dict() if hasattr(tool, "to_dict") else None
    if given is None:
        raise ToolError(
            f"{type(tool).__name__} is no tool of the Anthropic SDK: give dicts as to messages.create, or functions "
            "under @beta_tool."
        )
    kind = given.get("type") or "custom"
    name = str(given.get("name") or given.get("mcp_server_name") or kind)
    if kind.startswith(_CLIENT_SIDE):
        raise UnproxiableToolError(
            name,
            f"{kind} has its schema inside the model. Describe it as a tool of your own, with input_schema.",
        )
    if kind != "custom":
        raise UnproxiableToolError(
            name,
            f"{kind} runs on Anthropic's servers. Leave it out, or offer a tool of your own in its place.",
        )
    if not isinstance(given.get("name"), str) or not isinstance(given.get("input_schema"), Mapping):
        raise ToolError(f"The tool {name!r} lacks its name or its input_schema.")
    return dict(given)


def _functions(agent_or_tools: SubAgent | Iterable[Any]) -> Iterator[Any]:
    for tool in tools_of(agent_or_tools):
        if isinstance(tool, SubAgent):
            yield from _functions(tool)
        else:
            yield tool


def _catalogue(actor_id: str, tools: Iterable[Any]) -> Iterator[dict[str, Any]]:
    tools = list(tools)
    agents = sub_agents_of(tools)
    own = [definition(tool)["name"] for tool in tools if not isinstance(tool, SubAgent)]
    entry: dict[str, Any] = {"actor_id": actor_id, "tools": own}
    if agents:
        entry["talks_to"] = [actor_path(actor_id, agent.name) for agent in agents]
    yield entry
    for agent in agents:
        yield from _catalogue(actor_path(actor_id, agent.name), agent.tools)
