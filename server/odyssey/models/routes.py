"""The org's settings over HTTP (contract D15)."""

from typing import Annotated

import msgspec
from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.depends import ClockDep, ReadSession, SettingsDep, WriteSession
from odyssey.identity.depends import VaultDep
from odyssey.identity.guard import Admin, GuardedRouter, Viewer
from odyssey.kit.clock import Clock
from odyssey.models.budget import spent_today
from odyssey.models.document import JUDGE, ModelConfig
from odyssey.models.schemas import (
    BudgetsOut,
    EvalsOut,
    ModelOut,
    ModelsOut,
    SettingsChange,
    SettingsOut,
    SpentOut,
)
from odyssey.models.secrets import find_key
from odyssey.models.settings import SettingsKeeper, read_settings

router = GuardedRouter(prefix="/api/settings", tags=["settings"])


def _keeper(
    session: WriteSession, caller: Admin, vault: VaultDep, clock: ClockDep, settings: SettingsDep
) -> SettingsKeeper:
    return SettingsKeeper(session, vault, clock, settings.address_policy, caller)


KeeperDep = Annotated[SettingsKeeper, Depends(_keeper, scope="function")]


@router.get("")
async def get_settings(caller: Viewer, session: ReadSession, clock: ClockDep) -> SettingsOut:
    return await _out(session, caller.org_id, clock)


@router.put("")
async def change_settings(
    body: SettingsChange, keeper: KeeperDep, session: WriteSession, clock: ClockDep
) -> SettingsOut:
    """Change what is given; what is omitted stays. An API key is never shown again."""
    await keeper.change(body)
    return await _out(session, keeper.org_id, clock)


async def _out(session: AsyncSession, org_id: int, clock: Clock) -> SettingsOut:
    document, row = await read_settings(session, org_id)
    key = await find_key(session, org_id, JUDGE)
    spent = await spent_today(session, org_id, clock())
    return SettingsOut(
        models=ModelsOut(judge=_model_out(document.models.judge, None if key is None else key.shown)),
        budgets=BudgetsOut(**msgspec.structs.asdict(document.budgets)),
        evals=EvalsOut.model_validate(msgspec.to_builtins(document.evals)),
        spent_today=SpentOut(usd=spent.usd, calls=spent.calls),
        updated_at=None if row is None else row.updated_at,
    )


def _model_out(config: ModelConfig | None, hint: str | None) -> ModelOut | None:
    return None if config is None else ModelOut(**msgspec.structs.asdict(config), api_key_hint=hint)
