"""Copies of Strands agents and teams whose tools go through the proxy; the originals stay as they are."""

import copy
import threading
from typing import Any, NamedTuple

from strands import Agent
from strands.agent.state import AgentState
from strands.hooks import HookRegistry
from strands.interrupt import _InterruptState
from strands.multiagent.base import Status
from strands.multiagent.graph import Graph, GraphEdge, GraphNode, GraphState
from strands.multiagent.swarm import SharedContext, Swarm, SwarmNode, SwarmState
from strands.telemetry.metrics import EventLoopMetrics
from strands.tools.registry import ToolRegistry
from strands.types.content import Messages
from strands.types.tools import AgentTool

from pipelines.odyssey.adapters.strands.bodies import Ended, proxied_tool
from pipelines.odyssey.adapters.strands.reach import (
    AgentAsTool,
    Team,
    belongs_to_proxy,
    entry_nodes,
    node_agents,
    refuse_hosted,
    resolved,
    root_actor,
    wrapped_agent,
)
from pipelines.odyssey.adapters.strands.telling import tell_handoffs, watch
from pipelines.odyssey.context import actor_path
from pipelines.odyssey.errors import ToolError

_HANDOFF = "handoff_to_agent"


def proxied(agent_or_tools: Any) -> Any:
    """Return a copy of an agent, a swarm, a graph, a tool or a list of tools that acts through the proxy only."""
    if isinstance(agent_or_tools, Agent | Swarm | Graph):
        return Copies().of(agent_or_tools)
    if isinstance(agent_or_tools, AgentTool):
        return Copies().tool(agent_or_tools, None, ())
    return [Copies().tool(tool, None, ()) for tool in resolved(agent_or_tools)]


class Copied(NamedTuple):
    agent: Agent
    actor_id: str | None
    is_entry: bool
    """Whether the task of the user goes to it."""
    speaks: bool
    """Whether its words are the conversation: it is the only agent, or a node of the team."""


class Copies:
    """The copies of one team; they share what they learn about the end of a run."""

    def __init__(self) -> None:
        self.agents: list[Copied] = []
        self.ended: Ended = {}

    def of(self, subject: Team) -> Team:
        if isinstance(subject, Agent):
            return self._agent(subject, root_actor(subject), is_entry=True, speaks=True, is_root=True)
        return self._orchestra(subject, None, is_entry=True)

    def tool(self, tool: AgentTool, actor_id: str | None, above: tuple[int, ...]) -> AgentTool:
        if isinstance(tool, AgentAsTool):
            return self._agent_as_tool(tool, actor_path(actor_id, tool.tool_name), above)
        if not belongs_to_proxy(tool):
            return tool
        return proxied_tool(tool, actor_id, self.ended if above else None)

    def _agent(
        self,
        agent: Agent,
        actor_id: str | None,
        *,
        is_entry: bool = False,
        speaks: bool = False,
        is_root: bool = False,
        above: tuple[int, ...] = (),
    ) -> Agent:
        refuse_hosted(agent)
        if agent._background_tasks is not None:
            raise ToolError(
                f"The agent {agent.name!r} runs tools in the background, which keep to the agent they were made "
                "for; run it without background_tasks."
            )
        twin = _twin(agent)
        self.agents.append(Copied(twin, actor_id, is_entry, speaks))
        registry = ToolRegistry()
        above = (*above, id(agent))
        for name, tool in agent.tool_registry.registry.items():
            registry.registry[name] = self.tool(tool, actor_id, above)
        for name, tool in agent.tool_registry.dynamic_tools.items():
            same = agent.tool_registry.registry.get(name) is tool
            registry.dynamic_tools[name] = (
                registry.registry[name] if same else self.tool(tool, actor_id, above)
            )
        twin.tool_registry = registry
        watch(twin, actor_id, is_root=is_root, ended=self.ended)
        return twin

    def _agent_as_tool(self, tool: AgentAsTool, path: str, above: tuple[int, ...]) -> AgentTool:
        twin = copy.copy(tool)
        twin._agent = self._agent(wrapped_agent(tool, above), path, above=above)
        twin._lock = threading.Lock()
        return twin

    def _orchestra(self, team: Swarm | Graph, path: str | None, *, is_entry: bool) -> Swarm | Graph:
        first = entry_nodes(team) if is_entry else []
        executors: dict[str, Team] = {}
        for node_id, node in node_agents(team).items():
            place = actor_path(path, node_id)
            if isinstance(node, Agent):
                executors[node_id] = self._node(node, place, team.nodes[node_id], node_id in first)
            else:
                executors[node_id] = self._orchestra(node, place, is_entry=node_id in first)
        twin = _twin_swarm(team, executors) if isinstance(team, Swarm) else _twin_graph(team, executors)
        tell_handoffs(twin, path)
        return twin

    def _node(self, agent: Agent, path: str, node: SwarmNode | GraphNode, is_entry: bool) -> Agent:
        twin = self._agent(agent, path, is_entry=is_entry, speaks=True)
        twin.messages = copy.deepcopy(node._initial_messages)
        twin.tool_registry.registry.pop(_HANDOFF, None)
        return twin


