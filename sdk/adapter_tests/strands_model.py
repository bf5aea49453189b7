"""A model of Strands that says what a test tells it to, streamed as providers stream."""

import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from typing import Any, NamedTuple

from strands.models import Model
from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec


class Seen(NamedTuple):
    """What one model call was given."""

    messages: Messages
    tools: list[str]
    system_prompt: str | None
    system_blocks: list[Any] | None


class Say(NamedTuple):
    """One answer: a text, a thought in two pieces, and calls `(name, arguments)`."""

    text: str = ""
    thought: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


class ScriptedModel(Model):
    """Answers call after call from a list; the last answer is repeated. An exception in the list is raised."""

    def __init__(self, *answers: Say | Exception | Callable[[Seen], Say]) -> None:
        self.answers = list(answers)
        self.seen: list[Seen] = []

    def update_config(self, **model_config: Any) -> None:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "scripted-1", "context_window_limit": 100_000}

    def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[dict[str, Any], None]:
        raise NotImplementedError

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,
        *,
        system_prompt_content: list[Any] | None = None,
        **_: Any,
    ) -> AsyncIterable[StreamEvent]:
        copied = json.loads(json.dumps(messages))
        names = [spec["name"] for spec in tool_specs or []]
        self.seen.append(Seen(copied, names, system_prompt, system_prompt_content))
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        said = answer if isinstance(answer, Say) else answer(self.seen[-1])
        for event in _events(said, len(self.seen)):
            yield event


def _events(said: Say, turn: int) -> list[StreamEvent]:
    streamed: list[StreamEvent] = [{"messageStart": {"role": "assistant"}}]
    if said.thought:
        middle = len(said.thought) // 2
        streamed += [
            {"contentBlockDelta": {"delta": {"reasoningContent": {"text": said.thought[:middle]}}}},
            {"contentBlockDelta": {"delta": {"reasoningContent": {"text": said.thought[middle:]}}}},
            {"contentBlockStop": {}},
        ]
    if said.text:
        streamed += [{"contentBlockDelta": {"delta": {"text": said.text}}}, {"contentBlockStop": {}}]
    for number, (name, arguments) in enumerate(said.calls):
        tool_use: Any = {"name": name, "toolUseId": f"{name}_{turn}_{number}"}
        streamed += [
            {"contentBlockStart": {"start": {"toolUse": tool_use}}},
            {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}},
            {"contentBlockStop": {}},
        ]
    usage: Any = {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10}
    streamed += [
        {"messageStop": {"stopReason": "tool_use" if said.calls else "end_turn"}},
        {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}},
    ]
    return streamed
