"""What an organisation says of its reviews, or the defaults."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.evals.risk import DEFAULT_THRESHOLDS, RiskLevel
from odyssey.models.models import OrgSettings

DEFAULT_SAMPLE_SHARE = 0.05


async def sample_share(session: AsyncSession, org_id: int) -> float:
    """Read which share of the runs that passed is looked at."""
    share: float = (await _evals(session, org_id)).get("sample_share", DEFAULT_SAMPLE_SHARE)
    return share


async def present_thresholds(session: AsyncSession, org_id: int) -> dict[RiskLevel, float]:
    """Read above which shift a cell is flagged."""
    own: dict[RiskLevel, float] = (await _evals(session, org_id)).get("thresholds") or {}
    return DEFAULT_THRESHOLDS | own


async def _evals(session: AsyncSession, org_id: int) -> dict[str, Any]:
    row = await session.get(OrgSettings, org_id)
    evals: dict[str, Any] = {} if row is None else row.document.get("evals") or {}
    return evals
