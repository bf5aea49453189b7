"""An agent used as a tool: the copy runs the copied agent, as a sub-agent of whoever called it."""

import copy
import json
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from pipelines.odyssey.adapters.openai_agents.scope import Scope, acting_path, current_scope, entered
from pipelines.odyssey.adapters.openai_agents.tree import AnyAgent
from pipelines.odyssey.adapters.openai_agents.watching import Watching
from pipelines.odyssey.context import acting_as
from pipelines.odyssey.errors import UnproxiableToolError
from pipelines.odyssey.traces import safe_handoff_async


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
