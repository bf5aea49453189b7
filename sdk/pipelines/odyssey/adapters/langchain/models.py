"""Chat models that nodes ask by themselves: copies that end the system prompt in the run's injection."""

from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from types import new_class
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.prompt_values import ChatPromptValue, PromptValue

from pipelines.odyssey.adapters.langchain.composed import rebuilt
from pipelines.odyssey.context import current_or_none
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.injection import injected


def injecting(value: Any) -> Any:
    """Copy a model, or what is bound to or composed with one; itself if there is no model in it."""
    if isinstance(value, BaseChatModel):
        copied = value.model_copy()
        object.__setattr__(copied, "__class__", _injecting_kind(type(value)))
        return copied
    return rebuilt(value, injecting)


def ending_in_injection(message: SystemMessage | None, envelope: Envelope) -> SystemMessage:
    """Return the system message with the injection at its end; in blocks it is a block of its own."""
    injection = envelope.system_injection or ""
    if message is None:
        return SystemMessage(injection)
    if message.text.endswith(injection):
        return message
    if isinstance(message.content, str):
        return message.model_copy(update={"content": injected(message.content, envelope)})
    return message.model_copy(update={"content": [*message.content, {"type": "text", "text": injection}]})


@lru_cache(maxsize=64)
def _injecting_kind(kind: type[BaseChatModel]) -> type[BaseChatModel]:
    """Make the class of the copies: every way to ask a chat model reads what it is asked in one place."""
    read: Callable[[Any, Any], PromptValue] = kind._convert_input

    def convert(self: Any, model_input: Any) -> PromptValue:
        asked = read(self, model_input)
        envelope = current_or_none()
        if envelope is None or not envelope.system_injection:
            return asked
        return ChatPromptValue(messages=_with_injection(asked.to_messages(), envelope))

    names = {"_convert_input": convert, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return new_class(kind.__name__, (kind,), exec_body=lambda body: body.update(names))


def _with_injection(messages: list[BaseMessage], envelope: Envelope) -> list[BaseMessage]:
    system = list(takewhile(lambda message: isinstance(message, SystemMessage), messages))
    last = system[-1] if system else None
    told = ending_in_injection(last if isinstance(last, SystemMessage) else None, envelope)
    return [*system[:-1], told, *messages[len(system) :]]
