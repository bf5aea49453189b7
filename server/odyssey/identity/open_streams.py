"""Open streams of this process: how many a person has, and whether who opened one may still listen."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from odyssey.core.database import Database
from odyssey.core.feeds import OpenStream
from odyssey.core.signals import Listener, Signals
from odyssey.identity.caller import Caller
from odyssey.identity.errors import TooManyStreamsError
from odyssey.identity.repository import callers_known
from odyssey.kit.clock import Clock
from odyssey.kit.tasks import end_tasks

log = logging.getLogger(__name__)

MOST_STREAMS = 20
ACCESS_TOPIC = "access"
"""A key, a session, a person or what a password had opened is no more."""
_PAUSE_S = 0.25
LOOK_EVERY_S = 30.0
"""Time ends sessions and tokens without a word."""


class OpenStreams:
    """Counts by person, whichever keys and browsers they use; looks once for all streams whether they go on."""

    def __init__(self, database: Database, signals: Signals, clock: Clock) -> None:
        self._database = database
        self._signals = signals
        self._clock = clock
        self._open: dict[OpenStream, Caller] = {}
        self._of_person: Counter[int] = Counter()
        self._tasks: list[asyncio.Task[None]] = []

    @contextmanager
    def open(self, caller: Caller) -> Iterator[OpenStream]:
        """Take one of the caller's places for this block."""
        if self._of_person[caller.person_id] >= MOST_STREAMS:
            raise TooManyStreamsError(MOST_STREAMS)
        stream = OpenStream()
        self._open[stream] = caller
        self._of_person[caller.person_id] += 1
        try:
            yield stream
        finally:
            del self._open[stream]
            self._of_person[caller.person_id] -= 1
            if not self._of_person[caller.person_id]:
                del self._of_person[caller.person_id]

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._look_for_ever(), name="open streams")]

    async def stop(self) -> None:
        await end_tasks(self._tasks)
        self._tasks = []

    async def _look_for_ever(self) -> None:
        news = Listener(_PAUSE_S)
        with self._signals.listen(ACCESS_TOPIC, news):
            while True:
                await news.wait(LOOK_EVERY_S)
                try:
                    await self._look()
                except Exception:
                    log.exception("open streams could not be checked")  # the next look does it

    async def _look(self) -> None:
        """End the streams whose callers are no longer known, with a few statements however many are open."""
        asked = set(self._open.values())
        if not asked:
            return
        async with self._database.read() as session:
            known = await callers_known(session, asked, self._clock())
        for stream, caller in self._open.items():
            if caller in asked and caller not in known:
                stream.end()
