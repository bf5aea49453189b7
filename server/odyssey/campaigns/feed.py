"""Making the next runs of a campaign: a chunk at a time, so that no transaction is long.

What is made is planned before the transaction, which then holds only as long as writing takes. The count goes up in the
transaction that makes the runs: a crash loses both, and nothing is made twice.
"""

from odyssey.campaigns.repository import find_running, take_turn
from odyssey.campaigns.source import CampaignSource, next_runs
from odyssey.core.database import Database, after_commit
from odyssey.core.signals import Signals
from odyssey.runs.topics import runs_changed

CHUNK = 200


async def feed(database: Database, signals: Signals, source: CampaignSource, campaign_id: int) -> int:
    """Make the next chunk of a campaign; returns how many, 0 if somebody else was quicker or it is whole."""
    async with database.read() as session:
        campaign = await find_running(session, campaign_id)
        if campaign is None:
            return 0
        coming = next_runs(
            made_runs=campaign.made_runs,
            again=campaign.again,
            planned_runs=campaign.planned_runs,
            limit=CHUNK,
        )
        if not coming.numbers:
            return 0
        make = await source.plan(session, campaign, coming.numbers)
    async with database.write() as session:
        if not await take_turn(session, campaign, coming):
            return 0
        await make(session)
        after_commit(session, lambda: runs_changed(signals, campaign.org_id))
    return len(coming.numbers)
