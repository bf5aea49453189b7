"""Tools of Strands whose bodies are calls to the per-run proxy."""

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from strands import Agent
from strands.tools.decorator import DecoratedFunctionTool
from strands.types._events import ToolResultEvent
from strands.types.tools import AgentTool, ToolGenerator, ToolResultStatus, ToolSpec, ToolUse

from pipelines.odyssey.context import acting_as, current, current_actor
from pipelines.odyssey.errors import ProxyError, RunEndedError
from pipelines.odyssey.proxy import proxy_call, proxy_call_async

Ended = dict[str, RunEndedError]
"""How runs ended that the proxy refused, by run token: agents that share it make no further model call."""


def proxied_tool(tool: AgentTool, actor_id: str | None = None, ended: Ended | None = None) -> AgentTool:
    """Return the tool with its description as it is and its body replaced."""
    caller = _Caller(tool.tool_name, actor_id, ended)
    if isinstance(tool, DecoratedFunctionTool):
        return _ProxiedFunction(tool, caller)
    return _ProxiedTool(tool, caller)


class _Caller:
    """Calls one tool on behalf of one agent."""

    def __init__(self, name: str, actor_id: str | None, ended: Ended | None) -> None:
        self.name = name
        self._actor_id = actor_id
        self._ended = ended

    async def result(self, tool_use: ToolUse, invocation_state: Mapping[str, Any]) -> ToolResultEvent:
        """Ask the proxy, and say it as Strands wants to hear it; the model sees a refusal as a failed tool."""
        arguments = tool_use.get("input") or {}
        if not isinstance(arguments, Mapping):
            return _event(tool_use, "error", "The arguments are not a JSON object.")
        try:
            return _event(tool_use, "success", _text(await self.call_async(arguments)))
        except RunEndedError as error:
            self._end(error, invocation_state.get("agent"))
            return _event(tool_use, "error", str(error), error)
        except ProxyError as error:
            return _event(tool_use, "error", str(error), error)

    async def call_async(self, arguments: Mapping[str, Any]) -> Any:
        with acting_as(self._actor_id or current_actor()):
            return await proxy_call_async(self.name, arguments)

    def call(self, arguments: Mapping[str, Any]) -> Any:
        with acting_as(self._actor_id or current_actor()):
            return proxy_call(self.name, arguments)

    def _end(self, error: RunEndedError, agent: Any) -> None:
        # Strands turns what a tool raises into a tool result, so that the end has to be told in another way.
        if self._ended is not None:
            self._ended[current().run_token] = error
        elif isinstance(agent, Agent):
            agent.cancel(message=str(error))


class _ProxiedTool(AgentTool):
    def __init__(self, original: AgentTool, caller: _Caller) -> None:
        super().__init__()
        self._original = original
        self._caller = caller
        if original.is_dynamic:
            self.mark_dynamic()

    @property
    def tool_name(self) -> str:
        return self._original.tool_name

    @property
    def tool_spec(self) -> ToolSpec:
        return self._original.tool_spec

    @property
    def tool_type(self) -> str:
        return self._original.tool_type

    async def stream(self, tool_use: ToolUse, invocation_state: dict[str, Any], **_: Any) -> ToolGenerator:
        yield await self._caller.result(tool_use, invocation_state)


class _ProxiedFunction(DecoratedFunctionTool[..., Any]):
    """As the others, and still to be called as the function it stands for."""

    def __init__(self, original: DecoratedFunctionTool[..., Any], caller: _Caller) -> None:
        body = _body(original, caller)
        super().__init__(original.tool_name, original.tool_spec, body, original._metadata)
        self._caller = caller
        if original.is_dynamic:
            self.mark_dynamic()

    async def stream(self, tool_use: ToolUse, invocation_state: dict[str, Any], **_: Any) -> ToolGenerator:
        yield await self._caller.result(tool_use, invocation_state)


def _body(original: DecoratedFunctionTool[..., Any], caller: _Caller) -> Callable[..., Any]:
    function = original._tool_func
    signature = inspect.signature(function)
    fields = original._metadata.input_model.model_fields

    def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs).arguments
        return {name: value for name, value in bound.items() if name in fields}

    @functools.wraps(function)
    def body(*args: Any, **kwargs: Any) -> Any:
        return caller.call(given(args, kwargs))

    @functools.wraps(function)
    async def body_async(*args: Any, **kwargs: Any) -> Any:
        return await caller.call_async(given(args, kwargs))

    waits = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    return body_async if waits else body


def _text(response: Any) -> str:
    if isinstance(response, str):
        return response
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


def _event(
    tool_use: ToolUse, status: ToolResultStatus, text: str, error: ProxyError | None = None
) -> ToolResultEvent:
    return ToolResultEvent(
        {"toolUseId": tool_use["toolUseId"], "status": status, "content": [{"text": text}]}, exception=error
    )
