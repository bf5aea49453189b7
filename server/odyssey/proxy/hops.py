"""Calls that have gone out: each is seen through to its record, also when nobody waits for it any more."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from odyssey.core.errors import OdysseyError
from odyssey.endpoints.registry import Upstreams
from odyssey.proxy.live_runs import LiveToken

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Hops:
    """What is under way; closing cuts it off, and the journal keeps that it went out."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._tasks: set[asyncio.Task[Any]] = set()

    async def see_through(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for work that goes on to its end although the one who waits may leave."""
        task = self._begin(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_tell)
            raise

    def end_session(self, token: LiveToken) -> None:
        """Let go of what services keep for an attempt that is over."""
        self._begin(self._upstreams.end_session(token.session)).add_done_callback(_tell)

    def _begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(work, name="hop")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Cut off what is under way; the drain of the runs has waited for it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _tell(task: asyncio.Task[Any]) -> None:
    """Log what went wrong where nobody is left to be told; what is refused, the journal has."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, OdysseyError):
        log.error("a forwarded call failed", exc_info=error)
