"""Wake-ups inside one process. They only shorten a wait: whoever waits also looks again by itself."""

import asyncio
from collections import defaultdict


class Signals:
    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self.closed = False
        """Set when the process is about to end: whoever waits in a loop must leave it."""

    def notify(self, topic: str) -> None:
        for event in self._waiting.get(topic, ()):
            event.set()

    def close(self) -> None:
        self.closed = True
        for topic in list(self._waiting):
            self.notify(topic)

    async def wait(self, topic: str, timeout_s: float) -> None:
        """Return when the topic is notified or the time is over, whichever comes first."""
        if self.closed:
            return
        event = asyncio.Event()
        self._waiting[topic].add(event)
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[topic].discard(event)
            if not self._waiting[topic]:
                del self._waiting[topic]
