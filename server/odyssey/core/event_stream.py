"""Server-sent events: what goes over the wire, and the life of one open stream. What it shows, `core.feeds` reads."""

from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from odyssey.core.feeds import Feeds, S
from odyssey.core.signals import Listener

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


class Teller(Protocol):
    """Knows how far one stream has told its source."""

    @property
    def is_done(self) -> bool:
        """Whether what was taken last is the end."""
        ...

    async def take(self) -> bytes:
        """Return what there is to say now; nothing means that all was said."""
        ...


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


def event_stream(feeds: Feeds, opened: OpenStream, source: S, teller: Callable[[S], Teller]) -> EventStream:
    """Tell a source until it is over or the stream is; in silence a comment says that it is there."""

    async def messages() -> AsyncGenerator[bytes]:
        async with feeds.follow(source, opened.news) as feed:
            told = teller(feed.source)
            yield b": open\n\n"  # or a quiet stream would not even show its headers
            while not opened.is_over:
                is_last = feed.is_over
                message = await told.take()
                if message:
                    yield message
                    if told.is_done:
                        return
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
