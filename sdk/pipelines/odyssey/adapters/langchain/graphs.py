"""A compiled graph, copied with its tools calling the proxy: also those of sub-graphs and of agents that tools ask."""

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.pregel.protocol import PregelProtocol

from pipelines.odyssey.adapters.langchain.composed import MADE_OF_OTHERS, rebuilt
from pipelines.odyssey.adapters.langchain.functions import Replace, rebound
from pipelines.odyssey.adapters.langchain.middleware import with_injection
from pipelines.odyssey.adapters.langchain.models import injecting
from pipelines.odyssey.adapters.langchain.tools import (
    ToolFailedError,
    directs_agents,
    entry_of,
    marked,
    proxied_tool,
)
from pipelines.odyssey.context import actor_path
from pipelines.odyssey.errors import ToolError, UnproxiableToolError

ACTOR = "odyssey_actor"
"""A key of the metadata every step of the graph runs with: the path of the agent at work."""

Graph = Pregel[Any, Any, Any, Any]

_UNNAMED = "LangGraph"
_FACTORY = "langchain.agents.factory"
_MODEL_CALLS = ("_execute_model_sync", "_execute_model_async")


@dataclass
class Actor:
    tools: list[str] = field(default_factory=list)
    talks_to: list[str] = field(default_factory=list)


