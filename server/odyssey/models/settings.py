"""Reading and changing an org's settings: its models with their keys, what they may cost, and what evals go by.

All of them are one document in the lowest room that reads any of it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import AddressPolicy, check_url_at_save, origin_of
from odyssey.core.errors import SecretRequiredError, ValidationFailedError
from odyssey.identity.caller import Caller, record_change
from odyssey.identity.vault import Vault, hint_of
from odyssey.kit.clock import Clock
from odyssey.models.document import (
    ROLES,
    Budgets,
    Evals,
    ModelConfig,
    Models,
    Provider,
    Role,
    SettingsDocument,
)
from odyssey.models.models import ModelSecret, OrgSettings
from odyssey.models.remote import ANTHROPIC_BASE_URL, OPENAI_BASE_URL
from odyssey.models.schemas import BudgetsChange, EvalsChange, ModelChange, SettingsChange
from odyssey.records.problems import FieldError

# The API key of a model: write-only, sealed, and sent to the one origin it was given for.


async def find_key(session: AsyncSession, org_id: int, role: Role) -> ModelSecret | None:
    return await session.get(ModelSecret, (org_id, role))


async def drop_key(session: AsyncSession, org_id: int, role: Role) -> None:
    await session.execute(delete(ModelSecret).where(ModelSecret.org_id == org_id, ModelSecret.role == role))


async def store_key(
    session: AsyncSession, vault: Vault, *, org_id: int, role: Role, origin: str, api_key: str
) -> None:
    await drop_key(session, org_id, role)
    sealed = await vault.seal(session, org_id, _purpose(role, origin), api_key)
    session.add(ModelSecret(org_id=org_id, role=role, origin=origin, sealed=sealed, shown=hint_of(api_key)))
    await session.flush()


async def open_key(
    session: AsyncSession, vault: Vault, *, org_id: int, role: Role, origin: str
) -> str | None:
    row = await find_key(session, org_id, role)
    return None if row is None or row.origin != origin else await open_stored_key(session, vault, row)


async def open_stored_key(session: AsyncSession, vault: Vault, row: ModelSecret) -> str:
    return await vault.open(session, row.org_id, _purpose(row.role, row.origin), row.sealed)


async def all_keys(session: AsyncSession, org_id: int) -> Sequence[ModelSecret]:
    return (await session.scalars(select(ModelSecret).where(ModelSecret.org_id == org_id))).all()


def _purpose(role: str, origin: str) -> str:
    return f"{role} model key for {origin}"


_CONFIG = tuple(ModelConfig.__struct_fields__)
_DEFAULT_BASE_URLS: dict[Provider, str] = {
    "openai": OPENAI_BASE_URL,
    "anthropic": ANTHROPIC_BASE_URL,
}


class SettingsKeeper:
    """The one act on settings, with what it needs."""

    def __init__(
        self, session: AsyncSession, vault: Vault, clock: Clock, policy: AddressPolicy, caller: Caller
    ) -> None:
        self._session = session
        self._vault = vault
        self._clock = clock
        self._policy = policy
        self.org_id = caller.org_id
        self._caller = caller

    async def change(self, body: SettingsChange) -> None:
        """Change what the body names and leave the rest."""
        row = await self._locked_row()
        before = SettingsDocument.read(row.document)
        named: dict[Role, ModelConfig | None] = {role: before.models.of(role) for role in ROLES}
        new_key = False
        for role in ROLES:
            if role in body.models.model_fields_set:
                change: ModelChange | None = getattr(body.models, role)
                named[role], is_new = await self._change_model(role, named[role], change)
                new_key = new_key or is_new
        after = SettingsDocument(
            Models(**named),
            _changed_budgets(before.budgets, body.budgets),
            _changed_evals(before.evals, body.evals),
        )
        if after == before and not new_key:
            return
        row.document = after.stored()
        row.updated_at = self._clock()
        record_change(
            self._session,
            self._caller,
            self._clock,
            "settings.change",
            object_type="settings",
            object_id=self.org_id,
            before=before.stored(),
            after=after.stored(),
        )

    async def _locked_row(self) -> OrgSettings:
        on_sqlite = self._session.get_bind().dialect.name == "sqlite"
        insert = sqlite_insert if on_sqlite else postgres_insert
        first = {"org_id": self.org_id, "document": SettingsDocument().stored(), "updated_at": self._clock()}
        await self._session.execute(insert(OrgSettings).values(first).on_conflict_do_nothing())
        row = select(OrgSettings).where(OrgSettings.org_id == self.org_id).with_for_update()
        return (await self._session.scalars(row)).one()

    async def _change_model(
        self, role: Role, before: ModelConfig | None, change: ModelChange | None
    ) -> tuple[ModelConfig | None, bool]:
        """The new model of a role, and whether its key is another."""
        stored = await find_key(self._session, self.org_id, role)
        if change is None:
            await drop_key(self._session, self.org_id, role)
            return None, stored is not None
        after = _changed_model(role, before, change)
        refusal = await check_url_at_save(after.base_url, self._policy)
        if refusal is not None:
            raise ValidationFailedError([_fault(role, "base_url", refusal)])
        origin = origin_of(after.base_url)
        if "api_key" not in change.model_fields_set:
            if stored is not None and stored.origin != origin:
                raise _secret_required(role)
            return after, False
        if change.api_key is None:
            await drop_key(self._session, self.org_id, role)
            return after, stored is not None
        await store_key(
            self._session,
            self._vault,
            org_id=self.org_id,
            role=role,
            origin=origin,
            api_key=change.api_key,
        )
        return after, True


async def read_settings(session: AsyncSession, org_id: int) -> tuple[SettingsDocument, OrgSettings | None]:
    row = await session.get(OrgSettings, org_id)
    return SettingsDocument.read(None if row is None else row.document), row


def _changed_model(role: Role, before: ModelConfig | None, change: ModelChange) -> ModelConfig:
    given = {name: getattr(change, name) for name in _CONFIG if getattr(change, name) is not None}
    kept: dict[str, Any] = {} if before is None else {name: getattr(before, name) for name in _CONFIG}
    merged = kept | given
    missing = [name for name in ("provider", "model") if name not in merged]
    if missing:
        raise ValidationFailedError(
            [_fault(role, name, f"{name} is missing; a first model needs it") for name in missing]
        )
    # The address of another provider is of no use to this one.
    if "base_url" not in given and (before is None or before.provider != merged["provider"]):
        merged["base_url"] = _DEFAULT_BASE_URLS[merged["provider"]]
    if "?" in merged["base_url"]:
        message = "base_url must not have a query (?…); write where the API begins"
        raise ValidationFailedError([_fault(role, "base_url", message)])
    return ModelConfig(**merged)


def _changed_budgets(before: Budgets, change: BudgetsChange) -> Budgets:
    return Budgets(
        usd_per_day=change.usd_per_day if "usd_per_day" in change.model_fields_set else before.usd_per_day,
        calls_per_day=before.calls_per_day if change.calls_per_day is None else change.calls_per_day,
    )


def _changed_evals(before: Evals, change: EvalsChange) -> Evals:
    given = {risk: shift for risk, shift in change.thresholds if shift is not None}
    return Evals(
        thresholds=msgspec.structs.replace(before.thresholds, **given),
        sample_share=before.sample_share if change.sample_share is None else change.sample_share,
    )


def _secret_required(role: Role) -> SecretRequiredError:
    message = "base_url names another scheme, host or port: send api_key again, or null to drop it"
    return SecretRequiredError([_fault(role, "api_key", message)])


def _fault(role: Role, member: str, message: str) -> FieldError:
    return FieldError(loc=("models", role, member), msg=message)
