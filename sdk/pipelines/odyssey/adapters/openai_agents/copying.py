"""The same agents with the proxy under their tools: copies, so that the originals stay what they are."""

import copy
import inspect
import json
import weakref
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any, TypeVar, cast

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, default_tool_error_function
from agents.tool import resolve_function_tool_failure_error_function
from agents.tool_context import ToolContext

from pipelines.odyssey.adapters.openai_agents.scope import Scope, acting_path, current_scope, entered
from pipelines.odyssey.adapters.openai_agents.tree import (
    AnyAgent,
    check,
    check_sandbox,
    inner_agent,
    is_made_of_several,
    target_of,
)
from pipelines.odyssey.adapters.openai_agents.watching import Watching
from pipelines.odyssey.context import acting_as, current_or_none
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ProxyError, RunEndedError, UnproxiableToolError
from pipelines.odyssey.injection import injected
from pipelines.odyssey.proxy import proxy_call_async
from pipelines.odyssey.traces import safe_handoff_async

AgentOrTools = TypeVar("AgentOrTools", bound=AnyAgent | list[Any])
Instructions = str | Callable[[RunContextWrapper[Any], AnyAgent], Any] | None


def proxied(agent_or_tools: AgentOrTools) -> AgentOrTools:
    """Return a copy whose function tools are answered by the run's proxy; of an agent, with all it can reach."""
    if isinstance(agent_or_tools, Agent):
        return cast(AgentOrTools, Copies(labelled=is_made_of_several(agent_or_tools)).agent(agent_or_tools))
    copies = Copies(labelled=False)
    return cast(AgentOrTools, [copies.tool(tool) for tool in agent_or_tools])


class Copies:
    """Copies a web of agents, in which each may lead back to any other; every agent is copied once."""

    def __init__(self, *, labelled: bool, envelope: Envelope | None = None) -> None:
        self._labelled = labelled
        self._envelope = envelope
        """Given, its injection goes into every system prompt."""
        self._made: dict[int, AnyAgent] = {}
        self._originals: list[AnyAgent] = []  # alive as long as their ids are keys

    def agent(self, original: AnyAgent) -> AnyAgent:
        made = self._made.get(id(original))
        if made is not None:
            return made
        check_sandbox(original)
        for server in original.mcp_servers:
            _check_server(original, server, self._envelope or current_or_none())
        made = copy.copy(original)
        self._originals.append(original)
        self._made[id(original)] = self._made[id(made)] = made
        if self._envelope is not None and self._envelope.system_injection is not None:
            made.instructions = _with_injection(original.instructions, self._envelope)
        made.tools = [self.tool(tool) for tool in original.tools]
        made.handoffs = [
            self.agent(each) if isinstance(each, Agent) else self._handoff(each) for each in original.handoffs
        ]
        return made

    def tool(self, original: Any) -> Any:
        check(original)
        inner = inner_agent(original)
        if inner is not None:
            return nested_tool(original, self.agent(inner))
        return (
            proxied_tool(original, labelled=self._labelled)
            if isinstance(original, FunctionTool)
            else original
        )

    def _handoff(self, original: Handoff[Any, Any]) -> Handoff[Any, Any]:
        made = copy.copy(original)

        async def invoke(context: RunContextWrapper[Any], input_json: str) -> AnyAgent:
            return self.agent(await original.on_invoke_handoff(context, input_json))

        made.on_invoke_handoff = invoke
        target = target_of(original)
        if target is not None:
            made._agent_ref = weakref.ref(self.agent(target))
        return made


def _with_injection(instructions: Any, envelope: Envelope) -> Callable[[Any, AnyAgent], Any]:
    async def prompt(context: RunContextWrapper[Any], agent: AnyAgent) -> str:
        text = instructions(context, agent) if callable(instructions) else instructions
        return injected((await text if inspect.isawaitable(text) else text) or "", envelope)

    return prompt


def _check_server(agent: AnyAgent, server: Any, envelope: Envelope | None) -> None:
    """Let only an MCP server of this run be used: any other would be called past the proxy."""
    params = getattr(server, "params", None)
    started = " ".join([str(getattr(params, "command", "")), *(getattr(params, "args", None) or ())])
    address = str(params.get("url", "")) if isinstance(params, dict) else ""
    of_run = envelope is not None and address.startswith(f"{envelope.proxy_url.rstrip('/')}/")
    if of_run or "mcp-shim" in started or "mcp_shim" in started:
        return
    raise UnproxiableToolError(
        server.name,
        f"{agent.name!r} would call this MCP server past the proxy. In a run give the agent the run's own: "
        "`pipelines-mcp-shim`, or the address {proxy_url}/mcp with the run token as bearer.",
    )