class Port:
    """Walks a graph once: makes the copy and notes what it met."""

    def __init__(self, graph: Graph, local: Collection[str] = ()) -> None:
        self.local = frozenset(local)
        self.actors: dict[str, Actor] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self.unproxiable: list[UnproxiableToolError] = []
        self.agent_nodes: dict[tuple[str, str], str] = {}
        """For an agent's path and the node it stands in: the path of the graph around it."""
        self.agent_tools: dict[tuple[str, str], str] = {}
        """For the path of an agent and a tool of it that asks another: the other's path."""
        self._models: set[str] = set()
        """The paths of agents whose model was found: it adds the run's injection by itself."""
        self._opaque: set[str] = set()
        """The paths of agents with a node in which nothing was found."""
        self._under_way: list[Graph] = []
        self.entry = actor_path(None, _entry_name(graph))
        self.graph = self._graph(graph, self.entry)

    @property
    def may_hide_a_model(self) -> bool:
        """Whether an agent may ask a model that was not found, and has to be told of the injection by a message."""
        return bool(self._opaque - self._models)

    def label(self, path: str) -> str | None:
        """Return the actor id to send: none where there is but one agent."""
        return path if len(self.actors) > 1 else None

    def _graph(self, graph: Graph, path: str) -> Graph:
        if any(graph is other for other in self._under_way):
            names = " → ".join(other.get_name() for other in [*self._under_way, graph])
            raise ToolError(
                f"The agents ask each other in a circle: {names}. Hand over with a Command instead."
            )
        self.actors.setdefault(path, Actor())
        self._under_way.append(graph)
        entry = _first_node(graph)
        nodes = {name: self._node(name, node, path, name == entry) for name, node in graph.nodes.items()}
        self._under_way.pop()
        self._note_edges(graph, path)
        return graph.copy({"nodes": nodes})

    def _note_edges(self, graph: Graph, path: str) -> None:
        if not isinstance(graph, CompiledStateGraph):
            return
        actors = {name: actor for (actor, name), around in self.agent_nodes.items() if around == path}
        edges = [
            *graph.builder.edges,
            *((node, end) for node, spec in graph.builder.nodes.items() for end in spec.ends or ()),
        ]
        for start, end in sorted(edges):
            if start in actors and end in actors:
                self._talk(actors[start], actors[end])

    def _node(self, name: str, node: Any, path: str, is_entry: bool) -> Any:
        if name == START:
            return node
        bound, actor = node.bound, path
        if isinstance(bound, Pregel):
            actor = path if is_entry else actor_path(path, name)
            self.agent_nodes[actor, name] = path
            self._talk(path, actor)
            bound = self._graph(bound, actor)
        elif isinstance(bound, PregelProtocol):
            raise UnproxiableToolError(
                name,
                "it is a graph on another server, and its tools are out of reach. Put the graph itself here.",
            )
        elif isinstance(bound, ToolNode):
            bound = self._tool_node(bound, path)
        elif _asks_model_of_agent(bound):
            bound = self._model_node(bound, path)
        else:
            bound, actor = self._other_node(name, bound, path, is_entry)
        changes = {"bound": bound, "metadata": {**(node.metadata or {}), ACTOR: actor}}
        return node.copy(changes if bound is node.bound else {**changes, "subgraphs": None})

    def _other_node(self, name: str, bound: Any, path: str, is_entry: bool) -> tuple[Any, str]:
        """Copy a node that is a function or composed: agents, models and tools in it are replaced in the copy."""
        asked: list[str] = []
        models: list[Any] = []

        def agent(graph: Graph) -> Graph:
            actor = path if is_entry else actor_path(path, name)
            if asked:
                actor = actor_path(path, graph.get_name())
            asked.append(actor)
            self.agent_nodes[actor, name] = path
            self._talk(path, actor)
            return self._graph(graph, actor)

        def replace(_: str, value: Any) -> Any:
            if isinstance(value, MADE_OF_OTHERS):
                return rebuilt(value, whole)
            model = injecting(value)
            if model is not value:
                models.append(model)
                return model
            return self._replaced(value, path, agent)

        def whole(runnable: Any) -> Any:
            found = once("", runnable)
            is_plain = found is runnable and not isinstance(runnable, MADE_OF_OTHERS)
            return _with_functions(runnable, once) if is_plain else found

        once = _remembering(replace)
        copied = whole(bound)
        if models:
            self._models.add(path)
        elif not asked:
            self._opaque.add(path)
        return copied, (asked[0] if len(asked) == 1 else path)

    def _model_node(self, bound: Any, path: str) -> Any:
        """Copy the node in which an agent of `create_agent` asks its model, the run's injection added."""

        def replace(name: str, value: Any) -> Any:
            if name == "default_tools":
                for tool in value:
                    if isinstance(tool, Mapping):
                        self._note_dict(tool, path)
            if name not in _MODEL_CALLS:
                return value
            self._models.add(path)
            return _calling_injected(value, is_async=name == _MODEL_CALLS[1])

        return _with_functions(bound, replace)

    def _replaced(self, value: Any, path: str, agent: Callable[[Graph], Graph]) -> Any:
        if isinstance(value, Pregel):
            return agent(value)
        if isinstance(value, BaseTool):
            return self._tool(value, path, shown=True)
        if isinstance(value, ToolNode):
            return self._tool_node(value, path)
        if isinstance(value, list | tuple) and any(isinstance(item, BaseTool | Pregel) for item in value):
            return type(value)(self._item(item, path, agent) for item in value)
        if isinstance(value, dict) and any(isinstance(item, BaseTool | Pregel) for item in value.values()):
            return {name: self._item(item, path, agent) for name, item in value.items()}
        return value

    def _item(self, value: Any, path: str, agent: Callable[[Graph], Graph]) -> Any:
        if isinstance(value, Mapping):
            self._note_dict(value, path)
        return self._replaced(value, path, agent)

    def _tool_node(self, node: ToolNode, path: str) -> ToolNode:
        tools = [self._tool(tool, path, shown=False) for tool in node.tools_by_name.values()]
        fresh, copied = ToolNode(tools), copy.copy(node)
        copied._tools_by_name, copied._injected_args = fresh._tools_by_name, fresh._injected_args
        copied.func, copied.afunc = copied._func, copied._afunc
        if node._handle_tool_errors is not False:
            _show_refusals(node, copied)
        return copied

    def _tool(self, tool: BaseTool, path: str, *, shown: bool) -> BaseTool:
        if tool.name in self.local or directs_agents(tool):
            return marked(tool, "local")
        asking = self._asking(tool, path)
        if asking is not None:
            return asking
        self._note(entry_of(tool), path)
        return proxied_tool(tool, lambda: self.label(path), shown=shown)

    def _asking(self, tool: BaseTool, path: str) -> BaseTool | None:
        """Copy a tool that asks an agent, with that agent ported; None if it asks none."""

        def replace(_: str, value: Any) -> Any:
            if not isinstance(value, Pregel):
                return rebuilt(value, lambda part: once("", part))
            name = value.get_name()
            actor = actor_path(path, tool.name if name == _UNNAMED else name)
            self.agent_tools[path, tool.name] = actor
            self._talk(path, actor)
            return self._graph(value, actor)

        once = _remembering(replace)
        changes: dict[str, Any] = {}
        for name in type(tool).model_fields:
            value = getattr(tool, name)
            found = rebound(value, once) if name in ("func", "coroutine") else once(name, value)
            if found is not value:
                changes[name] = found
        return marked(tool, "local", **changes) if changes else None

    def _note(self, entry: dict[str, Any], path: str) -> None:
        name = entry["name"]
        if self.entries.setdefault(name, entry) != entry:
            raise ToolError(
                f"Two different tools are called {name!r}; a name stands for one tool of an agent."
            )
        if name not in self.actors[path].tools:
            self.actors[path].tools.append(name)

    def _note_dict(self, tool: Mapping[str, Any], path: str) -> None:
        try:
            self._note(entry_of(tool), path)
        except UnproxiableToolError as error:
            self.unproxiable.append(error)

    def _talk(self, path: str, other: str) -> None:
        if other != path and other not in self.actors.setdefault(path, Actor()).talks_to:
            self.actors[path].talks_to.append(other)


