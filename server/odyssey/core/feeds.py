"""One reading for all streams of this process that show the same thing, and only when it may have changed.

A source is read when the first stream asks for it, then when its topic is notified, by this process or through
`Relay` by another. It is forgotten when the last stream has left.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Hashable
from contextlib import aclosing, asynccontextmanager
from typing import Generic, Protocol, TypeVar

from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.types import Receive, Scope, Send

from odyssey.core.database import Database
from odyssey.core.errors import OdysseyError
from odyssey.core.signals import Listener, Signals

log = logging.getLogger(__name__)

_UNASKED_S = 30.0
"""A net: a process that is killed between its commit and its word tells nobody."""


class StreamSource(Protocol):
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


S = TypeVar("S", bound=StreamSource)


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
        self._feeds: dict[Hashable, Feed[StreamSource]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def follow(self, source: S, listener: Listener) -> AsyncIterator[Feed[S]]:
        """Join those who follow the same, or be the first; the listener hears of what is said from now on."""
        feed = self._feeds.get(source.key)
        if feed is None:
            feed = self._feeds[source.key] = Feed[StreamSource](source)
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

    async def _keep(self, feed: Feed[StreamSource]) -> None:
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


def _wake(feed: Feed[StreamSource]) -> None:
    for listener in feed.listeners:
        listener.wake()


# Server-sent events: what goes over the wire, and the life of one open stream. A feed reads what it shows.

COMMENT_EVERY_S = 15.0

_ON_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")


class OpenStream:
    """One stream that somebody holds open; whoever ends it wakes it."""

    def __init__(self) -> None:
        self.news = Listener()
        self.is_over = False

    def end(self) -> None:
        self.is_over = True
        self.news.wake()


class EventStream(StreamingResponse):
    media_type = "text/event-stream"
    body_iterator: AsyncGenerator[bytes]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages = self.body_iterator
        try:
            # Before the headers: what cannot be read is still an error, and who has them misses no change after them.
            first = await anext(messages)
            self.body_iterator = _beginning_with(first, messages)
            await super().__call__(scope, receive, send)
        finally:
            await (
                messages.aclose()
            )  # a stream that is cut off while it sends would stay until it is collected


async def _beginning_with(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    yield first
    async for message in rest:
        yield message


def event_stream(
    feeds: Feeds, opened: OpenStream, source: S, tell: Callable[[S], AsyncGenerator[bytes]]
) -> EventStream:
    """Tell a source until it is over or the stream is; in silence a comment says that it is there.

    `tell` knows how far this stream is: it gives what there is to say now, nothing while all was said, and ends once
    the source is told to its end.
    """

    async def messages() -> AsyncGenerator[bytes]:
        async with feeds.follow(source, opened.news) as feed, aclosing(tell(feed.source)) as told:
            yield b": open\n\n"  # or a quiet stream would not even show its headers
            while not opened.is_over:
                is_last = feed.is_over
                message = await anext(told, None)
                if message is None:
                    return
                if message:
                    yield message
                elif is_last:
                    return
                elif not await opened.news.wait(COMMENT_EVERY_S):
                    yield b": still here\n\n"

    return EventStream(messages(), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


def event_message(data: bytes, *, event: str, event_id: int | None = None) -> bytes:
    r"""Write an event with JSON as its data.

    A line break would end the `data:` line. In JSON one stands only between values, never inside a string, so a space
    says the same: an agent's reply `{"final_response": "ok"}\n` becomes `{"final_response": "ok"} `.
    """
    identity = b"" if event_id is None else b"id: %d\n" % event_id
    head = identity + b"event: " + event.encode("ascii")
    return head + b"\ndata: " + data.translate(_ON_ONE_LINE) + b"\n\n"
