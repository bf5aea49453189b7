"""The system prompt with what the run adds to it, and the middleware that does this for an agent of `create_agent`."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from pipelines.odyssey.adapters.langchain.models import ending_in_injection
from pipelines.odyssey.adapters.langchain.tools import MARK, directs_agents, proxied_tool
from pipelines.odyssey.context import current_actor, current_or_none
from pipelines.odyssey.traces import safe_system_prompt, safe_system_prompt_async

ToolAnswer = ToolMessage | Command[Any]


class OdysseyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Put last in `create_agent(middleware=[…])`: tools call the proxy, the run's injection joins the system prompt.

    For those who call the agent themselves; `run` needs no middleware. It tells tools apart, not agents: a tool that
    asks another agent has to be ported with `proxied`.
    """

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        request = with_injection(request)
        if _first(request):
            safe_system_prompt(request.system_prompt or "")
        return handler(request)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        request = with_injection(request)
        if _first(request):
            await safe_system_prompt_async(request.system_prompt or "")
        return await handler(request)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolAnswer]
    ) -> ToolAnswer:
        return handler(_to_proxy(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        return await handler(_to_proxy(request))


def with_injection(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """Return the request whose system message ends in the injection of the run at hand."""
    envelope = current_or_none()
    if envelope is None or not envelope.system_injection:
        return request
    # Where a node beside this agent had to be told by a message, the agent is not told twice.
    messages = [
        message
        for message in request.messages
        if message.type != "system" or message.text != envelope.system_injection
    ]
    told = ending_in_injection(request.system_message, envelope)
    return request.override(system_message=told, messages=messages)


def _first(request: ModelRequest[Any]) -> bool:
    return bool(request.system_prompt) and not any(message.type == "ai" for message in request.messages)


def _to_proxy(request: ToolCallRequest) -> ToolCallRequest:
    tool = request.tool
    if not isinstance(tool, BaseTool) or MARK in (tool.metadata or {}) or directs_agents(tool):
        return request
    return request.override(tool=proxied_tool(tool, current_actor, shown=True))