def _asks_model_of_agent(bound: Any) -> bool:
    """Whether it is the node in which an agent of `create_agent` asks its model."""
    if isinstance(bound, MADE_OF_OTHERS):
        return False
    return getattr(getattr(bound, "func", None), "__module__", None) == _FACTORY


def _with_functions(bound: Any, replace: Replace) -> Any:
    """Copy a node that runs functions with what these name replaced; itself if nothing was."""
    changed = {
        attribute: found
        for attribute in ("func", "afunc")
        if (function := getattr(bound, attribute, None)) is not None
        and (found := rebound(function, replace)) is not function
    }
    if not changed:
        return bound
    copied = copy.copy(bound)
    copied.__dict__.update(changed)
    return copied


def _remembering(replace: Replace) -> Replace:
    """Give one value one replacement, however often it is named."""
    done: dict[int, Any] = {}

    def remembered(name: str, value: Any) -> Any:
        if id(value) not in done:
            done[id(value)] = replace(name, value)
        return done[id(value)]

    return remembered


def _entry_name(graph: Graph) -> str:
    first = _first_node(graph)
    made = first is None or "model" in graph.nodes
    if first is not None and isinstance(graph.nodes[first].bound, Pregel):
        return first
    if graph.get_name() != _UNNAMED:
        return graph.get_name()
    return "agent" if made else str(first)


def _first_node(graph: Graph) -> str | None:
    """Name the node that a run of the graph begins with, if it is always the same one."""
    if not isinstance(graph, CompiledStateGraph):
        return None
    first = [end for start, end in graph.builder.edges if start == START]
    return first[0] if len(first) == 1 else None


def _calling_injected(call: Callable[[Any], Any], *, is_async: bool) -> Callable[[Any], Any]:
    """Wrap the innermost call of an agent's model: whatever middleware made the system message, it is complete here."""

    def with_it(request: Any) -> Any:
        return call(with_injection(request))

    async def with_it_async(request: Any) -> Any:
        return await call(with_injection(request))

    return with_it_async if is_async else with_it


def _show_refusals(node: ToolNode, copied: ToolNode) -> None:
    """Let the model read why the proxy refused, after the user's own handlers had their turn."""
    wrap, wrap_async = node._wrap_tool_call, node._awrap_tool_call

    def shown(request: Any, execute: Any) -> Any:
        try:
            return wrap(request, execute) if wrap is not None else execute(request)
        except ToolFailedError as error:
            return _refused(request, error)

    async def shown_async(request: Any, execute: Any) -> Any:
        try:
            return await (wrap_async(request, execute) if wrap_async is not None else execute(request))
        except ToolFailedError as error:
            return _refused(request, error)

    copied._wrap_tool_call = shown
    # With a wrapper for sync calls alone, ToolNode uses that one for async calls as well.
    copied._awrap_tool_call = None if wrap is not None and wrap_async is None else shown_async


def _refused(request: Any, error: ToolFailedError) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(str(error), name=call["name"], tool_call_id=call["id"], status="error")
