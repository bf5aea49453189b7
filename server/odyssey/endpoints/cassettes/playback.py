"""Which recorded answer a call of a replayed run gets: pure, and the same whoever asks again."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from odyssey.records.canonical import content_hash

Match = Literal["strict", "lenient"]
OnMiss = Literal["fail", "capture"]

_Key = tuple[str, str] | None
"""Tool and hash of the arguments; None for all interactions of a strict replay, which has one order."""


class Replay(msgspec.Struct, frozen=True):
    """How a run replays a cassette: frozen with its context."""

    id: str
    match: Match
    on_miss: OnMiss
    last_number: int
    """The last interaction there was when the run was asked for: what is captured later is for later runs."""

    def stored(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.to_builtins(self)
        return members


def read_replay(stored: Mapping[str, Any] | None) -> Replay | None:
    return None if stored is None else msgspec.convert(stored, Replay)


class Interaction(msgspec.Struct, frozen=True, kw_only=True):
    """A call and its answer, as they were once. Their JSON is read only when it is wanted: most of it never is."""

    number: int
    tool_name: str
    arguments_json: str
    arguments_hash: str
    """Of the canonical form."""
    response_json: str
    source: str
    """passthrough, or transport_error: a failure is replayed like an answer."""
    status: int | None = None
    is_error: bool = False
    read_only: bool = False
    endpoint_id: str | None = None
    endpoint: str | None = None
    """Its name."""
    type: str | None = None
    upstream_tool: str | None = None
    """What the endpoint calls the tool."""

    @property
    def arguments(self) -> dict[str, Any]:
        members: dict[str, Any] = msgspec.json.decode(self.arguments_json)
        return members

    @property
    def response(self) -> Any:
        return msgspec.json.decode(self.response_json)

    def upstream(self) -> dict[str, Any]:
        """What the trace says of who answered."""
        return {
            "endpoint_id": self.endpoint_id,
            "endpoint": self.endpoint,
            "type": self.type,
            "tool_name": self.upstream_tool,
            "status": self.status,
            "is_error": self.is_error,
            "read_only": self.read_only,
        }


class Playback:
    """A cassette as one run plays it. Asking changes nothing; only what is noted as played counts."""

    # Recorded: 1 get, 2 put, 3 get. A run calls get, get, put, get with the same arguments. strict answers 1, nothing
    # (2 is next, and that is a put), 2, 3. lenient answers 1, 3, 2 and once more 3, the last `get` there is.

    def __init__(self, interactions: Sequence[Interaction], match: Match) -> None:
        self._match = match
        gathered: dict[_Key, list[Interaction]] = {}
        for one in sorted(interactions, key=lambda one: one.number):
            key = None if match == "strict" else (one.tool_name, one.arguments_hash)
            gathered.setdefault(key, []).append(one)
        self._tapes = {key: _ToolTape(ordered) for key, ordered in gathered.items()}
        self._tape_of = {one.number: self._tapes[key] for key, ordered in gathered.items() for one in ordered}

    def find(self, tool_name: str, arguments: Mapping[str, Any]) -> Interaction | None:
        """Find the answer of a call.

        strict: it must be the very next one that was recorded. lenient: the first equal one that was not played; once
        all were, the last of them.
        """
        asked = (tool_name, content_hash(dict(arguments)))
        if self._match == "lenient":
            tape = self._tapes.get(asked)
            return None if tape is None else tape.next() or tape.interactions[-1]
        following = self._tapes[None].next() if self._tapes else None
        if following is None or (following.tool_name, following.arguments_hash) != asked:
            return None
        return following

    def note(self, number: int) -> None:
        """Count an interaction as played, however often it is said; one the cassette does not hold is nothing."""
        tape = self._tape_of.get(number)
        if tape is not None:
            tape.note(number)


class _ToolTape:
    """Interactions that are played one after another, by number."""

    def __init__(self, interactions: list[Interaction]) -> None:
        self.interactions = interactions
        self._played = [False] * len(interactions)
        self._first_unplayed = 0

    def next(self) -> Interaction | None:
        at = self._first_unplayed
        return self.interactions[at] if at < len(self.interactions) else None

    def note(self, number: int) -> None:
        self._played[bisect_left(self.interactions, number, key=lambda one: one.number)] = True
        while self._first_unplayed < len(self._played) and self._played[self._first_unplayed]:
            self._first_unplayed += 1
