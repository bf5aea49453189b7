"""The protocol of Anthropic's messages; the answer is the input of a tool the model must use."""

from typing import Any

from odyssey.models.wire import Ask, Told, WireFormError, read_usage

DEFAULT_BASE_URL = "https://api.anthropic.com"

_VERSION = "2023-06-01"
_TOOL = "answer"


class AnthropicWire:
    def url(self, ask: Ask) -> str:
        base = ask.base_url.rstrip("/")
        return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({} if api_key is None else {"x-api-key": api_key})

    def body(self, ask: Ask) -> dict[str, Any]:
        return {
            "model": ask.model,
            "max_tokens": ask.max_output_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": ask.user}],
            "tools": [{"name": _TOOL, "description": "Give your answer.", "input_schema": dict(ask.schema)}],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }

    def read(self, body: Any) -> Told:
        content = body.get("content") if isinstance(body, dict) else None
        if not isinstance(body, dict) or not isinstance(content, list):
            raise WireFormError("it has no list content")
        usage = read_usage(body.get("usage"), "input_tokens", "output_tokens")
        blocks = [block for block in content if isinstance(block, dict)]
        texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        if body.get("stop_reason") == "refusal":
            return Told("", None, usage, declined="\n".join(texts) or "it gave no reason")
        for block in blocks:
            if block.get("type") == "tool_use" and block.get("name") == _TOOL:
                return Told("", block.get("input"), usage)
        return Told("\n".join(texts), None, usage)
