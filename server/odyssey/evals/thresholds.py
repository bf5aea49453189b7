"""Above which shift something is flagged, as an organisation has set it."""

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.risk import RiskLevel, by_risk
from odyssey.models.settings import read_settings


async def present_thresholds(session: AsyncSession, org_id: int) -> dict[RiskLevel, float]:
    document, _ = await read_settings(session, org_id)
    return by_risk(document.evals.thresholds)
