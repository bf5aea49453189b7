"""All SQL of campaigns: each step is taken by at most one process, and only while nothing else has happened."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, func, literal_column, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.campaigns.source import NextRuns
from odyssey.runs.models import Campaign, Run

_WAITS = Run.status == literal_column("'pending'")  # as the index of waiting runs says it


async def unchecked_campaigns(session: AsyncSession, now: datetime, limit: int) -> Sequence[int]:
    statement = select(Campaign.id).where(*_free_to_check(now)).order_by(Campaign.id).limit(limit)
    return (await session.scalars(statement)).all()


async def take_check(
    session: AsyncSession, campaign_id: int, now: datetime, until: datetime
) -> Campaign | None:
    """Claim the ping of a campaign for this process; None if another was quicker."""
    free = (Campaign.id == campaign_id, *_free_to_check(now))
    statement = update(Campaign).where(*free).values(lease_until=until)
    return (await session.scalars(statement.returning(Campaign))).first()


async def drop_check(session: AsyncSession, campaign_id: int, until: datetime) -> None:
    """Give a ping back that was taken until then."""
    held = and_(Campaign.id == campaign_id, Campaign.state == "checking", Campaign.lease_until == until)
    await session.execute(update(Campaign).where(held).values(lease_until=None))


async def end_check(session: AsyncSession, campaign_id: int, state: str, ping: dict[str, Any]) -> bool:
    """Let a campaign go on as the ping says, once; False if it was cancelled or somebody else has pinged."""
    statement = update(Campaign).where(Campaign.id == campaign_id, Campaign.state == "checking")
    statement = statement.values(state=state, lease_until=None, ping=ping)
    return (await session.execute(statement.returning(Campaign.id))).first() is not None


async def shorten_checks(session: AsyncSession, longest: datetime) -> None:
    """Let none wait longer than that for a process that is gone and meant to ping."""
    held = (Campaign.state == "checking", Campaign.lease_until > longest)
    await session.execute(update(Campaign).where(*held).values(lease_until=longest))


def _free_to_check(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (Campaign.state == "checking", or_(Campaign.lease_until.is_(None), Campaign.lease_until <= now))


class RunningCampaign(NamedTuple):
    id: int
    kind: str
    is_whole: bool
    """Whether all its runs were made."""


async def running_campaigns(session: AsyncSession) -> list[RunningCampaign]:
    columns = select(Campaign.id, Campaign.kind, Campaign.made_runs, Campaign.planned_runs, Campaign.again)
    rows = await session.execute(columns.where(Campaign.state == "running").order_by(Campaign.id))
    return [
        RunningCampaign(number, kind, made == planned and not again)
        for number, kind, made, planned, again in rows
    ]


async def find_running(session: AsyncSession, campaign_id: int) -> Campaign | None:
    statement = select(Campaign).where(Campaign.id == campaign_id, Campaign.state == "running")
    return (await session.scalars(statement)).first()


async def waiting_runs(session: AsyncSession, campaign_id: int, most: int) -> int:
    """Count the campaign's runs that nobody has claimed, as far as `most`."""
    some = select(Run.id).where(_WAITS, Run.campaign_id == campaign_id).limit(most)
    return await session.scalar(select(func.count()).select_from(some.subquery())) or 0


async def has_open_runs(session: AsyncSession, campaign_id: int) -> bool:
    """Whether a run of the campaign waits or goes on."""
    of_campaign = select(Run.id).where(Run.campaign_id == campaign_id).limit(1)
    for state in (_WAITS, Run.status == "running"):  # each has an index of its own
        if (await session.scalars(of_campaign.where(state))).first() is not None:
            return True
    return False


async def take_turn(session: AsyncSession, campaign: Campaign, coming: NextRuns) -> bool:
    """Count runs as made, if nobody else has made any meanwhile and it still goes on; this is the fence."""
    statement = update(Campaign).where(*_unchanged(campaign))
    statement = statement.values(made_runs=coming.made_runs, again=coming.again, turn=campaign.turn + 1)
    return (await session.execute(statement.returning(Campaign.id))).first() is not None


async def extend(session: AsyncSession, campaign: Campaign, runs: int) -> bool:
    """Plan more runs of a campaign, once; False if somebody else did, or it was cancelled meanwhile."""
    statement = update(Campaign).where(*_unchanged(campaign))
    statement = statement.values(planned_runs=campaign.planned_runs + runs, turn=campaign.turn + 1)
    return (await session.execute(statement.returning(Campaign.id))).first() is not None


async def complete(session: AsyncSession, campaign: Campaign) -> bool:
    """Call a campaign completed, once; False if somebody else did, or it was cancelled meanwhile."""
    statement = update(Campaign).where(*_unchanged(campaign)).values(state="completed")
    return (await session.execute(statement.returning(Campaign.id))).first() is not None


def _unchanged(campaign: Campaign) -> tuple[ColumnElement[bool], ...]:
    return (Campaign.id == campaign.id, Campaign.state == "running", Campaign.turn == campaign.turn)


async def end_waiting_runs(
    session: AsyncSession, campaign_id: int, status: str, **values: Any
) -> Sequence[int]:
    """End every run of a campaign that was never claimed, and name them."""
    statement = update(Run).where(Run.campaign_id == campaign_id, _WAITS)
    values |= {"status": status, "verdict": "NOT APPLICABLE"}
    return (await session.scalars(statement.values(values).returning(Run.id))).all()


async def runs_to_end(session: AsyncSession) -> list[tuple[int, int]]:
    """Find the runs that go on although their campaign was cancelled, each with the campaign."""
    statement = select(Run.id, Campaign.id).join(Campaign, Campaign.id == Run.campaign_id)
    statement = statement.where(Run.status == "running", Campaign.state == "cancelled")
    return [
        (run_id, campaign_id) for run_id, campaign_id in await session.execute(statement.order_by(Run.id))
    ]


async def is_cancelled(session: AsyncSession, campaign_id: int) -> bool:
    """Hold a campaign as it is, and say whether it was cancelled."""
    return await held_state(session, campaign_id) == "cancelled"


async def hold_campaign(session: AsyncSession, campaign_id: Select[int]) -> None:
    """Hold the campaign of a batch or a matrix before anything of these is written.

    Whoever ends a campaign writes the campaign first and then what it is of. To hold both by one joined statement
    could take them the other way round, and each would wait for the other.
    """
    await session.execute(
        select(Campaign.id).where(Campaign.id == campaign_id.scalar_subquery()).with_for_update()
    )


async def held_state(session: AsyncSession, campaign_id: int) -> str | None:
    """Hold a campaign, and say in which state it is."""
    statement = select(Campaign.state).where(Campaign.id == campaign_id).with_for_update()
    return (await session.scalars(statement)).first()
