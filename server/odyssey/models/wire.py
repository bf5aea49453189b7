"""What the protocols of the providers have in common: a request to send, and an answer to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from odyssey.models.chat import Usage

MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Ask:
    base_url: str
    model: str
    system: str
    user: str
    schema: Mapping[str, Any]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Told:
    """What a provider's answer says."""

    text: str
    value: Any
    """The answer where the provider gives it as JSON, else None: then the text is to be read."""
    usage: Usage | None
    declined: str | None = None
    """Why the model would not answer."""


class WireFormError(Exception):
    """The body is JSON, but not an answer of this protocol; the message says what is missing."""


class Wire(Protocol):
    """The protocol of one kind of provider."""

    def url(self, ask: Ask) -> str: ...

    def headers(self, api_key: str | None) -> dict[str, str]: ...

    def body(self, ask: Ask) -> dict[str, Any]: ...

    def read(self, body: Any) -> Told: ...


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
