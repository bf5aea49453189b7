"""The Messages API by script, behind the real client: what breaks the API's own rules is refused as there."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic, DefaultAsyncHttpxClient, DefaultHttpxClient

Block = dict[str, Any]
Turn = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]
"""An answer, or what makes one of the request."""


def text(said: str) -> Block:
    return {"type": "text", "text": said}


def thinking(thought: str, signature: str = "sig") -> Block:
    return {"type": "thinking", "thinking": thought, "signature": signature}


def use(number: str, name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": number, "name": name, "input": arguments}


def turn(*blocks: Block, stop: str | None = None, **usage: int) -> dict[str, Any]:
    is_use = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-played-1",
        "content": list(blocks),
        "stop_reason": stop or ("tool_use" if is_use else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5, **usage},
    }


class PlayedApi:
    """Plays its turns in order, for each agent apart if they are given by the first words of its system prompt."""

    def __init__(self, *turns: Turn, **by_agent: Iterable[Turn]) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._turns = {"": list(turns), **{name: list(own) for name, own in by_agent.items()}}
        self._said: list[Block] = []

    def client(self) -> Anthropic:
        http = DefaultHttpxClient(transport=httpx2.MockTransport(self._answer))
        return Anthropic(api_key="played", http_client=http, max_retries=0)

    def async_client(self) -> AsyncAnthropic:
        http = DefaultAsyncHttpxClient(transport=httpx2.MockTransport(self._answer))
        return AsyncAnthropic(api_key="played", http_client=http, max_retries=0)

    def left(self) -> int:
        return sum(map(len, self._turns.values()))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)
        self.asked.append(asked)
        self.headers.append(dict(request.headers))
        fault = self._fault(asked)
        if fault is not None:
            error = {"type": "invalid_request_error", "message": fault}
            return httpx2.Response(400, json={"type": "error", "error": error})
        first = str(asked.get("system", "")).split(" ")[0]
        next_one = self._turns[first if first in self._turns else ""].pop(0)
        answer = next_one(asked) if callable(next_one) else next_one
        self._said += answer["content"]
        return httpx2.Response(200, json=answer)

    def _fault(self, asked: dict[str, Any]) -> str | None:
        """Say what the real API would refuse."""
        open_uses: set[str] = set()
        for message in asked["messages"]:
            blocks = (
                message["content"] if isinstance(message["content"], list) else [text(message["content"])]
            )
            if message["role"] == "user":
                answered = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
                if answered != open_uses:
                    return f"tool_use ids {sorted(open_uses ^ answered)} have no partner"
                open_uses = set()
                continue
            for block in blocks:
                if block["type"] in ("thinking", "redacted_thinking") and block not in self._said:
                    return "thinking blocks cannot be modified"
            open_uses = {block["id"] for block in blocks if block["type"] == "tool_use"}
        if open_uses:
            return f"tool_use ids {sorted(open_uses)} have no result"
        names = [tool["name"] for tool in asked.get("tools", [])]
        return None if len(names) == len(set(names)) else "tool names must be unique"
