"""Wake-ups. They only shorten a wait: whoever waits also looks again by itself.

Loops are woken inside their process (`notify`); what streams show is told to every process (`announce`, `Relay`).
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import asyncpg
from sqlalchemy.exc import SQLAlchemyError

from odyssey.core.database import Database
from odyssey.kit.tasks import end_tasks


class Listener:
    """Hears of a topic also while it looks; on a busy server it is woken at most every `pause_s`."""

    def __init__(self, pause_s: float = 0.0) -> None:
        self._pause_s = pause_s
        self._not_before = 0.0
        self._news = asyncio.Event()

    def wake(self) -> None:
        self._news.set()

    async def wait(self, timeout_s: float | None) -> bool:
        """Return when there was news since the last time, or when the time is over; say whether there was."""
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
                await asyncio.sleep(self._not_before - clock())
        except TimeoutError:
            pass
        is_news = self._news.is_set()
        self._news.clear()
        self._not_before = clock() + self._pause_s
        return is_news


class Signals:
    def __init__(self) -> None:
        self._listening: defaultdict[str, set[Listener]] = defaultdict(set)
        self.closed = False
        """Set when the process is about to end: whoever waits in a loop must leave it."""
        self.tell_others: Callable[[str], None] | None = None
        """Passes a topic on to the other processes on this database, if there can be any."""

    def notify(self, topic: str, *, apart_from: Listener | None = None) -> None:
        for listener in self._listening.get(topic, ()):
            if listener is not apart_from:
                listener.wake()

    def announce(self, topic: str) -> None:
        """Notify of a topic in every process; it is one word."""
        self.notify(topic)
        if self.tell_others is not None:
            self.tell_others(topic)

    def notify_all(self) -> None:
        """Wake everybody: there may be news of anything."""
        for topic in list(self._listening):
            self.notify(topic)

    def close(self) -> None:
        self.closed = True
        self.notify_all()

    @contextmanager
    def listen(self, topic: str, listener: Listener) -> Iterator[None]:
        """Let somebody hear of a topic from now on; what is notified between two waits is not missed."""
        self._listening[topic].add(listener)
        try:
            yield
        finally:
            self._listening[topic].discard(listener)
            if not self._listening[topic]:
                del self._listening[topic]

    async def wait(self, topic: str, timeout_s: float) -> None:
        """Return when the topic is notified or the time is over, whichever comes first."""
        if self.closed:
            return
        listener = Listener()
        with self.listen(topic, listener):
            await listener.wait(timeout_s)


# What one process announces, told to the others on the same Postgres: no process asks, each is told.
#
# A word is sent after the commit it speaks of, not within it: Postgres commits one transaction with a NOTIFY
# at a time, and calls of agents must not wait for each other. A process that is killed in between takes the
# word with it, which is why `core.feeds` looks again by itself. SQLite has one process, which hears of
# everything by `Signals`.

log = logging.getLogger(__name__)

_CHANNEL = "odyssey"
_PAUSE_S = 0.25
"""Between two messages of a busy process: what is announced meanwhile goes together."""
_SILENCE_S = 15.0
"""After which the connection is tried: one that broke without a word would otherwise be waited at for ever."""
_TRY_AGAIN_S = 1.0
_LAST_WORD_S = 1.0
_LONGEST = 7_000
"""Postgres takes messages of less than 8,000 bytes."""


_BROKEN = (
    OSError,
    SQLAlchemyError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a server that dies between two messages leaves the driver in a state of its own
)


class Relay:
    """Speaks and listens by one connection of its own; after a break it has everybody look again."""

    def __init__(self, database: Database, signals: Signals) -> None:
        self._database = database
        self._signals = signals
        self._unsent: set[str] = set()
        self._news = Listener(_PAUSE_S)
        self._loop: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        if not self._database.is_sqlite:
            self._signals.tell_others = self._take
            self._loop = asyncio.create_task(self._relay_for_ever(), name="relay")

    async def stop(self) -> None:
        """Say what is left to say, unless the database is away."""
        if self._loop is None:
            return
        self._signals.tell_others = None
        self._stopping = True
        self._news.wake()
        await asyncio.wait([self._loop], timeout=_LAST_WORD_S)
        await end_tasks([self._loop])
        self._loop = None

    def _take(self, topic: str) -> None:
        self._unsent.add(topic)
        self._news.wake()

    async def _relay_for_ever(self) -> None:
        while not self._stopping:
            try:
                async with self._database.own_connection("odyssey relay") as connection:
                    await connection.add_listener(_CHANNEL, self._hear)
                    connection.add_termination_listener(lambda _: self._news.wake())
                    self._signals.notify_all()  # of what was said while nobody listened
                    await self._speak(connection)
            except _BROKEN as error:
                log.warning("processes do not hear of each other", extra={"error": repr(error)})
                await asyncio.sleep(_TRY_AGAIN_S)
            except Exception:
                log.exception("processes do not hear of each other")  # and must again, whatever this was
                await asyncio.sleep(_TRY_AGAIN_S)

    def _hear(self, connection: asyncpg.Connection, pid: int, _channel: str, message: object) -> None:
        if pid != connection.get_server_pid():
            for topic in str(message).split():
                self._signals.notify(topic)

    async def _speak(self, connection: asyncpg.Connection) -> None:
        # Nothing is lost with a word that a crash of the database takes away: whoever listened must connect anew.
        await connection.execute("SET synchronous_commit TO off")
        is_last = False
        while not is_last:
            await self._news.wait(_SILENCE_S)
            is_last = self._stopping
            topics, self._unsent = self._unsent, set()
            try:
                async with asyncio.timeout(_SILENCE_S):
                    if not topics:
                        await connection.execute("SELECT 1")
                    for message in _messages(topics):
                        await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, message)
            except BaseException:
                self._unsent |= topics
                raise


def _messages(topics: Iterable[str]) -> Iterator[str]:
    """Join topics to messages of which each is short enough."""
    message = ""
    for topic in topics:
        if len(message) + len(topic) >= _LONGEST:
            yield message
            message = ""
        message += f" {topic}" if message else topic
    if message:
        yield message
