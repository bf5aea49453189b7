"""The verdicts a run was given, as the API shows them."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.runs.schemas import GradeOut
from odyssey.runs.verdicts.models import Grade

_OWN = ("number", "attempt", "verdict", "score", "failure_mode", "reason", "cost_usd", "created_at")


async def grades_of(session: AsyncSession, run_id: int) -> list[GradeOut]:
    """Return all of them, oldest first."""
    rows = await session.scalars(select(Grade).where(Grade.run_id == run_id).order_by(Grade.number))
    return [GradeOut.model_validate(row.report | {name: getattr(row, name) for name in _OWN}) for row in rows]
