"""A model as an org uses it: no call without budget, none unrecorded, and what may help later is tried later."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import Database
from odyssey.kit.clock import Clock
from odyssey.models.budget import Purchase, reserve, settle
from odyssey.models.chat import Completion, ModelError, ModelUnavailableError, Usage
from odyssey.models.remote import RemoteModel, worst_usage

Sleep = Callable[[float], Awaitable[None]]
ChargeRun = Callable[[AsyncSession, int, float], Awaitable[None]]
"""Adds what a call did cost, in USD, to the run with this id."""

ATTEMPTS = 3
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Account:
    """On whose budget, and what for."""

    org_id: int
    purpose: str
    run_id: int | None


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
        for attempt in range(1, ATTEMPTS):
            try:
                return await self._once(system, user, schema, max_output_tokens)
            except ModelUnavailableError as error:
                wait = _wait(error, attempt)
                if wait is None:
                    raise
                await self._sleep(wait)
        return await self._once(system, user, schema, max_output_tokens)

    async def _once(
        self, system: str, user: str, schema: Mapping[str, Any], max_output_tokens: int
    ) -> Completion:
        config = self._inner.config
        worst = worst_usage(self._inner.ask(system, user, schema, max_output_tokens))
        call_id = await self._reserve(worst, config.cost_of(worst))
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

    async def _reserve(self, worst: Usage, worst_usd: float) -> int:
        account = self._account
        purchase = Purchase(
            account.org_id, account.purpose, account.run_id, self.provider, self.model, worst, worst_usd
        )
        async with self._database.write() as session:
            return await reserve(session, purchase, self._clock())

    async def _settle(self, call_id: int, usage: Usage, cost_usd: float, outcome: str) -> None:
        async with self._database.write() as session:
            await settle(session, call_id, usage, cost_usd, outcome)
            if self._account.run_id is not None and cost_usd:
                await self._charge_run(session, self._account.run_id, cost_usd)


def _wait(error: ModelUnavailableError, attempt: int) -> float | None:
    """How long to wait before asking again; None: it may cost twice, or take too long."""
    if error.usage is None:
        return None
    wait = 2.0 ** (attempt - 1) if error.retry_after_s is None else error.retry_after_s
    return wait if wait <= LONGEST_WAIT_S else None
