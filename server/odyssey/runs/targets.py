"""Where runs are sent: agents read and their secrets opened once, outside of any write, then kept in memory.

A secret is kept under its sealed text, which no two have in common: when it is changed or deleted, the old one is no
longer found.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.config import AgentConfig
from odyssey.agents.register import origin_of, unseal_secret
from odyssey.core.database import StorageUnavailableError
from odyssey.dispatch.classify import Failure
from odyssey.identity.vault import UnsealError, Vault
from odyssey.kit.caches import Recent
from odyssey.records.error_classes import AGENT_MODEL_UNRESOLVED, INTERNAL_ERROR
from odyssey.runs.attempt import FAILED
from odyssey.runs.claimable import Candidate
from odyssey.runs.verdicts.grade_run import Judge

log = logging.getLogger(__name__)

_NO_JUDGE = (
    "The row has a rubric, which only a judge can answer, and this org has no judge model. "
    "Set one in the settings (PUT /api/settings, models.judge), or leave the rubric out."
)

Sealed = Mapping[tuple[int, str], str]
"""Secrets by agent and origin, as they lie in the database."""


class Way(NamedTuple):
    """How to reach the agent of a run."""

    config: AgentConfig
    endpoint_url: str
    auth_header: tuple[str, str] | None


class NotReady(NamedTuple):
    """What has to be looked up before a run can be sent."""

    org_id: int
    agent_id: int
    agent_version: int


class Targets:
    """Knows how to reach agents; what it does not know yet, `prepare` looks up."""

    def __init__(self, agents: CompiledAgents, vault: Vault, judge: Judge) -> None:
        self._agents = agents
        self._vault = vault
        self._judge = judge
        self._configs: Recent[tuple[int, int], AgentConfig] = Recent()
        self._secrets: Recent[tuple[int, str, str], str] = Recent()
        self._passing: dict[NotReady, Failure] = {}
        self._judged: dict[int, bool] = {}

    def find(self, run: Candidate, seed: Mapping[str, Any], sealed: Sealed) -> Way | Failure | NotReady:
        """Say how a run is sent, why it cannot be, or that this is not known yet."""
        wanted = NotReady(run.org_id, run.agent_id, run.agent_version)
        if seed.get("rubric"):
            judged = self._judged.get(run.org_id)
            if judged is not True:
                return wanted if judged is None else Failure(AGENT_MODEL_UNRESOLVED, _NO_JUDGE)
        config = self._configs.get((run.agent_id, run.agent_version))
        if config is None or config.endpoint_url is None:
            return self._passing.get(wanted, wanted)
        origin = origin_of(config.endpoint_url)
        locked = sealed.get((run.agent_id, origin))
        if config.auth_header_name is None or locked is None:
            return Way(config, config.endpoint_url, None)
        secret = self._secrets.get((run.agent_id, origin, locked))
        if secret is None:
            return self._passing.get(wanted, wanted)
        return Way(config, config.endpoint_url, (config.auth_header_name, secret))

    async def prepare(self, session: AsyncSession, unready: Iterable[NotReady], sealed: Sealed) -> None:
        """Look up what is missing; what goes wrong is the failure of the runs that wait for it now."""
        for wanted in unready:
            try:
                self._judged[wanted.org_id] = await self._judge.is_set(session, wanted.org_id)
                await self._prepare(session, wanted, sealed)
            except UnsealError as error:
                self._passing[wanted] = Failure(INTERNAL_ERROR, str(error))
            except StorageUnavailableError:
                raise  # of which the run knows nothing: it waits
            except Exception:
                log.exception("an agent is not ready", extra=wanted._asdict())
                self._passing[wanted] = FAILED

    def forget_passing(self) -> None:
        """Forget findings that may be out of date the next time: failures, and whether there is a judge."""
        self._passing, self._judged = {}, {}

    async def _prepare(self, session: AsyncSession, wanted: NotReady, sealed: Sealed) -> None:
        org_id, agent_id, version = wanted
        config = (await self._agents.get(session, agent_id, version)).config
        assert config.endpoint_url is not None
        self._configs.keep((agent_id, version), config)
        origin = origin_of(config.endpoint_url)
        locked = sealed.get((agent_id, origin))
        if config.auth_header_name is not None and locked is not None:
            secret = await unseal_secret(
                session, self._vault, org_id=org_id, agent_id=agent_id, origin=origin, sealed=locked
            )
            self._secrets.keep((agent_id, origin, locked), secret)
