"""The tools and sub-agents of a Strands agent, as a registration takes them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from strands import Agent
from strands.multiagent.graph import Graph
from strands.multiagent.swarm import Swarm
from strands.tools.tools import normalize_tool_spec
from strands.types.tools import AgentTool

from pipelines.odyssey.adapters.strands.reach import (
    Team,
    agents_as_tools,
    belongs_to_proxy,
    entry_nodes,
    is_team,
    node_agents,
    own_tools,
    resolved,
    root_actor,
    wrapped_agent,
)
from pipelines.odyssey.context import actor_part, actor_path
from pipelines.odyssey.errors import ToolError
from pipelines.odyssey.tools import Execution, tools_schema


class Member(NamedTuple):
    actor_id: str
    agent: Agent
    talks_to: list[str]


def dump_tools_schema(
    agent_or_tools: Any, *, executions: Mapping[str, Execution] | None = None
) -> list[dict[str, Any]]:
    """Describe every tool the agent can reach, its sub-agents' included, each once; `executions` says who answers."""
    entries: dict[str, dict[str, Any]] = {}
    for tool in _reachable(agent_or_tools):
        entry = _entry(tool)
        if entries.setdefault(tool.tool_name, entry) != entry:
            raise ToolError(
                f"Two different tools are called {tool.tool_name!r}; a name stands for one tool of an agent, "
                "its sub-agents included. Rename one of them."
            )
    return tools_schema(entries.values(), executions)


def dump_tools_schema_json(agent_or_tools: Any, *, executions: Mapping[str, Execution] | None = None) -> str:
    """As `dump_tools_schema`, as text for the import dialog."""
    return json.dumps(dump_tools_schema(agent_or_tools, executions=executions), indent=2, ensure_ascii=False)


def dump_sub_agents(agent: Any) -> dict[str, Any] | None:
    """Say which agents there are and whom each may hand work to; None of an agent that is alone."""
    if not isinstance(agent, Agent | Swarm | Graph) or not is_team(agent):
        return None
    found = members(agent)
    return {
        "sub_agents": [
            {
                "actor_id": member.actor_id,
                "tools": [tool.tool_name for tool in own_tools(member.agent)],
                "talks_to": member.talks_to,
            }
            for member in found
        ],
        "topology": {"entry": _first(agent, None)},
    }


def members(team: Team) -> list[Member]:
    """Return every agent of a team with the path that names it."""
    if isinstance(team, Agent):
        return _agent(team, root_actor(team) or actor_part(team.name), (), ())
    return _orchestra(team, None, ())


def _agent(agent: Agent, path: str, peers: Iterable[str], above: tuple[int, ...]) -> list[Member]:
    tools = agents_as_tools(agent)
    below = [actor_path(path, tool.tool_name) for tool in tools]
    found = [Member(path, agent, [*below, *peers])]
    for tool, child in zip(tools, below, strict=True):
        found += _agent(wrapped_agent(tool, (*above, id(agent))), child, (), (*above, id(agent)))
    return found


def _orchestra(team: Swarm | Graph, path: str | None, peers: Iterable[str]) -> list[Member]:
    nodes = node_agents(team)
    found: list[Member] = []
    for node_id, node in nodes.items():
        place = actor_path(path, node_id)
        talks = [
            _first(nodes[other], actor_path(path, other)) for other in _neighbours(team, node_id)
        ] + list(peers)
        found += _agent(node, place, talks, ()) if isinstance(node, Agent) else _orchestra(node, place, talks)
    return found


def _neighbours(team: Swarm | Graph, node_id: str) -> list[str]:
    if isinstance(team, Swarm):
        return [other for other in team.nodes if other != node_id]
    after = {edge.to_node.node_id for edge in team.edges if edge.from_node.node_id == node_id}
    return [other for other in team.nodes if other in after]


def _first(team: Team, path: str | None) -> str:
    """Name the agent that a team at this path begins with."""
    if isinstance(team, Agent):
        return path or actor_part(team.name)
    node_id = entry_nodes(team)[0]
    return _first(node_agents(team)[node_id], actor_path(path, node_id))


def _reachable(subject: Any) -> list[AgentTool]:
    if isinstance(subject, Agent | Swarm | Graph):
        return [tool for member in members(subject) for tool in own_tools(member.agent)]
    listed = [subject] if isinstance(subject, AgentTool) else resolved(subject)
    found = [tool for tool in listed if belongs_to_proxy(tool)]
    for holder in listed:
        agent = getattr(holder, "agent", None)
        if isinstance(agent, Agent):
            found += _reachable(agent)
    return found


def _entry(tool: AgentTool) -> dict[str, Any]:
    spec = normalize_tool_spec(tool.tool_spec)
    entry: dict[str, Any] = {
        "name": tool.tool_name,
        "description": spec["description"],
        "input_schema": spec["inputSchema"]["json"],
    }
    if output := spec.get("outputSchema"):
        entry["output_schema"] = output.get("json", output)
    return entry
