"""Which endpoints have answered a ping lately, so that one that hangs up is told from one that is not there."""

import asyncio
from collections.abc import Callable

from odyssey.dispatch.transport import PingTarget, Transport
from odyssey.kit.recent import Recent

FRESH_S = 600.0
"""How long a ping that was answered counts."""


class RecentPings:
    """Pings each endpoint once for all runs that wait to be sent to it; `monotonic` counts seconds."""

    def __init__(self, transport: Transport, monotonic: Callable[[], float]) -> None:
        self._transport = transport
        self._monotonic = monotonic
        self._answered: Recent[PingTarget, float] = Recent()
        self._asking: dict[PingTarget, asyncio.Task[bool]] = {}

    async def answers(self, target: PingTarget) -> bool:
        """Say whether it answered within the last ten minutes; if that is not known, ask."""
        answered_at = self._answered.get(target)
        if answered_at is not None and self._monotonic() < answered_at + FRESH_S:
            return True
        asking = self._asking.get(target)
        if asking is None:
            asking = self._asking[target] = asyncio.create_task(self._ask(target), name="ping before a run")
            asking.add_done_callback(lambda _: self._asking.pop(target, None))
        return await asyncio.shield(asking)  # others may wait for it when this run is cancelled

    async def _ask(self, target: PingTarget) -> bool:
        found = await self._transport.ping(target)
        if found.ok:
            self._answered.keep(target, self._monotonic())
        return found.ok
