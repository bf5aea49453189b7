"""The loop that looks at eval runs once they have ended, whoever executed them."""

import asyncio
import contextlib
import logging

from odyssey.evals.eval_runs.observe import ObservingParts, observe
from odyssey.evals.eval_runs.repository import to_observe
from odyssey.runs.topics import RUNS_TOPIC

log = logging.getLogger(__name__)

_AT_ONCE = 50
_LOOK_AGAIN_S = 1.0
_AFTER_A_FAILURE_S = 5.0


class Observer:
    """Two processes may look at the same run: both see the same, and the first to write is the one that counts."""

    def __init__(self, parts: ObservingParts) -> None:
        self._parts = parts
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._loop = asyncio.create_task(self._look_for_ever(), name="eval observer")

    async def stop(self) -> None:
        """What was not looked at yet waits for whoever comes next."""
        if self._loop is None:
            return
        self._loop.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._loop
        self._loop = None

    async def _look_for_ever(self) -> None:
        while True:
            try:
                seen = await self._look()
            except Exception:
                log.exception("looking for eval runs failed")
                seen = 0
            if seen == 0:
                await self._parts.signals.wait(RUNS_TOPIC, _LOOK_AGAIN_S)

    async def _look(self) -> int:
        async with self._parts.database.read() as session:
            ended = await to_observe(session, _AT_ONCE)
        failed = 0
        for run_id in ended:
            try:
                await observe(self._parts, run_id)
            except Exception:
                log.exception("an eval run could not be observed", extra={"run_id": run_id})
                failed += 1
        if failed and failed == len(ended):
            await asyncio.sleep(_AFTER_A_FAILURE_S)
        return len(ended)
