"""The loop that looks at eval runs once they have ended, whoever executed them."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from odyssey.core.signals import Listener
from odyssey.evals.eval_runs.observe import ObservingParts, observe
from odyssey.evals.eval_runs.repository import to_observe
from odyssey.runs.topics import RUNS_TOPIC

log = logging.getLogger(__name__)

_AT_ONCE = 50
_PAUSE_S = 0.1
"""Between two looks of a busy server: what ends meanwhile is looked at together."""
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
        news = Listener(_PAUSE_S)
        with self._parts.signals.listen(RUNS_TOPIC, news):
            while True:
                try:
                    seen = await self._look()
                except Exception:
                    log.exception("looking for eval runs failed")
                    seen = 0
                if seen < _AT_ONCE:
                    await news.wait(self._parts.database.look_again_s)

    async def _look(self) -> int:
        async with self._parts.database.read() as session:
            ended = await to_observe(session, _AT_ONCE)
        if not ended:
            return 0
        try:
            await observe(self._parts, ended)
        except Exception:
            log.exception("eval runs could not be observed together", extra={"runs": len(ended)})
            await self._look_apart(ended)
        return len(ended)

    async def _look_apart(self, ended: Sequence[int]) -> None:
        """Look at each by itself: one that cannot be observed must not hide the others."""
        failed = 0
        for run_id in ended:
            try:
                await observe(self._parts, [run_id])
            except Exception:
                log.exception("an eval run could not be observed", extra={"run_id": run_id})
                failed += 1
        if failed == len(ended):
            await asyncio.sleep(_AFTER_A_FAILURE_S)