def nested_tool(original: FunctionTool, inner: AnyAgent) -> FunctionTool:
    """Copy a tool made by `as_tool`, with `inner` in the place of its agent."""
    tool = copy.copy(original)
    invoker: Any = tool.on_invoke_tool
    run_agent = getattr(invoker, "_invoke_tool_impl", None)
    if not isinstance(run_agent, FunctionType) or not {"self", "hooks"} <= set(
        run_agent.__code__.co_freevars
    ):
        raise UnproxiableToolError(
            tool.name, f"it does not run {inner.name!r} the way agent.as_tool() does; make it with as_tool()."
        )
    hooks = _captured(run_agent, "hooks")

    async def invoke(context: ToolContext[Any], input_json: str) -> Any:
        outer = current_scope()
        caller = acting_path(context, labelled=True)
        scope = Scope(caller, inner.name, labelled=True, nested=True, within=outer)
        with acting_as(caller):
            await safe_handoff_async(caller or "", scope.path or "", message=_message(input_json))
        bound = copy.copy(invoker)
        bound._invoke_tool_impl = _rebound(run_agent, {"self": inner, "hooks": Watching(scope, hooks)})
        with entered(scope):
            result = await bound(context, input_json)
        if scope.ending.error is not None:
            raise scope.ending.error  # which as_tool() has told the model as a failed tool
        return result

    tool.on_invoke_tool = invoke
    tool._agent_instance = inner
    return tool


def _captured(function: FunctionType, name: str) -> Any:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return cells[name].cell_contents


def _rebound(function: FunctionType, values: dict[str, Any]) -> Callable[..., Any]:
    """Copy a function with other values for some of the names it took from around it.

    `as_tool()` keeps its many settings there and nowhere else; so all of them stay as the user gave them.
    """
    closure = tuple(
        CellType(values[name]) if name in values else cell
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    return FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )


def _message(input_json: str) -> str:
    """Return what the sub-agent is asked: the one text of its arguments, or all of them."""
    try:
        given = json.loads(input_json)
    except ValueError:
        return input_json
    text = given.get("input") if isinstance(given, dict) and len(given) == 1 else None
    return text if isinstance(text, str) else input_json


def proxied_tool(original: FunctionTool, *, labelled: bool) -> FunctionTool:
    """Copy a tool; its calls bear the name of the acting agent where there are several."""
    tool = copy.copy(original)

    async def invoke(context: ToolContext[Any], input_json: str) -> Any:
        arguments = _arguments(input_json)
        if arguments is None:
            return _for_model(tool, f"The arguments of {tool.name} are not a JSON object.")
        try:
            with acting_as(acting_path(context, labelled=labelled)):
                return text_for_model(await proxy_call_async(tool.name, arguments))
        except RunEndedError as ended:
            scope = current_scope()
            if scope is not None:
                scope.ending.error = ended
            raise
        except ProxyError as refused:
            return await _refusal(tool, context, refused)

    tool.on_invoke_tool = invoke
    # The platform checks answers against the output schema; an answer that is an error must not end the run here.
    tool._output_type_adapter = None
    return tool


def text_for_model(response: Any) -> str:
    """Return what the tool answered: a text as it is, anything else as JSON."""
    if isinstance(response, str):
        return response
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


def _arguments(input_json: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(input_json or "{}")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


async def _refusal(tool: FunctionTool, context: ToolContext[Any], refused: ProxyError) -> Any:
    """Tell the model, in the words of the tool's own error function if it has one; without any the run fails."""
    said = resolve_function_tool_failure_error_function(tool, context)
    if said is None:
        raise refused
    if said is default_tool_error_function:
        return _for_model(tool, str(refused))
    words = said(context, refused)
    return await words if inspect.isawaitable(words) else words


def _for_model(tool: FunctionTool, sentence: str) -> str:
    # The framework takes nothing but an object from a tool that declares its output.
    return (
        sentence if tool.output_json_schema is None else json.dumps({"error": sentence}, ensure_ascii=False)
    )
