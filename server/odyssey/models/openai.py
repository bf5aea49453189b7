"""The protocol of OpenAI's chat completions, which many servers speak."""

from typing import Any
from urllib.parse import urlsplit

from odyssey.models.wire import Ask, Told, WireFormError, read_usage

DEFAULT_BASE_URL = "https://api.openai.com/v1"

_OWN_HOSTS = ("openai.com", "openai.azure.com")


class OpenAiWire:
    def url(self, ask: Ask) -> str:
        base = ask.base_url.rstrip("/")
        return f"{base}/chat/completions" if urlsplit(base).path else f"{base}/v1/chat/completions"

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {} if api_key is None else {"Authorization": f"Bearer {api_key}"}

    def body(self, ask: Ask) -> dict[str, Any]:
        # OpenAI's newer models refuse the old name of the limit; other servers often know only that one.
        host = urlsplit(ask.base_url).hostname or ""
        own = any(host == name or host.endswith(f".{name}") for name in _OWN_HOSTS)
        return {
            "model": ask.model,
            "messages": [
                {"role": "system", "content": ask.system},
                {"role": "user", "content": ask.user},
            ],
            "response_format": {
                "type": "json_schema",
                # Not strict: that mode takes a part of JSON Schema only, and every answer is checked here anyway.
                "json_schema": {"name": "answer", "schema": dict(ask.schema)},
            },
            "max_completion_tokens" if own else "max_tokens": ask.max_output_tokens,
        }

    def read(self, body: Any) -> Told:
        choices = body.get("choices") if isinstance(body, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise WireFormError("it has no choices[0].message")
        usage = read_usage(body.get("usage"), "prompt_tokens", "completion_tokens")
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            return Told("", None, usage, declined=refusal)
        if choice.get("finish_reason") == "content_filter":
            return Told("", None, usage, declined="the provider's content filter stopped the answer")
        content = message.get("content")
        if not isinstance(content, str):
            raise WireFormError("choices[0].message.content is not a text")
        return Told(content, None, usage)
