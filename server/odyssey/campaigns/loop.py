"""The loop behind campaigns: it pings their agents, makes their runs while they go on, and completes them."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Sequence
from datetime import datetime

from odyssey.campaigns.check import CHECK_LEASE, check_agent
from odyssey.campaigns.ending import end_running_run, finish
from odyssey.campaigns.feed import CHUNK, feed
from odyssey.campaigns.repository import (
    RunningCampaign,
    drop_check,
    has_open_runs,
    running_campaigns,
    runs_to_end,
    take_check,
    unchecked_campaigns,
    waiting_runs,
)
from odyssey.campaigns.source import CampaignSource
from odyssey.core.database import StorageUnavailableError
from odyssey.core.signals import Listener
from odyssey.kit.tasks import end_tasks
from odyssey.runs.attempt import Parts
from odyssey.runs.models import Campaign
from odyssey.runs.topics import CAMPAIGNS_TOPIC

log = logging.getLogger(__name__)

_WHILE_RUNNING_S = 0.2
_TRY_AGAIN_S = 1.0
_LET_ALONE_S = 5.0
"""A campaign that failed to go on."""
_PINGS_AT_ONCE = 16
_ENOUGH_WAITING = 2 * CHUNK
"""Runs of one campaign that wait at most: those of others come between them, and the queue stays short."""


class CampaignLoop:
    """Several processes may run one each: what they do is fenced in the database."""

    def __init__(self, parts: Parts, sources: Sequence[CampaignSource]) -> None:
        self._parts = parts
        self._sources = {source.kind: source for source in sources}
        self._loops: list[asyncio.Task[None]] = []
        self._pings: dict[int, asyncio.Task[None]] = {}
        self._resting: dict[int, float] = {}
        """Campaigns that failed to go on, and until when they are let alone."""

    def start(self) -> None:
        self._loops = [asyncio.create_task(self._work_for_ever(), name="campaigns")]

    async def stop(self) -> None:
        """What is not pinged, made or completed yet is left to whoever comes next."""
        await end_tasks([*self._loops, *self._pings.values()])
        self._loops = []

    async def _work_for_ever(self) -> None:
        news = Listener()
        with self._parts.signals.listen(CAMPAIGNS_TOPIC, news):
            while True:
                try:
                    pause = await self._work()
                except Exception:
                    log.exception("campaigns do not go on")
                    pause = _TRY_AGAIN_S
                if pause:
                    await news.wait(pause)

    async def _work(self) -> float:
        """Do a little for every campaign; returns after how many seconds there may be more to do."""
        async with self._parts.database.read() as session:
            room = _PINGS_AT_ONCE - len(self._pings)
            now = await self._parts.clock.lease_moment_in(session)
            unchecked = await unchecked_campaigns(session, now, room) if room > 0 else ()
            running = [each for each in await running_campaigns(session) if not self._rests(each.id)]
            hungry = [
                each
                for each in running
                if not each.is_whole
                and await waiting_runs(session, each.id, _ENOUGH_WAITING) < _ENOUGH_WAITING
            ]
            over = [each for each in running if each.is_whole and not await has_open_runs(session, each.id)]
            cancelled = await runs_to_end(session)
        for run_id, campaign_id in cancelled:
            async with self._parts.database.write() as session:
                await end_running_run(session, self._parts.states, run_id, campaign_id)
        for campaign_id in unchecked:
            await self._take_check(campaign_id)
        done = [await self._try(self._feed(each), each.id) for each in hungry]
        done += [await self._try(self._finish(each), each.id) for each in over]
        if any(done):
            return 0.0
        return _WHILE_RUNNING_S if running else self._parts.database.look_again_s

    async def _try(self, act: Awaitable[bool], campaign_id: int) -> bool:
        """Do something for a campaign; returns whether there was something to do."""
        try:
            return await act
        except Exception:
            # The other campaigns are not to suffer.
            log.exception("a campaign does not go on", extra={"campaign_id": campaign_id})
            self._resting[campaign_id] = time.monotonic() + _LET_ALONE_S
            return False

    def _rests(self, campaign_id: int) -> bool:
        if self._resting.get(campaign_id, 0.0) > time.monotonic():
            return True
        self._resting.pop(campaign_id, None)
        return False

    async def _feed(self, each: RunningCampaign) -> bool:
        return await feed(self._parts.database, self._parts.signals, self._sources[each.kind], each.id) > 0

    async def _finish(self, each: RunningCampaign) -> bool:
        return await finish(self._parts.database, self._sources[each.kind], each.id)

    async def _take_check(self, campaign_id: int) -> None:
        async with self._parts.database.write() as session:
            now = await self._parts.clock.lease_moment_in(session)
            until = now + CHECK_LEASE
            campaign = await take_check(session, campaign_id, now, until)
        if campaign is not None:
            check = self._check(campaign, until)
            self._pings[campaign_id] = asyncio.create_task(check, name=f"ping for campaign {campaign_id}")

    async def _check(self, campaign: Campaign, until: datetime) -> None:
        try:
            await check_agent(self._parts, self._sources[campaign.kind], campaign)
        except asyncio.CancelledError:
            with contextlib.suppress(
                StorageUnavailableError
            ):  # then the next process waits for the lease to end
                async with self._parts.database.write() as session:
                    await drop_check(session, campaign.id, until)
            raise
        except Exception:
            # The lease ends, then it is done again.
            log.exception("ping not recorded", extra={"campaign_id": campaign.id})
        finally:
            self._pings.pop(campaign.id, None)
