"""Attempts that an outage of ours may have changed, remembered until the journal can say so.

A call that was answered 503, or that waited too long for our database, is something the agent did not bring about: its
attempt must not be measured. While the database is away nothing can be written, so the fault is kept here, by the hash
of the token that was presented: the run behind it may not even be known yet.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NamedTuple

from odyssey.core.signals import Listener
from odyssey.kit.clock import Clock

Reason = Literal["storage_unavailable", "slow_storage", "simulator_unavailable", "simulator_timeout"]

_TICK_S = 0.1
_MOST_UNKNOWN = 4096
"""Of tokens that nobody has checked: a stranger's inventions must not fill the memory while we cannot look them up."""


class PlatformFault(NamedTuple):
    reason: Reason
    noticed_at: datetime


class PlatformFaults:
    """The faults of this process that are not in the journal yet."""

    def __init__(self, clock: Clock, *, late_after_s: float) -> None:
        self._clock = clock
        self._late_after = max(1, round(late_after_s / _TICK_S))
        self._pending: dict[str, PlatformFault] = {}
        self._waits: set[Wait] = set()
        self._is_ticking = False
        self.news = Listener()

    @property
    def pending(self) -> Mapping[str, PlatformFault]:
        """Faults by the hash of the token."""
        return self._pending

    def note(self, token_hash: str, reason: Reason, *, is_known: bool) -> None:
        if token_hash in self._pending or (not is_known and len(self._pending) >= _MOST_UNKNOWN):
            return
        self._pending[token_hash] = PlatformFault(reason, self._clock())
        self.news.wake()

    def forget(self, token_hashes: Mapping[str, PlatformFault]) -> None:
        """Let go of what is in the journal now."""
        for token_hash in token_hashes:
            self._pending.pop(token_hash, None)

    def begin_wait(self, token_hash: str) -> "Wait":
        """Say that a call now waits for a commit: if that takes long, it is noted while it lasts."""
        wait = Wait(token_hash)
        self._waits.add(wait)
        if not self._is_ticking:
            self._is_ticking = True
            asyncio.get_running_loop().call_later(_TICK_S, self._tick)
        return wait

    def end_wait(self, wait: "Wait") -> None:
        self._waits.discard(wait)

    def _tick(self) -> None:
        """Let time pass for those who wait.

        A loop that is overloaded ticks late, and time passes more slowly: so a flood of requests, which an agent can
        send, does not look like a slow database.
        """
        self._is_ticking = bool(self._waits)
        for wait in self._waits:
            wait.ticks += 1
            if wait.ticks == self._late_after:
                self.note(wait.token_hash, "slow_storage", is_known=True)
        if self._is_ticking:
            asyncio.get_running_loop().call_later(_TICK_S, self._tick)


class Wait:
    """One wait of one call for the database."""

    __slots__ = ("ticks", "token_hash")

    def __init__(self, token_hash: str) -> None:
        self.token_hash = token_hash
        self.ticks = 0
