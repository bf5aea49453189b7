"""What an agent of Strands can reach: its own tools, the agents behind it, and what no proxy can stand in for."""

from collections.abc import Iterable
from typing import Any

from strands import Agent
from strands.agent._agent_as_tool import _AgentAsTool
from strands.multiagent.graph import Graph
from strands.multiagent.swarm import Swarm
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.mcp import MCPAgentTool, MCPClient
from strands.tools.registry import ToolRegistry
from strands.types.tools import AgentTool

from pipelines.odyssey.context import actor_part
from pipelines.odyssey.errors import ToolError, UnproxiableToolError

Team = Agent | Swarm | Graph
AgentAsTool = _AgentAsTool

_VENDED = "strands.vended_tools."
_STOP = "strands.vended_tools.stop"


def own_tools(agent: Agent) -> list[AgentTool]:
    """Return the tools whose calls the proxy answers, or refuse the agent that has others."""
    refuse_hosted(agent)
    return [tool for tool in registered(agent) if belongs_to_proxy(tool)]


def agents_as_tools(agent: Agent) -> list[AgentAsTool]:
    return [tool for tool in registered(agent) if isinstance(tool, AgentAsTool)]


def registered(agent: Agent) -> list[AgentTool]:
    """Return every tool under the body that a call would find."""
    registry = agent.tool_registry
    return list({**registry.registry, **registry.dynamic_tools}.values())


def belongs_to_proxy(tool: AgentTool) -> bool:
    """Tell tools that act in the world from agents and from what only steers the framework's own loop."""
    if isinstance(tool, MCPAgentTool):
        raise UnproxiableToolError(tool.tool_name, _MCP)
    return not isinstance(tool, AgentAsTool) and not _steers(tool)


def resolved(tools: Iterable[Any]) -> list[AgentTool]:
    """Turn what `Agent(tools=…)` takes into tools: functions, modules, paths, agents, tools."""
    listed = list(tools)
    for tool in listed:
        if isinstance(tool, MCPClient):
            raise UnproxiableToolError(type(tool).__name__, _MCP)
    registry = ToolRegistry()
    registry.process_tools(listed)
    return list(registry.registry.values())


def refuse_hosted(agent: Agent) -> None:
    """Refuse an agent whose model has tools of its provider, which run there."""
    config = agent.model.get_config()
    if not isinstance(config, dict):
        return
    hosted = [*(config.get("gemini_tools") or ()), *((config.get("params") or {}).get("tools") or ())]
    for tool in hosted:
        name = tool.get("type") if isinstance(tool, dict) else None
        raise UnproxiableToolError(str(name or tool), _HOSTED)


def node_agents(team: Swarm | Graph) -> dict[str, Team]:
    """Return who is behind each node."""
    nodes: dict[str, Team] = {}
    for node_id, node in team.nodes.items():
        executor: Any = node.executor
        if not isinstance(executor, Agent | Swarm | Graph):
            raise UnproxiableToolError(
                node_id, f"it is a {type(executor).__name__}, whose tools run elsewhere."
            )
        nodes[node_id] = executor
    return nodes


def entry_nodes(team: Swarm | Graph) -> list[str]:
    """Return the nodes that get the task, in the order of the team."""
    if isinstance(team, Graph):
        first = {node.node_id for node in team.entry_points}
        return [node_id for node_id in team.nodes if node_id in first]
    if team.entry_point is not None:
        return [str(team.entry_point.name)]
    return list(team.nodes)[:1]


def wrapped_agent(tool: AgentAsTool, above: tuple[int, ...]) -> Agent:
    """Return the agent behind a tool, or refuse one that stands above itself."""
    agent = tool.agent
    if id(agent) in above:
        raise ToolError(
            f"The agent behind the tool {tool.tool_name!r} can reach itself through its own tools; "
            "agents as tools must not form a circle."
        )
    return agent


def is_team(subject: Team) -> bool:
    return not isinstance(subject, Agent) or bool(agents_as_tools(subject))


def root_actor(agent: Agent) -> str | None:
    """Name the agent at the top, if there is anybody to tell it from."""
    return actor_part(agent.name) if is_team(agent) else None


def _steers(tool: AgentTool) -> bool:
    if not isinstance(tool, DecoratedFunctionTool):
        return False
    module = getattr(tool._tool_func, "__module__", None) or ""
    return module.startswith(_STOP) or (module.startswith("strands.") and not module.startswith(_VENDED))


_MCP = (
    "it lives on an MCP server. Give the MCP client the address {odyssey_proxy_url}/mcp with the run token as "
    "bearer instead, and declare the server's tools in the registration."
)
_HOSTED = (
    "the model's provider runs it. Take it from the model's configuration and give the agent a function tool "
    "that does the same."
)
