"""What an organisation says of its reviews, or the defaults."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.models.settings import read_settings


async def sample_share(session: AsyncSession, org_id: int) -> float:
    """Read which share of the runs that passed is looked at."""
    document, _ = await read_settings(session, org_id)
    return document.evals.sample_share
