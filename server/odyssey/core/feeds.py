"""One reading for all streams of this process that show the same thing, and only when it may have changed.

A source is read when the first stream asks for it, then when its topic is notified, by this process or through
`core.relay` by another. It is forgotten when the last stream has left.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.core.errors import OdysseyError
from odyssey.core.signals import Listener, Signals

log = logging.getLogger(__name__)

_UNASKED_S = 30.0
"""A net: a process that is killed between its commit and its word tells nobody."""


class Source(Protocol):
    """Something that streams show; it keeps what they have to say of it, each from where it is."""

    @property
    def key(self) -> Hashable:
        """Sources of one key are one. It names the org: nobody may join what another org reads."""
        ...

    @property
    def topic(self) -> str:
        """Notified when it may have changed."""
        ...

    @property
    def pause_s(self) -> float:
        """Between two readings, while it changes all the time."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it will not change any more."""
        ...

    async def look(self, session: AsyncSession) -> bool:
        """Read it; return whether there is something to say."""
        ...


S = TypeVar("S", bound=Source)


class Feed(Generic[S]):
    def __init__(self, source: S) -> None:
        self.source = source
        self.is_over = False
        """Whether it is read no more: nothing will be added to what the source says now."""
        self.listeners: set[Listener] = set()
        self.news = Listener(source.pause_s)
        self.looked = asyncio.Event()
        self.error: Exception | None = None


class Feeds:
    def __init__(self, database: Database, signals: Signals) -> None:
        self._database = database
        self._signals = signals
        self._feeds: dict[Hashable, Feed[Source]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def follow(self, source: S, listener: Listener) -> AsyncIterator[Feed[S]]:
        """Join those who follow the same, or be the first; the listener hears of what is said from now on."""
        feed = self._feeds.get(source.key)
        if feed is None:
            feed = self._feeds[source.key] = Feed[Source](source)
            task = asyncio.create_task(self._keep(feed), name=f"feed of {source.topic}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        feed.listeners.add(listener)
        try:
            await feed.looked.wait()
            if feed.error is not None:
                raise feed.error
            yield feed  # type: ignore[misc]  # sources of one key are of one kind
        finally:
            feed.listeners.discard(listener)
            if not feed.listeners:
                feed.news.wake()

    async def close(self) -> None:
        """Wait for what is being read. Nobody begins anything new once the signals are closed."""
        await asyncio.gather(*self._tasks)

    async def _keep(self, feed: Feed[Source]) -> None:
        source = feed.source
        try:
            with self._signals.listen(source.topic, feed.news):
                while (
                    feed.listeners
                ):  # none is cut off in a reading: a connection left there cannot be used again
                    async with self._database.read() as session:
                        is_news = await source.look(session)
                    feed.looked.set()
                    if source.is_over or self._signals.closed:
                        break
                    if is_news:
                        _wake(feed)
                    await feed.news.wait(_UNASKED_S)
        except OdysseyError as error:
            feed.error = error
        except Exception as error:
            log.exception("a feed broke off", extra={"topic": source.topic})
            feed.error = error
        finally:
            del self._feeds[source.key]
            feed.is_over = True
            feed.looked.set()
            _wake(feed)


def _wake(feed: Feed[Source]) -> None:
    for listener in feed.listeners:
        listener.wake()
