"""The reply to a dispatch, made from a result of the framework, and what a model's answer holds."""

import json
from collections.abc import Iterable
from typing import Any

from agents import Model, RunResult
from agents.items import HandoffOutputItem, ItemHelpers, RunItem, ToolCallOutputItem
from agents.models import get_default_model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from pydantic_core import to_jsonable_python

from pipelines.odyssey.adapters.openai_agents.scope import Scope
from pipelines.odyssey.adapters.openai_agents.tree import AnyAgent
from pipelines.odyssey.reply import Reply

Message = dict[str, Any]


def reply_of(result: RunResult) -> Reply:
    """Make a reply from the result of your own `Runner.run`."""
    return Reply(final_text(result.final_output), messages_of(result, result.input), metadata_of(result))


def messages_of(result: RunResult, given: str | list[Any], scope: Scope | None = None) -> list[Message]:
    """Write down what was said; of a scope, with the system prompts as used and the path of who spoke."""
    return _Transcript(scope).of(result, given)


def metadata_of(result: RunResult, run_config: Any = None) -> dict[str, Any]:
    usage = result.context_wrapper.usage
    chosen = run_config.get("model") if isinstance(run_config, dict) else getattr(run_config, "model", None)
    return {
        "model": _model_name(chosen or result.last_agent.model or get_default_model()),
        "total_input_tokens": usage.input_tokens,
        "total_output_tokens": usage.output_tokens,
    }


def final_text(output: Any) -> str:
    """Write a final output: a text as it is, what has an output_type as JSON."""
    if output is None or isinstance(output, str):
        return output or ""
    return json.dumps(to_jsonable_python(output, fallback=str), ensure_ascii=False)


class _Transcript:
    """Gathers items into messages: what a model said at once is one assistant message."""

    def __init__(self, scope: Scope | None) -> None:
        self._messages: list[Message] = []
        self._prompts = {} if scope is None else scope.prompts
        self._path = None if scope is None else scope.beginning()
        self._introduced: set[int] = set()
        self._gathered: list[Any] = []

    def of(self, result: RunResult, given: str | list[Any]) -> list[Message]:
        first = result.new_items[0].agent if result.new_items else result.last_agent
        self._introduce(first)
        items: list[Any] = ItemHelpers.input_to_new_input_list(given)
        self._messages += [
            {"role": each["role"], "content": each["content"]} for each in items if "role" in each
        ]
        for new in result.new_items:
            self._add(new)
        self._flush()
        return self._messages

    def _add(self, item: RunItem) -> None:
        if isinstance(item, ToolCallOutputItem | HandoffOutputItem):
            self._flush()
            raw: Any = item.raw_item
            output = raw["output"] if isinstance(raw, dict) else getattr(raw, "output", None)
            content = output if isinstance(output, str) else json.dumps(to_jsonable_python(output))
            self._label({"role": "tool", "tool_call_id": raw["call_id"], "content": content})
            if isinstance(item, HandoffOutputItem) and self._path is not None:
                self._path.hand_over(item.target_agent.name)
            return
        self._introduce(item.agent)
        self._gathered.append(item.raw_item)

    def _introduce(self, agent: AnyAgent) -> None:
        """Show the system prompt of an agent before its first words."""
        if id(agent) in self._introduced:
            return
        self._flush()
        self._introduced.add(id(agent))
        own = agent.instructions if isinstance(agent.instructions, str) else None
        prompt = self._prompts.get(id(agent), own)
        if prompt is not None:
            self._label({"role": "system", "content": prompt})

    def _flush(self) -> None:
        items, self._gathered = self._gathered, []
        message: Message = {"role": "assistant", "content": text_in(items) or None}
        if calls := calls_in(items):
            message["tool_calls"] = [
                {"id": call.call_id, "name": call.name, "arguments": call.arguments or "{}"} for call in calls
            ]
        if thoughts := thinking_in(items):
            message["thinking"] = [{"type": "text", "text": thought} for thought in thoughts]
        if message["content"] or len(message) > 2:
            self._label(message)

    def _label(self, message: Message) -> None:
        path = None if self._path is None else self._path.path
        self._messages.append(message if path is None else {**message, "actor_id": path})


def _model_name(model: str | Model) -> str:
    return model if isinstance(model, str) else str(getattr(model, "model", type(model).__name__))


def thinking_in(items: Iterable[Any]) -> list[str]:
    """Return each thought: the reasoning itself where the model shows it, else its summary."""
    thoughts = []
    for item in items:
        if isinstance(item, ResponseReasoningItem):
            parts = [part.text for part in item.content or ()] or [part.text for part in item.summary]
            thoughts.append("\n\n".join(parts))
    return [thought for thought in thoughts if thought]


def text_in(items: Iterable[Any]) -> str:
    """Return the words; a refusal is words too."""
    parts = [
        part.text if isinstance(part, ResponseOutputText) else part.refusal
        for item in items
        if isinstance(item, ResponseOutputMessage)
        for part in item.content
    ]
    return "\n".join(part for part in parts if part)


def calls_in(items: Iterable[Any]) -> list[ResponseFunctionToolCall]:
    return [item for item in items if isinstance(item, ResponseFunctionToolCall)]
