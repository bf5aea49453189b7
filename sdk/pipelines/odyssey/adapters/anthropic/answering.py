"""The tool uses of one message of the model, answered by the proxy: for who has a loop already."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pipelines.odyssey.errors import ProxyError, RunEndedError
from pipelines.odyssey.proxy import proxy_call, proxy_call_async


class Use(NamedTuple):
    id: str
    name: str
    arguments: dict[str, Any]


class Refused(NamedTuple):
    """What stands in the place of a tool's answer, for the model to see."""

    sentence: str


def answer_tool_uses(message: Any) -> dict[str, Any]:
    """Call every tool that a message asks for, and return the user message with the results.

    What the proxy refuses is a result with `is_error`; only the end of the run is raised.
    """
    return _user([result(use, called(use)) for use in tool_uses(message)])


async def answer_tool_uses_async(message: Any) -> dict[str, Any]:
    """As `answer_tool_uses`, all at once."""
    uses = tool_uses(message)
    answers = await together([called_async(use) for use in uses])
    return _user([result(use, answer) for use, answer in zip(uses, answers, strict=True)])


def called(use: Use, actor_id: str | None = None) -> Any:
    """Return what the tool answered, or Refused."""
    try:
        return proxy_call(use.name, use.arguments, actor_id=actor_id)
    except RunEndedError:
        raise
    except ProxyError as refusal:
        return Refused(str(refusal))


async def called_async(use: Use, actor_id: str | None = None) -> Any:
    """As `called`, without holding up the event loop."""
    try:
        return await proxy_call_async(use.name, use.arguments, actor_id=actor_id)
    except RunEndedError:
        raise
    except ProxyError as refusal:
        return Refused(str(refusal))


async def together(works: Sequence[Any]) -> list[Any]:
    """Wait for all, and only then raise what the first of them raised: no call is left behind unseen."""
    done = await asyncio.gather(*works, return_exceptions=True)
    for outcome in done:
        if isinstance(outcome, BaseException):
            raise outcome
    return done


def tool_uses(message: Any) -> list[Use]:
    """Read the tool uses of a message, which is the SDK's object or a dict of the same members."""
    content = message["content"] if isinstance(message, Mapping) else message.content
    blocks = [block if isinstance(block, Mapping) else block.to_dict() for block in content]
    return [
        Use(block["id"], block["name"], dict(block.get("input") or {}))
        for block in blocks
        if block["type"] == "tool_use"
    ]


def result(use: Use, answer: Any) -> dict[str, Any]:
    """Write the block that answers a tool use."""
    block = {"type": "tool_result", "tool_use_id": use.id}
    if isinstance(answer, Refused):
        return {**block, "content": answer.sentence, "is_error": True}
    return {**block, "content": text_of(answer)}


def text_of(answer: Any) -> str:
    """Write what a tool answered: a text as it is, anything else as compact JSON."""
    if isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _user(results: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "user", "content": results}
