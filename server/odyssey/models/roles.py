"""The models of an org by what they are for."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import origin_of
from odyssey.core.database import Database
from odyssey.core.depends import part
from odyssey.core.outbound import OutboundClient
from odyssey.identity.vault import UnsealError, Vault
from odyssey.kit.clock import Clock
from odyssey.models.chat import ChatModel, Completion, ModelClosedError, Usage
from odyssey.models.document import JUDGE, SIMULATOR, ModelConfig, Role
from odyssey.models.metered import Account, ChargeRun, MeteredModel, Sleep
from odyssey.models.remote import RemoteModel
from odyssey.models.settings import open_key, read_settings

# Which models orgs have named, remembered for a moment: asked on calls that must not wait for the database.
#
# A change in this process is known at once; one in another process, when the moment is over.
KEPT_FOR = timedelta(seconds=5)
_MOST = 10_000


class RecentModels:
    def __init__(self) -> None:
        self._known: dict[tuple[int, Role], tuple[bool, datetime]] = {}
        self.moment = 0
        """Counts the changes, so that what was read before one is not kept after it."""

    def find(self, org_id: int, role: Role, now: datetime) -> bool | None:
        """Whether the org has such a model; None: not known any more."""
        is_named, until = self._known.get((org_id, role), (False, now))
        return is_named if now < until else None

    def keep(self, org_id: int, role: Role, is_named: bool, now: datetime, *, read_at: int) -> None:
        if read_at != self.moment:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[org_id, role] = (is_named, now + KEPT_FOR)

    def forget(self, org_id: int) -> None:
        self.moment += 1
        for known in [each for each in self._known if each[0] == org_id]:
            del self._known[known]


@dataclass(frozen=True, slots=True)
class ModelParts:
    """What it takes to reach an org's models."""

    database: Database
    vault: Vault
    client: OutboundClient
    clock: Clock
    charge_run: ChargeRun
    sleep: Sleep = asyncio.sleep
    recent: RecentModels = field(default_factory=RecentModels)


ModelPartsDep = Annotated[ModelParts, part(ModelParts)]


class LockedModel:
    """A model whose key is not to be had; it says so when it is asked."""

    def __init__(self, config: ModelConfig, problem: str) -> None:
        self.provider: str = config.provider
        self.model = config.model
        self.max_output_tokens = config.max_output_tokens
        self._problem = problem

    async def complete(
        self,
        *,
        system: str,  # noqa: ARG002 - the seam's
        user: str,  # noqa: ARG002
        schema: Mapping[str, Any],  # noqa: ARG002
        max_output_tokens: int,  # noqa: ARG002
    ) -> Completion:
        raise ModelClosedError(self._problem, usage=Usage())


async def has_judge_model(session: AsyncSession, org_id: int) -> bool:
    """Whether the org has named a judge; says nothing of its budget."""
    document, _ = await read_settings(session, org_id)
    return document.models.judge is not None


async def has_simulator_model(parts: ModelParts, org_id: int) -> bool:
    """Whether the org has named a simulator, at most some seconds ago; says nothing of its budget."""
    known = parts.recent.find(org_id, SIMULATOR, parts.clock())
    if known is None:
        moment = parts.recent.moment
        async with parts.database.read() as session:
            document, _ = await read_settings(session, org_id)
        known = document.models.simulator is not None
        parts.recent.keep(org_id, SIMULATOR, known, parts.clock(), read_at=moment)
    return known


def is_known_without_simulator(parts: ModelParts, org_id: int) -> bool:
    """Whether it was seen some seconds ago at most that the org has named no simulator; looks nothing up."""
    return parts.recent.find(org_id, SIMULATOR, parts.clock()) is False


async def judge_model(parts: ModelParts, org_id: int, *, run_id: int | None) -> ChatModel | None:
    """The org's judge as it is set now, spending on the org's budget; None when it has named none.

    It opens its own short transactions: hold none while it is asked.
    """
    return await _model(parts, JUDGE, Account(org_id=org_id, purpose=JUDGE, run_id=run_id))


async def simulator_model(
    parts: ModelParts, org_id: int, *, run_id: int | None, purpose: str = SIMULATOR
) -> ChatModel | None:
    """The org's simulator, as `judge_model` is its judge; `purpose` is what it is asked for."""
    return await _model(parts, SIMULATOR, Account(org_id=org_id, purpose=purpose, run_id=run_id))


async def _model(parts: ModelParts, role: Role, account: Account) -> ChatModel | None:
    org_id = account.org_id
    async with parts.database.read() as session:
        document, _ = await read_settings(session, org_id)
        config = document.models.of(role)
        if config is None:
            return None
        origin = origin_of(config.base_url)
        try:
            api_key = await open_key(session, parts.vault, org_id=org_id, role=role, origin=origin)
        except UnsealError as error:
            return LockedModel(config, f"The {role}'s API key cannot be opened: {error}.")
    remote = RemoteModel(parts.client, config, api_key)
    return MeteredModel(
        remote, account, parts.database, parts.clock, sleep=parts.sleep, charge_run=parts.charge_run
    )
