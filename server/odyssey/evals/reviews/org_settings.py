"""What an organisation says of its reviews, or the defaults."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.risk import RiskLevel, by_risk
from odyssey.models.settings import read_settings


async def sample_share(session: AsyncSession, org_id: int) -> float:
    """Read which share of the runs that passed is looked at."""
    document, _ = await read_settings(session, org_id)
    return document.evals.sample_share


async def present_thresholds(session: AsyncSession, org_id: int) -> dict[RiskLevel, float]:
    """Read above which shift a cell is flagged."""
    document, _ = await read_settings(session, org_id)
    return by_risk(document.evals.thresholds)
