"""A model behind an HTTP address: one POST, one answer, and every failure named."""

from collections.abc import Mapping
from typing import Any, NoReturn

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
)
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.redaction import Redaction
from odyssey.models.anthropic import AnthropicWire
from odyssey.models.chat import (
    Completion,
    ModelRefusedError,
    ModelUnavailableError,
    ModelUnreadableError,
    Usage,
)
from odyssey.models.document import ModelConfig, Provider
from odyssey.models.openai import OpenAiWire
from odyssey.models.wire import Ask, Wire, WireFormError, error_text

_WIRES: Mapping[Provider, Wire] = {"openai": OpenAiWire(), "anthropic": AnthropicWire()}
_LATER = frozenset({408, 409, 425, 429})
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

    def ask(self, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int) -> Ask:
        limit = min(max_output_tokens, self.config.max_output_tokens)
        return Ask(self.config.base_url, self.config.model, system, user, schema, limit)

    async def _post(self, ask: Ask) -> OutboundReply:
        url, body = self._wire.url(ask), msgspec.json.encode(self._wire.body(ask))
        headers = self._wire.headers(self._api_key)
        try:
            return await self._client.post_json(url, body, headers, timeout_s=self.config.timeout_s)
        except (RequestInvalidError, AddressRefusedError) as error:
            raise ModelRefusedError(self._hide.text(error.message), usage=Usage()) from None
        except (AnswerTooLargeError, BadEncodingError) as error:
            raise ModelUnreadableError(self._hide.text(error.message)) from None
        except OutboundError as error:
            usage = Usage() if isinstance(error, _NOT_SENT) else None
            raise ModelUnavailableError(self._hide.text(error.message), usage=usage) from None

    def _raise_status(self, reply: OutboundReply) -> NoReturn:
        message = f"The model's server answered {reply.status}{self._told(reply.body)}"
        if reply.status in _LATER or reply.status >= 500:
            wait = read_retry_after(reply.headers.get("Retry-After"))
            raise ModelUnavailableError(message, usage=Usage(), retry_after_s=wait)
        raise ModelRefusedError(message, usage=Usage())

    def _told(self, body: bytes) -> str:
        """Name what an error says; of one that is not in form, nothing: it may be a page of anything."""
        try:
            said = error_text(read_json(body))
        except JsonInvalidError:
            said = None
        return f": {self._hide.text(said)[:_LONGEST_TOLD]}" if said else "."

    def _read(self, body: bytes, ask: Ask) -> Completion:
        try:
            told = self._wire.read(self._hide.value(read_json(body)))
        except JsonInvalidError as error:
            raise ModelUnreadableError(f"The model's server answered 200 without JSON: {error}.") from None
        except WireFormError as error:
            message = f"The answer is not in the form of {self.config.provider}: {error}."
            raise ModelUnreadableError(message) from None
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


def worst_usage(ask: Ask) -> Usage:
    """The most tokens an exchange can take: no tokeniser makes more of a text than it has bytes."""
    texts = (ask.system, ask.user, msgspec.json.encode(ask.schema).decode())
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return Usage(size + _OVERHEAD_TOKENS, ask.max_output_tokens)


def read_retry_after(value: str | None) -> float | None:
    """Read the header's seconds; the other form, a date, no model's server is known to send."""
    given = (value or "").strip()
    return float(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
