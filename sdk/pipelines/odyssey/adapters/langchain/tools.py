"""LangChain tools: what each takes, and a copy of it whose body is a call to the per-run proxy."""

import json
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException
from langchain_core.tools import tool as make_tool
from langchain_core.utils.pydantic import get_fields, model_json_schema
from langgraph.types import Command
from pydantic_core import to_jsonable_python

from pipelines.odyssey.errors import ProxyError, RunEndedError, UnproxiableToolError
from pipelines.odyssey.proxy import proxy_call, proxy_call_async

MARK = "odyssey_tool"
"""A key of a tool's metadata: `proxied`, or `local` for one that directs the agents themselves."""

_HANDOFF = "__handoff_destination"
_LONE_ARGUMENT = "tool_input"


class ToolFailedError(ToolException):
    """The proxy refused a call; the model may read why."""


def as_tool(tool: BaseTool | Callable[..., Any]) -> BaseTool:
    """Make the tool LangChain would make of a function."""
    return tool if isinstance(tool, BaseTool) else make_tool(tool)


def entry_of(tool: BaseTool | Mapping[str, Any]) -> dict[str, Any]:
    """Describe a tool as the model sees it, without what LangChain injects."""
    if isinstance(tool, Mapping):
        return _entry_of_dict(tool)
    entry: dict[str, Any] = {"name": tool.name}
    if tool.description:
        entry["description"] = tool.description
    return {**entry, "input_schema": _input_schema(tool)}


def directs_agents(tool: BaseTool) -> bool:
    """Whether a tool steers the graph instead of acting on the world: it returns a Command."""
    if _HANDOFF in (tool.metadata or {}):
        return True
    body = _body(tool)
    try:
        returned = get_type_hints(body).get("return")
    except (NameError, TypeError):  # imported for type checkers alone, or no function
        returned = getattr(body, "__annotations__", {}).get("return")
    if isinstance(returned, str):
        return "Command" in returned
    return any(kind is Command or get_origin(kind) is Command for kind in (returned, *get_args(returned)))


def marked(tool: BaseTool, mark: str, **changes: Any) -> BaseTool:
    """Copy a tool, so that the run's guard knows it."""
    copied = tool.model_copy(update={**changes, "metadata": {**(tool.metadata or {}), MARK: mark}})
    # It is worked out from the body, which may be another one now.
    copied.__dict__.pop("_injected_args_keys", None)
    return copied


def proxied_tool(tool: BaseTool, actor: Callable[[], str | None], *, shown: bool) -> BaseTool:
    """Copy a tool with a proxy call as its body; `shown` lets the tool itself turn refusals into a result."""
    hidden = _injected(tool)

    def sent(given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        arguments = {next(iter(tool.args), _LONE_ARGUMENT): given[0]} if given else named
        return {
            name: to_jsonable_python(value, by_alias=True)
            for name, value in arguments.items()
            if name not in hidden
        }

    def call(*given: Any, **named: Any) -> Any:
        try:
            return _result(tool, proxy_call(tool.name, sent(given, named), actor_id=actor()))
        except ProxyError as error:
            raise _told(error) from error

    async def call_async(*given: Any, **named: Any) -> Any:
        try:
            return _result(tool, await proxy_call_async(tool.name, sent(given, named), actor_id=actor()))
        except ProxyError as error:
            raise _told(error) from error

    changes: dict[str, Any] = {"func": call, "coroutine": call_async}
    if shown and not tool.handle_tool_error:
        changes["handle_tool_error"] = True
    # A tool that is a class of its own gets the shape of one made of functions.
    return marked(
        tool if isinstance(tool, StructuredTool | Tool) else _structured(tool), "proxied", **changes
    )


def _told(error: ProxyError) -> Exception:
    """Let the model read of a refusal, but not go on after the run has ended."""
    return error if isinstance(error, RunEndedError) else ToolFailedError(str(error))


def _structured(tool: BaseTool) -> StructuredTool:
    kept = {
        name: getattr(tool, name) for name in BaseTool.model_fields if name not in ("name", "args_schema")
    }
    return StructuredTool(name=tool.name, args_schema=tool.args_schema or tool.get_input_schema(), **kept)


def _result(tool: BaseTool, response: Any) -> Any:
    if tool.response_format == "content_and_artifact":
        return _text(response), response
    # LangChain would take such a list for the parts of a message.
    if isinstance(response, list) and all(
        isinstance(item, str) or (isinstance(item, dict) and "type" in item) for item in response
    ):
        return _text(response)
    return response


def _text(response: Any) -> str:
    if isinstance(response, str):
        return response
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


def _input_schema(tool: BaseTool) -> dict[str, Any]:
    if isinstance(tool, Tool) and tool.args_schema is None:
        return {"type": "object", "properties": dict(tool.args), "required": list(tool.args)}
    schema = tool.tool_call_schema
    found = schema if isinstance(schema, dict) else model_json_schema(schema)
    return {"type": "object", "properties": {}} | {
        name: value for name, value in found.items() if name not in ("title", "description")
    }


def _injected(tool: BaseTool) -> frozenset[str]:
    """Name the arguments that LangChain fills in, and the model never sees."""
    by_signature = tool._injected_args_keys  # there is no public way to ask
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return by_signature
    return by_signature | (set(get_fields(tool.get_input_schema())) - set(get_fields(schema)))


def _body(tool: BaseTool) -> Callable[..., Any]:
    return getattr(tool, "func", None) or getattr(tool, "coroutine", None) or tool._run


def _entry_of_dict(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = tool.get("function", tool)
    schema = (
        function.get("input_schema", function.get("parameters")) if isinstance(function, Mapping) else None
    )
    if not isinstance(schema, Mapping) or "name" not in function:
        raise UnproxiableToolError(
            str(tool.get("name") or tool.get("type") or tool),
            "the model's provider runs it. Leave it out of the agent for these runs, or replace it by a tool "
            "of your own.",
        )
    entry = {
        "name": function["name"],
        "description": function.get("description"),
        "input_schema": dict(schema),
    }
    return {name: value for name, value in entry.items() if value is not None}
