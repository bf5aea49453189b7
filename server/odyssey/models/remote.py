"""A model behind an HTTP address: one POST, one answer, every failure named; and the protocols of the providers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol
from urllib.parse import urlsplit

import msgspec

from odyssey.core.outbound import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    ConnectFailedError,
    OutboundClient,
    OutboundError,
    OutboundReply,
    RequestInvalidError,
    TimedOutError,
)
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.redaction import Redaction
from odyssey.models.chat import (
    Absence,
    Completion,
    ModelClosedError,
    ModelGarbledError,
    ModelRefusedError,
    ModelUnavailableError,
    ModelUnreadableError,
    Usage,
)
from odyssey.models.document import ModelConfig, Provider

# What the protocols of the providers have in common: a request to send, and an answer to read.

MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class WireRequest:
    base_url: str
    model: str
    system: str
    user: str
    schema: Mapping[str, Any]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class WireReply:
    """What a provider's answer says."""

    text: str
    value: Any
    """The answer where the provider gives it as JSON, else None: then the text is to be read."""
    usage: Usage | None
    declined: str | None = None
    """Why the model would not answer."""


class WireFormError(Exception):
    """The body is JSON, but not an answer of this protocol; the message says what is missing."""

    def __init__(self, message: str, *, is_answer: bool = False) -> None:
        super().__init__(message)
        self.is_answer = is_answer
        """Whether it is the frame of an answer, and only what the model said is not there."""


class Wire(Protocol):
    """The protocol of one kind of provider."""

    def url(self, ask: WireRequest) -> str: ...

    def headers(self, api_key: str | None) -> dict[str, str]: ...

    def body(self, ask: WireRequest) -> dict[str, Any]: ...

    def read(self, body: Any) -> WireReply: ...


def read_usage(usage: Any, input_member: str, output_member: str) -> Usage | None:
    """Read the counts of tokens, unless they are none that can be believed."""
    if not isinstance(usage, dict):
        return None
    counted = [usage.get(member) for member in (input_member, output_member)]
    tokens = [count for count in counted if type(count) is int and 0 <= count <= MOST_TOKENS]
    return Usage(*tokens) if len(tokens) == len(counted) else None


