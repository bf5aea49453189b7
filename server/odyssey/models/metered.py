"""A model as an org uses it: no call without budget, none unrecorded, and what may help later is tried later."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.kit.clock import Clock
from odyssey.models.chat import BudgetExhaustedError, Completion, ModelError, ModelUnavailableError, Usage
from odyssey.models.document import Budgets, ModelConfig, SettingsDocument
from odyssey.models.models import ModelCall, OrgSettings
from odyssey.models.remote import RemoteModel, worst_usage

# What an org may spend on models in a day: taken before a call at its worst case, corrected after it.
#
# A call that was never completed keeps its worst case, so that a crash cannot make room for more.

_ANEW = "It begins anew at 00:00 UTC; an admin can raise {member} in the settings."


@dataclass(frozen=True, slots=True)
class Account:
    """On whose budget, and what for."""

    org_id: int
    purpose: str
    run_id: int | None


async def reserve(
    session: AsyncSession, account: Account, config: ModelConfig, worst: Usage, now: datetime
) -> int:
    """Take the worst case out of today's budget and write the call down, or raise BudgetExhaustedError."""
    limits = await _locked_limits(session, account.org_id)
    spent_usd, calls = await spent_today(session, account.org_id, now)
    worst_usd = config.cost_of(worst)
    if calls >= limits.calls_per_day:
        raise BudgetExhaustedError(
            f"The budget of {limits.calls_per_day} model calls a day is used up. "
            + _ANEW.format(member="budgets.calls_per_day"),
            own_share=(await _own_shares(session, account, limits, now))[1],
        )
    if limits.usd_per_day is not None and spent_usd + worst_usd > limits.usd_per_day:
        raise BudgetExhaustedError(
            f"The call can cost {worst_usd:.4f} USD, and {spent_usd:.4f} of the budget of "
            f"{limits.usd_per_day:g} USD a day are used. " + _ANEW.format(member="budgets.usd_per_day"),
            own_share=(await _own_shares(session, account, limits, now))[0],
        )
    call = ModelCall(
        org_id=account.org_id,
        purpose=account.purpose,
        run_id=account.run_id,
        provider=config.provider,
        model=config.model,
        input_tokens=worst.input_tokens,
        output_tokens=worst.output_tokens,
        cost_usd=worst_usd,
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


async def spent_today(
    session: AsyncSession, org_id: int, now: datetime, *among: ColumnElement[bool]
) -> tuple[float, int]:
    """The money, in USD, and the calls of the day so far; of those calls only for which all of `among` holds."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    of_today = select(func.coalesce(func.sum(ModelCall.cost_usd), 0.0), func.count()).where(
        ModelCall.org_id == org_id,
        ModelCall.occurred_at >= midnight,
        ModelCall.occurred_at < midnight + timedelta(days=1),
        *among,
    )
    usd, calls = (await session.execute(of_today)).one()
    return float(usd), calls


async def _own_shares(
    session: AsyncSession, account: Account, limits: Budgets, now: datetime
) -> tuple[float, float]:
    """How much of the money and of the calls that were left when a run first asked, it has used for this purpose."""
    own = (ModelCall.run_id == account.run_id, ModelCall.purpose == account.purpose)
    usd, calls = await spent_today(session, account.org_id, now, *own)
    if account.run_id is None or calls == 0:
        return 0.0, 0.0
    first = select(func.min(ModelCall.id)).where(ModelCall.org_id == account.org_id, *own).scalar_subquery()
    usd_before, calls_before = await spent_today(session, account.org_id, now, ModelCall.id < first)
    usd_left = (limits.usd_per_day or 0.0) - usd_before
    calls_left = limits.calls_per_day - calls_before
    return usd / usd_left if usd_left > 0 else 0.0, calls / calls_left if calls_left > 0 else 0.0


async def share_of_last_minute(session: AsyncSession, account: Account, now: datetime) -> float:
    """Of the calls that an org has made of late for a purpose, how many were made for this run, 0 to 1."""
    of_late = select(ModelCall.run_id, func.count()).where(
        ModelCall.org_id == account.org_id,
        ModelCall.purpose == account.purpose,
        ModelCall.occurred_at > now - timedelta(minutes=1),
    )
    rows = await session.execute(of_late.group_by(ModelCall.run_id))
    calls: dict[int | None, int] = dict(rows.all())
    return calls.get(account.run_id, 0) / max(1, sum(calls.values()))


async def _locked_limits(session: AsyncSession, org_id: int) -> Budgets:
    """Two calls at once must not both take what is left; SQLite has one writer anyway."""
    row = select(OrgSettings.document).where(OrgSettings.org_id == org_id).with_for_update()
    return SettingsDocument.read(await session.scalar(row)).budgets


Sleep = Callable[[float], Awaitable[None]]
ChargeRun = Callable[[AsyncSession, int, float], Awaitable[None]]
"""Adds what a call did cost, in USD, to the run with this id."""

ATTEMPTS = 3
LONGEST_WAIT_S = 30.0


class MeteredModel:
    """Reserves before every request and settles after it."""

    def __init__(
        self,
        inner: RemoteModel,
        account: Account,
        database: Database,
        clock: Clock,
        *,
        sleep: Sleep,
        charge_run: ChargeRun,
    ) -> None:
        self._inner = inner
        self._account = account
        self._database = database
        self._clock = clock
        self._sleep = sleep
        self._charge_run = charge_run

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def max_output_tokens(self) -> int:
        return self._inner.max_output_tokens

    async def complete(
        self, *, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int
    ) -> Completion:
        """Ask, and ask again where the model is only busy and nothing was spent."""
        attempt = 1
        while True:
            try:
                return await self._once(system, user, schema, max_output_tokens)
            except ModelUnavailableError as error:
                wait = _wait(error, attempt)
                if wait is None:
                    error.own_share = await self._share_of_last_minute()
                    raise
                await self._sleep(wait)
                attempt += 1

    async def _once(
        self, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int
    ) -> Completion:
        config = self._inner.config
        worst = worst_usage(self._inner.ask(system, user, schema, max_output_tokens))
        call_id = await self._reserve(worst)
        try:
            completion = await self._inner.complete(
                system=system, user=user, schema=schema, max_output_tokens=max_output_tokens
            )
        except ModelError as error:
            usage = worst if error.usage is None else error.usage
            error.cost_usd = config.cost_of(usage)
            await self._settle(call_id, usage, error.cost_usd, error.outcome)
            raise
        usage = Usage(completion.input_tokens, completion.output_tokens)
        await self._settle(call_id, usage, completion.cost_usd, "answered")
        return completion

    async def _reserve(self, worst: Usage) -> int:
        async with self._database.write() as session:
            return await reserve(session, self._account, self._inner.config, worst, self._clock())

    async def _share_of_last_minute(self) -> float:
        if self._account.run_id is None:
            return 0.0
        async with self._database.read() as session:
            return await share_of_last_minute(session, self._account, self._clock())

    async def _settle(self, call_id: int, usage: Usage, cost_usd: float, outcome: str) -> None:
        async with self._database.write() as session:
            await settle(session, call_id, usage, cost_usd, outcome)
            if self._account.run_id is not None and cost_usd:
                await self._charge_run(session, self._account.run_id, cost_usd)


def _wait(error: ModelUnavailableError, attempt: int) -> float | None:
    """How long to wait before asking again; None: it was asked often enough, may cost twice, or take too long."""
    if attempt == ATTEMPTS or error.usage is None:
        return None
    wait = 2.0 ** (attempt - 1) if error.retry_after_s is None else error.retry_after_s
    return wait if wait <= LONGEST_WAIT_S else None
