"""Wake-ups. They only shorten a wait: whoever waits also looks again by itself.

Loops are woken inside their process (`notify`); what streams show is told to every process (`announce`, `core.relay`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
