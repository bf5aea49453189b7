"""One function tool whose body is a call of the proxy."""

import copy
import inspect
import json
from typing import Any

from agents import FunctionTool, default_tool_error_function
from agents.tool import resolve_function_tool_failure_error_function
from agents.tool_context import ToolContext

from pipelines.odyssey.adapters.openai_agents.scope import acting_path, current_scope
from pipelines.odyssey.context import acting_as
from pipelines.odyssey.errors import ProxyError, RunEndedError
from pipelines.odyssey.proxy import proxy_call_async


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
