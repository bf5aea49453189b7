"""The embedded executor: claims runs, keeps their leases, and gives them back when it has to stop.

It works in turns. One turn is one transaction: it records what has ended since the last and claims as many runs as
there is room for then. So a busy server commits for many runs at once, and a run that ends needs no second write to
make room for the next.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from time import monotonic

from sqlalchemy import Connection

from odyssey.core.database import StorageUnavailableError
from odyssey.core.scheduling import Command
from odyssey.core.signals import Listener
from odyssey.dispatch.classify import Failure
from odyssey.kit.ids import new_uuid
from odyssey.kit.tasks import end_tasks
from odyssey.runs.attempt import FAILED, EndedAttempt, OpenedAttempt, Parts, perform
from odyssey.runs.closing import close_runs
from odyssey.runs.opening import Opening, open_runs
from odyssey.runs.repository import renew_leases
from odyssey.runs.states import MoveResult
from odyssey.runs.targets import Targets
from odyssey.runs.topics import OWNERSHIP_TOPIC, RUNS_TOPIC

log = logging.getLogger(__name__)

_AT_ONCE = 64
"""Runs that one transaction holds at most, of those that end and of those that begin."""
_LOOK_AGAIN_S = 1.0
_CROWDED_S = 0.02
_AFTER_A_FAILURE_S = 0.5
_MOST_REFUSALS = 3
"""After which a result is taken for one that cannot be stored at all."""

_Key = tuple[int, int]


class Executor:
    def __init__(self, parts: Parts, *, max_runs: int, lease: timedelta, drain_s: float) -> None:
        self.owner = new_uuid()
        self._parts = parts
        self._targets = Targets(parts.agents, parts.vault, parts.judge)
        self._max_runs = max_runs
        self._lease = lease
        self._drain_s = drain_s
        self._held: dict[_Key, asyncio.Task[None]] = {}
        self._ended: list[EndedAttempt] = []
        self._none_held = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []
        self._stopping = self._giving_back = False
        self._look_for_lost_at = 0.0
        self._news = Listener()

    def start(self) -> None:
        self._loops = [
            asyncio.create_task(self._turn_for_ever(), name="executor turns"),
            asyncio.create_task(self._renew_for_ever(), name="executor renews"),
        ]

    @property
    def is_stopping(self) -> bool:
        return self._stopping

    async def stop(self) -> None:
        """Stop claiming, wait for what runs, then give back what is left."""
        if not self._loops:
            return
        self._stopping = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._drain_s):
                await self._until_none_held()
        self._giving_back = True
        for task in list(self._held.values()):
            task.cancel()
        await self._until_none_held()
        await end_tasks(self._loops)
        self._loops = []

    async def _until_none_held(self) -> None:
        self._news.wake()
        while self._held:
            self._none_held.clear()
            await self._none_held.wait()

    async def _turn_for_ever(self) -> None:
        with self._parts.signals.listen(RUNS_TOPIC, self._news):
            while True:
                try:
                    pause_s = await self._turn()
                except Exception:
                    log.exception("a turn failed")
                    pause_s = _LOOK_AGAIN_S
                if not self._held:
                    self._none_held.set()
                if pause_s and not self._ended:
                    await self._news.wait(pause_s)

    async def _turn(self) -> float:
        """Take one turn; returns how long to wait for news before the next."""
        ended, self._ended = self._ended[:_AT_ONCE], self._ended[_AT_ONCE:]
        room = 0 if self._stopping else min(_AT_ONCE, self._max_runs - len(self._held) + len(ended))
        if not ended and room <= 0:
            return _LOOK_AGAIN_S
        try:
            closed, opening = await self._parts.writer.do(partial(self._write, ended=ended, room=room))
        except Exception:
            log.exception("a turn is not stored", extra={"ended": len(ended), "room": room})
            await self._close_apart(ended)
            await asyncio.sleep(_AFTER_A_FAILURE_S)
            return _LOOK_AGAIN_S
        self._targets.forget_passing()
        self._let_go(ended, closed)
        for opened in opening.opened:
            self._hold(opened)
        self._parts.states.tell([*closed, *opening.moved], apart_from=self._news)
        return await self._after(opening, room)

    def _write(
        self, connection: Connection, *, ended: list[EndedAttempt], room: int
    ) -> tuple[Sequence[MoveResult], Opening]:
        closed = close_runs(connection, self._parts, self.owner, ended)
        if room <= 0:
            return closed, Opening()
        opening = open_runs(
            connection, self._parts, self._targets, self.owner, room, lost=self._is_time_for_lost()
        )
        return closed, opening

    def _is_time_for_lost(self) -> bool:
        """Say whether to ask for runs whose owner fell silent; that is no news, so now and then is enough."""
        now = monotonic()
        if now < self._look_for_lost_at:
            return False
        self._look_for_lost_at = now + _LOOK_AGAIN_S
        return True

    async def _after(self, opening: Opening, room: int) -> float:
        if opening.unready:
            async with self._parts.database.read() as session:
                await self._targets.prepare(session, opening.unready, opening.sealed)
            return 0.0
        if len(opening.moved) == room:
            return 0.0
        return _CROWDED_S if opening.is_crowded else _LOOK_AGAIN_S

    def _hold(self, opened: OpenedAttempt) -> None:
        key = (opened.run_id, opened.attempt)
        self._held[key] = asyncio.create_task(self._perform(opened), name="run {} attempt {}".format(*key))
        if not isinstance(opened.dispatch, Failure):
            extra = {"run_id": key[0], "attempt": key[1], "jti": opened.dispatch.run_token_jti}
            log.info("dispatch", extra=extra)

    async def _perform(self, opened: OpenedAttempt) -> None:
        """Send an attempt; being cancelled means that the run was lost, or must be given back."""
        key = (opened.run_id, opened.attempt)
        try:
            outcome = await perform(self._parts, opened)
            self._ended.append(EndedAttempt(*key, outcome))
        except StorageUnavailableError:
            self._ended.append(EndedAttempt(*key, None, because="platform_fault"))
        except asyncio.CancelledError:
            if self._giving_back:
                self._ended.append(EndedAttempt(*key, None))
            else:
                self._held.pop(key, None)
        self._news.wake()

    def _let_go(self, ended: list[EndedAttempt], closed: Sequence[MoveResult]) -> None:
        for each, moved in zip(ended, closed, strict=True):
            self._held.pop((each.run_id, each.attempt), None)
            extra = {"run_id": each.run_id, "attempt": each.attempt}
            if Command.ABORT in moved.commands:
                log.info("late result dropped", extra=extra)
            elif each.outcome is None:
                log.info("run given back", extra=extra)
            else:
                log.info("run ended", extra=extra | {"status": moved.work.status})

    async def _close_apart(self, ended: list[EndedAttempt]) -> None:
        """Close one by one what could not be closed together: if it is one result's fault, it is found."""
        for each in ended:
            try:
                closed, _ = await self._parts.writer.do(partial(self._write, ended=[each], room=0))
            except StorageUnavailableError:
                self._try_later(each)
            except Exception:
                log.exception("a result is not stored", extra={"run_id": each.run_id})
                self._try_later(each._replace(refused=each.refused + 1))
            else:
                self._let_go([each], closed)
                self._parts.states.tell(closed, apart_from=self._news)

    def _try_later(self, ended: EndedAttempt) -> None:
        """Keep a result for the next turn; while stopping, leave the run to whoever finds its lease over."""
        if self._giving_back:
            self._held.pop((ended.run_id, ended.attempt), None)
        elif ended.outcome is not None and ended.refused == _MOST_REFUSALS:
            self._ended.append(ended._replace(outcome=FAILED))
        else:
            self._ended.append(ended)

    async def _renew_for_ever(self) -> None:
        """Keep every lease with one write a beat; break off what is no longer ours."""
        while True:
            await self._parts.signals.wait(OWNERSHIP_TOPIC, self._lease.total_seconds() / 3)
            before = set(self._held)
            try:
                if not before:
                    await self._parts.clock.correct(self._parts.database)
                    continue
                ours = await self._parts.writer.do(partial(self._renew, held=before))
            except Exception:
                log.exception("leases not renewed")  # the next beat tries; only their end takes runs away
                continue
            for key in before - ours:
                if key in self._held:
                    self._held[key].cancel()

    def _renew(self, connection: Connection, held: set[_Key]) -> set[_Key]:
        return renew_leases(connection, self.owner, held, self._parts.clock.lease_moment, self._lease)