def begin_with(team: Team, copied: Copied, messages: Messages) -> None:
    """Put messages before the first one of the task; nodes of a team go back to them each time they start."""
    copied.agent.messages.extend(messages)
    if not isinstance(team, Agent):
        for node in team.nodes.values():
            if node.executor is copied.agent:
                node._initial_messages = copy.deepcopy(copied.agent.messages)
            elif isinstance(node.executor, Swarm | Graph):
                begin_with(node.executor, copied, [])


def _twin(agent: Agent) -> Agent:
    """Copy an agent: its own conversation, counters and locks, the same model, prompt, hooks and plugins."""
    twin = copy.copy(agent)
    twin.messages = copy.deepcopy(agent.messages)
    twin.state = AgentState(agent.state.get())
    twin.hooks = _hooks(agent.hooks)
    twin.event_loop_metrics = EventLoopMetrics()
    twin.trace_span = None
    twin.tool_caller = agent.ToolCaller(twin)
    twin._cancel_signal = threading.Event()
    twin._interrupt_state = _InterruptState()
    twin._model_state = copy.deepcopy(agent._model_state)
    twin._concurrency = type(agent._concurrency)(agent.concurrent_invocation_mode)
    return twin


def _twin_swarm(swarm: Swarm, executors: dict[str, Any]) -> Swarm:
    twin = copy.copy(swarm)
    twin.hooks = _hooks(swarm.hooks)
    twin.shared_context = SharedContext()
    twin.state = SwarmState(current_node=None, task="", completion_status=Status.PENDING)
    twin._interrupt_state = _InterruptState()
    twin._turn = None
    twin.nodes = {name: SwarmNode(name, agent, swarm=twin) for name, agent in executors.items()}
    if swarm.entry_point is not None:
        twin.entry_point = executors[str(swarm.entry_point.name)]
    twin._inject_swarm_tools()
    return twin


def _twin_graph(graph: Graph, executors: dict[str, Any]) -> Graph:
    twin = copy.copy(graph)
    twin.hooks = _hooks(graph.hooks)
    twin.state = GraphState()
    twin._interrupt_state = _InterruptState()
    twin._resume_next_nodes = []
    twin.nodes = {name: GraphNode(name, executor) for name, executor in executors.items()}
    for name, node in twin.nodes.items():
        node.dependencies = {twin.nodes[other.node_id] for other in graph.nodes[name].dependencies}
    twin.edges = {
        GraphEdge(twin.nodes[edge.from_node.node_id], twin.nodes[edge.to_node.node_id], edge.condition)
        for edge in graph.edges
    }
    twin.entry_points = {twin.nodes[node.node_id] for node in graph.entry_points}
    return twin


def _hooks(hooks: HookRegistry) -> HookRegistry:
    twin = HookRegistry()
    twin._registered_callbacks = {
        kind: list(entries) for kind, entries in hooks._registered_callbacks.items()
    }
    return twin
