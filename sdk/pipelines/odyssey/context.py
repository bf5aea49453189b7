"""Which run this is, and which of its agents acts: bound to the task or thread at work.

A new thread starts unbound: bind inside it, as in `with set_current(Envelope.from_env()): …`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import NoEnvelopeError

_PART = r"[A-Za-z0-9_.-]{1,64}"
_ACTOR_ID = re.compile(rf"{_PART}(?:/{_PART}){{0,7}}")
_NOT_IN_PART = re.compile(r"[^A-Za-z0-9_.-]")

_envelope: ContextVar[Envelope | None] = ContextVar("odyssey_envelope", default=None)
_actor: ContextVar[str | None] = ContextVar("odyssey_actor", default=None)


@contextmanager
def set_current(envelope: Envelope) -> Iterator[Envelope]:
    """Let proxied tools and trace events in here belong to this run."""
    before = _envelope.set(envelope)
    try:
        yield envelope
    finally:
        _envelope.reset(before)


def current() -> Envelope:
    """Return the envelope of this run."""
    envelope = _envelope.get()
    if envelope is None:
        raise NoEnvelopeError(
            "No run is bound here. Inside a dispatch handler one is; in a thread of your own, or in a script, "
            "bind it first: with set_current(envelope): …"
        )
    return envelope


def current_or_none() -> Envelope | None:
    return _envelope.get()


@contextmanager
def acting_as(actor_id: str | None) -> Iterator[None]:
    """Attribute the calls and events made in here to a sub-agent, named by its path: `supervisor/refunds`."""
    if actor_id is not None and not _ACTOR_ID.fullmatch(actor_id):
        raise ValueError(
            f"{actor_id!r} is not an actor id: one to eight parts joined by '/', each of 1 to 64 "
            "letters, digits, '_', '.' or '-'."
        )
    before = _actor.set(actor_id)
    try:
        yield
    finally:
        _actor.reset(before)


def current_actor() -> str | None:
    return _actor.get()


def actor_part(name: str) -> str:
    """Make a name fit to be one part of an actor id."""
    return _NOT_IN_PART.sub("_", name)[:64] or "_"


def actor_path(parent: str | None, name: str) -> str:
    """Name a sub-agent of the parent; past eight parts the path keeps its beginning and its end."""
    parts = [*(parent.split("/") if parent else ()), actor_part(name)]
    return "/".join(parts if len(parts) <= 8 else [*parts[:7], parts[-1]])
