"""The seam between what asks a model and what reaches one: one question, one answer in a form."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import msgspec


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as its provider counts them."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    value: Any
    """The answer as JSON, not yet held against the schema; None when it is none."""
    input_tokens: int
    output_tokens: int
    cost_usd: float


class ChatModel(Protocol):
    """A model that can be asked. Raises ModelError and nothing else."""

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def max_output_tokens(self) -> int:
        """What its owner lets one answer have at most."""
        ...

    async def complete(
        self, *, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int
    ) -> Completion: ...


Absence = Literal["down", "slow", "rate", "budget"]
"""Why a model answers nobody: it cannot be used, takes too long, is asked too often, or the org may spend no more."""


class ModelError(Exception):
    """A call without an answer; the message is for the org's people and holds no secret.

    ModelError
    ├── ModelUnavailableError   not now: overload, rate limit, time-out, no connection. Asking again may help.
    ├── ModelRefusedError       not so: the request is refused, or the model declines
    │   └── ModelClosedError    not to us: the key, the account, the model's name or the address is refused
    ├── ModelUnreadableError    an answer came that is none: too large, or without what an answer has
    │   └── ModelGarbledError   what came is no answer of a model's server at all
    └── BudgetExhaustedError    not asked: the org's budget of today is used up
    """

    outcome = "failed"
    absence: Absence | None = None
    """None: it may be the question, which other questions need not share."""
    own_share = 0.0
    """Of what ran short, a budget or the calls of the last minute, how much was used for the same run, 0 to 1."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.usage = usage
        """What it cost nevertheless; None: not known."""
        self.cost_usd = 0.0


class ModelUnavailableError(ModelError):
    outcome = "unavailable"

    def __init__(
        self,
        message: str,
        *,
        usage: Usage | None = None,
        retry_after_s: float | None = None,
        absence: Absence = "down",
    ) -> None:
        super().__init__(message, usage=usage)
        self.retry_after_s = retry_after_s
        self.absence = absence


class ModelRefusedError(ModelError):
    outcome = "refused"


class ModelClosedError(ModelRefusedError):
    absence = "down"


class ModelUnreadableError(ModelError):
    outcome = "unreadable"


class ModelGarbledError(ModelUnreadableError):
    absence = "down"


class BudgetExhaustedError(ModelError):
    outcome = "over_budget"
    absence = "budget"

    def __init__(self, message: str, *, own_share: float = 0.0) -> None:
        super().__init__(message)
        self.own_share = own_share


# What all attempts at one answer took together.


@dataclass(slots=True)
class Bill:
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def add(self, completion: Completion) -> None:
        self._add(completion.input_tokens, completion.output_tokens, completion.cost_usd)

    def add_failure(self, error: ModelError) -> None:
        usage = error.usage
        self._add(usage.input_tokens if usage else 0, usage.output_tokens if usage else 0, error.cost_usd)

    def _add(self, input_tokens: int, output_tokens: int, cost_usd: float) -> None:
        self.attempts += 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.cost_usd += cost_usd


# Texts of strangers in a prompt: each stands between marks drawn anew for each question.
#
# Whoever wrote such a text cannot know the mark, so nothing in it can end its section, begin another or speak
# with our voice. A mark that occurs in any of the texts is drawn again.

Draw = Callable[[], str]


class Prompt(NamedTuple):
    system: str
    user: str
    mark: str
    """The one its sections stand between."""


def new_mark() -> str:
    return secrets.token_hex(16)


def new_short_mark() -> str:
    """Nobody guesses it either; for prompts of many small sections, each of which has it twice."""
    return secrets.token_hex(8)


def fence(
    sections: Mapping[str, str], *, beside: Iterable[str] = (), draw: Draw = new_mark
) -> tuple[str, str]:
    """Put every text into a section of its name; returns the sections and the mark around them.

    The mark occurs neither in one of the texts nor in those `beside`.
    """
    texts = [text.casefold() for text in (*sections.values(), *beside)]
    mark = draw()
    while any(mark.casefold() in text for text in texts):
        mark = draw()
    fenced = (f"<<{mark} {name}>>\n{text}\n<</{mark} {name}>>" for name, text in sections.items())
    return "\n\n".join(fenced), mark


def cut(text: str, longest: int) -> str:
    """Shorten a text, and say by how much."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest} more characters)"


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def plain(text: str) -> str:
    """No request can carry half a character."""
    return text.encode("utf-8", "replace").decode()
