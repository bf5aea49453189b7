"""Tools for the SDK's tool runner, whose bodies are calls of the proxy."""

from collections.abc import Iterable
from typing import Any

from anthropic.lib.tools import BetaAsyncFunctionTool, BetaFunctionTool, ToolError

from pipelines.odyssey.adapters.anthropic.answering import text_of
from pipelines.odyssey.adapters.anthropic.describing import definition
from pipelines.odyssey.adapters.anthropic.sub_agent import SubAgent
from pipelines.odyssey.errors import ProxyError, UnproxiableToolError
from pipelines.odyssey.proxy import proxy_call, proxy_call_async


def proxied(tools: Iterable[Any], *, is_async: bool | None = None) -> list[Any]:
    """Return runnable tools with the same definitions; those given are left as they are.

    A function under `@beta_async_tool` stays asynchronous, everything else is not; `is_async` says it for all, as the
    tool runner of an AsyncAnthropic client wants it.
    """
    return [_proxied(tool, is_async) for tool in tools]


def _proxied(tool: Any, is_async: bool | None) -> BetaFunctionTool[Any] | BetaAsyncFunctionTool[Any]:
    if isinstance(tool, SubAgent):
        raise UnproxiableToolError(tool.name, "it is an agent, which the tool runner cannot run; use `run`.")
    given = definition(tool)
    given.pop("type", None)
    if isinstance(tool, BetaAsyncFunctionTool) if is_async is None else is_async:
        return BetaAsyncFunctionTool(_async_body(given["name"]), **given)
    return BetaFunctionTool(_body(given["name"]), **given)


def _body(name: str) -> Any:
    def body(**arguments: Any) -> str:
        try:
            return text_of(proxy_call(name, arguments))
        except ProxyError as refusal:  # of which the runner shows the model the text
            raise ToolError(str(refusal)) from refusal

    return body


def _async_body(name: str) -> Any:
    async def body(**arguments: Any) -> str:
        try:
            return text_of(await proxy_call_async(name, arguments))
        except ProxyError as refusal:
            raise ToolError(str(refusal)) from refusal

    return body
