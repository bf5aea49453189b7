"""Completing a campaign, ending it before it is over, and letting it go on again.

Of a cancelled one, runs that wait end with the request. Those that go on are ended afterwards, each in a transaction
of its own: one that held many runs would wait for their owners while these wait for it.
"""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.campaigns.repository import end_waiting_runs, find_running, is_cancelled
from odyssey.campaigns.source import CampaignSource
from odyssey.core.database import Database, after_commit
from odyssey.core.scheduling import Cancel
from odyssey.core.signals import Signals
from odyssey.journal.events import lock_run
from odyssey.kit.clock import Clock
from odyssey.runs.models import Campaign
from odyssey.runs.repository import end_of_run
from odyssey.runs.states import RunStates
from odyssey.runs.topics import CAMPAIGNS_TOPIC, runs_ended


async def finish(database: Database, source: CampaignSource, campaign_id: int) -> bool:
    """Complete a campaign whose runs have all ended; returns whether this did it."""
    async with database.read() as session:
        campaign = await find_running(session, campaign_id)
    if campaign is None or not campaign.is_whole:  # it was cancelled or resumed since
        return False
    return await source.finish(campaign)


async def cancel(session: AsyncSession, signals: Signals, clock: Clock, campaign: Campaign) -> None:
    """Make no more runs of a campaign that the caller holds, and end those that wait."""
    campaign.state, campaign.lease_until = "cancelled", None
    await session.flush()
    ended = await end_waiting_runs(session, campaign.id, "cancelled", finished_at=end_of_run(clock()))
    after_commit(session, lambda: runs_ended(signals, campaign.org_id, ended))
    after_commit(session, lambda: signals.notify(CAMPAIGNS_TOPIC))


async def resume(
    session: AsyncSession, signals: Signals, campaign: Campaign, cancelled: Iterable[int]
) -> None:
    """Have the runs of a campaign made that are missing: those that were cancelled, then those that never were."""
    campaign.again = sorted({*cancelled, *campaign.again})
    campaign.turn += 1
    campaign.state = "checking"
    await session.flush()
    after_commit(session, lambda: signals.notify(CAMPAIGNS_TOPIC))


async def end_running_run(session: AsyncSession, states: RunStates, run_id: int, campaign_id: int) -> None:
    """End one run of a cancelled campaign that goes on, unless the campaign was resumed meanwhile."""
    if await is_cancelled(session, campaign_id):
        await lock_run(session, run_id)
        await states.take(session, run_id, Cancel())
