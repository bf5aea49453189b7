"""The org's settings over HTTP (wire-contract.md#d15)."""

from typing import Annotated

import msgspec
from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.database import after_commit
from odyssey.core.depends import AddressPolicyDep, ClockDep, ReadSession, WriteSession
from odyssey.identity.guard import Admin, GuardedRouter, VaultDep, Viewer
from odyssey.kit.clock import Clock
from odyssey.models.document import ROLES, Role, SettingsDocument
from odyssey.models.metered import spent_today
from odyssey.models.roles import ModelPartsDep
from odyssey.models.schemas import (
    BudgetsOut,
    EvalsOut,
    ModelOut,
    ModelsOut,
    SettingsChange,
    SettingsOut,
    SpentOut,
)
from odyssey.models.settings import SettingsKeeper, find_key, read_settings

router = GuardedRouter(prefix="/api/settings", tags=["settings"])


def _keeper(
    session: WriteSession, caller: Admin, vault: VaultDep, clock: ClockDep, policy: AddressPolicyDep
) -> SettingsKeeper:
    return SettingsKeeper(session, vault, clock, policy, caller)


KeeperDep = Annotated[SettingsKeeper, Depends(_keeper, scope="function")]


@router.get("")
async def get_settings(caller: Viewer, session: ReadSession, clock: ClockDep) -> SettingsOut:
    return await _out(session, caller.org_id, clock)


@router.put("")
async def change_settings(
    body: SettingsChange, keeper: KeeperDep, session: WriteSession, clock: ClockDep, models: ModelPartsDep
) -> SettingsOut:
    """Change what is given; what is omitted stays. An API key is never shown again."""
    await keeper.change(body)
    after_commit(session, lambda: models.recent.forget(keeper.org_id))
    return await _out(session, keeper.org_id, clock)


async def _out(session: AsyncSession, org_id: int, clock: Clock) -> SettingsOut:
    document, row = await read_settings(session, org_id)
    models = {role: await _model_out(session, org_id, document, role) for role in ROLES}
    spent_usd, calls = await spent_today(session, org_id, clock())
    return SettingsOut(
        models=ModelsOut(**models),
        budgets=BudgetsOut(**msgspec.structs.asdict(document.budgets)),
        evals=EvalsOut.model_validate(msgspec.to_builtins(document.evals)),
        spent_today=SpentOut(usd=spent_usd, calls=calls),
        updated_at=None if row is None else row.updated_at,
    )


async def _model_out(
    session: AsyncSession, org_id: int, document: SettingsDocument, role: Role
) -> ModelOut | None:
    config = document.models.of(role)
    if config is None:
        return None
    key = await find_key(session, org_id, role)
    hint = None if key is None else key.shown
    return ModelOut(**msgspec.structs.asdict(config), api_key_hint=hint)