def error_text(body: Any) -> str | None:
    """Read the sentence in an error of either protocol, or of what imitates them."""
    error = body.get("error", body) if isinstance(body, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else None


# The protocol of OpenAI's chat completions, which many servers speak.

OPENAI_BASE_URL = "https://api.openai.com/v1"

_OWN_HOSTS = ("openai.com", "openai.azure.com")


class OpenAiWire:
    def url(self, ask: WireRequest) -> str:
        base = ask.base_url.rstrip("/")
        return f"{base}/chat/completions" if urlsplit(base).path else f"{base}/v1/chat/completions"

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {} if api_key is None else {"Authorization": f"Bearer {api_key}"}

    def body(self, ask: WireRequest) -> dict[str, Any]:
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

    def read(self, body: Any) -> WireReply:
        choices = body.get("choices") if isinstance(body, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise WireFormError("it has no choices[0].message")
        usage = read_usage(body.get("usage"), "prompt_tokens", "completion_tokens")
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            return WireReply("", None, usage, declined=refusal)
        if choice.get("finish_reason") == "content_filter":
            return WireReply("", None, usage, declined="the provider's content filter stopped the answer")
        content = message.get("content")
        if not isinstance(content, str):
            raise WireFormError("choices[0].message.content is not a text", is_answer=True)
        return WireReply(content, None, usage)


# The protocol of Anthropic's messages; the answer is the input of a tool the model must use.

ANTHROPIC_BASE_URL = "https://api.anthropic.com"

_VERSION = "2023-06-01"
_TOOL = "answer"


class AnthropicWire:
    def url(self, ask: WireRequest) -> str:
        base = ask.base_url.rstrip("/")
        return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"

    def headers(self, api_key: str | None) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({} if api_key is None else {"x-api-key": api_key})

    def body(self, ask: WireRequest) -> dict[str, Any]:
        return {
            "model": ask.model,
            "max_tokens": ask.max_output_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": ask.user}],
            "tools": [{"name": _TOOL, "description": "Give your answer.", "input_schema": dict(ask.schema)}],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }

    def read(self, body: Any) -> WireReply:
        content = body.get("content") if isinstance(body, dict) else None
        if not isinstance(body, dict) or not isinstance(content, list):
            raise WireFormError("it has no list content")
        usage = read_usage(body.get("usage"), "input_tokens", "output_tokens")
        blocks = [block for block in content if isinstance(block, dict)]
        texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        if body.get("stop_reason") == "refusal":
            return WireReply("", None, usage, declined="\n".join(texts) or "it gave no reason")
        for block in blocks:
            if block.get("type") == "tool_use" and block.get("name") == _TOOL:
                return WireReply("", block.get("input"), usage)
        return WireReply("\n".join(texts), None, usage)


# A model behind an HTTP address: one POST, one answer, and every failure named.

_WIRES: Mapping[Provider, Wire] = {"openai": OpenAiWire(), "anthropic": AnthropicWire()}
_TOO_MANY = 429
_LATER = frozenset({408, 409, 425, _TOO_MANY})
_ABOUT_THE_REQUEST = frozenset({400, 413, 414, 422, 431})
"""Statuses by which servers refuse what they were sent, as too long or by a filter: other questions they may answer."""
_NOT_SENT = (RequestInvalidError, AddressRefusedError, ConnectFailedError)
_LONGEST_TOLD = 300
_OVERHEAD_TOKENS = 1000
"""What a provider adds around the texts."""


class RemoteModel:
    """A ChatModel over HTTP. It spends without asking: what an org uses is wrapped in a MeteredModel."""

    def __init__(self, client: OutboundClient, config: ModelConfig, api_key: str | None) -> None:
        self._client = client
        self._wire = _WIRES[config.provider]
        self._api_key = api_key
        self._hide = Redaction(api_key)
        self.config = config

    @property
    def provider(self) -> str:
        return self.config.provider

    @property
    def model(self) -> str:
        return self.config.model

    @property
    def max_output_tokens(self) -> int:
        return self.config.max_output_tokens

    async def complete(
        self, *, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int
    ) -> Completion:
        ask = self.ask(system, user, schema, max_output_tokens)
        reply = await self._post(ask)
        if reply.status != 200:
            self._raise_status(reply)
        return self._read(reply.body, ask)

    def ask(self, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int) -> WireRequest:
        limit = min(max_output_tokens, self.config.max_output_tokens)
        return WireRequest(self.config.base_url, self.config.model, system, user, schema, limit)

    async def _post(self, ask: WireRequest) -> OutboundReply:
        url, body = self._wire.url(ask), msgspec.json.encode(self._wire.body(ask))
        headers = self._wire.headers(self._api_key)
        try:
            return await self._client.post_json(url, body, headers, timeout_s=self.config.timeout_s)
        except (RequestInvalidError, AddressRefusedError) as error:
            raise ModelClosedError(self._hide.text(error.message), usage=Usage()) from None
        except AnswerTooLargeError as error:
            raise ModelUnreadableError(self._hide.text(error.message)) from None
        except BadEncodingError as error:
            raise ModelGarbledError(self._hide.text(error.message)) from None
        except OutboundError as error:
            usage = Usage() if isinstance(error, _NOT_SENT) else None
            absence: Absence = "slow" if isinstance(error, TimedOutError) else "down"
            raise ModelUnavailableError(
                self._hide.text(error.message), usage=usage, absence=absence
            ) from None

    def _raise_status(self, reply: OutboundReply) -> NoReturn:
        message = f"The model's server answered {reply.status}{self._told(reply.body)}"
        if reply.status in _LATER or reply.status >= 500:
            wait = read_retry_after(reply.headers.get("Retry-After"))
            absence: Absence = "rate" if reply.status == _TOO_MANY else "down"
            raise ModelUnavailableError(message, usage=Usage(), retry_after_s=wait, absence=absence)
        if reply.status in _ABOUT_THE_REQUEST:
            raise ModelRefusedError(message, usage=Usage())
        raise ModelClosedError(message, usage=Usage())

    def _told(self, body: bytes) -> str:
        """Name what an error says; of one that is not in form, nothing: it may be a page of anything."""
        try:
            said = error_text(read_json(body))
        except JsonInvalidError:
            said = None
        return f": {self._hide.text(said)[:_LONGEST_TOLD]}" if said else "."

    def _read(self, body: bytes, ask: WireRequest) -> Completion:
        try:
            told = self._wire.read(self._hide.value(read_json(body)))
        except JsonInvalidError as error:
            raise ModelGarbledError(f"The model's server answered 200 without JSON: {error}.") from None
        except WireFormError as error:
            message = f"The answer is not in the form of {self.config.provider}: {error}."
            kind = ModelUnreadableError if error.is_answer else ModelGarbledError
            raise kind(message) from None
        usage = told.usage or worst_usage(ask)
        if told.declined is not None:
            raise ModelRefusedError(f"The model declined: {told.declined[:_LONGEST_TOLD]}", usage=usage)
        text, value = self._answer(told.text, told.value)
        return Completion(text, value, usage.input_tokens, usage.output_tokens, self.config.cost_of(usage))

    def _answer(self, text: str, value: Any) -> tuple[str, Any]:
        if value is not None:
            return msgspec.json.encode(value).decode(), value
        try:
            read = read_json(text)
        except JsonInvalidError:
            return text, None
        hidden = self._hide.value(read)
        return (text if hidden == read else msgspec.json.encode(hidden).decode()), hidden


def worst_usage(ask: WireRequest) -> Usage:
    """The most tokens an exchange can take: no tokeniser makes more of a text than it has bytes."""
    texts = (ask.system, ask.user, msgspec.json.encode(ask.schema).decode())
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return Usage(size + _OVERHEAD_TOKENS, ask.max_output_tokens)


def read_retry_after(value: str | None) -> float | None:
    """Read the header's seconds; the other form, a date, no model's server is known to send."""
    given = (value or "").strip()
    return float(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
