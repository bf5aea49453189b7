"""What an org may spend on models in a day: taken before a call at its worst case, corrected after it.

A call that was never completed keeps its worst case, so that a crash cannot make room for more.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.models.chat import BudgetExhaustedError, Usage
from odyssey.models.document import Budgets, Document
from odyssey.models.models import ModelCall, OrgSettings

_ANEW = "It begins anew at 00:00 UTC; an admin can raise {member} in the settings."


@dataclass(frozen=True, slots=True)
class Spent:
    usd: float
    calls: int


@dataclass(frozen=True, slots=True)
class Purchase:
    """A call that is about to be made."""

    org_id: int
    purpose: str
    run_id: int | None
    provider: str
    model: str
    worst: Usage
    worst_usd: float


async def reserve(session: AsyncSession, purchase: Purchase, now: datetime) -> int:
    """Take the worst case out of today's budget and write the call down, or raise BudgetExhaustedError."""
    limits = await _locked_limits(session, purchase.org_id)
    spent = await spent_today(session, purchase.org_id, now)
    if spent.calls >= limits.calls_per_day:
        raise BudgetExhaustedError(
            f"The budget of {limits.calls_per_day} model calls a day is used up. "
            + _ANEW.format(member="budgets.calls_per_day")
        )
    if limits.usd_per_day is not None and spent.usd + purchase.worst_usd > limits.usd_per_day:
        raise BudgetExhaustedError(
            f"The call can cost {purchase.worst_usd:.4f} USD, and {spent.usd:.4f} of the budget of "
            f"{limits.usd_per_day:g} USD a day are used. " + _ANEW.format(member="budgets.usd_per_day")
        )
    call = ModelCall(
        org_id=purchase.org_id,
        purpose=purchase.purpose,
        run_id=purchase.run_id,
        provider=purchase.provider,
        model=purchase.model,
        input_tokens=purchase.worst.input_tokens,
        output_tokens=purchase.worst.output_tokens,
        cost_usd=purchase.worst_usd,
        outcome=None,
        occurred_at=now,
    )
    session.add(call)
    await session.flush()
    return call.id


async def settle(session: AsyncSession, call_id: int, usage: Usage, cost_usd: float, outcome: str) -> None:
    """Write down what the call did cost."""
    await session.execute(
        update(ModelCall)
        .where(ModelCall.id == call_id)
        .values(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost_usd,
            outcome=outcome,
        )
    )


async def spent_today(session: AsyncSession, org_id: int, now: datetime) -> Spent:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    of_today = select(func.coalesce(func.sum(ModelCall.cost_usd), 0.0), func.count()).where(
        ModelCall.org_id == org_id,
        ModelCall.occurred_at >= midnight,
        ModelCall.occurred_at < midnight + timedelta(days=1),
    )
    usd, calls = (await session.execute(of_today)).one()
    return Spent(float(usd), calls)


async def _locked_limits(session: AsyncSession, org_id: int) -> Budgets:
    """Two calls at once must not both take what is left; SQLite has one writer anyway."""
    row = select(OrgSettings.document).where(OrgSettings.org_id == org_id).with_for_update()
    return Document.read(await session.scalar(row)).budgets
